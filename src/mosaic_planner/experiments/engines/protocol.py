"""What an engine gets and gives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from mosaic_planner.experiments.suite import Cell

__all__ = ["Done", "Engine", "Report", "Status", "Take"]

Status = Literal["finished", "infrastructure", "crashed", "disk_full"]
"""finished: the trace is published. infrastructure: a model server failed, the trace is put aside
as an attempt. crashed: a part raised, or its process died. disk_full: nothing can be written."""


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

    def run(self, take: Take, folder: Path, done: Done) -> None:
        """Run until `take` gives None while nothing is under way.

        `folder` is that of the sweep (`Store`). On KeyboardInterrupt everything under way is
        dropped and the exception goes on.
        """
        ...
