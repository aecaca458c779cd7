"""The paper's own figures, by experiment, world, row, point of the axis and column."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

__all__ = ["PaperValues", "paper_values"]


@dataclass(frozen=True, slots=True)
class PaperValues:
    """What the paper reports of one experiment in one world. `source` says where."""

    source: str
    axis: str
    values: dict[tuple[str, str], dict[str, float]]
    differences: dict[str, dict[str, float]]

    def at(self, row: str, point: str, column: str) -> float | None:
        """A figure, or None if the paper has none. `point` is the axis' label, "" without one."""
        return self.values.get((row, point), {}).get(column)

    def change(self, row: str, column: str) -> float | None:
        """The change against the row's base that the paper states where it gives no value."""
        return self.differences.get(row, {}).get(column)


def _named(columns: list[str], numbers: list[float]) -> dict[str, float]:
    pairs = zip(columns, numbers, strict=False)
    return {name: float(x) for name, x in pairs if not math.isnan(x)}


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    text = (files("mosaic_planner.experiments.paper") / "values.toml").read_text("utf-8")
    return tomllib.loads(text)


def paper_values(experiment: str, world: str) -> PaperValues | None:
    """The paper's figures of a table or figure in a world, or None if it has none we know."""
    raw = _table().get(experiment, {}).get(world)
    if raw is None:
        return None
    columns = raw["columns"]
    values: dict[tuple[str, str], dict[str, float]] = {}
    for row, entry in raw["rows"].items():
        points = entry if isinstance(entry, dict) else {"": entry}
        for point, numbers in points.items():
            values[row, point] = _named(columns, numbers)
    changes = raw.get("differences", {"columns": [], "rows": {}})
    differences = {row: _named(changes["columns"], n) for row, n in changes["rows"].items()}
    return PaperValues(raw["source"], raw.get("axis", ""), values, differences)
