"""Backends behind the real client, recording, point clouds."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from mosaic_planner.assembly import build
from mosaic_planner.config import load_config
from mosaic_planner.core.action import Action
from mosaic_planner.core.errors import UsageError
from mosaic_planner.core.trace import TraceWriter
from mosaic_planner.episode import play
from mosaic_planner.worlds.household import make, remote
from mosaic_planner.worlds.household.recording import Film, point_cloud, record_scene
from mosaic_planner.worlds.household.remote import UnityBackend, explain, unity_problems
from mosaic_planner.worlds.household.scenes.recorded import SceneFolder
from mosaic_planner.worlds.household.thor.controller import Controller

from .built import controller, the
from .team import KnowingTeam


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (TypeError("expected str: Invalid DISPLAY"), "set DISPLAY"),
        (Exception("vulkaninfo failed"), "Vulkan driver"),
        (ConnectionError("Max retries exceeded"), "cannot be downloaded"),
        (TimeoutError("Reading timed out"), "did not start in time"),
        (FileNotFoundError("No such file or directory: thor"), "cannot be run"),
        (ValueError("Invalid commit_id: f08 - no build exists for arch=Linux"), "not installed"),
        (RuntimeError("its process ended with code 1; its log ends: no"), "ended at once"),
        (RuntimeError("odd\nthing"), "use the embedded backend"),
    ],
)
def test_start_up_failures_become_one_clear_line(error: Exception, words: str):
    line = explain(error, "unity")
    assert words in line
    assert "\n" not in line


def test_what_is_missing_for_unity_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    told = " | ".join(unity_problems())
    assert "DISPLAY is not set" in told
    assert "build is not downloaded" in told
    assert "libvulkan1" in " | ".join(unity_problems(cloud=True))
    assert "DISPLAY" not in " | ".join(unity_problems(headless=True))
    (tmp_path / ".ai2thor" / "releases" / "build").mkdir(parents=True)
    assert "not downloaded" not in " | ".join(unity_problems())


def test_a_simulator_that_does_not_start_is_a_users_mistake(monkeypatch: pytest.MonkeyPatch):
    backend = UnityBackend("FloorPlan1")

    def fail(agents: int):
        raise TimeoutError("Reading from AI2-THOR backend timed out")

    monkeypatch.setattr(backend, "_launch", fail)
    from random import Random

    from mosaic_planner.worlds.household import find_task

    with pytest.raises(UsageError, match="did not start in time"):
        backend.begin(find_task(1), 2, Random(0), None)
    backend.close()
    backend.close()  # safe twice


class _Dying:
    """A client whose player ends at the `last` step, with the client's own kind of message."""

    def __init__(self, last: int):
        self._inner = Controller("FloorPlan1", agentCount=2)
        self._left = last
        self.stopped = False

    @property
    def last_event(self):
        return self._inner.last_event

    def reset(self, scene: str, **options: object):
        return self._inner.reset(scene, **options)

    def step(self, action: str, **parameters: object):
        self._left -= 1
        if self._left < 0:
            try:
                raise BrokenPipeError("Unity process has exited")
            except BrokenPipeError:
                raise RuntimeError("Error encountered when running action") from None
        return self._inner.step(action, **parameters)

    def stop(self):
        self.stopped = True


