"""The real SDKs against a server on this machine that speaks each provider's wire protocol."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from mosaic_planner.core.clock import Clock
from mosaic_planner.core.errors import ConfigError, MissingExtraError
from mosaic_planner.core.trace import TraceWriter
from mosaic_planner.models.protocol import (
    ChatReply,
    ChatRequest,
    Message,
    Usage,
    close_model,
)
from mosaic_planner.models.registry import make_model
from mosaic_planner.models.session import ModelSession
from mosaic_planner.testing.wire_server import Protocol, SeenRequest, WireReply, WireServer

for sdk in ("openai", "anthropic", "google.genai"):
    pytest.importorskip(sdk)

KEYS = {
    "OPENAI_API_KEY": "sk-test-openai-0123456789",
    "ANTHROPIC_API_KEY": "sk-ant-test-0123456789",
    "GEMINI_API_KEY": "AIzaTestTestTestTest0123456789",
}
NAMES: dict[Protocol, str] = {
    "openai": "openai:gpt-4o",
    "anthropic": "anthropic:claude-sonnet-4-5",
    "google": "google:gemini-3-flash",
}
PROTOCOLS = list(NAMES)
SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["word"],
    "additionalProperties": False,
}
REQUEST = ChatRequest(
    (Message("system", "Be short."), Message("user", "Is it?", (b"\x89PNG first", b"second"))),
    schema=SCHEMA,
    max_output_tokens=77,
    temperature=0.3,
    seed=5,
)
GOOD = WireReply('{"word": "yes"}', input_tokens=120, cached_tokens=50, output_tokens=7)


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    for name in ("GOOGLE_API_KEY", "MOSAIC_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def ask(
    protocol: Protocol,
    script: Any,
    request: ChatRequest = REQUEST,
    times: int = 1,
    **options: Any,
) -> tuple[list[ChatReply], list[SeenRequest], Any]:
    """Replies, what the server saw, and the model."""
    with WireServer(script) as server:
        settings = {"timeout_s": 20.0, "backoff_s": 0.01} | options
        model = make_model(NAMES[protocol], base_url=server.base_url(protocol), **settings)

        async def all_of_them() -> list[ChatReply]:
            return [await model.complete(request) for _ in range(times)]

        return asyncio.run(all_of_them()), server.seen, model


each = pytest.mark.parametrize("protocol", PROTOCOLS)


@each
def test_an_answer_in_normal_form(protocol: Protocol) -> None:
    (reply,), seen, _ = ask(protocol, [GOOD])
    assert (reply.text, reply.failure, reply.finish_reason) == ('{"word": "yes"}', "", "stop")
    assert reply.usage == Usage(input_tokens=120, cached_tokens=50, output_tokens=7)
    assert (reply.wire_attempts, len(seen)) == (1, 1)
    assert 0.0 < reply.latency_s < 5.0
    assert reply.waiting_s < reply.latency_s


def test_every_setting_is_in_an_openai_body() -> None:
    body = ask("openai", [GOOD], body={"top_p": 0.5})[1][0].body
    assert body["model"] == "gpt-4o"
    assert (body["temperature"], body["max_completion_tokens"], body["seed"]) == (0.3, 77, 5)
    assert body["top_p"] == 0.5
    assert body["response_format"]["type"] == "json_schema"
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert body["messages"][0] == {"role": "system", "content": "Be short."}
    text, *images = body["messages"][1]["content"]
    assert text == {"type": "text", "text": "Is it?"}
    assert len(images) == 2
    assert images[0]["image_url"]["url"].startswith("data:image/png;base64,iVBORyBm")


def test_every_setting_is_in_an_anthropic_body() -> None:
    body = ask("anthropic", [GOOD], body={"top_k": 9})[1][0].body
    assert body["model"] == "claude-sonnet-4-5"
    assert (body["temperature"], body["max_tokens"], body["top_k"]) == (0.3, 77, 9)
    assert body["output_config"]["format"] == {"type": "json_schema", "schema": SCHEMA}
    assert body["system"][0]["text"] == "Be short."
    assert body["system"][0]["cache_control"] == {"type": "ephemeral"}
    text, *images = body["messages"][0]["content"]
    assert text == {"type": "text", "text": "Is it?"}
    assert [i["source"]["media_type"] for i in images] == ["image/png", "image/png"]


def test_every_setting_is_in_a_gemini_body() -> None:
    _, seen, _ = ask("google", [GOOD], body={"generationConfig": {"topP": 0.5}})
    assert "gemini-3-flash:generateContent" in seen[0].path
    config = seen[0].body["generationConfig"]
    assert (config["temperature"], config["maxOutputTokens"], config["seed"]) == (0.3, 77, 5)
    assert config["topP"] == 0.5
    assert config["responseMimeType"] == "application/json"
    assert config["responseJsonSchema"] == SCHEMA
    assert seen[0].body["systemInstruction"]["parts"] == [{"text": "Be short."}]
    parts = seen[0].body["contents"][0]["parts"]
    assert parts[0] == {"text": "Is it?"}
    assert len(parts) == 3


@each
def test_after_a_429_the_time_of_retry_after_is_waited(protocol: Protocol) -> None:
    script = [WireReply("slow down", 429, {"retry-after": "0.3"}), GOOD]
    began = time.monotonic()
    (reply,), seen, _ = ask(protocol, script)
    elapsed_s = time.monotonic() - began
    assert (reply.text, reply.failure) == (GOOD.text, "")
    assert (reply.wire_attempts, len(seen)) == (2, 2)
    assert reply.waiting_s >= 0.3  # waiting is its own share ...
    assert reply.latency_s <= elapsed_s - reply.waiting_s  # ... and not charged as latency


@each
@pytest.mark.parametrize(
    "trouble",
    [
        WireReply("boom", 500),
        WireReply("overloaded", 503),
        WireReply('{"word": "yes"}', cut=True),
    ],
    ids=["500", "503", "half a body"],
)
def test_trouble_that_passes_is_tried_again(protocol: Protocol, trouble: WireReply) -> None:
    (reply,), seen, _ = ask(protocol, [trouble, GOOD])
    assert (reply.text, reply.failure) == (GOOD.text, "")
    assert (reply.wire_attempts, len(seen)) == (2, 2)


@each
def test_a_timeout_is_tried_again(protocol: Protocol) -> None:
    slow = WireReply('{"word": "no"}', delay_s=3.0)
    (reply,), seen, _ = ask(protocol, [slow, GOOD], timeout_s=1.0)
    assert (reply.text, reply.wire_attempts, len(seen)) == (GOOD.text, 2, 2)
    assert reply.latency_s >= 1.0


@each
@pytest.mark.parametrize(
    ("trouble", "failure", "said"),
    [
        (WireReply("boom", 500), "infrastructure", "500"),
        (WireReply("busy", 429), "infrastructure", "429"),
        (WireReply("x", delay_s=0.6), "timeout", "timeout"),
        (WireReply("half", cut=True), "infrastructure", "server"),
    ],
    ids=["500", "429", "timeout", "half a body"],
)
def test_trouble_that_stays_is_a_failure(
    protocol: Protocol, trouble: WireReply, failure: str, said: str
) -> None:
    timeout_s = 0.3 if trouble.delay_s else 20.0
    (reply,), seen, _ = ask(protocol, [trouble], attempts=2, timeout_s=timeout_s)
    assert (reply.failure, reply.text, reply.wire_attempts) == (failure, "", 2)
    assert len(seen) == 2  # the SDKs' own retries are off
    assert said in reply.detail


@each
def test_a_long_retry_after_ends_the_call(protocol: Protocol) -> None:
    script = [WireReply("tomorrow", 429, {"retry-after": "86400"})]
    began = time.monotonic()
    (reply,), seen, _ = ask(protocol, script)
    assert (reply.failure, len(seen)) == ("infrastructure", 1)
    assert time.monotonic() - began < 5


@each
@pytest.mark.parametrize(("status", "said"), [(401, "check the key"), (404, "model's name")])
def test_what_no_retry_helps_is_not_tried_again(protocol: Protocol, status: int, said: str) -> None:
    (reply,), seen, _ = ask(protocol, [WireReply("no", status)])
    assert (reply.failure, reply.wire_attempts, len(seen)) == ("infrastructure", 1, 1)
    assert said in reply.detail


@each
def test_a_refusal_is_its_own_failure(protocol: Protocol) -> None:
    (reply,), seen, _ = ask(protocol, [WireReply(refusal=True)])
    assert (reply.failure, reply.text, len(seen)) == ("refusal", "", 1)
    assert reply.detail
    assert reply.usage.input_tokens == 100


@each
def test_a_refused_schema_steps_down_once(protocol: Protocol) -> None:
    def server(request: SeenRequest) -> WireReply:
        return WireReply("schema is not supported", 400) if request.schema else GOOD

    replies, seen, model = ask(protocol, server, times=3)
    assert [r.failure for r in replies] == ["", "", ""]
    assert [r.wire_attempts for r in replies] == [2, 1, 1]
    assert [bool(s.schema) for s in seen] == [True, False, False, False]
    assert model.structured == "prompted"
    assert len(model.notes) == 1
    assert "Answer with one JSON object of this form" in str(seen[1].body)
    assert "word" in str(seen[1].body)


@each
def test_an_ignored_schema_steps_down_once(protocol: Protocol) -> None:
    replies, seen, model = ask(protocol, ["I'd say yes.", '{"word": "yes"}'], times=3)
    assert [bool(s.schema) for s in seen] == [True, False, False]
    assert replies[0].text == "I'd say yes."  # the reading ladder may still make something of it
    assert [r.wire_attempts for r in replies] == [1, 1, 1]
    assert model.structured == "prompted"


@each
def test_a_400_that_is_not_about_the_schema_keeps_it(protocol: Protocol) -> None:
    (reply,), seen, model = ask(protocol, [WireReply("the prompt is too long", 400)])
    assert (reply.failure, len(seen)) == ("infrastructure", 2)
    assert "too long" in reply.detail
    assert model.structured == "schema"


@each
def test_a_short_answer_is_no_sign_of_an_ignored_schema(protocol: Protocol) -> None:
    (reply,), _, model = ask(protocol, [WireReply('{"word": "y', finish="length")])
    assert (reply.text, reply.finish_reason, reply.failure) == ('{"word": "y', "length", "")
    assert model.structured == "schema"


@pytest.mark.parametrize("protocol", ["openai", "anthropic"])
def test_a_refused_temperature_is_taken_back(protocol: Protocol) -> None:
    def server(request: SeenRequest) -> WireReply:
        if "temperature" in request.body:
            return WireReply("Unsupported value: 'temperature' does not support 0.3", 400)
        return GOOD

    replies, seen, model = ask(protocol, server, times=2)
    assert [r.wire_attempts for r in replies] == [2, 1]
    assert len(seen) == 3
    assert model.structured == "schema"
    assert model.notes == ["the server refuses temperature"]


def test_a_server_of_the_older_protocol() -> None:
    def server(request: SeenRequest) -> WireReply:
        if "max_tokens" in request.body:
            return WireReply("Unsupported parameter: 'max_tokens'", 400)
        return GOOD

    with WireServer(server) as running:
        model = make_model(f"{running.address}/v1#some/model")
        reply = asyncio.run(model.complete(REQUEST))
        assert model.name == f"{running.address}/v1#some/model"
    assert (reply.failure, reply.wire_attempts) == ("", 2)
    assert running.seen[1].body["max_completion_tokens"] == 77
    assert running.seen[0].body["model"] == "some/model"


def test_a_models_connections_outlive_an_event_loop() -> None:
    with WireServer([GOOD]) as server:
        model = make_model(f"{server.address}/v1#m")
        for _ in range(3):
            assert asyncio.run(model.complete(REQUEST)).text == GOOD.text


@each
def test_connections_can_be_closed_and_opened_again(protocol: Protocol) -> None:
    with WireServer([GOOD]) as server:
        model = make_model(NAMES[protocol], base_url=server.base_url(protocol))

        async def twice() -> list[str]:
            texts = []
            for _ in range(2):
                texts.append((await model.complete(REQUEST)).text)
                client = model._client()
                await close_model(model)
                assert model._client() is not client
            await close_model(model)
            return texts

        assert asyncio.run(twice()) == [GOOD.text] * 2


def test_an_episode_leaves_no_connection_behind(tmp_path: Path) -> None:
    """An SDK that is collected after its event loop complains on the terminal otherwise."""
    script = f"""
