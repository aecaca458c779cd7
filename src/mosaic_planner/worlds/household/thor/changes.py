"""Changes of state: open, toggle, slice, clean, cook, break, fill (section 7)."""

from __future__ import annotations

from typing import Any

from mosaic_planner.worlds.household.catalogue import SLICES, facts
from mosaic_planner.worlds.household.scenes.scene import Box, box_corners, short_name
from mosaic_planner.worlds.household.thor.doors import blocked, open_to
from mosaic_planner.worlds.household.thor.falling import fall
from mosaic_planner.worlds.household.thor.result import DONE, Context, Result, find_target
from mosaic_planner.worlds.household.thor.state import Body, State
from mosaic_planner.worlds.household.thor.things import Thing

__all__ = [
    "LIQUIDS",
    "break_object",
    "clean",
    "close_object",
    "cook",
    "dirty",
    "empty_liquid",
    "fill_liquid",
    "open_object",
    "pour",
    "shatter",
    "slice_object",
    "toggle_off",
    "toggle_on",
    "use_up",
    "warm",
]

LIQUIDS = ("water", "coffee", "wine")
_OFF_TO_OPEN = ("Microwave", "Laptop")
_CLOSED_TO_RUN = ("Microwave",)
# Broken, these stay in one piece and in place.
_CRACK_ONLY = frozenset(
    ("Cabinet", "CellPhone", "CoffeeMachine", "Desktop", "Laptop", "Mirror", "ShowerDoor",
     "ShowerGlass", "Television", "Window")
)  # fmt: skip
_FADES_AFTER_S = 10.0


