"""From a sweep's folder to the tables and charts of an experiment, and their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mosaic_planner.core.errors import MissingExtraError
from mosaic_planner.core.trace import read_trace
from mosaic_planner.experiments.figures import Chart, Panel, Series, chart_csv, save_chart
from mosaic_planner.experiments.figures.build import (
    WORLD_TITLES,
    axis_panels,
    bar_panels,
    trend_panels,
    trend_table,
)
from mosaic_planner.experiments.files import write_atomically
from mosaic_planner.experiments.manifest import Manifest
from mosaic_planner.experiments.paper.experiments import Experiment
from mosaic_planner.experiments.paper.values import PaperValues, paper_values
from mosaic_planner.experiments.results import csv_text
from mosaic_planner.experiments.runner import load_results
from mosaic_planner.experiments.store import Store
from mosaic_planner.experiments.suite import Suite
from mosaic_planner.experiments.tables import (
    COLUMNS,
    PAPER_COLUMNS,
    Entry,
    Line,
    Table,
    latex,
    markdown,
    method_table,
    pivot_table,
    spread_table,
    table_csv,
    text,
)
from mosaic_planner.experiments.tables.build import SUMMARY_COLUMNS, summary_lines
from mosaic_planner.experiments.tables.columns import SPLIT_COLUMNS
from mosaic_planner.experiments.trends import Trend, cost_trend, score_trend

__all__ = [
    "Outputs",
    "Results",
    "build_outputs",
    "is_simulated",
    "standin_label",
    "write_outputs",
    "write_tables",
]

Figures = Mapping[str, Any]

_SCORES = {
    "transport_rate": "Transport rate",
    "balance": "Balance",
    "coverage": "Coverage",
}
_COSTS = {"total": "Total", "penalty": "Penalty", "load": "Load"}
_DEFAULT_STEPS = 100


@dataclass(frozen=True, slots=True)
class Results:
    """A sweep's folder, read."""

    folder: Path
    manifest: Manifest
    lines: Sequence[Figures]

    @classmethod
    def of(cls, folder: str | Path) -> Results:
        """Read a folder; raises `UsageError` if it holds no sweep."""
        manifest, lines = load_results(folder)
        return cls(Path(folder), manifest, lines)

    @property
    def suite(self) -> Suite:
        """The suite as it was run."""
        return self.manifest.suite

    @property
    def worlds(self) -> tuple[str, ...]:
        """Worlds with planned episodes, in the suite's order."""
        return tuple(dict.fromkeys(place.world for place in self.manifest.placements))


@dataclass(frozen=True, slots=True)
class Outputs:
    """What is shown of a sweep."""

    tables: tuple[Table, ...]
    charts: tuple[Chart, ...]
    summary: tuple[dict[str, Any], ...] = ()


def is_simulated(model: str) -> bool:
    """Whether a model name means the stand-in or another model without a language model."""
    return model.startswith(("standin:", "scripted"))


def _models(suite: Suite) -> list[str]:
    default = "standin:careful"
    named = [str(suite.settings.get("model", default))]
    named += [str(part.settings["model"]) for part in suite.worlds if "model" in part.settings]
    named = [str(row.settings["model"]) for row in suite.rows if "model" in row.settings] or named
    if "model" in suite.vary:
        named = [str(value) for value in suite.vary["model"]]
    return list(dict.fromkeys(named))


def standin_label(suite: Suite) -> str:
    """The sentence that stands with everything made with a stand-in; "" without one."""
    simulated = [name for name in _models(suite) if is_simulated(name)]
    if not simulated:
        return ""
    return (
        f"STAND-IN, not a language model: {', '.join(simulated)} (rule-based; simulated times). "
        "Nothing here is a result about a language model."
    )


def _notes(
    results: Results,
    world: str,
    note: str,
    paper: str,
    *,
    changes: bool = True,
    intervals: bool = True,
) -> tuple[str, ...]:
    suite, lines = results.suite, [r for r in results.lines if r["world"] == world]
    notes = [standin_label(suite)]
    if not notes[0]:
        notes = [f"Model: {', '.join(_models(suite))}."]
    tasks = len({line["task"] for line in lines})
    keys = {line["key"] for line in lines}
    notes.append(
        f"World {world}: {len(keys)} episode{'s' * (len(keys) != 1)}, "
        f"{tasks} task{'s' * (tasks != 1)}."
    )
    if intervals:
        some = "Intervals: 95 %, clustered by task."
        notes.append(some if tasks > 1 else "No intervals: they need two tasks or more.")
    if changes:
        notes.append("Changes are against the row's base; * marks a paired interval without zero.")
    planned = {p.key for p in results.manifest.placements if p.world == world}
    if planned - keys:
        notes.append(f"INCOMPLETE: {len(planned - keys)} of {len(planned)} episodes are missing.")
    retried = [line for line in lines if line["attempts"] > 1]
    if retried:
        again = sum(bool(line["success"]) for line in retried) / len(retried)
        once = [bool(line["success"]) for line in lines if line["attempts"] == 1]
        rest = f"{sum(once) / len(once):.2f}" if once else "-"
        notes.append(
            f"Retried after a failing model server: {len(retried)} episodes, success {again:.2f} "
            f"against {rest} of the others."
        )
    if paper:
        notes.append(f"Paper: {paper}{'' if 'GPT-4o' in paper else ' (GPT-4o)'}.")
    if note:
        notes.append(note)
    return tuple(n for n in notes if n)


