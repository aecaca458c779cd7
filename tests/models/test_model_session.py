"""What a session books, writes and refuses."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from mosaic_planner.core.clock import Clock
from mosaic_planner.core.errors import ConfigError
from mosaic_planner.core.trace import Trace, TraceWriter, canonical
from mosaic_planner.models.asking import ask_for
from mosaic_planner.models.limits import Budget, Limits
from mosaic_planner.models.protocol import ChatReply, ChatRequest, Usage
from mosaic_planner.models.session import ModelSession, call_seed
from mosaic_planner.models.tokens import COUNTER
from mosaic_planner.testing.scripted import ScriptedModel

STATIC, STATE = "You plan for a team.", "The fire is near."


def session(model, **options) -> ModelSession:
    return ModelSession(model, writer=TraceWriter(), clock=Clock(), step=lambda: 4, **options)


def run(made: ModelSession, *modules: str, **options) -> list[ChatReply]:
    async def calls() -> list[ChatReply]:
        return [await made(module, STATIC, STATE, **options) for module in modules]

    return asyncio.run(calls())


def events(made: ModelSession, kind: str) -> list[dict]:
    return [e for e in made._writer.events if e["event"] == kind]


def test_a_call_is_written_whole_and_its_static_part_once() -> None:
    usage = Usage(input_tokens=30, cached_tokens=20, output_tokens=5)
    reply = ChatReply("hello", usage=usage, latency_s=2.0, waiting_s=3.0, wire_attempts=2)
    made = session(ScriptedModel([reply], name="openai:gpt-4o", simulated=False))
    run(made, "actor", "verifier")
    assert [e["text"] for e in events(made, "text")] == [STATIC]
    calls = events(made, "call")
    assert [c["module"] for c in calls] == ["actor", "verifier"]
    call = calls[0]
    assert call["messages"] == [
        {"role": "system", "text_id": "t0"},
        {"role": "user", "text": STATE},
    ]
    assert (call["step"], call["t"], call["reply"]) == (4, 2.0, "hello")
    assert (call["latency_s"], call["waiting_s"], call["attempts"]) == (2.0, 3.0, 2)
    assert call["usage"] == {"input_tokens": 30, "cached_tokens": 20, "output_tokens": 5}
    assert call["prompt_tokens"] == COUNTER.prompt(STATIC, STATE)
    assert call["counter"] == COUNTER.name
    assert call["cost_usd"] == pytest.approx((10 * 2.5 + 20 * 1.25 + 5 * 10) / 1e6)


def test_the_clock_gets_latency_and_waiting_apart() -> None:
    made = session(ScriptedModel([ChatReply("x", latency_s=2.0, waiting_s=7.0)]))
    run(made, "actor", "actor")
    assert (made._clock.model_s, made._clock.waiting_s, made._clock.now_s) == (4.0, 14.0, 4.0)


def test_accounts_by_role_add_up_to_the_episode() -> None:
    made = session(ScriptedModel(["x"], latency_s=1.0))
    run(made, "planner", "actor", "actor")
    assert {m: a.calls for m, a in made.accounts.items()} == {"planner": 1, "actor": 2}
    assert made.account.calls == 3
    assert made.account.latency_s == 3.0
    assert made.account.cost == 0.0
    assert 0.0 < made.account.static_share < 1.0


def test_an_unknown_model_is_unpriced_and_never_free() -> None:
    made = session(ScriptedModel(["x"], name="openai:gpt-99", simulated=False))
    run(made, "actor")
    assert made.account.cost == "unpriced"
    assert events(made, "call")[0]["cost_usd"] == "unpriced"


def test_seeds_differ_by_call_and_repeat_by_episode() -> None:
    first, second = ScriptedModel(["x"]), ScriptedModel(["x"])
    run(session(first, seed=3), "a", "a")
    run(session(second, seed=3), "a", "a")
    seeds = [r.seed for r in first.requests]
    assert len(set(seeds)) == 2
    assert seeds == [r.seed for r in second.requests]
    assert len({call_seed(s, n) for s in range(30) for n in range(30)}) == 900


def test_settings_reach_the_model() -> None:
    model = ScriptedModel(["x"])
    made = session(model, temperature=0.2)
    schema = {"type": "object"}
    run(made, "a", schema=schema, max_output_tokens=9, images=(b"png",))
    run(made, "a", temperature=0.0)
    request = model.requests[0]
    assert (request.temperature, request.max_output_tokens, request.schema) == (0.2, 9, schema)
    assert [m.images for m in request.messages] == [(), (b"png",)]
    assert model.requests[1].temperature == 0.0


@pytest.mark.parametrize(
    ("configured", "asked", "sent"),
    [(1000, 1000, 1000), (1000, 1400, 1400), (2000, 1000, 2000), (128, 1000, 128), (128, 400, 128)],
)
def test_the_output_bound_of_a_run(configured: int, asked: int, sent: int) -> None:
    model = ScriptedModel(["x"])
    run(session(model, max_output_tokens=configured), "a", max_output_tokens=asked)
    assert model.requests[0].max_output_tokens == sent


def test_limits_refuse_before_the_request() -> None:
    model = ScriptedModel(["x"])
    made = session(model, limits=Limits(calls=2))
    replies = run(made, "a", "a", "a", "a")
    assert len(model.requests) == 2
    assert [r.failure for r in replies] == ["", "", "budget", "budget"]
    assert replies[2].wire_attempts == 0
    assert "2 of 2" in replies[2].detail
    assert made.ended == "budget"
    assert made.account.calls == 2
    assert len(events(made, "call")) == 2
    assert len(events(made, "note")) == 1


def test_tokens_are_reserved_in_advance() -> None:
    model = ScriptedModel([ChatReply("x", usage=Usage(50, 0, 10))])
    made = session(model, limits=Limits(tokens=200))
    replies = run(made, "a", "a", "a", max_output_tokens=100)
    # each call may take about 10 * 1.25 + 100 tokens and takes 60
    assert [r.failure for r in replies] == ["", "", "budget"]
    assert made.budget.spent.tokens == 120
    assert made.budget.reserved.tokens == 0


def test_money_is_limited_only_where_a_price_is_known() -> None:
    priced = ScriptedModel(
        [ChatReply("x", usage=Usage(1000, 0, 1000))], name="openai:gpt-4o", simulated=False
    )
    made = session(priced, limits=Limits(money_usd=0.03))
    replies = run(made, "a", "a", "a", max_output_tokens=1000)
    assert [r.failure for r in replies] == ["", "", "budget"]
    assert made.budget.spent.money_usd == pytest.approx(0.025)
    unpriced = ScriptedModel(["x"], name="openai:gpt-99", simulated=False)
    for options in (
        {"limits": Limits(money_usd=1.0)},
        {"sweep": Budget(Limits(money_usd=1.0), scope="sweep")},
    ):
        with pytest.raises(ConfigError, match="unpriced"):
            session(unpriced, **options)


def test_a_stopped_call_gives_its_reservation_back() -> None:
    async def endless(request: ChatRequest) -> str:
        await asyncio.sleep(60)
        return "x"

    sweep = Budget(Limits(tokens=10_000), scope="sweep")
    made = session(ScriptedModel(endless), sweep=sweep)

    async def stopped() -> None:
        task = asyncio.create_task(made("a", STATIC, STATE))
        await asyncio.sleep(0)
        assert sweep.reserved.tokens > 1000
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(stopped())
    assert (sweep.reserved.tokens, sweep.spent.calls) == (0, 1)


def test_time_is_the_episodes_clock() -> None:
    made = session(ScriptedModel(["x"], latency_s=3.0), limits=Limits(time_s=5.0))
    assert [r.failure for r in run(made, "a", "a", "a")] == ["", "", "budget"]


def test_a_sweep_is_shared_by_episodes() -> None:
    sweep = Budget(Limits(calls=3), scope="sweep")
    first = session(ScriptedModel(["x"]), sweep=sweep)
    second = session(ScriptedModel(["x"]), sweep=sweep)
    run(first, "a", "a")
    replies = run(second, "a", "a")
    assert [r.failure for r in replies] == ["", "budget"]
    assert "sweep" in replies[1].detail


def test_concurrent_requests_cannot_overspend() -> None:
    async def slow(request: ChatRequest) -> str:
        await asyncio.sleep(0)
        return "x"

    model = ScriptedModel(slow)
    made = session(model, limits=Limits(calls=2))

    async def together() -> list[ChatReply]:
        return await asyncio.gather(*(made("a", STATIC, STATE) for _ in range(5)))

    failures = [r.failure for r in asyncio.run(together())]
    assert failures.count("budget") == 3
    assert len(model.requests) == 2


def test_failures_end_the_episode_until_a_call_succeeds() -> None:
    script = [ChatReply("", failure="infrastructure", detail="down"), "x"]
    made = session(ScriptedModel(script))
    run(made, "a")
    assert made.ended == "infrastructure"
    assert "down" in made.lost_detail
    run(made, "a")
    assert made.ended == ""


def test_a_refusal_does_not_end_the_episode() -> None:
    made = session(ScriptedModel([ChatReply("", failure="refusal", detail="no")]))
    run(made, "a")
    assert made.ended == ""


def test_a_model_that_raises_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret-key-value")

    def broken(request: ChatRequest) -> str:
        raise RuntimeError("lost secret-key-value")

    made = session(ScriptedModel(broken))
    reply = run(made, "a")[0]
    assert reply.failure == "infrastructure"
    assert reply.detail == "RuntimeError: lost [hidden]"


def test_equal_runs_write_equal_traces() -> None:
    texts = []
    for _ in range(2):
        made = session(ScriptedModel(["x", "y"]), seed=5)
        run(made, "a", "b")
        texts.append(canonical(Trace(tuple(made._writer.events))))
    assert texts[0] == texts[1]
    assert '"wall"' not in texts[0]


def test_texts_that_no_file_can_hold_are_cleaned() -> None:
    made = session(ScriptedModel([ChatReply("a\ud800b", detail="\ud800")]))
    run(made, "a")
    assert events(made, "call")[0]["reply"] == "a\ufffdb"


@pytest.mark.parametrize("wrong", [{"calls": -1}, {"tokens": float("nan")}])
def test_limits_are_checked(wrong: dict) -> None:
    with pytest.raises(ConfigError):
        Limits(**wrong)


def ask(made, **options):
    return asyncio.run(
        ask_for(
            made, "actor", STATIC, STATE, keys=("reason", "plan"), required=("plan",), **options
        )
    )


def test_at_most_one_re_ask_says_what_was_wrong() -> None:
    model = ScriptedModel(["I would rather talk."])
    made = session(model)
    asked = ask(made)
    assert len(model.requests) == 2
    again = model.requests[1].messages[1].content
    assert again.startswith(STATE)
    assert "no JSON object with the keys 'plan'" in again
    assert model.requests[0].messages[0] == model.requests[1].messages[0]
    assert asked.problem
    assert asked.fields == {}
    assert [e["rung"] for e in events(made, "reading")] == ["none", "none"]
    assert made.rungs == {"none": 2}


def test_a_good_answer_is_not_asked_again() -> None:
    model = ScriptedModel(['{"plan": ["a"]}'])
    asked = ask(session(model))
    assert (asked.fields, asked.rung, len(asked.replies)) == ({"plan": ["a"]}, "json", 1)


def test_a_re_ask_that_works_counts() -> None:
    asked = ask(session(ScriptedModel(["no", '{"plan": ["b"]}'])))
    assert (asked.fields, asked.problem, len(asked.replies)) == ({"plan": ["b"]}, "", 2)


def test_the_better_of_two_bad_answers_is_kept() -> None:
    model = ScriptedModel(['{"a": 1}', "nonsense"])
    asked = asyncio.run(
        ask_for(session(model), "x", STATIC, STATE, keys=("a", "b"), required=("a", "b"))
    )
    assert asked.fields == {"a": 1}
    assert "'b'" in asked.problem


def test_failures_are_not_asked_again() -> None:
    model = ScriptedModel([ChatReply("", failure="timeout", detail="slow")])
    asked = ask(session(model))
    assert len(model.requests) == 1
    assert "timeout" in asked.problem


def test_a_check_of_the_caller_can_ask_again() -> None:
    model = ScriptedModel(['{"plan": []}', '{"plan": ["a"]}'])
    asked = ask(session(model), check=lambda a: "" if a.fields["plan"] else "the plan is empty")
    assert "the plan is empty" in model.requests[1].messages[1].content
    assert asked.fields == {"plan": ["a"]}


def test_the_budget_stops_a_re_ask() -> None:
    model = ScriptedModel(["prose"])
    asked = ask(session(model, limits=Limits(calls=1)))
    assert len(model.requests) == 1
    assert asked.replies[-1].failure == "budget"


def test_scripted_models_repeat_their_last_reply() -> None:
    model = ScriptedModel(["a", replace(ChatReply("b"), latency_s=9.0)])
    assert [r.text for r in run(session(model), "x", "x", "x")] == ["a", "b", "b"]
    with pytest.raises(ValueError, match="at least one"):
        ScriptedModel([])
