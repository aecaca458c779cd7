"""What an engine gets and gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from mosaic_planner.experiments.suite import Cell
from mosaic_planner.models.limits import FileBudget

__all__ = ["Done", "Engine", "Report", "Status", "Take"]

Status = Literal["finished", "infrastructure", "crashed", "disk_full", "over_limit"]
"""finished: the trace is published. infrastructure: a model server failed, the trace is put aside
as an attempt. crashed: a part raised, or its process died. disk_full: nothing can be written.
over_limit: the sweep's budget refused it a request, so it is not finished."""


@dataclass(frozen=True, slots=True)
class Report:
    """What became of one cell. `row`: its figures, if finished. `error`: one line otherwise."""

    key: str
    status: Status
    row: dict[str, Any] = field(default_factory=dict)
    error: str = ""


Take = Callable[[], Cell | None]
"""The next cell to run, or None if there is none now."""

Done = Callable[[Report], None]
"""Called once per cell taken, in the thread that runs the engine."""


class Engine(Protocol):
    """Runs cells."""

    @property
    def name(self) -> str:
        """How the command line calls it."""
        ...

    def run(self, take: Take, folder: Path, done: Done, budget: FileBudget | None = None) -> None:
        """Run until `take` gives None while nothing is under way.

        `budget` is what all episodes together may spend (left out if there is no limit); no
        request may go out that it does not grant. Engines of other machines keep a copy of it
        that their processes reach, and count what was spent in this one at the end.
        `folder` is that of the sweep (`Store`). On KeyboardInterrupt everything under way is
        dropped and the exception goes on.
        """
        ...