def open_object(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """OpenObject: `openness` in 0..1; opening what is open already is no error."""
    return _set_openness(context, body, params, float(params.get("openness", 1.0)))


def close_object(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """CloseObject: openness 0."""
    return _set_openness(context, body, params, 0.0)


def _set_openness(context: Context, body: Body, params: dict[str, Any], openness: float) -> Result:
    target = find_target(context, body, params)
    if target.thing is None:
        return Result(target.error)
    thing = target.thing
    if not thing.has("openable") or thing.gone:
        return Result(f"{thing.object_id} is not an Openable object")
    if not 0.0 <= openness <= 1.0:
        return Result(f"openness must be in [0, 1], not {openness:g}.")
    if thing.object_type in _OFF_TO_OPEN and thing.toggled:
        return Result(f"Target must be OFF to open! {thing.object_id} is on.")
    obstacle = blocked(context.state, thing, openness)
    if obstacle:
        return Result(f"{obstacle} prevents {thing.name} from moving; it is back where it was.")
    open_to(context.state, thing, openness)
    return DONE


def toggle_on(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """ToggleObjectOn; what it controls follows (stove knob and burner)."""
    return _toggle(context, body, params, True)


def toggle_off(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """ToggleObjectOff; what it controls follows."""
    return _toggle(context, body, params, False)


def _toggle(context: Context, body: Body, params: dict[str, Any], on: bool) -> Result:
    target = find_target(context, body, params)
    if target.thing is None:
        return Result(target.error)
    thing, state = target.thing, context.state
    controller = next((t for t in state.things if thing.object_id in (t.controlled or ())), None)
    if controller is not None:
        return Result(
            f"{thing.object_id} is controlled by {controller.object_id}; toggle that one."
        )
    if not thing.has("toggleable"):
        return Result(f"{thing.object_id} is not toggleable.")
    if thing.broken:
        return Result(f"{thing.object_id} is broken and cannot be toggled.")
    if thing.toggled == on:
        word = "on" if on else "off"
        return Result(f"{thing.object_id}: can't toggle object {word} if it's already {word}!")
    if on and thing.object_type in _CLOSED_TO_RUN and thing.is_open:
        return Result(f"{thing.object_id} must be closed before it is turned on.")
    for one in (thing, *(state.things.by_id[i] for i in thing.controlled or ())):
        one.toggled = on
        state.things.changed(one)
    return DONE


def slice_object(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """SliceObject: needs no knife; pieces replace the body, the entry stays; again is no error."""
    state = context.state
    known = state.things.get(str(params.get("objectId")))
    if known is not None and known.sliced:
        return DONE
    target = find_target(context, body, params)
    if target.thing is None:
        return Result(target.error)
    thing = target.thing
    if not thing.has("sliceable") or thing.gone:
        return Result(f"{thing.object_id} Does not have the CanBeSliced property!")
    if state.things.carrier(thing) is not None:
        return Result(f"{thing.object_id} cannot be sliced while it is held.")
    _into_pieces(state, thing)
    thing.sliced = True
    state.things.changed(thing)
    return DONE


def _into_pieces(state: State, thing: Thing) -> None:
    """Lay the pieces out where the thing was, in one row along its longer side."""
    kind, count = SLICES[thing.object_type]
    parents = [state.things.by_id[p] for p in thing.parents]
    (cx, _, cz), size = thing.body.center, thing.body.size
    base = thing.body.low[1]
    long = 0 if size[0] >= size[2] else 2
    width = size[long] / count
    state.things.vanish(thing)
    figures = facts(kind)
    for k in range(count):
        extent = [size[0], size[1] * 0.8, size[2]]
        extent[long] = width
        center = [cx, base + extent[1] / 2, cz]
        center[long] += (k - (count - 1) / 2) * width
        box = Box((center[0], center[1], center[2]), (extent[0], extent[1], extent[2]))
        key = f"{thing.object_id}|{kind}_{k}"
        piece = Thing(
            object_id=key,
            name=short_name(kind, state.scene.name, key),
            object_type=kind,
            asset_id="",
            affordances=frozenset(a for a in figures.share if figures.has(a)),
            mass=thing.mass / count,
            materials=thing.materials,
            controlled=None,
            position=box.center,
            rotation=(0.0, 0.0, 0.0),
            body=box,
            box=box,
            corners=box_corners(box),
            temperature=thing.temperature,
            warm_until=thing.warm_until,
            cooked=thing.cooked,
        )
        state.things.add(piece)
        if piece.temperature != "RoomTemp":
            state.warm[piece.object_id] = piece
        state.things.attach(piece, parents)


def shatter(state: State, thing: Thing) -> None:
    """Break it: an egg becomes a cracked one, screens crack in place, the rest lies in shards."""
    thing.broken = True
    if thing.object_type == "Egg":
        _into_pieces(state, thing)
    elif thing.object_type not in _CRACK_ONLY:
        content = state.things.children(thing)
        state.things.vanish(thing)
        for child in content:
            x, _, z = child.body.center
            state.things.detach(child)
            fall(state, child, x, child.body.low[1], z)
    if thing.toggled:
        thing.toggled = False
    state.things.changed(thing)


def break_object(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """BreakObject."""
    return _flag(context, body, params, "breakable", "broken", True)


def clean(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """CleanObject: needs neither sink nor water."""
    return _flag(context, body, params, "dirtyable", "dirty", False)


def dirty(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """DirtyObject."""
    return _flag(context, body, params, "dirtyable", "dirty", True)


def cook(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """CookObject."""
    return _flag(context, body, params, "cookable", "cooked", True)


def use_up(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """UseUpObject."""
    return _flag(context, body, params, "canBeUsedUp", "used_up", True)


def _flag(
    context: Context, body: Body, params: dict[str, Any], needs: str, field: str, value: bool
) -> Result:
    """Set one state flag; an error if the object cannot have it or has it already."""
    known = context.state.things.get(str(params.get("objectId")))
    if known is not None and known.gone and getattr(known, field) == value:
        return Result(f"{known.object_id} is already {_word(field, value)}.")
    target = find_target(context, body, params)
    if target.thing is None:
        return Result(target.error)
    thing = target.thing
    if not thing.has(needs):
        return Result(f"{thing.object_id} is not {needs}.")
    if getattr(thing, field) == value:
        return Result(f"{thing.object_id} is already {_word(field, value)}.")
    if thing.gone:
        return Result(f"{thing.object_id} is in pieces.")
    if field == "broken":
        for holder in context.state.bodies:
            if holder.held == thing.object_id and thing.object_type not in _CRACK_ONLY:
                holder.held, thing.holder = None, None
        shatter(context.state, thing)
    else:
        setattr(thing, field, value)
        context.state.things.changed(thing)
    return DONE


def _word(field: str, value: bool) -> str:
    return {"dirty": "dirty" if value else "clean", "used_up": "used up"}.get(field, field)


def fill_liquid(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """FillObjectWithLiquid: water, coffee or wine."""
    target = find_target(context, body, params)
    if target.thing is None:
        return Result(target.error)
    liquid = str(params["fillLiquid"])
    thing = target.thing
    if not thing.has("canFillWithLiquid") or thing.gone:
        return Result(f"{thing.object_id} cannot be filled with liquid.")
    if thing.filled:
        return Result(f"{thing.object_id} is already filled with {thing.fill_liquid}.")
    if liquid not in LIQUIDS:
        return Result(f"{liquid} is not a valid liquid; use {', '.join(LIQUIDS)}.")
    pour(context.state, thing, liquid)
    return DONE


def pour(state: State, thing: Thing, liquid: str | None) -> None:
    """Fill it with a liquid, or empty it with None."""
    thing.filled, thing.fill_liquid = liquid is not None, liquid
    state.things.changed(thing)


def empty_liquid(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """EmptyLiquidFromObject."""
    target = find_target(context, body, params)
    if target.thing is None:
        return Result(target.error)
    thing = target.thing
    if not thing.has("canFillWithLiquid") or thing.gone:
        return Result(f"{thing.object_id} cannot be filled with liquid.")
    if not thing.filled:
        return Result(f"{thing.object_id} is already empty.")
    pour(context.state, thing, None)
    return DONE


def warm(state: State, thing: Thing, temperature: str) -> None:
    """Make it Hot or Cold; it fades to RoomTemp 10 simulated seconds after the last such call."""
    thing.warm_until = state.time_s + _FADES_AFTER_S
    state.warm[thing.object_id] = thing
    if thing.temperature != temperature:
        thing.temperature = temperature
        state.things.changed(thing)
