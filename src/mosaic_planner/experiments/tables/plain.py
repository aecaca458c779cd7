"""Tables as text for the terminal, as Markdown, and as CSV with one line per figure."""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Sequence

from mosaic_planner.experiments.tables.columns import Column
from mosaic_planner.experiments.tables.model import Entry, Line, Table

__all__ = ["change_text", "markdown", "sub_lines", "table_csv", "text"]

CSV_COLUMNS = (
    "table",
    "group",
    "line",
    "ours",
    "figure",
    "point",
    "value",
    "low",
    "high",
    "interval",
    "base",
    "change",
    "change_clear",
    "best",
    "paper",
    "minus_paper",
    "episodes",
    "tasks",
    "waiting",
    "paper_change",
    "notes",
)


def change_text(column: Column, change: float | None) -> str:
    """A change with its sign, in percent where the column is relative."""
    if change is None:
        return ""
    return f"{change:+z.1f}%" if column.relative else f"{change:+z.{column.decimals}f}"


def _value(column: Column, entry: Entry, bold: tuple[str, str], changes: bool) -> str:
    shown = column.format(entry.value)
    if entry.best:
        shown = f"{bold[0]}{shown}{bold[1]}"
    if changes:
        return shown
    change = change_text(column, entry.change)
    return f"{shown} ({change}{'*' if entry.change_clear else ''})" if change else shown


def sub_lines(
    line: Line, columns: Sequence[Column], *, changes: bool = False
) -> list[tuple[str, list[str]]]:
    """What stands under a line: interval, the paper's figures, ours minus the paper's (in brackets
    of changes, where the paper states only those); and the change against the base where it has no
    place beside the value.
    """
    found: list[tuple[str, list[str]]] = []
    pairs = list(zip(columns, line.entries, strict=True))
    if changes and any(e.change is not None for _, e in pairs):
        cells = [change_text(c, e.change) + "*" * e.change_clear for c, e in pairs]
        found.append((f"change to {line.base}", cells))
    if any(e.interval for _, e in pairs):
        cells = [
            f"{c.format(e.interval.low)}..{c.format(e.interval.high)}" if e.interval else ""
            for c, e in pairs
        ]
        found.append(("95 % interval", cells))
    if any(e.paper is not None or e.paper_change is not None for _, e in pairs):
        cells = []
        for c, e in pairs:
            if e.paper is not None:
                cells.append(c.format(e.paper))
            else:
                cells.append(
                    change_text(c, e.paper_change) and f"({change_text(c, e.paper_change)})"
                )
        found.append(("paper", cells))
    if any(e.gap is not None or e.change_gap is not None for _, e in pairs):
        cells = []
        for c, e in pairs:
            if e.gap is not None:
                cells.append(f"{e.gap:+z.{c.decimals}f}")
            else:
                cells.append(change_text(c, e.change_gap) and f"({change_text(c, e.change_gap)})")
        found.append(("here - paper", cells))
    return found


def _rows(table: Table, bold: tuple[str, str], *, changes: bool) -> list[tuple[str, list[str]]]:
    """(kind, cells) per printed line; kinds are group, line and sub. `changes`: on a line of
    their own.
    """
    rows: list[tuple[str, list[str]]] = []
    group = ""
    for line in table.lines:
        if line.group != group:
            group = line.group
            rows.append(("group", [group]))
        label = line.label
        count = str(line.episodes) if not line.waiting else f"{line.episodes} (+{line.waiting})"
        pairs = zip(table.columns, line.entries, strict=True)
        cells = [_value(c, e, bold, changes) for c, e in pairs]
        rows.append(("line", [label, count, *cells]))
        for name, extra in sub_lines(line, table.columns, changes=changes):
            rows.append(("sub", [f"  {name}", "", *extra]))
    return rows


def _heads(table: Table) -> list[str]:
    return ["Method", "n", *(table.heading(i) for i in range(len(table.columns)))]


def text(table: Table) -> str:
    """For the terminal: best values between asterisks, columns aligned."""
    heads = _heads(table)
    rows = _rows(table, ("*", "*"), changes=True)
    lines = [cells for kind, cells in rows if kind != "group"]
    splits = [textwrap.wrap(head, 11, break_long_words=False) for head in heads]
    high = max(len(split) for split in splits)
    splits = [[*split, *[""] * (high - len(split))] for split in splits]
    widths = [
        max(*(len(part) for part in splits[i]), *(len(cells[i]) for cells in lines), 0)
        for i in range(len(heads))
    ]

    def one(cells: Sequence[str]) -> str:
        first = cells[0].ljust(widths[0])
        return "  ".join([first, *(c.rjust(w) for c, w in zip(cells[1:], widths[1:], strict=True))])

    total = sum(widths) + 2 * (len(widths) - 1)
    out = [table.title, "=" * min(total, max(len(table.title), 20))]
    out += [one([split[i] for split in splits]).rstrip() for i in range(high)]
    out.append("-" * total)
    for kind, cells in rows:
        out.append(f"-- {cells[0]}" if kind == "group" else one(cells).rstrip())
    out += ["", *(part for note in table.notes for part in textwrap.wrap(note, max(total, 60)))]
    return "\n".join(out).rstrip() + "\n"


def _escape(cell: str) -> str:
    return cell.replace("|", "\\|").replace("<", "&lt;")


def markdown(table: Table) -> str:
    """A Markdown table; best values bold."""
    heads = _heads(table)
    out = [f"### {_escape(table.title)}", ""]
    out.append("| " + " | ".join(_escape(h) for h in heads) + " |")
    out.append("| --- |" + " ---: |" * (len(heads) - 1))
    for kind, cells in _rows(table, ("**", "**"), changes=False):
        if kind == "group":
            cells = [f"*{cells[0]}*", *[""] * (len(heads) - 1)]
        elif kind == "sub":
            cells = [f"&emsp;{cells[0].strip()}", *cells[1:]]
        out.append("| " + " | ".join(_escape(c).replace("&lt;", "<") for c in cells) + " |")
    out += ["", *(f"{note}  " for note in table.notes)]
    return "\n".join(out).rstrip() + "\n"


def table_csv(table: Table) -> str:
    """One line per figure, full precision, with intervals and the paper's figures."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)

    def number(value: float | None) -> str:
        return "" if value is None else f"{value:.10g}"

    for line in table.lines:
        for index, (column, entry) in enumerate(zip(table.columns, line.entries, strict=True)):
            interval = entry.interval
            writer.writerow(
                [
                    table.name,
                    line.group,
                    line.label,
                    int(line.ours),
                    column.name,
                    table.column_titles[index] if table.column_titles else "",
                    number(entry.value),
                    number(interval.low if interval else None),
                    number(interval.high if interval else None),
                    interval.method if interval else "",
                    line.base,
                    number(entry.change),
                    int(entry.change_clear) if entry.change is not None else "",
                    int(entry.best),
                    number(entry.paper),
                    number(entry.gap),
                    line.episodes,
                    line.tasks,
                    line.waiting,
                    number(entry.paper_change),
                    " ".join(table.notes),
                ]
            )
    return out.getvalue()
