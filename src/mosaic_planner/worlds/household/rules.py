"""What the coordinator is taught about households: one profile per action, from beliefs alone.

NavigateTo ends at any of many poses and finds another one if somebody stands there, so its end is
nobody's exclusive cell and only the departure is in its path. What a second robot would come for in
vain (a loose object, a door, a switch, the one slot of a burner) is claimed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mosaic_planner.coordination.profile import STAYS, ActionProfile, CellVisit
from mosaic_planner.core.action import IDLE, Action
from mosaic_planner.core.belief import Belief, Beliefs
from mosaic_planner.core.candidate import Candidate
from mosaic_planner.core.geometry import Cell
from mosaic_planner.worlds.household.belief_floor import BeliefFloor
from mosaic_planner.worlds.household.catalogue import (
    ENCLOSING_TYPES,
    MUST_BE_OPEN,
    SINGLE_SLOT,
    facts,
    fits,
)
from mosaic_planner.worlds.household.words import HOUSEHOLD_VOCABULARY

__all__ = ["HouseholdRules"]

_EXPLORE_STEPS = 14.0
_MOVES = {"Ahead": 0, "Right": 90, "Back": 180, "Left": 270}
_STEP: dict[int, Cell] = {0: (0, 1), 90: (1, 0), 180: (0, -1), 270: (-1, 0)}
_HOPELESS = 0.05


def _no(reason: str) -> ActionProfile:
    return ActionProfile(eligible=False, reason=reason)


class HouseholdRules:
    """`coordination.Rules` of this world.

    `task_words`: object types that the instruction names. `begin` tells the floor plan, which
    everybody knows.
    """

    def __init__(self, task_words: Sequence[str]) -> None:
        self._wanted = frozenset(task_words)
        # "All groceries in the fridge" names no item: then anything loose may be meant.
        self._items = frozenset(t for t in task_words if facts(t).has("pickupable"))
        self._free: frozenset[Cell] = frozenset()
        self._floor: BeliefFloor | None = None
        self._verbs: dict[str, Callable[[str, Action, BeliefFloor], ActionProfile]] = {
            "NavigateTo": self._navigate,
            "Explore": self._explore,
            "Move": self._move,
            "Rotate": self._turn,
            "LookUp": self._turn,
            "LookDown": self._turn,
            "PickupObject": self._pick_up,
            "PutObject": self._put,
            "OpenObject": self._open,
            "CloseObject": self._open,
            "ToggleObjectOn": self._toggle,
            "ToggleObjectOff": self._toggle,
            "SliceObject": self._slice,
            "CleanObject": self._clean,
        }

    def begin(self, free: frozenset[Cell]) -> None:
        """A new episode on a floor of these cells (0.25 m)."""
        self._free = free
        self._floor = None

    def _read(self, beliefs: Beliefs) -> BeliefFloor:
        """These beliefs as a floor; the last one is kept, since many profiles are asked of it."""
        if self._floor is None or self._floor.beliefs is not beliefs:
            self._floor = BeliefFloor(beliefs, self._free)
        return self._floor

    def profile(self, agent: str, action: Action, beliefs: Beliefs) -> ActionProfile:
        """The profile of one action; never raises, an impossible action is ineligible."""
        floor = self._read(beliefs)
        if HOUSEHOLD_VOCABULARY.is_idle(action) and not action.args:
            return ActionProfile(idle=True, path=_stay(agent, floor))
        entities = [(name, b.kind) for name, b in floor.entities.items()]
        problem = HOUSEHOLD_VOCABULARY.check(action, entities)
        if problem:
            return _no(problem)
        return self._verbs[action.verb](agent, action, floor)

    def fallbacks(self, agent: str, beliefs: Beliefs) -> Sequence[Candidate]:
        """Explore, then stepping aside, then Idle: what can be done without the model."""
        floor = self._read(beliefs)
        options = [(Action("Explore"), "look for what has not been seen")]
        for direction in ("Back", "Left", "Right"):
            options.append((Action("Move", (direction,)), "step aside"))
        found: list[Candidate] = []
        for action, why in options:
            if self.profile(agent, action, floor.beliefs).eligible:
                found.append(Candidate(agent, action, len(found), "safe", why))
        found.append(Candidate(agent, IDLE, len(found), "safe", "stay out of the way"))
        return tuple(found)

    # Moving.

    def _navigate(self, agent: str, action: Action, floor: BeliefFloor) -> ActionProfile:
        name = action.args[0]
        belief = floor.entities[name]
        if floor.held(agent) == name or belief.holder == agent:
            return _no(f"{agent} holds {name}")
        if belief.holder:
            return _no(f"{belief.holder} holds {name}")
        if belief.attribute("sliced") and belief.kind != "Egg":
            return _no(f"{name} is in pieces")
        closed = _closed_around(name, floor)
        if closed:
            return _no(f"{name} is in {closed}, which is closed")
        steps = floor.steps_to(agent, belief)
        if steps is None:
            return _no(f"no free way to {name} is known")
        here = floor.cells.get(agent)
        loose = facts(belief.kind).has("pickupable")
        failure = min(0.9, 0.05 + (1.0 - belief.confidence) + (0.3 if belief.lost else 0.0))
        return ActionProfile(
            claims=(name,) if loose else (),
            path=() if here is None else (CellVisit(here, 0, 1),),
            steps=steps,
            failure=failure,
            progress=self._worth_of_going(agent, belief, floor),
        )

    def _worth_of_going(self, agent: str, belief: Belief, floor: BeliefFloor) -> float:
        """How far going there advances the task, in [0, 1]."""
        if floor.in_view(agent, belief) > 0.5:
            return 0.02  # it is there already
        held = floor.held(agent)
        if held:
            takes = facts(belief.kind).has("receptacle") or belief.kind == "Sink"
            if not takes:
                return 0.02
            return 0.6 if belief.kind in self._wanted else 0.3
        if belief.kind in self._wanted:
            return 0.5
        return 0.35 if facts(belief.kind).has("pickupable") and not self._items else 0.15

    def _explore(self, agent: str, action: Action, floor: BeliefFloor) -> ActionProfile:
        del action
        here = floor.cells.get(agent)
        worth = 0.25 if not floor.held(agent) else 0.1
        return ActionProfile(
            path=() if here is None else (CellVisit(here, 0, 1),),
            steps=_EXPLORE_STEPS,
            failure=0.05,
            progress=worth,
        )

    def _move(self, agent: str, action: Action, floor: BeliefFloor) -> ActionProfile:
        here, pose = floor.cells.get(agent), floor.poses.get(agent)
        if here is None or pose is None:
            return ActionProfile(steps=1.0, failure=0.2, progress=0.02)
        heading = (round(pose.heading_deg / 90.0) * 90 + _MOVES[action.args[0]]) % 360
        dx, dz = _STEP[heading]
        there = (here[0] + dx, here[1] + dz)
        taken = floor.standing_room(agent, there)
        if taken == "floor":
            return _no(f"there is no free floor {action.args[0].lower()} of {agent}")
        if taken:
            return _no(f"{taken} is in the way {action.args[0].lower()} of {agent}")
        path = (CellVisit(here, 0, 1), CellVisit(there, 1, STAYS))
        return ActionProfile(path=path, steps=1.0, failure=0.05, progress=0.02)

    def _turn(self, agent: str, action: Action, floor: BeliefFloor) -> ActionProfile:
        del action
        return ActionProfile(path=_stay(agent, floor), steps=1.0, progress=0.02)

    # Objects.

    def _handled(
        self, agent: str, name: str, floor: BeliefFloor
    ) -> tuple[Belief, float, ActionProfile | None]:
        """The belief, the chance that it fails, and the profile if it cannot work at all."""
        belief = floor.entities[name]
        chance = floor.in_view(agent, belief)
        if chance <= _HOPELESS:
            return belief, 1.0, _no(f"{name} is not in view of {agent}; go to it first")
        closed = _closed_around(name, floor)
        if closed:
            return belief, 1.0, _no(f"{name} is in {closed}, which is closed")
        return belief, 1.0 - chance, None

    def _one(
        self, agent: str, name: str, floor: BeliefFloor, failure: float, progress: float
    ) -> ActionProfile:
        """One primitive on one object that only one robot may handle in this step."""
        return ActionProfile(
            claims=(name,),
            path=_stay(agent, floor),
            steps=1.0,
            failure=failure,
            progress=progress,
        )

    def _pick_up(self, agent: str, action: Action, floor: BeliefFloor) -> ActionProfile:
        name = action.args[0]
        held = floor.held(agent)
        if held:
            return _no(f"{agent} already holds {held}")
        belief, failure, problem = self._handled(agent, name, floor)
        if belief.holder:
            return _no(f"{belief.holder} holds {name}")
        if problem is not None:
            return problem
        if belief.attribute("sliced"):
            return _no(f"{name} is in pieces")
        worth = 0.7 if belief.kind in self._items or not self._items else 0.3
        return self._one(agent, name, floor, failure, worth)

    def _put(self, agent: str, action: Action, floor: BeliefFloor) -> ActionProfile:
        name = action.args[0]
        held = floor.held(agent)
        if not held:
            return _no(f"{agent} holds nothing to put")
        if held == name:
            return _no(f"{name} is what {agent} holds")
        belief, failure, problem = self._handled(agent, name, floor)
        if problem is not None:
            return problem
        if belief.holder:
            return _no(f"{belief.holder} holds {name}")
        if belief.kind in MUST_BE_OPEN and belief.attribute("open") is False:
            return _no(f"{name} is closed")
        item = floor.entities.get(held)
        kind = item.kind if item is not None else held.rpartition("_")[0]
        if belief.kind in SINGLE_SLOT:
            if kind not in SINGLE_SLOT[belief.kind]:
                return _no(f"{name} does not take {held}")
            inside = [b.name for b in floor.lying_in(name)]
            if inside:
                return _no(f"{name} is full: {inside[0]} is on it")
        elif not fits(kind, belief.kind) and belief.kind not in ("Fridge", *self._wanted):
            # A fridge takes everything here, and so does what the task asks for.
            failure = max(failure, 0.6)
        worth = 0.9 if belief.kind in self._wanted else 0.5
        claims = (name,) if belief.kind in SINGLE_SLOT else ()
        return ActionProfile(
            claims=claims,
            path=_stay(agent, floor),
            steps=1.0,
            failure=failure,
            progress=worth,
        )

    def _open(self, agent: str, action: Action, floor: BeliefFloor) -> ActionProfile:
        name, opens = action.args[0], action.verb == "OpenObject"
        belief, failure, problem = self._handled(agent, name, floor)
        if problem is not None:
            return problem
        if belief.attribute("open") is opens and belief.age == 0:
            return _no(f"{name} is already {'open' if opens else 'closed'}")
        if belief.attribute("on") and belief.kind in ("Microwave", "Laptop"):
            return _no(f"{name} must be switched off first")
        worth = 0.6 if belief.kind in self._wanted else 0.3
        if opens and belief.kind in ENCLOSING_TYPES:
            worth = 0.6  # something the task needs may be in it
        return self._one(agent, name, floor, max(failure, 0.08), worth)

    def _toggle(self, agent: str, action: Action, floor: BeliefFloor) -> ActionProfile:
        name, on = action.args[0], action.verb == "ToggleObjectOn"
        belief, failure, problem = self._handled(agent, name, floor)
        if problem is not None:
            return problem
        if belief.attribute("on") is on:
            return _no(f"{name} is already {'on' if on else 'off'}")
        if on and belief.kind == "Microwave" and belief.attribute("open"):
            return _no(f"{name} must be closed first")
        worth = 0.8 if belief.kind in self._wanted or not self._wanted else 0.2
        return self._one(agent, name, floor, failure, worth)

    def _slice(self, agent: str, action: Action, floor: BeliefFloor) -> ActionProfile:
        name = action.args[0]
        belief, failure, problem = self._handled(agent, name, floor)
        if belief.attribute("sliced"):
            return _no(f"{name} is already sliced")
        if belief.holder:
            return _no(f"{name} cannot be sliced while {belief.holder} holds it")
        if problem is not None:
            return problem
        return self._one(agent, name, floor, failure, 0.8)

    def _clean(self, agent: str, action: Action, floor: BeliefFloor) -> ActionProfile:
        name = action.args[0]
        belief, failure, problem = self._handled(agent, name, floor)
        if problem is not None:
            return problem
        if belief.attribute("dirty") is False:
            return _no(f"{name} is already clean")
        return self._one(agent, name, floor, failure, 0.8)


def _closed_around(name: str, floor: BeliefFloor) -> str:
    """The closed container an entity is believed to be in, "" if none."""
    outer = floor.around(name)
    if outer is None or outer.kind not in ENCLOSING_TYPES:
        return ""
    return outer.name if outer.attribute("open") is False else ""


def _stay(agent: str, floor: BeliefFloor) -> tuple[CellVisit, ...]:
    here = floor.cells.get(agent)
    return () if here is None else (CellVisit(here, 0, STAYS),)
