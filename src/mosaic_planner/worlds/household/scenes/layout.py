"""The empty room, and where furniture can stand in it: against walls, on walls, in the middle.

The room is a rectangle around the origin, floor at y = 0. Every placement keeps the free floor in
one piece and every earlier piece within an agent's reach.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.geometry import Cell
from mosaic_planner.worlds.household.scenes.scene import CELL_M, Box, Vec

__all__ = ["WALLS", "Piece", "Room", "Wall", "faces_free_floor", "near_cells"]

_AGENT_RADIUS_M = 0.2
_TOP_M = 1.8  # what hangs higher does not keep agents from standing below
_REACH_M = 0.95  # a piece must have a free cell this near to its box
_FEWEST_CELLS = 40


@dataclass(frozen=True, slots=True)
class Wall:
    """One wall: its inward normal (x, z) and the yaw of what stands against it."""

    name: str
    nx: float
    nz: float
    yaw: float


WALLS = (
    Wall("north", 0.0, -1.0, 180.0),
    Wall("east", -1.0, 0.0, 270.0),
    Wall("south", 0.0, 1.0, 0.0),
    Wall("west", 1.0, 0.0, 90.0),
)


@dataclass(slots=True, eq=False)
class Piece:
    """One object to be. `parent`: what it lies on at the start. `controls`: pieces it switches.

    `suffix`: ids of sub-receptacles are their parent's plus this. `solid`: keeps agents away.
    """

    object_type: str
    box: Box
    yaw: float = 0.0
    parent: Piece | None = None
    controls: list[Piece] = field(default_factory=list)
    suffix: str = ""
    solid: bool = True


@dataclass(slots=True)
class Room:
    """A room of `width` (x) by `depth` (z) metres that is being furnished."""

    rng: random.Random
    width: float
    depth: float
    height: float = 2.6
    pieces: list[Piece] = field(default_factory=list)

    def length(self, wall: Wall) -> float:
        """Metres along a wall."""
        return self.width if wall.nz else self.depth

    def against(
        self, wall: Wall, along: float, size: Vec, base: float = 0.0, gap: float = 0.0
    ) -> Box:
        """The box of a piece `size` = (along the wall, height, depth) with its back to a wall.

        `along` is its middle, measured from the middle of the wall towards +x or +z; `base` the
        height of its underside; `gap` its distance from the wall.
        """
        w, h, d = size
        off = (self.depth if wall.nz else self.width) / 2 - d / 2 - gap
        if wall.nz:
            return Box((along, base + h / 2, -wall.nz * off), (w, h, d))
        return Box((-wall.nx * off, base + h / 2, along), (d, h, w))

    def add(self, piece: Piece) -> Piece:
        """Put a piece in without asking whether it fits."""
        self.pieces.append(piece)
        return piece

    def clear(self, box: Box, margin: float = 0.0) -> bool:
        """Whether a box is inside the room and overlaps no solid piece."""
        if abs(box.center[0]) + box.size[0] / 2 > self.width / 2 + 1e-6:
            return False
        if abs(box.center[2]) + box.size[2] / 2 > self.depth / 2 + 1e-6:
            return False
        return not any(p.solid and _overlap(box, p.box, margin) for p in self.pieces)

    def put_on_wall(
        self,
        object_type: str,
        size: Vec,
        *,
        base: float = 0.0,
        walls: Iterable[Wall] = WALLS,
        solid: bool = True,
        ok: Callable[[Box], bool] = lambda box: True,
    ) -> Piece | None:
        """A piece against or on a random free stretch of wall, or None if there is none."""
        options = [
            (wall, along) for wall in walls for along in self._stretch(self.length(wall), size[0])
        ]
        self.rng.shuffle(options)
        for wall, along in options[:60]:
            box = self.against(wall, along, size, base)
            if not self.clear(box) or not ok(box):
                continue
            piece = Piece(object_type, box, wall.yaw, solid=solid)
            if self._keep_if_usable(piece):
                return piece
        return None

    @staticmethod
    def _stretch(length: float, width: float) -> list[float]:
        room = length - width
        if room < 0:
            return []
        count = int(room / 0.1) + 1
        return [round(-room / 2 + k * 0.1, 3) for k in range(count)]

    def put_in_middle(self, object_type: str, size: Vec, margin: float = 0.5) -> Piece | None:
        """A piece standing free with at least `margin` around it, or None."""
        w, h, d = size
        for _ in range(60):
            if self.rng.random() < 0.5:
                w, d = d, w
            x = round(self.rng.uniform(-1, 1) * max(0.0, self.width / 2 - w / 2 - margin), 2)
            z = round(self.rng.uniform(-1, 1) * max(0.0, self.depth / 2 - d / 2 - margin), 2)
            box = Box((x, h / 2, z), (w, h, d))
            if not self.clear(box, margin):
                continue
            piece = Piece(object_type, box)
            if self._keep_if_usable(piece):
                return piece
        return None

    def put_beside(self, object_type: str, size: Vec, near: Piece) -> Piece | None:
        """A piece right before one of the sides of another (a chair at a table), or None."""
        w, h, d = size
        (cx, _, cz), (sx, _, sz) = near.box.center, near.box.size
        sides = [
            (cx, cz + (sz + d) / 2 + 0.02, 180.0),
            (cx, cz - (sz + d) / 2 - 0.02, 0.0),
            (cx + (sx + w) / 2 + 0.02, cz, 270.0),
            (cx - (sx + w) / 2 - 0.02, cz, 90.0),
        ]
        self.rng.shuffle(sides)
        for x, z, yaw in sides:
            box = Box((round(x, 3), h / 2, round(z, 3)), (w, h, d))
            if self.clear(box):
                piece = Piece(object_type, box, yaw)
                if self._keep_if_usable(piece):
                    return piece
        return None

    def _keep_if_usable(self, piece: Piece) -> bool:
        """Add it if the floor stays in one piece and everything solid stays in reach."""
        if not piece.solid or piece.box.low[1] > _TOP_M:
            self.pieces.append(piece)
            return True
        self.pieces.append(piece)
        cells = self.cells()
        usable = len(cells) >= _FEWEST_CELLS and all(
            near_cells(p.box, cells) for p in self.pieces if p.solid
        )
        if not usable:
            self.pieces.pop()
        return usable

    def cells(self) -> tuple[Cell, ...]:
        """The largest connected part of the floor where an agent can stand, sorted."""
        nx, nz = int(self.width / 2 / CELL_M), int(self.depth / 2 / CELL_M)
        xs = np.arange(-nx, nx + 1) * CELL_M
        zs = np.arange(-nz, nz + 1) * CELL_M
        free = np.ones((len(xs), len(zs)), dtype=bool)
        free &= (np.abs(xs) <= self.width / 2 - _AGENT_RADIUS_M)[:, None]
        free &= (np.abs(zs) <= self.depth / 2 - _AGENT_RADIUS_M)[None, :]
        for piece in self.pieces:
            low, high = piece.box.low, piece.box.high
            if not piece.solid or low[1] > _TOP_M or high[1] < 0.05:
                continue
            dx = np.maximum(np.maximum(low[0] - xs, xs - high[0]), 0.0)
            dz = np.maximum(np.maximum(low[2] - zs, zs - high[2]), 0.0)
            free &= dx[:, None] ** 2 + dz[None, :] ** 2 >= _AGENT_RADIUS_M**2
        return tuple(sorted((i - nx, j - nz) for i, j in _largest_part(free)))


def faces_free_floor(piece: Piece, cells: Iterable[Cell]) -> bool:
    """Whether there is a cell within a metre straight before the front of a piece at a wall."""
    wall = next(w for w in WALLS if w.yaw == piece.yaw)
    (cx, _, cz), (sx, _, sz) = piece.box.center, piece.box.size
    deep, half = (sx, sz / 2) if wall.nx else (sz, sx / 2)
    for ix, iz in cells:
        dx, dz = ix * CELL_M - cx, iz * CELL_M - cz
        before = dx * wall.nx + dz * wall.nz - deep / 2
        if 0.0 < before < 1.0 and abs(dx * wall.nz) + abs(dz * wall.nx) < half + 0.1:
            return True
    return False


def near_cells(box: Box, cells: Iterable[Cell], reach: float = _REACH_M) -> bool:
    """Whether some cell is within `reach` metres of a box (horizontally)."""
    low, high = box.low, box.high
    for ix, iz in cells:
        x, z = ix * CELL_M, iz * CELL_M
        dx = max(low[0] - x, x - high[0], 0.0)
        dz = max(low[2] - z, z - high[2], 0.0)
        if dx * dx + dz * dz <= reach * reach:
            return True
    return False


def _largest_part(free: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Indices of the largest 4-connected component; the first in index order among equals."""
    seen = ~free
    best: list[tuple[int, int]] = []
    for i, j in np.argwhere(free).tolist():
        if seen[i, j]:
            continue
        part = [(i, j)]
        seen[i, j] = True
        for a, b in part:
            for p, q in ((a + 1, b), (a, b + 1), (a - 1, b), (a, b - 1)):
                if 0 <= p < free.shape[0] and 0 <= q < free.shape[1] and not seen[p, q]:
                    seen[p, q] = True
                    part.append((p, q))
        if len(part) > len(best):
            best = part
    return best


def _overlap(a: Box, b: Box, margin: float) -> bool:
    return (
        abs(a.center[0] - b.center[0]) < (a.size[0] + b.size[0]) / 2 + margin - 1e-6
        and abs(a.center[2] - b.center[2]) < (a.size[2] + b.size[2]) / 2 + margin - 1e-6
        and abs(a.center[1] - b.center[1]) < (a.size[1] + b.size[1]) / 2 - 1e-6
    )
