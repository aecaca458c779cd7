"""Larger missions: scenes made from a seed, solvable by construction, and places for big teams.

A generated scene has the parts of the reference's scenes in other numbers: fires of its box sizes,
one reservoir for each supply that is needed (or more), a deposit, persons whom nobody sees at the
start. Nothing overlaps, and what robots must stand next to has free cells around it.
"""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from mosaic_planner.core.errors import UsageError
from mosaic_planner.core.files import write_file
from mosaic_planner.core.geometry import Cell
from mosaic_planner.worlds.sar.fire import disc_cells
from mosaic_planner.worlds.sar.grid import Grid
from mosaic_planner.worlds.sar.scene import (
    MOST_AGENTS,
    AgentStart,
    FireSpec,
    PersonSpec,
    Scene,
    Site,
    scene_from_data,
    scene_to_data,
)

__all__ = ["agent_names", "generate", "more_starts", "write_scene"]

_AGENT_WORDS = (
    "Alice Bob Charlie David Emma Finn Grace Henry Iris Jonas Kira Leon Mara Nils Olga Pavel "
    "Rosa Sven Tara Ugo Vera Walter Xenia Yara Zeno"
)
_FIRE_WORDS = (
    "Amber Birch Cinder Delta Elm Flint Gorge Hazel Ivy Juniper Kestrel Larch Maple North Oak "
    "Pine Quarry Ridge Spruce Tundra Umber Valley Willow Xeric Yew Zinc"
)
_PERSON_WORDS = (
    "Aaron Bella Cyrus Dora Elias Fiona Gus Hanna Igor Jane Karl Lena Milo Nora Oskar Paula "
    "Quentin Rita Simon Thea Urs Vida Wim Xaver Ylva Zora"
)
_RESERVOIR_WORDS = (
    "Aspen Boulder Cedar Dune Estes Fargo Galena Huron Ithaca Juneau Keswick Lodi Mesa Nome "
    "Ogden Provo Quincy Reno Salem Taos"
)
_BOXES = (5, 6, 8, 10)
_LIT = {5: (1,), 6: (1, 2), 8: (1, 2), 10: (1, 2, 3)}
_TRIES = 400


def agent_names(count: int) -> tuple[str, ...]:
    """The reference's six names, two of ours, then more without end."""
    endless = itertools.chain(_AGENT_WORDS.split(), (f"Robot{n}" for n in itertools.count(1)))
    return tuple(itertools.islice(endless, count))


def _labelled(words: str, form: str) -> Iterator[str]:
    """Names without end, none of which contains another: the later rounds end in B, C, ..."""
    for rounds in itertools.count():
        mark = "" if rounds == 0 else f"{chr(ord('A') + rounds)}"
        for word in words.split():
            yield form.format(f"{word}{mark}" if form.startswith("{") else f"{mark}{word}")


class _Ground:
    """Which cells are taken, while a scene is being laid out."""

    def __init__(self, grid: Grid, generator: random.Random) -> None:
        self.grid = grid
        self.generator = generator
        self.taken: set[Cell] = set()

    def take(self, cells: Iterator[Cell]) -> None:
        self.taken.update(cells)

    def pick(self, what: str, fits: Callable[[Cell], bool]) -> Cell:
        """A random free cell that fits; raises `UsageError` if the grid is too crowded."""
        grid, generator = self.grid, self.generator
        for _ in range(_TRIES):
            cell = (generator.randrange(grid.width), generator.randrange(grid.height))
            if cell not in self.taken and fits(cell):
                return cell
        cells = [(x, y) for y in range(grid.height) for x in range(grid.width)]
        left = [c for c in cells if c not in self.taken and fits(c)]
        if not left:
            raise UsageError(
                f"no room for {what} on a {grid.width} x {grid.height} grid; "
                "take a larger size or fewer things"
            )
        return generator.choice(left)


def _around(cell: Cell, width: int) -> Iterator[Cell]:
    for dy in range(-width, width + 1):
        for dx in range(-width, width + 1):
            yield cell[0] + dx, cell[1] + dy


def _inside(grid: Grid, cell: Cell, margin: int) -> bool:
    x, y = cell
    return margin <= x < grid.width - margin and margin <= y < grid.height - margin


def generate(
    size: int,
    fires: int,
    persons: int,
    seed: int,
    *,
    agents: int = 8,
    reservoirs: int = 1,
    deposits: int = 1,
    load: int = 2,
) -> Scene:
    """A scene of `size` x `size` cells, the same for the same arguments in any process.

    `fires`, `persons`: how many, >= 0 and not both 0. `agents`: start cells listed (a larger team
    gets further ones when the scene is used). `reservoirs`: per supply that some fire needs; a
    mission without fires has none. `load`: carriers each person needs, at most `agents`. Raises
    `UsageError` if a number is out of range or the grid has no room.
    """
    _check("size", size, 12, 500)
    _check("fires", fires, 0, 100)
    _check("persons", persons, 0, 200)
    _check("agents", agents, 1, MOST_AGENTS)
    _check("reservoirs", reservoirs, 1, 10)
    _check("deposits", deposits, 1, 10)
    _check("load", load, 1, min(agents, 16))
    if fires == persons == 0:
        raise UsageError("a mission needs at least one fire or person")
    generator = random.Random(f"sar-scene:{size}:{fires}:{persons}:{seed}:{agents}")
    ground = _Ground(Grid(size, size), generator)
    specs = _lay_fires(ground, fires)
    kinds = sorted({f.type for f in specs})
    sites = _lay_sites(ground, kinds, reservoirs, deposits)
    starts = _lay_agents(ground, agents)
    people = _lay_persons(ground, persons, load, starts)
    scene = Scene(
        name=f"generated {size} x {size}, {fires} fires, {persons} persons, seed {seed}",
        grid=(size, size),
        fires=specs,
        reservoirs=tuple(s for s in sites if s.type),
        deposits=tuple(s for s in sites if not s.type),
        persons=people,
        agents=starts,
    )
    return scene_from_data(scene_to_data(scene), "generated scene")  # the same checks as a file


