"""The comparison with the published logs: intervals, tolerances, one real episode."""

from __future__ import annotations

import random

from mosaic_planner.calibration import PUBLISHED, Result, compare, simulate
from mosaic_planner.models.standin import RATES

SHARES = {"DropOff": (63, 100), "UseSupply": (50, 100), "Carry": (49, 100), "GetSupply": (24, 100)}


def made_up(success: float, failure: float, agents: int, rng: random.Random) -> list[Result]:
    results = []
    for scene in range(1, 6):
        for seed in (0, 10, 20, 30, 40):
            for _ in range(10):
                failed = round(100 * failure + rng.gauss(0, 5))
                verbs = {"NavigateTo": (failed, 100)}
                results.append(Result(agents, scene, seed, rng.random() < success, 0.9, 30, verbs))
    return results


def test_figures_like_the_published_ones_are_inside() -> None:
    rng = random.Random(0)
    results: list[Result] = []
    for agents, figures in PUBLISHED.items():
        results += made_up(figures["success"], figures["failure"], agents, rng)
    rows = [row for row in compare(results).rows if row.agents is not None]
    assert len(rows) == 8
    assert all(row.inside for row in rows)
    assert all(row.low <= row.standin <= row.high for row in rows)


def test_other_figures_are_outside() -> None:
    rng = random.Random(0)
    rows = compare(made_up(0.98, 0.02, 3, rng)).rows
    assert [row.inside for row in rows if row.agents == 3] == [False, False]


def test_interval_is_that_of_25_episodes() -> None:
    """Not that of the mean over all stand-in episodes, which is far narrower."""
    rows = compare(made_up(0.5, 0.2, 2, random.Random(1))).rows
    success = rows[0]
    assert 0.25 < success.high - success.low < 0.5


def test_shares_have_a_fixed_tolerance() -> None:
    result = Result(2, 1, 0, True, 1.0, 20, {**SHARES, "Carry": (20, 100)})
    rows = {row.quantity: row for row in compare([result]).rows}
    assert rows["failed DropOff"].inside
    assert rows["failed UseSupply"].inside
    assert not rows["failed Carry"].inside
    assert rows["failed DropOff"].high - rows["failed DropOff"].low == 0.24
    assert compare([result]).fields()["within_tolerance"] is False


def test_simulated_episodes_are_faithful_and_repeatable() -> None:
    seen: list[Result] = []
    results = simulate(RATES["weak"], [7], team_sizes=[2], on_result=seen.append, scenes=[5])
    assert seen == results
    assert [(r.agents, r.scene, r.seed) for r in results] == [
        (2, 5, s) for s in (0, 10, 20, 30, 40)
    ]
    assert all(r.steps <= 35 for r in results)
    assert all(r.issued == 2 * r.steps for r in results)
    assert sum(r.failed for r in results) > 0
    assert simulate(RATES["weak"], [7], team_sizes=[2], scenes=[5]) == results
