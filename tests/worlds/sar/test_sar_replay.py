"""Recordings of the reference replay without a difference; bad input gives one clear line."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from mosaic_planner.core.errors import UsageError
from mosaic_planner.worlds.sar import make
from mosaic_planner.worlds.sar.command import read_action_text
from mosaic_planner.worlds.sar.replay import differences, read_recording, replay, write_recording

FOLDER = Path(__file__).resolve().parents[4] / "shared" / "data" / "sar_traces"
NAMES = sorted(p.name for p in FOLDER.glob("*.json"))


def test_there_are_recordings(shared_data: Path) -> None:
    assert len(NAMES) >= 7


@pytest.mark.parametrize("name", NAMES)
def test_recordings_replay_without_a_difference(
    shared_data: Path, tmp_path: Path, name: str
) -> None:
    path = shared_data / "sar_traces" / name
    recorded = read_recording(path)
    ours = replay(recorded)
    assert differences(recorded, ours) == []
    assert recorded == ours
    out = tmp_path / "ours.json"
    write_recording(ours, out)
    assert out.read_bytes() == path.read_bytes().rstrip(b"\n")


@pytest.mark.parametrize("name", NAMES)
def test_faithful_mode_draws_the_recorded_directions_itself(shared_data: Path, name: str) -> None:
    """Rules M2 to M4: not even Explore needs to be forced."""
    recorded = read_recording(shared_data / "sar_traces" / name)
    assert differences(recorded, replay(recorded, force=False)) == []


@pytest.mark.parametrize("name", NAMES)
def test_snapshots_of_ordinary_steps_make_up_a_recording(shared_data: Path, name: str) -> None:
    """Static part, first and every later snapshot, taken while stepping with actions."""
    recorded = read_recording(shared_data / "sar_traces" / name)
    world = make(recorded["scene"], recorded["agents"], faithful=True)
    world.reset(recorded["seed"])
    assert differences(recorded["static"], world.static()) == []
    assert differences(recorded["initial"], world.snapshot()) == []
    for number, step in enumerate(recorded["steps"]):
        texts = [entry["act"] for entry in step["agents"]]
        actions = map(read_action_text, texts)
        world.step(dict(zip(world.agents, actions, strict=True)))
        assert differences(step, world.snapshot()) == [], number + 1


def recording(agents: int = 2, **changes: Any) -> dict[str, Any]:
    step = {"agents": [{"act": "Idle"} for _ in range(agents)]}
    data: dict[str, Any] = {"format": 1, "scene": 1, "agents": agents, "seed": 0, "steps": [step]}
    return {**data, **changes}


def test_a_minimal_recording_is_enough() -> None:
    ours = replay(recording())
    assert ours["names"] == ["Alice", "Bob"]
    assert len(ours["steps"]) == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "not a JSON object"),
        (recording(format=2), "format is 2"),
        (recording(format=True), "format is True"),
        (recording(format=1.0), "format is 1.0"),
        (recording(seed="x"), "seed must be a whole number"),
        (recording(scene=True), "scene must be a whole number"),
        (recording(steps=None), "steps must be a list"),
        (recording(steps=[{"agents": []}]), r"steps\[0\].agents must list 2 agents"),
        (recording(steps=[{"agents": [{"act": "Idle"}, {}]}]), r"agents\[1\].act must be a text"),
        (
            recording(steps=[{"agents": [{"act": "Idle"}, {"act": "Explore()", "moves": "X"}]}]),
            "moves must consist of U, D, L and R",
        ),
        (recording(scene=9), "unknown scene '9'"),
        (recording(7), "start cells for 1 to 6 agents"),
    ],
)
def test_bad_recordings_are_refused_in_one_line(data: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        replay(data)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[1,", "null", '{"format": 1}', "[" * 100_000])
def test_bad_files_are_refused_in_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, "utf-8")
    with pytest.raises(UsageError) as caught:
        read_recording(path)
    assert "\n" not in str(caught.value)


def test_texts_that_no_file_holds_are_written_with_escapes(tmp_path: Path) -> None:
    """JSON can spell half a surrogate pair; the action is malformed, the recording is not."""
    theirs = tmp_path / "theirs.json"
    step = {"agents": [{"act": "Move(\ud800)"}, {"act": "Idle"}]}
    theirs.write_text(json.dumps(recording(steps=[step], note="\udfff")))
    ours = replay(read_recording(theirs))
    assert ours["steps"][0]["agents"][0]["ok"] is False
    write_recording(ours, tmp_path / "ours.json")
    assert read_recording(tmp_path / "ours.json") == ours


def test_unreadable_and_unwritable_places_are_user_errors(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read recording"):
        read_recording(tmp_path / "missing.json")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write"):
        write_recording({}, tmp_path / "file" / "ours.json")
    binary = tmp_path / "binary.json"
    binary.write_bytes(os.urandom(64) + b"\xff")
    with pytest.raises(UsageError):
        read_recording(binary)


def test_differences_names_the_field() -> None:
    ours = replay(recording())
    theirs = json.loads(json.dumps(ours))
    theirs["steps"][0]["agents"][1]["pos"] = [0, 0]
    del theirs["static"]["grid"]
    lines = differences(theirs, ours)
    assert lines[0].startswith("static.grid: only in ours")
    assert lines[1] == "steps[0].agents[1].pos[0]: theirs 0, ours 17"
