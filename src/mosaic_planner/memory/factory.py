"""Memory variants by name."""

from __future__ import annotations

from collections.abc import Sequence

from mosaic_planner.core.action import Vocabulary
from mosaic_planner.core.errors import UnknownNameError, UsageError
from mosaic_planner.core.noise import NOISE_REGIMES, NoiseRegime
from mosaic_planner.core.world import Briefing, Geometry
from mosaic_planner.memory.asm import MAX_LINES, AgentCentricMemory
from mosaic_planner.memory.current import CurrentObservationMemory
from mosaic_planner.memory.overwriting import OverwritingMemory
from mosaic_planner.memory.protocol import Memory
from mosaic_planner.memory.text import TextMemory

__all__ = ["MEMORY_KINDS", "make_memory"]

MEMORY_KINDS = ("belief", "overwriting", "current", "text")
"""`belief`: ours. `overwriting`: the paper's. `current`: none. `text`: the baselines'."""


def make_memory(
    kind: str,
    *,
    agents: Sequence[str],
    geometry: Geometry,
    briefing: Briefing,
    vocabulary: Vocabulary,
    noise: NoiseRegime | str = "none",
    max_lines: int = MAX_LINES,
) -> Memory:
    """A fresh memory of one kind.

    `noise` is the sensor model that `belief` assumes; the others assume nothing. `max_lines` >= 1
    caps the prompt lines per agent. Raises `UnknownNameError` for an unknown kind or regime and
    `UsageError` for a cap below 1.
    """
    if isinstance(noise, str):
        if noise not in NOISE_REGIMES:
            raise UnknownNameError("noise regime", noise, NOISE_REGIMES)
        noise = NOISE_REGIMES[noise]
    if max_lines < 1:
        raise UsageError(f"max_lines must be at least 1, not {max_lines}")
    parts = (agents, geometry, briefing, vocabulary)
    if kind == "belief":
        return AgentCentricMemory(*parts, noise=noise, max_lines=max_lines)
    if kind == "overwriting":
        return OverwritingMemory(*parts, max_lines=max_lines)
    if kind == "current":
        return CurrentObservationMemory(*parts)
    if kind == "text":
        return TextMemory(*parts)
    raise UnknownNameError("memory", kind, MEMORY_KINDS)
