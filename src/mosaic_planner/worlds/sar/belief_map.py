"""Beliefs read as a map: believed cells, occupancy, inventories, carriers. Nothing true is in it.

Built once per planning step and thrown away with it. A position that is off by less than half a
cell is rounded to its cell; how unsure it is stays known as `sigma`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from mosaic_planner.core.belief import Belief, Beliefs
from mosaic_planner.core.geometry import Cell
from mosaic_planner.core.observation import Value
from mosaic_planner.worlds.sar.fire import LEVELS
from mosaic_planner.worlds.sar.grid import jump_offsets
from mosaic_planner.worlds.sar.state import CAPACITY, NEAR, NEAR_RADIUS

__all__ = ["BeliefMap", "Told", "believed_level", "chance_beyond", "supply_of"]

_REGION_RADIUS = 1.5 * math.sqrt(2)
_BLOCKING = ("reservoir", "deposit", "person")


@dataclass(frozen=True, slots=True)
class Told:
    """What the briefing tells everybody: the grid's size and whom to find, with their loads."""

    grid: tuple[int, int]
    persons: tuple[tuple[str, int], ...] = ()


def believed_level(belief: Belief) -> int:
    """Believed intensity of a fire or region, 0 to 3; Low if the word is none of ours."""
    word = belief.attribute("intensity")
    return LEVELS.index(str(word)) if word in LEVELS else 1


def chance_beyond(distance: float, reach: float, sigma: float) -> float:
    """Chance in [0, 1] that a thing believed at `distance` is farther than `reach` cells."""
    if sigma <= 0.0:
        return 0.0 if distance <= reach else 1.0
    return 0.5 * math.erfc((reach - distance) / (sigma * math.sqrt(2)))


