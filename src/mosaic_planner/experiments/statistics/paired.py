"""Differences between two methods on the same tasks and seeds."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mosaic_planner.experiments.statistics.intervals import (
    FEW_CLUSTERS,
    Interval,
    cluster_bootstrap,
    few_clusters_mean,
    gather,
)
from mosaic_planner.experiments.statistics.student import t_quantile

__all__ = ["PairedDifference", "paired_difference"]


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """Mean of a - b over `pairs` episodes of the same task and seed.

    `clearly`: the interval leaves zero out. `constant`: every pair differs by the same amount
    (often 0), so the interval has no width of its own.
    """

    mean_a: float
    mean_b: float
    difference: float
    interval: Interval
    pairs: int
    clusters: int
    constant: bool

    @property
    def clearly(self) -> bool:
        """Whether the interval excludes zero."""
        interval = self.interval
        return interval.known and (interval.low > 0 or interval.high < 0)


def _rate_error(a: Sequence[float], b: Sequence[float]) -> float:
    """Standard error of a difference of paired rates with half a pair added to each of the four
    outcomes (Agresti and Min 2005): never 0, so it bounds the clustered error from below.
    """
    n = len(a) + 2.0
    only_a = sum(x > y for x, y in zip(a, b, strict=True)) + 0.5
    only_b = sum(y > x for x, y in zip(a, b, strict=True)) + 0.5
    return math.sqrt(only_a + only_b - (only_a - only_b) ** 2 / n) / n


def paired_difference(
    a: Sequence[float],
    b: Sequence[float],
    clusters: Sequence[Hashable],
    *,
    rate: bool,
    rng: np.random.Generator,
    level: float = 0.95,
    resamples: int = 10_000,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> PairedDifference:
    """Difference a - b with an interval clustered by task; `a[i]` and `b[i]` are one pair.

    `bounds`: between which the values lie; the interval says no more than that allows.
    From 30 clusters on the cluster bootstrap, below that Student's t over clusters. For rates
    the error is never taken smaller than that of independent pairs with half a pair added to
    each outcome. Raises ValueError without pairs or for unequal lengths.
    """
    if len(a) != len(b) or len(a) == 0:
        raise ValueError(f"{len(a)} and {len(b)} values are no pairs")
    differences = [float(x) - float(y) for x, y in zip(a, b, strict=True)]
    data = gather(differences, clusters)
    constant = max(differences) == min(differences)
    g = data.clusters
    if g >= FEW_CLUSTERS:
        interval = cluster_bootstrap(differences, clusters, rng, level=level, resamples=resamples)
    else:
        interval = few_clusters_mean(differences, clusters, level=level)
    if rate and interval.known:
        half = t_quantile(0.5 + level / 2, g - 1) * _rate_error(a, b)
        low, high = min(interval.low, data.mean - half), max(interval.high, data.mean + half)
        interval = Interval(low, high, interval.method, level)
        bounds = (0.0, 1.0)
    if interval.known:
        most = bounds[1] - bounds[0]
        interval = replace(interval, low=max(-most, interval.low), high=min(most, interval.high))
    return PairedDifference(
        mean_a=float(np.mean(np.asarray(a, dtype=float))),
        mean_b=float(np.mean(np.asarray(b, dtype=float))),
        difference=data.mean,
        interval=interval,
        pairs=len(differences),
        clusters=g,
        constant=constant,
    )
