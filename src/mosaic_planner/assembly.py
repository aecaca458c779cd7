"""From settings to the parts of an episode. The only place where the rooms are joined."""

from __future__ import annotations

from dataclasses import dataclass

from mosaic_planner.coordination.assignment import Coordinator
from mosaic_planner.core.clock import Clock, LatencyProfile
from mosaic_planner.memory import Memory
from mosaic_planner.models.session import ModelSession
from mosaic_planner.planners.protocol import Planner
from mosaic_planner.worlds.registry import PlannableWorld

__all__ = ["Parts", "Step", "build", "header_fields"]


@dataclass(slots=True)
class Step:
    """The number of the planning step under way, 0 before the first."""

    value: int = 0


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything an episode runs on; one set per episode."""

    world: PlannableWorld
    memory: Memory
    planner: Planner
    coordinator: Coordinator
    session: ModelSession
    clock: Clock
    latency: LatencyProfile
    step: Step
    coordinated: bool

    def solve_s(self, candidates: int) -> float:
        """Simulated solving time; nothing without a coordinator that solves."""
        return self.latency.solve_s(candidates) if self.coordinated else 0.0
