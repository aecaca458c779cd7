"""The contract of a world: what an episode needs from it, and what it tells the model.

Planners, memory and the coordinator never receive a `World`; they get its vocabulary, its
briefing, its rules (through `coordination.Rules`) and observations.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from mosaic_planner.core.action import Action, Vocabulary
from mosaic_planner.core.observation import Observation, StepResult

__all__ = ["Briefing", "Geometry", "Score", "World"]


@dataclass(frozen=True, slots=True)
class Briefing:
    """What everybody is told before the first step, in the world's own words.

    `instruction`: the mission in one sentence. `rules`: how the world works. `hints`: how to act
    well. `failure_causes`: what usually goes wrong. `agent_noun`: "robot". `task_words`: names and
    kinds that matter for the task, which memory uses as its relevance filter.
    """

    instruction: str
    rules: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    failure_causes: tuple[str, ...] = ()
    agent_noun: str = "robot"
    task_words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Geometry:
    """How a world measures: `unit` world units per move; whether agents have headings.

    `directions` words the bearings 0, 90, 180, 270 degrees clockwise from ahead:
    ("up", "right", "down", "left") in SAR, ("ahead", "right", "behind", "left") in households.
    """

    unit: float = 1.0
    headings: bool = False
    directions: tuple[str, str, str, str] = ("ahead", "right", "behind", "left")


@dataclass(frozen=True, slots=True)
class Score:
    """Judgement from the world's true state; only metrics read it.

    `completed` and `total` count the task's own subtasks (SAR rule K1). `covered` are the
    task-relevant objects interacted with successfully, `mentioned` those merely named (rule K4),
    out of `coverage_total`.
    """

    success: bool
    completed: tuple[str, ...]
    total: int
    covered: tuple[str, ...]
    mentioned: tuple[str, ...]
    coverage_total: int


class World(Protocol):
    """An environment for a team. Not reentrant; instances share no state.

    `step` takes an action for every agent and never raises for a malformed or hallucinated one:
    that is a failed outcome (SAR rule O2).
    """

    @property
    def world_id(self) -> str:
        """Versioned name, e.g. "sar-v1"."""
        ...

    @property
    def agents(self) -> tuple[str, ...]:
        """Agent names in team order."""
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """Every action and entity kind of this world."""
        ...

    @property
    def briefing(self) -> Briefing:
        """What the team is told."""
        ...

    @property
    def geometry(self) -> Geometry:
        """Unit of motion and words for directions."""
        ...

    def settings(self) -> Mapping[str, Any]:
        """Everything needed to build this world again (JSON values): scene, switches, agents."""
        ...

    def static(self) -> Mapping[str, Any]:
        """True facts that do not change during the episode (JSON values), for the trace header."""
        ...

    def reset(self, seed: int) -> Mapping[str, Observation]:
        """Start an episode; the same seed gives the same episode in any process."""
        ...

    def step(self, joint: Mapping[str, Action]) -> StepResult:
        """Carry out one joint action; every agent must have one."""
        ...

    def score(self) -> Score:
        """Judge the true state now."""
        ...

    def snapshot(self) -> Mapping[str, Any]:
        """The true state now as JSON values; only the trace receives it."""
        ...
