"""A table as values; writers add nothing to it."""

from __future__ import annotations

from dataclasses import dataclass

from mosaic_planner.experiments.statistics import Interval
from mosaic_planner.experiments.tables.columns import Column

__all__ = ["Entry", "Line", "Table"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One figure of a line.

    `change`: against the base line, in percent where the column is relative; `change_clear`: its
    paired interval leaves zero out. `paper`: the paper's figure; `paper_change`: the change that
    the paper states where it gives no figure.
    """

    value: float | None = None
    interval: Interval | None = None
    change: float | None = None
    change_clear: bool = False
    best: bool = False
    paper: float | None = None
    paper_change: float | None = None

    @property
    def gap(self) -> float | None:
        """Ours minus the paper's."""
        if self.value is None or self.paper is None:
            return None
        return self.value - self.paper

    @property
    def change_gap(self) -> float | None:
        """Our change minus the paper's, in the same unit, where the paper states only that."""
        if self.change is None or self.paper_change is None or self.paper is not None:
            return None
        return self.change - self.paper_change


@dataclass(frozen=True, slots=True)
class Line:
    """One method at one point. `episodes`: how many, over how many `tasks`. `ours`: with our
    extras; `waiting`: planned episodes that are not finished.
    """

    label: str
    group: str
    entries: tuple[Entry, ...]
    episodes: int = 0
    tasks: int = 0
    waiting: int = 0
    ours: bool = False
    base: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table with everything a reader must know to trust it, in `notes`."""

    name: str
    title: str
    columns: tuple[Column, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    column_titles: tuple[str, ...] = ()

    def heading(self, index: int) -> str:
        """The heading of a column: its own (pivot tables) or the figure's."""
        return self.column_titles[index] if self.column_titles else self.columns[index].heading
