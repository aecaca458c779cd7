"""The grid as flat indices (rules A1 to A4).

Cells are (x, y) with (0, 0) top left and y growing downwards. Inside the simulator a cell is one
integer, `(y + 1) * stride + x + 1` with a border one cell wide, so that a unit move is one
addition and leaving the grid means entering a border cell, which is blocked for ever.
"""

from __future__ import annotations

import math
from functools import lru_cache

from mosaic_planner.core.geometry import Cell

__all__ = ["DIRECTIONS", "Grid", "jump_offsets"]

DIRECTIONS: tuple[tuple[str, int, int], ...] = (
    ("Up", 0, -1),
    ("Down", 0, 1),
    ("Left", -1, 0),
    ("Right", 1, 0),
    ("Center", 0, 0),
)
"""Legal arguments of Move with their unit steps, in the order observations list them (A3, J1)."""


class Grid:
    """A `width` x `height` grid; flat indices include the border."""

    __slots__ = ("_border", "cells", "deltas", "height", "size", "stride", "width", "xs", "ys")

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self.stride = width + 2
        self.size = self.stride * (height + 2)
        self.xs = [i % self.stride - 1 for i in range(self.size)]
        self.ys = [i // self.stride - 1 for i in range(self.size)]
        self.cells: list[Cell] = list(zip(self.xs, self.ys, strict=True))
        self.deltas = tuple(self.delta(dx, dy) for _, dx, dy in DIRECTIONS)
        self._border = bytes(not self.holds(x, y) for x, y in self.cells)

    def index(self, cell: Cell) -> int:
        """The flat index of a cell on the grid."""
        return (cell[1] + 1) * self.stride + cell[0] + 1

    def delta(self, dx: int, dy: int) -> int:
        """What moving by (dx, dy) adds to a flat index."""
        return dy * self.stride + dx

    def holds(self, x: int, y: int) -> bool:
        """Whether (x, y) is on the grid."""
        return 0 <= x < self.width and 0 <= y < self.height

    def border(self) -> bytearray:
        """A fresh occupancy map: 1 on the border, 0 on the grid."""
        return bytearray(self._border)

    def farthest_corner(self, cell: Cell) -> float:
        """Distance from a cell to the farthest of the four corner cells (rule B, person's R)."""
        x, y = cell
        return math.hypot(max(x, self.width - 1 - x), max(y, self.height - 1 - y))


@lru_cache(maxsize=256)
def jump_offsets(radius: float) -> tuple[tuple[int, int], ...]:
    """Where NavigateTo may land around a target of that radius, best first (rule H4).

    Offsets within half the radius (rounded up) per axis and within the radius in distance, ordered
    by distance, then dx, then dy.
    """
    half = math.ceil(radius / 2)
    window = range(-half, half + 1)
    found = [(dx, dy) for dx in window for dy in window if math.hypot(dx, dy) <= radius]
    return tuple(sorted(found, key=lambda d: (d[0] * d[0] + d[1] * d[1], d[0], d[1])))
