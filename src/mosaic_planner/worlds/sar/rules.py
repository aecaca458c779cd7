"""Profiles of the world's actions from beliefs alone; see `SarRules`."""

from __future__ import annotations

from collections.abc import Sequence

from mosaic_planner.coordination.profile import ActionProfile
from mosaic_planner.core.action import DONE, IDLE, Action
from mosaic_planner.core.belief import Beliefs
from mosaic_planner.core.candidate import Candidate

__all__ = ["SarRules"]


class SarRules:
    """Turns (agent, action, beliefs) into profiles."""

    def __init__(self, grid: tuple[int, int]) -> None:
        self.grid = grid

    def profile(self, agent: str, action: Action, beliefs: Beliefs) -> ActionProfile:
        """The profile of one action."""
        return ActionProfile(idle=action in (IDLE, DONE))

    def fallbacks(self, agent: str, beliefs: Beliefs) -> Sequence[Candidate]:
        """Safe candidates; idle last."""
        return (Candidate(agent, IDLE, 0, "safe"),)
