"""Beliefs that know the team and nothing else, for using the coordinator without a world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mosaic_planner.core.belief import Belief, RelativeBelief
from mosaic_planner.core.geometry import Pose
from mosaic_planner.core.observation import Value

__all__ = ["BareBeliefs"]


@dataclass(frozen=True, slots=True)
class BareBeliefs:
    """The team, where it is if you say so, and the time; satisfies the `Beliefs` contract."""

    agents: tuple[str, ...]
    step: int = 0
    poses: Mapping[str, Pose] | None = None

    @property
    def entities(self) -> Mapping[str, Belief]:
        """Nothing is believed to exist."""
        return {}

    def pose(self, agent: str) -> Pose | None:
        """The pose given for the agent, if any."""
        return None if self.poses is None else self.poses.get(agent)

    def inventory(self, agent: str) -> Mapping[str, int]:
        """Nothing is known."""
        return {}

    def relative(self, agent: str, name: str) -> RelativeBelief | None:
        """Nothing is known."""
        return None

    def names(self, agent: str) -> Sequence[str]:
        """The other agents."""
        return tuple(a for a in self.agents if a != agent)

    def local(self, agent: str) -> Mapping[str, Value]:
        """Nothing is known."""
        return {}
