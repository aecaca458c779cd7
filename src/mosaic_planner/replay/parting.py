"""Two episodes of one mission: whether it is one, and where they part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

from mosaic_planner.replay.drawing import Frame
from mosaic_planner.replay.moments import moments
from mosaic_planner.replay.reading import Events, header_and_rest
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


def find_parting(a: Events, b: Events) -> Parting:
    """Where two episodes part; one that ends earlier parts from the other there.

    States are compared as they are drawn, which leaves out how they were reached.
    """
    step = state_step = None
    differences: tuple[tuple[str, str, str], ...] = ()
    for ours, theirs in zip_longest(_states(a), _states(b)):
        number = (ours or theirs).step
        left, right = _actions(ours), _actions(theirs)
        if step is None and left != right:
            step = number
            differences = tuple(
                (name, left.get(name, ""), right.get(name, ""))
                for name in dict.fromkeys((*left, *right))
                if left.get(name) != right.get(name)
            )
        if state_step is None and (ours is None or theirs is None or ours.frame != theirs.frame):
            state_step = number
        if step is not None and state_step is not None:
            break
    why_not = tuple(_mission_differences(header_and_rest(a)[0], header_and_rest(b)[0]))
    return Parting(step, state_step, differences, not why_not, why_not)


class _State(NamedTuple):
    step: int
    outcome: Mapping[str, Any] | None
    frame: Frame


def _states(source: Events) -> Iterator[_State]:
    header, events = header_and_rest(source)
    scenery = scenery_for(header)
    frame = Frame()
    for moment in moments(events):
        if moment.snapshot is not None or moment.observation is not None:
            frame = scenery.frame(
                (moment.snapshot or {}).get("world"), (moment.observation or {}).get("agents")
            )
        yield _State(moment.step, moment.outcome, frame)


def _actions(state: _State | None) -> dict[str, str]:
    outcome = None if state is None else state.outcome
    return {} if outcome is None else {n: str(o["action"]) for n, o in outcome["agents"].items()}


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
