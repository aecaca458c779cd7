"""Two episodes of one mission: whether it is one, and where they part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from mosaic_planner.core.trace import Trace
from mosaic_planner.replay.drawing import Frame
from mosaic_planner.replay.moments import moments
from mosaic_planner.replay.scenery import scenery_for

__all__ = ["Parting", "find_parting"]


@dataclass(frozen=True, slots=True)
class Parting:
    """`step`: the first in which a joint action differs, `state_step`: in which the true state
    does; None if never. `differences`: (agent, action in A, action in B) at `step`, "" for an
    agent that does not act. `same_mission`: world, scene, team and seed are equal; `why_not` says
    what is not.
    """

    step: int | None
    state_step: int | None
    differences: tuple[tuple[str, str, str], ...]
    same_mission: bool
    why_not: tuple[str, ...]

    def value(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "step": self.step,
            "state": self.state_step,
            "differences": [list(d) for d in self.differences],
            "why_not": list(self.why_not),
        }


def find_parting(a: Trace, b: Trace) -> Parting:
    """Where two traces part; an episode that ends earlier parts from the other there."""
    ours, theirs = _by_step(a, "outcome"), _by_step(b, "outcome")
    step = None
    differences: tuple[tuple[str, str, str], ...] = ()
    for number in sorted({*ours, *theirs}):
        left, right = _actions(ours.get(number)), _actions(theirs.get(number))
        if left != right:
            step = number
            names = dict.fromkeys((*left, *right))
            differences = tuple(
                (name, left.get(name, ""), right.get(name, ""))
                for name in names
                if left.get(name) != right.get(name)
            )
            break
    why_not = tuple(_mission_differences(a.header, b.header))
    return Parting(step, _state_step(a, b), differences, not why_not, why_not)


def _by_step(trace: Trace, kind: str) -> dict[int, Mapping[str, Any]]:
    return {event["step"]: event for event in trace.of(kind)}


def _actions(outcome: Mapping[str, Any] | None) -> dict[str, str]:
    return {} if outcome is None else {n: o["action"] for n, o in outcome["agents"].items()}


def _state_step(a: Trace, b: Trace) -> int | None:
    """States are compared as they are drawn, which leaves out how they were reached."""
    for left, right in zip_longest(_states(a), _states(b)):
        if left is None or right is None:
            return int((left or right)[0])
        if left != right:
            return int(left[0])
    return None


def _states(trace: Trace) -> Iterator[tuple[int, Frame]]:
    scenery = scenery_for(trace.header)
    for moment in moments(trace.events):
        if moment.snapshot is not None or moment.observation is not None:
            yield (
                moment.step,
                scenery.frame(
                    (moment.snapshot or {}).get("world"), (moment.observation or {}).get("agents")
                ),
            )


def _mission_differences(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[str]:
    found = []
    if a["world"]["id"] != b["world"]["id"]:
        found.append(f"world {a['world']['id']} and {b['world']['id']}")
    elif a["world"].get("static") != b["world"].get("static"):
        found.append("scene")
    if list(a["agents"]) != list(b["agents"]):
        found.append(f"team of {len(a['agents'])} and of {len(b['agents'])}")
    if a["seed"] != b["seed"]:
        found.append(f"seed {a['seed']} and {b['seed']}")
    return found
