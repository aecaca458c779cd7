"""Kitchens: a run of counters with stove, sink and fridge along two walls, cabinets over it."""

from __future__ import annotations

import random
from collections.abc import Mapping

from mosaic_planner.worlds.household.catalogue import facts
from mosaic_planner.worlds.household.scenes.layout import WALLS, Piece, Room, Wall
from mosaic_planner.worlds.household.scenes.pieces import (
    add_front_boxes,
    count_of,
    furnish_along_walls,
    wall_things,
)
from mosaic_planner.worlds.household.scenes.scene import Box

__all__ = ["kitchen"]

_TOP_M = 0.93
_DEPTH_M = 0.62


def kitchen(rng: random.Random, required: Mapping[str, int]) -> Room:
    """A furnished kitchen without its small objects."""
    room = Room(rng, rng.choice((4.0, 4.5, 5.0)), rng.choice((4.0, 4.5, 5.0, 5.5)))
    first = rng.randrange(4)
    runs = [WALLS[first], WALLS[(first + rng.choice((1, 3))) % 4]]
    counters = _runs(room, runs)
    _upper_cabinets(room, counters, _target(rng, "Cabinet"))
    _lower_fronts(room, counters, required)
    _appliances(room, counters)
    tables = count_of(rng, "DiningTable", "kitchen", required)
    for _ in range(tables):
        table = room.put_in_middle("DiningTable", (1.2, 0.75, 0.8), 0.45)
        if table is None:
            table = room.put_on_wall("DiningTable", (1.1, 0.75, 0.7))
        if table is not None:
            for _ in range(count_of(rng, "Chair", "kitchen", required)):
                room.put_beside("Chair", (0.42, 0.9, 0.42), table)
    furnish_along_walls(
        room, "kitchen", required,
        ("GarbageCan", "SideTable", "ShelvingUnit", "HousePlant", "Stool", "GarbageBag", "Safe"),
    )  # fmt: skip
    wall_things(
        room, "kitchen", required,
        {
            "LightSwitch": (1.2, (0.1, 0.12, 0.03)),
            "Window": (1.1, (1.1, 1.0, 0.08)),
            "Shelf": (1.25, (0.8, 0.3, 0.22)),
            "Mirror": (1.2, None),
        },
    )  # fmt: skip
    return room


def _target(rng: random.Random, object_type: str) -> int:
    _, mean, most = facts(object_type).rooms["kitchen"]
    return max(4, min(most, round(rng.gauss(mean, mean / 4))))


def _runs(room: Room, walls: list[Wall]) -> list[tuple[Wall, str, Piece]]:
    """Fridge, stove, sink and counters side by side; returns (wall, role, body) of the counters.

    The run starts in the corner of the two walls, follows the first one and goes on along the
    second beside it; counters that find no room are left out.
    """
    rng = room.rng
    units = ["counter", "stove", "counter", "sink", "counter"]
    if rng.random() < 0.5:
        units.reverse()
    units.insert(0 if rng.random() < 0.5 else len(units), "fridge")
    first, second = walls
    placed: list[tuple[Wall, str, Piece]] = []
    left = list(units)
    for wall, corner, taken in ((first, second, 0.0), (second, first, 0.85)):
        away = -1.0 if (corner.nx or corner.nz) < 0 else 1.0
        at = taken - room.length(wall) / 2
        for unit in sorted(left, key=lambda u: u == "counter") if wall is second else list(left):
            width = _width(rng, unit)
            if at + width > room.length(wall) / 2 + 1e-6:
                if wall is first:
                    break
                continue
            placed.append((wall, unit, _unit(room, wall, away * at, away, width, unit)))
            left.remove(unit)
            at += width
    return [p for p in placed if p[1] != "fridge"]


def _width(rng: random.Random, unit: str) -> float:
    if unit == "counter":
        return round(rng.choice((0.8, 1.0, 1.2)), 2)
    return {"fridge": 0.85, "stove": 0.75, "sink": 0.9}[unit]


def _unit(room: Room, wall: Wall, at: float, away: float, width: float, unit: str) -> Piece:
    middle = round(at + away * width / 2, 3)
    if unit == "fridge":
        box = room.against(wall, middle, (round(width - 0.06, 3), 1.75, 0.72))
        return room.add(Piece("Fridge", box, wall.yaw))
    body = Piece("_Base", room.against(wall, middle, (width, _TOP_M - 0.02, _DEPTH_M)), wall.yaw)
    room.add(body)
    if unit == "stove":
        _stove(room, wall, middle)
    else:
        top = room.against(wall, middle, (width, 0.02, _DEPTH_M), base=_TOP_M - 0.02)
        counter = room.add(Piece("CounterTop", top, wall.yaw, solid=False))
        if unit == "sink":
            _sink(room, wall, middle, counter)
    return body


