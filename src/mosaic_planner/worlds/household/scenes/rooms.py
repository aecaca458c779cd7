"""Living rooms, bedrooms and bathrooms without their small objects."""

from __future__ import annotations

import random
from collections.abc import Mapping

from mosaic_planner.worlds.household.scenes.layout import WALLS, Piece, Room
from mosaic_planner.worlds.household.scenes.pieces import (
    add_drawers,
    add_front_boxes,
    count_of,
    furnish_along_walls,
    wall_things,
)
from mosaic_planner.worlds.household.scenes.scene import Box, Vec

__all__ = ["bathroom", "bedroom", "living_room"]


def _seat(room: Room, object_type: str, size: Vec) -> Piece | None:
    return room.put_on_wall(object_type, size) or room.put_in_middle(object_type, size, 0.3)


def _shelves(room: Room, unit: Piece) -> None:
    """Shelf boards inside a shelving unit, each a receptacle of its own."""
    count = 3
    height = unit.box.size[1]
    for k in range(count):
        low = 0.15 + k * (height - 0.2) / count
        x, _, z = unit.box.center
        board = Box((x, low + 0.17, z), (unit.box.size[0] - 0.04, 0.34, unit.box.size[2] - 0.04))
        room.add(Piece("Shelf", board, unit.yaw, solid=False))


def _on(room: Room, object_type: str, size: Vec, supports: list[Piece]) -> Piece | None:
    """A heavy thing in the middle of the top of the first support that is big enough and bare."""
    for support in supports:
        x, _, z = support.box.center
        top = support.box.high[1]
        w, h, d = size
        if support.yaw in (90.0, 270.0):
            w, d = d, w
        box = Box((x, top + h / 2, z), (w, h, d))
        wide = box.size[0] <= support.box.size[0] and box.size[2] <= support.box.size[2]
        bare = not any(p.parent is support for p in room.pieces)
        if wide and bare:
            return room.add(Piece(object_type, box, support.yaw, parent=support, solid=False))
    return None


def living_room(rng: random.Random, required: Mapping[str, int]) -> Room:
    """Sofa, television, tables, chairs, shelves, lamps."""
    kind = "living_room"
    room = Room(rng, rng.choice((5.0, 5.5, 6.0)), rng.choice((5.0, 5.5, 6.5)))
    for _ in range(max(1, count_of(rng, "Sofa", kind, required))):
        _seat(room, "Sofa", (1.9, 0.85, 0.9))
    stands = furnish_along_walls(room, kind, required, ("TVStand", "Dresser"))
    sideboards = list(stands)
    for dresser in [p for p in stands if p.object_type == "Dresser"]:
        add_drawers(room, dresser, rng.choice((2, 4, 6)))
    _television(room, sideboards)
    tables = []
    for _ in range(count_of(rng, "CoffeeTable", kind, required)):
        table = room.put_in_middle("CoffeeTable", (1.1, 0.45, 0.65), 0.4)
        tables.append(table)
    for _ in range(count_of(rng, "DiningTable", kind, required)):
        table = room.put_in_middle("DiningTable", (1.4, 0.75, 0.85), 0.45)
        if table is not None:
            for _ in range(min(4, count_of(rng, "Chair", kind, {}))):
                room.put_beside("Chair", (0.45, 0.92, 0.45), table)
    side = furnish_along_walls(room, kind, required, ("SideTable", "Desk"))
    for piece in side:
        if rng.random() < 0.6:
            add_drawers(room, piece, rng.choice((1, 2)))
    furnish_along_walls(
        room, kind, required,
        ("ArmChair", "FloorLamp", "GarbageCan", "HousePlant", "ShelvingUnit", "Ottoman", "DogBed",
         "Safe", "Stool"),
    )  # fmt: skip
    for unit in [p for p in room.pieces if p.object_type == "ShelvingUnit"]:
        _shelves(room, unit)
    for _ in range(count_of(rng, "DeskLamp", kind, required)):
        _on(room, "DeskLamp", (0.3, 0.55, 0.3), [*side, *sideboards])
    _open_box(room, kind, required)
    wall_things(
        room, kind, required,
        {
            "LightSwitch": (1.2, (0.1, 0.12, 0.03)),
            "Window": (0.9, (1.2, 1.2, 0.08)),
            "Painting": (1.3, (0.8, 0.6, 0.04)),
            "Shelf": (1.2, (0.9, 0.3, 0.25)),
            "Mirror": (1.1, (0.6, 0.9, 0.04)),
        },
    )  # fmt: skip
    return room


