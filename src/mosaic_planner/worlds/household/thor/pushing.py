"""Pushing and pulling: moveable furniture and loose things slide over the floor (section 7).

There is no physics engine behind this: a push of F newton slides a thing of mass m by F / (100 m)
metres, at most 1 m, until something is in its way.
"""

from __future__ import annotations

import math
from typing import Any

from mosaic_planner.worlds.household.scenes.scene import Box
from mosaic_planner.worlds.household.thor.doors import overlaps, touches_circle
from mosaic_planner.worlds.household.thor.falling import fall
from mosaic_planner.worlds.household.thor.motion import place_blocked
from mosaic_planner.worlds.household.thor.result import DONE, Context, Result, find_target
from mosaic_planner.worlds.household.thor.state import AGENT_RADIUS_M, Body, State, direction
from mosaic_planner.worlds.household.thor.things import Thing

__all__ = ["directional_push", "pull", "push"]

_M_PER_N_KG = 0.01
_FARTHEST_M = 1.0
_STEP_M = 0.05


def push(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """PushObject: away from the agent."""
    return _slide(context, body, params, 0.0)


def pull(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """PullObject: towards the agent."""
    return _slide(context, body, params, 180.0)


def directional_push(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """DirectionalPush: at `pushAngle` degrees clockwise from the agent's ahead, 0..360."""
    angle = float(params.get("pushAngle", 0.0))
    if not 0.0 <= angle <= 360.0:
        return Result(f"pushAngle must be in [0, 360], not {angle:g}.")
    return _slide(context, body, params, angle)


def _slide(context: Context, body: Body, params: dict[str, Any], angle: float) -> Result:
    target = find_target(context, body, params)
    if target.thing is None:
        return Result(target.error)
    thing, state = target.thing, context.state
    if not (thing.has("moveable") or thing.has("pickupable")) or thing.gone:
        return Result(f"{thing.object_id} is neither moveable nor pickupable.")
    if state.things.carrier(thing) is not None:
        return Result(f"{thing.object_id} is held and cannot be pushed.")
    force = float(params.get("moveMagnitude", 100.0))
    if force < 0.0:
        return Result("moveMagnitude must not be negative.")
    far = min(_FARTHEST_M, force * _M_PER_N_KG / max(thing.mass, 0.1))
    dx, dz = direction(body.yaw + angle)
    loose = thing.has("pickupable")
    moved = 0.0
    while moved + 1e-9 < far:
        step = min(_STEP_M, far - moved)
        if _obstructed(state, thing, dx * step, dz * step, loose):
            break
        state.things.move(thing, (dx * step, 0.0, dz * step))
        moved += step
    if loose and moved > 0.0:
        x, _, z = thing.body.center
        base = thing.body.low[1]
        state.things.detach(thing)
        fall(state, thing, x, base, z)
    return DONE


def _obstructed(state: State, thing: Thing, dx: float, dz: float, loose: bool) -> bool:
    """Whether something stands where the thing would slide to."""
    c, s = thing.body.center, thing.body.size
    ghost = Box((c[0] + dx, c[1], c[2] + dz), s)
    for body in state.bodies:
        if touches_circle(ghost, body.x, body.z, AGENT_RADIUS_M):
            return True
    low, high = state.scene.bounds.low, state.scene.bounds.high
    if not (low[0] <= ghost.low[0] and ghost.high[0] <= high[0]):
        return True
    if not (low[2] <= ghost.low[2] and ghost.high[2] <= high[2]):
        return True
    own = {thing.object_id, *(t.object_id for t in state.things.carried(thing))}
    around = {t.object_id for t in state.things.ancestors(thing)}
    for other in state.things:
        if other.gone or other.object_id in own or other.object_id in around:
            continue
        # What already overlaps (boxes are bigger than bodies) is not newly in the way.
        if overlaps(ghost, other.body) and not overlaps(thing.body, other.body):
            return True
    if loose:
        return False
    # Furniture cannot enter walls: its leading edge must be over free floor or where it was.
    reach = math.hypot(dx, dz)
    ux, uz = (dx / reach, dz / reach) if reach else (0.0, 0.0)
    edge_x = c[0] + ux * s[0] / 2 + dx
    edge_z = c[2] + uz * s[2] / 2 + dz
    return place_blocked(state, edge_x, edge_z) == "Wall"
