"""Where an object can be put: compatibility, free places, capacity (section 8)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mosaic_planner.worlds.household.catalogue import (
    ENCLOSING_TYPES,
    MUST_BE_OPEN,
    SINGLE_SLOT,
    facts,
    fits,
    rest_share,
)
from mosaic_planner.worlds.household.scenes.scene import CELL_M, Vec
from mosaic_planner.worlds.household.thor.result import Context
from mosaic_planner.worlds.household.thor.state import Body, State
from mosaic_planner.worlds.household.thor.things import Thing

__all__ = ["Spot", "find_spot", "levels", "over_walkable_floor", "refusal"]

# Shelves of a fridge as shares of its height; recorded content lies at all of them.
_FRIDGE_LEVELS = (0.1, 0.32, 0.54, 0.76)
_GAP_M = 0.01
_LARGEST_SHARE = 0.7
# Small open vessels: what is put there may stick out over the rim.
_VESSELS = frozenset(("Bowl", "Cup", "GarbageCan", "Mug", "Pan", "Plate", "Pot"))
# Unmoveable or heavy things that stand on surfaces and take room there.
_STANDING = frozenset(
    (
        "CoffeeMachine", "DeskLamp", "Desktop", "Faucet", "HousePlant", "Microwave", "Safe",
        "Sink", "StoveBurner", "Television", "Toaster",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Spot:
    """A free place: `base` is where the middle of the underside goes; `quarter`: turned by 90."""

    base: Vec
    quarter: bool = False


def refusal(item: Thing, receptacle: Thing, state: State, force: bool) -> str:
    """Why the receptacle does not take the item at all, in the order of section 8; "" if it does.

    `force` lifts the compatibility table, nothing else.
    """
    kind = receptacle.object_type
    if not receptacle.has("receptacle"):
        return "This target object is NOT a receptacle!"
    if kind in MUST_BE_OPEN and not receptacle.is_open:
        return "Target openable Receptacle is CLOSED, can't place if target is not open!"
    if kind in SINGLE_SLOT:
        if item.object_type not in SINGLE_SLOT[kind]:
            return f"{item.name} is not a valid Object Type to be placed in {receptacle.name}"
        if any(not t.gone for t in state.things.children(receptacle)):
            return f"{receptacle.name} is full right now!"
    elif not force and not fits(item.object_type, kind):
        return f"{item.name} cannot be placed in {receptacle.name}"
    return ""


def levels(receptacle: Thing) -> list[tuple[float, float | None]]:
    """Heights things can rest at and the room above each (None: no lid), lowest first; metres."""
    low, height = receptacle.body.low[1], receptacle.body.size[1]
    if receptacle.object_type == "Fridge":
        ends = (*_FRIDGE_LEVELS[1:], 0.98)
        return [
            (low + a * height, (b - a) * height) for a, b in zip(_FRIDGE_LEVELS, ends, strict=True)
        ]
    share = rest_share(receptacle.object_type)
    lid = (1.0 - share) * height if receptacle.object_type in ENCLOSING_TYPES else None
    return [(low + share * height, lid)]


def find_spot(
    context: Context, item: Thing, receptacle: Thing, body: Body | None, need_view: bool
) -> Spot | None:
    """The free place nearest to the agent (or to the middle without one), or None.

    With `need_view` the place must be within reach and in the agent's image, except on vessels,
    boxes and drawers, of which any place serves.
    """
    if receptacle is item or receptacle in context.state.things.carried(item):
        return None
    if context.state.things.carrier(receptacle) is not None:
        return None
    center = receptacle.body.center
    if receptacle.object_type in SINGLE_SLOT:
        return Spot((center[0], levels(receptacle)[0][0], center[2]))
    seen = need_view and not facts(receptacle.object_type).points_unseen
    others = _in_the_way(context.state, item, receptacle)
    if receptacle.object_type in _VESSELS:
        return _in_vessel(item, receptacle, others)
    for quarter in (False, True):
        sx, sy, sz = item.body.size
        if quarter:
            sx, sz = sz, sx
        for height, lid in levels(receptacle):
            if lid is not None and sy > lid:
                continue
            points = _grid(receptacle, sx, sz, height)
            if not len(points):
                continue
            free = _free(points, sx, sy, sz, others)
            if receptacle.object_type not in ENCLOSING_TYPES:
                free &= ~over_walkable_floor(context.state, points)
            if seen and body is not None and free.any():
                free &= context.sight.in_image(body, points)
            if free.any():
                x0, z0 = (body.x, body.z) if body is not None else (center[0], center[2])
                gap = np.hypot(points[:, 0] - x0, points[:, 2] - z0)
                gap[~free] = np.inf
                x, y, z = points[int(np.argmin(gap))].tolist()
                return Spot((x, y, z), quarter)
    return None


def _grid(receptacle: Thing, sx: float, sz: float, height: float) -> np.ndarray:
    """Possible middles of an (sx, sz) footprint inside the receptacle's, shape (n, 3)."""
    axes = []
    for axis, extent in ((0, sx), (2, sz)):
        room = receptacle.body.size[axis] - extent
        if room < 0.0:
            return np.zeros((0, 3))
        count = int(min(31, max(3, room / 0.08)))
        axes.append(receptacle.body.center[axis] + np.linspace(-room / 2, room / 2, count))
    xs, zs = np.meshgrid(*axes, indexing="ij")
    return np.stack([xs.ravel(), np.full(xs.size, height), zs.ravel()], axis=1)


