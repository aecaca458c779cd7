"""Figures after every step: the metrics so far, calls, shares of runtime, and cost by term.

The same counting as `metrics.measure`, carried on from step to step; a test holds the two
together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from mosaic_planner.core.trace import Event
from mosaic_planner.metrics import PAPER_METRICS, balance
from mosaic_planner.replay.moments import Moment

__all__ = ["COUNTED", "FIGURES", "Series", "slim"]

FIGURES = PAPER_METRICS[1:]
"""Names as in `metrics.Metrics`; success is the score of the last step."""

COUNTED = ("outcome", "call", "score", "assignment", "proposal", "end")
"""Kinds of events that `metrics.measure` counts."""
_BULKY = frozenset({"messages", "reply", "losers", "unmet", "candidates"})
_SHARES = ("model_s", "world_s", "solver_s")


def slim(event: Event) -> Event:
    """An event of `COUNTED` without its large parts, which no metric reads."""
    return {key: value for key, value in event.items() if key not in _BULKY}


class Series:
    """Takes moments in order; `value()` gives one list per figure, one entry per moment."""

    def __init__(self, agents: Sequence[str]) -> None:
        self._agents = tuple(agents)
        self._successes: Counter[str] = Counter()
        self._actions = self._failed = self._steps = self._tokens = 0
        self._calls: Counter[str] = Counter()
        self._shares = dict.fromkeys(_SHARES, 0.0)
        self._score: dict[str, Any] = {}
        self._times: list[float] = []
        self._success: list[int] = []
        self._figures: dict[str, list[float]] = {name: [] for name in FIGURES}
        self._share_rows: dict[str, list[float]] = {name: [] for name in _SHARES}
        self._modules: dict[str, list[int]] = {}
        self._terms: dict[str, list[float]] = {}
        self._cost: list[float | None] = []

    def take(self, moment: Moment) -> None:
        """Count one more moment."""
        for call in moment.calls:
            self._calls[str(call["module"])] += 1
            self._tokens += call["prompt_tokens"]
            self._shares["model_s"] += call["latency_s"]
        if moment.outcome is not None:
            self._take_outcome(moment.outcome)
        if moment.score is not None:
            self._score = moment.score
        self._take_costs(moment)
        self._put(moment)

    def _take_outcome(self, event: dict[str, Any]) -> None:
        for name, outcome in event["agents"].items():
            self._actions += 1
            self._steps += outcome["agent_steps"]
            self._failed += not outcome["success"]
            if outcome["success"] and not outcome["idle"]:
                self._successes[name] += 1
        # The clock of an outcome does not know the calls that judge it; those are summed up.
        for name in ("world_s", "solver_s"):
            self._shares[name] = event["clock"][name]

    def _take_costs(self, moment: Moment) -> None:
        sums: Counter[str] = Counter()
        assignment = moment.assignment or {}
        for choice in assignment.get("chosen", {}).values():
            for term, value in choice.get("terms", {}).items():
                sums[str(term)] += value
        count = len(self._times)
        for term in sums:
            self._terms.setdefault(term, [0.0] * count)
        for term, row in self._terms.items():
            row.append(round(sums[term], 6))
        self._cost.append(round(assignment["objective"], 6) if sums else None)

    def _put(self, moment: Moment) -> None:
        score = self._score
        total, coverage_total = score.get("total", 0), score.get("coverage_total", 0)
        now = {
            "transport_rate": len(score["completed"]) / total if total else 0.0,
            "coverage": len(score["covered"]) / coverage_total if coverage_total else 0.0,
            "balance": balance([self._successes[name] for name in self._agents]),
            "failure_rate": self._failed / self._actions if self._actions else 0.0,
            "agent_steps": self._steps,
            "runtime_s": sum(self._shares.values()),
            "llm_calls": sum(self._calls.values()),
            "prompt_tokens": self._tokens,
        }
        for name, value in now.items():
            self._figures[name].append(round(value, 6))
        for name, row in self._share_rows.items():
            row.append(round(self._shares[name], 6))
        for module in self._calls:
            self._modules.setdefault(module, [0] * len(self._times))
        for module, counts in self._modules.items():
            counts.append(self._calls[module])
        self._times.append(round(moment.t, 6))
        self._success.append(int(bool(score.get("success", False))))

    def value(self) -> dict[str, Any]:
        """Everything counted, as JSON values."""
        return {
            "t": self._times,
            "success": self._success,
            "figures": self._figures,
            "shares": self._share_rows,
            "modules": self._modules,
            "terms": self._terms,
            "cost": self._cost,
        }
