"""Scene editing: take objects out, spread them anew, set poses, states and colours at once."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from mosaic_planner.worlds.household.catalogue import ENCLOSING_TYPES, fits
from mosaic_planner.worlds.household.thor import changes
from mosaic_planner.worlds.household.thor.falling import fall
from mosaic_planner.worlds.household.thor.handling import let_go
from mosaic_planner.worlds.household.thor.placing import find_spot, refusal
from mosaic_planner.worlds.household.thor.result import DONE, Context, Result, not_in_scene
from mosaic_planner.worlds.household.thor.state import Body, State
from mosaic_planner.worlds.household.thor.things import Thing

__all__ = [
    "disable",
    "enable",
    "random_spawn",
    "randomize_materials",
    "remove",
    "set_object_poses",
    "set_object_states",
]

Handler = Callable[[Context, Body, dict[str, Any]], Result]

_STATES: Mapping[str, tuple[str, Handler, Handler | None]] = {
    "openable": ("isOpen", changes.open_object, changes.close_object),
    "toggleable": ("isToggled", changes.toggle_on, changes.toggle_off),
    "breakable": ("isBroken", changes.break_object, None),
    "canFillWithLiquid": ("isFilledWithLiquid", changes.fill_liquid, changes.empty_liquid),
    "dirtyable": ("isDirty", changes.dirty, changes.clean),
    "cookable": ("isCooked", changes.cook, None),
    "sliceable": ("isSliced", changes.slice_object, None),
    "canBeUsedUp": ("isUsedUp", changes.use_up, None),
}
"""Per affordance: the state it brings, the action that sets it and, if any, the one that clears."""


def _named(context: Context, params: dict[str, Any]) -> Thing | None:
    return context.state.things.get(str(params["objectId"]))


def disable(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """DisableObject: it keeps its entry but has no body any more."""
    del body
    thing = _named(context, params)
    if thing is None:
        return Result(not_in_scene(params["objectId"]))
    _out_of_hands(context.state, thing)
    context.state.things.vanish(thing)
    return DONE


def enable(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """EnableObject: a disabled object is back where it was; on one that is there, no change."""
    del body
    thing = _named(context, params)
    if thing is None:
        return Result(not_in_scene(params["objectId"]))
    whole = not (thing.sliced or (thing.broken and thing.gone))
    if thing.gone and whole:
        thing.gone = False
        things = context.state.things
        things.structure += 1
        things.cover += 1
        things.reboxed(thing)
    return DONE


def remove(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """RemoveFromScene: it loses its entry as well."""
    result = disable(context, body, params)
    thing = _named(context, params)
    if thing is not None:
        context.state.things.remove(thing)
    return result


def random_spawn(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """InitialRandomSpawn: every loose object goes to a random receptacle that takes it.

    `randomSeed` >= 0 decides; with `forceVisible` closed containers are left out. Containers are
    closed for agents, not for this. An object for which no place is found stays where it is.
    """
    del body
    state = context.state
    rng = random.Random(int(params.get("randomSeed", 0)))
    visible = bool(params.get("forceVisible", False))
    excluded = set(params.get("excludedReceptacles") or ())
    loose = [t for t in state.things if t.has("pickupable") and not t.gone and t.holder is None]
    shelves = [
        t
        for t in state.things
        if t.has("receptacle")
        and not t.has("pickupable")
        and t.object_type not in (*excluded, "Floor")
        and not (visible and t.object_type in ENCLOSING_TYPES and not t.is_open)
    ]
    for item in loose:
        options = [r for r in shelves if fits(item.object_type, r.object_type)]
        rng.shuffle(options)
        for receptacle in options:
            error = refusal(item, receptacle, state, force=False)
            if error and "CLOSED" not in error:
                continue
            state.things.square_up(item)
            spot = find_spot(context, item, receptacle, None, need_view=False)
            if spot is None:
                continue
            if spot.quarter:
                state.things.turn_quarter(item)
            state.things.move_base(item, spot.base)
            state.things.attach(item, [receptacle])
            break
    return DONE


def set_object_states(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """SetObjectStates: one state of all objects of a type (or of all that can have it).

    The parameter of the same name holds `stateChange` (an affordance), the state's own key with
    true or false and, if wanted, `objectType` and `fillLiquid`. What is in the state already, or
    cannot come into it now, stays as it is.
    """
    wanted: Mapping[str, Any] = params["SetObjectStates"]
    change = str(wanted.get("stateChange"))
    if change not in _STATES:
        return Result(f"stateChange must be one of {', '.join(_STATES)}, not {change!r}.")
    key, setter, clearer = _STATES[change]
    value = wanted.get(key)
    if not isinstance(value, bool):
        return Result(f"stateChange {change} needs {key}: true or false.")
    handler = setter if value else clearer
    if handler is None:
        return Result(f"{key} cannot be taken back.")
    kind = wanted.get("objectType")
    for thing in list(context.state.things):
        if thing.has(change) and kind in (None, thing.object_type):
            call = {"objectId": thing.object_id, "forceAction": True}
            handler(context, body, {**call, "fillLiquid": wanted.get("fillLiquid", "water")})
    return DONE


def set_object_poses(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """SetObjectPoses: where the loose objects are; those that are not listed are taken out.

    `objectPoses`: {objectName, position, rotation}, the pivot's. An object comes to rest on what is
    below. Fails, before anything is changed, for a name that is not there or cannot be moved.
    """
    del body
    state = context.state
    poses: list[Mapping[str, Any]] = params["objectPoses"]
    by_name = {t.name: t for t in state.things}
    for pose in poses:
        thing = by_name.get(str(pose["objectName"]))
        if thing is None:
            return Result(f"No object of name {pose['objectName']} in the scene.")
        if not _loose(thing) or thing.gone:
            return Result(f"{thing.name} is neither pickupable nor moveable.")
    listed = {str(p["objectName"]) for p in poses}
    for thing in list(state.things):
        if _loose(thing) and not thing.gone:
            _out_of_hands(state, thing)
            if thing.name not in listed:
                state.things.vanish(thing)
    for pose in sorted(poses, key=lambda p: float(p["position"]["y"])):  # what carries comes first
        thing = by_name[str(pose["objectName"])]
        turn = pose.get("rotation")
        if isinstance(turn, Mapping):
            x_deg, y_deg, z_deg = (float(turn.get(k, 0.0)) for k in ("x", "y", "z"))
            thing.rotation = (x_deg, y_deg, z_deg)
        at = pose["position"]
        base = float(at["y"]) - (thing.position[1] - thing.body.low[1])
        # The pivot goes to the point; boxes hang on it as they did.
        x = float(at["x"]) + thing.body.center[0] - thing.position[0]
        z = float(at["z"]) + thing.body.center[2] - thing.position[2]
        state.things.detach(thing)
        fall(state, thing, x, max(base, state.floor_y), z)
    return DONE


def _loose(thing: Thing) -> bool:
    return thing.has("pickupable") or thing.has("moveable")


def _out_of_hands(state: State, thing: Thing) -> None:
    for holder in state.bodies:
        if holder.held == thing.object_id:
            let_go(state, holder)


def randomize_materials(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """RandomizeMaterials: other colours for every object type in the images, drawn with the seed.

    There are no textures to choose among, so the parameters that narrow the choice do nothing.
    """
    del body, params
    context.state.palette = context.state.rng.randrange(1, 2**31)
    return DONE
