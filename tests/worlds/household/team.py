"""A team that knows everything and acts only through the world: what the tasks can be solved with.

Not a planner: it reads true state. It shows that every task of every room can be done by the
high-level actions, and how many of them that takes.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from mosaic_planner.core.action import IDLE, Action
from mosaic_planner.worlds.household.catalogue import ENCLOSING_TYPES, SINGLE_SLOT, fits
from mosaic_planner.worlds.household.judging import Duty
from mosaic_planner.worlds.household.world import HouseholdWorld

ANYWHERE = (
    "CounterTop", "DiningTable", "SideTable", "CoffeeTable", "Shelf", "Desk", "Bed", "Sofa",
)  # fmt: skip
VERBS = {
    ("isSliced", True): "SliceObject",
    ("isDirty", False): "CleanObject",
    ("isOpen", True): "OpenObject",
    ("isToggled", True): "ToggleObjectOn",
    ("isToggled", False): "ToggleObjectOff",
}


class KnowingTeam:
    """Plays one world to its end."""

    def __init__(self, world: HouseholdWorld) -> None:
        self.world = world
        self.stage = world._stage
        self.failures: Counter[tuple[str, str]] = Counter()
        self.actions = 0
        self.refused: Counter[tuple[str, str]] = Counter()
        self.crowded: set[tuple[int, str]] = set()
        self.reasons: dict[str, str] = {}
        self.aims: dict[int, str] = {}
        self.fruitless: Counter[int] = Counter()

    def play(self, steps: int = 100) -> bool:
        """Whether the task was done within so many joint steps."""
        world = self.world
        for step in range(steps):
            if world.score().success:
                return True
            joint = self.joint(step)
            result = world.step(joint)
            self.reasons = {a: o.reason for a, o in result.outcomes.items()}
            for index, agent in enumerate(world.agents):
                outcome = result.outcomes[agent]
                self.actions += not outcome.idle
                self.fruitless[index] = 0 if outcome.success else self.fruitless[index] + 1
                if outcome.success:
                    continue
                self.failures[outcome.action.verb, outcome.error_kind] += 1
                if "the robot itself" in outcome.reason:
                    self.crowded.add((index, self.stage.names.id_of(outcome.action.args[0])))
                if outcome.action.verb == "PutObject":
                    aim = self.aims.get(index, "")
                    self.refused[self.stage.held(index), aim] += 1
                    self.crowded.add((index, aim))
        return world.score().success

    def joint(self, step: int) -> dict[str, Action]:
        objects = {o["objectId"]: o for o in self.stage.objects()}
        duties = self.world._scorer.goals.duties(list(objects.values()))
        taken: set[str] = set()
        self.aims = {}
        chosen = {}
        for index, agent in enumerate(self.world.agents):
            action = self.one(index, duties, objects, taken)
            if self.fruitless[index] >= 2:
                self.fruitless[index] = 0
                action = Action("Move", (("Back", "Left", "Right")[(step + index) % 3],))
            chosen[agent] = action
        for agent in self.world.agents:
            reason = self.reasons.get(agent, "")
            blocker = reason.partition(" is where ")[0]
            if blocker.startswith("Drawer_") and " would open" in reason:
                chosen[agent] = self.at(
                    self.world.agents.index(agent),
                    self.stage.names.id_of(blocker),
                    "CloseObject",
                    objects,
                )
            elif reason:  # whoever has nothing to do gets out of the way
                for other in self.world.agents:
                    if other != agent and chosen[other] == IDLE:
                        chosen[other] = Action("Explore")
        return chosen

    def one(
        self, index: int, duties: tuple[Duty, ...], objects: dict[str, Any], taken: set[str]
    ) -> Action:
        held = self.stage.held(index)
        if held:
            return self.bring(index, held, duties, objects, taken)
        in_hands = {self.stage.held(k) for k in range(len(self.world.agents))}
        for duty in sorted(duties, key=lambda d: self.far(index, objects[d.object_id])):
            key = duty.object_id
            if key in taken or key in in_hands:
                continue
            taken.add(key)
            verb = "PickupObject"
            if duty.goal.kind == "state":
                verb = VERBS[duty.goal.fields[0], duty.goal.value]
            return self.at(index, key, verb, objects)
        if not duties:
            for goal, about in self.world._scorer.goals.goals:
                if goal.kind == "state" and goal.fields == ("isOpen",) and not goal.value:
                    for key in about:
                        if objects[key]["isOpen"] and key not in taken:
                            taken.add(key)
                            return self.at(index, key, "CloseObject", objects)
        return IDLE

    def bring(
        self,
        index: int,
        held: str,
        duties: tuple[Duty, ...],
        objects: dict[str, Any],
        taken: set[str],
    ) -> Action:
        duty = next((d for d in duties if d.object_id == held and d.goal.kind == "at"), None)
        kinds = ANYWHERE if duty is None else duty.goal.receptacles
        if "Sink" in kinds:
            kinds = (*kinds, "SinkBasin")
        item = objects[held]["objectType"]
        forced = self.world.task.forced
        options = [
            o
            for o in objects.values()
            if o["objectType"] in kinds
            and o["receptacle"]
            and o["objectId"] not in taken
            and not (o["objectType"] in SINGLE_SLOT and o["receptacleObjectIds"])
            and (fits(item, o["objectType"]) or (item, o["objectType"]) in forced)
        ]
        if not options:
            return IDLE
        best = min(
            options,
            key=lambda o: (
                self.refused[held, o["objectId"]] // 4,
                not self.stage.names.name_of(o["objectId"]),
                self.far(index, o),
            ),
        )
        key = best["objectId"]
        if best["objectType"] in SINGLE_SLOT or (best["openable"] and not best["isOpen"]):
            taken.add(key)
        if best["openable"] and not best["isOpen"]:
            return self.at(index, key, "OpenObject", objects)
        self.aims[index] = key
        return self.at(index, key, "PutObject", objects)

    def at(self, index: int, key: str, verb: str, objects: dict[str, Any]) -> Action:
        """The next action on the way to doing `verb` to an object."""
        for parent in objects[key]["parentReceptacles"] or ():
            outer = objects.get(parent)
            if outer and outer["objectType"] in ENCLOSING_TYPES and not outer["isOpen"]:
                return self.at(index, parent, "OpenObject", objects)
        name = self.stage.names.name_of(key)
        if not name:
            return Action("Explore")
        entry = self.stage.entry(index, key)
        assert entry is not None
        if entry["isInteractable"] and (index, key) not in self.crowded:
            return Action(verb, (name,))
        self.crowded.discard((index, key))
        return Action("NavigateTo", (name,))

    def far(self, index: int, entry: Any) -> float:
        here = self.stage.metadata(index)["agent"]["position"]
        there = entry["axisAlignedBoundingBox"]["center"]
        return abs(here["x"] - there["x"]) + abs(here["z"] - there["z"])
