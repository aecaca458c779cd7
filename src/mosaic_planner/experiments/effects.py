"""What each row of a sweep changes against its base: paired, with intervals, beside the paper.

Two tables per world. Levels: every row's own figures. Effects: row minus base over the episodes of
the same task, seed and point of the axes, at every point and over all of them; amounts (calls,
steps, seconds) in percent of the base, as the paper has them. Intervals are clustered by task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mosaic_planner.core.errors import UsageError
from mosaic_planner.experiments.comparison import Finding, compare
from mosaic_planner.experiments.outputs import Results, standin_label
from mosaic_planner.experiments.paper.values import PaperValues, paper_values
from mosaic_planner.experiments.statistics import Interval
from mosaic_planner.experiments.suite import Row, Suite
from mosaic_planner.experiments.tables import COLUMNS, Column, Entry, Line, Table, method_table

__all__ = ["EFFECT_COLUMNS", "Effect", "effect_tables", "effects"]

EFFECT_COLUMNS = (
    "success",
    "transport_rate",
    "failure_rate",
    "llm_calls",
    "planning_steps",
    "agent_steps",
    "runtime_s",
)
_PAPER_TABLES = ("table2", "table3", "table4")  # the first that has a figure counts
_PAPER_AGENTS = 2  # team size of Table 2
_ALL = "all"

Figures = Mapping[str, Any]
Point = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Difference(Column):
    """A figure of differences: always with its sign."""

    def format(self, value: float | None) -> str:
        return "-" if value is None else f"{value:+.{self.decimals}f}"


@dataclass(frozen=True, slots=True)
class Effect:
    """One figure of a row against its base in one world.

    `point`: of the axes, () for all points together. `value`, `interval` and `paper` are
    differences: percent of the base's mean if the column is relative, else in its own unit.
    `clear`: the interval leaves zero out. `verdict`: better, worse, same, different or open.
    """

    row: str
    base: str
    world: str
    point: Point
    column: str
    value: float
    interval: Interval | None
    clear: bool
    verdict: str
    pairs: int
    tasks: int
    paper: float | None = None

    def fields(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "row": self.row,
            "base": self.base,
            "world": self.world,
            "point": dict(self.point),
            "figure": self.column,
            "percent": COLUMNS[self.column].relative,
            "difference": self.value,
            "low": self.interval.low if self.interval else None,
            "high": self.interval.high if self.interval else None,
            "verdict": self.verdict,
            "pairs": self.pairs,
            "tasks": self.tasks,
            "paper": self.paper,
        }


def _paper_at(world: str, row: str, agents: str, column: str) -> tuple[float, str] | None:
    """The paper's figure at a team size, and the table that it stands in."""
    for name in _PAPER_TABLES:
        values = paper_values(name, world)
        if values is None or (not values.axis and agents != str(_PAPER_AGENTS)):
            continue
        found = values.at(row, agents if values.axis else "", column)
        if found is not None:
            return found, name
    return None


def _paper_change(world: str, row: Row, agents: str, column: Column) -> float | None:
    """The paper's change of a row against its base, stated or from two figures of one table."""
    if agents == str(_PAPER_AGENTS):
        stated = paper_values("table2", world)
        change = stated.change(row.label, column.name) if stated else None
        if change is not None:
            return change
    ours = _paper_at(world, row.label, agents, column.name)
    theirs = _paper_at(world, row.base, agents, column.name)
    if ours is None or theirs is None or ours[1] != theirs[1]:
        return None
    change = ours[0] - theirs[0]
    return 100 * change / theirs[0] if column.relative else change


def _of(
    row: Row, world: str, point: Point, finding: Finding, pairs: int, tasks: int
) -> Effect | None:
    d, column = finding.difference, finding.column
    scale = 1.0
    if column.relative:
        if d.mean_b == 0:
            return None
        scale = 100 / d.mean_b
    interval = None
    if d.interval.known:
        interval = replace(d.interval, low=scale * d.interval.low, high=scale * d.interval.high)
    agents = dict(point).get("agents", "")
    return Effect(
        row.label,
        row.base,
        world,
        point,
        column.name,
        scale * d.difference,
        interval,
        d.clearly,
        finding.verdict,
        pairs,
        tasks,
        _paper_change(world, row, agents, column) if agents else None,
    )


def effects(results: Results, columns: Sequence[str] = EFFECT_COLUMNS) -> list[Effect]:
    """Every row with a base against it, in the suite's order: each point, then all together.

    Raises `UsageError` if no row has a base or none of the pairs is finished.
    """
    if not any(row.base for row in results.suite.rows):
        raise UsageError(f"no row of suite {results.suite.name!r} has a base to be compared with")
    found = [effect for row in results.suite.rows for effect in _effects_of(results, row, columns)]
    if not found:
        raise UsageError(f"{results.folder} has no finished episode together with its base's")
    return found