def _television(room: Room, stands: list[Piece]) -> None:
    size: Vec = (1.0, 0.65, 0.15)
    standing = [p for p in stands if p.object_type == "TVStand"] or stands
    if _on(room, "Television", size, standing) is None:
        room.put_on_wall("Television", (1.0, 0.6, 0.08), base=1.0, solid=False)


def _open_box(room: Room, kind: str, required: Mapping[str, int]) -> None:
    """The cardboard box stands on the floor beside a wall."""
    for _ in range(count_of(room.rng, "Box", kind, required)):
        size: Vec = (0.5, 0.3, 0.42)
        if room.put_on_wall("Box", size) is None:
            room.put_in_middle("Box", size, 0.3)


def bedroom(rng: random.Random, required: Mapping[str, int]) -> Room:
    """Bed, desk with chair, side table, dresser, shelves, lamps."""
    kind = "bedroom"
    room = Room(rng, rng.choice((4.5, 5.0, 5.5)), rng.choice((4.5, 5.0, 5.5)))
    for k in range(count_of(rng, "Bed", kind, required)):
        size: Vec = (1.5, 0.6, 2.1) if k == 0 else (1.0, 0.6, 2.0)
        room.put_on_wall("Bed", size)
    desks = []
    for _ in range(count_of(rng, "Desk", kind, required)):
        desk = room.put_on_wall("Desk", (1.3, 0.78, 0.65))
        if desk is not None:
            desks.append(desk)
            if rng.random() < 0.6:
                add_drawers(room, desk, rng.choice((2, 3)))
            if count_of(rng, "Chair", kind, {}):
                room.put_beside("Chair", (0.42, 0.9, 0.42), desk)
    stood = furnish_along_walls(room, kind, required, ("SideTable", "Dresser"))
    for piece in stood:
        wanted = rng.choice((1, 2)) if piece.object_type == "SideTable" else rng.choice((4, 6))
        add_drawers(room, piece, wanted)
    furnish_along_walls(
        room, kind, required,
        ("ArmChair", "LaundryHamper", "ShelvingUnit", "GarbageCan", "Safe", "HousePlant", "DogBed",
         "Stool", "Footstool", "Sofa", "CoffeeTable", "FloorLamp", "GarbageBag", "VacuumCleaner"),
    )  # fmt: skip
    for unit in [p for p in room.pieces if p.object_type == "ShelvingUnit"]:
        _shelves(room, unit)
    for _ in range(count_of(rng, "DeskLamp", kind, required)):
        _on(room, "DeskLamp", (0.28, 0.5, 0.28), [*desks, *stood])
    if count_of(rng, "Television", kind, required):
        _television(room, [p for p in stood if p.object_type == "Dresser"])
    _open_box(room, kind, required)
    wall_things(
        room, kind, required,
        {
            "LightSwitch": (1.2, (0.1, 0.12, 0.03)),
            "Window": (0.9, (1.2, 1.1, 0.08)),
            "Mirror": (1.0, (0.6, 0.9, 0.04)),
            "Painting": (1.35, (0.7, 0.5, 0.04)),
            "Poster": (1.3, (0.6, 0.8, 0.02)),
            "Shelf": (1.2, (0.9, 0.3, 0.25)),
            "Cabinet": (1.3, (0.6, 0.6, 0.35)),
        },
    )  # fmt: skip
    for window in [p for p in room.pieces if p.object_type == "Window"]:
        if rng.random() < 0.8:
            center, (sx, sy, sz) = window.box.center, window.box.size
            blinds = Box(center, (sx + 0.02, sy, sz + 0.02))
            room.add(Piece("Blinds", blinds, window.yaw, solid=False))
    return room


