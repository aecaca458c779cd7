"""Every action by name, with the parameters it takes; wrong calls get the client's error codes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from mosaic_planner.worlds.household.thor import changes, editing, handling, pushing, queries
from mosaic_planner.worlds.household.thor.motion import move, turn
from mosaic_planner.worlds.household.thor.result import DONE, Context, Result
from mosaic_planner.worlds.household.thor.state import Body
from mosaic_planner.worlds.household.thor.teleporting import crouch, look, stand, teleport

__all__ = ["ACTIONS", "ActionSpec", "call_error"]

Handler = Callable[[Context, Body, dict[str, Any]], Result]

_EVERYWHERE = frozenset(
    ("action", "agentId", "sequenceId", "renderImage", "forceAction", "raise_for_failure")
)
_TARGET = ("objectId", "x", "y")


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """`required` and `optional` parameter names; `target`: takes objectId or screen x and y."""

    handler: Handler
    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    target: bool = False

    @property
    def accepted(self) -> frozenset[str]:
        """Every parameter name it knows."""
        extra = _TARGET if self.target else ()
        return _EVERYWHERE.union(self.required, self.optional, extra)


def _mover(angle: float) -> Handler:
    def act(context: Context, body: Body, params: dict[str, Any]) -> Result:
        given = params.get("moveMagnitude")
        magnitude = context.state.settings.grid_size if given is None else float(given)
        if magnitude <= 0.0:
            return Result("moveMagnitude must be greater than 0.")
        return Result(move(context.state, body, angle, magnitude))

    return act


def _turner(sign: float) -> Handler:
    def act(context: Context, body: Body, params: dict[str, Any]) -> Result:
        given = params.get("degrees")
        degrees = context.state.settings.rotate_step_deg if given is None else float(given)
        if degrees <= 0.0:
            return Result("degrees must be greater than 0.")
        return Result(turn(context.state, body, sign * degrees))

    return act


def _looker(sign: float) -> Handler:
    def act(context: Context, body: Body, params: dict[str, Any]) -> Result:
        given = params.get("degrees")
        return look(context.state, body, 30.0 if given is None else float(given), sign)

    return act


def _nothing(context: Context, body: Body, params: dict[str, Any]) -> Result:
    del context, body, params
    return DONE


def _on(handler: Handler, *optional: str, required: tuple[str, ...] = ()) -> ActionSpec:
    return ActionSpec(handler, required, optional, target=True)


_MOVE = ("moveMagnitude", "noise")
_POSE = ("position", "x", "y", "z", "rotation", "horizon", "standing")

ACTIONS: Mapping[str, ActionSpec] = MappingProxyType(
    {
        "MoveAhead": ActionSpec(_mover(0.0), optional=_MOVE),
        "MoveRight": ActionSpec(_mover(90.0), optional=_MOVE),
        "MoveBack": ActionSpec(_mover(180.0), optional=_MOVE),
        "MoveLeft": ActionSpec(_mover(270.0), optional=_MOVE),
        "RotateRight": ActionSpec(_turner(1.0), optional=("degrees",)),
        "RotateLeft": ActionSpec(_turner(-1.0), optional=("degrees",)),
        "LookDown": ActionSpec(_looker(1.0), optional=("degrees",)),
        "LookUp": ActionSpec(_looker(-1.0), optional=("degrees",)),
        "Teleport": ActionSpec(teleport, optional=_POSE),
        "TeleportFull": ActionSpec(
            teleport, required=("rotation", "horizon", "standing"), optional=_POSE[:4]
        ),
        "Crouch": ActionSpec(crouch),
        "Stand": ActionSpec(stand),
        "GetReachablePositions": ActionSpec(queries.reachable_positions, optional=("gridSize",)),
        "GetInteractablePoses": ActionSpec(
            queries.interactable_poses,
            required=("objectId",),
            optional=("positions", "rotations", "horizons", "standings", "maxPoses", "maxDistance"),
        ),
        "Pass": ActionSpec(_nothing),
        "Done": ActionSpec(_nothing),
        "PickupObject": _on(handling.pick_up, "manualInteract"),
        "PutObject": _on(handling.put, "placeStationary", "randomSeed"),
        "DropHeldObject": ActionSpec(handling.drop, optional=("autoSimulation",)),
        "DropHandObject": ActionSpec(handling.drop, optional=("autoSimulation",)),
        "ThrowObject": ActionSpec(handling.throw, optional=("moveMagnitude",)),
        "MoveHeldObject": ActionSpec(
            handling.move_hand, optional=("ahead", "right", "up", "forceVisible")
        ),
        "RotateHeldObject": ActionSpec(handling.rotate_hand, optional=("pitch", "yaw", "roll")),
        "ResetHand": ActionSpec(handling.reset_hand),
        "PushObject": _on(pushing.push, "moveMagnitude"),
        "PullObject": _on(pushing.pull, "moveMagnitude"),
        "DirectionalPush": _on(pushing.directional_push, "moveMagnitude", "pushAngle"),
        "OpenObject": _on(changes.open_object, "openness", "physicsInterval"),
        "CloseObject": _on(changes.close_object, "physicsInterval"),
        "ToggleObjectOn": _on(changes.toggle_on),
        "ToggleObjectOff": _on(changes.toggle_off),
        "SliceObject": _on(changes.slice_object),
        "CleanObject": _on(changes.clean),
        "DirtyObject": _on(changes.dirty),
        "CookObject": _on(changes.cook),
        "BreakObject": _on(changes.break_object),
        "UseUpObject": _on(changes.use_up),
        "FillObjectWithLiquid": _on(changes.fill_liquid, required=("fillLiquid",)),
        "EmptyLiquidFromObject": _on(changes.empty_liquid),
        "PlaceObjectAtPoint": ActionSpec(
            handling.place_at_point,
            required=("objectId", "position"),
            optional=("rotation", "forceKinematic"),
        ),
        "DisableObject": ActionSpec(editing.disable, required=("objectId",)),
        "EnableObject": ActionSpec(editing.enable, required=("objectId",)),
        "SetObjectStates": ActionSpec(editing.set_object_states, required=("SetObjectStates",)),
        "SetObjectPoses": ActionSpec(
            editing.set_object_poses, required=("objectPoses",), optional=("placeStationary",)
        ),
        "RandomizeMaterials": ActionSpec(
            editing.randomize_materials,
            optional=(
                "useTrainMaterials",
                "useValMaterials",
                "useTestMaterials",
                "useExternalMaterials",
                "inRoomTypes",
            ),
        ),
        "RemoveFromScene": ActionSpec(editing.remove, required=("objectId",)),
        "InitialRandomSpawn": ActionSpec(
            editing.random_spawn,
            optional=(
                "randomSeed",
                "forceVisible",
                "numPlacementAttempts",
                "placeStationary",
                "excludedReceptacles",
                "excludedObjectIds",
                "numDuplicatesOfType",
            ),
        ),
    }
)


_NUMBER_KEYS = frozenset(
    (
        "ahead", "degrees", "gridSize", "horizon", "maxDistance", "maxPoses", "moveMagnitude",
        "noise", "openness", "pitch", "pushAngle", "randomSeed", "right", "roll", "up", "x", "y",
        "yaw", "z",
    )
)  # fmt: skip
_BOOL_KEYS = frozenset(("forceAction", "forceVisible", "placeStationary", "standing"))
_TEXT_KEYS = frozenset(("fillLiquid", "objectId"))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_point(value: Any, keys: tuple[str, ...] = ("x", "y", "z")) -> bool:
    return isinstance(value, Mapping) and all(_is_number(value.get(k)) for k in keys)


def _is_pose(value: Any) -> bool:
    return isinstance(value, Mapping) and "objectName" in value and _is_point(value.get("position"))


def _wrong_type(key: str, value: Any) -> str:
    """What a parameter should have been, "" if it is fine."""
    if value is None:
        return ""
    if key in _NUMBER_KEYS:
        return "" if _is_number(value) else "a finite number"
    if key in _BOOL_KEYS:
        return "" if isinstance(value, bool) else "true or false"
    if key in _TEXT_KEYS:
        return "" if isinstance(value, str) else "a text"
    if key == "position":
        return "" if _is_point(value) else "a point {x, y, z}"
    if key == "rotation":
        return "" if _is_number(value) or _is_point(value, ("y",)) else "degrees or {y: degrees}"
    if key == "positions":
        return "" if _all(value, lambda v: _is_point(v, ("x", "z"))) else "a list of points"
    if key in ("rotations", "horizons"):
        return "" if _all(value, _is_number) else "a list of numbers"
    if key == "standings":
        return "" if _all(value, lambda v: isinstance(v, bool)) else "a list of booleans"
    if key == "SetObjectStates":
        return "" if isinstance(value, Mapping) else "a mapping with stateChange"
    if key == "objectPoses":
        return "" if _all(value, _is_pose) else "a list of {objectName, position, rotation}"
    if key in ("excludedReceptacles", "excludedObjectIds"):
        return "" if _all(value, lambda v: isinstance(v, str)) else "a list of texts"
    return ""


def _all(value: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, (list, tuple)) and all(fits(v) for v in value)


def call_error(name: str, params: Mapping[str, Any]) -> tuple[str, str] | None:
    """(errorCode, message) of a call that no simulator could carry out, or None."""
    spec = ACTIONS.get(name)
    if spec is None:
        return "InvalidAction", f"There is no action {name!r}."
    unknown = sorted(k for k in params if k not in spec.accepted)
    if unknown:
        takes = ", ".join(sorted(spec.accepted - _EVERYWHERE)) or "nothing"
        return "InvalidArgument", f"{name} does not take {', '.join(unknown)}; it takes {takes}."
    missing = [k for k in spec.required if params.get(k) is None]
    if spec.target:
        by_id = params.get("objectId") is not None
        on_screen = params.get("x") is not None and params.get("y") is not None
        if by_id and on_screen:
            return "AmbiguousAction", f"{name} takes objectId or x and y, not both."
        if not by_id and not on_screen:
            missing.append("objectId")
    if name == "TeleportFull" and params.get("position") is None:
        missing.extend(k for k in ("x", "y", "z") if params.get(k) is None)
    if missing:
        return "MissingArguments", f"{name} needs {', '.join(missing)}."
    for key, value in params.items():
        wanted = _wrong_type(key, value)
        if wanted:
            return "InvalidArgument", f"{name}: {key} must be {wanted}, not {value!r}."
    return None
