"""Cost terms and the two cost profiles: `paper` (Eq. 1 to 3, Table 7) and `default`.

A term gives a raw figure for one option; a profile weighs the terms. Costs of the joint action
are the sum (Eq. 1) of the weighed terms of its options, so each term must look at one option only.
A term of your own is any object with a `name` and a method `cost(option, scene)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from mosaic_planner.coordination.patterns import (
    Recent,
    backtracks,
    cycle,
    failures,
    oscillations,
)
from mosaic_planner.coordination.problem import Option
from mosaic_planner.core.belief import Beliefs
from mosaic_planner.core.errors import UnknownNameError
from mosaic_planner.core.history import History

__all__ = [
    "COST_PROFILES",
    "DEFAULT",
    "PAPER",
    "TABLE_8",
    "CostProfile",
    "CostTerm",
    "Scene",
    "Term",
    "Weighted",
    "cost_profile",
]


@dataclass(slots=True)
class Scene:
    """What a cost term may look at besides the option: beliefs, history, and digests of it."""

    beliefs: Beliefs
    history: History
    agents: tuple[str, ...]
    _whole: dict[str, Recent] = field(default_factory=dict)
    _fresh: dict[str, Recent] = field(default_factory=dict)
    _mean: float | None = None

    def recent(self, agent: str) -> Recent:
        """Digest of the agent's whole past."""
        found = self._whole.get(agent)
        if found is None:
            found = self._whole[agent] = Recent.of(self.history.of(agent))
        return found

    def fresh(self, agent: str) -> Recent:
        """Digest of the agent's past since its last real work."""
        found = self._fresh.get(agent)
        if found is None:
            found = self._fresh[agent] = Recent.of(self.history.of(agent), since_work=True)
        return found

    @property
    def mean_acted(self) -> float:
        """Mean of ActionCount over the team (Eq. 3, numerator)."""
        if self._mean is None:
            total = sum(self.recent(a).acted for a in self.agents)
            self._mean = total / len(self.agents) if self.agents else 0.0
        return self._mean


class CostTerm(Protocol):
    """One summand of an option's cost."""

    @property
    def name(self) -> str:
        """Short name, shown in explanations and traces."""
        ...

    def cost(self, option: Option, scene: Scene) -> float:
        """The raw figure, finite; the profile's weight multiplies it."""
        ...


@dataclass(frozen=True, slots=True)
class Term:
    """A cost term made from a plain function."""

    name: str
    figure: Callable[[Option, Scene], float]

    def cost(self, option: Option, scene: Scene) -> float:
        """The function's value."""
        return self.figure(option, scene)


class Weighted(NamedTuple):
    """A term and its weight (lambda)."""

    term: CostTerm
    weight: float


def _cyclic(option: Option, scene: Scene) -> float:
    actions = scene.recent(option.agent).actions
    return cycle(actions, option.candidate.action) if actions else 0


def _failure(option: Option, scene: Scene) -> float:
    attempts = scene.recent(option.agent).attempts
    return failures(attempts, option.candidate.action) if attempts else 0


def _end(option: Option) -> tuple[int, int] | None:
    path = option.profile.path
    return path[-1].cell if path else None


def _oscillation(option: Option, scene: Scene) -> float:
    places = scene.recent(option.agent).places
    return oscillations(places, _end(option)) if places else 0


def _backtracking(option: Option, scene: Scene) -> float:
    places = scene.recent(option.agent).places
    return backtracks(places, _end(option)) if places else 0


def _stagnation(option: Option, scene: Scene) -> float:
    return scene.recent(option.agent).stagnant if option.profile.idle else 0


def _load(option: Option, scene: Scene) -> float:
    """C_load of Eq. 3.

    Its denominator is 0 when an agent that has never acted idles. One half stands in for 0 there
    (notes 2.3): the term stays finite, is 0 when nobody has acted yet, and idling still costs an
    untried agent more (2 * mean) than acting does (1 * mean).
    """
    acted = scene.recent(option.agent).acted + (0 if option.profile.idle else 1)
    return scene.mean_acted / (acted or 0.5)


def _fresh_cyclic(option: Option, scene: Scene) -> float:
    actions = scene.fresh(option.agent).actions
    return cycle(actions, option.candidate.action) if actions else 0


def _fresh_failure(option: Option, scene: Scene) -> float:
    """Failures of this very action since the agent last changed anything, idling between or not."""
    action = option.candidate.action
    return sum(
        1 for a in scene.fresh(option.agent).attempts if not a.success and a.action == action
    )


def _fresh_oscillation(option: Option, scene: Scene) -> float:
    places = scene.fresh(option.agent).places
    return oscillations(places, _end(option)) if places else 0


def _fresh_backtracking(option: Option, scene: Scene) -> float:
    places = scene.fresh(option.agent).places
    return backtracks(places, _end(option)) if places else 0


