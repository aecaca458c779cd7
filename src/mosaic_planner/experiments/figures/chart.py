"""A figure as values: what is plotted, with units and bounds, independent of who draws it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Chart", "Panel", "Series"]


@dataclass(frozen=True, slots=True)
class Series:
    """One curve or one set of bars.

    `x`: numbers, or labels of evenly spaced points. `low` and `high`: interval at each point,
    empty if there is none. `paper`: the paper's own figures, drawn apart.
    """

    label: str
    x: tuple[float | str, ...]
    y: tuple[float | None, ...]
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()
    paper: bool = False
    colour: int = 0


@dataclass(frozen=True, slots=True)
class Panel:
    """One pair of axes. `y_limits`: fixed bounds of rates, or None for those of the data."""

    title: str
    x_title: str
    y_title: str
    series: tuple[Series, ...]
    kind: Literal["line", "bar"] = "line"
    y_limits: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure of one or more panels. `notes` stand below it, always."""

    name: str
    title: str
    panels: tuple[Panel, ...]
    notes: tuple[str, ...] = ()
