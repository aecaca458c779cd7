"""Location and spread, each under its own name (the paper's Tables 12 and 13 mix two of them)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["Summary", "interquartile_mean", "repeat_means", "summarise"]


@dataclass(frozen=True, slots=True)
class Summary:
    """One metric over `n` episodes. Spread is None where one episode gives none.

    `standard_deviation` and `variance` are over episodes (divisor n - 1).
    `repeat_standard_deviation` and `repeat_variance` are those of the means of the repeats (all
    tasks once, one seed each): only that scale fits the paper's Table 12, in which a success rate
    of 0.59 deviates by 0.06 (single successes would by 0.49).
    """

    n: int
    mean: float
    interquartile_mean: float
    median: float
    standard_deviation: float | None
    variance: float | None
    repeat_standard_deviation: float | None
    repeat_variance: float | None


def interquartile_mean(values: ArrayLike) -> float:
    """Mean of what remains after cutting floor(n / 4) values at either end."""
    ordered: NDArray[np.float64] = np.sort(np.asarray(values, dtype=float))
    if ordered.size == 0:
        return float("nan")
    cut = ordered.size // 4
    return float(ordered[cut : ordered.size - cut].mean())


def repeat_means(values: Sequence[float], repeats: Sequence[object]) -> list[float]:
    """Mean of the values of each repeat (same key), in order of first appearance."""
    groups: dict[object, list[float]] = {}
    for value, repeat in zip(values, repeats, strict=True):
        groups.setdefault(repeat, []).append(value)
    return [float(np.mean(group)) for group in groups.values()]


def _spread(values: NDArray[np.float64]) -> tuple[float | None, float | None]:
    if values.size < 2:
        return None, None
    variance = float(values.var(ddof=1))
    return float(np.sqrt(variance)), variance


def summarise(values: Sequence[float], repeats: Sequence[object]) -> Summary:
    """Summary of one metric; `repeats` names the repeat (seed) of each value.

    Raises ValueError without a value.
    """
    array: NDArray[np.float64] = np.asarray(values, dtype=float)
    if array.size == 0:
        raise ValueError("nothing to summarise")
    deviation, variance = _spread(array)
    means = np.asarray(repeat_means(values, repeats))
    repeat_deviation, repeat_variance = _spread(means)
    return Summary(
        n=int(array.size),
        mean=float(array.mean()),
        interquartile_mean=interquartile_mean(array),
        median=float(np.median(array)),
        standard_deviation=deviation,
        variance=variance,
        repeat_standard_deviation=repeat_deviation,
        repeat_variance=repeat_variance,
    )
