"""Quantiles of the normal and of Student's distribution, so that the product needs no SciPy."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

__all__ = ["normal_cdf", "normal_quantile", "t_cdf", "t_quantile"]

_NORMAL = NormalDist()


def normal_cdf(x: float) -> float:
    """P(Z <= x)."""
    return _NORMAL.cdf(x)


def normal_quantile(p: float) -> float:
    """The x with P(Z <= x) = p, 0 < p < 1."""
    return _NORMAL.inv_cdf(p)


def t_cdf(x: float, df: int) -> float:
    """P(T <= x) for whole degrees of freedom `df` >= 1: the finite sums of Abramowitz and
    Stegun, 26.7.3 and 26.7.4.
    """
    theta = math.atan(abs(x) / math.sqrt(df))
    cos, sin = math.cos(theta), math.sin(theta)
    if df % 2:
        term, total = cos, 0.0
        for j in range(1, (df - 1) // 2 + 1):
            total += term
            term *= cos * cos * (2 * j) / (2 * j + 1)
        inside = 2 / math.pi * (theta + sin * total)
    else:
        term, total = 1.0, 0.0
        for j in range(1, df // 2 + 1):
            total += term
            term *= cos * cos * (2 * j - 1) / (2 * j)
        inside = sin * total
    return 0.5 + math.copysign(inside, x) / 2


@lru_cache(maxsize=1024)
def t_quantile(p: float, df: int) -> float:
    """The x with P(T <= x) = p, 0 < p < 1, to about 1e-12 relative, by bisection."""
    if not 0 < p < 1 or df < 1:
        raise ValueError(f"no t quantile for p={p}, df={df}")
    if p < 0.5:
        return -t_quantile(1 - p, df)
    low, high = 0.0, 1.0
    while t_cdf(high, df) < p:
        low, high = high, 2 * high
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if t_cdf(middle, df) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2
