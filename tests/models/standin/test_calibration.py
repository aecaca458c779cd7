"""The comparison with the published logs: intervals, tolerances, one real episode."""

from __future__ import annotations

import random

import pytest

from mosaic_planner import calibration
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


def test_how_far_the_sample_may_be_off_is_said_and_shrinks_with_more_seeds() -> None:
    few = [r for i, r in enumerate(made_up(0.5, 0.2, 2, random.Random(3))) if i % 10 == 0]
    many = made_up(0.5, 0.2, 2, random.Random(3))
    small, large = compare(few), compare(many)
    assert (small.seeds, large.seeds) == (1, 10)
    assert not small.enough
    for row in (*small.rows[:2], *large.rows[:2]):
        assert row.sampled_low <= row.standin <= row.sampled_high
        assert row.fields()["sampled_low"] < row.fields()["sampled_high"]
    widths = [c.rows[0].sampled_high - c.rows[0].sampled_low for c in (small, large)]
    assert widths[0] > 0.3
    assert widths[1] < 0.16
    assert compare(many * 2).enough


def test_one_episode_per_cell_still_has_a_spread() -> None:
    """Drawn from all of a team size: a cell of one would always give the same episode."""
    one = [r for i, r in enumerate(made_up(0.5, 0.2, 3, random.Random(3))) if i % 10 == 0]
    row = compare(one).rows[0]
    assert row.high - row.low > 0.25


def test_nothing_to_compare() -> None:
    with pytest.raises(ValueError, match="no episodes"):
        compare([])


def test_the_first_seed_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[int]] = []

    def noted(rates: object, seeds: range, **options: object) -> list[Result]:
        asked.append(list(seeds))
        return made_up(0.5, 0.2, 2, random.Random(0))

    monkeypatch.setattr(calibration, "simulate", noted)
    calibration.calibrate(seeds=3, first_seed=200)
    assert asked == [[200, 201, 202]]


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
