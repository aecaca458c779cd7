"""The two cost profiles: `paper` (Eq. 1 to 3, Table 7) and `default`, which is better.

A profile weighs cost terms. Both are plain values: weigh them differently, add terms of your own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import add
from typing import NamedTuple

from mosaic_planner.coordination.problem import Option
from mosaic_planner.coordination.terms import DEFAULT_TERMS, PAPER_TERMS, Column, CostTerm, Scene
from mosaic_planner.core.errors import UnknownNameError, UsageError

__all__ = [
    "COST_PROFILES",
    "DEFAULT",
    "PAPER",
    "TABLE_8",
    "CostProfile",
    "Costs",
    "Weighted",
    "cost_profile",
]


class Weighted(NamedTuple):
    """A term and its weight (lambda)."""

    term: CostTerm
    weight: float


class Costs(NamedTuple):
    """Costs of options: the totals, and by term, in the profile's order, what adds up to them."""

    totals: list[float]
    columns: tuple[tuple[str, list[float]], ...]

    def terms(self, option: int) -> tuple[tuple[str, float], ...]:
        """The terms of one option that are not 0."""
        return tuple([(name, value) for name, c in self.columns if (value := c[option])])


@dataclass(frozen=True, slots=True)
class CostProfile:
    """Named weights of cost terms.

    `activation` >= 0: what each agent's place in an active joint task is worth, in cost units
    (the stated preference to activate, notes 2.4). `work_first`: never let everybody idle while
    productive feasible work exists, whatever the costs say. `right_of_way` >= 0: what it costs to
    disregard a directive of `rightofway`, 0 to do without them. Raises `UsageError` for an
    activation that is negative or no finite number.
    """

    name: str
    terms: tuple[Weighted, ...]
    activation: float
    work_first: bool = False
    right_of_way: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.activation <= 1e6:
            raise UsageError(f"activation must be 0 to 1e6 cost units, but is {self.activation!r}")

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

    def costs(self, options: Sequence[Option], scene: Scene) -> Costs:
        """The cost of each option, in cost units, and what it consists of."""
        totals = [0.0] * len(options)
        found: list[tuple[str, list[float]]] = []
        for term, weight in self.terms:
            if not weight:
                continue
            if isinstance(term, Column):
                figures = term.figures(options, scene)
            else:
                figures = [term.cost(option, scene) for option in options]
            if any(figures):
                weighed = [weight * figure for figure in figures]
                totals = list(map(add, totals, weighed))
                found.append((term.name, weighed))
        return Costs(totals, tuple(found))


def _weighted(terms: Mapping[str, CostTerm], **weights: float) -> tuple[Weighted, ...]:
    return tuple(Weighted(terms[name], weight) for name, weight in weights.items())


PAPER = CostProfile(
    "paper",
    _weighted(
        PAPER_TERMS,
        cyclic=2.0,
        failure=2.0,
        oscillation=1.0,
        backtracking=1.0,
        stagnation=2.0,
        load=0.5,
    ),
    activation=1000.0,
)
"""Eq. 1 to 3 with Table 7's weights and lambda_load 0.5 (notes, section 1).

Table 1 demands that joint tasks be staffed, so an active task is worth more than any penalty an
episode of 100 steps can bring to one agent.
"""

DEFAULT = CostProfile(
    "default",
    _weighted(
        DEFAULT_TERMS,
        cyclic=2.0,
        failure=2.0,
        oscillation=1.0,
        backtracking=1.0,
        stagnation=2.0,
        load=0.5,
        travel=0.02,
        risk=3.0,
        progress=3.0,
        idling=1.0,
        wish=0.3,
        plan=0.8,
    ),
    activation=1.8,
    work_first=True,
    right_of_way=20.0,
)
"""The paper's terms, forgetting patterns after real work, and what they lack; see `terms`.

A place in a joint task is worth leaving the plan for, and one cost unit more.
"""

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
