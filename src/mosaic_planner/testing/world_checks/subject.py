"""The world under test: how it is built, and what a run of it leaves behind."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from random import Random
from typing import Any

from mosaic_planner.coordination.profile import ActionProfile
from mosaic_planner.core.action import Action, Vocabulary
from mosaic_planner.core.belief import Beliefs
from mosaic_planner.core.observation import Observation, Outcome
from mosaic_planner.core.world import Score
from mosaic_planner.record import observation_fields, outcome_fields, score_fields
from mosaic_planner.worlds.registry import PlannableWorld

__all__ = [
    "Frame",
    "Probe",
    "Run",
    "Subject",
    "difference",
    "frame_record",
    "ground_actions",
    "observation_record",
]

_MOST_PER_FORM = 40


@dataclass(frozen=True, slots=True)
class Probe:
    """One agent acted, the others idled: what its rules had said of the action.

    `arrived`: whether the agent is where the profile's path ends; None if it says nothing.
    """

    agent: str
    action: Action
    profile: ActionProfile
    success: bool
    arrived: bool | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """A reset (then `joint` and `outcomes` are empty) or one joint step, and all that followed.

    `kept` are the observations as JSON at the moment they came.
    """

    joint: Mapping[str, Action]
    observations: Mapping[str, Observation]
    outcomes: Mapping[str, Outcome]
    score: Score
    snapshot: Any
    beliefs: Beliefs
    kept: str
    probe: Probe | None = None


@dataclass(slots=True)
class Run:
    """One episode of a world that was driven for some steps."""

    world: PlannableWorld
    seed: int
    frames: list[Frame] = field(default_factory=list)

    @property
    def steps(self) -> Iterator[Frame]:
        """The frames after the reset."""
        return iter(self.frames[1:])

    def entities(self) -> dict[str, str]:
        """Name to kind of everything that was sighted, and of the team."""
        found: dict[str, str] = {}
        for frame in self.frames:
            for observation in frame.observations.values():
                for sighting in observation.sightings:
                    found.setdefault(sighting.name, sighting.kind)
        for agent in self.world.agents:
            found.setdefault(agent, "agent")
        return found


@dataclass(frozen=True, slots=True)
class Subject:
    """What is examined: a factory, the options it is called with, and how much to try.

    `facts` are entries of `settings()` that only say something and are no options.
    """

    factory: Callable[..., PlannableWorld]
    options: Mapping[str, Any]
    teams: Sequence[int]
    seeds: Sequence[int]
    steps: int
    facts: frozenset[str]
    name: str = ""

    def make(self, agents: int) -> PlannableWorld:
        """A fresh world, built as `mosaic run` does it."""
        return self.factory(agents=agents, **self.options)


def observation_record(observation: Observation) -> dict[str, Any]:
    """All of an observation that a trace holds, and what it leaves out."""
    view = observation.view
    return {
        **observation_fields(observation),
        "local": [list(pair) for pair in observation.local],
        "view": None if view is None else [view.max_range, view.fov_deg, list(view.everywhere)],
    }


def frame_record(
    world: PlannableWorld,
    observations: Mapping[str, Observation],
    outcomes: Mapping[str, Outcome],
    score: Score,
    snapshot: Any,
) -> dict[str, Any]:
    """One frame as JSON values, for comparisons."""
    record = {
        "observations": {a: observation_record(o) for a, o in observations.items()},
        "outcomes": {a: outcome_fields(o, world.vocabulary) for a, o in outcomes.items()},
        "score": score_fields(score),
        "snapshot": snapshot,
    }
    loaded: dict[str, Any] = json.loads(json.dumps(record, default=str))
    return loaded


def difference(one: Any, other: Any, path: str = "") -> str:
    """Where two JSON values differ first, as a path; "" if they are equal."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *(k for k in other if k not in one)]:
            if key not in one or key not in other:
                return f"{path}.{key}".lstrip(".")
            found = difference(one[key], other[key], f"{path}.{key}")
            if found:
                return found
        return ""
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (a, b) in enumerate(zip(one, other, strict=True)):
            found = difference(a, b, f"{path}[{index}]")
            if found:
                return found
        return ""
    return "" if one == other else path.lstrip(".") or "the value itself"


def ground_actions(
    vocabulary: Vocabulary, entities: Iterable[tuple[str, str]], random: Random
) -> list[Action]:
    """Actions of every form over the (name, kind) pairs: all of a form, or 40 drawn ones."""
    known = list(entities)
    found: dict[Action, None] = {}
    for schema in vocabulary.schemas:
        values = [
            list(p.choices) or [n for n, kind in known if not p.kinds or kind in p.kinds]
            for p in schema.parameters
        ]
        if prod(map(len, values)) <= _MOST_PER_FORM:
            found.update((Action(schema.verb, args), None) for args in product(*values))
        else:
            for _ in range(_MOST_PER_FORM):
                found[Action(schema.verb, tuple(map(random.choice, values)))] = None
    return list(found)