def _effects_of(results: Results, row: Row, columns: Sequence[str]) -> Iterator[Effect]:
    axes = tuple(results.suite.vary)
    points: dict[Point, list[Figures]] = {}
    for line in results.lines:
        if line["row"] in (row.label, row.base):
            point = tuple((name, str(line[name])) for name in axes)
            points.setdefault(point, []).append(line)
    order = {p.axis: i for i, p in enumerate(results.manifest.placements)}
    chosen = sorted(points.items(), key=lambda item: order.get(item[0], 0)) if axes else []
    chosen.append(((), [line for lines in points.values() for line in lines]))
    for point, lines in chosen:
        if {line["row"] for line in lines} != {row.label, row.base}:
            continue
        part = replace(results, lines=lines)
        try:
            made = compare(part, part, row_a=row.label, row_b=row.base, columns=columns)
        except UsageError:  # nothing of this point can be paired yet
            continue
        for one in made:
            for finding in one.findings:
                effect = _of(row, one.world, point, finding, one.pairs, one.tasks)
                if effect is not None:
                    yield effect


def _levels_paper(suite: Suite, world: str) -> PaperValues | None:
    """The paper's figures of this suite's rows by team size, gathered from its tables."""
    values: dict[tuple[str, str], dict[str, float]] = {}
    for row in suite.rows:
        for agents in suite.vary.get("agents", ()):
            point = str(agents)
            figures = {
                column: found[0]
                for column in EFFECT_COLUMNS
                if (found := _paper_at(world, row.label, point, column)) is not None
            }
            if figures:
                values[row.label, point] = figures
    if not values:
        return None
    return PaperValues("Tables 2, 3 and 4", "agents", values, {})


def effect_tables(results: Results) -> list[Table]:
    """Levels and effects of every world, ready to be written; raises as `effects` does."""
    found = effects(results)
    tables: list[Table] = []
    suite = results.suite
    # Mosaic rows stand beside the paper's although they may use our costs: a note says so.
    plain = suite.model_copy(
        update={"rows": [row.model_copy(update={"ours": False}) for row in suite.rows]}
    )
    for world in dict.fromkeys(effect.world for effect in found):
        paper = _levels_paper(suite, world)
        notes = [standin_label(suite), "Intervals: 95 %, clustered by task."]
        if paper is not None:
            notes.append(
                f"Paper: {paper.source} (GPT-4o), 2 agents from Table 2, more from Tables 3 and 4."
            )
        if any(row.ours for row in suite.rows):
            notes.append("Rows with Mosaic parts use our default costs and safe candidates.")
        name = f"{suite.name}-{world}"
        levels = method_table(
            f"{name}-levels",
            plain,
            results.lines,
            results.manifest.placements,
            world,
            EFFECT_COLUMNS,
            title=f"{suite.title}: levels ({world})",
            paper=paper,
            by="row",
        )
        here = [effect for effect in found if effect.world == world]
        told = "Between asterisks (bold): the paired interval leaves zero out."
        tables += [
            replace(levels, notes=tuple(n for n in notes if n)),
            replace(_effect_table(name, suite, here), notes=tuple(n for n in (*notes, told) if n)),
        ]
    return tables


def _effect_table(name: str, suite: Suite, found: Sequence[Effect]) -> Table:
    columns = tuple(_column(COLUMNS[c]) for c in EFFECT_COLUMNS)
    lines: dict[tuple[str, Point], dict[str, Effect]] = {}
    for effect in found:
        lines.setdefault((effect.row, effect.point), {})[effect.column] = effect
    made = []
    for (row, point), cells in lines.items():
        first = next(iter(cells.values()))
        entries = tuple(
            Entry(e.value, e.interval, best=e.clear, paper=e.paper)
            if (e := cells.get(column.name)) is not None
            else Entry()
            for column in columns
        )
        made.append(
            Line(
                label=", ".join(f"{key} {value}" for key, value in point) or _ALL,
                group=f"{row} minus {first.base}",
                entries=entries,
                episodes=first.pairs,
                tasks=first.tasks,
                base=first.base,
            )
        )
    title = f"{suite.title}: row minus its base, paired ({found[0].world})"
    return Table(f"{name}-effects", title, columns, tuple(made))


def _column(column: Column) -> _Difference:
    return _Difference(
        column.name,
        column.title,
        column.better,
        1 if column.relative else column.decimals,
        column.of,
        "%" if column.relative else column.unit,
    )
