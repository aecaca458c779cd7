"""Carrying: pick up, put, drop, throw, move the hand (section 7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mosaic_planner.worlds.household.thor.changes import shatter
from mosaic_planner.worlds.household.thor.doors import overlaps
from mosaic_planner.worlds.household.thor.falling import fall, rest_below
from mosaic_planner.worlds.household.thor.motion import carry, hand_blocked_at
from mosaic_planner.worlds.household.thor.placing import find_spot, refusal
from mosaic_planner.worlds.household.thor.result import DONE, Context, Result, find_target
from mosaic_planner.worlds.household.thor.state import HAND_AT_REST, Body, State
from mosaic_planner.worlds.household.thor.things import Thing

__all__ = [
    "drop",
    "let_go",
    "move_hand",
    "pick_up",
    "place_at_point",
    "put",
    "reset_hand",
    "rotate_hand",
    "throw",
]

NOTHING_HELD = "Nothing in hand to {}!"
_HARD_FALL_M = 1.2
_HARD_THROW_M = 0.5
_HAND_REACH_M = 1.5
_THROW_M_PER_N = 0.01
_CLEAR_M = 0.08  # boxes are bigger than bodies: recorded start calls overlap by up to this


def pick_up(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """PickupObject: addressable; pickupable; hand empty; the way to the hand free."""
    target = find_target(context, body, params)
    if target.thing is None:
        return Result(target.error)
    thing, state = target.thing, context.state
    if not thing.has("pickupable"):
        return Result(f"{thing.object_id} must have the property CanPickup to be picked up.")
    if body.held is not None:
        return Result("Agent hand has something in it already! Can't pick up anything else.")
    if thing.gone:
        return Result(f"{thing.object_id} is in pieces and cannot be picked up.")
    carrier = state.things.carrier(thing)
    if carrier is not None:
        return Result(f"{thing.object_id} is held by Agent {carrier}.")
    hand = body.hand_at(body.x, body.z, body.yaw)
    block = hand_blocked_at(state, body, hand)
    if block and not params.get("forceAction", False):
        return Result(f"Picking up object would cause it to collide and clip into {block}!")
    state.things.detach(thing)
    state.things.square_up(thing)
    thing.holder = body.index
    body.held = thing.object_id
    body.hand, body.hand_rotation = HAND_AT_REST, (0.0, 0.0, 0.0)
    state.things.changed(thing)
    carry(state, body)
    return DONE


def let_go(state: State, body: Body) -> Thing:
    """Empty the hand without putting the object anywhere; the caller does that at once."""
    thing = state.held(body)
    assert thing is not None
    body.held = None
    thing.holder = None
    body.hand, body.hand_rotation = HAND_AT_REST, (0.0, 0.0, 0.0)
    state.things.changed(thing)
    state.things.cover += 1
    return thing


def put(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """PutObject: the held object goes into or onto the receptacle `objectId` (section 8)."""
    state = context.state
    item = state.held(body)
    if item is None:
        return Result("Can't place an object if the Agent isn't holding anything!")
    target = find_target(context, body, params)
    if target.thing is None:
        return Result(target.error)
    force = bool(params.get("forceAction", False))
    error = refusal(item, target.thing, state, force)
    if error:
        return Result(error)
    spot = find_spot(context, item, target.thing, body, need_view=not force)
    if spot is None:
        return Result("No valid positions to place object found")
    let_go(state, body)
    if spot.quarter:
        state.things.turn_quarter(item)
    state.things.move_base(item, spot.base)
    state.things.attach(item, [target.thing])
    return DONE


def drop(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """DropHeldObject: it falls to what is below the hand; a fall of over 1.2 m breaks it."""
    del params
    if body.held is None:
        return Result(NOTHING_HELD.format("drop"))
    item = let_go(context.state, body)
    _land(context.state, body, item, item.body.center[0], item.body.center[2], _HARD_FALL_M)
    return DONE


def throw(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """ThrowObject: it lands up to 2 m ahead; a fall of over 0.5 m breaks it."""
    if body.held is None:
        return Result(NOTHING_HELD.format("throw"))
    magnitude = float(params.get("moveMagnitude", 150.0))
    if magnitude < 0:
        return Result("moveMagnitude must not be negative.")
    item = let_go(context.state, body)
    fx, fz = body.ahead()
    far = min(2.0, magnitude * _THROW_M_PER_N)
    x, z = item.body.center[0] + fx * far, item.body.center[2] + fz * far
    _land(context.state, body, item, x, z, _HARD_THROW_M)
    return DONE


def _land(state: State, body: Body, item: Thing, x: float, z: float, hard_m: float) -> None:
    """Fall at (x, z), or nearer to the agent where a wall is in between."""
    base = item.body.low[1]
    for share in (1.0, 0.75, 0.5, 0.25, 0.0):
        px, pz = body.x + (x - body.x) * share, body.z + (z - body.z) * share
        rest = rest_below(state, item, px, base, pz)
        on_floor = rest.receptacle is None or rest.receptacle.object_type == "Floor"
        if not on_floor or state.standing_free(px, pz):
            break
    if fall(state, item, px, base, pz) > hard_m and item.has("breakable"):
        shatter(state, item)


def move_hand(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """MoveHeldObject by ahead, right, up metres, at most 1.5 m from the camera."""
    if body.held is None:
        return Result(NOTHING_HELD.format("move"))
    by = [float(params.get(k, 0.0)) for k in ("right", "up", "ahead")]
    before = body.hand
    body.hand = (before[0] + by[0], before[1] + by[1], before[2] + by[2])
    block = hand_blocked_at(context.state, body, body.hand_at(body.x, body.z, body.yaw))
    if sum(v * v for v in body.hand) > _HAND_REACH_M**2 or block:
        body.hand = before
        return Result(f"The held object would hit {block}." if block else "Out of the arm's reach.")
    carry(context.state, body)
    return DONE


def rotate_hand(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """RotateHeldObject by pitch, yaw, roll degrees."""
    item = context.state.held(body)
    if item is None:
        return Result(NOTHING_HELD.format("rotate"))
    turned = [
        (old + float(params.get(k, 0.0))) % 360.0
        for old, k in zip(body.hand_rotation, ("pitch", "yaw", "roll"), strict=True)
    ]
    body.hand_rotation = (turned[0], turned[1], turned[2])
    item.rotation = body.hand_rotation
    context.state.things.changed(item)
    return DONE


def reset_hand(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """ResetHand: the held object back to its rest pose."""
    del params
    if body.held is None:
        return Result(NOTHING_HELD.format("reset"))
    body.hand, body.hand_rotation = HAND_AT_REST, (0.0, 0.0, 0.0)
    carry(context.state, body)
    return DONE


def place_at_point(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """PlaceObjectAtPoint: put an object above a point and let it fall; ignores visibility.

    Fails for an unknown id, a point outside the scene bounds, or one that another object fills.
    """
    del body
    state = context.state
    thing = state.things.get(str(params["objectId"]))
    if thing is None:
        return Result(f"No object of id {params['objectId']} in the scene.")
    if not (thing.has("pickupable") or thing.has("moveable")) or thing.gone:
        return Result(f"{thing.object_id} cannot be moved.")
    at = params["position"]
    x, y, z = float(at["x"]), float(at["y"]), float(at["z"])
    low, high = state.scene.bounds.low, state.scene.bounds.high
    if not all(low[k] <= v <= high[k] for k, v in enumerate((x, y, z))):
        return Result(f"Scene bounds do not contain the target ({x:.4f}, {y:.4f}, {z:.4f}).")
    old = thing.body
    base = y - (thing.position[1] - old.low[1])
    ghost = type(old)((x, base + old.size[1] / 2, z), old.size)
    mine = {thing.object_id, *(t.object_id for t in state.things.carried(thing))}
    for other in state.things:
        solid = other.has("pickupable") and not other.has("receptacle") and not other.gone
        if solid and other.object_id not in mine and overlaps(ghost, other.body, _CLEAR_M):
            return Result(f"The target area is not clear: {other.name} is there.")
    for holder in state.bodies:
        if holder.held == thing.object_id:
            let_go(state, holder)
    turn = params.get("rotation")
    if turn is not None:
        parts = turn if isinstance(turn, Mapping) else {"y": turn}
        x_deg, y_deg, z_deg = (float(parts.get(k, 0.0)) for k in ("x", "y", "z"))
        thing.rotation = (x_deg, y_deg, z_deg)
    state.things.detach(thing)
    fall(state, thing, x, max(base, state.floor_y), z)
    return DONE