def build_outputs(
    results: Results,
    experiment: Experiment | None = None,
    worlds: Sequence[str] | None = None,
) -> Outputs:
    """Tables and charts: in the layout of a paper's experiment, or the general one.

    `worlds`: only these; None is all that the sweep has episodes planned in.
    """
    tables: list[Table] = []
    charts: list[Chart] = []
    shown = [world for world in results.worlds if worlds is None or world in worlds]
    for world in shown:
        if experiment is None:
            tables += _general(results, world)
        else:
            made = _laid_out(results, world, experiment)
            tables += [item for item in made if isinstance(item, Table)]
            charts += [item for item in made if isinstance(item, Chart)]
    if experiment is None:
        for world in shown:
            charts += _general_charts(results, world)
    summary = [
        {**line, "notes": standin_label(results.suite)}
        for world in results.worlds  # all: the file is the folder's, not the experiment's
        for line in summary_lines(results.suite.name, results.suite, results.lines, world)
    ]
    return Outputs(tuple(tables), tuple(charts), tuple(summary))


def _in(world: str) -> str:
    return f", {WORLD_TITLES.get(world, world)}"


def _general(results: Results, world: str) -> list[Table]:
    suite, places = results.suite, results.manifest.placements
    notes = _notes(results, world, suite.note, "")
    main = method_table(
        f"{suite.name}-{world}",
        suite,
        results.lines,
        places,
        world,
        PAPER_COLUMNS,
        title=f"{suite.title or suite.name}{_in(world)}",
    )
    split = method_table(
        f"{suite.name}-{world}-time",
        suite,
        results.lines,
        places,
        world,
        SPLIT_COLUMNS,
        title="Claimed and true success; where the time goes (means per episode)" + _in(world),
    )
    return [replace(main, notes=notes), replace(split, notes=notes)]


def _general_charts(results: Results, world: str) -> list[Chart]:
    charts: list[Chart] = []
    suite, places = results.suite, results.manifest.placements
    notes = (standin_label(suite),)
    if not any(line["world"] == world for line in results.lines):
        return charts
    if len(suite.vary) == 1:
        axis = next(iter(suite.vary))
        columns = ("success", "failure_rate", "runtime_s")
        panels = axis_panels(suite.name, suite, results.lines, places, world, columns, axis)
        charts.append(
            Chart(f"{suite.name}-{world}", f"{suite.title}{_in(world)}", tuple(panels), notes)
        )
    trends = _score_panels(results, world)
    charts.append(
        Chart(
            f"{suite.name}-{world}-trends",
            f"{suite.title}{_in(world)}: over steps",
            trends,
            notes,
        )
    )
    return charts


def _steps(suite: Suite) -> int:
    values = [suite.settings.get("steps"), *suite.vary.get("steps", [])]
    return max((int(v) for v in values if v), default=_DEFAULT_STEPS)


def _score_panels(
    results: Results, world: str, rows: Sequence[str] | None = None
) -> tuple[Panel, ...]:
    store = Store(results.folder)
    done = {line["key"] for line in results.lines}

    def trend(key: str) -> Trend | None:
        return score_trend(read_trace(store.trace(key))) if key in done else None

    return tuple(
        trend_panels(
            results.suite,
            results.manifest.placements,
            world,
            _SCORES,
            trend,
            first=0,
            carry_to=_steps(results.suite),
            limits=(0.0, 1.0),
            rows=rows,
        )
    )


def _cost_panels(results: Results, world: str) -> tuple[Panel, ...]:
    store = Store(results.folder)
    done = {line["key"] for line in results.lines}

    def trend(key: str) -> Trend | None:
        return cost_trend(read_trace(store.trace(key))) if key in done else None

    panels = trend_panels(
        results.suite,
        results.manifest.placements,
        world,
        _COSTS,
        trend,
        first=1,
        carry_to=None,
        limits=None,
        apart=False,
    )
    paper = paper_values("fig8", world)
    if paper is None:
        return tuple(panels)
    steps = sorted({point for _, point in paper.values}, key=int)
    row = next(iter(paper.values))[0]
    theirs = tuple(
        Series(
            f"{title} (paper)",
            tuple(int(step) for step in steps),
            tuple(paper.at(row, step, name) for step in steps),
            paper=True,
            colour=index,
        )
        for index, (name, title) in enumerate(_COSTS.items())
    )
    return tuple(
        replace(panel, series=panel.series + theirs) if panel.title.endswith(row) else panel
        for panel in panels
    )


