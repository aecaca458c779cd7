"""Without agent-centric memory: the beliefs of the current observations only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mosaic_planner.core.action import Vocabulary
from mosaic_planner.core.observation import Observation, Outcome
from mosaic_planner.core.world import Briefing, Geometry
from mosaic_planner.memory.overwriting import OverwritingMemory
from mosaic_planner.memory.view import BeliefView

__all__ = ["CurrentObservationMemory"]


class CurrentObservationMemory:
    """Remembers nothing: what all agents perceive in this step, taken at face value.

    It is what the coordinator sees when the planner has no agent-centric memory.
    """

    def __init__(
        self,
        agents: Sequence[str],
        geometry: Geometry,
        briefing: Briefing,
        vocabulary: Vocabulary,
    ) -> None:
        self._parts = (tuple(agents), geometry, briefing, vocabulary)
        self._now = OverwritingMemory(*self._parts)

    def update(
        self, observations: Mapping[str, Observation], outcomes: Mapping[str, Outcome]
    ) -> None:
        """Forget everything and take in the current observations."""
        self._now = OverwritingMemory(*self._parts)
        self._now.update(observations, {})

    def beliefs(self) -> BeliefView:
        """What is perceived now."""
        return self._now.beliefs()

    def lines(self, agent: str) -> tuple[str, ...]:
        """No lines: prompts without agent-centric memory have none."""
        return ()

    def focus(self, words: Sequence[str]) -> None:
        """Nothing to rank."""
