"""Whether a task is done, by the world's state; metadata of the objects is all it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mosaic_planner.worlds.household.catalogue import MUST_BE_OPEN
from mosaic_planner.worlds.household.tasks import Goal, HouseholdTask

__all__ = ["Duty", "Entry", "Goals", "holds"]

Entry = Mapping[str, Any]
"""One object's metadata."""


@dataclass(frozen=True, slots=True)
class Duty:
    """What one object still has to go through for one goal, found when the episode starts."""

    object_id: str
    object_type: str
    goal: Goal


def holds(goal: Goal, entry: Entry, types: Mapping[str, str]) -> bool:
    """Whether the goal holds for one object. `types`: object id to type."""
    if goal.kind == "at":
        if entry["isPickedUp"]:
            return False
        parents = entry["parentReceptacles"] or ()
        return any(types.get(p) in goal.receptacles for p in parents)
    return any(bool(entry[field]) == goal.value for field in goal.fields)


class Goals:
    """The goals of a task in one scene: which objects they are about, and whether they hold."""

    def __init__(self, task: HouseholdTask, objects: Sequence[Entry]) -> None:
        self.task = task
        types = {o["objectId"]: o["objectType"] for o in objects}
        self.goals: list[tuple[Goal, tuple[str, ...]]] = []
        for goal in task.goals:
            about = []
            for o in objects:
                if o["objectType"] != goal.object_type:
                    continue
                if goal.only_from:
                    starts = {types.get(p) for p in o["parentReceptacles"] or ()}
                    if starts.isdisjoint(goal.only_from.split("|")):
                        continue
                about.append(o["objectId"])
            if not about and (task.absent_is_fine or goal.only_from):
                continue
            self.goals.append((goal, tuple(about)))

    def met(self, objects: Sequence[Entry]) -> bool:
        """Whether every goal holds now."""
        return all(self.goal_met(goal, about, objects) for goal, about in self.goals)

    @staticmethod
    def goal_met(goal: Goal, about: tuple[str, ...], objects: Sequence[Entry]) -> bool:
        """Whether one goal holds now for the objects it is about."""
        types = {o["objectId"]: o["objectType"] for o in objects}
        by_id = {o["objectId"]: o for o in objects}
        results = [key in by_id and holds(goal, by_id[key], types) for key in about]
        return bool(results) and (all(results) if goal.every else any(results))

    def duties(self, objects: Sequence[Entry]) -> tuple[Duty, ...]:
        """What is to be done now: one entry per object and goal that does not hold.

        Closing a receptacle again is no duty of its own; see `closing`. Of a goal that any one
        object can meet, the first is taken.
        """
        types = {o["objectId"]: o["objectType"] for o in objects}
        by_id = {o["objectId"]: o for o in objects}
        found = []
        for goal, about in self.goals:
            if _closes(goal) or self.goal_met(goal, about, objects):
                continue
            open_ = [k for k in about if k in by_id and not holds(goal, by_id[k], types)]
            for key in open_ if goal.every else open_[:1]:
                found.append(Duty(key, types[key], goal))
        return tuple(found)

    @property
    def closing(self) -> tuple[str, ...]:
        """Types that must be closed at the end, having been opened for the task."""
        return tuple(g.object_type for g, _ in self.goals if _closes(g))

    @property
    def opening(self) -> tuple[tuple[str, ...], ...]:
        """Sets of receptacle types of which one must be opened to put things in."""
        sets = {
            g.receptacles: None
            for g, _ in self.goals
            if g.kind == "at" and g.receptacles and all(r in MUST_BE_OPEN for r in g.receptacles)
            and g.receptacles != ("Box",)
        }  # fmt: skip
        return tuple(sets)


def _closes(goal: Goal) -> bool:
    return goal.kind == "state" and goal.fields == ("isOpen",) and not goal.value
