"""Scoring: the paper's measures from world state, and the reference's own list beside it.

Success is decided by the final state alone. Subtasks (transport rate) are ticked by successful
actions; a put counts only while the object is still there. The reference mode ticks actions per
type and never takes one back (section 5 of the benchmark notes), with its spelling repaired.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mosaic_planner.core.world import Score
from mosaic_planner.worlds.household.judging import Duty, Entry, Goals, holds
from mosaic_planner.worlds.household.tasks import HouseholdTask

__all__ = ["Deed", "Scorer", "least_actions"]

_STATE_VERBS = {
    ("isSliced", True): "slice",
    ("isBroken", True): "slice",
    ("isDirty", False): "clean",
    ("isOpen", True): "open",
    ("isOpen", False): "close",
    ("isToggled", True): "toggle_on",
    ("isToggled", False): "toggle_off",
}
_OF_ACTION = {
    "NavigateTo": "navigate",
    "PickupObject": "pickup",
    "PutObject": "put",
    "OpenObject": "open",
    "CloseObject": "close",
    "ToggleObjectOn": "toggle_on",
    "ToggleObjectOff": "toggle_off",
    "SliceObject": "slice",
    "CleanObject": "clean",
}


@dataclass(frozen=True, slots=True)
class Deed:
    """One attempted high-level action as the scorer needs it; ids and types, not names."""

    verb: str
    target: str
    target_type: str
    held: str = ""
    held_type: str = ""
    success: bool = True


@dataclass(frozen=True, slots=True)
class _Subtask:
    """`verb` as in the benchmark data; `object_id` or, for any of several, `types`."""

    name: str
    verb: str
    object_id: str = ""
    types: tuple[str, ...] = ()
    duty: Duty | None = None


@dataclass(slots=True)
class Scorer:
    """Judges one episode; made when it starts, told every deed."""

    task: HouseholdTask
    goals: Goals
    subtasks: tuple[_Subtask, ...]
    coverage: tuple[str, ...]
    ticked: dict[str, None] = field(default_factory=dict)
    covered: dict[str, None] = field(default_factory=dict)
    mentioned: dict[str, None] = field(default_factory=dict)
    reference_ticked: dict[tuple[str, ...], None] = field(default_factory=dict)

    @classmethod
    def begin(cls, task: HouseholdTask, objects: Sequence[Entry]) -> Scorer:
        """At the start of an episode, after the start state was set up."""
        goals = Goals(task, objects)
        duties = goals.duties(objects)
        subtasks = tuple(_subtasks(goals, duties))
        present = {o["objectType"] for o in objects}
        coverage = {d.object_type: None for d in duties}
        for duty in duties:
            single = [r for r in duty.goal.receptacles if r in present]
            if len(duty.goal.receptacles) <= 2:
                coverage.update(dict.fromkeys(single))
        return cls(task, goals, subtasks, tuple(coverage))

    def note(self, deed: Deed) -> None:
        """Take in one attempted action."""
        for kind in (deed.target_type, deed.held_type):
            if kind in self.coverage:
                self.mentioned[kind] = None
        if not deed.success:
            return
        for kind in (deed.target_type, deed.held_type if deed.verb == "PutObject" else ""):
            if kind in self.coverage:
                self.covered[kind] = None
        verb = _OF_ACTION.get(deed.verb)
        if verb is None:
            return
        self._note_reference(verb, deed)
        for subtask in self.subtasks:
            if self._ticks(subtask, verb, deed):
                self.ticked[subtask.name] = None

    def _ticks(self, subtask: _Subtask, verb: str, deed: Deed) -> bool:
        if subtask.verb == "navigate":
            # An interaction proves that the agent came there.
            return deed.target == subtask.object_id
        if subtask.verb == "navigate_holding":
            return (
                verb in ("navigate", "put")
                and deed.held == subtask.object_id
                and deed.target_type in subtask.types
            )
        if subtask.verb == "put":
            return (
                verb == "put"
                and deed.held == subtask.object_id
                and deed.target_type in subtask.types
            )
        if verb != subtask.verb:
            return False
        if subtask.object_id:
            return deed.target == subtask.object_id
        return deed.target_type in subtask.types

    def _note_reference(self, verb: str, deed: Deed) -> None:
        """The reference ticks held-object actions per type and everything else per instance."""
        ticks: list[tuple[str, ...]] = [("navigate", deed.target)]
        if verb == "navigate" and deed.held_type:
            ticks.append(("navigate_holding", deed.held_type, deed.target_type))
        elif verb == "put":
            ticks.append(("navigate_holding", deed.held_type, deed.target_type))
            ticks.append(("put", deed.held_type, deed.target_type))
        elif verb != "navigate":
            ticks.append((verb, deed.target))
            ticks.append((verb, "", deed.target_type))
        self.reference_ticked.update(dict.fromkeys(ticks))

    def completed(self, objects: Sequence[Entry]) -> tuple[str, ...]:
        """Subtasks that count now, in their order."""
        types = {o["objectId"]: o["objectType"] for o in objects}
        by_id = {o["objectId"]: o for o in objects}
        done = []
        for subtask in self.subtasks:
            if subtask.name not in self.ticked:
                continue
            duty = subtask.duty
            if duty is not None and subtask.verb == "put":
                entry = by_id.get(duty.object_id)
                if entry is None or not holds(duty.goal, entry, types):
                    continue
            done.append(subtask.name)
        return tuple(done)

    def score(self, objects: Sequence[Entry]) -> Score:
        """The paper's measures now; on success every subtask counts (rule 6 of the notes)."""
        success = self.goals.met(objects)
        done = tuple(s.name for s in self.subtasks) if success else self.completed(objects)
        return Score(
            success=success,
            completed=done,
            total=len(self.subtasks),
            covered=tuple(self.covered),
            mentioned=tuple(self.mentioned),
            coverage_total=len(self.coverage),
        )

    def reference(self) -> Mapping[str, float | bool]:
        """Success and transport rate as the reference counts them."""
        wanted = dict.fromkeys(_reference_entries(self.subtasks))
        ticked = [w for w in wanted if any(k in self.reference_ticked for k in w)]
        total = len(wanted)
        return {
            "success": len(ticked) == total,
            "transport_rate": len(ticked) / total if total else 1.0,
            "coverage": len(self.mentioned) / len(self.coverage) if self.coverage else 1.0,
        }


