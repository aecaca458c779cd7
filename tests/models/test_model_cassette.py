"""Recording and replaying exchanges."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import replace
from pathlib import Path

import pytest

from mosaic_planner.core.clock import Clock
from mosaic_planner.core.errors import ConfigError
from mosaic_planner.core.trace import Trace, TraceWriter, canonical
from mosaic_planner.models.cassette import CassetteModel, RecordingModel
from mosaic_planner.models.protocol import ChatReply, ChatRequest, Message, Usage
from mosaic_planner.models.registry import make_model
from mosaic_planner.models.session import ModelSession
from mosaic_planner.testing.scripted import ScriptedModel

REQUEST = ChatRequest(
    (Message("system", "Plan."), Message("user", "Alice is at (1, 2).\nBob is far.", (b"png",))),
    schema={"type": "object"},
    seed=3,
)
REPLIES = [
    ChatReply("one", Usage(10, 4, 2), 1.25, 0.5, 2),
    ChatReply("", failure="refusal", detail="no", finish_reason="refusal"),
    ChatReply("drei \N{FIRE}", Usage(1, 0, 1), 0.125),
]


def complete(model, *requests: ChatRequest) -> list[ChatReply]:
    async def all_of_them() -> list[ChatReply]:
        return [await model.complete(r) for r in requests]

    return asyncio.run(all_of_them())


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    path = tmp_path / "run" / "tape.jsonl"
    model = RecordingModel(ScriptedModel(REPLIES, name="openai:gpt-4o", simulated=False), path)
    complete(model, REQUEST, replace(REQUEST, seed=4), replace(REQUEST, seed=5))
    return path


def test_replies_come_back_whole(tape: Path) -> None:
    model = CassetteModel(tape)
    seeds = [replace(REQUEST, seed=n) for n in (3, 4, 5)]
    assert complete(model, *seeds) == REPLIES
    assert complete(model, *reversed(seeds)) == REPLIES[::-1]
    assert (model.name, model.simulated) == ("openai:gpt-4o", False)


def test_equal_requests_replay_in_order(tmp_path: Path) -> None:
    path = tmp_path / "tape"
    complete(RecordingModel(ScriptedModel(["a", "b"]), path), REQUEST, REQUEST)
    replies = complete(CassetteModel(path), REQUEST, REQUEST, REQUEST)
    assert [r.text for r in replies] == ["a", "b", "a"]


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 99},
        {"temperature": 0.1},
        {"max_output_tokens": 5},
        {"schema": None},
        {"messages": (REQUEST.messages[0], Message("user", "Alice is at (1, 2).", (b"png",)))},
        {"messages": (REQUEST.messages[0], replace(REQUEST.messages[1], images=(b"other",)))},
        {"messages": (Message("system", "Plan!"), REQUEST.messages[1])},
    ],
)
def test_any_change_that_a_model_would_see_is_a_miss(tape: Path, change: dict) -> None:
    reply = complete(CassetteModel(tape), replace(REQUEST, **change))[0]
    assert (reply.failure, reply.text, reply.wire_attempts) == ("cassette_miss", "", 0)
    assert "Recorded (-) and asked (+)" in reply.detail


def test_a_miss_shows_the_difference(tape: Path) -> None:
    changed = replace(REQUEST.messages[1], content="Alice is at (9, 9).\nBob is far.")
    reply = complete(CassetteModel(tape), replace(REQUEST, messages=(REQUEST.messages[0], changed)))
    detail = reply[0].detail
    assert "-user: Alice is at (1, 2)." in detail
    assert "+user: Alice is at (9, 9)." in detail
    assert "Bob is far" not in detail
    assert len(detail.splitlines()) <= 15


def test_a_miss_ends_the_episode(tape: Path) -> None:
    session = ModelSession(CassetteModel(tape), writer=TraceWriter(), clock=Clock(), step=lambda: 0)
    reply = asyncio.run(session("actor", "Plan.", "Something else."))
    assert reply.failure == "cassette_miss"
    assert session.ended == "infrastructure"
    assert "Something else" in session.lost_detail


def test_static_texts_are_stored_once(tape: Path) -> None:
    assert tape.read_text("utf-8").count('"Plan."') == 1


@pytest.mark.parametrize(
    ("name", "simulated"), [("openai:gpt-4o", False), ("openai:gpt-99", False), ("own", True)]
)
def test_a_recorded_episode_replays_to_the_same_trace(
    tmp_path: Path, name: str, simulated: bool
) -> None:
    def run(model) -> str:
        writer = TraceWriter()
        session = ModelSession(model, writer=writer, clock=Clock(), step=lambda: 0, seed=7)

        async def calls() -> None:
            for n in range(4):
                await session("actor", "static", f"state {n}")

        asyncio.run(calls())
        return canonical(Trace(tuple(writer.events)))

    path = tmp_path / "tape"
    inner = ScriptedModel(
        lambda r: ChatReply(r.messages[1].content, Usage(9, 0, 9), latency_s=0.3),
        name=name,
        simulated=simulated,
    )
    recorded = run(RecordingModel(inner, path))
    assert run(make_model(f"cassette:{path}")) == recorded


def test_replaying_opens_no_connection(tape: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = CassetteModel(tape)

    def forbidden(*args: object, **options: object) -> None:
        raise AssertionError("a replay must not touch the network")

    async def replay() -> ChatReply:
        monkeypatch.setattr(socket.socket, "connect", forbidden)
        monkeypatch.setattr(socket, "create_connection", forbidden)
        return await model.complete(REQUEST)

    assert asyncio.run(replay()).text == "one"


def test_recording_goes_on_where_it_stopped(tape: Path) -> None:
    more = RecordingModel(ScriptedModel(["four"], name="openai:gpt-4o"), tape)
    complete(more, replace(REQUEST, seed=6))
    model = CassetteModel(tape)
    assert complete(model, replace(REQUEST, seed=6), REQUEST)[0].text == "four"
    with pytest.raises(ConfigError, match=r"openai:gpt-4o, not other"):
        RecordingModel(ScriptedModel(["x"], name="other"), tape)


def test_a_torn_last_line_is_left_out(tape: Path) -> None:
    whole = tape.read_text("utf-8")
    tape.write_text(whole[:-30], "utf-8")
    model = CassetteModel(tape)
    assert complete(model, REQUEST)[0].text == "one"
    assert complete(model, replace(REQUEST, seed=5))[0].failure == "cassette_miss"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file"),
        ("", "empty"),
        ("hello\n", "no line of a cassette"),
        ('{"cassette": 99, "model": "m", "simulated": true}\n', "format 99"),
        ('{"cassette": 1, "model": "m", "simulated": true}\n{"key": 1}\n{}\n', "line 2"),
    ],
)
def test_what_is_no_cassette_is_said_in_one_line(
    tmp_path: Path, content: str | None, said: str
) -> None:
    path = tmp_path / "tape"
    if content is not None:
        path.write_text(content, "utf-8")
    with pytest.raises(ConfigError, match=said) as caught:
        make_model(f"cassette:{path}")
    assert "\n" not in str(caught.value)


def test_keys_never_enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-0123456789")
    path = tmp_path / "tape"
    failed = ChatReply("", failure="infrastructure", detail="Bearer sk-very-secret-0123456789")
    complete(RecordingModel(ScriptedModel([failed]), path), REQUEST)
    assert "secret" not in path.read_text("utf-8")
