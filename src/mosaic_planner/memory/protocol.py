"""What an episode needs from a memory; every variant, ours and the baselines', is one of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from mosaic_planner.core.belief import Beliefs
from mosaic_planner.core.observation import Observation, Outcome

__all__ = ["Memory"]


class Memory(Protocol):
    """What a team knows; one instance per episode, fed once per joint step."""

    def update(
        self, observations: Mapping[str, Observation], outcomes: Mapping[str, Outcome]
    ) -> None:
        """Take in what was perceived after a joint step and what became of its actions.

        `outcomes` is empty after a reset. An agent without an observation is believed to be
        where it was last known. Never raises for a strange observation.
        """
        ...

    def beliefs(self) -> Beliefs:
        """The beliefs now: an immutable view that later updates do not change."""
        ...

    def lines(self, agent: str) -> tuple[str, ...]:
        """Lines for this agent's prompt, the most relevant first; empty for the baselines."""
        ...

    def focus(self, words: Sequence[str]) -> None:
        """Words, names or whole sentences of the open subtasks; what they mention ranks first."""
        ...
