"""Where agents can be, and how they get there: moves, turns, looks, teleports (section 7)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mosaic_planner.worlds.household.scenes.scene import Box
from mosaic_planner.worlds.household.thor.doors import touches_circle
from mosaic_planner.worlds.household.thor.state import (
    AGENT_HEIGHT_M,
    AGENT_RADIUS_M,
    Body,
    State,
    direction,
)
from mosaic_planner.worlds.household.thor.things import Thing

__all__ = [
    "Block",
    "agent_on_path",
    "hand_blocked",
    "obstacles",
    "path_blocked",
    "path_free",
    "place_blocked",
    "snapped",
]

Block = str
"""Name of what is in the way, "" if nothing is."""

_STEP_M = 0.05  # a path is tried at points this far apart
_LOW_M = 0.05  # lower things on the floor are stepped over
_HAND_RADIUS_M = 0.05
_FULL_TO_THE_TOP = ("Fridge", "Cabinet", "Dresser", "Safe", "Microwave")
_WALL = "Wall"


def snapped(state: State, value: float) -> float:
    """The coordinate on the agents' grid, if they keep to it."""
    if not state.settings.snap_to_grid:
        return value
    grid = state.settings.grid_size
    return math.floor(value / grid + 0.5) * grid


def _in_bounds(state: State, x: float, z: float) -> bool:
    low, high = state.scene.bounds.low, state.scene.bounds.high
    return low[0] <= x <= high[0] and low[2] <= z <= high[2]


def path_blocked(
    state: State, body: Body | None, start: tuple[float, float], end: tuple[float, float]
) -> Block:
    """What of the room blocks a straight walk of the capsule; other agents are not looked at.

    Things that the capsule already touches at the start do not count, so that nobody is stuck in
    what was dropped beside them. `body` is ignored but for its own held object.
    """
    del body
    if not _in_bounds(state, *end):
        return "Scene bounds"
    place = _first_blocked(state, start, end, obstacles(state))
    if place is None:
        return ""
    x, z, name = place
    return name or _furniture_at(state, x, z)


def path_free(
    state: State,
    start: tuple[float, float],
    end: tuple[float, float],
    obstacles: Sequence[tuple[str, Box]],
) -> bool:
    """Whether `path_blocked` would find nothing; `obstacles` once for many questions."""
    return _in_bounds(state, *end) and _first_blocked(state, start, end, obstacles) is None


def _first_blocked(
    state: State,
    start: tuple[float, float],
    end: tuple[float, float],
    obstacles: Sequence[tuple[str, Box]],
) -> tuple[float, float, str] | None:
    """The first point of a walk where the capsule does not fit, and the obstacle's name there.

    The name is "" where the room itself ends.
    """
    length = math.hypot(end[0] - start[0], end[1] - start[1])
    count = max(1, math.ceil(length / _STEP_M - 1e-6))
    around = [
        (name, box)
        for name, box in obstacles
        if touches_circle(box, (start[0] + end[0]) / 2, (start[1] + end[1]) / 2, length / 2 + 0.3)
        and not touches_circle(box, *start, AGENT_RADIUS_M)
    ]
    for k in range(1, count + 1):
        x = start[0] + (end[0] - start[0]) * k / count
        z = start[1] + (end[1] - start[1]) * k / count
        if not state.standing_free(x, z):
            return x, z, ""
        for name, box in around:
            if touches_circle(box, x, z, AGENT_RADIUS_M):
                return x, z, name
    return None


def place_blocked(state: State, x: float, z: float) -> Block:
    """What of the room keeps an agent from standing there; other agents are not looked at."""
    if not _in_bounds(state, x, z):
        return "Scene bounds"
    if not state.standing_free(x, z):
        return _furniture_at(state, x, z)
    for name, box in obstacles(state):
        if touches_circle(box, x, z, AGENT_RADIUS_M):
            return name
    return ""


def agent_on_path(
    state: State, body: Body, start: tuple[float, float], end: tuple[float, float]
) -> int | None:
    """The agent that the capsule of `body` would run into on a straight walk, or None."""
    for other in state.bodies:
        if other is not body and _distance_to_segment(other.x, other.z, start, end) < (
            2 * AGENT_RADIUS_M - 1e-6
        ):
            return other.index
    return None


def _distance_to_segment(
    x: float, z: float, start: tuple[float, float], end: tuple[float, float]
) -> float:
    vx, vz = end[0] - start[0], end[1] - start[1]
    square = vx * vx + vz * vz
    t = 0.0 if square == 0.0 else ((x - start[0]) * vx + (z - start[1]) * vz) / square
    t = min(1.0, max(0.0, t))
    return math.hypot(x - start[0] - t * vx, z - start[1] - t * vz)


def hand_blocked(state: State, body: Body, x: float, z: float, yaw: float) -> Block:
    """What the held object would run into if the agent stood there and faced that way."""
    if body.held is None:
        return ""
    return hand_blocked_at(state, body, body.hand_at(x, z, yaw))


