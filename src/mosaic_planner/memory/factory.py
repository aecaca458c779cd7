"""Memory variants by name."""

from __future__ import annotations

from collections.abc import Sequence

from mosaic_planner.core.action import Vocabulary
from mosaic_planner.core.errors import UnknownNameError
from mosaic_planner.core.noise import NOISE_REGIMES, NoiseRegime
from mosaic_planner.core.world import Briefing, Geometry
from mosaic_planner.memory.asm import AgentCentricMemory
from mosaic_planner.memory.current import CurrentObservationMemory
from mosaic_planner.memory.protocol import Memory

__all__ = ["MEMORY_KINDS", "make_memory"]

MEMORY_KINDS = ("belief", "current")
"""`belief`: ours. `current`: without agent-centric memory."""


def make_memory(
    kind: str,
    *,
    agents: Sequence[str],
    geometry: Geometry,
    briefing: Briefing,
    vocabulary: Vocabulary,
    noise: NoiseRegime | str = "none",
    max_lines: int = 16,
) -> Memory:
    """A fresh memory of one kind; `noise` is the sensor model it assumes.

    Raises `UnknownNameError` for an unknown kind or noise regime.
    """
    if isinstance(noise, str):
        if noise not in NOISE_REGIMES:
            raise UnknownNameError("noise regime", noise, NOISE_REGIMES)
        noise = NOISE_REGIMES[noise]
    if kind == "belief":
        return AgentCentricMemory(
            agents, geometry, briefing, vocabulary, noise=noise, max_lines=max_lines
        )
    if kind == "current":
        return CurrentObservationMemory(agents, geometry, briefing, vocabulary)
    raise UnknownNameError("memory", kind, MEMORY_KINDS)
