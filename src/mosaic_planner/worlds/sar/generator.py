"""."""

from __future__ import annotations

from mosaic_planner.worlds.sar.scene import AgentStart, Scene

__all__ = ["more_starts"]


def more_starts(scene: Scene, count: int) -> tuple[AgentStart, ...]:
    """."""
    raise NotImplementedError
