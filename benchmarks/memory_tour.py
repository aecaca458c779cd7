"""A scripted tour of the synthetic room under noise: belief memory and overwriting memory at once.

Both get the same noisy observations; true positions are read from the room alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from mosaic_planner.core.action import IDLE
from mosaic_planner.core.belief import Belief
from mosaic_planner.memory import make_memory
from mosaic_planner.worlds.noise import NoisyWorld
from synthetic_room import SyntheticRoom

__all__ = ["OFTEN", "Tour", "rms", "tour"]

OFTEN = 10
"""An object counts once it was in view this often."""

_SAME_PLACE_M = 0.3


@dataclass(slots=True)
class Tour:
    """Errors in metres of objects seen `OFTEN` times; `by_step` those of the belief on the way.

    `false`: believed (confidence at least 0.5) and nothing is there. `doubles`: a second entry
    for a thing that has one. `seen`: true things in view at least once. `overwriting_false`:
    the same as `false` for the other memory.
    """

    belief: list[float] = field(default_factory=list)
    overwriting: list[float] = field(default_factory=list)
    by_step: dict[int, list[float]] = field(default_factory=dict)
    false: list[str] = field(default_factory=list)
    doubles: list[str] = field(default_factory=list)
    seen: int = 0
    unknown: int = 0
    overwriting_false: int = 0


def rms(errors: list[float]) -> float:
    """Root mean square, 0 of nothing."""
    return math.sqrt(sum(e * e for e in errors) / len(errors)) if errors else 0.0


def tour(seed: int, *, steps: int = 200, regime: str = "high", agents: int = 2) -> Tour:
    """Walk the room for `steps` steps and compare what both memories believe with the truth."""
    room = SyntheticRoom(agents)
    world = NoisyWorld(room, regime, seed=seed)
    parts = {
        "agents": world.agents,
        "geometry": world.geometry,
        "briefing": world.briefing,
        "vocabulary": world.vocabulary,
    }
    ours = make_memory("belief", noise=regime, **parts)
    theirs = make_memory("overwriting", **parts)
    views: dict[str, int] = {}
    found = Tour()
    observations = world.reset(seed)
    outcomes = {}
    for step in range(steps + 1):
        if step:
            result = world.step(dict.fromkeys(world.agents, IDLE))
            observations, outcomes = result.observations, result.outcomes
        ours.update(observations, outcomes)
        theirs.update(observations, outcomes)
        for true in room.observe().values():
            for sighting in true.sightings:
                views[sighting.name] = views.get(sighting.name, 0) + 1
        if step % 25 == 0 and step:
            found.by_step[step] = _errors(ours.beliefs().entities, room, views)
    believed = ours.beliefs().entities
    found.belief = _errors(believed, room, views)
    found.overwriting = _errors(theirs.beliefs().entities, room, views)
    found.seen = len(views)
    found.unknown = sum(
        1 for name, count in views.items() if count >= OFTEN and name not in believed
    )
    found.overwriting_false = sum(
        1 for name in theirs.beliefs().entities if name not in room.things
    )
    for belief in believed.values():
        if belief.lost or belief.confidence < 0.5 or belief.name in room.things:
            continue
        beside = any(
            math.dist((belief.x, belief.z), place) < _SAME_PLACE_M
            for _, place in room.things.values()
        )
        (found.doubles if beside else found.false).append(belief.name)
    return found


def _errors(entities: dict[str, Belief], room: SyntheticRoom, views: dict[str, int]) -> list[float]:
    return [
        math.dist((entities[name].x, entities[name].z), room.things[name][1])
        for name, count in views.items()
        if count >= OFTEN and name in entities
    ]
