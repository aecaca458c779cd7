"""Drawing how many and how big: measured statistics turned into pieces."""

from __future__ import annotations

import random
from collections.abc import Mapping

from mosaic_planner.worlds.household.catalogue import facts
from mosaic_planner.worlds.household.scenes.layout import WALLS, Piece, Room
from mosaic_planner.worlds.household.scenes.scene import Box, Vec

__all__ = [
    "add_drawers",
    "add_front_boxes",
    "count_of",
    "furnish_along_walls",
    "size_of",
    "wall_things",
]


def count_of(rng: random.Random, object_type: str, room: str, required: Mapping[str, int]) -> int:
    """How many of a type the room gets: present as often as measured, as many as measured."""
    figures = facts(object_type).rooms.get(room)
    least = required.get(object_type, 0)
    if figures is None:
        return least
    scenes, mean, most = figures
    if rng.random() * 30 >= scenes:
        return least
    count = 1
    while count < most and rng.random() < (mean - 1.0) / mean:
        count += 1
    return max(count, least)


_SLENDER_M = {
    "BaseballBat": (0.8, 0.07), "ButterKnife": (0.23, 0.03), "Fork": (0.2, 0.03),
    "Knife": (0.29, 0.04), "Ladle": (0.27, 0.08), "Pen": (0.15, 0.02), "Pencil": (0.18, 0.02),
    "Spatula": (0.3, 0.08), "Spoon": (0.19, 0.04), "TennisRacket": (0.68, 0.25),
}  # fmt: skip


def size_of(rng: random.Random, object_type: str, spread: float = 0.1) -> Vec:
    """(long side, height, short side) around the measured median, metres."""
    x, y, z = facts(object_type).size
    if object_type in _SLENDER_M:  # most were recorded lying askew, so the median box is square
        x, z = _SLENDER_M[object_type]
    factor = 1.0 + rng.uniform(-spread, spread)
    return (
        round(max(x, z) * factor, 3),
        round(max(y, 0.004) * factor, 3),
        round(min(x, z) * factor, 3),
    )


def wall_things(
    room: Room, kind: str, required: Mapping[str, int], plan: Mapping[str, tuple[float, Vec | None]]
) -> None:
    """Hang things on walls: type to (height of the underside, size or None for the measured)."""
    for object_type, (base, fixed) in plan.items():
        for _ in range(count_of(room.rng, object_type, kind, required)):
            w, h, d = fixed or size_of(room.rng, object_type)
            room.put_on_wall(
                object_type,
                (w, h, d),
                base=base,
                solid=False,
                ok=lambda box: not _behind_tall(room, box),
            )


def _behind_tall(room: Room, box: Box) -> bool:
    """Whether something stands or hangs where the box would hang."""
    return any(
        all(
            abs(box.center[k] - p.box.center[k]) < (box.size[k] + p.box.size[k]) / 2 - 0.01
            for k in range(3)
        )
        for p in room.pieces
    )


def furnish_along_walls(
    room: Room, kind: str, required: Mapping[str, int], types: tuple[str, ...]
) -> list[Piece]:
    """Stand furniture against walls, in the order of `types`; what finds no place is left out."""
    stood = []
    for object_type in types:
        for _ in range(count_of(room.rng, object_type, kind, required)):
            piece = room.put_on_wall(object_type, size_of(room.rng, object_type))
            if piece is None and required.get(object_type):
                piece = room.put_in_middle(object_type, size_of(room.rng, object_type), 0.3)
            if piece is not None:
                stood.append(piece)
    return stood


def add_front_boxes(
    room: Room,
    body: Piece,
    object_type: str,
    rows: int,
    columns: int,
    low: float,
    high: float,
    depth: float = 0.45,
) -> list[Piece]:
    """A grid of drawers or doors in the front of a piece that stands against a wall.

    `low`, `high`: heights between which the rows lie, metres. The boxes reach `depth` metres back
    from the front.
    """
    wall = next(w for w in WALLS if w.yaw == body.yaw)
    axis = 0 if wall.nx else 2
    along = 2 - axis
    sign = wall.nx or wall.nz
    width = body.box.size[along]
    depth = min(depth, body.box.size[axis] - 0.02)
    front = body.box.center[axis] + sign * body.box.size[axis] / 2
    found = []
    for r in range(rows):
        for c in range(columns):
            center, size = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
            step = (high - low) / rows
            center[1], size[1] = low + (r + 0.5) * step, step - 0.02
            size[along] = width / columns - 0.02
            center[along] = body.box.center[along] + ((c + 0.5) / columns - 0.5) * width
            size[axis], center[axis] = depth, front - sign * depth / 2
            x, y, z = (round(v, 4) for v in center)
            sx, sy, sz = (round(v, 4) for v in size)
            found.append(
                room.add(Piece(object_type, Box((x, y, z), (sx, sy, sz)), body.yaw, solid=False))
            )
    return found


def add_drawers(room: Room, body: Piece, count: int) -> list[Piece]:
    """Up to `count` drawers in a dresser, desk or side table; at least 0.14 m high each."""
    if count <= 0:
        return []
    height = body.box.size[1]
    width = max(body.box.size[0], body.box.size[2])
    columns = 2 if width > 1.0 and count > 1 else 1
    rows = max(1, min(-(-count // columns), int((height - 0.08) / 0.17)))
    return add_front_boxes(room, body, "Drawer", rows, columns, height - 0.04 - rows * 0.17,
                           height - 0.04)  # fmt: skip
