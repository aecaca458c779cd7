"""Thousands of small random instances against an enumeration that knows nothing of solvers."""

from __future__ import annotations

import random

import pytest
from coordination_fakes import brute_force, feasible, random_step

from mosaic_planner.coordination import MosaicCoordinator, Status

VARIANTS = [
    {"costs": "default"},
    {"costs": "paper"},
    {"costs": "paper", "minimise": False},
    {"costs": "default", "safe_candidates": False},
]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda v: "-".join(map(str, v.values())))
def test_equals_brute_force(variant: dict[str, object]) -> None:
    for seed in range(800):
        rng = random.Random(seed)
        rules, candidates, beliefs, history = random_step(rng)
        coordinator = MosaicCoordinator(rules, solver="exact", **variant)
        result = coordinator.select(candidates, beliefs, history)
        problem = result.problem
        assert problem is not None
        chosen = tuple(
            next(o.index for o in problem.by_agent[a] if o.candidate is c.candidate)
            for a, c in result.chosen.items()
        )
        assert feasible([c.profile for c in result.chosen.values()]), seed
        if any(row.constraint == "work first" for row in problem.rows):
            continue
        assert chosen == brute_force(problem), seed
        if variant.get("minimise", True):
            assert result.status is Status.OPTIMAL