def _in_the_way(state: State, item: Thing, receptacle: Thing) -> list[Thing]:
    """What takes room there already."""
    moving = {item.object_id, *(t.object_id for t in state.things.carried(item))}
    around = {receptacle.object_id, *(t.object_id for t in state.things.ancestors(receptacle))}
    inside = receptacle.object_type in ENCLOSING_TYPES
    found = []
    for thing in state.things:
        if thing.gone or thing.object_id in moving or thing.object_id in around:
            continue
        if receptacle.object_id.startswith(f"{thing.object_id}|"):
            continue  # the sink whose basin this is
        if receptacle.object_id in thing.parents:
            found.append(thing)
        elif not inside and (thing.has("pickupable") or thing.object_type in _STANDING):
            gap = [
                abs(thing.body.center[k] - receptacle.body.center[k])
                - (thing.body.size[k] + receptacle.body.size[k]) / 2
                for k in (0, 2)
            ]
            if max(gap) < 0.0 and state.things.carrier(thing) is None:
                found.append(thing)
    return found


def _free(points: np.ndarray, sx: float, sy: float, sz: float, others: list[Thing]) -> np.ndarray:
    free = np.ones(len(points), dtype=bool)
    base = float(points[0, 1])
    for other in others:
        if other.body.high[1] <= base + 0.005 or other.body.low[1] >= base + sy:
            continue
        apart_x = np.abs(points[:, 0] - other.body.center[0]) - (sx + other.body.size[0]) / 2
        apart_z = np.abs(points[:, 2] - other.body.center[2]) - (sz + other.body.size[2]) / 2
        free &= (apart_x >= _GAP_M) | (apart_z >= _GAP_M)
    return free


def over_walkable_floor(state: State, points: np.ndarray) -> np.ndarray:
    """Which points lie where agents walk: the box of an L-shaped counter spans free floor too."""
    found = np.zeros(len(points), dtype=bool)
    for k, (x, z) in enumerate(points[:, (0, 2)].tolist()):
        ix, iz = round(x / CELL_M), round(z / CELL_M)
        found[k] = any(
            (ix + i, iz + j) in state.cells
            and (x - (ix + i) * CELL_M) ** 2 + (z - (iz + j) * CELL_M) ** 2 < 0.18**2
            for i in (-1, 0, 1)
            for j in (-1, 0, 1)
        )
    return found


def _in_vessel(item: Thing, vessel: Thing, others: list[Thing]) -> Spot | None:
    """In the middle of a small vessel, if what is in it leaves enough of its opening."""
    room = vessel.body.size[0] * vessel.body.size[2]
    inside = [t for t in others if vessel.object_id in t.parents]
    taken = sum(t.body.size[0] * t.body.size[2] for t in inside)
    wanted = item.body.size[0] * item.body.size[2]
    narrow = min(item.body.size[0], item.body.size[2])
    if narrow > min(vessel.body.size[0], vessel.body.size[2]):
        return None
    if inside and taken + wanted > _LARGEST_SHARE * room:
        return None
    base = levels(vessel)[0][0]
    base = max([base, *(t.body.high[1] for t in inside)])
    return Spot((vessel.body.center[0], base, vessel.body.center[2]))
