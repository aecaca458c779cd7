"""What is true of an object type anywhere: sizes, affordances, where it fits, where it is found.

The figures are measured on AI2-THOR 5.0.0 (source in `data/object_types.json`); nothing in here
is about one scene.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Any

__all__ = [
    "AFFORDANCES",
    "ENCLOSING_TYPES",
    "FACING_TYPES",
    "MUST_BE_OPEN",
    "ROOMS",
    "SINGLE_SLOT",
    "SLICES",
    "STATES",
    "TypeFacts",
    "all_types",
    "facts",
    "fits",
    "rest_share",
    "room_of_floorplan",
]

AFFORDANCES = (
    "receptacle", "toggleable", "breakable", "canFillWithLiquid", "dirtyable", "canBeUsedUp",
    "cookable", "isHeatSource", "isColdSource", "sliceable", "openable", "pickupable", "moveable",
)  # fmt: skip
"""The 13 constant booleans of object metadata (section 4), in the order of recorded scenes."""

STATES = (
    "isToggled", "isBroken", "isFilledWithLiquid", "isDirty", "isUsedUp", "isCooked", "isSliced",
    "isOpen", "isPickedUp",
)  # fmt: skip
"""The nine state booleans that a scene file lists (section 4; isMoving is never at the start)."""

ROOMS = ("kitchen", "living_room", "bedroom", "bathroom")

ENCLOSING_TYPES = frozenset(
    ("Fridge", "Cabinet", "Drawer", "Microwave", "Safe", "LaundryHamper", "Box")
)
"""Receptacles that hide their content while closed (section 5). A Toilet opens but hides nothing,
for things stand on its tank."""

MUST_BE_OPEN = frozenset(("Drawer", "Cabinet", "LaundryHamper", "Microwave", "Fridge", "Box"))
"""PutObject fails while one of these is closed (section 8). A Safe is not among them."""

FACING_TYPES = frozenset(("Drawer", "Cabinet", "StoveKnob"))
"""Seen from their front only (section 5, last paragraph)."""

SINGLE_SLOT: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "StoveBurner": ("Pot", "Pan", "Kettle"),
        "CoffeeMachine": ("Mug",),
        "Toaster": ("BreadSliced",),
        "ToiletPaperHanger": ("ToiletPaper",),
        "TowelHolder": ("Towel",),
        "HandTowelHolder": ("HandTowel",),
    }
)
"""Receptacles with one place, and the types it takes (section 8)."""

SLICES: Mapping[str, tuple[str, int]] = MappingProxyType(
    {
        "Apple": ("AppleSliced", 6),
        "Bread": ("BreadSliced", 6),
        "Lettuce": ("LettuceSliced", 6),
        "Potato": ("PotatoSliced", 6),
        "Tomato": ("TomatoSliced", 6),
        "Egg": ("EggCracked", 1),
    }
)
"""What a sliceable type falls into, and into how many (section 7)."""

_PIECE_AFFORDANCES = {"BreadSliced": ("cookable",), "EggCracked": ("cookable",),
                      "PotatoSliced": ("cookable",)}  # fmt: skip

# Height of the surface that things rest on, as a share of the receptacle's own box; measured as
# the median over the 120 recorded scenes. Types that are not listed carry on top (share 1).
_REST_SHARE = {
    "ArmChair": 0.48, "BathtubBasin": 0.0, "Bed": 0.61, "Bowl": 0.1, "Box": 0.05, "Cabinet": 0.02,
    "Chair": 0.5, "CoffeeMachine": 0.13, "Cup": 0.1, "DogBed": 0.5, "Drawer": 0.1, "Fridge": 0.5,
    "GarbageCan": 0.07, "LaundryHamper": 0.05, "Microwave": 0.1, "Mug": 0.1, "Pan": 0.1,
    "Plate": 0.33, "Pot": 0.05, "Safe": 0.05, "Shelf": 0.0, "SinkBasin": 0.0, "Sofa": 0.47,
    "Toaster": 0.5,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TypeFacts:
    """Measured figures of one object type.

    `size`: median axis-aligned extent (x, y, z) in metres. `mass`: kg. `share`: affordance to
    the share of instances that have it. `rooms`: room kind to (scenes of 30 that have the type,
    mean and maximum number of instances where present). `parents`: receptacle type to the number
    of instances found on it at the start. `compatible`: receptacle types it may be put on; empty
    means that no restriction is listed.
    """

    name: str
    size: tuple[float, float, float]
    mass: float
    materials: tuple[str, ...] | None
    share: Mapping[str, float]
    initial: Mapping[str, int]
    instances: int
    rooms: Mapping[str, tuple[int, float, int]]
    parents: Mapping[str, int]
    compatible: frozenset[str]
    upright: bool
    points_unseen: bool

    def has(self, affordance: str) -> bool:
        """Whether most instances have the affordance."""
        return self.share.get(affordance, 0.0) >= 0.5


def _read(name: str, entry: Mapping[str, Any]) -> TypeFacts:
    share = dict(entry["affordances"])
    if not share:  # a piece: it exists only after slicing, so nothing was measured
        share = dict.fromkeys(("pickupable", *_PIECE_AFFORDANCES.get(name, ())), 1.0)
    size = entry["size"] or (0.06, 0.03, 0.06)
    return TypeFacts(
        name=name,
        size=(float(size[0]), float(size[1]), float(size[2])),
        mass=float(entry["mass"] or 0.0),
        materials=tuple(entry["materials"]) if entry["materials"] else None,
        share=MappingProxyType(share),
        initial=MappingProxyType(dict(entry["initial"])),
        instances=int(entry["instances"]),
        rooms=MappingProxyType(
            {k: (int(v[0]), float(v[1]), int(v[2])) for k, v in entry["rooms"].items()}
        ),
        parents=MappingProxyType({k: int(v) for k, v in entry["parents"].items()}),
        compatible=frozenset(entry["fits"]),
        upright=bool(entry.get("placed_upright", False)),
        points_unseen=bool(entry.get("spawn_points_ignore_visibility", False)),
    )


@cache
def all_types() -> Mapping[str, TypeFacts]:
    """Every known object type by name, in alphabetical order."""
    file = resources.files("mosaic_planner.worlds.household") / "data" / "object_types.json"
    types: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))["types"]
    return MappingProxyType({name: _read(name, types[name]) for name in sorted(types)})


def facts(object_type: str) -> TypeFacts:
    """The figures of one type; a type nobody has measured gets a small unrestricted default."""
    known = all_types().get(object_type)
    return known if known is not None else _unknown(object_type)


@cache
def _unknown(object_type: str) -> TypeFacts:
    blank: Mapping[str, Any] = {
        "affordances": {"pickupable": 0.0}, "initial": {}, "instances": 0, "size": None,
        "mass": 0.0, "materials": None, "rooms": {}, "parents": {}, "fits": (),
    }  # fmt: skip
    return _read(object_type, blank)


def fits(object_type: str, receptacle_type: str) -> bool:
    """Whether the placement table lets this type be put on that receptacle type (section 8).

    A type without an entry is not restricted. Single-slot receptacles have their own list.
    """
    if receptacle_type in SINGLE_SLOT:
        return object_type in SINGLE_SLOT[receptacle_type]
    listed = facts(object_type).compatible
    return not listed or receptacle_type in listed


def rest_share(receptacle_type: str) -> float:
    """Height of the resting surface as a share of the receptacle's box, in [0, 1]."""
    return _REST_SHARE.get(receptacle_type, 1.0)


def room_of_floorplan(scene: str) -> str:
    """The room kind by the number in a scene name (FloorPlan1-30, 201-, 301-, 401-).

    "" if the name is not of that form.
    """
    digits = scene.removesuffix("_physics").removeprefix("FloorPlan")
    if not scene.startswith("FloorPlan") or not digits.isascii() or not digits.isdigit():
        return ""
    number = int(digits)
    kinds = {0: "kitchen", 2: "living_room", 3: "bedroom", 4: "bathroom"}
    return kinds.get(number // 100, "") if 1 <= number % 100 <= 30 else ""
