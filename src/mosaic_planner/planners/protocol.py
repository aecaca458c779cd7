"""What a planner is given and what it gives back.

A planner never chooses between memory or coordination variants: whether agent-centric memory
lines are present, and how many candidates per agent are wanted, is decided outside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from mosaic_planner.core.action import Vocabulary
from mosaic_planner.core.belief import Beliefs
from mosaic_planner.core.candidate import Proposal, Subtasks
from mosaic_planner.core.observation import Observation, Outcome
from mosaic_planner.core.world import Briefing
from mosaic_planner.models.protocol import ChatReply

__all__ = ["Ask", "Planner", "PlannerSetup", "Turn"]


class Ask(Protocol):
    """How a planner calls the model; accounting, limits and trace are behind it."""

    async def __call__(
        self,
        module: str,
        static: str,
        state: str,
        *,
        schema: Mapping[str, Any] | None = None,
        max_output_tokens: int = 1000,
        temperature: float | None = None,
        images: tuple[bytes, ...] = (),
    ) -> ChatReply:
        """One logical call.

        `static` is the system message, the same bytes every time for one module, so that
        providers can cache it; `state` is the user message. `module` ("planner", "actor",
        "verifier", "summariser", ...) is the accounting role.
        """
        ...


@dataclass(frozen=True, slots=True)
class PlannerSetup:
    """Fixed for an episode. `k` >= 1 candidates per agent are asked for.

    `asm`: whether prompts announce and carry agent-centric memory lines. `options`: the
    planner's own switches (validated by the planner).
    """

    agents: tuple[str, ...]
    vocabulary: Vocabulary
    briefing: Briefing
    ask: Ask
    k: int = 1
    asm: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn:
    """What is known before a joint action is chosen (and, in `review`, after it).

    `outcomes` are of the previous joint step, empty at the start. `memory_lines` by agent, empty
    without ASM. `feedback`: one line per rejected proposal of the previous step.
    """

    step: int
    observations: Mapping[str, Observation]
    beliefs: Beliefs
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    memory_lines: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    feedback: tuple[str, ...] = ()


class Planner(Protocol):
    """A planning method; one instance per episode."""

    async def propose(self, turn: Turn) -> Proposal:
        """Candidates for every agent; an agent that could not be read has none."""
        ...

    async def review(self, turn: Turn) -> Subtasks | None:
        """After the joint step (LLaMAR: verifier, planner); None if the method has no such call."""
        ...