def _stove(room: Room, wall: Wall, middle: float) -> None:
    for k, (along, gap) in enumerate(((-0.18, 0.08), (0.18, 0.08), (-0.18, 0.34), (0.18, 0.34))):
        plate = room.against(wall, round(middle + along, 3), (0.22, 0.01, 0.22), _TOP_M, gap)
        burner = room.add(Piece("StoveBurner", plate, wall.yaw, solid=False))
        place = round(middle - 0.24 + 0.16 * k, 3)
        button = room.against(wall, place, (0.05, 0.05, 0.04), _TOP_M - 0.1, _DEPTH_M)
        knob = Piece("StoveKnob", button, wall.yaw, solid=False, controls=[burner])
        room.add(knob)


def _sink(room: Room, wall: Wall, middle: float, counter: Piece) -> None:
    sink = room.add(
        Piece("Sink", room.against(wall, middle, (0.62, 0.18, 0.44), _TOP_M - 0.17, 0.1), wall.yaw,
              parent=counter, solid=False)
    )  # fmt: skip
    basin = room.against(wall, middle, (0.54, 0.16, 0.38), _TOP_M - 0.16, 0.13)
    room.add(Piece("SinkBasin", basin, wall.yaw, parent=sink, suffix="|SinkBasin", solid=False))
    faucet = room.against(wall, middle, (0.12, 0.3, 0.1), _TOP_M, 0.01)
    room.add(Piece("Faucet", faucet, wall.yaw, solid=False))


def _upper_cabinets(room: Room, counters: list[tuple[Wall, str, Piece]], target: int) -> None:
    """Hang cabinets over counters until there are about half as many as wanted in all."""
    hung = 0
    for wall, unit, body in counters:
        if unit == "stove" or hung >= max(2, target // 2):
            continue
        width = max(body.box.size[0], body.box.size[2])
        along = body.box.center[0] if wall.nz else body.box.center[2]
        count = max(1, int(width / 0.4))
        for k in range(count):
            middle = along + ((k + 0.5) / count - 0.5) * width
            box = room.against(wall, round(middle, 3), (width / count - 0.02, 0.7, 0.35), 1.45)
            room.add(Piece("Cabinet", box, wall.yaw, solid=False))
            hung += 1


def _lower_fronts(
    room: Room, counters: list[tuple[Wall, str, Piece]], required: Mapping[str, int]
) -> None:
    """Doors below, drawers above them, in the counters' fronts."""
    mean = facts("Drawer").rooms["kitchen"][1]
    drawers = max(3, required.get("Drawer", 0), round(room.rng.gauss(mean, 2)))
    for _, unit, body in counters:
        width = max(body.box.size[0], body.box.size[2])
        columns = max(1, round(width / 0.5))
        if unit == "counter" and drawers > 0:
            add_front_boxes(room, body, "Drawer", 1, columns, 0.7, 0.89)
            drawers -= columns
            add_front_boxes(room, body, "Cabinet", 1, columns, 0.1, 0.7)
        elif unit in ("sink", "counter"):
            add_front_boxes(room, body, "Cabinet", 1, columns, 0.1, 0.75)


def _appliances(room: Room, counters: list[tuple[Wall, str, Piece]]) -> None:
    """Microwave, coffee machine and toaster, side by side at the back of the counters."""
    sizes = {"Microwave": (0.5, 0.29, 0.36), "CoffeeMachine": (0.24, 0.42, 0.3),
             "Toaster": (0.3, 0.22, 0.2)}  # fmt: skip
    places = [(wall, body) for wall, unit, body in counters if unit == "counter"]
    taken = [0.0] * len(places)
    for object_type, size in sizes.items():
        widths = [max(body.box.size[0], body.box.size[2]) for _, body in places]
        for k in sorted(range(len(places)), key=lambda k: taken[k] / widths[k]):
            wall, body = places[k]
            if taken[k] + size[0] + 0.02 > widths[k]:
                continue
            along = body.box.center[0] if wall.nz else body.box.center[2]
            middle = along - widths[k] / 2 + taken[k] + size[0] / 2 + 0.01
            box = room.against(wall, round(middle, 3), size, _TOP_M, 0.03)
            top = next(
                p for p in room.pieces if p.object_type == "CounterTop" and _under(p.box, box)
            )
            room.add(Piece(object_type, box, wall.yaw, parent=top, solid=False))
            taken[k] += size[0] + 0.03
            break


def _under(top: Box, box: Box) -> bool:
    return all(abs(top.center[k] - box.center[k]) < top.size[k] / 2 for k in (0, 2))
