"""Shortest ways over the floor in primitive moves.

A state is a cell of the agents' own grid and one of four headings. Moving ahead one cell and
turning by 90 degrees cost one primitive each, as does tilting the view at the end.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from mosaic_planner.core.geometry import Cell

__all__ = ["Route", "View", "route", "to_cell"]

_AHEAD: Mapping[int, Cell] = {0: (0, 1), 90: (1, 0), 180: (0, -1), 270: (-1, 0)}

State = tuple[int, int, int]
"""Cell and heading in degrees (0, 90, 180, 270)."""


@dataclass(frozen=True, slots=True)
class View:
    """A pose worth ending in: cell, heading, horizon, and how much less welcome it is."""

    cell: Cell
    heading: int
    horizon: float
    penalty: float = 0.0


@dataclass(frozen=True, slots=True)
class Route:
    """`steps`: primitive action names in order, without looks; `cells`: those passed, in order."""

    steps: tuple[str, ...]
    cells: tuple[Cell, ...]
    view: View
    cost: float


def to_cell(x: float, z: float, grid: float) -> Cell:
    """The grid cell of a position in metres."""
    return (math.floor(x / grid + 0.5), math.floor(z / grid + 0.5))


def route(
    start: State,
    horizon: float,
    free: Collection[Cell],
    views: Iterable[View],
    *,
    taboo: Collection[State] = (),
) -> Route | None:
    """The cheapest way from a state to one of `views`, or None if none can be reached.

    `free`: cells that can be walked on (the start need not be among them). `taboo`: states that
    must not be entered (the held object would hit something there). Ties go to the earlier view.
    """
    wanted: dict[State, list[tuple[float, int, View]]] = {}
    for order, view in enumerate(views):
        extra = view.penalty + (1.0 if view.horizon != horizon else 0.0)
        key = (*view.cell, view.heading)
        wanted.setdefault(key, []).append((extra, order, view))
    if not wanted:
        return None
    best: tuple[float, int, View, State] | None = None
    cost: dict[State, int] = {start: 0}
    came: dict[State, tuple[State, str]] = {}
    queue: list[tuple[int, State]] = [(0, start)]
    while queue:
        so_far, state = heapq.heappop(queue)
        if so_far > cost[state]:
            continue
        if best is not None and so_far >= best[0]:
            break
        for extra, order, view in wanted.get(state, ()):
            total = so_far + extra
            if best is None or (total, order) < best[:2]:
                best = (total, order, view, state)
        x, z, heading = state
        dx, dz = _AHEAD[heading]
        ahead = (x + dx, z + dz, heading)
        options = [
            ((x, z, (heading + 90) % 360), "RotateRight"),
            ((x, z, (heading + 270) % 360), "RotateLeft"),
        ]
        if ahead[:2] in free:
            options.append((ahead, "MoveAhead"))
        for after, step in options:
            if after in taboo:
                continue
            if so_far + 1 < cost.get(after, 1 << 30):
                cost[after] = so_far + 1
                came[after] = (state, step)
                heapq.heappush(queue, (so_far + 1, after))
    if best is None:
        return None
    steps: list[str] = []
    cells: list[Cell] = []
    state = best[3]
    while state != start:
        cells.append(state[:2])
        state, step = came[state]
        steps.append(step)
    cells.append(start[:2])
    passed: dict[Cell, None] = dict.fromkeys(reversed(cells))
    return Route(tuple(reversed(steps)), tuple(passed), best[2], best[0])
