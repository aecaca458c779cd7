"""Rooms drawn from the measured statistics: the scenes that ship with the product.

A scene is named like AI2-THOR's (`FloorPlan1` to `FloorPlan30` kitchens, 201- living rooms, 301-
bedrooms, 401- bathrooms); the number decides the room kind and seeds it. Nothing of the real
floor plans is in it but the statistics.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from typing import Final

from mosaic_planner.core.errors import SceneError, UnknownNameError
from mosaic_planner.worlds.household.catalogue import AFFORDANCES, ROOMS, facts, room_of_floorplan
from mosaic_planner.worlds.household.scenes.kitchen import kitchen
from mosaic_planner.worlds.household.scenes.layout import Piece, Room, faces_free_floor
from mosaic_planner.worlds.household.scenes.rooms import bathroom, bedroom, living_room
from mosaic_planner.worlds.household.scenes.scene import (
    CELL_M,
    Box,
    Scene,
    SceneObject,
    Start,
    Vec,
    box_corners,
    object_id,
    short_name,
)
from mosaic_planner.worlds.household.scenes.stocking import stock, unreachable

__all__ = ["GeneratedScenes", "generate"]

_TRIES = 40
_PIVOT_M = 0.901
_FURNISH: Final = {
    "kitchen": kitchen,
    "living_room": living_room,
    "bedroom": bedroom,
    "bathroom": bathroom,
}
_ESSENTIAL: Mapping[str, tuple[str, ...]] = {
    "kitchen": ("Fridge", "CounterTop", "SinkBasin", "StoveBurner", "StoveKnob", "Microwave",
                "CoffeeMachine", "Toaster", "Faucet", "LightSwitch", "GarbageCan", "Cabinet"),
    "living_room": ("Sofa", "Television", "LightSwitch", "GarbageCan", "FloorLamp"),
    "bedroom": ("Bed", "LightSwitch", "GarbageCan", "DeskLamp", "Mirror"),
    "bathroom": ("Toilet", "SinkBasin", "Faucet", "LightSwitch", "GarbageCan", "TowelHolder"),
}  # fmt: skip


class GeneratedScenes:
    """The 120 generated scenes by name; `require` puts in what a task cannot do without."""

    def __init__(self, require: Mapping[str, int] | None = None) -> None:
        self._require = dict(require or {})

    def names(self) -> tuple[str, ...]:
        """FloorPlan1..30, 201..230, 301..330, 401..430."""
        return tuple(f"FloorPlan{h + n}" for h in (0, 200, 300, 400) for n in range(1, 31))

    def load(self, name: str) -> Scene:
        """One scene; the same on every machine. Raises `UnknownNameError`."""
        name = name.removesuffix("_physics")
        room = room_of_floorplan(name)
        if not room:
            raise UnknownNameError("scene", name, self.names())
        return generate(room, int(name.removeprefix("FloorPlan")), self._require, name=name)


def generate(
    room: str, seed: int, require: Mapping[str, int] | None = None, *, name: str = ""
) -> Scene:
    """Draw one room. `require`: object types and how many of each there must be at least.

    Everything in it can be seen from some reachable pose. Raises `UnknownNameError` for an
    unknown room kind and `SceneError` if no room with what is required could be drawn.
    """
    if room not in ROOMS:
        raise UnknownNameError("room kind", room, ROOMS)
    required = dict(sorted((require or {}).items()))
    for attempt in range(_TRIES):
        text = f"{room}/{seed}/{sorted(required.items())}/{attempt}"
        rng = random.Random(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big"))
        drawn = _FURNISH[room](rng, required)
        scene = _scene(drawn, name or f"{room}{seed}", room)
        if not _has(scene, dict.fromkeys(_ESSENTIAL[room], 1)):
            continue
        stocked = stock(scene, rng, required)
        if stocked is None or not _has(stocked, required) or unreachable(stocked):
            continue
        return stocked
    wanted = ", ".join(f"{n} {t}" for t, n in required.items()) or "nothing special"
    raise SceneError(f"no {room} with {wanted} could be drawn in {_TRIES} tries")


def _has(scene: Scene, required: Mapping[str, int]) -> bool:
    counts: dict[str, int] = {}
    for o in scene.objects:
        counts[o.object_type] = counts.get(o.object_type, 0) + 1
    return all(counts.get(t, 0) >= n for t, n in required.items())


def _scene(room: Room, name: str, kind: str) -> Scene:
    """The furnished room as a scene: floor added, ids given, start chosen."""
    w, d = room.width, room.depth
    ground = Piece("Floor", Box((0.0, -0.05, 0.0), (w, 0.1, d)))
    cells = room.cells()
    listed = [ground]
    for piece in room.pieces:
        # Doors and drawers in a corner behind another counter could never be opened.
        blind = piece.object_type in ("Cabinet", "Drawer") and not faces_free_floor(piece, cells)
        if not piece.object_type.startswith("_") and not blind:
            listed.append(piece)
    ids: dict[int, str] = {}
    for piece in listed:
        ids[id(piece)] = _id(piece, ids)
    objects = tuple(_object(p, ids, name, room.rng, ground) for p in listed)
    # The start is the free cell with most free cells around it: nobody begins in a corner.
    free = set(cells)
    start = max(
        cells,
        key=lambda c: (
            sum((c[0] + i, c[1] + j) in free for i in range(-3, 4) for j in range(-3, 4)),
            -abs(c[0]) - abs(c[1]),
            c,
        ),
    )
    at: Vec = (start[0] * CELL_M, _PIVOT_M, start[1] * CELL_M)
    yaw = 90.0 * room.rng.randrange(4)
    bounds = Box((0.0, room.height / 2, 0.0), (w, room.height + 0.2, d))
    return Scene(name, objects, cells, Start(at, yaw), bounds, "generated", kind)


def _pivot(piece: Piece) -> Vec:
    """Furniture stands on its pivot, everything else has it in the middle; 4 decimals."""
    x, y, z = piece.box.center
    y = piece.box.low[1] if piece.solid else y
    return (round(x, 4) + 0.0, round(y, 4) + 0.0, round(z, 4) + 0.0)


def _id(piece: Piece, ids: Mapping[int, str]) -> str:
    if piece.suffix and piece.parent is not None:
        return ids[id(piece.parent)] + piece.suffix
    key = object_id(piece.object_type, _pivot(piece))
    known = set(ids.values())
    return key if key not in known else f"{key}|{sum(k.startswith(key) for k in known)}"


def _object(
    piece: Piece, ids: Mapping[int, str], scene: str, rng: random.Random, ground: Piece
) -> SceneObject:
    figures = facts(piece.object_type)
    key = ids[id(piece)]
    affordances = frozenset(a for a in AFFORDANCES if figures.has(a))
    if piece.object_type in ("Sink", "Bathtub"):
        affordances -= {"receptacle"}  # the basin is the receptacle
    states = frozenset(
        s for s, n in figures.initial.items() if rng.random() * figures.instances < n
    )
    parent = ground if piece.solid and piece is not ground else piece.parent
    if piece.suffix:
        parent = None  # a basin is a part of its sink, not something that lies in it
    loose = bool({"pickupable", "moveable"} & affordances)
    return SceneObject(
        object_id=key,
        name=short_name(piece.object_type, scene, key),
        object_type=piece.object_type,
        position=_pivot(piece),
        rotation=(0.0, piece.yaw, 0.0),
        box=piece.box,
        affordances=affordances,
        states=states,
        openness=1.0 if "isOpen" in states else 0.0,
        mass=figures.mass,
        materials=figures.materials if loose else None,
        parents=None if parent is None else (ids[id(parent)],),
        contents=() if "receptacle" in affordances else None,
        controlled=(
            tuple(ids[id(c)] for c in piece.controls) if "toggleable" in affordances else None
        ),
        corners=box_corners(piece.box) if loose else None,
    )
