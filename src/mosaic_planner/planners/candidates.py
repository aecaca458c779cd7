"""From the texts in a model's answer to ranked candidates, or rejections with their reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mosaic_planner.core.candidate import Candidate, Rejection
from mosaic_planner.models.reading import as_texts, read_action, read_choices
from mosaic_planner.planners.prompt import POOL_KEY
from mosaic_planner.planners.protocol import PlannerSetup, Turn

__all__ = ["known_entities", "named_kinds", "rank_texts", "read_candidates", "read_pool"]

Entities = Sequence[tuple[str, str]]
Ranked = tuple[dict[str, tuple[Candidate, ...]], tuple[Rejection, ...]]


def known_entities(setup: PlannerSetup, turn: Turn) -> Entities:
    """(name, kind) of everything an action may name now: seen, remembered, and the team."""
    known: dict[str, str] = {}
    for agent in setup.agents:
        for sighting in turn.observations[agent].sightings:
            known.setdefault(sighting.name, sighting.kind)
    for name, belief in turn.beliefs.entities.items():
        known.setdefault(name, belief.kind)
    for name, kind in named_kinds(setup, turn):
        known.setdefault(name, kind)
    for agent in setup.agents:
        if agent in known:
            continue
        views = (turn.beliefs.relative(other, agent) for other in setup.agents if other != agent)
        known[agent] = next((view.belief.kind for view in views if view is not None), "agent")
    return tuple(known.items())


def named_kinds(setup: PlannerSetup, turn: Turn) -> Iterator[tuple[str, str]]:
    """(name, kind) of names that observations list although nobody sees the things now.

    Only where a name tells its kind, as `Mug_2` does.
    """
    kinds = {kind.name for kind in setup.vocabulary.kinds}
    for agent in setup.agents:
        for name in turn.observations[agent].names:
            kind = name.rpartition("_")[0]
            if kind in kinds:
                yield name, kind


def rank_texts(
    setup: PlannerSetup,
    entities: Entities,
    agent: str,
    texts: Sequence[str],
) -> tuple[tuple[Candidate, ...], tuple[Rejection, ...]]:
    """One agent's candidates from its texts, best first; unreadable ones become rejections.

    Ranks are positions in the model's list, so a rejected text leaves a gap.
    """
    found: list[Candidate] = []
    rejections: list[Rejection] = []
    for rank, text in enumerate(texts):
        read = read_action(text, setup.vocabulary, entities, agent=agent)
        if read.action is not None:
            found.append(Candidate(agent, read.action, rank))
            continue
        hint = f"; did you mean {read.suggestion}?" if read.suggestion else ""
        rejections.append(Rejection(agent, text, f"{read.reason}{hint}"))
    return tuple(found), tuple(rejections)


def _rank_all(
    setup: PlannerSetup, entities: Entities, texts: Mapping[str, Sequence[str]]
) -> tuple[dict[str, tuple[Candidate, ...]], list[Rejection]]:
    candidates: dict[str, tuple[Candidate, ...]] = {}
    rejections: list[Rejection] = []
    for agent in setup.agents:
        given = texts.get(agent, ())
        candidates[agent], rejected = rank_texts(setup, entities, agent, given)
        rejections += rejected
        if not given:
            rejections.append(Rejection(agent, "", "no action was given"))
    return candidates, rejections


def read_candidates(setup: PlannerSetup, entities: Entities, fields: Mapping[str, Any]) -> Ranked:
    """Candidates by agent from the fields of an answer, at most K each."""
    choices = read_choices(fields, setup.agents, k=setup.k)
    candidates, rejections = _rank_all(setup, entities, choices.texts)
    for stranger in choices.strangers:
        rejections.append(Rejection(stranger, "", "nobody of that name is in the team"))
    return candidates, tuple(rejections)


def read_pool(
    setup: PlannerSetup, entities: Entities, fields: Mapping[str, Any], size: int
) -> Ranked:
    """One shared pool (Table 10): every agent may take any of its actions, ranked as written."""
    pool = as_texts(fields.get(POOL_KEY), count=size)
    candidates, rejections = _rank_all(setup, entities, dict.fromkeys(setup.agents, pool))
    return candidates, tuple(dict.fromkeys(rejections))
