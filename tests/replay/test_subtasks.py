"""Subtasks over time."""

from __future__ import annotations

from replay_traces import FIRE, PERSON

from mosaic_planner.core.trace import Trace
from mosaic_planner.replay.moments import Moment, moments
from mosaic_planner.replay.subtasks import SubtaskSpans


def test_spans_and_completions_of_the_hand_made_mission(trace: Trace) -> None:
    spans = SubtaskSpans()
    for moment in moments(trace.events):
        spans.take(moment)
    value = spans.value()
    assert value["told"] == [
        [f"put out {FIRE}", [[1, 9]], None],
        [f"find {PERSON}", [[1, 3]], 4],
    ]
    assert value["true"] == [[f"EndFire({FIRE})", 8], [f"Carry({PERSON})", 8]]
    assert value["total"] == 2


def test_a_subtask_that_comes_back_has_two_spans_and_silence_keeps_it_open() -> None:
    spans = SubtaskSpans()
    for told in (["a"], ["a", "b"], ["b"], None, ["a"]):
        event = None if told is None else {"open": told, "completed": []}
        spans.take(Moment(0, subtasks=event))
    rows = {text: periods for text, periods, _ in spans.value()["told"]}
    assert rows == {"a": [[0, 1], [4, 4]], "b": [[1, 3]]}
