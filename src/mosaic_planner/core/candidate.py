"""From a model's answer to the coordinator: candidates, rejections, and a planner's proposal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mosaic_planner.core.action import Action

__all__ = ["Candidate", "Proposal", "Rejection", "Subtasks"]

CandidateSource = Literal["model", "safe"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One action an agent might take.

    `rank` is the model's own ranking, 0 the most wanted. `source` "safe" marks candidates that
    the world's rules added because the model's were all bad; `why` says what they are for.
    """

    agent: str
    action: Action
    rank: int
    source: CandidateSource = "model"
    why: str = ""


@dataclass(frozen=True, slots=True)
class Rejection:
    """A proposed text that is no action, or an action that was not taken, and the reason."""

    agent: str
    text: str
    reason: str

    def line(self) -> str:
        """One short line for the next prompt."""
        return f"{self.agent}: {self.text!r} was rejected: {self.reason}"


@dataclass(frozen=True, slots=True)
class Subtasks:
    """Subtasks as the planner words them."""

    open: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a planner wants this step: ranked candidates by agent (K each, fewer if unreadable).

    `reason`, `subtask` and `memory` are the model's own texts, kept for the trace and replay.
    `messages` are (sender, text) pairs that agents exchange (CoELA). `empty_plan`: the planner
    itself found nothing to do before the first step, which ends the episode as `no_subtasks`.
    """

    candidates: Mapping[str, tuple[Candidate, ...]]
    rejections: tuple[Rejection, ...] = ()
    subtasks: Subtasks | None = None
    reason: str = ""
    subtask: str = ""
    memory: str = ""
    failure_reason: str = ""
    messages: tuple[tuple[str, str], ...] = field(default=())
    empty_plan: bool = False
