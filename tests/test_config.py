"""Settings: precedence and one clear line for every mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from mosaic_planner.config import load_config, parse_override
from mosaic_planner.core.errors import ConfigError


def test_overrides_beat_options_beat_file(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text("agents = 4\nseed = 1\nsteps = 20\n[limits]\ncalls = 9\n")
    config = load_config(
        file, {"seed": 2, "agents": None, "steps": 30}, {"steps": 40, "limits.tokens": 5}
    )
    assert (config.agents, config.seed, config.steps) == (4, 2, 40)
    assert (config.limits.calls, config.limits.tokens) == (9, 5)


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("steps=50", ("steps", 50)),
        ("planner=react+asm", ("planner", "react+asm")),
        ('model="a=b"', ("model", "a=b")),
        ("limits.cost_usd=0.5", ("limits.cost_usd", 0.5)),
        ("safe_candidates=false", ("safe_candidates", False)),
    ],
)
def test_override_values_are_toml_or_text(text: str, parsed: tuple[str, object]) -> None:
    assert parse_override(text) == parsed


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"agent": 3}, "unknown setting 'agent'"),
        ({"agents": 0}, "setting 'agents'"),
        ({"k": 9}, "setting 'k'"),
        ({"noise": "loud"}, "setting 'noise'"),
        ({"latency": "warp"}, "no profile 'warp'"),
        ({"limits.calls": 0}, "setting 'limits.calls'"),
        ({"agents.x": 0}, "setting 'agents'|not a table"),
        ({"limits.foo": 1}, "'limits.foo': settings of 'limits' are calls, tokens, cost_usd, time"),
        ({"limits.call": 1}, "'limits.call': did you mean 'calls'"),
        ({"limit.calls": 1}, "'limit': did you mean 'limits'"),
        ({"": 1}, "unknown setting '': settings are world, scene"),
        ({"limits": 3}, "'limits' is a table of calls, tokens, cost_usd, time_s"),
        ({"scene": True}, "'scene': Input should be a number, a name, a scene file"),
        ({"scene": 1.0}, "'scene': Input should be a number, a name, a scene file"),
        ({"scene": [1]}, "'scene': Input should be a number, a name, a scene file"),
        ({"scene": ""}, "'scene': Input should not be empty"),
        ({"scene": " "}, "'scene': Input should not be empty"),
    ],
)
def test_mistakes_are_one_line(values: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError, match=words) as caught:
        load_config(overrides=values)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "key",
    [
        *("agents", "seed", "steps", "k", "pool", "temperature", "max_output_tokens"),
        *("limits.calls", "limits.tokens", "limits.cost_usd", "limits.time_s", "weights.risk"),
    ],
)
def test_true_is_no_number(key: str) -> None:
    with pytest.raises(ConfigError, match=f"setting '{key}': Input should be a number"):
        load_config(overrides={key: True})


def test_scenes_are_numbers_names_paths_or_data(tmp_path: Path) -> None:
    values = {1: 1, "FloorPlan1": "FloorPlan1", tmp_path: str(tmp_path)}
    for given, kept in values.items():
        assert load_config(options={"scene": given}).scene == kept
    assert load_config(options={"scene": {"format": 1}}).scene == {"format": 1}


def test_unreadable_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read"):
        load_config(tmp_path / "none.toml")
    bad = tmp_path / "bad.toml"
    bad.write_text("a = = 1")
    with pytest.raises(ConfigError, match="not valid TOML"):
        load_config(bad)
    bad.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="not UTF-8 text"):
        load_config(bad)


def test_override_without_equals_is_refused() -> None:
    with pytest.raises(ConfigError, match="key=value"):
        parse_override("steps")
