"""Statistics against SciPy and statsmodels, and their coverage in simulation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.power import TTestPower
from statsmodels.stats.proportion import proportion_confint

from mosaic_planner.experiments.statistics import (
    Interval,
    cluster_bootstrap,
    few_clusters_mean,
    few_clusters_rate,
    interquartile_mean,
    interval_of,
    needed_episodes,
    paired_difference,
    summarise,
    wilson,
)
from mosaic_planner.experiments.statistics.student import normal_quantile, t_cdf, t_quantile


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 10, 29, 30, 101, 500])
def test_student_agrees_with_scipy(df: int) -> None:
    for x in (-7.5, -1.0, 0.0, 0.3, 2.0, 12.0):
        assert t_cdf(x, df) == pytest.approx(stats.t.cdf(x, df), abs=1e-12)
    for p in (0.005, 0.1, 0.5, 0.9, 0.975, 0.9995):
        assert t_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-9, abs=1e-12)
        assert normal_quantile(p) == pytest.approx(stats.norm.ppf(p), rel=1e-9, abs=1e-12)


def test_student_refuses_what_has_no_quantile() -> None:
    for p, df in ((0.0, 3), (1.0, 3), (0.5, 0)):
        with pytest.raises(ValueError, match="no t quantile"):
            t_quantile(p, df)


@pytest.mark.parametrize(("successes", "n"), [(0, 5), (1, 5), (5, 5), (37, 180), (179, 180)])
def test_wilson_agrees_with_statsmodels(successes: int, n: int) -> None:
    low, high = proportion_confint(successes, n, method="wilson")
    ours = wilson(successes, n)
    assert (ours.low, ours.high) == pytest.approx((low, high), abs=1e-12)


def test_wilson_needs_episodes() -> None:
    with pytest.raises(ValueError, match="no rate"):
        wilson(0, 0)
    with pytest.raises(ValueError, match="no rate"):
        wilson(6, 5)


def test_summary_agrees_with_scipy() -> None:
    values = rng().gamma(2.0, size=37).tolist()
    repeats = [i % 3 for i in range(37)]
    summary = summarise(values, repeats)
    assert summary.interquartile_mean == pytest.approx(stats.trim_mean(values, 0.25))
    assert summary.variance == pytest.approx(stats.tvar(values))
    assert summary.standard_deviation == pytest.approx(stats.tstd(values))
    means = [np.mean(values[i::3]) for i in range(3)]
    assert summary.repeat_variance == pytest.approx(stats.tvar(means))
    assert summary.repeat_standard_deviation == pytest.approx(stats.tstd(means))
    assert summary.median == pytest.approx(np.median(values))


def test_spread_of_one_episode_is_unknown_not_zero() -> None:
    summary = summarise([3.0], [0])
    assert summary.standard_deviation is None
    assert summary.repeat_variance is None
    with pytest.raises(ValueError, match="nothing"):
        summarise([], [])


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8, 11])
def test_interquartile_mean(size: int) -> None:
    values = rng(size).normal(size=size)
    assert interquartile_mean(values) == pytest.approx(stats.trim_mean(values, 0.25))


def _unequal_clusters() -> tuple[list[float], list[int]]:
    g = rng(3)
    sizes = g.integers(1, 9, size=12)
    clusters = [c for c, size in enumerate(sizes) for _ in range(size)]
    offsets = g.normal(size=12)
    return [float(offsets[c] + g.normal()) for c in clusters], clusters


def test_t_over_clusters_is_statsmodels_cluster_robust() -> None:
    values, clusters = _unequal_clusters()
    fit = OLS(values, np.ones(len(values))).fit(
        cov_type="cluster", cov_kwds={"groups": np.array(clusters)}, use_t=True
    )
    low, high = fit.conf_int()[0]
    ours = few_clusters_mean(values, clusters)
    assert (ours.low, ours.high) == pytest.approx((low, high), rel=1e-9)


def test_bootstrap_agrees_with_scipy_on_equal_clusters() -> None:
    # equal sizes: the mean of cluster means; SciPy's percentiles are not widened, so they are
    # asked for at the widened level
    g, m = 40, 5
    values = (rng(1).normal(size=g)[:, None] + rng(2).normal(size=(g, m))).ravel()
    clusters = np.repeat(np.arange(g), m)
    tail = stats.norm.cdf(-np.sqrt(g / (g - 1)) * stats.t.ppf(0.975, g - 1))
    theirs = stats.bootstrap(
        (values.reshape(g, m).mean(axis=1),),
        np.mean,
        confidence_level=1 - 2 * tail,
        n_resamples=40_000,
        method="percentile",
        random_state=0,
    ).confidence_interval
    ours = cluster_bootstrap(values.tolist(), clusters.tolist(), rng(), resamples=40_000)
    width = theirs.high - theirs.low
    assert ours.low == pytest.approx(theirs.low, abs=0.02 * width)
    assert ours.high == pytest.approx(theirs.high, abs=0.02 * width)


def test_bootstrap_is_reproducible_and_indifferent_to_order() -> None:
    values, clusters = _unequal_clusters()
    once = cluster_bootstrap(values, clusters, rng())
    assert once == cluster_bootstrap(values, clusters, rng())
    assert once != cluster_bootstrap(values, clusters, rng(1))


def test_one_cluster_says_nothing() -> None:
    for make in (few_clusters_mean, few_clusters_rate):
        assert not make([1.0, 0.0, 1.0], ["a", "a", "a"]).known
    assert not cluster_bootstrap([1.0, 2.0], ["a", "a"], rng()).known


def test_a_perfect_rate_is_no_certainty() -> None:
    for tasks in (5, 36):
        clusters = [t for t in range(tasks) for _ in range(3)]
        interval = interval_of([1.0] * len(clusters), clusters, rate=True, rng=rng())
        assert interval.high == pytest.approx(1.0)
        assert interval.low < 0.95


def test_the_method_follows_the_number_of_clusters() -> None:
    def method(tasks: int, rate: bool) -> str:
        clusters = [t for t in range(tasks) for _ in range(2)]
        values = [float(i % 2) for i in range(len(clusters))]
        return interval_of(values, clusters, rate=rate, rng=rng()).method

    assert method(5, True) == "Wilson over clusters"
    assert method(5, False) == "t over clusters"
    assert method(30, True) == method(30, False) == "cluster bootstrap"


def test_paired_difference_of_means_is_scipys_paired_t_with_one_episode_per_task() -> None:
    a, b = rng(4).normal(1.0, size=12), rng(5).normal(size=12)
    ours = paired_difference(a.tolist(), b.tolist(), range(12), rate=False, rng=rng())
    theirs = stats.ttest_rel(a, b).confidence_interval()
    assert (ours.interval.low, ours.interval.high) == pytest.approx((theirs.low, theirs.high))
    assert ours.difference == pytest.approx(np.mean(a) - np.mean(b))


def test_paired_rates_that_never_vary_are_not_certain() -> None:
    clusters = [t for t in range(5) for _ in range(3)]
    same = paired_difference([1.0] * 15, [1.0] * 15, clusters, rate=True, rng=rng())
    assert same.constant
    assert same.interval.low < 0 < same.interval.high
    better = paired_difference([1.0] * 15, [0.0] * 15, clusters, rate=True, rng=rng())
    assert better.clearly
    assert better.interval.low < 0.99


def test_a_difference_of_bounded_figures_is_bounded() -> None:
    """Two tasks that differ: Student's interval would reach far beyond what a rate can do."""
    a, b, tasks = [1.0, 1.0, 1.0, 1.0], [0.25, 0.25, 1.0, 1.0], ["x", "x", "y", "y"]
    rng = np.random.default_rng(0)
    free = paired_difference(a, b, tasks, rate=False, rng=rng)
    held = paired_difference(a, b, tasks, rate=False, rng=rng, bounds=(0.0, 1.0))
    assert free.interval.high > 1
    assert (held.interval.low, held.interval.high) == (-1.0, 1.0)
    assert held.difference == free.difference == pytest.approx(0.375)
    above = paired_difference(a, b, tasks, rate=False, rng=rng, bounds=(0.0, np.inf))
    assert above.interval == free.interval