def bathroom(rng: random.Random, required: Mapping[str, int]) -> Room:
    """Toilet, sinks in a counter, tub or shower, holders for towels and paper."""
    kind = "bathroom"
    room = Room(rng, rng.choice((3.5, 4.0)), rng.choice((3.5, 4.0, 4.5)))
    sinks = count_of(rng, "Sink", kind, required)
    counter = room.put_on_wall("_Base", (0.9 * sinks + 0.3, 0.83, 0.55))
    if counter is not None:
        _washstand(room, counter, max(1, sinks))
    toilet = room.put_on_wall("Toilet", (0.55, 0.8, 0.75))
    if toilet is not None and count_of(rng, "Bathtub", kind, required):
        _bathtub(room)
    elif count_of(rng, "ShowerHead", kind, required):
        room.put_on_wall("ShowerHead", (0.2, 0.3, 0.15), base=1.8, solid=False)
    furnish_along_walls(room, kind, required, ("GarbageCan", "SideTable", "Dresser", "HousePlant"))
    wall_things(
        room, kind, required,
        {
            "LightSwitch": (1.2, (0.1, 0.12, 0.03)),
            "TowelHolder": (1.2, (0.6, 0.12, 0.1)),
            "HandTowelHolder": (1.25, (0.25, 0.1, 0.1)),
            "ToiletPaperHanger": (0.75, (0.18, 0.12, 0.12)),
            "Window": (1.3, (0.8, 0.8, 0.08)),
            "Shelf": (1.3, (0.6, 0.3, 0.2)),
            "Painting": (1.4, (0.5, 0.4, 0.04)),
        },
    )  # fmt: skip
    return room


def _washstand(room: Room, base: Piece, sinks: int) -> None:
    wall = next(w for w in WALLS if w.yaw == base.yaw)
    along = base.box.center[0] if wall.nz else base.box.center[2]
    width = max(base.box.size[0], base.box.size[2])
    top = base.box.high[1] + 0.02
    slab = room.against(wall, along, (width, 0.02, 0.55), top - 0.02)
    counter = room.add(Piece("CounterTop", slab, wall.yaw, solid=False))
    for k in range(sinks):
        middle = round(along + ((k + 0.5) / sinks - 0.5) * width, 3)
        bowl = room.against(wall, middle, (0.5, 0.16, 0.38), top - 0.15, 0.08)
        sink = room.add(Piece("Sink", bowl, wall.yaw, parent=counter, solid=False))
        hollow = room.against(wall, middle, (0.42, 0.14, 0.32), top - 0.14, 0.11)
        room.add(Piece("SinkBasin", hollow, wall.yaw, parent=sink, suffix="|SinkBasin",
                       solid=False))  # fmt: skip
        tap = room.against(wall, middle, (0.12, 0.22, 0.07), top, 0.005)
        room.add(Piece("Faucet", tap, wall.yaw, solid=False))
        mirror = room.against(wall, middle, (0.7, 0.8, 0.03), 1.15)
        if k == 0:
            room.add(Piece("Mirror", mirror, wall.yaw, solid=False))
    columns = max(1, round(width / 0.5))
    if room.rng.random() < 0.5:
        add_front_boxes(room, base, "Drawer", 2, columns, 0.1, 0.8)
    else:
        add_front_boxes(room, base, "Cabinet", 1, columns, 0.1, 0.8)


def _bathtub(room: Room) -> None:
    tub = room.put_on_wall("Bathtub", (1.6, 0.55, 0.75))
    if tub is None:
        return
    (x, y, z), (sx, sy, sz) = tub.box.center, tub.box.size
    basin = Box((x, y + 0.05, z), (sx - 0.16, sy - 0.12, sz - 0.16))
    room.add(Piece("BathtubBasin", basin, tub.yaw, parent=tub, suffix="|BathtubBasin", solid=False))
    wall = next(w for w in WALLS if w.yaw == tub.yaw)
    along = x if wall.nz else z
    tap = room.against(wall, along, (0.14, 0.15, 0.12), 0.65)
    room.add(Piece("Faucet", tap, wall.yaw, solid=False))
    if room.rng.random() < 0.5:
        curtain = Box((x, 1.2, z), (sx, 1.4, sz))
        edge = _front_edge(curtain, wall.nx, wall.nz)
        room.add(Piece("ShowerCurtain", edge, tub.yaw, solid=False))


def _front_edge(box: Box, nx: float, nz: float) -> Box:
    """A thin upright box, a quarter of the front long, at one end of a piece's front."""
    (x, y, z), (sx, sy, sz) = box.center, box.size
    if nz:
        return Box((x - sx * 3 / 8, y, z + nz * sz / 2), (sx / 4, sy, 0.06))
    return Box((x + nx * sx / 2, y, z - sz * 3 / 8), (0.06, sy, sz / 4))
