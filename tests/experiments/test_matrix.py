"""Planners x parts x worlds x team sizes: no crash, calls as documented."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from mosaic_planner.cli.app import app
from mosaic_planner.core.errors import UnknownNameError, UsageError
from mosaic_planner.experiments import matrix
from mosaic_planner.experiments.matrix import (
    PARTS,
    PLANNERS,
    TEAM_SIZES,
    WORLDS,
    MatrixCell,
    documented,
    matrix_configs,
    run_matrix,
)
from mosaic_planner.planners.registry import planner_names


def test_the_whole_matrix_is_planned() -> None:
    configs = matrix_configs()
    assert len(configs) == len(PLANNERS) * len(PARTS) * len(WORLDS) * len(TEAM_SIZES) == 192
    assert set(PLANNERS) <= set(planner_names())
    assert all(documented(name) for name in PLANNERS)
    assert {c.model for c in configs} == {"standin:gpt4-2024"}
    with pytest.raises(UsageError, match="empty"):
        matrix_configs(planners=())


def test_every_planner_calls_as_documented() -> None:
    # rules R2, R25, R29, R30, in both worlds, plain and with all of Mosaic
    cells = run_matrix(matrix_configs(parts=("", "+mosaic"), team_sizes=(3,), steps=2))
    assert [c.error for c in cells if c.error] == []
    calls = {(c.planner, c.first, c.steps) for c in cells if c.planner != "smartllm"}
    assert calls == {
        ("act", 2, 2),
        ("cot", 2, 2),
        ("react", 2, 2),
        ("coela", 12, 2),
        ("llamar", 7, 2),
    }
    assert all(c.good for c in cells)
    assert all(c.first >= 3 and c.first % 3 == 0 for c in cells if c.planner == "smartllm")


def test_what_asks_again_is_not_counted_as_documented() -> None:
    cells = run_matrix(
        matrix_configs(planners=("act", "smartllm"), parts=("",), worlds=("sar",), team_sizes=(2,),
                       model="standin:weak", steps=30, seed=3)
    )  # fmt: skip
    assert any(c.again for c in cells)
    assert all(c.calls == c.first + c.again and c.good for c in cells)


def test_a_crash_and_a_wrong_count_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = MatrixCell("llamar", "", "sar", 2, 10, 30, 0, 31, False, "step_budget")
    assert not cell.good  # one call is missing
    assert MatrixCell("llamar", "", "sar", 2, 10, 33, 2, 31, True, "success").good

    def broken(config: Any) -> Any:
        raise RuntimeError("no more")

    monkeypatch.setattr(matrix, "run_episode", broken)
    shown = CliRunner().invoke(app, ["matrix", "--planner", "act", "--agents", "2", "--jobs", "1"])
    assert shown.exit_code == 1
    assert "RuntimeError: no more" in shown.stdout
    assert "0 of 8 episodes without a crash" in shown.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [(["--world", "moon"], "unknown world 'moon'"), (["--planner", "acts"], "did you mean 'act'")],
)
def test_a_wrong_name_is_told_before_anything_runs(words: list[str], message: str) -> None:
    with pytest.raises(UnknownNameError, match=message):
        CliRunner().invoke(app, ["matrix", *words], catch_exceptions=False)


def test_the_command_prints_a_table_or_json() -> None:
    few = ["matrix", "--world", "sar", "--planner", "coela", "--agents", "2", "--steps", "2"]
    shown = CliRunner().invoke(app, [*few, "--jobs", "1"])
    assert shown.exit_code == 0, shown.stdout
    assert "2 per agent" in shown.stdout
    assert "4 of 4 episodes without a crash" in shown.stdout
    printed = json.loads(CliRunner().invoke(app, [*few, "--jobs", "2", "--json"]).stdout)
    assert printed["good"] is True
    assert [cell["per_step"] for cell in printed["episodes"]] == [4.0] * 4
    assert [cell["parts"] for cell in printed["episodes"]] == list(PARTS)


@pytest.mark.slow
def test_the_whole_matrix_runs_without_a_crash() -> None:
    cells = run_matrix(matrix_configs(), jobs=2)
    assert len(cells) == 192
    assert [(c.method, c.world, c.agents, c.error) for c in cells if not c.good] == []