def _check(name: str, value: int, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise UsageError(f"{name} must be a whole number from {low} to {high}, not {value!r}")


def _lay_fires(ground: _Ground, count: int) -> tuple[FireSpec, ...]:
    generator, grid = ground.generator, ground.grid
    names = _labelled(_FIRE_WORDS, "{}Fire")
    specs = []
    for i in range(count):
        boxes = [b for b in _BOXES if b <= max(5, grid.width // 4)]
        box = generator.choice(boxes)

        def fits(cell: Cell, box: int = box) -> bool:
            return all(_inside(grid, c, 1) and c not in ground.taken for c in disc_cells(box, cell))

        at = ground.pick(f"{count} fires", fits)
        # Both types come up as soon as there are two fires.
        type_ = "AB"[i % 2] if i < 2 else generator.choice("AB")
        specs.append(FireSpec(next(names), type_, generator.choice(_LIT[box]), box, at))
        for cell in disc_cells(box, at):
            ground.take(_around(cell, 1))
    return tuple(specs)


def _lay_sites(
    ground: _Ground, kinds: list[str], reservoirs: int, deposits: int
) -> tuple[Site, ...]:
    """Reservoirs and deposits with a ring of two cells free around each, so teams can land."""
    grid = ground.grid
    sites = []
    names = _labelled(_RESERVOIR_WORDS, "Reservoir{}")
    for type_, count in (*((k, reservoirs) for k in kinds), ("", deposits)):
        for n in range(count):
            cell = ground.pick(
                "reservoirs and deposits",
                lambda c: _inside(grid, c, 2) and ground.taken.isdisjoint(_around(c, 2)),
            )
            mark = "" if count == 1 else chr(ord("A") + n)
            name = next(names) if type_ else f"DepositFacility{mark}"
            sites.append(Site(name, cell, type_))
            ground.take(_around(cell, 2))
    return tuple(sites)


def _lay_agents(ground: _Ground, count: int) -> tuple[AgentStart, ...]:
    starts = []
    for name in agent_names(count):
        cell = ground.pick(f"{count} agents", lambda c: True)
        starts.append(AgentStart(name, cell))
        ground.take(_around(cell, 0))
    return tuple(starts)


def _lay_persons(
    ground: _Ground, count: int, load: int, starts: tuple[AgentStart, ...]
) -> tuple[PersonSpec, ...]:
    """Persons nobody sees at the start; on small grids their range shrinks until they fit."""
    grid, generator = ground.grid, ground.generator
    names = _labelled(_PERSON_WORDS, "LostPerson{}")
    people: list[PersonSpec] = []
    for _ in range(count):
        # On 30 x 30 cells 7 to 12, where the reference's persons have 9 to 12.
        wanted = generator.randint(5 + grid.width // 15, 6 + grid.width // 5)
        for sight in range(wanted, 1, -1):

            def fits(cell: Cell, sight: int = sight) -> bool:
                unseen = all(_apart(cell, a.at) > sight + 1 for a in starts)
                return unseen and _inside(grid, cell, 1)

            try:
                cell = ground.pick(f"{count} persons", fits)
                break
            except UsageError:
                if sight == 2:
                    raise
        # Half a cell more than the range, so that its floor is the range whatever the rounding.
        factor = round((sight + 0.5) / grid.farthest_corner(cell), 4)
        people.append(PersonSpec(next(names), cell, factor, load))
        ground.take(_around(cell, 1))
    return tuple(people)


def _apart(a: Cell, b: Cell) -> float:
    return float(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5)


def more_starts(scene: Scene, count: int) -> tuple[AgentStart, ...]:
    """Further places in the team of a scene file that lists too few, always the same ones.

    On free cells away from fires, out of sight of every person if there are such cells. Raises
    `UsageError` if the grid is full.
    """
    grid = Grid(*scene.grid)
    ground = _Ground(grid, random.Random(f"sar-starts:{scene.name}"))
    for spec in scene.fires:
        ground.take(iter(disc_cells(spec.box, spec.at)))
    things: list[Site | PersonSpec | AgentStart] = [*scene.reservoirs, *scene.deposits]
    for item in (*things, *scene.persons, *scene.agents):
        ground.take(_around(item.at, 0))
    ranges = [(p.at, int(p.find_factor * grid.farthest_corner(p.at))) for p in scene.persons]
    taken_names = set(scene.names())
    names = (n for n in agent_names(MOST_AGENTS + count) if n not in taken_names)
    starts = []
    for name in itertools.islice(names, count):
        try:
            cell = ground.pick(
                "more agents", lambda c: all(_apart(c, at) > sight for at, sight in ranges)
            )
        except UsageError:
            cell = ground.pick("more agents", lambda c: True)
        starts.append(AgentStart(name, cell))
        ground.take(_around(cell, 0))
    return tuple(starts)


def write_scene(scene: Scene, path: str | Path) -> None:
    """Write a scene file; raises `UsageError` if that fails."""
    lines = [f'  "{key}": {_laid_out(value)}' for key, value in scene_to_data(scene).items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    write_file(path, text.encode(), "scene file")


def _laid_out(value: object) -> str:
    """Lists of objects one item a line, everything else on one line."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n" + ",\n".join(f"    {json.dumps(item)}" for item in value) + "\n  ]"
    return json.dumps(value)
