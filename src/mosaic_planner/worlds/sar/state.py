"""The true state of an episode: what is where, who holds what, who sees what (E to G).

Everything is a number: cells are flat grid indices, agents, persons, fires and deposits are their
positions in the scene's lists. Observing, scoring and recording read it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from mosaic_planner.core.observation import Effect
from mosaic_planner.worlds.sar.command import Command, Entity, Sort
from mosaic_planner.worlds.sar.fire import Fire, FireShape, plan_fire
from mosaic_planner.worlds.sar.grid import Grid, jump_offsets
from mosaic_planner.worlds.sar.scene import AgentStart, PersonSpec, Scene, Site
from mosaic_planner.worlds.sar.switches import SarSwitches

__all__ = ["CAPACITY", "NEAR", "NEAR_RADIUS", "SUPPLY_WORDS", "Act", "Person", "SarState"]

CAPACITY = 3
"""Units an agent can hold (rule E1)."""
NEAR_RADIUS = 3 * math.sqrt(2)
"""Radius of agents, reservoirs and deposits (section B)."""
NEAR = 4
"""Sight and interaction range of those: floor of the radius (rule A5)."""
_NEAR2 = NEAR * NEAR
_REGION_RADIUS = 1.5 * math.sqrt(2)
SUPPLY_WORDS = ("Sand", "Water")


@dataclass(slots=True)
class Act:
    """What became of one agent's action; `raw` is the flag before drop promotion (rule I7).

    `moves` (letters U, D, L, R) and `moved` (1 done, 0 blocked) are Explore's unit moves.
    `before` is the inventory at the start of the joint step.
    """

    command: Command
    raw: bool
    error: str = ""
    reason: str = ""
    steps: int = 0
    moves: str = ""
    moved: str = ""
    effects: tuple[Effect, ...] = ()
    promoted: bool = False
    before: tuple[int, int, int] = (0, 0, 0)

    @property
    def success(self) -> bool:
        """The flag the agent is told."""
        return self.raw or self.promoted

    def fail(self, error: str, reason: str) -> None:
        """Mark as failed, with the reference's kind ("" where it has none) and our reason."""
        self.raw = False
        self.error = error
        self.reason = reason


@dataclass(slots=True)
class Person:
    """A person: where it is, who holds it (rule F2), whether it was found and delivered."""

    name: str
    index: int
    cell: int
    radius: float
    load: int
    carriers: list[int] = field(default_factory=list)
    dropping: list[int] = field(default_factory=list)
    spotted: bool = False
    delivered: bool = False

    @property
    def grabbed(self) -> bool:
        """Enough carriers (rule F2)."""
        return len(self.carriers) >= self.load

    @property
    def visible(self) -> bool:
        """Seen by all agents at any distance (rules G3, G4)."""
        return self.spotted and not self.delivered

    @property
    def reach(self) -> int:
        """Range of sight and interaction, cells."""
        return math.floor(self.radius)


