"""From results and traces to the paper's figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mosaic_planner.experiments.figures.chart import Chart, Panel, Series, paper_series
from mosaic_planner.experiments.paper.values import PaperValues
from mosaic_planner.experiments.suite import Placement, Suite
from mosaic_planner.experiments.tables import COLUMNS, Column, Entry, Line, Table, method_table
from mosaic_planner.experiments.trends import Trend, mean_trend

__all__ = ["WORLD_TITLES", "axis_panels", "bar_panels", "trend_panels", "trend_table"]

Figures = Mapping[str, Any]

WORLD_TITLES = {"sar": "search and rescue", "household": "household (AI2-THOR tasks)"}
"""Worlds as titles call them."""


def _number(text: str) -> float | str:
    try:
        value = float(text)
    except ValueError:
        return text
    return int(value) if value.is_integer() else value


def _limits(name: str) -> tuple[float, float] | None:
    return (0.0, 1.0) if COLUMNS[name].bounds == (0.0, 1.0) else None


def _series(
    table: Table, paper: PaperValues | None, points: list[str], extra: Sequence[str]
) -> list[Series]:
    """One series per row of a single-column table, and the paper's beside it, there also at the
    `extra` points.
    """
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
            known = points + [point for point in extra if point not in points]
            theirs = tuple(paper.at(label, point, column) for point in known)
            if any(y is not None for y in theirs):
                places = tuple(_number(point) for point in known)
                found.append(Series(f"{label} (paper)", places, theirs, paper=True, colour=index))
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
    elsewhere: bool = False,
) -> list[Panel]:
    """A panel per figure, curves over the one axis of the suite (team size, noise, budget).

    `elsewhere`: the paper's figures also at points that the suite has not.
    """
    axis = next(iter(suite.vary))
    planned = [p for p in placements if p.world == world]
    points = list(dict.fromkeys(dict(p.axis)[axis] for p in planned))
    extra = list(dict.fromkeys(point for _, point in paper.values)) if paper and elsewhere else []
    panels = []
    for column in columns:
        table = method_table(name, suite, lines, placements, world, [column])
        panels.append(
            Panel(
                COLUMNS[column].title,
                axis_title,
                COLUMNS[column].heading,
                tuple(_series(table, paper, points, extra)),
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
    """The same as bars, for an axis without order (models); the paper's own models stand beside."""
    panels = axis_panels(
        name,
        suite,
        lines,
        placements,
        world,
        columns,
        axis_title,
        paper=paper,
        elsewhere=True,
    )
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

    panels = []
    if apart:
        for series, title in names.items():
            found = [curve(label, series, label, i) for i, label in enumerate(wanted)]
            kept = tuple(s for s in found if s is not None)
            panels.append(Panel(title, "Planning step", title, kept, y_limits=limits))
        return panels
    for label in wanted:
        found = [curve(label, series, title, i) for i, (series, title) in enumerate(names.items())]
        kept = tuple(s for s in found if s is not None)
        panels.append(Panel(label, "Planning step", "Cost", kept, y_limits=limits))
    return panels


_READ_AT = (1, 10, 25, 50, 75, 100, 150, 200)


def trend_table(chart: Chart, episodes: Mapping[str, int]) -> Table:
    """The curves of a chart over planning steps, read at some of them: those that the paper names,
    else round ones and the last. `episodes`: how many each row has.
    """
    every = {x for panel in chart.panels for s in panel.series if not s.paper for x in s.x}
    last = max((int(x) for x in every), default=0)
    named = {x for panel in chart.panels for s in panel.series if s.paper for x in s.x}
    steps = sorted(int(x) for x in named or {*(x for x in _READ_AT if x < last), last})
    lines = []
    for panel in chart.panels:
        for series in panel.series:
            if series.paper:
                continue
            own = dict(zip(series.x, series.y, strict=True))
            theirs = paper_series(panel, series)
            entries = tuple(Entry(own.get(step), paper=theirs.get(step)) for step in steps)
            count = episodes.get(series.label, episodes.get(panel.title, 0))
            lines.append(Line(series.label, panel.title, entries, count))
    column = Column("value", "Value", 0, 2, lambda _: None)
    return Table(
        chart.name,
        chart.title,
        (column,) * len(steps),
        tuple(lines),
        chart.notes,
        tuple(f"step {step}" for step in steps),
    )
