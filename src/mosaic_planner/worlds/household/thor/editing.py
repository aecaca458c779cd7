"""Scene editing: take objects out, spread them anew."""

from __future__ import annotations

import random
from typing import Any

from mosaic_planner.worlds.household.catalogue import ENCLOSING_TYPES, fits
from mosaic_planner.worlds.household.thor.handling import let_go
from mosaic_planner.worlds.household.thor.placing import find_spot, refusal
from mosaic_planner.worlds.household.thor.result import DONE, NOT_IN_SCENE, Context, Result
from mosaic_planner.worlds.household.thor.state import Body
from mosaic_planner.worlds.household.thor.things import Thing

__all__ = ["disable", "random_spawn", "remove"]


def _named(context: Context, params: dict[str, Any]) -> Thing | None:
    return context.state.things.get(str(params["objectId"]))


def disable(context: Context, body: Body, params: dict[str, Any]) -> Result:
    """DisableObject: it keeps its entry but has no body any more."""
    del body
    thing = _named(context, params)
    if thing is None:
        return Result(NOT_IN_SCENE)
    for holder in context.state.bodies:
        if holder.held == thing.object_id:
            let_go(context.state, holder)
    context.state.things.vanish(thing)
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
