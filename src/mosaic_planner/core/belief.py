"""Beliefs: the read-only view of memory that prompts, rules and costs use.

`Beliefs` is the contract between memory (which fills it) and everybody who reads it. It never
holds true state. Worlds' rules, the coordinator and planners see nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from mosaic_planner.core.geometry import Offset, Pose
from mosaic_planner.core.observation import Value

__all__ = ["Belief", "Beliefs", "RelativeBelief", "Source"]

Source = str
"""How an entry was learnt: "seen", "told", "motion" (inferred from motion), "outcome"."""


@dataclass(frozen=True, slots=True)
class Belief:
    """What the team holds true of one entity, in the frame all agents share.

    `x`, `z`: believed mean position, world units. `sigma`: standard deviation of the position per
    axis, world units, 0 where exact. `confidence`: probability in [0, 1] that the entity exists
    and is where believed. `age`: planning steps since it was last perceived, >= 0. `lost`: it was
    looked for at its place and not found, so the position is only where it used to be.
    """

    name: str
    kind: str
    x: float
    z: float
    attributes: tuple[tuple[str, Value], ...] = ()
    holder: str = ""
    sigma: float = 0.0
    confidence: float = 1.0
    age: int = 0
    source: Source = "seen"
    lost: bool = False

    def attribute(self, key: str, default: Value | None = None) -> Value | None:
        """The value of one attribute, or `default`."""
        for name, value in self.attributes:
            if name == key:
                return value
        return default


@dataclass(frozen=True, slots=True)
class RelativeBelief:
    """A belief as one agent has it: exact offset inside, words only for the prompt.

    `steps`: Manhattan length in units of motion, >= 0. `bearing_deg` in (-180, 180].
    """

    belief: Belief
    offset: Offset
    steps: float
    bearing_deg: float
    tier: str
    direction: str


class Beliefs(Protocol):
    """What is believed at one planning step; immutable, safe to keep."""

    @property
    def step(self) -> int:
        """The planning step these beliefs are for, >= 0."""
        ...

    @property
    def agents(self) -> tuple[str, ...]:
        """All agents of the team, in team order."""
        ...

    @property
    def entities(self) -> Mapping[str, Belief]:
        """Everything believed to exist, by name, in a stable order; agents are not among it."""
        ...

    def pose(self, agent: str) -> Pose | None:
        """The believed pose of an agent, or None if nobody knows it."""
        ...

    def inventory(self, agent: str) -> Mapping[str, int]:
        """What an agent is believed to hold: item to amount; empty if nothing is known."""
        ...

    def relative(self, agent: str, name: str) -> RelativeBelief | None:
        """The entity or other agent `name` in the frame of `agent`, or None if unknown."""
        ...

    def names(self, agent: str) -> Sequence[str]:
        """Entities (and other agents) an action of this agent may name now, in stable order."""
        ...

    def local(self, agent: str) -> Mapping[str, Value]:
        """World-specific facts of this agent's own surroundings from its last observation."""
        ...