import gc
from mosaic_planner import run_episode
from mosaic_planner.testing.wire_server import WireReply, WireServer
with WireServer([WireReply('{{"Alice": "Idle", "Bob": "Idle"}}')]) as server:
    for tape in ("", {str(tmp_path / "tape.jsonl")!r}):
        run_episode(planner="act", agents=2, steps=2, model=f"{{server.address}}/v1#m",
                    record=tape or None)
        gc.collect()
"""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error::ResourceWarning", "-c", script],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Event loop is closed" not in done.stderr
    assert "never retrieved" not in done.stderr


@each
def test_a_server_that_is_not_there(protocol: Protocol) -> None:
    with WireServer([GOOD]) as server:
        address = server.base_url(protocol)
    model = make_model(NAMES[protocol], base_url=address, attempts=2, backoff_s=0.01, timeout_s=3.0)
    reply = asyncio.run(model.complete(REQUEST))
    assert (reply.failure, reply.wire_attempts) == ("infrastructure", 2)
    assert reply.detail.startswith("server")


@each
def test_keys_reach_the_server_and_nothing_else(protocol: Protocol) -> None:
    key = {"openai": "OPENAI", "anthropic": "ANTHROPIC", "google": "GEMINI"}[protocol]
    secret = KEYS[f"{key}_API_KEY"]

    def leaky(request: SeenRequest) -> WireReply:
        return WireReply(f"the key {secret} is wrong; headers {dict(request.headers)}", 401)

    (reply,), seen, model = ask(protocol, leaky)
    assert any(secret in value for value in seen[0].headers.values())
    assert secret not in str(seen[0].body)
    assert secret not in seen[0].path
    assert secret not in reply.detail + model.name + repr(model.settings) + repr(model)


@each
def test_one_logical_call_and_two_wire_attempts_are_booked(protocol: Protocol) -> None:
    with WireServer([WireReply("boom", 500), GOOD]) as server:
        model = make_model(
            NAMES[protocol], base_url=server.base_url(protocol), backoff_s=0.01, timeout_s=5.0
        )
        writer, clock = TraceWriter(), Clock()
        session = ModelSession(model, writer=writer, clock=clock, step=lambda: 0)
        asyncio.run(session("actor", "system", "user", schema=SCHEMA))
    account = session.account
    assert (account.calls, account.wire_attempts) == (1, 2)
    assert account.input_tokens == 120
    call = next(e for e in writer.events if e["event"] == "call")
    assert call["attempts"] == 2
    assert clock.model_s == pytest.approx(account.latency_s)
    assert clock.waiting_s > 0.0


@each
def test_output_can_be_bounded(protocol: Protocol) -> None:
    body = ask(protocol, [GOOD], most_output_tokens=11)[1][0].body
    assert "11" in str(body)
    assert "77" not in str(body)


@pytest.mark.parametrize(
    ("name", "variable"),
    [(NAMES["openai"], "OPENAI"), (NAMES["anthropic"], "ANTHROPIC"), (NAMES["google"], "GEMINI")],
)
def test_a_missing_key_is_one_clear_line(
    name: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(f"{variable}_API_KEY")
    with pytest.raises(ConfigError, match=f"{variable}_API_KEY") as caught:
        make_model(name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [
        ("openai:x", "openai", "openai"),
        ("anthropic:x", "anthropic", "anthropic"),
        ("google:x", "google.genai", "google"),
    ],
)
def test_a_missing_sdk_says_how_to_install_it(
    name: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"mosaic-planner\[{extra}\]"):
        make_model(name)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"colour": "red"}, "no option 'colour'"),
        ({"api_key": "x"}, "keys come from the environment"),
        ({"attempts": 0}, "attempts"),
        ({"timeout_s": 0}, "timeout_s"),
        ({"structured": "maybe"}, "structured"),
        ({"concurrent": 0}, "concurrent"),
    ],
)
def test_wrong_options_are_the_users_mistake(options: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        make_model("openai:gpt-4o", **options)


def test_one_episode_waits_for_the_retry_after_of_another() -> None:
    answered: list[float] = []

    def script(request: SeenRequest) -> WireReply:
        answered.append(time.monotonic())
        if len(answered) == 1:
            return WireReply("slow down", 429, {"retry-after": "1.5"})
        return GOOD

    with WireServer(script) as server:
        base_url = server.base_url("openai")
        first = make_model("openai:gpt-4o", base_url=base_url)
        second = make_model("openai:gpt-4o", base_url=base_url)

        async def both() -> list[ChatReply]:
            async def later() -> ChatReply:
                while not answered:
                    await asyncio.sleep(0.01)
                await asyncio.sleep(0.5)
                return await second.complete(REQUEST)

            return await asyncio.gather(first.complete(REQUEST), later())

        replies = asyncio.run(both())
    assert [r.failure for r in replies] == ["", ""]
    assert replies[1].waiting_s > 0.05
    assert min(answered[1:]) - answered[0] >= 1.4
