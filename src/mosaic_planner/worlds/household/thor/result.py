"""What an action gives back, and what every action is handed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mosaic_planner.worlds.household.thor.sampling import camera_axes
from mosaic_planner.worlds.household.thor.sight import Sight
from mosaic_planner.worlds.household.thor.state import Body, State
from mosaic_planner.worlds.household.thor.things import Thing

__all__ = ["DONE", "NOT_VISIBLE", "Context", "Result", "Target", "find_target", "not_in_scene"]

NOT_VISIBLE = "NullReferenceException: Target object not found within the specified visibility."


def not_in_scene(object_id: object) -> str:
    """The engine's answer to an id that no object has (section 6)."""
    return (
        f"ArgumentException: objectId: {object_id} is not the objectId on any object in the scene!"
    )


@dataclass(frozen=True, slots=True)
class Result:
    """`error` is "" for success; `code` is set where the client is to raise; `value` is the
    action's return value."""

    error: str = ""
    value: Any = None
    code: str | None = None


DONE = Result()


@dataclass(slots=True)
class Context:
    """The situation and the eyes to judge it with."""

    state: State
    sight: Sight


@dataclass(frozen=True, slots=True)
class Target:
    """The object an action is about, or why there is none."""

    thing: Thing | None
    error: str = ""


def find_target(context: Context, body: Body, params: dict[str, Any]) -> Target:
    """Resolve `objectId`, or screen coordinates `x`, `y` in 0..1, in the order of section 6."""
    force = bool(params.get("forceAction", False))
    if params.get("objectId") is None:
        if not (0.0 <= params["x"] <= 1.0 and 0.0 <= params["y"] <= 1.0):
            return Target(None, "ArgumentOutOfRangeException: x and y must be in [0, 1].")
        thing = _pointed_at(context, body, float(params["x"]), float(params["y"]))
        if thing is None:
            return Target(None, NOT_VISIBLE)
    else:
        found = context.state.things.get(str(params["objectId"]))
        if found is None:
            return Target(None, not_in_scene(params["objectId"]))
        thing = found
    if force:
        return Target(thing)
    visible, interactable = context.sight.sees(body, thing)
    if not visible:
        return Target(None, NOT_VISIBLE)
    if not interactable:
        return Target(
            None,
            f"{thing.object_id} is visible but not interactable, "
            "probably obstructed by something clear such as glass.",
        )
    return Target(thing)


def _pointed_at(context: Context, body: Body, x: float, y: float) -> Thing | None:
    """The nearest visible object on the ray through a screen point, (0, 0) being top left."""
    settings = context.state.settings
    tan_v = math.tan(math.radians(settings.field_of_view) / 2)
    tan_h = tan_v * settings.width / settings.height
    ray = np.array([(2 * x - 1) * tan_h, (1 - 2 * y) * tan_v, 1.0])
    ray = ray @ camera_axes(body.yaw, body.horizon)
    ray = np.where(np.abs(ray) < 1e-12, 1e-12, ray)
    eye = np.array(body.eye)
    view = context.sight.view(body)
    best: Thing | None = None
    nearest = math.inf
    for thing, visible in zip(context.state.things, view.visible, strict=True):
        if not visible:
            continue
        one = (np.array(thing.body.low) - eye) / ray
        two = (np.array(thing.body.high) - eye) / ray
        enter = float(np.minimum(one, two).max())
        leave = float(np.maximum(one, two).min())
        if enter <= leave and leave > 0 and enter < nearest:
            best, nearest = thing, enter
    return best