def test_pairs_must_match() -> None:
    with pytest.raises(ValueError, match="no pairs"):
        paired_difference([1.0], [1.0, 0.0], ["a"], rate=True, rng=rng())


@pytest.mark.parametrize("effect", [0.3, 0.5, 0.8, 1.2])
def test_needed_tasks_agree_with_statsmodels(effect: float) -> None:
    # one episode per task: the paired t test with its noncentral power
    values = rng(8).normal(size=20)
    values = (values - values.mean()) / values.std(ddof=1) + effect
    needed = needed_episodes(values.tolist(), range(20))
    theirs = TTestPower().solve_power(effect_size=effect, power=0.8, alpha=0.05)
    assert needed.tasks is not None
    assert abs(needed.tasks - np.ceil(theirs)) <= 2


def test_more_seeds_do_not_help_where_tasks_differ() -> None:
    # five tasks, each its own difference, no noise inside: only more tasks can tell
    clusters = [t for t in range(5) for _ in range(4)]
    values = [float(d) for d in (-3, 4, -2, 3, 1) for _ in range(4)]
    needed = needed_episodes(values, clusters)
    assert needed.repeats is None
    assert needed.tasks is not None
    assert needed.tasks > 5
    assert needed_episodes([0.0] * 4, range(4)).tasks is None


def test_needed_seeds_reach_their_power() -> None:
    g, m, effect = 5, 3, 0.4
    draw = rng(11)
    pilot = draw.normal(effect, 1.0, size=(g, 60))
    clusters = np.repeat(np.arange(g), 60).tolist()
    needed = needed_episodes(pilot.ravel().tolist(), clusters, effect=effect)
    assert needed.repeats is not None
    assert needed.repeats > m
    hits = 0
    for _ in range(400):
        sample = draw.normal(effect, 1.0, size=(g, needed.repeats))
        keys = np.repeat(np.arange(g), needed.repeats).tolist()
        interval = few_clusters_mean(sample.ravel().tolist(), keys)
        hits += interval.low > 0 or interval.high < 0
    assert 0.72 <= hits / 400 <= 0.92


