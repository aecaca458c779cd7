"""The real client never hangs on a player that is silent or gone, and leaves no process behind."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest

from mosaic_planner.core.errors import UsageError
from mosaic_planner.worlds.household import find_task
from mosaic_planner.worlds.household.launching import Watch, launch
from mosaic_planner.worlds.household.remote import PlayerBackend, UnityBackend
from mosaic_planner.worlds.household.stage import SimulatorLost


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home for the client's log; skips without the client."""
    pytest.importorskip("ai2thor")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DISPLAY", ":0")
    return tmp_path


def children() -> set[int]:
    """The processes this one has started and that still run (Linux)."""
    own = str(os.getpid())
    found = set()
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except (OSError, NotADirectoryError):
            continue
        if entry.name.isdigit() and fields[1] == own and fields[0] != "Z":
            found.add(int(entry.name))
    return found


class _Half:
    """A client's controller that fails in its constructor, having started nothing."""

    stopped = False

    def __init__(self, **options: object) -> None:
        raise ValueError(f"no such scene: {options['scene']}")

    def stop(self) -> None:
        _Half.stopped = True


def test_a_constructor_that_fails_is_told_as_it_is_and_stopped():
    with pytest.raises(ValueError, match="no such scene: Nowhere"):
        launch(_Half, 5.0, scene="Nowhere")
    assert _Half.stopped


def test_what_is_no_class_is_called_and_not_watched():
    assert launch(lambda **options: options, 5.0, scene="A") == ({"scene": "A"}, None)


def test_a_watch_over_nothing_ends():
    watch = Watch(object(), 1.0)
    assert watch.trouble() == ""
    watch.end()
    watch.end()


@pytest.mark.slow
def test_a_player_that_never_answers_is_ended_in_time(home: Path):
    before = children()
    backend = UnityBackend(
        "FloorPlan1", local_executable_path="sh -c 'exec sleep 600'", start_timeout_s=1.0
    )
    began = time.monotonic()
    with pytest.raises(UsageError, match="unity backend did not start: it did not start in time"):
        backend.connect()
    assert time.monotonic() - began < 30.0
    assert children() <= before


@pytest.mark.slow
def test_a_player_that_ends_at_once_is_told_with_its_last_words(home: Path):
    before = children()
    command = "sh -c 'echo no room for a window >&2; exit 3'"
    backend = UnityBackend("FloorPlan1", local_executable_path=command)
    began = time.monotonic()
    with pytest.raises(UsageError, match=r"ended with code 3; its log ends: no room for a window"):
        backend.connect()
    assert time.monotonic() - began < 30.0
    assert children() <= before


@pytest.mark.slow
def test_a_player_that_is_killed_between_steps_is_noticed_at_once(home: Path):
    before = children()
    backend = PlayerBackend("FloorPlan1")
    try:
        controller = backend.begin(find_task(1), 2, random.Random(0), None)
        (process,) = children() - before
        os.kill(process, signal.SIGKILL)
        began = time.monotonic()
        time.sleep(0.5)
        with pytest.raises(SimulatorLost, match="ended with code -9"):
            controller.step("Pass")
        assert time.monotonic() - began < 30.0  # the step time-out is 60
    finally:
        backend.close()
    assert children() <= before


@pytest.mark.slow
def test_a_player_that_stops_answering_runs_into_the_step_time_out(home: Path):
    before = children()
    backend = PlayerBackend("FloorPlan1", step_timeout_s=2.0)
    try:
        controller = backend.begin(find_task(1), 2, random.Random(0), None)
        (process,) = children() - before
        os.kill(process, signal.SIGSTOP)
        with pytest.raises(SimulatorLost, match="timed out"):
            controller.step("Pass")
    finally:
        backend.close()
    assert children() <= before
