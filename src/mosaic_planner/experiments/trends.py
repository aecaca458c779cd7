"""How an episode goes over its planning steps, from its trace alone.

Transport, coverage and balance (the paper's Figures 4 and 5) and the terms of the objective
(Figure 8).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.trace import Trace
from mosaic_planner.metrics import balance

__all__ = ["COST_SERIES", "SCORE_SERIES", "Trend", "cost_trend", "mean_trend", "score_trend"]

SCORE_SERIES = ("transport_rate", "balance", "coverage")
COST_SERIES = ("total", "penalty", "load")

_PENALTIES = ("cyclic", "failure", "oscillation", "backtracking", "stagnation")
_LOAD_WEIGHT = 0.5  # lambda_load of the paper, unless the settings say otherwise

Trend = dict[str, list[float]]
"""Values by series; index i is planning step i (scores, from 0) or i + 1 (costs, from 1)."""


def score_trend(trace: Trace) -> Trend:
    """Transport rate, balance and coverage after each planning step, step 0 (the start) first."""
    trend: Trend = {name: [] for name in SCORE_SERIES}
    successes = dict.fromkeys(trace.header["agents"], 0)
    for event in trace.events:
        if event["event"] == "outcome":
            for name, outcome in event["agents"].items():
                successes[name] += outcome["success"] and not outcome["idle"]
        elif event["event"] == "score":
            total, wanted = event["total"], event["coverage_total"]
            trend["transport_rate"].append(len(event["completed"]) / total if total else 0.0)
            trend["coverage"].append(len(event["covered"]) / wanted if wanted else 0.0)
            trend["balance"].append(balance(list(successes.values())))
    return trend


def cost_trend(trace: Trace) -> Trend:
    """Terms of the chosen joint action at each planning step, summed over the agents.

    `penalty`: the weighted patterns of Table 7. `load`: C_load of Eq. 3 without its weight, as
    Figure 8 has it. `total`: the objective's value. Empty where nothing was ever priced.
    """
    settings: Mapping[str, Any] = trace.header.get("settings", {})
    weight = float(settings.get("weights", {}).get("load", _LOAD_WEIGHT))
    trend: Trend = {name: [] for name in COST_SERIES}
    priced = False
    for event in trace.of("assignment"):
        sums: dict[str, float] = {}
        for choice in event["chosen"].values():
            for name, value in choice.get("terms", {}).items():
                sums[name] = sums.get(name, 0.0) + value
        priced = priced or bool(sums)
        trend["total"].append(sum(sums.values()))
        trend["penalty"].append(sum(sums.get(name, 0.0) for name in _PENALTIES))
        trend["load"].append(sums.get("load", 0.0) / weight if weight else 0.0)
    return trend if priced else {name: [] for name in COST_SERIES}


@dataclass(frozen=True, slots=True)
class MeanTrend:
    """Mean of a series over episodes at each step, and how many episodes that step had."""

    steps: NDArray[np.int_]
    mean: NDArray[np.float64]
    episodes: NDArray[np.int_]


def mean_trend(
    trends: Sequence[Sequence[float]], *, first: int, carry_to: int | None
) -> MeanTrend | None:
    """Average trends of different length; None if there is no value.

    `carry_to`: an episode that is over keeps its last value up to this step (scores: what was
    reached stays). None: it stops counting (costs: nothing is chosen any more). `first`: the
    number of the first step.
    """
    given = [list(trend) for trend in trends if len(trend)]
    if not given:
        return None
    length = max(len(trend) for trend in given)
    if carry_to is not None:
        length = carry_to - first + 1
        given = [(t + [t[-1]] * max(0, length - len(t)))[:length] for t in given]
    values = np.full((len(given), length), np.nan)
    for row, trend in zip(values, given, strict=True):
        row[: len(trend)] = trend
    counts = (~np.isnan(values)).sum(axis=0)
    return MeanTrend(
        steps=np.arange(first, first + length),
        mean=np.nansum(values, axis=0) / counts,
        episodes=counts,
    )
