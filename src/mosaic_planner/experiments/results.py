"""One line of results per episode, derived from its trace; results as CSV and Parquet.

Wall-clock figures of this machine are kept apart (`timings.csv`), so that `results.csv` is equal
for equal sweeps, however often they were interrupted.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from mosaic_planner.core.errors import MissingExtraError
from mosaic_planner.core.trace import Trace
from mosaic_planner.experiments.suite import Placement
from mosaic_planner.metrics import Metrics, measure

__all__ = [
    "METRIC_FIELDS",
    "PLACE_FIELDS",
    "WALL_FIELDS",
    "Row",
    "csv_text",
    "episode_row",
    "placed",
    "write_parquet",
]

Row = dict[str, Any]
"""Figures of one episode by name; JSON values."""

METRIC_FIELDS: tuple[str, ...] = (
    *(f.name for f in fields(Metrics)),
    "claimed",
    "cost_usd",
    "model",
    "simulated",
)
"""Figures of an episode that are the same on every machine, in the order of the columns."""

WALL_FIELDS: tuple[str, ...] = ("episode_wall_s", "select_wall_s", "call_wall_s")
"""Measured on the machine that ran the episode: all of it, choosing joint actions, model calls."""

PLACE_FIELDS: tuple[str, ...] = ("row", "world", "task", "variant", "seed", "key", "attempts")


def _claimed(trace: Trace) -> bool:
    """Whether at some joint step every agent said that the task is finished."""
    return any(
        bool(event["agents"]) and all(o["ends"] for o in event["agents"].values())
        for event in trace.of("outcome")
    )


def _cost(trace: Trace) -> float | None:
    """What the calls cost in USD; None if a call was unpriced (never silently 0)."""
    total = 0.0
    for call in trace.of("call"):
        cost = call.get("cost_usd")
        if not isinstance(cost, int | float):
            return None
        total += cost
    return round(total, 8)


def episode_row(trace: Trace, metrics: Metrics | None = None) -> Row:
    """Everything the tables use, from one finished trace (`metrics` if measured already)."""
    row: Row = (metrics or measure(trace)).as_dict()
    row["claimed"] = _claimed(trace)
    row["cost_usd"] = _cost(trace)
    row["model"] = trace.header["model"]
    row["simulated"] = bool(trace.header.get("simulated", False))  # a stand-in's, not an LLM's
    last = trace.events[-1]
    row["episode_wall_s"] = round(float(last.get("wall", {}).get("total_s", 0.0)), 6)
    row["select_wall_s"] = _wall_sum(trace, "assignment", "select_s")
    row["call_wall_s"] = _wall_sum(trace, "call", "call_s")
    return row


def _wall_sum(trace: Trace, event: str, name: str) -> float:
    total: float = sum(e.get("wall", {}).get(name, 0.0) for e in trace.of(event))
    return round(total, 6)


def placed(
    placements: Sequence[Placement], rows: Mapping[str, Row], attempts: Mapping[str, int]
) -> list[Row]:
    """One line per finished placement, in the suite's order."""
    lines: list[Row] = []
    for place in placements:
        row = rows.get(place.key)
        if row is None:
            continue
        where = {
            "row": place.row,
            **dict(place.axis),
            "world": place.world,
            "task": place.task,
            "variant": place.variant,
            "seed": place.seed,
            "key": place.key,
            "attempts": attempts.get(place.key, 0) + 1,
        }
        lines.append({**row, **where})
    return lines


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, dict | list):
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    return "" if value is None else value


def csv_text(lines: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """CSV with a header; truth values as 0 and 1, nothing for unknown values."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_plain(line.get(column)) for column in columns] for line in lines)
    return out.getvalue()


def write_parquet(lines: Sequence[Mapping[str, Any]], columns: Sequence[str], path: Path) -> None:
    """The same table as Parquet; raises `MissingExtraError` without the extra."""
    try:
        from arro3.core import Array, DataType, Table
        from arro3.io import write_parquet as write
    except ImportError:
        raise MissingExtraError("parquet", "results as Parquet") from None

    def column(name: str) -> Any:
        values = [line.get(name) for line in lines]
        known = [value for value in values if value is not None]
        if known and all(isinstance(value, bool) for value in known):
            return Array(values, DataType.bool())
        if known and all(isinstance(v, int) and not isinstance(v, bool) for v in known):
            return Array(values, DataType.int64())
        if known and all(isinstance(v, int | float) and not isinstance(v, bool) for v in known):
            return Array([None if v is None else float(v) for v in values], DataType.float64())
        texts = [None if v is None else str(_plain(v)) for v in values]
        return Array(texts, DataType.string())

    write(Table.from_pydict({name: column(name) for name in columns}), str(path))