def _mission(client: _Dying, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(remote, "_client", lambda: SimpleNamespace(Controller=lambda **_: client))
    writer = TraceWriter()
    config = load_config(
        options={
            "world": "household",
            "planner": "llamar+mosaic",
            "model": "standin:careful",
            "agents": 2,
            "steps": 20,
            "world_options": {"task": "1", "backend": "unity"},
        }
    )
    return asyncio.run(play(config, build(config, writer), writer))


def test_a_simulator_that_dies_ends_the_episode_as_infrastructure(monkeypatch: pytest.MonkeyPatch):
    client = _Dying(120)
    episode = _mission(client, monkeypatch)
    assert episode.metrics.end == "infrastructure"
    assert episode.metrics.complete
    notes = [e["text"] for e in episode.trace.events if e["event"] == "note"]
    assert "the simulator stopped answering" in notes[-1]
    assert "BrokenPipeError: Unity process has exited" in notes[-1]
    assert client.stopped


def test_a_simulator_that_dies_while_the_scene_is_laid_is_told(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(UsageError, match=r"unity backend did not start.*process has exited"):
        _mission(_Dying(1), monkeypatch)


def test_recording_gives_a_folder_that_runs_alike(tmp_path: Path):
    with Controller("FloorPlan303") as source:
        path = record_scene(source, "FloorPlan303_physics", tmp_path)
        assert path == tmp_path / "scenes" / "FloorPlan303.json"
        cells = set(source.simulator.state.scene.cells)
    scene = SceneFolder(tmp_path).load("FloorPlan303")
    assert set(scene.cells) == cells
    assert scene.source == "recorded"
    with Controller("FloorPlan303", scenes=tmp_path) as again:
        assert len(again.last_event.metadata["objects"]) == len(scene.objects)
        assert again.step("RotateRight")
    with pytest.raises(UsageError, match="cannot record FloorPlan999"):
        record_scene(source, "FloorPlan999", tmp_path)


def test_point_clouds_lie_on_what_is_seen():
    c = controller(renderDepthImage=True, renderInstanceSegmentation=True)
    event = c.last_event
    data = point_cloud(event)
    header, _, body = data.partition(b"end_header\n")
    count = int(header.split(b"element vertex ")[1].split()[0])
    rows = np.frombuffer(body, dtype=[("p", "<f4", 3), ("c", "u1", 3)])
    assert len(rows) == count > 10_000
    apple = event.instance_masks[the(c, "Apple")]
    points = rows["p"].reshape(*apple.shape, 3)[apple] if count == apple.size else rows["p"]
    box = event.get_object(the(c, "Apple"))["axisAlignedBoundingBox"]
    inside = np.ones(len(points), dtype=bool)
    for k, axis in enumerate(("x", "y", "z")):
        inside &= np.abs(points[:, k] - box["center"][axis]) <= box["size"][axis] / 2 + 0.02
    assert inside.sum() >= 0.9 * apple.sum()
    with pytest.raises(UsageError, match="renderDepthImage"):
        point_cloud(controller().last_event)


@pytest.mark.slow
def test_films_hold_every_frame_of_all_agents(tmp_path: Path):
    cv2 = pytest.importorskip("cv2")
    c = controller(2)
    with Film(tmp_path / "films" / "two.mp4") as film:
        for action in ("RotateRight", "RotateRight", "MoveAhead"):
            event = c.step(action)
            film.add(*(e.frame for e in event.events))
        with pytest.raises(UsageError, match="300 x 300 in a film of"):
            film.add(event.events[0].frame)
    read = cv2.VideoCapture(str(film.path))
    assert read.get(cv2.CAP_PROP_FRAME_COUNT) == film.frames == 3
    assert (read.get(cv2.CAP_PROP_FRAME_WIDTH), read.get(cv2.CAP_PROP_FRAME_HEIGHT)) == (600, 300)
    ok, shown = read.read()
    assert ok
    first = c.reset().events[0].frame  # compressed, so only about the same
    assert shown.shape == (300, 600, 3)
    assert first.shape == (300, 300, 3)
    with pytest.raises(UsageError, match="frames per second"):
        Film(tmp_path / "x.mp4", fps=0)


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 13])
def test_the_world_runs_over_the_player(
    number: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    pytest.importorskip("ai2thor")
    monkeypatch.setenv("HOME", str(tmp_path))
    world = make(task=number, floorplan=1, backend="player")
    try:
        assert world.static()["backend"] == "player"
        assert not world.score().success
        team = KnowingTeam(world)
        assert team.play(), team.failures
        world.reset(1)
        assert not world.score().success
    finally:
        world.close()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"headless": True}, "embedded backend has no option headless"),
        ({"cloud": True, "backend": "player"}, "player backend has no option cloud"),
        ({"start_timeout_s": 5}, "embedded backend has no option start_timeout_s"),
        ({"step_timeout_s": 0, "backend": "unity"}, "greater than 0"),
        ({"headless": True, "backend": "unity", "images": True}, "headless makes no images"),
        ({"headless": True, "backend": "unity", "film": "x.mp4"}, "headless makes no images"),
        ({"backend": "godot"}, "none of embedded, player, unity"),
    ],
)
def test_starting_options_that_do_not_go_together(options: dict[str, object], words: str):
    with pytest.raises(UsageError, match=words):
        make(task=1, **options)  # type: ignore[arg-type]  # wrong ones are the point


def test_starting_options_reach_the_client(monkeypatch: pytest.MonkeyPatch):
    given: dict[str, object] = {}

    def client(**options: object):
        given.update(options)
        return Controller("FloorPlan1", agentCount=2)

    monkeypatch.setattr(remote, "_client", lambda: SimpleNamespace(Controller=client))
    monkeypatch.delenv("DISPLAY", raising=False)
    world = make(task=1, backend="unity", headless=True, start_timeout_s=7.0, step_timeout_s=3.0)
    assert (given["server_start_timeout"], given["server_timeout"]) == (7.0, 3.0)
    assert given["headless"] is True
    assert given["x_display"] == ":0"  # the client wants one, although it is never contacted
    assert world.settings()["headless"] is True
    world.close()


@pytest.mark.slow
def test_a_world_films_what_its_robots_see(tmp_path: Path):
    cv2 = pytest.importorskip("cv2")
    path = tmp_path / "films" / "mission.mp4"
    world = make(task="turn_off_faucet_light", floorplan=1, agents=2, film=path)
    world.reset(1)
    result = world.step({"Alice": Action("Explore"), "Bob": Action("Rotate", ("Right",))})
    steps = sum(o.agent_steps for o in result.outcomes.values())
    world.close()
    read = cv2.VideoCapture(str(path))
    assert read.get(cv2.CAP_PROP_FRAME_COUNT) == steps
    assert read.get(cv2.CAP_PROP_FRAME_WIDTH) == 600
