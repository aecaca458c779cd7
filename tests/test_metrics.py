"""The metrics are a pure function of the trace (section 4.1, SAR rules K4 to K9)."""

from __future__ import annotations

from typing import Any

import pytest

from mosaic_planner.core.trace import Event, Trace
from mosaic_planner.metrics import balance, balance_reference, measure

CLOCK = {"model_s": 2.0, "world_s": 0.5, "solver_s": 0.25, "waiting_s": 9.0}


def _outcome(success: bool = True, steps: int = 1, idle: bool = False, ends: bool = False) -> Any:
    return {
        "action": "A()",
        "success": success,
        "promoted": False,
        "error_kind": "",
        "reason": "",
        "agent_steps": steps,
        "idle": idle,
        "ends": ends,
        "effects": [],
    }


def _score(success: bool, completed: int) -> Event:
    return {
        "event": "score",
        "step": 1,
        "t": 1.0,
        "success": success,
        "completed": [str(i) for i in range(completed)],
        "total": 4,
        "covered": ["a"],
        "mentioned": ["a", "b"],
        "coverage_total": 2,
    }


def _call(module: str) -> Event:
    usage = {"input_tokens": 90, "cached_tokens": 40, "output_tokens": 7}
    return {"event": "call", "module": module, "attempts": 2, "prompt_tokens": 100, "usage": usage}


HEADER: Event = {"event": "header", "agents": ["Alice", "Bob"], "token_counter": "c-v1"}


def test_all_nine_from_events() -> None:
    events = (
        HEADER,
        _score(False, 0),
        _call("planner"),
        _call("actor"),
        {
            "event": "outcome",
            "agents": {"Alice": _outcome(steps=7), "Bob": _outcome(success=False)},
            "clock": CLOCK,
        },
        _score(False, 2),
        {
            "event": "outcome",
            "agents": {"Alice": _outcome(), "Bob": _outcome(idle=True, steps=0)},
            "clock": CLOCK,
        },
        _score(True, 4),
        {"event": "end", "reason": "success", "clock": CLOCK},
    )
    metrics = measure(Trace(events))
    assert metrics.success
    assert metrics.transport_rate == 1.0
    assert metrics.coverage == 0.5
    assert metrics.coverage_mentions == 1.0
    assert metrics.balance == 0.0  # Bob never succeeded with anything but idling
    assert metrics.balance_reference == 1.0  # the reference leaves him out (K7)
    assert metrics.failure_rate == 0.25
    assert metrics.agent_steps == 9
    assert metrics.runtime_s == 2.75  # waiting is not charged
    assert metrics.llm_calls == 2
    assert metrics.wire_attempts == 4
    assert metrics.prompt_tokens == 200
    assert metrics.planning_steps == 2
    assert metrics.calls_by_module == {"actor": 1, "planner": 1}
    assert (metrics.end, metrics.complete) == ("success", True)


def test_saying_done_too_early_is_counted() -> None:
    done = {"Alice": _outcome(idle=True, ends=True), "Bob": _outcome(idle=True, ends=True)}
    one = done | {"Bob": _outcome()}
    events = (
        HEADER,
        {"event": "outcome", "agents": done, "clock": CLOCK},
        _score(False, 1),
        {"event": "outcome", "agents": one, "clock": CLOCK},
        _score(False, 1),
        {"event": "outcome", "agents": done, "clock": CLOCK},
        _score(True, 4),
    )
    assert measure(Trace(events)).false_done == 1


def test_a_torn_trace_without_score_is_no_success() -> None:
    metrics = measure(Trace((HEADER,)))
    assert not metrics.success
    assert not metrics.complete
    assert (metrics.transport_rate, metrics.failure_rate, metrics.balance) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("successes", "ours", "reference"),
    [
        ([5], 1.0, 1.0),  # one agent is balanced by definition (notes 2.10)
        ([0], 1.0, None),
        ([0, 0], 0.0, None),
        ([0, 3], 0.0, 1.0),
        ([2, 4], 2 / 4.0001, 0.5),
        ([], 0.0, None),
    ],
)
def test_balance(successes: list[int], ours: float, reference: float | None) -> None:
    assert balance(successes) == pytest.approx(ours)
    assert balance_reference(successes) == reference
