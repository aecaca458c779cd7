"""The stand-in player behind the unmodified `ai2thor` client, and its parts without the client."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from mosaic_planner.worlds.household.player.fifo import _receive
from mosaic_planner.worlds.household.player.main import run
from mosaic_planner.worlds.household.player.service import Message, Service
from mosaic_planner.worlds.household.player.wsgi import multipart
from mosaic_planner.worlds.household.scenes.generated import GeneratedScenes
from mosaic_planner.worlds.household.thor.controller import Controller

COMMAND = f"{sys.executable} -m mosaic_planner.worlds.household.player --seed 3"
MOTION = ("MoveAhead", "MoveBack", "RotateLeft", "RotateRight", "LookDown", "LookUp", "Pass")


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Starts real controllers on the player; skips without the client, but fails in CI."""
    try:
        import ai2thor.controller
        import ai2thor.fifo_server
        import ai2thor.wsgi_server
    except ImportError:
        if os.environ.get("CI") == "true":
            pytest.fail("the ai2thor client is not installed")
        pytest.skip("the ai2thor client is not installed")
    monkeypatch.setenv("HOME", str(tmp_path))  # the client keeps its log there
    monkeypatch.setenv("DISPLAY", ":0")  # wanted by the client, never contacted
    started = []
    servers = {
        "FIFO": ai2thor.fifo_server.FifoServer,
        "WSGI": ai2thor.wsgi_server.WsgiServer,
    }

    def start(transport: str, **options):
        controller = ai2thor.controller.Controller(
            local_executable_path=COMMAND,
            server_class=servers[transport],
            server_timeout=60,
            width=300,
            height=300,
            **options,
        )
        started.append(controller)
        return controller

    yield start
    for controller in started:
        controller.stop()


def same(real, ours) -> None:
    """Two events tell and show the same, agent by agent."""
    assert len(real.events) == len(ours.events)
    for a, b in zip(real.events, ours.events, strict=True):
        theirs, mine = dict(a.metadata), dict(b.metadata)
        assert set(theirs) == set(mine)
        for key in mine:
            assert theirs[key] == mine[key], key
        for frame in ("frame", "depth_frame", "instance_segmentation_frame"):
            x, y = getattr(a, frame), getattr(b, frame)
            assert (x is None) == (y is None), frame
            if y is not None:
                assert x.shape == y.shape
                assert np.array_equal(x, y), frame


def episode(real, ours: Controller, agents: int, steps: int) -> None:
    """The same random steps on both; compared after every one."""
    rng = random.Random(11)
    same(real.last_event, ours.last_event)
    for _ in range(steps):
        agent = rng.randrange(agents)
        call: dict[str, object] = {"action": rng.choice(MOTION), "agentId": agent}
        visible = [
            o["objectId"] for o in ours.last_event.events[agent].metadata["objects"] if o["visible"]
        ]
        if visible and rng.random() < 0.5:
            action = rng.choice(("PickupObject", "PutObject", "OpenObject", "CloseObject",
                                 "ToggleObjectOn", "SliceObject"))  # fmt: skip
            call = {"action": action, "objectId": rng.choice(visible), "agentId": agent}
        same(real.step(dict(call)), ours.step(dict(call)))


@pytest.mark.slow
def test_the_real_client_runs_two_agents_over_pipes(client):
    options = {"scene": "FloorPlan3", "agentCount": 2, "renderDepthImage": True,
               "renderInstanceSegmentation": True}  # fmt: skip
    real, ours = client("FIFO", **options), Controller(**options, seed=3)
    episode(real, ours, 2, 25)
    positions = real.step("GetReachablePositions").metadata["actionReturn"]
    assert positions == ours.step("GetReachablePositions").metadata["actionReturn"]
    boxes = real.last_event.events[0].instance_detections2D
    mine = ours.last_event.events[0].instance_detections2D
    assert {k: tuple(int(v) for v in boxes[k]) for k in boxes if "|" in k} == mine
    with pytest.raises(ValueError, match="no action 'Fly'"):
        real.step("Fly")
    with pytest.raises(ValueError, match="FloorPlan999"):
        real.reset("FloorPlan999")


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["FIFO", "WSGI"])
@pytest.mark.parametrize("agents", [2, 3])
def test_the_real_client_equals_the_in_process_surface(client, transport: str, agents: int):
    options = {"scene": "FloorPlan201", "agentCount": agents, "renderInstanceSegmentation": True}
    real, ours = client(transport, **options), Controller(**options, seed=3)
    episode(real, ours, agents, 40)
    other = {"agentCount": agents}
    same(real.reset("FloorPlan402", **other), ours.reset("FloorPlan402", **other))
    episode(real, ours, agents, 10)


