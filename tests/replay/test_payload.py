"""What a page holds is what stands in the trace, step for step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from replay_traces import AGENTS, FIRE, PERSON, STORY, make_trace

from mosaic_planner.coordination.explain import explain_event
from mosaic_planner.core.errors import TraceError
from mosaic_planner.core.trace import Event, Trace
from mosaic_planner.metrics import measure
from mosaic_planner.replay.payload import Payload, episode_payload

Unpack = Callable[[str], Any]
Moments = Callable[[Any, str], list[Any]]


def _at(trace: Trace, kind: str, step: int) -> Event:
    return next(e for e in trace.of(kind) if e["step"] == step)


@pytest.fixture
def payload(trace: Trace) -> Payload:
    return episode_payload(trace)


def test_the_core_has_what_spans_the_episode(
    trace: Trace, payload: Payload, unpack: Unpack
) -> None:
    core = unpack(payload.core)
    assert core["mission"] == trace.header["briefing"]["instruction"]
    assert core["steps"] == list(range(10))
    assert core["metrics"] == measure(trace).as_dict()
    assert core["codes"] == {"Alice": ".ssssfffse", "Bob": ".iiiisssse"}
    assert core["texts"] == trace.texts()
    assert core["end"] == "success"
    assert core["complete"] is True
    assert [m[0] for m in core["messages"]] == [1, 3, 5, 7, 9]
    assert core["way"]["Bob"][:2] == [5, -4]
    assert ["failure", "Alice", 5, 7] in [mark[:4] for mark in core["marks"]]


@pytest.mark.parametrize(("model", "said"), [("standin:weak", True), ("openai:gpt-4o", False)])
def test_figures_of_the_stand_in_are_called_so(
    trace: Trace, unpack: Unpack, model: str, said: bool
) -> None:
    header = {**trace.header, "model": model}
    about = unpack(episode_payload(Trace((header, *trace.events[1:]))).core)["about"]
    assert any("not a language model" in line for _, line in about) is said


def test_frames_are_the_snapshots(trace: Trace, payload: Payload, moments_of: Moments) -> None:
    frames = moments_of(payload.frames, "apl")
    for step, (alice, bob, a, b, _, fire) in enumerate(STORY):
        frame = frames[step]
        assert frame["a"]["Alice"][:2] == [alice[0], -alice[1]]
        assert frame["a"]["Bob"][:2] == [bob[0], -bob[1]]
        assert frame["l"] == {FIRE: fire}
        assert [frame["texts"][text] for text, _ in frame["d"]] == [a, b]
    assert frames[8]["p"][PERSON][2] == "Alice"


def test_planned_moves_are_the_path_or_a_line_to_what_the_action_names(
    payload: Payload, moments_of: Moments
) -> None:
    frames = moments_of(payload.frames, "apl")
    assert frames[1]["m"]["Alice"] == ["path", [[0, 0], [1, 0]]]
    assert frames[4]["m"]["Alice"] == ["line", [[1, 0], [1, -3]]]
    assert "Bob" not in frames[4]["m"]
    assert frames[5]["m"]["Bob"] == ["line", [[5, -4], [3, -1]]]


def test_details_are_the_decision_and_its_reasons(
    trace: Trace, payload: Payload, moments_of: Moments
) -> None:
    for step, detail in enumerate(moments_of(payload.details, "b")):
        if step == 0:
            assert detail["calls"] == []
            continue
        texts = detail["texts"]
        event = _at(trace, "assignment", step)
        for agent in AGENTS:
            assert [texts[n] for n in detail["why"][agent]] == explain_event(event, agent)
            rows = detail["cand"][agent]
            chosen = [texts[row[0]] for row in rows if row[5] == "chosen"]
            assert chosen == [event["chosen"][agent]["action"]]
        calls = [e for e in trace.of("call") if e["step"] == step]
        assert len(detail["calls"]) == len(calls) == 3
        for shown, call in zip(detail["calls"], calls, strict=True):
            assert "\n".join(texts[n] for n in shown["reply"]) == call["reply"]
            assert shown["usage"] == call["usage"]
            role, text_id, lines, _ = shown["messages"][1]
            assert (role, text_id) == ("user", "")
            assert "\n".join(texts[n] for n in lines) == call["messages"][1]["text"]
            assert shown["messages"][0][1] == "t0"
        outcome = _at(trace, "outcome", step)["agents"]["Alice"]
        action, code, words, steps, _ = detail["out"]["Alice"]
        assert texts[action] == outcome["action"]
        assert texts[words] == outcome["reason"]
        assert (code == "f") is not outcome["success"]
        assert steps == outcome["agent_steps"]


def test_losers_carry_what_they_would_add_and_who_is_in_their_way(
    payload: Payload, moments_of: Moments
) -> None:
    detail = moments_of(payload.details, "b")[3]
    texts = detail["texts"]
    alice, bob = detail["cand"]["Alice"], detail["cand"]["Bob"]
    assert [row[5] for row in alice] == ["chosen", "costlier"]
    assert alice[1][3] == 1.25
    assert [row[5] for row in bob] == ["excluded", "chosen"]
    assert bob[0][7] == "shared resource / Alice"
    assert texts[bob[0][6]] == f"only one agent may use {PERSON}"
    assert detail["said"]["rejections"] == [
        [texts.index("Bob"), texts.index("Fly(Up)"), texts.index("no action 'Fly'")]
    ]


def test_beliefs_stand_beside_the_truth_with_their_errors(
    payload: Payload, moments_of: Moments
) -> None:
    details = moments_of(payload.details, "b")
    kind, x, z, verdict, error, age, sure, _, words, errors = details[5]["b"][PERSON]
    assert (kind, x, z, verdict, error, age) == ("person", 3.0, -3.0, "off", 2.0, 2)
    assert sure == pytest.approx(0.9**5, abs=1e-6)
    assert words == "load 2"
    assert errors == []
    assert details[5]["b"][FIRE][3] == "wrong"
    assert details[5]["b"][FIRE][9] == ["intensity is truly High"]
    assert details[0]["b"][PERSON][3] == "unknown"
    assert details[0]["b"][FIRE][3] == "right"
    assert details[8]["b"][PERSON][3] == "unknown"
    assert details[5]["b"]["Bob"][3] == "right"


def test_what_everybody_sees_stands_once(payload: Payload, moments_of: Moments) -> None:
    detail = moments_of(payload.details, "b")[4]
    texts = detail["texts"]
    assert [texts[n] for n in detail["all"]] == [FIRE]
    assert [texts[n] for n in detail["sees"]["Alice"]] == [PERSON]
    assert detail["sees"]["Bob"] == []


def test_a_torn_trace_shows_as_far_as_it_goes(unpack: Unpack) -> None:
    torn = make_trace(complete=False, steps=6)
    payload = episode_payload(torn)
    core = unpack(payload.core)
    assert payload.steps == 7
    assert core["complete"] is False
    assert core["end"] == ""
    whole = make_trace()
    cut = next(i for i, e in enumerate(whole.events) if e["event"] == "outcome" and e["step"] == 4)
    half = episode_payload(Trace(whole.events[:cut]))
    assert unpack(half.core)["codes"]["Alice"] == ".sss."


def test_without_details_a_page_has_none(trace: Trace, unpack: Unpack) -> None:
    small = episode_payload(trace, details=False)
    assert small.details == ()
    assert unpack(small.core)["details"] == []
    assert small.frames == episode_payload(trace).frames


def test_calls_made_once_per_agent_belong_to_that_agent(moments_of: Moments) -> None:
    trace = make_trace()
    for event in trace.of("call"):
        event["module"] = "action" if event["module"] != "actor" else "actor"
    detail = moments_of(episode_payload(trace).details, "b")[2]
    shown = [(c["module"], c["agent"]) for c in detail["calls"]]
    assert shown == [("actor", ""), ("action", "Alice"), ("action", "Bob")]


def test_a_world_without_truth_judges_no_belief(moments_of: Moments) -> None:
    payload = episode_payload(make_trace(world_id="their-world-v1"))
    for detail in moments_of(payload.details, "b"):
        assert all(row[3] == "" and row[9] == [] for row in detail["b"].values())


def test_a_malformed_event_is_one_clear_line() -> None:
    trace = make_trace()
    del _at(trace, "outcome", 3)["agents"]["Alice"]["success"]
    with pytest.raises(TraceError, match=r"step 3 is malformed.*success"):
        episode_payload(trace)
    with pytest.raises(TraceError, match="nothing to show"):
        episode_payload(Trace(trace.events[:1]))
    backwards = Trace((trace.header, *reversed(trace.events[1:-1])))
    with pytest.raises(TraceError, match="comes after"):
        episode_payload(backwards)
