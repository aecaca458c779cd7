"""Figures of every step are the metrics of the trace up to that step."""

from __future__ import annotations

import pytest
from replay_traces import make_trace

from mosaic_planner.core.trace import Trace
from mosaic_planner.metrics import measure
from mosaic_planner.replay.moments import moments
from mosaic_planner.replay.series import COUNTED, FIGURES, Series, slim


def _up_to(trace: Trace, step: int) -> Trace:
    return Trace(tuple(e for e in trace.events if e.get("step", 0) <= step and e["event"] != "end"))


def test_each_figure_is_the_metric_of_the_trace_so_far(trace: Trace) -> None:
    series = Series(trace.header["agents"])
    for moment in moments(trace.events):
        series.take(moment)
    value = series.value()
    assert len(value["t"]) == 10
    for step in range(10):
        metrics = measure(_up_to(trace, step))
        for name in FIGURES:
            found = value["figures"][name][step]
            assert found == pytest.approx(getattr(metrics, name), abs=1e-6), name
        assert bool(value["success"][step]) is metrics.success


def test_shares_modules_and_terms_follow_the_steps(trace: Trace) -> None:
    series = Series(trace.header["agents"])
    for moment in moments(trace.events):
        series.take(moment)
    value = series.value()
    assert value["shares"]["model_s"] == [1.5 * step for step in range(10)]
    assert value["modules"] == {m: list(range(10)) for m in ("actor", "verifier", "planner")}
    assert value["terms"]["penalty"] == [0.0] * 6 + [2.0] * 4
    assert value["cost"] == [None] + [1.0] * 5 + [3.0] * 4


def test_slim_events_have_the_same_metrics(trace: Trace) -> None:
    few = [slim(e) if e["event"] in COUNTED else e for e in trace.events]
    kept = tuple(e for e in few if e["event"] in (*COUNTED, "header"))
    assert measure(Trace(kept)) == measure(trace)
    assert "messages" not in next(e for e in kept if e["event"] == "call")


def test_a_term_that_appears_late_was_zero_before() -> None:
    trace = make_trace()
    for event in trace.of("assignment"):
        if event["step"] < 4:
            for choice in event["chosen"].values():
                choice["terms"].pop("penalty")
    series = Series(trace.header["agents"])
    for moment in moments(trace.events):
        series.take(moment)
    terms = series.value()["terms"]
    assert len(terms["penalty"]) == len(terms["agent step"]) == 10
    assert terms["penalty"][:4] == [0.0] * 4
