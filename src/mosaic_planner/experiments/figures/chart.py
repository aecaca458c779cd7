"""A figure as values: what is plotted, with units and bounds, independent of who draws it."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Literal

__all__ = ["CHART_CSV_COLUMNS", "Chart", "Panel", "Series", "chart_csv", "paper_series"]

CHART_CSV_COLUMNS = ("panel", "series", "x", "y", "low", "high", "paper", "minus_paper", "notes")


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


def paper_series(panel: Panel, series: Series) -> dict[float | str, float]:
    """The paper's figures beside a series of ours, by x."""
    return {
        x: y
        for theirs in panel.series
        if theirs.paper and theirs.label == f"{series.label} (paper)"
        for x, y in zip(theirs.x, theirs.y, strict=True)
        if y is not None
    }


def chart_csv(chart: Chart) -> str:
    """One line per point, full precision, with the paper's figure and the difference."""
    notes = " ".join(chart.notes)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CHART_CSV_COLUMNS)

    def number(value: float | None) -> str:
        return "" if value is None else f"{value:.10g}"

    for panel in chart.panels:
        for series in panel.series:
            if series.paper:
                continue
            theirs = paper_series(panel, series)
            own = dict(zip(series.x, series.y, strict=True))
            low = dict(zip(series.x, series.low, strict=False))
            high = dict(zip(series.x, series.high, strict=False))
            for x in [*own, *(x for x in theirs if x not in own)]:
                y, paper = own.get(x), theirs.get(x)
                gap = None if y is None or paper is None else y - paper
                numbers = [number(v) for v in (y, low.get(x), high.get(x), paper, gap)]
                writer.writerow([panel.title, series.label, x, *numbers, notes])
    return out.getvalue()
