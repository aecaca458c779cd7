"""Fires: the disc and its lit cells and regions (section C), and how it burns (section D).

One cell's intensity and clock are one byte, `intensity * 64 + clock`, so that ageing a fire and
reading its intensities are byte translations and cost next to nothing.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from mosaic_planner.core.geometry import Cell
from mosaic_planner.worlds.sar.grid import Grid
from mosaic_planner.worlds.sar.scene import SUPPLIES, FireSpec

__all__ = [
    "LEVELS",
    "TYPE_WORDS",
    "Fire",
    "FirePlan",
    "FireShape",
    "disc_cells",
    "disc_radius",
    "plan_fire",
]

LEVELS: tuple[str, ...] = ("None", "Low", "Medium", "High")
TYPE_WORDS: dict[str, str] = {"A": "chemical", "B": "non-chemical"}

_CLOCK_LIMIT = 63
"""A clock above 6 never matters again (only High cells have one), so it may stop somewhere."""


def _age(state: int) -> int:
    """Rule D4 for one cell."""
    level, clock = divmod(state, 64)
    if level == 1 and clock == 3:
        level = 2
    if level == 2 and clock == 6:
        level = 3
    if level:
        clock = min(clock + 1, _CLOCK_LIMIT)
    return level * 64 + clock


def _reduce(state: int) -> int:
    """Rule D6 for one cell: one level down; the clock restarts unless the cell goes out."""
    level, clock = divmod(state, 64)
    if level == 0:
        return state
    return clock if level == 1 else (level - 1) * 64


_AGED = bytes(_age(s) for s in range(256))
_REDUCED = bytes(_reduce(s) for s in range(256))
_LEVEL = bytes(s // 64 for s in range(256))


def disc_radius(box: int) -> float:
    """The radius r that fills 85 % of a box of that side by rule C2's interpolation."""
    a, b = box / 2, math.pi / 4
    k = (1 - b) / (box * math.sqrt(2) - a) ** 0.25
    return float(((0.85 - b) / k) ** 4 + a)


def disc_cells(box: int, at: Cell) -> tuple[Cell, ...]:
    """The flammable cells of a box in row-major order (rules C1, C2)."""
    centre, radius = box // 2, disc_radius(box)
    return tuple(
        (at[0] + x, at[1] + y)
        for y in range(box)
        for x in range(box)
        if math.hypot(x - centre, y - centre) < radius
    )


@dataclass(frozen=True, slots=True)
class FirePlan:
    """A fire as laid out at reset: lit cells, anchor and named regions."""

    spec: FireSpec
    lit: tuple[Cell, ...]
    anchor: Cell
    regions: tuple[Cell, ...]


def plan_fire(spec: FireSpec, generator: random.Random, shuffle: int | None = None) -> FirePlan:
    """Lay out one fire with a generator seeded for this fire alone (rules C3 to C6, M2, M3).

    `shuffle` mixes the order that extra regions are picked from, as memory addresses did in the
    reference (N1).
    """
    lit = _lit_cells(spec, generator.random())
    shuffled = list(lit)
    generator.shuffle(shuffled)
    regions = sorted(lit, key=lambda c: (c[1], c[0]))
    order = list(disc_cells(spec.box, spec.at))
    if shuffle is not None:
        random.Random(f"{shuffle}:{spec.name}").shuffle(order)
    uncovered = [c for c in order if not any(_touch(c, r) for r in regions)]
    while uncovered:
        picked = generator.choice(uncovered)
        regions.append(picked)
        uncovered = [c for c in uncovered if not _touch(c, picked)]
    return FirePlan(spec, lit, shuffled[-1], tuple(regions))


def _touch(a: Cell, b: Cell) -> bool:
    return -1 <= a[0] - b[0] <= 1 and -1 <= a[1] - b[1] <= 1


