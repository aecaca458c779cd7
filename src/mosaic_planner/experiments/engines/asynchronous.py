"""Many episodes at once in one process: for hosted models, where nearly all time is waiting.

They share one rate limiter per provider account, since limiters are shared inside a process.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from mosaic_planner.experiments.engines.episode import arun_cell
from mosaic_planner.experiments.engines.protocol import Done, Report, Take
from mosaic_planner.models.limits import FileBudget

__all__ = ["AsyncEngine"]


class AsyncEngine:
    """`jobs` episodes under way at a time; worlds and solvers take turns in this process."""

    name = "async"

    def __init__(self, *, jobs: int) -> None:
        self.jobs = jobs

    def run(self, take: Take, folder: Path, done: Done, budget: FileBudget | None = None) -> None:
        """See `Engine.run`. Not for use inside a running event loop."""
        asyncio.run(self._run(take, folder, done, budget))

    async def _run(self, take: Take, folder: Path, done: Done, budget: FileBudget | None) -> None:
        running: set[asyncio.Task[Report]] = set()
        try:
            while True:
                while len(running) < self.jobs:
                    cell = take()
                    if cell is None:
                        break
                    one = arun_cell(cell.key, cell.config, folder, budget)
                    running.add(asyncio.create_task(one))
                if not running:
                    return
                finished, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for report in sorted((task.result() for task in finished), key=lambda r: r.key):
                    done(report)
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