class BeliefMap:
    """One step's beliefs by cell."""

    def __init__(self, beliefs: Beliefs, told: Told) -> None:
        self.beliefs = beliefs
        self.told = told
        self.width, self.height = told.grid
        self.entities = beliefs.entities
        self.kinds = {name: b.kind for name, b in self.entities.items()}
        self.kinds.update(dict.fromkeys(beliefs.agents, "agent"))
        self.cells: dict[str, Cell] = {}
        self.blocked: dict[Cell, str] = {}
        self.fires: list[Belief] = []
        self.regions: list[Belief] = []
        self.reservoirs: list[Belief] = []
        self.deposits: list[Belief] = []
        self.persons: list[Belief] = []
        groups = {
            "fire": self.fires,
            "region": self.regions,
            "reservoir": self.reservoirs,
            "deposit": self.deposits,
            "person": self.persons,
        }
        for name, belief in self.entities.items():
            group = groups.get(belief.kind)
            if group is None or belief.lost:
                continue
            group.append(belief)
            self.cells[name] = cell = (round(belief.x), round(-belief.z))
            if belief.kind in _BLOCKING:
                self.blocked[cell] = name
        for agent in beliefs.agents:
            pose = beliefs.pose(agent)
            if pose is not None:
                self.cells[agent] = cell = (round(pose.x), round(-pose.z))
                self.blocked[cell] = agent
        self._bags = {a: self._bag(a) for a in beliefs.agents}
        self.carrying = {a: self._carried(a) for a in beliefs.agents}
        said = [str(beliefs.local(a).get("unvisited", "")) for a in beliefs.agents]
        self.unvisited = frozenset(name for text in said[:1] for name in text.split(", ") if name)
        self.carriers: dict[str, list[str]] = {}
        for agent, person in self.carrying.items():
            if person:
                self.carriers.setdefault(person, []).append(agent)

    def _bag(self, agent: str) -> tuple[int, int, int]:
        held = self.beliefs.inventory(agent)
        return held.get("Sand", 0), held.get("Water", 0), held.get("Person", 0)

    def _carried(self, agent: str) -> str:
        """Whom an agent carries: as it says itself, else the only person it can be."""
        said = self.beliefs.local(agent).get("carrying", "")
        if said:
            return str(said)
        if not self._bags[agent][2]:
            return ""
        held = [p.name for p in self.persons if p.holder == agent]
        if held:
            return held[0]
        return self.persons[0].name if len(self.persons) == 1 else "somebody"

    def held(self, agent: str, supply: str) -> int:
        """Units of a supply an agent is believed to hold."""
        sand, water, _ = self._bags.get(agent, (0, 0, 0))
        return sand if supply == "Sand" else water

    def free(self, agent: str) -> int:
        """Free places in an agent's inventory."""
        return CAPACITY - sum(self._bags.get(agent, (0, 0, 0)))

    def distance(self, agent: str, name: str) -> float | None:
        """Believed Euclidean distance between an agent's and an entity's cells."""
        here, there = self.cells.get(agent), self.cells.get(name)
        if here is None or there is None:
            return None
        return math.hypot(here[0] - there[0], here[1] - there[1])

    def sigma(self, name: str) -> float:
        """How unsure an entity's position is, cells."""
        belief = self.entities.get(name)
        return 0.0 if belief is None else belief.sigma

    def beyond(self, agent: str, name: str, reach: float) -> float:
        """Chance that `name` is out of `reach` of an agent; 0.5 if nobody knows."""
        distance = self.distance(agent, name)
        if distance is None:
            return 0.5
        return chance_beyond(distance, reach, self.sigma(name))

    def reach(self, belief: Belief) -> float:
        """Range of action on an entity, cells."""
        told: Value | None = belief.attribute("reach")
        if isinstance(told, int | float) and not isinstance(told, bool):
            return float(told)
        return float(NEAR)

    def needed(self, supply: str) -> bool:
        """Whether a fire that takes that supply is believed to burn."""
        return any(believed_level(f) and supply_of(f) == supply for f in self.fires)

    def fire_of(self, name: str) -> Belief | None:
        """The fire that a fire's or region's name stands for."""
        belief = self.entities.get(name)
        if belief is None:
            return None
        if belief.kind == "fire":
            return belief
        if belief.kind == "region":
            return self.entities.get(str(belief.attribute("fire")))
        return None

    def is_visible(self, agent: str, name: str) -> bool:
        """Whether an action of the agent may name it now (section G), as far as is believed."""
        if name in self.carrying:
            distance = self.distance(agent, name)
            if distance is None:
                return name in self.beliefs.names(agent)
            return name != agent and distance <= NEAR
        belief = self.entities.get(name)
        if belief is None or belief.lost:
            return False
        return belief.kind != "region" or believed_level(belief) > 0

    def landings(self, agent: str, name: str) -> list[Cell]:
        """Where NavigateTo would lead and where else, at most two cells (rules H4, H5).

        By what is believed to be blocked; none if every cell near is.
        """
        target = self.cells[name]
        belief = self.entities.get(name)
        kind = "agent" if belief is None else belief.kind
        if kind == "region":
            radius = _REGION_RADIUS
        elif kind in ("fire", "person") and belief is not None:
            radius = self.reach(belief)
        else:
            radius = NEAR_RADIUS
        if self.cells.get(agent) == target:
            return [target]
        found = []
        for dx, dy in jump_offsets(radius):
            cell = (target[0] + dx, target[1] + dy)
            if self.on_grid(cell) and cell not in self.blocked:
                found.append(cell)
                if len(found) == 2:
                    break
        return found

    def on_grid(self, cell: Cell) -> bool:
        """Whether a cell is on the grid everybody is told of."""
        return 0 <= cell[0] < self.width and 0 <= cell[1] < self.height

    def unfound(self) -> int:
        """Persons of the mission that nobody has seen: told, less known, less delivered."""
        delivered = 0
        for deposit in self.deposits:
            count = deposit.attribute("persons", 0)
            delivered += count if isinstance(count, int) else 0
        return max(0, len(self.told.persons) - delivered - len(self.persons))

    def spare(self, agent: str) -> bool:
        """Whether the mission needs nothing of an agent: no fire burns, everybody is found,
        nothing known is left to go to, and others are nearer to every person who lacks robots.
        """
        if self.carrying.get(agent) or self.unfound() or any(map(believed_level, self.fires)):
            return False
        if any(name in self.entities for name in self.unvisited):
            return False
        free = [a for a, person in self.carrying.items() if not person]
        for person in self.persons:
            missing = self.missing_carriers(person)
            far = {
                a: d if (d := self.distance(a, person.name)) is not None else math.inf for a in free
            }
            nearest = sorted(free, key=lambda a: (far[a], a))
            if agent in nearest[:missing]:
                return False
        return True

    def wants_at(self, person: Belief, agent: str) -> bool:
        """Whether a person lacks robots and has a use for `agent`.

        It has none where enough others stand beside it already, nor for a robot that stands
        beside another one who lacks robots: what is gained here would be lost there.
        """
        missing = self.missing_carriers(person)
        free = [a for a, carried in self.carrying.items() if a != agent and not carried]
        if sum(self._beside(a, person.name) for a in free) >= missing:
            return False
        others = [p for p in self.persons if p is not person and self.missing_carriers(p)]
        return not any(self._beside(agent, p.name) for p in others)

    def _beside(self, agent: str, name: str) -> bool:
        distance = self.distance(agent, name)
        return distance is not None and distance <= 1.5

    def missing_carriers(self, person: Belief) -> int:
        """How many more robots must take hold of a person; 0 if it is carried."""
        if person.attribute("grabbed"):
            return 0
        load = person.attribute("load", 2)
        wanted = load if isinstance(load, int) else 2
        return max(1, wanted - len(self.carriers.get(person.name, ())))


def supply_of(fire: Belief) -> str:
    """The supply that puts a fire out, "" if its type is not known."""
    return {"chemical": "Sand", "non-chemical": "Water"}.get(str(fire.attribute("type")), "")
