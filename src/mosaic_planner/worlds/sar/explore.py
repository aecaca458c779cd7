"""Explore's direction and unit moves (rules H6, H7)."""

from __future__ import annotations

__all__ = ["EXPLORE_MOVES", "legal_directions", "unit_moves"]

EXPLORE_MOVES = 20
"""Unit moves of one Explore, attempted whether blocked or not."""
_ROOM = 15

_WAYS = tuple((sx, sy) for sx in (-1, 0, 1) for sy in (-1, 0, 1) if sx or sy)


def legal_directions(x: int, y: int, width: int, height: int) -> tuple[tuple[int, int], ...]:
    """The directions with room, in a fixed order, never empty.

    The end point is clipped to 0..width and 0..height (not one less, odd) and must be at least 15
    cells of Manhattan distance away. On grids too small for that, which the reference does not
    have, the roomiest directions are legal.
    """
    room = [(_distance(x, y, sx, sy, width, height), (sx, sy)) for sx, sy in _WAYS]
    enough = min(_ROOM, max(d for d, _ in room))
    return tuple(way for d, way in room if d >= enough)


def _distance(x: int, y: int, sx: int, sy: int, width: int, height: int) -> int:
    far = EXPLORE_MOVES // 2 if sx and sy else EXPLORE_MOVES
    end_x = min(max(x + sx * far, 0), width)
    end_y = min(max(y + sy * far, 0), height)
    return abs(end_x - x) + abs(end_y - y)


def unit_moves(sx: int, sy: int) -> str:
    """The 20 unit moves of a direction as letters U, D, L, R; with two axes x before y."""
    horizontal = "" if not sx else "R" if sx > 0 else "L"
    vertical = "" if not sy else "D" if sy > 0 else "U"
    once = horizontal + vertical
    return once * (EXPLORE_MOVES // len(once))
