"""From results to tables: averages, intervals, changes against a base, the paper's figures."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

import numpy as np

from mosaic_planner.experiments.paper.values import PaperValues
from mosaic_planner.experiments.statistics import (
    interval_of,
    paired_difference,
    summarise,
    wilson,
)
from mosaic_planner.experiments.suite import Placement, Suite
from mosaic_planner.experiments.tables.columns import COLUMNS, Column
from mosaic_planner.experiments.tables.model import Entry, Line, Table

__all__ = [
    "SUMMARY_COLUMNS",
    "Cells",
    "group_cells",
    "method_table",
    "pivot_table",
    "spread_table",
    "summary_lines",
]

Figures = Mapping[str, Any]
Point = tuple[tuple[str, str], ...]
Cells = dict[tuple[str, Point], list[Figures]]
"""Finished episodes by row and point of the axes."""


def group_cells(lines: Iterable[Figures], suite: Suite, world: str) -> Cells:
    """Results of one world by row and point, in the order of the results."""
    cells: Cells = {}
    for line in lines:
        if line["world"] == world:
            point = tuple((name, str(line[name])) for name in suite.vary)
            cells.setdefault((line["row"], point), []).append(line)
    return cells


def _rng(*parts: str) -> np.random.Generator:
    """A generator of its own for each figure, so that no figure depends on another."""
    return np.random.default_rng(zlib.crc32("|".join(parts).encode()))


def _known(column: Column, episodes: Sequence[Figures]) -> tuple[list[float], list[Figures]]:
    values, kept = [], []
    for episode in episodes:
        value = column.of(episode)
        if value is not None:
            values.append(value)
            kept.append(episode)
    return values, kept


def _entry(column: Column, episodes: Sequence[Figures], *name: str) -> Entry:
    values, kept = _known(column, episodes)
    if not values:
        return Entry()
    interval = interval_of(
        values,
        [episode["task"] for episode in kept],
        rate=column.rate,
        rng=_rng(column.name, *name),
        bounds=column.bounds,
    )
    return Entry(float(np.mean(values)), interval if interval.known else None)


def _pairs(a: Sequence[Figures], b: Sequence[Figures]) -> list[tuple[Figures, Figures]]:
    """Episodes of the same task, variant and seed."""
    others = {(e["task"], e["variant"], e["seed"]): e for e in b}
    found = ((e, others.get((e["task"], e["variant"], e["seed"]))) for e in a)
    return [(e, other) for e, other in found if other is not None]


def _changed(
    column: Column, entry: Entry, episodes: Sequence[Figures], base: Sequence[Figures], *name: str
) -> Entry:
    """The entry with its change against the base, on the pairs that both have."""
    pairs = [
        (x, y, one["task"])
        for one, other in _pairs(episodes, base)
        if (x := column.of(one)) is not None and (y := column.of(other)) is not None
    ]
    if not pairs:
        return entry
    difference = paired_difference(
        [x for x, _, _ in pairs],
        [y for _, y, _ in pairs],
        [task for _, _, task in pairs],
        rate=column.rate,
        rng=_rng("change", column.name, *name),
        bounds=column.bounds,
    )
    change = difference.difference
    if column.relative:
        if difference.mean_b == 0:
            return entry
        change = 100 * change / difference.mean_b
    return replace(entry, change=change, change_clear=difference.clearly)


def _with_best(lines: list[Line], columns: Sequence[Column]) -> list[Line]:
    """Mark the best value, as written, of each group of lines."""
    marked = list(lines)
    for index, column in enumerate(columns):
        if column.better == 0:
            continue
        for group in dict.fromkeys(line.group for line in lines):
            shown = {
                i: round(value, column.decimals)
                for i, line in enumerate(marked)
                if line.group == group and (value := line.entries[index].value) is not None
            }
            if len(set(shown.values())) < 2:
                continue  # one value alone, or all equal: none is better
            best = max(shown.values()) if column.better > 0 else min(shown.values())
            for i, value in shown.items():
                if value == best:
                    entries = list(marked[i].entries)
                    entries[index] = replace(entries[index], best=True)
                    marked[i] = replace(marked[i], entries=tuple(entries))
    return marked


def point_label(point: Point) -> str:
    """A point of the axes in words."""
    return ", ".join(f"{name} {value}" for name, value in point)


def method_table(
    name: str,
    suite: Suite,
    lines: Sequence[Figures],
    placements: Sequence[Placement],
    world: str,
    columns: Sequence[str],
    *,
    title: str = "",
    paper: PaperValues | None = None,
    by: Literal["point", "row"] = "point",
) -> Table:
    """One line per row and point of the axes.

    Grouped by point (or, without axes, by class of methods), or by row: then a group shows one
    method along the axis.
    """
    chosen = tuple(COLUMNS[column] for column in columns)
    cells = group_cells(lines, suite, world)
    planned = [p for p in placements if p.world == world]
    points = list(dict.fromkeys(p.axis for p in planned))
    made: list[Line] = []
    for point in points:
        for row in suite.rows:
            episodes = cells.get((row.label, point), [])
            base = cells.get((row.base, point), []) if row.base else []
            entries = []
            for column in chosen:
                key = (name, world, row.label, point_label(point))
                entry = _entry(column, episodes, *key)
                if base:
                    entry = _changed(column, entry, episodes, base, *key)
                if paper is not None and not row.ours:
                    at = dict(point).get(paper.axis, "") if paper.axis else ""
                    entry = replace(
                        entry,
                        paper=paper.at(row.label, at, column.name),
                        paper_change=paper.change(row.label, column.name),
                    )
                entries.append(entry)
            expected = sum(p.row == row.label and p.axis == point for p in planned)
            made.append(
                Line(
                    label=row.label if by == "point" else point_label(point),
                    group=(point_label(point) or row.group) if by == "point" else row.label,
                    entries=tuple(entries),
                    episodes=len(episodes),
                    tasks=len({e["task"] for e in episodes}),
                    waiting=expected - len(episodes),
                    ours=row.ours,
                    base=row.base,
                )
            )
    if by == "row":
        order = {row.label: i for i, row in enumerate(suite.rows)}
        made.sort(key=lambda line: order[line.group])
    return Table(name, title or suite.title, chosen, tuple(_with_best(made, chosen)))


def pivot_table(
    name: str,
    suite: Suite,
    lines: Sequence[Figures],
    placements: Sequence[Placement],
    world: str,
    column: str,
    *,
    title: str = "",
    paper: PaperValues | None = None,
) -> Table:
    """One line per row, one column per point of the axes, for a single figure (Table 4)."""
    flat = method_table(name, suite, lines, placements, world, [column], title=title, paper=paper)
    groups = list(dict.fromkeys(line.group for line in flat.lines))
    made: list[Line] = []
    for row in suite.rows:
        own = {line.group: line for line in flat.lines if line.label == row.label}
        made.append(
            Line(
                label=row.label,
                group="",
                entries=tuple(
                    replace(own[group].entries[0], best=False) if group in own else Entry()
                    for group in groups
                ),
                episodes=sum(line.episodes for line in own.values()),
                tasks=max((line.tasks for line in own.values()), default=0),
                waiting=sum(line.waiting for line in own.values()),
                ours=row.ours,
                base=row.base,
            )
        )
    columns = (COLUMNS[column],) * len(groups)
    return Table(
        name,
        title or f"{suite.title}: {COLUMNS[column].heading}",
        columns,
        tuple(_with_best(made, columns)),
        column_titles=tuple(groups),
    )


SUMMARY_COLUMNS = (
    "world",
    "row",
    "point",
    "figure",
    "episodes",
    "tasks",
    "mean",
    "low",
    "high",
    "interval",
    "wilson_low",
    "wilson_high",
    "interquartile_mean",
    "median",
    "standard_deviation",
    "variance",
    "repeat_standard_deviation",
    "repeat_variance",
    "notes",
)
"""Columns of a sweep's summary; Wilson's bounds treat episodes as independent."""


def summary_lines(
    name: str, suite: Suite, lines: Sequence[Figures], world: str
) -> list[dict[str, Any]]:
    """Every figure of every row and point with location and spread under their own names."""
    found: list[dict[str, Any]] = []
    for (row, point), episodes in group_cells(lines, suite, world).items():
        for column in COLUMNS.values():
            values, kept = _known(column, episodes)
            if not values:
                continue
            entry = _entry(column, episodes, name, world, row, point_label(point))
            line: dict[str, Any] = {
                "world": world,
                "row": row,
                "point": point_label(point),
                "figure": column.name,
                "episodes": len(values),
                "tasks": len({episode["task"] for episode in kept}),
                **asdict(summarise(values, [episode["seed"] for episode in kept])),
            }
            if entry.interval is not None:
                interval = entry.interval
                line |= {"low": interval.low, "high": interval.high, "interval": interval.method}
            if column.rate:
                plain = wilson(round(sum(values)), len(values))
                line |= {"wilson_low": plain.low, "wilson_high": plain.high}
            found.append(line)
    return found


_SPREADS = {
    "standard deviation over repeats": "repeat_standard_deviation",
    "variance over repeats": "repeat_variance",
    "standard deviation over episodes": "standard_deviation",
    "variance over episodes": "variance",
}


def spread_table(
    name: str,
    suite: Suite,
    lines: Sequence[Figures],
    world: str,
    columns: Sequence[str],
    kinds: Sequence[str],
    *,
    title: str = "",
    paper: PaperValues | None = None,
) -> Table:
    """Spread of each figure by row (Tables 12 and 13).

    `kinds` names one kind of spread per column: "standard deviation over repeats", "variance over
    repeats", or the same over episodes.
    """
    chosen = tuple(
        replace(COLUMNS[column], better=0, decimals=2 if COLUMNS[column].decimals < 2 else 3)
        for column in columns
    )
    cells = group_cells(lines, suite, world)
    made: list[Line] = []
    for row in suite.rows:
        episodes = [e for (label, _), found in cells.items() if label == row.label for e in found]
        entries = []
        for column, kind in zip(chosen, kinds, strict=True):
            values, kept = _known(column, episodes)
            spread = None
            if values:
                summary = summarise(values, [episode["seed"] for episode in kept])
                spread = getattr(summary, _SPREADS[kind])
            known = None if paper is None or row.ours else paper.at(row.label, "", column.name)
            entries.append(Entry(value=spread, paper=known))
        made.append(
            Line(
                label=row.label,
                group=row.group,
                entries=tuple(entries),
                episodes=len(episodes),
                tasks=len({e["task"] for e in episodes}),
                ours=row.ours,
            )
        )
    return Table(name, title or suite.title, chosen, tuple(made))
