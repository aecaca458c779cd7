"""Fronts, and what an open door, leaf or drawer takes of the room.

Recordings hold no open boxes and no front normals, so both are derived: the front is the side that
most free floor lies before; drawers slide out by 0.8 of their depth; hinged leaves (single up to
0.65 m, double above, a fridge always single) turn by 90 degrees.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from mosaic_planner.core.geometry import Cell
from mosaic_planner.worlds.household.scenes.scene import CELL_M, Box, Vec
from mosaic_planner.worlds.household.thor.state import AGENT_HEIGHT_M, AGENT_RADIUS_M, State
from mosaic_planner.worlds.household.thor.things import Thing

__all__ = ["blocked", "find_fronts", "open_to", "overlaps", "panels", "touches_circle"]

_HINGED = frozenset(("Cabinet", "Fridge", "Microwave", "Safe"))
_FRONTED = _HINGED | {"Drawer", "StoveKnob"}
_SLIDE = 0.8
_LEAF_M = 0.04
_DOUBLE_FROM_M = 0.65
_REACH_M = 1.0


def find_fronts(things: Iterable[Thing], cells: frozenset[Cell]) -> None:
    """Set `front` and `hinge` of everything that has a front, from the free cells before it."""
    floor = np.array(sorted(cells), dtype=float) * CELL_M
    for thing in things:
        if thing.object_type in _FRONTED and len(floor):
            thing.front = _front(thing.body, floor)
            if thing.front is not None:
                thing.hinge = _hinge(thing, floor)


def _front(box: Box, floor: np.ndarray) -> tuple[float, float] | None:
    best: tuple[float, float] | None = None
    best_weight = 0.0
    dx, dz = floor[:, 0] - box.center[0], floor[:, 1] - box.center[2]
    for nx, nz in ((1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)):
        before = dx * nx + dz * nz - (box.size[0] if nx else box.size[2]) / 2
        beside = np.abs(dx * nz) + np.abs(dz * nx)
        half = (box.size[2] if nx else box.size[0]) / 2
        hit = (before > 0.0) & (before < _REACH_M) & (beside < half + 0.15)
        weight = float((1.0 / (0.3 + before[hit])).sum())
        if weight > best_weight + 1e-9:
            best_weight, best = weight, (nx, nz)
    return best


def _hinge(thing: Thing, floor: np.ndarray) -> int:
    """The end of the front with less free floor before and beside it."""
    assert thing.front is not None
    nx, nz = thing.front
    dx, dz = floor[:, 0] - thing.body.center[0], floor[:, 1] - thing.body.center[2]
    before = dx * nx + dz * nz
    along = dx * abs(nz) + dz * abs(nx)
    near = (before > 0.0) & (before < 2.0) & (np.abs(along) < 1.5)
    return 1 if (along[near] > 0).sum() <= (along[near] < 0).sum() else -1


def _travel(thing: Thing) -> float:
    assert thing.front is not None
    return _SLIDE * (thing.body.size[0] if thing.front[0] else thing.body.size[2])


def panels(thing: Thing, openness: float | None = None) -> tuple[Box, ...]:
    """What it takes of the room in front of its closed body at that openness (default: now)."""
    share = thing.openness if openness is None else openness
    if share <= 0.0 or thing.front is None or thing.gone:
        return ()
    nx, nz = thing.front
    axis, sign = (0, nx) if nx else (2, nz)
    center, size = thing.body.center, thing.body.size
    if thing.object_type == "Drawer":
        closed = center[axis] - sign * _travel(thing) * thing.openness
        face = closed + sign * size[axis] / 2
        reach = _travel(thing) * share
        return (_replaced(center, size, axis, face + sign * reach / 2, reach),)
    if thing.object_type not in _HINGED:
        return ()
    along = 2 - axis
    width = size[along]
    double = thing.object_type != "Fridge" and width > _DOUBLE_FROM_M
    sides = (1, -1) if double else (thing.hinge,)
    leaf = width / len(sides)
    angle = math.radians(90.0 * share)
    out, inward = leaf * math.sin(angle), leaf * math.cos(angle)
    face = center[axis] + sign * size[axis] / 2
    boxes = []
    for side in sides:
        post = center[along] + side * width / 2
        across = max(inward, _LEAF_M)
        box = _replaced(center, size, axis, face + sign * out / 2, max(out, _LEAF_M))
        boxes.append(_replaced(box.center, box.size, along, post - side * across / 2, across))
    return tuple(boxes)


def _replaced(center: Vec, size: Vec, axis: int, middle: float, extent: float) -> Box:
    c, s = list(center), list(size)
    c[axis], s[axis] = middle, extent
    return Box((c[0], c[1], c[2]), (s[0], s[1], s[2]))


def overlaps(a: Box, b: Box, tolerance: float = 0.01) -> bool:
    """Whether two boxes share more than `tolerance` metres along every axis."""
    return all(
        abs(a.center[k] - b.center[k]) < (a.size[k] + b.size[k]) / 2 - tolerance for k in range(3)
    )


def touches_circle(box: Box, x: float, z: float, radius: float) -> bool:
    """Whether the box's footprint comes nearer to (x, z) than `radius`."""
    dx = max(abs(x - box.center[0]) - box.size[0] / 2, 0.0)
    dz = max(abs(z - box.center[2]) - box.size[2] / 2, 0.0)
    return dx * dx + dz * dz < (radius - 1e-6) ** 2


def blocked(state: State, thing: Thing, openness: float) -> str:
    """Who or what stands where the door would be; "" if nothing does (section 7, OpenObject)."""
    stages = (openness, openness / 2) if openness > thing.openness else (openness,)
    own = {thing.object_id, *(t.object_id for t in state.things.carried(thing))}
    for share in stages:
        for box in panels(thing, share):
            if box.low[1] < state.floor_y + AGENT_HEIGHT_M:
                for body in state.bodies:
                    if touches_circle(box, body.x, body.z, AGENT_RADIUS_M):
                        return f"Agent {body.index}"
            for other in state.things:
                loose = other.moved and not other.gone and other.object_id not in own
                if loose and overlaps(box, other.body) and state.things.carrier(other) is None:
                    # What lies in an open drawer is not to blame, the drawer is.
                    outer = [t for t in state.things.ancestors(other) if t.object_type == "Drawer"]
                    return outer[0].name if outer else other.name
    return ""


def open_to(state: State, thing: Thing, openness: float) -> None:
    """Open or close it that far; a drawer's content moves along with it."""
    before = thing.openness
    if thing.object_type == "Drawer" and thing.front is not None:
        by = _travel(thing) * (openness - before)
        step = (thing.front[0] * by, 0.0, thing.front[1] * by)
        for one in (thing, *state.things.carried(thing)):
            state.things.shift(one, step)
    thing.openness = openness
    thing.samples = None  # an open drawer is looked at from other sides
    leaves = panels(thing)
    thing.box = thing.body
    if thing.object_type != "Drawer":
        for leaf in leaves:
            thing.box = _union(thing.box, leaf)
    if leaves:
        state.panels[thing.object_id] = (thing, leaves)
    else:
        state.panels.pop(thing.object_id, None)
    state.things.reboxed(thing)
    state.things.cover += 1


def _union(a: Box, b: Box) -> Box:
    low = [min(a.low[k], b.low[k]) for k in range(3)]
    high = [max(a.high[k], b.high[k]) for k in range(3)]
    center = [(p + q) / 2 for p, q in zip(low, high, strict=True)]
    size = [q - p for p, q in zip(low, high, strict=True)]
    return Box((center[0], center[1], center[2]), (size[0], size[1], size[2]))
