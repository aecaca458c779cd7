"""Questions to the simulator: reachable positions and interactable poses (section 7)."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

from mosaic_planner.worlds.household.thor.motion import (
    hand_blocked,
    obstacles,
    path_free,
    place_blocked,
)
from mosaic_planner.worlds.household.thor.result import Context, Result, not_in_scene
from mosaic_planner.worlds.household.thor.state import Body, State

__all__ = ["interactable_poses", "reachable", "reachable_positions"]

_ORDER = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))  # +x, +z, -x, -z
_MOST_CELLS = 10_000
_HORIZONS = (-30.0, 0.0, 30.0, 60.0)


def reachable(state: State, body: Body, grid: float) -> list[tuple[float, float]]:
    """Positions (x, z) on a grid around the agent, breadth first, the agent's own first.

    4-connected in the order +x, +z, -x, -z; other agents do not block; what the agent holds must
    fit for at least the direction it faces.
    """
    start = (body.x, body.z)
    found = {(0, 0): start}
    in_the_way = obstacles(state)
    queue = deque([(0, 0)])
    while queue and len(found) < _MOST_CELLS:
        i, j = queue.popleft()
        here = found[(i, j)]
        for dx, dz in _ORDER:
            key = (i + int(dx), j + int(dz))
            if key in found:
                continue
            there = (start[0] + key[0] * grid, start[1] + key[1] * grid)
            if not path_free(state, here, there, in_the_way):
                continue
            if hand_blocked(state, body, *there, body.yaw):
                continue
            found[key] = there
            queue.append(key)
    return list(found.values())


def reachable_positions(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """GetReachablePositions: list of {x, y, z}."""
    given = params.get("gridSize")
    grid = context.state.settings.grid_size if given is None else float(given)
    if grid <= 0.0:
        return Result("gridSize must be positive.")
    points = reachable(context.state, body, grid)
    return Result(value=[{"x": x, "y": body.y, "z": z} for x, z in points])


def interactable_poses(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """GetInteractablePoses: list of {x, y, z, rotation, horizon, standing}.

    Poses from which the object is visible and interactable, other agents aside; the defaults are
    all reachable cells, multiples of rotateStepDegrees, horizons -30, 0, 30 and 60, standing and
    crouching.
    """
    state = context.state
    thing = state.things.get(str(params["objectId"]))
    if thing is None:
        return Result(not_in_scene(params["objectId"]))
    positions = params.get("positions")
    if positions is None:
        spots = reachable(state, body, state.settings.grid_size)
    else:
        spots = [(float(p["x"]), float(p["z"])) for p in positions]
    step = state.settings.rotate_step_deg
    yaws = params.get("rotations") or [k * step for k in range(max(1, round(360.0 / step)))]
    horizons = params.get("horizons") or _HORIZONS
    standings = params.get("standings")
    standings = (True, False) if standings is None else tuple(standings)
    most = int(params.get("maxPoses") or 2**31)
    farthest = params.get("maxDistance")
    cx, _, cz = thing.body.center
    reach = state.settings.visibility_distance + max(thing.body.size[0], thing.body.size[2])
    looks = [
        (float(yaw), float(horizon), bool(standing))
        for yaw in yaws
        for horizon in horizons
        for standing in standings
    ]
    near = []
    for x, z in spots:
        if abs(x - cx) > reach or abs(z - cz) > reach:
            continue
        if farthest is not None and math.hypot(x - cx, z - cz) > float(farthest):
            continue
        if positions is None or not place_blocked(state, x, z):
            near.append((x, z))
    found: list[dict[str, Any]] = []
    for x, z, yaw, horizon, standing in context.sight.from_where(thing, body, near, looks):
        if hand_blocked(state, body, x, z, yaw):
            continue
        found.append(
            {"x": x, "y": body.y, "z": z, "rotation": yaw, "horizon": horizon,
             "standing": standing}
        )  # fmt: skip
        if len(found) >= most:
            break
    return Result(value=found)
