"""Models by name: the registry, the catalogue, the doctor, own models, the conformance kit."""

from __future__ import annotations

import asyncio
import runpy
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from mosaic_planner.core.errors import ConfigError, ConformanceError, UnknownNameError
from mosaic_planner.models import registry
from mosaic_planner.models.catalogue import model_rows
from mosaic_planner.models.doctor import check_keys, check_model_name, check_packages
from mosaic_planner.models.protocol import ChatReply, ChatRequest, Usage
from mosaic_planner.models.registry import FORMS, make_model
from mosaic_planner.testing.check_model import check_model, examine_model
from mosaic_planner.testing.scripted import ScriptedModel
from mosaic_planner.testing.wire_server import WireReply, WireServer

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "own_model.py"


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if the example were an installed package with an entry point."""
    monkeypatch.syspath_prepend(str(EXAMPLE.parent))
    entry = EntryPoint("echo", "own_model:make_echo", registry.ENTRY_POINTS)
    monkeypatch.setattr(registry, "entry_points", lambda group: [entry])
    yield
    sys.modules.pop("own_model", None)


@pytest.mark.parametrize("name", ["gtp:4o", "", "openai", "openai:", "cassette:", "local:"])
def test_a_wrong_name_is_one_clear_line(name: str) -> None:
    with pytest.raises((UnknownNameError, ConfigError)) as caught:
        make_model(name)
    assert "\n" not in str(caught.value)


def test_an_unknown_name_lists_what_can_be_named() -> None:
    with pytest.raises(UnknownNameError) as caught:
        make_model("opnai:gpt-4o")
    for form in FORMS.values():
        assert form in str(caught.value)


@pytest.mark.parametrize("name", ["http://localhost:8080/v1", "http://localhost:8080/v1#"])
def test_a_server_needs_a_model(name: str) -> None:
    with pytest.raises(ConfigError, match="needs its model"):
        make_model(name)


def test_users_in_addresses_are_not_shown() -> None:
    pytest.importorskip("openai")
    model = make_model("http://me:secret@localhost:8080/v1#m")
    assert model.name == "http://localhost:8080/v1#m"


def test_the_stand_in_is_made_by_strength() -> None:
    model = make_model("standin:careful", seed=3)
    assert (model.name, model.simulated) == ("standin:careful", True)
    with pytest.raises(UnknownNameError):
        make_model("standin:perfect")
    with pytest.raises(ConfigError, match="colour"):
        make_model("standin:careful", colour="red")


@pytest.mark.slow
def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    with pytest.raises(ConfigError, match="No such file"):
        make_model(f"local:{tmp_path / 'none.gguf'}")
    path = tmp_path / "text.gguf"
    path.write_text("not a model")
    with pytest.raises(ConfigError, match="no GGUF file"):
        make_model(f"local:{path}")


def test_an_own_model_by_its_entry_point(own: None) -> None:
    model = make_model("echo:loud", seed=1)
    assert model.name == "echo:loud"
    reply = asyncio.run(model.complete(ChatRequest(())))
    assert reply.failure == ""
    assert "echo:..." in [r.name for r in model_rows()]
    assert "own model echo" in [c.what for c in check_keys()]
    with pytest.raises(ConfigError, match="options"):
        make_model("echo:loud", colour="red")


def test_the_example_keeps_the_contract(own: None) -> None:
    check_model(lambda: make_model("echo", seed=1))


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert "keeps the contract" in capsys.readouterr().out


def test_the_stand_in_and_scripted_models_keep_the_contract() -> None:
    check_model(lambda: make_model("standin:careful"))
    check_model(lambda: ScriptedModel(["x"]))


def test_an_adapter_keeps_the_contract_over_the_wire() -> None:
    pytest.importorskip("openai")
    with WireServer([WireReply('{"reason": "r", "plan": []}')]) as server:
        check_model(lambda: make_model(f"{server.address}/v1#m"))


class Raises:
    async def complete(self, request: ChatRequest) -> ChatReply:
        if request.schema is not None:
            raise RuntimeError("no schemas here")
        return ChatReply("x")


class NotAsync:
    def complete(self, request: ChatRequest) -> ChatReply:
        return ChatReply("x")


class Counts:
    name = ""
    simulated = True

    def __init__(self) -> None:
        self.n = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.n += 1
        return ChatReply("x", usage=Usage(1, 2, 0))


class Silent:
    async def complete(self, request: ChatRequest) -> ChatReply:
        if request.seed is None:
            return ChatReply("", failure="timeout")
        return ChatReply("", latency_s=float("nan"), wire_attempts=-1)


class Random:
    simulated = True
    replies = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        Random.replies += 1
        return ChatReply(str(Random.replies))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (Raises, "a request with a schema: raised RuntimeError"),
        (NotAsync, "async method"),
        (Counts, "`name`"),
        (Counts, "`cached_tokens` are part of `input_tokens`"),
        (Silent, "no text and no failure"),
        (Silent, "finite number"),
        (Silent, "`wire_attempts`"),
        (Silent, "a failure needs a `detail`"),
        (Random, "equal replies to equal requests"),
    ],
)
def test_the_kit_finds_what_is_wrong(make: type, said: str) -> None:
    assert any(said in problem for problem in examine_model(make))
    with pytest.raises(ConformanceError, match="breaks the contract of models"):
        check_model(make)


def test_the_catalogue_lists_every_kind_and_every_price() -> None:
    rows = model_rows()
    names = [r.name for r in rows]
    assert "openai:MODEL" in names
    assert "standin:careful" in names
    priced = {r.name: r.price for r in rows if r.price}
    assert priced["openai:gpt-4o"] == "2.5 / 1.25 / 10"
    assert all(set(r.as_dict()) == {"name", "extra", "key", "note", "price"} for r in rows)


def test_the_doctor_names_packages_and_keys_but_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789abc")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    rows = {c.what: c for c in (*check_packages(), *check_keys())}
    assert rows["key for openai:..."].status == "ok"
    assert rows["key for anthropic:..."].status == "absent"
    assert "ANTHROPIC_API_KEY" in rows["key for anthropic:..."].advice
    assert {f"extra {e}" for e in ("openai", "anthropic", "google", "local")} <= set(rows)
    assert "secret" not in str(rows)


def test_the_doctor_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mosaic_planner.models.doctor._installed", lambda module: False)
    assert all("pip install" in c.advice for c in check_packages())
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-0123456789abc")
    (row,) = asyncio.run(check_model_name("openai:gpt-4o"))
    assert (row.status, row.advice) == ("failed", "pip install 'mosaic-planner[openai]'")


@pytest.mark.parametrize(
    ("replies", "status", "said"),
    [
        (['{"word": "yes"}'], "ok", "enforced"),
        (["Yes, it is."], "absent", "ignored"),
        ([WireReply("no schemas", 400), '{"word": "yes"}'], "absent", "refused"),
    ],
)
def test_the_doctor_tries_schemas(replies: list, status: str, said: str) -> None:
    pytest.importorskip("openai")
    with WireServer(replies) as server:
        rows = asyncio.run(check_model_name(f"{server.address}/v1#m"))
    found = {c.what: c for c in rows}
    assert found["answer"].status == "ok"
    assert found["JSON schema"].status == status
    assert said in found["JSON schema"].detail
    assert found["token counts"].status == "ok"


@pytest.mark.parametrize(
    ("reply", "advice"),
    [
        (WireReply("bad key", 401), "valid key"),
        (WireReply("what model", 404), "model's name"),
        (WireReply("boom", 500), "running at that address"),
    ],
)
def test_the_doctor_says_what_to_do(reply: WireReply, advice: str) -> None:
    pytest.importorskip("openai")
    with WireServer([reply]) as server:
        rows = asyncio.run(check_model_name(f"{server.address}/v1#m", attempts=1))
    assert rows[-1].status == "failed"
    assert advice in rows[-1].advice


def test_the_doctor_knows_the_stand_in() -> None:
    rows = asyncio.run(check_model_name("standin:careful"))
    assert [c.status for c in rows] == ["ok", "ok"]
    (row,) = asyncio.run(check_model_name("nobody:x"))
    assert row.status == "failed"
    assert "mosaic models" in row.advice
