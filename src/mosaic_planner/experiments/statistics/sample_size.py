"""How many more episodes would settle a difference that the present ones leave open."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from mosaic_planner.experiments.statistics.student import normal_quantile, t_quantile

__all__ = ["Needed", "needed_episodes"]

_MOST = 1_000_000


@dataclass(frozen=True, slots=True)
class Needed:
    """What it takes to find a difference of the size seen now, at `power`.

    `repeats`: seeds per task in all, tasks as now; None if no number of seeds is enough because
    the tasks themselves differ too much. `tasks`: tasks in all, seeds per task as now; None if
    the difference is exactly zero. Both count pairs of episodes.
    """

    repeats: int | None
    tasks: int | None
    power: float


def _components(
    differences: Sequence[float], clusters: Sequence[Hashable]
) -> tuple[float, float, int, float]:
    """Variance between clusters and within, number of clusters, typical cluster size (one-way
    analysis of variance, unequal sizes as usual with n0).
    """
    groups: dict[Hashable, list[float]] = {}
    for value, cluster in zip(differences, clusters, strict=True):
        groups.setdefault(cluster, []).append(float(value))
    sizes = np.array([len(g) for g in groups.values()], dtype=float)
    means = np.array([np.mean(g) for g in groups.values()])
    n, g = sizes.sum(), len(groups)
    inside = sum(float(((np.array(v) - np.mean(v)) ** 2).sum()) for v in groups.values())
    within = inside / (n - g) if n > g else 0.0
    if g < 2:
        return 0.0, within, g, float(n)
    between_square = float((sizes * (means - (sizes * means).sum() / n) ** 2).sum() / (g - 1))
    size = float((n - (sizes**2).sum() / n) / (g - 1))
    return max(0.0, (between_square - within) / size), within, g, size


def _enough(variance: float, df: int, effect: float, level: float, power: float) -> bool:
    # normal power on top of Student's critical value: within a pair or two of the noncentral t
    critical = t_quantile(0.5 + level / 2, df)
    spread = math.sqrt(1 + critical**2 / (2 * df))  # the error itself is estimated
    return abs(effect) >= (critical + normal_quantile(power) * spread) * math.sqrt(variance)


def _first(low: int, fits: Callable[[int], bool]) -> int | None:
    """The smallest number from `low` on that fits, by doubling and bisection; None if none."""
    high = low
    while not fits(high):
        low, high = high + 1, high * 2
        if high > _MOST:
            return None
    while low < high:
        middle = (low + high) // 2
        if fits(middle):
            high = middle
        else:
            low = middle + 1
    return high


def needed_episodes(
    differences: Sequence[float],
    clusters: Sequence[Hashable],
    *,
    effect: float | None = None,
    level: float = 0.95,
    power: float = 0.8,
) -> Needed:
    """Seeds per task, or tasks, at which a difference of `effect` (default: the mean seen) would
    leave an interval of `level` without zero with probability `power`.
    """
    between, within, g, size = _components(differences, clusters)
    mean = float(np.mean(np.asarray(differences, dtype=float)))
    aim = mean if effect is None else effect
    if aim == 0 or g < 1:
        return Needed(None, None, power)

    def by_repeats(m: int) -> bool:
        return _enough(between / g + within / (g * m), g - 1, aim, level, power)

    def by_tasks(tasks: int) -> bool:
        return _enough((between + within / size) / tasks, tasks - 1, aim, level, power)

    return Needed(
        repeats=_first(1, by_repeats) if g >= 2 else None,
        tasks=_first(2, by_tasks),
        power=power,
    )