def hand_blocked_at(state: State, body: Body, hand: tuple[float, float, float]) -> Block:
    """What is where the hand would be; "" if nothing."""
    hx, hy, hz = hand
    for other in state.bodies:
        if other is not body and math.hypot(other.x - hx, other.z - hz) < (
            AGENT_RADIUS_M + _HAND_RADIUS_M
        ):
            return f"Agent {other.index}"
    for thing in _tall(state):
        low, high = thing.body.low, thing.body.high
        if (
            low[0] - _HAND_RADIUS_M < hx < high[0] + _HAND_RADIUS_M
            and low[2] - _HAND_RADIUS_M < hz < high[2] + _HAND_RADIUS_M
            and low[1] - _HAND_RADIUS_M < hy < high[1] + _HAND_RADIUS_M
            and not thing.is_open
        ):
            return thing.name
    return ""


def _tall(state: State) -> list[Thing]:
    """What a hand could run into; looked up once for each set of bodies."""
    structure, found = state.tall
    if structure != state.things.structure:
        found = [t for t in state.things if t.object_type in _FULL_TO_THE_TOP and not t.gone]
        state.tall = (state.things.structure, found)
    return found


def obstacles(state: State) -> list[tuple[str, Box]]:
    """Open doors and drawers, and things that were moved to the floor, at the agents' height.

    What stood on the floor at the start is part of the static floor (`Scene.cells`).
    """
    top = state.floor_y + AGENT_HEIGHT_M
    found: list[tuple[str, Box]] = []
    for thing, boxes in state.panels.values():
        found.extend((thing.name, box) for box in boxes if box.low[1] < top)
    for thing in state.things:
        if not thing.moved or thing.gone or state.things.carrier(thing) is not None:
            continue
        base = thing.body.low[1]
        on_floor = base < state.floor_y + 0.1
        if on_floor and thing.body.high[1] > state.floor_y + _LOW_M:
            found.append((thing.name, thing.body))
    return found


def _furniture_at(state: State, x: float, z: float) -> Block:
    """The piece of furniture nearest to a point that is not free; a wall if none is near."""
    best, best_distance = _WALL, 0.3
    for thing in state.things:
        if thing.gone or thing.object_type == "Floor" or thing.moved:
            continue
        low, high = thing.body.low, thing.body.high
        if low[1] > state.floor_y + AGENT_HEIGHT_M or high[1] < state.floor_y + _LOW_M:
            continue
        dx = max(low[0] - x, x - high[0], 0.0)
        dz = max(low[2] - z, z - high[2], 0.0)
        # Of equally near things the lowest is what the feet run into.
        distance = math.hypot(dx, dz) + 1e-3 * max(low[1] - state.floor_y, 0.0)
        if distance < best_distance:
            best, best_distance = thing.name, distance
    return best


def move(state: State, body: Body, angle_deg: float, magnitude: float) -> str:
    """Walk `magnitude` metres at `angle_deg` clockwise from ahead; the error text, "" if done."""
    fx, fz = direction(body.yaw + angle_deg)
    target = (snapped(state, body.x + fx * magnitude), snapped(state, body.z + fz * magnitude))
    start = (body.x, body.z)
    by = f"({target[0] - start[0]:.4f}, {0.0:.4f}, {target[1] - start[1]:.4f})"
    block = path_blocked(state, body, start, target)
    if block == "Scene bounds":
        return f"Scene bounds do not contain the target ({target[0]:.4f}, {target[1]:.4f})."
    if not block:
        other = agent_on_path(state, body, start, target)
        block = "" if other is None else f"Agent {other}"
    if block:
        body.collided, body.collided_with = True, (block,)
        return f"{block} is blocking Agent {body.index} from moving by {by}."
    block = hand_blocked(state, body, *target, body.yaw)
    if block:
        item = state.held(body)
        body.collided, body.collided_with = True, (block,)
        held = item.name if item is not None else "held object"
        return f"{block} is blocking {held} held by Agent {body.index} from moving by {by}."
    relocate(state, body, *target)
    return ""


def turn(state: State, body: Body, degrees: float) -> str:
    """Turn clockwise by `degrees`; the error text, "" if done."""
    yaw = (body.yaw + degrees) % 360.0
    block = hand_blocked(state, body, body.x, body.z, yaw)
    if block:
        item = state.held(body)
        held = item.name if item is not None else "held object"
        return f"{held} held by Agent {body.index} would hit {block} on turning by {degrees:g}."
    body.yaw = yaw
    carry(state, body)
    return ""


def relocate(state: State, body: Body, x: float, z: float) -> None:
    """Put the agent there with what it holds; nothing is checked."""
    body.x, body.z = x, z
    carry(state, body)


def carry(state: State, body: Body) -> None:
    """Bring the held object to the hand after any change of pose."""
    item = state.held(body)
    if item is None:
        return
    hx, hy, hz = body.hand_at(body.x, body.z, body.yaw)
    center = item.body.center
    state.things.carry(item, (hx - center[0], hy - center[1], hz - center[2]))
