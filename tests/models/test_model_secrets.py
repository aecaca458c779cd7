"""Keys are searched for in everything that a run leaves behind."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from mosaic_planner.core.clock import Clock
from mosaic_planner.core.trace import TraceWriter, read_trace
from mosaic_planner.models.registry import make_model
from mosaic_planner.models.secrets import HIDDEN, KEY_VARIABLES, hide_secrets
from mosaic_planner.models.session import ModelSession
from mosaic_planner.testing.wire_server import SeenRequest, WireReply, WireServer


@pytest.mark.parametrize(
    "secret",
    [
        "sk-abcdefghijklmnop",
        "sk-ant-api03-ABCdef_123456789",
        "AIzaSyA1234567890123456789012345",
        "gsk_abcdefghijklmnop1234",
    ],
)
def test_what_looks_like_a_key_is_hidden(secret: str) -> None:
    for text in (secret, f"wrong key {secret}.", f"{{'key': '{secret}'}}", f"?key={secret}&a=1"):
        assert secret not in hide_secrets(text)
        assert HIDDEN in hide_secrets(text)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("Authorization: Bearer abc.def-123456", "abc.def-123456"),
        ("x-api-key: whatever", "whatever"),
        ("http://me:pass@host:80/v1", "me:pass"),
        ("GET /v1?key=qwerty HTTP", "qwerty"),
    ],
)
def test_what_stands_where_keys_stand_is_hidden(text: str, hidden: str) -> None:
    assert hidden not in hide_secrets(text)


def test_the_values_of_key_variables_are_hidden_whatever_they_look_like(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for n, name in enumerate(KEY_VARIABLES):
        monkeypatch.setenv(name, f"plain words {n}")
        assert hide_secrets(f"so plain words {n} it is") == f"so {HIDDEN} it is"


def test_ordinary_texts_stay() -> None:
    text = "Alice navigates to RedFire_Region_1; the key task is at http://localhost:8080/v1#m"
    assert hide_secrets(text) == text


def test_no_key_in_any_file_or_error_of_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("openai")
    secret = "a-key-of-no-known-shape-42"
    monkeypatch.setenv("OPENAI_API_KEY", secret)

    def leaky(request: SeenRequest) -> WireReply:
        text = f"your key {secret} in {dict(request.headers)} is not allowed"
        return WireReply(text, 401) if len(server.seen) > 1 else WireReply("fine")

    with WireServer(leaky) as server:
        model = make_model(
            "openai:gpt-4o",
            base_url=server.base_url("openai"),
            record=tmp_path / "tape.jsonl",
        )
        writer = TraceWriter(tmp_path / "trace.jsonl.gz")
        rest = {"world": {}, "planner": "", "seed": 0, "agents": [], "briefing": {}}
        writer.write("header", format=1, model=model.name, **rest)
        session = ModelSession(model, writer=writer, clock=Clock(), step=lambda: 0)

        async def calls() -> list[str]:
            return [(await session("actor", "static", f"state {n}")).detail for n in range(2)]

        details = asyncio.run(calls())
        writer.close()
    assert any(secret in v for v in server.seen[0].headers.values())
    assert "[hidden]" in details[1]
    assert secret not in session.lost_detail
    assert secret not in details[1]
    for path in tmp_path.iterdir():
        data = path.read_bytes()
        if path.suffix == ".gz":
            data = str(read_trace(path).events).encode()
        assert secret.encode() not in data
    assert len(list(tmp_path.iterdir())) == 2
