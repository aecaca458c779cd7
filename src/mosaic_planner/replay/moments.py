"""The events of a trace, sorted into planning steps.

A moment is what stands in the trace for one step: the decision that was made in it and the state
after it. Moment 0 is the start, before anybody has decided anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from mosaic_planner.core.errors import TraceError
from mosaic_planner.core.trace import Event

__all__ = ["Moment", "moments", "open_subtasks"]

_ONCE = (
    "observation",
    "beliefs",
    "snapshot",
    "score",
    "proposal",
    "assignment",
    "outcome",
    "subtasks",
)


@dataclass(slots=True)
class Moment:
    """Events of one step; None where the trace has none (a torn trace ends like that).

    `t`: simulated seconds at its last event.
    """

    step: int
    t: float = 0.0
    observation: Event | None = None
    beliefs: Event | None = None
    snapshot: Event | None = None
    score: Event | None = None
    proposal: Event | None = None
    assignment: Event | None = None
    outcome: Event | None = None
    subtasks: Event | None = None
    calls: list[Event] = field(default_factory=list)
    notes: list[Event] = field(default_factory=list)


def moments(events: Iterable[Event]) -> Iterator[Moment]:
    """Moments in order of their steps; events without a step (header, text) are left out.

    Raises `TraceError` if a step is no number or comes again after a later one.
    """
    current: Moment | None = None
    for event in events:
        kind, step = event["event"], event.get("step")
        if step is None or kind == "end":
            continue
        if isinstance(step, bool) or not isinstance(step, int) or step < 0:
            raise TraceError(f"not a Mosaic trace: {kind!r} event of step {step!r}")
        if current is None or step > current.step:
            if current is not None:
                yield current
            current = Moment(step)
        elif step < current.step:
            raise TraceError(f"not a Mosaic trace: step {step} comes after step {current.step}")
        current.t = max(current.t, float(event.get("t", current.t)))
        if kind in _ONCE:
            setattr(current, kind, event)
        elif kind == "call":
            current.calls.append(event)
        elif kind == "note":
            current.notes.append(event)
    if current is not None:
        yield current


def open_subtasks(moment: Moment) -> tuple[list[str], list[str]] | None:
    """(open, completed) as the planner words them after this step; None if it says nothing."""
    told = moment.subtasks or (moment.proposal or {}).get("subtasks")
    if not told:
        return None
    return [str(s) for s in told["open"]], [str(s) for s in told["completed"]]
