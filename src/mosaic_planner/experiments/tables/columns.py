"""The figures a table can show: where each comes from, which way is better, how it is written."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["COLUMNS", "PAPER_COLUMNS", "SPLIT_COLUMNS", "Column"]

Figures = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """One figure of an episode.

    `better`: 1 higher, -1 lower, 0 neither. `relative`: changes are percent of the base, as the
    paper has them for its efficiency metrics. `rate`: 0 or 1 per episode. `measured`: depends on
    the machine.
    """

    name: str
    title: str
    better: Literal[1, 0, -1]
    decimals: int
    of: Callable[[Figures], float | None]
    unit: str = ""
    relative: bool = False
    rate: bool = False
    bounds: tuple[float, float] = (-math.inf, math.inf)
    measured: bool = False

    @property
    def arrow(self) -> str:
        """Which way is better."""
        return {1: "↑", -1: "↓", 0: ""}[self.better]

    @property
    def heading(self) -> str:
        """Title with unit and arrow, which no line break parts."""
        inside = ",\N{NO-BREAK SPACE}".join(part for part in (self.unit, self.arrow) if part)
        return f"{self.title} ({inside})" if inside else self.title

    def format(self, value: float | None) -> str:
        """A value as it is written."""
        return "-" if value is None else f"{value:z.{self.decimals}f}"


def _field(name: str, scale: float = 1.0) -> Callable[[Figures], float | None]:
    def of(figures: Figures) -> float | None:
        value = figures.get(name)
        return None if value is None else float(value) * scale

    return of


def _solving(name: str) -> Callable[[Figures], float | None]:
    """A figure of methods that solve; the others have none."""
    return lambda figures: float(figures[name]) if figures["solver_s"] > 0 else None


def _share(part: str, *parts: str) -> Callable[[Figures], float | None]:
    def of(figures: Figures) -> float | None:
        if figures["solver_s"] <= 0:
            return None
        whole = float(sum(figures[name] for name in (part, *parts)))
        return 100 * float(figures[part]) / whole if whole > 0 else 0.0

    return of


def _false_claim(figures: Figures) -> float:
    return float(bool(figures["claimed"]) and not figures["success"])


_UNIT = (0.0, 1.0)
_POSITIVE = (0.0, math.inf)
_PERCENT = (0.0, 100.0)


def _rate(name: str, title: str, better: Literal[1, 0, -1]) -> Column:
    return Column(name, title, better, 2, _field(name), rate=True, bounds=_UNIT)


def _part(name: str, title: str, better: Literal[1, -1]) -> Column:
    return Column(name, title, better, 2, _field(name), bounds=_UNIT)


def _amount(name: str, title: str, unit: str = "", decimals: int = 1) -> Column:
    return Column(
        name,
        title,
        -1,
        decimals,
        _field(name),
        unit,
        relative=True,
        bounds=_POSITIVE,
    )


_ALL = (
    _rate("success", "Success rate", 1),
    _part("transport_rate", "Transport rate", 1),
    _part("coverage", "Coverage", 1),
    _part("balance", "Balance", 1),
    _part("failure_rate", "Failure rate", -1),
    _amount("runtime_s", "Runtime", "s"),
    _amount("llm_calls", "LLM calls"),
    _amount("agent_steps", "Agent steps"),
    Column(
        "tokens_k",
        "Tokens",
        -1,
        0,
        _field("prompt_tokens", 1e-3),
        "thousand",
        relative=True,
        bounds=_POSITIVE,
    ),
    _amount("planning_steps", "Planning steps"),
    _amount("model_s", "Model", "s"),
    _amount("world_s", "World", "s"),
    Column(
        "solver_s",
        "Solver",
        -1,
        3,
        _solving("solver_s"),
        "s",
        relative=True,
        bounds=_POSITIVE,
    ),
    _amount("waiting_s", "Waiting", "s"),
    Column(
        "solver_share",
        "Solver share",
        -1,
        3,
        _share("solver_s", "model_s", "world_s"),
        "%",
        bounds=_PERCENT,
    ),
    Column(
        "select_wall_s",
        "Solver, measured",
        -1,
        3,
        _solving("select_wall_s"),
        "s",
        relative=True,
        bounds=_POSITIVE,
        measured=True,
    ),
    Column(
        "select_share",
        "Solver share, measured",
        -1,
        3,
        _share("select_wall_s", "model_s", "world_s"),
        "%",
        bounds=_PERCENT,
        measured=True,
    ),
    _rate("claimed", "Claims success", 0),
    Column("false_claim", "False claim", -1, 2, _false_claim, rate=True, bounds=_UNIT),
    _part("coverage_mentions", "Coverage, reference", 1),
    _part("balance_reference", "Balance, reference", 1),
)

COLUMNS: dict[str, Column] = {column.name: column for column in _ALL}
"""Every column by name."""

PAPER_COLUMNS: tuple[str, ...] = tuple(column.name for column in _ALL[:9])
"""The nine metrics of section 4.1 in the paper's order."""

SPLIT_COLUMNS: tuple[str, ...] = (
    "success",
    "claimed",
    "false_claim",
    "model_s",
    "world_s",
    "solver_s",
    "waiting_s",
    "select_wall_s",
)
"""Claimed against true success, and where the time goes."""
