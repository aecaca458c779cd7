"""Engines by name."""

from __future__ import annotations

import os

from mosaic_planner.core.errors import UnknownNameError
from mosaic_planner.experiments.engines.protocol import Engine

__all__ = ["ENGINES", "make_engine"]

ENGINES = ("auto", "process", "async", "ray")
"""Names for the command line; auto is process for simulated models and async for hosted ones."""

_SIMULATED = ("standin:", "scripted", "cassette:", "local:")
_WAITING = 16  # episodes of hosted models under way at a time, unless asked otherwise


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def make_engine(
    name: str,
    *,
    models: tuple[str, ...] = (),
    jobs: int | None = None,
    address: str | None = None,
    episode_timeout_s: float | None = None,
) -> Engine:
    """An engine by name. `models`: those of the sweep, for "auto". `address`: of a Ray cluster.

    Raises `UnknownNameError`.
    """
    if name == "auto":
        waiting = any(not model.startswith(_SIMULATED) for model in models)
        name = "async" if waiting else "process"
    if name == "process":
        from mosaic_planner.experiments.engines.process import ProcessEngine

        return ProcessEngine(jobs=jobs or _cores(), episode_timeout_s=episode_timeout_s)
    if name == "async":
        from mosaic_planner.experiments.engines.asynchronous import AsyncEngine

        return AsyncEngine(jobs=jobs or _WAITING)
    if name == "ray":
        from mosaic_planner.experiments.engines.ray import RayEngine

        return RayEngine(address=address, jobs=jobs)
    raise UnknownNameError("engine", name, ENGINES)
