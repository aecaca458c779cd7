"""The agents of the team as memory knows them: poses, inventories, what they were offered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.geometry import Pose
from mosaic_planner.core.observation import Observation
from mosaic_planner.memory.view import AgentState

__all__ = ["TeamRecord", "holders_in"]


class TeamRecord:
    """Poses and states by agent, in team order.

    `poses`: (agents, 3) columns x, z, heading in degrees; rows of agents that nobody knows
    are not a number. `reported`: which agents gave an observation in the last update.
    """

    def __init__(self, agents: tuple[str, ...]) -> None:
        self.agents = agents
        self.index = {agent: row for row, agent in enumerate(agents)}
        self.poses: NDArray[np.float64] = np.full((len(agents), 3), np.nan)
        self.reported: NDArray[np.bool_] = np.zeros(len(agents), dtype=bool)
        self.states: dict[str, AgentState] = dict.fromkeys(agents, AgentState())

    def take(self, observations: Mapping[str, Observation]) -> None:
        """Take the agents' own reports; those that gave none grow older where they were."""
        for row, agent in enumerate(self.agents):
            seen = observations.get(agent)
            self.reported[row] = seen is not None
            if seen is None:
                state = self.states[agent]
                self.states[agent] = replace(state, text="", age=state.age + 1)
                continue
            pose = seen.pose
            self.poses[row] = (pose.x, pose.z, pose.heading_deg)
            self.states[agent] = AgentState(
                pose,
                seen.inventory,
                seen.names,
                seen.text,
                seen.local,
                self.states[agent].attributes,
            )

    def sighted(self, agent: str, x: float, z: float) -> None:
        """A team mate saw `agent` at a world point; used if it did not report itself."""
        row = self.index[agent]
        if self.reported[row]:
            return
        heading = self.poses[row, 2]
        pose = Pose(x, z, 0.0 if np.isnan(heading) else float(heading))
        self.poses[row] = (pose.x, pose.z, pose.heading_deg)
        self.states[agent] = replace(self.states[agent], pose=pose, age=0)

    def correct(self, agent: str, pose: Pose, sigma: float) -> None:
        """Believe `agent` to be at `pose` rather than where it reported; `sigma` as in Belief."""
        self.states[agent] = replace(self.states[agent], pose=pose, sigma=sigma)


def holders_in(holder: str, team: Mapping[str, int]) -> list[str]:
    """The agents of the team a holder text names, in its order ("Alice, Bob" for two)."""
    if holder in team:
        return [holder]
    return [part for part in (p.strip() for p in holder.split(",")) if part in team]