def _laid_out(results: Results, world: str, experiment: Experiment) -> list[Table | Chart]:
    suite, places, lines = results.suite, results.manifest.placements, results.lines
    paper = paper_values(experiment.paper or experiment.name, world)
    source = paper.source if paper else ""
    note = experiment.note_for(world)
    notes = _notes(results, world, note, source)
    name, title = f"{experiment.name}-{world}", f"{_caption(experiment)}{_in(world)}"
    match experiment.layout:
        case "methods" | "along":
            table = method_table(
                name,
                suite,
                lines,
                places,
                world,
                experiment.columns,
                title=title,
                paper=paper,
                by="row" if experiment.layout == "along" else "point",
            )
            return [replace(table, notes=notes)]
        case "pivot":
            return [
                replace(
                    pivot_table(
                        f"{name}-{column}", suite, lines, places, world, column, paper=paper
                    ),
                    title=f"{title}, ({letter}) {COLUMNS[column].heading}",
                    notes=notes,
                )
                for letter, column in zip("abc", experiment.columns, strict=False)
            ]
        case "spread":
            kinds = ["standard deviation over repeats"] * 5 + ["variance over repeats"] * 4
            table = spread_table(
                name, suite, lines, world, experiment.columns, kinds, title=title, paper=paper
            )
            notes = _notes(results, world, note, source, changes=False, intervals=False)
            return [replace(table, notes=notes)]
        case "curves":
            panels = axis_panels(
                name,
                suite,
                lines,
                places,
                world,
                experiment.columns,
                experiment.axis_title,
                paper=paper,
            )
        case "bars":
            panels = bar_panels(
                name,
                suite,
                lines,
                places,
                world,
                experiment.columns,
                experiment.axis_title,
                paper=paper,
            )
        case "score trends":
            panels = list(_score_panels(results, world, experiment.rows or None))
        case "cost trends":
            panels = list(_cost_panels(results, world))
    trends = experiment.layout in ("score trends", "cost trends")
    quiet = _notes(results, world, note, source, changes=False, intervals=not trends)
    chart = Chart(name, title, tuple(panels), quiet)
    if trends:
        counts = Counter(line["row"] for line in lines if line["world"] == world)
        return [trend_table(chart, counts), chart]
    table = method_table(
        name, suite, lines, places, world, experiment.columns, title=title, paper=paper
    )
    if experiment.layout == "bars" and paper is not None:
        table = _with_points_of(paper, table)
    return [replace(table, notes=notes), chart]


def _with_points_of(paper: PaperValues, table: Table) -> Table:
    """The table with lines for points that only the paper has (its models)."""
    there = {line.group for line in table.lines}
    added = []
    for point in dict.fromkeys(point for _, point in paper.values):
        group = f"{paper.axis} {point}"
        rows = [row for row, p in paper.values if p == point and group not in there]
        for row in rows:
            found = [Entry(paper=paper.at(row, point, c.name)) for c in table.columns]
            added.append(Line(row, group, tuple(found)))
    return replace(table, lines=(*table.lines, *added))


def _caption(experiment: Experiment) -> str:
    kind = "Figure" if experiment.name.startswith("fig") else "Table"
    number = "".join(c for c in experiment.name if c.isdigit())
    return f"{kind} {number}: {experiment.title}"


def write_tables(tables: Sequence[Table], folder: Path) -> list[Path]:
    """Write each table below `folder`/tables as text, CSV, Markdown and LaTeX; the files."""
    written: list[Path] = []
    for table in tables:
        for suffix, content in (
            ("txt", text(table)),
            ("csv", table_csv(table)),
            ("md", markdown(table)),
            ("tex", latex(table)),
        ):
            path = folder / "tables" / f"{table.name}.{suffix}"
            write_atomically(path, content.encode())
            written.append(path)
    return written


def write_outputs(outputs: Outputs, folder: Path) -> tuple[list[Path], tuple[str, ...]]:
    """Write every table (txt, csv, md, tex), chart (csv, png, svg) and `summary.csv` below
    `folder`.

    Returns the files and notes for the user, such as a missing extra.
    """
    written = write_tables(outputs.tables, folder)
    summary = folder / "summary.csv"
    write_atomically(summary, csv_text(outputs.summary, SUMMARY_COLUMNS).encode())
    written.append(summary)
    for chart in outputs.charts:
        data = folder / "figures" / f"{chart.name}.csv"
        write_atomically(data, chart_csv(chart).encode())
        written.append(data)
    for chart in outputs.charts:
        try:
            written += save_chart(chart, folder / "figures")
        except MissingExtraError as error:
            return written, (str(error),)
    return written, ()