def _subtasks(goals: Goals, duties: Sequence[Duty]) -> list[_Subtask]:
    """Per carried object: navigate, pick up, navigate holding it, put; per changed one: navigate
    and the change; then opening a goal container and closing the fridge."""
    found: list[_Subtask] = []
    for duty in duties:
        key = duty.object_id
        found.append(_Subtask(f"navigate {key}", "navigate", key))
        if duty.goal.kind == "at":
            into = "|".join(duty.goal.receptacles)
            kinds = duty.goal.receptacles
            if "Sink" in kinds:
                kinds = (*kinds, "SinkBasin")
            found.append(_Subtask(f"pickup {key}", "pickup", key))
            found.append(_Subtask(f"navigate_holding {key} {into}", "navigate_holding", key, kinds))
            found.append(_Subtask(f"put {key} {into}", "put", key, kinds, duty))
        else:
            verb = _STATE_VERBS[(duty.goal.fields[0], duty.goal.value)]
            found.append(_Subtask(f"{verb} {key}", verb, key))
    if any(d.goal.kind == "at" for d in duties):
        for kinds in goals.opening:
            found.append(_Subtask(f"open {'|'.join(kinds)}", "open", types=kinds))
        for kind in goals.closing:
            found.append(_Subtask(f"close {kind}", "close", types=(kind,)))
    return found


def _reference_entries(subtasks: Sequence[_Subtask]) -> list[tuple[tuple[str, ...], ...]]:
    """Each subtask as the set of reference ticks of which one is enough."""
    entries: list[tuple[tuple[str, ...], ...]] = []
    for s in subtasks:
        if s.verb in ("navigate_holding", "put") and s.types:
            kind = s.object_id.split("|", 1)[0]
            entries.append(tuple((s.verb, kind, r) for r in s.types))
        elif s.object_id:
            entries.append(((s.verb, s.object_id),))
        else:
            entries.append(tuple((s.verb, "", r) for r in s.types))
    return entries


def least_actions(scorer: Scorer, objects: Sequence[Entry]) -> int:
    """The fewest high-level actions of all agents together when everything is known.

    4 per carried object, 2 per changed one, 2 more per closed container around a target, 1 to
    open the goal container, 1 to close the fridge (the benchmark data's own count).
    """
    by_id = {o["objectId"]: o for o in objects}
    closed: dict[str, None] = {}
    types = {o["objectId"]: o["objectType"] for o in objects}
    for subtask in scorer.subtasks:
        if subtask.verb != "navigate":
            continue
        for parent in by_id[subtask.object_id]["parentReceptacles"] or ():
            entry = by_id.get(parent)
            shut = entry is not None and entry["openable"] and not entry["isOpen"]
            if shut and types.get(parent) != "Toilet":
                closed[parent] = None
    return len(scorer.subtasks) + 2 * len(closed)