Draw = Callable[[np.random.Generator], tuple[list[float], list[int], float]]


def _skewed_means(g: int, m: int) -> Draw:
    """Runtimes: gamma per task, gamma noise inside, as skewed as episodes are."""

    def draw(r: np.random.Generator) -> tuple[list[float], list[int], float]:
        tasks = r.gamma(4.0, 50.0, size=g)
        values = tasks[:, None] * r.gamma(8.0, 1 / 8, size=(g, m))
        return values.ravel().tolist(), np.repeat(np.arange(g), m).tolist(), 200.0

    return draw


def _rates(g: int, m: int, rate: float, correlation: float) -> Draw:
    def draw(r: np.random.Generator) -> tuple[list[float], list[int], float]:
        scale = 1 / correlation - 1
        tasks = r.beta(rate * scale, (1 - rate) * scale, size=g)
        values = (r.random((g, m)) < tasks[:, None]).astype(float)
        return values.ravel().tolist(), np.repeat(np.arange(g), m).tolist(), rate

    return draw


def coverage(draw: Draw, rate: bool, repeats: int, seed: int = 0) -> float:
    r = rng(seed)
    inside = 0
    for _ in range(repeats):
        values, clusters, truth = draw(r)
        interval: Interval = interval_of(values, clusters, rate=rate, rng=r, resamples=1000)
        inside += interval.low <= truth <= interval.high
    return inside / repeats


def test_coverage_in_short() -> None:
    """A coarse check in every run; the study itself is the slow test below."""
    assert coverage(_rates(5, 3, 0.6, 0.1), True, 400) >= 0.91
    assert 0.90 <= coverage(_skewed_means(36, 3), False, 300) <= 0.985


MANY = [
    (_rates(g, m, rate, correlation), True)
    for g, m in ((30, 3), (36, 15))
    for rate in (0.2, 0.6)
    for correlation in (0.05, 0.3)
] + [(_skewed_means(g, m), False) for g, m in ((30, 3), (36, 15), (60, 3))]


@pytest.mark.slow
@pytest.mark.parametrize(("draw", "rate"), MANY)
def test_coverage_with_thirty_clusters_or_more(draw: Draw, rate: bool) -> None:
    assert 0.93 <= coverage(draw, rate, 1500, seed=1) <= 0.97


FEW = [
    _rates(5, m, rate, correlation)
    for m in (3, 10)
    for rate in (0.1, 0.3, 0.6, 0.9)
    for correlation in (0.02, 0.1, 0.3, 0.6)
]


@pytest.mark.slow
@pytest.mark.parametrize("draw", FEW)
def test_coverage_of_a_rate_with_five_scenes(draw: Draw) -> None:
    assert coverage(draw, True, 2500, seed=2) >= 0.92


@pytest.mark.slow
@pytest.mark.parametrize("m", [1, 3, 10])
def test_coverage_of_a_mean_with_five_scenes(m: int) -> None:
    assert coverage(_skewed_means(5, m), False, 4000, seed=3) >= 0.92


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0.05, 0.3])
@pytest.mark.parametrize(("rate_a", "rate_b"), [(0.6, 0.6), (0.7, 0.5), (0.95, 0.9)])
@pytest.mark.parametrize(("g", "m"), [(5, 3), (5, 10), (36, 3)])
def test_coverage_of_a_paired_difference_of_rates(
    g: int, m: int, rate_a: float, rate_b: float, correlation: float
) -> None:
    r = rng(4)
    inside, repeats = 0, 1500
    scale = 1 / correlation - 1
    for _ in range(repeats):
        task_a = r.beta(rate_a * scale, (1 - rate_a) * scale, size=g)[:, None]
        task_b = r.beta(rate_b * scale, (1 - rate_b) * scale, size=g)[:, None]
        a = (r.random((g, m)) < task_a).astype(float).ravel().tolist()
        b = (r.random((g, m)) < task_b).astype(float).ravel().tolist()
        keys = np.repeat(np.arange(g), m).tolist()
        interval = paired_difference(a, b, keys, rate=True, rng=r, resamples=1000).interval
        inside += interval.low <= rate_a - rate_b <= interval.high
    assert inside / repeats >= 0.92


def test_tasks_that_agree_by_chance_do_not_make_a_difference_certain() -> None:
    """Two tasks, the same mean difference in both, single pairs far apart."""
    a = [0.5, 0.0, 0.1, 0.4]
    b = [0.0, 0.4, 0.0, 0.4]
    found = paired_difference(a, b, ["x", "x", "y", "y"], rate=False, rng=np.random.default_rng(0))
    assert found.difference == pytest.approx(0.05)
    assert found.interval.low < 0 < found.interval.high
    assert not found.clearly