class SarState:
    """State of one episode; `reset` starts a new one. Only `simulator` and `actions` change it."""

    def __init__(self, scene: Scene, team: Sequence[AgentStart], switches: SarSwitches) -> None:
        self.scene = scene
        self.team = tuple(team)
        self.switches = switches
        self.grid = Grid(*scene.grid)
        self.agents = tuple(a.name for a in team)
        grid = self.grid
        self.reservoir_cells = tuple(grid.index(r.at) for r in scene.reservoirs)
        self.deposit_cells = tuple(grid.index(d.at) for d in scene.deposits)
        self.reservoir_supply = tuple(0 if r.type == "A" else 1 for r in scene.reservoirs)
        self.near_jumps = jump_offsets(NEAR_RADIUS)
        self.region_jumps = jump_offsets(_REGION_RADIUS)
        self._shapes = tuple(FireShape(spec, grid) for spec in scene.fires)
        self.flammable = {
            c: (f, i) for f, shape in enumerate(self._shapes) for i, c in enumerate(shape.cells)
        }
        self._radii = tuple(p.find_factor * grid.farthest_corner(p.at) for p in scene.persons)
        self.person_jumps = tuple(jump_offsets(r) for r in self._radii)
        self.block = tuple(grid.delta(dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1))
        self.letters = dict(zip("UDLR", grid.deltas, strict=False))
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Lay out a fresh episode; the same seed gives the same one in any process."""
        scene, grid = self.scene, self.grid
        shuffle = self.switches.region_shuffle
        generator = random.Random(seed)
        fires: list[Fire] = []
        for shape in self._shapes:
            generator = random.Random(seed)  # rule M2: every fire starts from the same seed
            fires.append(Fire(plan_fire(shape.spec, generator, shuffle), shape))
        self.fires = tuple(fires)
        self.fire_jumps = tuple(jump_offsets(f.reach) for f in fires)
        self.explore_generator = (
            generator
            if self.switches.explore_shared_generator
            else random.Random(f"explore:{seed}")
        )
        self.positions = [grid.index(a.at) for a in self.team]
        self.persons = [
            Person(p.name, i, grid.index(p.at), self._radii[i], p.load)
            for i, p in enumerate(scene.persons)
        ]
        self.held = [[0, 0] for _ in self.team]
        self.carrying = [-1] * len(self.team)
        self.failures: list[dict[str, None]] = [{} for _ in self.team]
        self.stores = [[0, 0, 0] for _ in scene.deposits]
        self.blocked = grid.border()
        sites = (*self.reservoir_cells, *self.deposit_cells)
        for cell in (*self.positions, *sites, *(p.cell for p in self.persons)):
            self.blocked[cell] += 1
        self.updates = 0
        self.waiting = [0] * len(self.team)
        self.entities = self._name_entities()
        self._spot_all()

    def _name_entities(self) -> dict[str, Entity]:
        found: dict[str, Entity] = {}
        for f, fire in enumerate(self.fires):
            found[fire.name] = Entity(fire.name, Sort.FIRE, f, f)
            for r, name in enumerate(fire.region_names):
                found[name] = Entity(name, Sort.REGION, r, f)
        groups: tuple[tuple[Sort, Sequence[Site | AgentStart | PersonSpec]], ...] = (
            (Sort.RESERVOIR, self.scene.reservoirs),
            (Sort.DEPOSIT, self.scene.deposits),
            (Sort.AGENT, self.team),
            (Sort.PERSON, self.scene.persons),
        )
        for sort, items in groups:
            for i, item in enumerate(items):
                found[item.name] = Entity(item.name, sort, i)
        return found

    # What is where, who sees what.

    def distance2(self, a: int, b: int) -> int:
        """Squared Euclidean distance of two flat cells (rule A4)."""
        xs, ys = self.grid.xs, self.grid.ys
        dx, dy = xs[a] - xs[b], ys[a] - ys[b]
        return dx * dx + dy * dy

    def visible(self, agent: int, entity: Entity) -> bool:
        """Whether an agent's global observation holds the entity now (section G)."""
        sort = entity.sort
        if sort is Sort.REGION:
            return self.fires[entity.fire].shown[entity.index] > 0
        if sort is Sort.PERSON:
            return self.persons[entity.index].visible
        if sort is Sort.AGENT:
            other = entity.index
            return (
                other != agent
                and self.distance2(self.positions[agent], self.positions[other]) <= _NEAR2
            )
        return True

    def inventory(self, agent: int) -> tuple[int, int, int]:
        """Sand, Water and Person slots held (rule E2: a person takes all)."""
        sand, water = self.held[agent]
        return sand, water, CAPACITY if self.carrying[agent] >= 0 else 0

    def place(self, entity: Entity) -> int:
        """The flat cell of an entity; of a fire its anchor (rule C5)."""
        sort, i = entity.sort, entity.index
        if sort is Sort.REGION:
            return self.fires[entity.fire].region_cells[i]
        if sort is Sort.FIRE:
            return self.fires[i].anchor
        if sort is Sort.PERSON:
            return self.persons[i].cell
        if sort is Sort.AGENT:
            return self.positions[i]
        return self.reservoir_cells[i] if sort is Sort.RESERVOIR else self.deposit_cells[i]

    def _spot_all(self) -> None:
        for cell in self.positions:
            self.spot(cell)

    def spot(self, cell: int) -> None:
        """Rule G3 for an agent on that cell."""
        for person in self.persons:
            if not person.spotted and self.distance2(cell, person.cell) <= person.reach**2:
                person.spotted = True

    def near(self, agent: int, cell: int) -> bool:
        """Whether an agent is in sight and interaction range of a reservoir or deposit."""
        return self.distance2(self.positions[agent], cell) <= _NEAR2

    def put_person(self, person: Person, cell: int) -> None:
        """Move a person and what it blocks."""
        if cell != person.cell:
            self.blocked[person.cell] -= 1
            self.blocked[cell] += 1
            person.cell = cell

    def go(self, agent: int, cell: int) -> None:
        """Move an agent and what it blocks; the cell must be free."""
        self.blocked[self.positions[agent]] -= 1
        self.blocked[cell] += 1
        self.positions[agent] = cell
