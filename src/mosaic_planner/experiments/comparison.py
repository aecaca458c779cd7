"""Is A better than B? By how much, how surely, and what it would take to know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mosaic_planner.core.errors import UsageError
from mosaic_planner.experiments.outputs import Results, standin_label
from mosaic_planner.experiments.statistics import (
    Needed,
    PairedDifference,
    needed_episodes,
    paired_difference,
)
from mosaic_planner.experiments.tables import COLUMNS, PAPER_COLUMNS, Column

__all__ = ["Comparison", "Finding", "compare", "comparison_text"]

Figures = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Finding:
    """One figure of A and B. `needed` is set where the difference is not clear."""

    column: Column
    difference: PairedDifference
    needed: Needed | None

    @property
    def verdict(self) -> str:
        """better, worse (A than B), same (every pair equal), or open."""
        d = self.difference
        if d.constant and d.difference == 0:
            return "same"
        if not d.clearly:
            return "open"
        if self.column.better == 0:
            return "different"
        return "better" if d.difference * self.column.better > 0 else "worse"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two rows on the episodes that both have. `alone`: episodes without a partner."""

    a: str
    b: str
    world: str
    findings: tuple[Finding, ...]
    pairs: int
    tasks: int
    alone: int
    labels: tuple[str, ...]


def _index(lines: Iterable[Figures], row: str, axes: Sequence[str]) -> dict[Any, Figures]:
    return {
        (line["world"], line["task"], line["variant"], line["seed"], *(line[a] for a in axes)): line
        for line in lines
        if line["row"] == row
    }


def compare(
    a: Results,
    b: Results,
    *,
    row_a: str | None = None,
    row_b: str | None = None,
    columns: Sequence[str] = PAPER_COLUMNS,
) -> list[Comparison]:
    """Compare rows of two sweeps on the same tasks, seeds and points of shared axes, per world.

    Without names: rows that both have, each with its namesake; or the only row of either. Raises
    `UsageError` where nothing can be paired.
    """
    found: list[Comparison] = []
    for left, right in _rows(a, b, row_a, row_b):
        axes = [name for name in a.suite.vary if name in b.suite.vary]
        ours, theirs = _index(a.lines, left, axes), _index(b.lines, right, axes)
        shared = [key for key in ours if key in theirs]
        if not shared:
            raise UsageError(
                f"no episode of {left!r} has a partner in {right!r}: "
                "comparing needs the same world, tasks and seeds"
            )
        for world in dict.fromkeys(key[0] for key in shared):
            pairs = [(ours[key], theirs[key]) for key in shared if key[0] == world]
            findings = [f for c in columns if (f := _finding(COLUMNS[c], pairs)) is not None]
            total = sum(k[0] == world for k in ours) + sum(k[0] == world for k in theirs)
            found.append(
                Comparison(
                    left,
                    right,
                    world,
                    tuple(findings),
                    len(pairs),
                    len({one["task"] for one, _ in pairs}),
                    total - 2 * len(pairs),
                    tuple(dict.fromkeys(filter(None, map(standin_label, (a.suite, b.suite))))),
                )
            )
    return found


def _rows(a: Results, b: Results, row_a: str | None, row_b: str | None) -> list[tuple[str, str]]:
    have_a = list(dict.fromkeys(line["row"] for line in a.lines))
    have_b = list(dict.fromkeys(line["row"] for line in b.lines))
    for name, have, where in ((row_a, have_a, a.folder), (row_b, have_b, b.folder)):
        if name is not None and name not in have:
            raise UsageError(f"{where} has no row {name!r}; it has {', '.join(have) or 'none'}")
    if row_a is not None or row_b is not None:
        left = row_a or (have_a[0] if len(have_a) == 1 else row_b)
        right = row_b or (have_b[0] if len(have_b) == 1 else row_a)
        if left not in have_a or right not in have_b or left is None or right is None:
            raise UsageError("name both rows: --row-a and --row-b")
        return [(left, right)]
    if len(have_a) == len(have_b) == 1:
        return [(have_a[0], have_b[0])]
    shared = [(row, row) for row in have_a if row in have_b]
    if not shared:
        raise UsageError("the two sweeps share no row; name them with --row-a and --row-b")
    return shared


def _finding(column: Column, pairs: Sequence[tuple[Figures, Figures]]) -> Finding | None:
    values = [(column.of(x), column.of(y), x["task"]) for x, y in pairs]
    known = [(x, y, task) for x, y, task in values if x is not None and y is not None]
    if not known:
        return None
    a, b, tasks = [x for x, _, _ in known], [y for _, y, _ in known], [t for *_, t in known]
    difference = paired_difference(
        a, b, tasks, rate=column.rate, rng=np.random.default_rng(0), bounds=column.bounds
    )
    needed = None
    if not difference.clearly and difference.difference != 0:
        needed = needed_episodes([x - y for x, y, _ in known], tasks)
    return Finding(column, difference, needed)


def _sentence(finding: Finding, comparison: Comparison) -> str:
    column, d, needed = finding.column, finding.difference, finding.needed
    name = column.title + (f" ({column.unit})" if column.unit else "")
    bounds = d.interval
    size = f"{d.difference:+.{column.decimals}f}"
    if bounds.known:
        low, high = (f"{x:+.{column.decimals}f}" for x in (bounds.low, bounds.high))
        size += f" [{low}, {high}]"
    head = f"{name}: {column.format(d.mean_a)} against {column.format(d.mean_b)}, {size}."
    match finding.verdict:
        case "same":
            return f"{head} Equal in every pair."
        case "better" | "worse" as verdict:
            return f"{head} A is {verdict}."
        case "different":
            return f"{head} They differ."
    lean = "higher" if d.difference > 0 else "lower" if d.difference < 0 else "equal"
    if needed is None:
        return f"{head} Not known which is better."
    ways = []
    each = d.pairs / max(1, d.clusters)
    if needed.repeats is not None and needed.repeats > each:
        more = round((needed.repeats - each) * d.clusters)
        ways.append(f"{more} more pairs of episodes on these tasks ({needed.repeats} seeds each)")
    if needed.tasks is not None and needed.tasks > d.clusters:
        ways.append(f"{needed.tasks - d.clusters} more tasks at as many seeds")
    text = (
        f"{head} Not known which is better (A is {lean} so far). To know, if the difference is "
        f"as large as seen: {' or '.join(ways) or 'about as many episodes again'}."
    )
    if needed.repeats is None:
        text += " No number of seeds on these tasks alone is enough, for they differ too much."
    return text


def comparison_text(comparison: Comparison) -> str:
    """Plain words, one sentence or two per figure."""
    c = comparison
    out = [*c.labels, f"A = {c.a}   B = {c.b}   world {c.world}"]
    out.append(f"{c.pairs} pairs of episodes (same task and seed), {c.tasks} tasks.")
    if c.alone:
        out.append(f"{c.alone} episodes have no partner and are left out.")
    if c.tasks < 5:
        out.append("Fewer than five tasks: intervals are very wide.")
    main = next((f for f in c.findings if f.column.name == "success"), None)
    if main is not None:
        word = {
            "better": "A is better: it succeeds more often.",
            "worse": "A is worse: it succeeds less often.",
        }.get(main.verdict, "Neither is known to succeed more often.")
        out.append(word)
    out.append("")
    out += [f"  {_sentence(finding, c)}" for finding in c.findings]
    return "\n".join(out) + "\n"
