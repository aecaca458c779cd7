"""What each agent did and what became of it: the history H of the paper's equations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from mosaic_planner.core.action import Action
from mosaic_planner.core.geometry import Cell

__all__ = ["Attempt", "History"]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One executed action of one agent.

    `start` and `end` are the agent's cells before and after (None where unknown). `progress`:
    the action changed something for the task as far as the agent can tell (a success that is not
    idle and not a mere repetition of the same state).
    """

    step: int
    action: Action
    success: bool
    idle: bool = False
    start: Cell | None = None
    end: Cell | None = None
    progress: bool = True


@dataclass(frozen=True, slots=True)
class History:
    """Attempts by agent, oldest first; values are never changed in place."""

    attempts: Mapping[str, tuple[Attempt, ...]]

    @classmethod
    def empty(cls, agents: tuple[str, ...]) -> Self:
        """A history in which nobody has done anything."""
        return cls(dict.fromkeys(agents, ()))

    def of(self, agent: str) -> tuple[Attempt, ...]:
        """The attempts of one agent, oldest first; empty for an unknown agent."""
        return self.attempts.get(agent, ())

    def extended(self, new: Mapping[str, Attempt]) -> Self:
        """A history with one more attempt for each agent in `new`."""
        return type(self)(
            {a: (*past, new[a]) if a in new else past for a, past in self.attempts.items()}
        )
