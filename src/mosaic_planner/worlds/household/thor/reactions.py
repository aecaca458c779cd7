"""What happens by itself in every simulator step (section 9)."""

from __future__ import annotations

import math

from mosaic_planner.worlds.household.thor.changes import pour, warm
from mosaic_planner.worlds.household.thor.state import State
from mosaic_planner.worlds.household.thor.things import Thing

__all__ = ["STEP_S", "find_sources", "react"]

STEP_S = 0.5
"""Simulated seconds per action; a choice of this simulator (the engine's depends on physics)."""

_SOURCES = ("Faucet", "CoffeeMachine", "Toaster", "Microwave", "StoveBurner")
_BASINS = ("SinkBasin", "BathtubBasin", "Sink", "Bathtub")
_FAUCET_REACH_M = 1.0


def react(state: State) -> None:
    """Advance time by one step and let appliances, water and air do their work."""
    state.time_s += STEP_S
    for key, thing in list(state.warm.items()):
        if state.time_s >= thing.warm_until:
            thing.temperature = "RoomTemp"
            del state.warm[key]
            state.things.changed(thing)
    for thing in state.sources:
        if thing.object_type == "Fridge":
            for inside in state.things.carried(thing):
                warm(state, inside, "Cold")
        elif thing.toggled:
            _run(state, thing)


def find_sources(state: State) -> list[Thing]:
    """The objects that act by themselves, in scene order."""
    return [t for t in state.things if t.object_type in _SOURCES or t.object_type == "Fridge"]


def _run(state: State, source: Thing) -> None:
    if source.object_type == "Faucet":
        _water(state, source)
        return
    for inside in state.things.carried(source):
        if inside.gone:
            continue
        if source.object_type == "CoffeeMachine":
            if inside.object_type == "Mug" and not inside.filled:
                pour(state, inside, "coffee")
                warm(state, inside, "Hot")
            continue
        if source.object_type in ("Microwave", "StoveBurner"):
            warm(state, inside, "Hot")
        if inside.has("cookable") and not inside.cooked:
            inside.cooked = True
            state.things.changed(inside)
        lights = source.object_type == "StoveBurner" and inside.object_type == "Candle"
        if lights and not inside.toggled:
            inside.toggled = True
            state.things.changed(inside)


def _water(state: State, faucet: Thing) -> None:
    """Clean and fill what lies in the basin nearest to the faucet."""
    x, _, z = faucet.body.center
    basins = [
        (math.hypot(t.body.center[0] - x, t.body.center[2] - z), k, t)
        for k, t in enumerate(state.things)
        if t.object_type in _BASINS and not t.gone
    ]
    for distance, _, basin in sorted(basins)[:2]:  # a Sink and the SinkBasin in it
        if distance > _FAUCET_REACH_M:
            continue
        for inside in state.things.carried(basin):
            if inside.dirty:
                inside.dirty = False
                state.things.changed(inside)
            if inside.has("canFillWithLiquid") and not inside.filled and not inside.gone:
                pour(state, inside, "water")
