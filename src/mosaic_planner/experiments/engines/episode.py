"""One episode of a sweep, from a cell to a published trace. Never raises for a failing episode."""

from __future__ import annotations

import asyncio
import contextlib
import traceback
from dataclasses import dataclass
from pathlib import Path

from mosaic_planner.config import RunConfig
from mosaic_planner.core.errors import MosaicError
from mosaic_planner.experiments.engines.protocol import Report
from mosaic_planner.experiments.files import disk_is_full
from mosaic_planner.experiments.results import episode_row
from mosaic_planner.experiments.store import Store, crash_record
from mosaic_planner.models.limits import LimitHit, Limits, SharedBudget, Spending

__all__ = ["arun_cell", "run_cell"]

_AGAIN = frozenset({"infrastructure"})
_UNFINISHED = frozenset({"interrupted", "crash", "cassette_miss"})


@dataclass(slots=True)
class _Watched:
    """A sweep's budget that remembers whether it refused this episode a request."""

    budget: SharedBudget
    hit: LimitHit | None = None

    @property
    def limits(self) -> Limits:
        return self.budget.limits

    def claim(self, most: Spending) -> LimitHit | None:
        hit = self.budget.claim(most)
        self.hit = hit or self.hit
        return hit

    def settle(self, most: Spending, real: Spending) -> None:
        self.budget.settle(most, real)


async def arun_cell(
    key: str, config: RunConfig, folder: Path, budget: SharedBudget | None = None
) -> Report:
    """Run one episode; its trace is published in the sweep's folder if it came to an end.

    `budget`: what the whole sweep may spend; an episode that it stops has not come to an end.
    Raises only if it is cancelled or interrupted; nothing is left behind then.
    """
    from mosaic_planner.episode import arun_episode

    store = Store(folder)
    partial = store.partial(key)
    watched = None if budget is None else _Watched(budget)
    try:
        episode = await arun_episode(config, path=partial, sweep=watched)
        if watched is not None and watched.hit is not None:
            return Report(key, "over_limit", error=str(watched.hit))
        end = episode.metrics.end
        if end in _AGAIN:
            store.keep_attempt(key, partial)
            return Report(key, "infrastructure", error="the model server or the simulator failed")
        if end in _UNFINISHED:
            return _crashed(store, key, RuntimeError(f"the episode ended by {end}"), "")
        row = episode_row(episode.trace, episode.metrics)
        store.finish(key, partial)
        return Report(key, "finished", row)
    except Exception as error:
        if disk_is_full(error):
            return Report(key, "disk_full", error=str(error))
        return _crashed(store, key, error, traceback.format_exc())
    finally:
        with contextlib.suppress(OSError):
            partial.unlink()


def _crashed(store: Store, key: str, error: Exception, trace_back: str) -> Report:
    record = crash_record(error, "" if isinstance(error, MosaicError) else trace_back)
    try:
        store.record_failure(key, record)
    except OSError as full:
        return Report(key, "disk_full" if disk_is_full(full) else "crashed", error=str(full))
    return Report(key, "crashed", error=record["error"])


def run_cell(
    key: str, config_json: str, folder: Path, budget: SharedBudget | None = None
) -> Report:
    """The same from settings as JSON, in a process without an event loop."""
    config = RunConfig.model_validate_json(config_json)
    return asyncio.run(arun_cell(key, config, folder, budget))