def _fresh_stagnation(option: Option, scene: Scene) -> float:
    return 0 if option.profile.done else _stagnation(option, scene)


def _idling(option: Option, scene: Scene) -> float:
    return 1 if option.profile.idle and not option.profile.done else 0


def _wish(option: Option, scene: Scene) -> float:
    return min(option.candidate.rank, 10)


@dataclass(frozen=True, slots=True)
class CostProfile:
    """Named weights of cost terms.

    `activation` >= 0: what each agent's place in an active joint task is worth, in cost units
    (the stated preference to activate, notes 2.4). `work_first`: never let everybody idle while
    productive feasible work exists, whatever the costs say. `right_of_way` >= 0: what it costs to
    disregard a directive of `rightofway`, 0 to do without them.
    """

    name: str
    terms: tuple[Weighted, ...]
    activation: float
    work_first: bool = False
    right_of_way: float = 0.0

    def weigh(self, **weights: float) -> CostProfile:
        """The same profile with other weights; raises `UnknownNameError` for an unknown term."""
        names = [w.term.name for w in self.terms]
        for name in weights:
            if name not in names:
                raise UnknownNameError("cost term", name, names)
        terms = tuple(Weighted(t, weights.get(t.name, w)) for t, w in self.terms)
        return replace(self, terms=terms)

    def plus(self, term: CostTerm, weight: float = 1.0) -> CostProfile:
        """The same profile with one more term."""
        return replace(self, terms=(*self.terms, Weighted(term, weight)))

    def cost(self, option: Option, scene: Scene) -> tuple[float, tuple[tuple[str, float], ...]]:
        """The option's cost in cost units, and the terms that are not 0."""
        total = 0.0
        parts: list[tuple[str, float]] = []
        for term, weight in self.terms:
            value = weight * term.cost(option, scene)
            if value:
                total += value
                parts.append((term.name, value))
        return total, tuple(parts)


PAPER = CostProfile(
    "paper",
    (
        Weighted(Term("cyclic", _cyclic), 2.0),
        Weighted(Term("failure", _failure), 2.0),
        Weighted(Term("oscillation", _oscillation), 1.0),
        Weighted(Term("backtracking", _backtracking), 1.0),
        Weighted(Term("stagnation", _stagnation), 2.0),
        Weighted(Term("load", _load), 0.5),
    ),
    activation=1000.0,
)
"""Eq. 1 to 3 with Table 7's weights and lambda_load 0.5 (notes, section 1).

Table 1 demands that joint tasks be staffed, so an active task is worth more than any penalty an
episode of 100 steps can bring to one agent.
"""

DEFAULT = CostProfile(
    "default",
    (
        Weighted(Term("cyclic", _fresh_cyclic), 2.0),
        Weighted(Term("failure", _fresh_failure), 2.0),
        Weighted(Term("oscillation", _fresh_oscillation), 1.0),
        Weighted(Term("backtracking", _fresh_backtracking), 1.0),
        Weighted(Term("stagnation", _fresh_stagnation), 2.0),
        Weighted(Term("load", _load), 0.5),
        Weighted(Term("travel", lambda option, scene: option.profile.steps), 0.02),
        Weighted(Term("risk", lambda option, scene: option.profile.failure), 3.0),
        Weighted(Term("progress", lambda option, scene: -option.profile.progress), 3.0),
        Weighted(Term("idling", _idling), 1.0),
        Weighted(Term("wish", _wish), 0.1),
    ),
    activation=1.0,
    work_first=True,
    right_of_way=20.0,
)
"""The paper's terms, forgetting patterns after real work, plus travel, risk, progress, wish."""

COST_PROFILES: Mapping[str, CostProfile] = {"paper": PAPER, "default": DEFAULT}

TABLE_8: Mapping[str, CostProfile] = {
    name: replace(
        PAPER.weigh(cyclic=c, failure=f, oscillation=o, backtracking=b, stagnation=s), name=name
    )
    for name, (c, f, o, b, s) in {
        "efficiency-balanced": (2, 2, 1, 1, 2),
        "aggressive-temporal-suppression": (3, 3, 2, 1, 1),
        "spatial-inefficiency-aware": (2, 2, 2, 2, 2),
        "load-tolerant": (1, 1, 1, 1, 1),
        "exploration-sensitive": (2, 2, 3, 1, 1),
        "failure-dominant": (2, 4, 2, 1, 1),
    }.items()
}
"""The weightings of Table 8; the first is `paper` itself."""


def cost_profile(costs: str | CostProfile) -> CostProfile:
    """A profile by name, or the one given; raises `UnknownNameError`."""
    if isinstance(costs, CostProfile):
        return costs
    known = {**COST_PROFILES, **TABLE_8}
    if costs not in known:
        raise UnknownNameError("cost profile", costs, known)
    return known[costs]
