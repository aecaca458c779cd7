"""Without agent-centric memory: the beliefs of the current observations, and the text log.

`CurrentObservationMemory` is what the coordinator sees without ASM. `TextMemory` adds what the
baselines keep for their prompts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mosaic_planner.core.action import Vocabulary
from mosaic_planner.core.observation import Observation, Outcome
from mosaic_planner.core.world import Briefing, Geometry
from mosaic_planner.memory.asm import AgentCentricMemory
from mosaic_planner.memory.view import BeliefView

__all__ = ["CurrentObservationMemory"]


class CurrentObservationMemory:
    """Remembers nothing: what all agents perceive in this step, taken at face value."""

    def __init__(
        self,
        agents: Sequence[str],
        geometry: Geometry,
        briefing: Briefing,
        vocabulary: Vocabulary,
    ) -> None:
        self._parts = (tuple(agents), geometry, briefing, vocabulary)
        self._now = AgentCentricMemory(*self._parts)

    def update(
        self, observations: Mapping[str, Observation], outcomes: Mapping[str, Outcome]
    ) -> None:
        """Forget everything and take in the current observations."""
        self._now = AgentCentricMemory(*self._parts)
        self._now.update(observations, {})

    def beliefs(self) -> BeliefView:
        """What is perceived now."""
        return self._now.beliefs()

    def lines(self, agent: str) -> tuple[str, ...]:
        """No lines: the baselines' prompts have none."""
        return ()

    def focus(self, words: Sequence[str]) -> None:
        """Nothing to rank."""
