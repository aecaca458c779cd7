"""From results and traces to the paper's figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mosaic_planner.experiments.figures.chart import Panel, Series
from mosaic_planner.experiments.paper.values import PaperValues
from mosaic_planner.experiments.suite import Placement, Suite
from mosaic_planner.experiments.tables import COLUMNS, Table, method_table
from mosaic_planner.experiments.trends import Trend, mean_trend

__all__ = ["axis_panels", "bar_panels", "trend_panels"]

Figures = Mapping[str, Any]

WORLD_TITLES = {"sar": "Search and rescue", "household": "Household (AI2-THOR tasks)"}


def _number(text: str) -> float | str:
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if value.is_integer() else value


def _limits(name: str) -> tuple[float, float] | None:
    return (0.0, 1.0) if COLUMNS[name].bounds == (0.0, 1.0) else None


def _series(table: Table, paper: PaperValues | None, points: list[str]) -> list[Series]:
    """One series per row of a single-column table, and the paper's beside it."""
    column = table.columns[0].name
    labels = list(dict.fromkeys(line.label for line in table.lines))
    found: list[Series] = []
    for index, label in enumerate(labels):
        own = [line for line in table.lines if line.label == label]
        x = tuple(_number(point) for point in points)
        entries = [line.entries[0] for line in own]
        found.append(
            Series(
                label,
                x,
                tuple(e.value for e in entries),
                tuple(e.interval.low if e.interval else None for e in entries),
                tuple(e.interval.high if e.interval else None for e in entries),
                colour=index,
            )
        )
        ours = any(line.ours for line in own)
        if paper is not None and not ours:
            theirs = tuple(paper.at(label, point, column) for point in points)
            if any(y is not None for y in theirs):
                found.append(Series(f"{label} (paper)", x, theirs, paper=True, colour=index))
    return found


def axis_panels(
    name: str,
    suite: Suite,
    lines: Sequence[Figures],
    placements: Sequence[Placement],
    world: str,
    columns: Sequence[str],
    axis_title: str,
    *,
    paper: PaperValues | None = None,
) -> list[Panel]:
    """A panel per figure, curves over the one axis of the suite (team size, noise, budget)."""
    axis = next(iter(suite.vary))
    planned = [p for p in placements if p.world == world]
    points = list(dict.fromkeys(dict(p.axis)[axis] for p in planned))
    panels = []
    for column in columns:
        table = method_table(name, suite, lines, placements, world, [column])
        panels.append(
            Panel(
                f"{WORLD_TITLES.get(world, world)}: {COLUMNS[column].title.lower()}",
                axis_title,
                COLUMNS[column].heading,
                tuple(_series(table, paper, points)),
                y_limits=_limits(column),
            )
        )
    return panels


def bar_panels(
    name: str,
    suite: Suite,
    lines: Sequence[Figures],
    placements: Sequence[Placement],
    world: str,
    columns: Sequence[str],
    axis_title: str,
    *,
    paper: PaperValues | None = None,
) -> list[Panel]:
    """The same as bars, for an axis without order (models)."""
    panels = axis_panels(name, suite, lines, placements, world, columns, axis_title, paper=paper)
    return [Panel(p.title, p.x_title, p.y_title, p.series, "bar", p.y_limits) for p in panels]


def trend_panels(
    suite: Suite,
    placements: Sequence[Placement],
    world: str,
    names: Mapping[str, str],
    trend_of: Callable[[str], Trend | None],
    *,
    first: int,
    carry_to: int | None,
    limits: tuple[float, float] | None,
    rows: Sequence[str] | None = None,
    apart: bool = True,
) -> list[Panel]:
    """Means over planning steps.

    `names`: series to their titles with units. `trend_of` gives an episode's trend by key, None
    if it is not finished. `apart`: one panel per series with a curve per row; otherwise one panel
    per row with a curve per series.
    """
    planned = [p for p in placements if p.world == world]
    wanted = [row.label for row in suite.rows if rows is None or row.label in rows]
    trends: dict[str, list[Trend]] = {label: [] for label in wanted}
    for place in planned:
        if place.row in trends:
            trend = trend_of(place.key)
            if trend is not None:
                trends[place.row].append(trend)

    def curve(label: str, series: str, title: str, colour: int) -> Series | None:
        mean = mean_trend(
            [trend[series] for trend in trends[label]], first=first, carry_to=carry_to
        )
        if mean is None:
            return None
        return Series(
            title,
            tuple(int(step) for step in mean.steps),
            tuple(float(value) for value in mean.mean),
            colour=colour,
        )

    where = WORLD_TITLES.get(world, world)
    panels = []
    if apart:
        for series, title in names.items():
            found = [curve(label, series, label, i) for i, label in enumerate(wanted)]
            kept = tuple(s for s in found if s is not None)
            panels.append(
                Panel(f"{where}: {title.lower()}", "Planning step", title, kept, y_limits=limits)
            )
        return panels
    for label in wanted:
        found = [curve(label, series, title, i) for i, (series, title) in enumerate(names.items())]
        kept = tuple(s for s in found if s is not None)
        panels.append(Panel(f"{where}: {label}", "Planning step", "Cost", kept, y_limits=limits))
    return panels