@pytest.mark.slow
def test_the_player_leaves_with_its_parent(tmp_path: Path):
    """Blocked in opening a pipe that nobody will open, it still ends when its parent is gone."""
    for name in ("server", "client"):
        os.mkfifo(tmp_path / name)
    code = (
        "import subprocess, sys; p = subprocess.Popen([sys.executable, '-m', "
        "'mosaic_planner.worlds.household.player', '--patience', '20'], "
        "stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); print(p.pid, flush=True); "
        "import time; time.sleep(6)"
    )
    environment = {
        **os.environ,
        "AI2THOR_SERVER_TYPE": "FIFO",
        "AI2THOR_FIFO_SERVER_PIPE_PATH": str(tmp_path / "server"),
        "AI2THOR_FIFO_CLIENT_PIPE_PATH": str(tmp_path / "client"),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    pid = int(done.stdout)
    for _ in range(300):
        if not Path(f"/proc/{pid}").exists() or _is_zombie(pid):
            return
        threading.Event().wait(0.1)
    raise AssertionError(f"process {pid} is still there")


def _is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def test_started_by_hand_it_says_what_it_is(capsys: pytest.CaptureFixture[str], tmp_path: Path):
    assert run([], {}) == 2
    assert "started by the ai2thor client" in capsys.readouterr().err
    assert run([], {"AI2THOR_SERVER_TYPE": "FIFO"}) == 2
    assert "AI2THOR_FIFO_SERVER_PIPE_PATH is not set" in capsys.readouterr().err
    assert run(["--scenes", str(tmp_path)], {"AI2THOR_SERVER_TYPE": "WSGI"}) == 2
    message = capsys.readouterr().err
    assert "holds no recorded scenes" in message
    assert message.count("\n") == 1


def test_the_handshake():
    service = Service(GeneratedScenes(), width=320, height=300)
    hello = service.hello().payload
    assert hello["sequenceId"] == 0
    names = service.answer({"action": "GetScenesInBuild", "sequenceId": 1}).payload
    assert "FloorPlan1_physics" in names["agents"][0]["actionReturn"]
    assert names["sequenceId"] == 1
    reset = service.answer(
        {"action": "Reset", "sceneName": "FloorPlan2_physics", "sequenceId": 0}
    ).payload
    assert reset["sequenceId"] == 0  # echoed, not counted
    assert reset["agents"][0]["sceneName"] == "FloorPlan2_physics"
    made = service.answer({"action": "Initialize", "agentCount": 3, "sequenceId": 2})
    assert len(made.payload["agents"]) == 3
    assert set(made.payload["agents"][0]["actionReturn"]) == {"cameraNearPlane", "cameraFarPlane"}
    assert [len(b) for b in made.images["image"]] == [320 * 300 * 3] * 3
    bigger = service.answer({"action": "ChangeResolution", "x": 400, "y": 300, "sequenceId": 3})
    assert bigger.payload["agents"][0]["screenWidth"] == 400
    bad = service.answer({"action": "Reset", "sceneName": "Nowhere", "sequenceId": 4}).payload
    assert not bad["agents"][0]["lastActionSuccess"]
    assert "Nowhere" in bad["agents"][0]["errorMessage"]
    assert service.answer({}).payload["agents"][0]["errorCode"] == "InvalidAction"


def test_payloads_are_plain_json():
    service = Service(GeneratedScenes())
    service.answer({"action": "Initialize", "agentCount": 2, "renderInstanceSegmentation": True})
    payload = service.answer({"action": "MoveAhead", "agentId": 1, "sequenceId": 9}).payload
    assert json.loads(json.dumps(payload, allow_nan=False)) == payload
    assert payload["activeAgentId"] == 1


def test_images_without_rendering_are_left_out():
    service = Service(GeneratedScenes())
    message = service.answer({"action": "Initialize", "agentCount": 2, "renderImage": False})
    assert message.images == {}


def test_multipart_is_spelled_as_the_client_wants_it():
    body = multipart(Message({"agents": []}, {"image": [b"ab", b"cd"]}), "secret", "b0")
    text = body.decode()
    assert text.count("--b0\r\n") == 4
    assert text.endswith("--b0--\r\n")
    assert 'Content-disposition: form-data; name="metadata"\r\n' in text
    assert 'Content-Type: text/plain; charset="utf-8"\r\n\r\nsecret\r\n' in text
    assert 'name="image"; filename="image"' in text


def test_a_torn_message_ends_the_stream():
    whole = b"\x02\x00\x00\x00\x02{}\xff\x00\x00\x00\x00"
    assert _receive(io.BytesIO(whole)) == {}
    for cut in range(len(whole)):
        assert _receive(io.BytesIO(whole[:cut])) is None
