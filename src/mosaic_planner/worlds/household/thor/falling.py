"""What lies below a point: where let-go objects come to rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mosaic_planner.worlds.household.catalogue import ENCLOSING_TYPES, SINGLE_SLOT
from mosaic_planner.worlds.household.thor.placing import levels, over_walkable_floor
from mosaic_planner.worlds.household.thor.state import State
from mosaic_planner.worlds.household.thor.things import Thing

__all__ = ["Rest", "fall", "rest_below"]

_ABOVE_M = 0.06  # a point this little below a surface still counts as on it
_EDGE_M = 0.06
_LIDDED = ENCLOSING_TYPES - {"Box", "Drawer", "LaundryHamper"}


@dataclass(frozen=True, slots=True)
class Rest:
    """Where something comes to rest: on which receptacle (None: nothing known), at what height."""

    receptacle: Thing | None
    height: float


def rest_below(state: State, item: Thing, x: float, y: float, z: float) -> Rest:
    """The highest receptacle surface under a point at height `y`; the floor if there is none.

    Fridges, cabinets, microwaves and safes catch only what is let go inside them. What is let go
    just beside an edge stays on it, if there is nothing else above the floor.
    """
    inside = _rest_below(state, item, x, y, z, 0.0)
    if inside.receptacle is None:
        inside = _rest_below(state, item, x, y, z, _EDGE_M)
    if inside.receptacle is not None:
        return inside
    floors = state.things.of_type("Floor")
    below = [
        f
        for f in floors
        if f.body.low[0] <= x <= f.body.high[0] and f.body.low[2] <= z <= f.body.high[2]
    ]
    ground = [*below, *floors]
    return Rest(ground[0] if ground else None, state.floor_y)


def _rest_below(state: State, item: Thing, x: float, y: float, z: float, margin: float) -> Rest:
    """The same without the floor; boxes are widened by `margin` metres."""
    mine = {item.object_id, *(t.object_id for t in state.things.carried(item))}
    best = Rest(None, state.floor_y)
    walkable = bool(over_walkable_floor(state, np.array([[x, y, z]]))[0])
    for thing in state.things:
        if thing.gone or thing.object_id in mine or not thing.has("receptacle"):
            continue
        if thing.object_type in ("Floor", *SINGLE_SLOT) and thing.object_type != "StoveBurner":
            continue
        if margin and thing.object_type in (*ENCLOSING_TYPES, *SINGLE_SLOT):
            continue
        if state.things.carrier(thing) is not None:
            continue
        (lx, ly, lz), (hx, hy, hz) = thing.body.low, thing.body.high
        if not (lx <= x + margin and x - margin <= hx and lz <= z + margin and z - margin <= hz):
            continue
        if walkable and not thing.has("pickupable") and not thing.has("moveable"):
            continue
        if thing.object_type in _LIDDED and not ly <= y <= hy:
            continue
        if thing.object_type in ("Box", "Drawer", "LaundryHamper") and not (
            thing.is_open or ly <= y <= hy
        ):
            continue
        heights = [h for h, _ in levels(thing) if h <= y + _ABOVE_M]
        if heights and heights[-1] > best.height + 1e-6:
            best = Rest(thing, heights[-1])
    return best


def fall(state: State, item: Thing, x: float, y: float, z: float) -> float:
    """Let `item` drop from (x, y, z), its underside; returns how far it fell, metres."""
    rest = rest_below(state, item, x, y, z)
    base = rest.height
    if rest.receptacle is not None:
        for other in state.things.children(rest.receptacle):  # it comes to lie on what is there
            if other is item or other.gone:
                continue
            c, s = other.body.center, other.body.size
            if abs(c[0] - x) < s[0] / 2 and abs(c[2] - z) < s[2] / 2 and other.body.high[1] < y:
                base = max(base, other.body.high[1])
    state.things.move_base(item, (x, base, z))
    state.things.attach(item, [] if rest.receptacle is None else [rest.receptacle])
    return max(0.0, y - base)
