"""Whole episodes over the wire, recorded and replayed, and with a model that never makes sense."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mosaic_planner
from mosaic_planner.core.trace import read_trace
from mosaic_planner.testing.wire_server import SeenRequest, WireReply, WireServer

pytest.importorskip("openai")

RUN = {"world": "sar", "scene": 1, "agents": 3, "planner": "llamar+mosaic", "seed": 0}
KEY = "a-key-of-no-known-shape-42"


def events(episode, kind: str) -> list[dict]:
    return list(episode.trace.of(kind))


def without_source(episode) -> str:
    """The trace without wall-clock readings and without where the model came from."""
    lines = []
    for event in episode.trace.events:
        plain = {k: v for k, v in event.items() if k != "wall"}
        if event["event"] == "header":
            plain["settings"] = {
                k: v for k, v in plain["settings"].items() if k not in ("model", "record")
            }
        lines.append(json.dumps(plain))
    return "\n".join(lines)


def test_a_server_that_talks_for_ever_ends_the_episode_by_its_budget() -> None:
    with WireServer(["What a beautiful fire, if I may say so."]) as server:
        model = f"{server.address}/v1#chatty"
        steps = mosaic_planner.run_episode(**RUN, model=model, steps=3)
        calls = mosaic_planner.run_episode(**RUN, model=model, steps=30, limits={"calls": 9})
    assert events(steps, "end")[0]["reason"] == "step_budget"
    assert len(events(steps, "outcome")) == 3
    for assignment in events(steps, "assignment"):
        assert len(assignment["chosen"]) == 3
    sources = [
        choice["source"]
        for assignment in events(steps, "assignment")
        for choice in assignment["chosen"].values()
    ]
    assert set(sources) == {"safe"}
    rungs = {e["rung"] for e in events(steps, "reading")}
    assert rungs == {"none"}
    asked = len(events(steps, "call"))
    assert asked == 2 * (1 + 3 * 3)  # every call and one re-ask of it
    assert events(calls, "end")[0]["reason"] == "model_budget"
    assert len(events(calls, "call")) == 9
    assert len(server.seen) == asked + 9


def test_a_server_that_goes_down_ends_the_episode_as_infrastructure() -> None:
    def server(request: SeenRequest) -> WireReply:
        return WireReply("boom", 500) if len(running.seen) > 5 else WireReply('{"plan": ["x"]}')

    with WireServer(server) as running:
        options = {"attempts": 2, "backoff_s": 0.01}
        episode = mosaic_planner.run_episode(
            **RUN, model=f"{running.address}/v1#m", model_options=options, steps=9
        )
    assert events(episode, "end")[0]["reason"] == "infrastructure"


def test_a_recorded_episode_replays_identically_with_the_network_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tape = str(tmp_path / "tape.jsonl")
    recorded = mosaic_planner.run_episode(**RUN, model="standin:careful", steps=6, record=tape)
    monkeypatch.setattr("socket.socket.connect", None)
    replayed = mosaic_planner.run_episode(**RUN, model=f"cassette:{tape}", steps=6)
    assert without_source(replayed) == without_source(recorded)
    assert replayed.metrics == recorded.metrics


def test_a_changed_prompt_is_a_loud_miss(tmp_path: Path) -> None:
    tape = str(tmp_path / "tape.jsonl")
    mosaic_planner.run_episode(**RUN, model="standin:careful", steps=2, record=tape)
    other = RUN | {"scene": 2}
    episode = mosaic_planner.run_episode(**other, model=f"cassette:{tape}", steps=2)
    assert events(episode, "end")[0]["reason"] == "infrastructure"
    detail = events(episode, "call")[0]["detail"]
    assert "Recorded (-) and asked (+)" in detail
    assert "CaldorFire" in detail


def test_no_key_in_anything_a_run_leaves_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOSAIC_API_KEY", KEY)

    def leaky(request: SeenRequest) -> WireReply:
        if len(server.seen) > 3:
            return WireReply(f"{KEY} of {dict(request.headers)} is not allowed", 401)
        return WireReply('{"reason": "r", "plan": ["put out CaldorFire"]}')

    with WireServer(leaky) as server:
        episode = mosaic_planner.run_episode(
            **RUN,
            model=f"{server.address}/v1#m",
            steps=3,
            record=str(tmp_path / "tape.jsonl"),
            out=tmp_path / "trace.jsonl.gz",
        )
    assert any(KEY in value for value in server.seen[0].headers.values())
    assert events(episode, "end")[0]["reason"] == "infrastructure"
    assert "[hidden]" in str(episode.trace.events)
    assert KEY not in str(episode.trace.events)
    for path in tmp_path.iterdir():
        content = path.read_bytes()
        if path.suffix == ".gz":
            content = str(read_trace(path).events).encode()
        assert KEY.encode() not in content, path
