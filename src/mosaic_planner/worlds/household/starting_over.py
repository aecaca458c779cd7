"""The start of an episode set up through AI2-THOR's own actions, for simulators that we only call.

The same meaning as `starting`, with other means: things are picked up and put with force.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from mosaic_planner.worlds.household.catalogue import (
    ENCLOSING_TYPES,
    MUST_BE_OPEN,
    SINGLE_SLOT,
    facts,
    fits,
)
from mosaic_planner.worlds.household.judging import holds
from mosaic_planner.worlds.household.tasks import Goal, HouseholdTask, PlanStart

__all__ = ["start_over_surface"]

_SETTERS = {
    ("isToggled", True): "ToggleObjectOn",
    ("isToggled", False): "ToggleObjectOff",
    ("isDirty", True): "DirtyObject",
    ("isDirty", False): "CleanObject",
    ("isOpen", False): "CloseObject",
}


def start_over_surface(
    controller: Any, task: HouseholdTask, rng: random.Random, start: PlanStart | None
) -> tuple[str, ...]:
    """Bring a freshly reset scene to the start of a task; returns what could not be done."""
    setter = _Setter(controller, rng)
    if start is not None:
        setter.call(
            "Teleport",
            position={"x": 1.5, "y": 0.9, "z": -1.5},
            rotation={"x": 0.0, "y": 270.0, "z": 0.0},
        )
        for call in start.calls:
            setter.call(call["action"], **{k: v for k, v in call.items() if k != "action"})
        for key, kind in start.directives:
            setter.lay(key, (kind,))
        return tuple(setter.problems)
    for object_type, kinds in task.start.items():
        for o in setter.objects():
            if o["objectType"] == object_type and o["pickupable"]:
                setter.lay(o["objectId"], kinds)
    for goal in task.goals:
        if goal.object_type not in task.start:
            _undo(setter, goal)
    return tuple(setter.problems)


def _undo(setter: _Setter, goal: Goal) -> None:
    types = {o["objectId"]: o["objectType"] for o in setter.objects()}
    for o in setter.objects():
        if o["objectType"] != goal.object_type or not holds(goal, o, types):
            continue
        if goal.kind == "at":
            found = facts(goal.object_type).parents
            kinds = sorted(found, key=lambda k: (-found[k], k))
            avoid = (*goal.receptacles, *ENCLOSING_TYPES, *SINGLE_SLOT, "Floor", "(none)")
            setter.lay(
                o["objectId"],
                [k for k in kinds if k not in avoid and fits(goal.object_type, k)],
            )
            continue
        for field in goal.fields:
            action = _SETTERS.get((field, not goal.value))
            if action is not None and not (field == "isOpen" and not goal.value):
                setter.call(action, objectId=o["objectId"], forceAction=True)


class _Setter:
    """Calls with force, as agent 0."""

    def __init__(self, controller: Any, rng: random.Random) -> None:
        self._controller = controller
        self._rng = rng
        self.problems: list[str] = []

    def objects(self) -> Sequence[Mapping[str, Any]]:
        """The objects as agent 0's metadata has them."""
        found: Sequence[Mapping[str, Any]] = self._controller.last_event.events[0].metadata[
            "objects"
        ]
        return found

    def call(self, action: str, **parameters: Any) -> bool:
        """One action; a failure is noted and told."""
        event = self._controller.step(action=action, agentId=0, **parameters)
        metadata = event.events[0].metadata
        if not metadata["lastActionSuccess"]:
            self.problems.append(f"{action}: {metadata['errorMessage']}")
        return bool(metadata["lastActionSuccess"])

    def lay(self, object_id: str, kinds: Sequence[str]) -> bool:
        """Put a thing onto or into the first receptacle of these types that takes it."""
        for kind in kinds:
            options = [o for o in self.objects() if o["objectType"] == kind and o["receptacle"]]
            self._rng.shuffle(options)
            for receptacle in options:
                if self._put(object_id, receptacle):
                    return True
        return False

    def _put(self, object_id: str, receptacle: Mapping[str, Any]) -> bool:
        key = receptacle["objectId"]
        if not self.call("PickupObject", objectId=object_id, forceAction=True):
            return False
        opened = receptacle["objectType"] in MUST_BE_OPEN and not receptacle["isOpen"]
        if opened:
            self.call("OpenObject", objectId=key, forceAction=True)
        done = self.call("PutObject", objectId=key, forceAction=True)
        if opened:
            self.call("CloseObject", objectId=key, forceAction=True)
        if not done:
            self.call("DropHeldObject", forceAction=True)
        return done