def _lit_cells(spec: FireSpec, u: float) -> tuple[Cell, ...]:
    """Rule C3; cells that coincide (never in scenes 1 to 5) count once."""
    centre, radius = spec.box // 2, disc_radius(spec.box)
    q = math.floor(min(2 * radius / 3, 3 * spec.box / 8))
    found: dict[Cell, None] = {}
    for i in range(spec.lit):
        t = (2 * math.pi * i / spec.lit + 2 * math.pi * u) % (2 * math.pi)
        x, y = centre + math.trunc(q * math.cos(t)), centre + math.trunc(q * math.sin(t))
        found[(spec.at[0] + x, spec.at[1] + y)] = None
    return tuple(found)


class FireShape:
    """What of a fire is the same in every episode: its cells as flat indices and their neighbours.

    `where` gives a flat index its place in `cells`; `near` the places of a cell's neighbours
    (rule C7) in that order.
    """

    __slots__ = ("cells", "grid", "near", "spec", "where")

    def __init__(self, spec: FireSpec, grid: Grid) -> None:
        self.spec = spec
        self.grid = grid
        self.cells = tuple(grid.index(c) for c in disc_cells(spec.box, spec.at))
        self.where = {cell: i for i, cell in enumerate(self.cells)}
        around = [grid.delta(dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy]
        self.near = tuple(
            tuple(self.where[c + d] for d in around if c + d in self.where) for c in self.cells
        )


class Fire:
    """A burning fire. `levels` holds one byte per cell, 0 none to 3 high, in `cells` order.

    `shown` are the regions' shown intensities (rule D10), `average` the fire's (rule D9), and
    `version` grows whenever `levels` changes.
    """

    __slots__ = (
        "_near",
        "_scopes",
        "_state",
        "anchor",
        "average",
        "cells",
        "levels",
        "name",
        "plan",
        "reach",
        "region_cells",
        "region_names",
        "shown",
        "supply",
        "version",
        "where",
    )

    def __init__(self, plan: FirePlan, shape: FireShape) -> None:
        grid = shape.grid
        self.plan = plan
        self.name = plan.spec.name
        self.supply = SUPPLIES[plan.spec.type]
        self.reach = math.ceil(disc_radius(plan.spec.box))
        self.anchor = grid.index(plan.anchor)
        self.cells, self.where, self._near = shape.cells, shape.where, shape.near
        self.region_cells = tuple(grid.index(c) for c in plan.regions)
        self.region_names = tuple(f"{self.name}_Region_{n + 1}" for n in range(len(plan.regions)))
        scopes = [self.where[c] for c in self.region_cells]
        self._scopes = tuple((i, *self._near[i]) for i in scopes)
        self._state = bytearray(len(self.cells))
        for cell in plan.lit:
            self._state[self.where[grid.index(cell)]] = 64
        self.version = 0
        self._refresh()

    def _refresh(self) -> None:
        self.levels = levels = self._state.translate(_LEVEL)
        self.shown = tuple(max([levels[i] for i in scope]) for scope in self._scopes)
        total = sum(levels)
        mean = round(1 + total / len(levels)) - 1
        self.average = mean or (1 if total else 0)
        self.version += 1

    @property
    def clocks(self) -> bytes:
        """One byte per cell, 0 to 63 (it stops there), in cell order."""
        return bytes(s & 63 for s in self._state)

    def tick(self) -> None:
        """One fire tick: spread, then ageing (rules D3, D4)."""
        levels = self.levels
        if not self.average:
            return
        state = self._state
        if 0 in levels and (2 in levels or 3 in levels):
            for i, level in enumerate(levels):
                if level >= 2:
                    for j in self._near[i]:
                        if state[j] < 64:
                            state[j] += 64
        self._state = state.translate(_AGED)
        if self._state.translate(_LEVEL) != levels:
            self._refresh()

    def reduce(self, cells: list[int]) -> None:
        """Put the cells with those indices one level down (rule D6)."""
        state, changed = self._state, False
        for i in cells:
            if state[i] >= 64:
                state[i] = _REDUCED[state[i]]
                changed = True
        if changed:
            self._refresh()
