"""Teleport, crouch, stand, look: changes of the own pose that are not walks (section 7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mosaic_planner.worlds.household.thor.motion import (
    agent_on_path,
    carry,
    hand_blocked,
    place_blocked,
    relocate,
)
from mosaic_planner.worlds.household.thor.result import DONE, Context, Result
from mosaic_planner.worlds.household.thor.state import Body, State

__all__ = ["HORIZON_LIMITS", "crouch", "look", "stand", "teleport"]

HORIZON_LIMITS = (-30.0, 60.0)
_OFF_FLOOR_M = 0.05


def look(state: State, body: Body, degrees: float, sign: float) -> Result:
    """LookUp (sign -1), LookDown (sign 1) by `degrees` >= 0, a multiple of 0.1."""
    if degrees < 0.0:
        return Result("degrees must not be negative.")
    if abs(degrees * 10 - round(degrees * 10)) > 1e-6:
        return Result("degrees must be a multiple of 0.1.")
    horizon = body.horizon + sign * degrees
    low, high = HORIZON_LIMITS
    if not low - 1e-6 <= horizon <= high + 1e-6:
        return Result(f"The horizon is limited to {low:g} .. {high:g}; {horizon:g} is beyond.")
    body.horizon = min(high, max(low, horizon))
    carry(state, body)
    return DONE


def crouch(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """Crouch: lower the camera."""
    del params
    return _posture(context, body, False)


def stand(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """Stand: raise the camera."""
    del params
    return _posture(context, body, True)


def _posture(context: Context, body: Body, standing: bool) -> Result:
    if body.standing == standing:
        return Result(f"Agent is already {'standing' if standing else 'crouching'}.")
    body.standing = standing
    carry(context.state, body)
    return DONE


def _given(params: dict[str, Any], body: Body) -> tuple[float, float, float]:
    """The target position, own coordinates where a part is left out."""
    at = params.get("position")
    source: dict[str, Any] = params if at is None else at
    own = {"x": body.x, "y": body.y, "z": body.z}
    values = [float(own[k] if source.get(k) is None else source[k]) for k in ("x", "y", "z")]
    return (values[0], values[1], values[2])


def teleport(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """Teleport and TeleportFull; what is left out stays as it is.

    Fails where the agent would collide, outside the scene bounds, more than 0.05 m off the floor,
    or for a horizon outside -30 .. 60. `forceAction` lifts all but the collision with agents.
    """
    state = context.state
    x, y, z = _given(params, body)
    turn = params.get("rotation")
    yaw = body.yaw
    if turn is not None:
        yaw = float(turn["y"] if isinstance(turn, Mapping) else turn) % 360.0
    horizon = body.horizon if params.get("horizon") is None else float(params["horizon"])
    force = bool(params.get("forceAction", False))
    low, high = HORIZON_LIMITS
    if not low <= horizon <= high:
        return Result(f"horizon must be in {low:g} .. {high:g}, not {horizon:g}.")
    moving = (x, z) != (body.x, body.z)
    if moving and not force:
        block = place_blocked(state, x, z)
        if block == "Scene bounds":
            return Result(f"Scene bounds do not contain the target ({x:.4f}, {y:.4f}, {z:.4f}).")
        if block:
            return Result(f"Collided with {block} on teleporting to ({x:.4f}, {z:.4f}).")
    if abs(y - body.y) > _OFF_FLOOR_M and not force:
        return Result(f"The target is {abs(y - body.y):.2f} m off the floor; use forceAction.")
    if moving:
        other = agent_on_path(state, body, (x, z), (x, z))
        if other is not None:
            return Result(f"Collided with Agent {other} on teleporting to ({x:.4f}, {z:.4f}).")
    block = hand_blocked(state, body, x, z, yaw)
    if block and not force:
        return Result(f"The held object would hit {block}.")
    body.yaw, body.horizon = yaw, horizon
    if params.get("standing") is not None:
        body.standing = bool(params["standing"])
    relocate(state, body, x, z)
    return DONE
