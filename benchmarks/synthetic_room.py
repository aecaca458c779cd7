"""A room with known true positions and a scripted tour through it, for measuring memory.

A `World` like any other, so that the sensor noise around it is the product's own. Agents look
ahead (1.5 m, 90 degrees) and walk from one random place to the next; actions are ignored.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from mosaic_planner.coordination.profile import ActionProfile
from mosaic_planner.core.action import IDLE, Action, ActionSchema, Kind, Vocabulary
from mosaic_planner.core.belief import Beliefs
from mosaic_planner.core.candidate import Candidate
from mosaic_planner.core.geometry import Pose
from mosaic_planner.core.observation import Observation, Outcome, Sighting, StepResult, View
from mosaic_planner.core.world import Briefing, Geometry, Score

KINDS = (
    "Apple", "Bowl", "Bread", "Cup", "Egg", "Fork", "Knife", "Lettuce", "Mug", "Pan", "Plate",
    "Pot", "Spoon", "Tomato", "Vase",
)  # fmt: skip


class NoRules:
    """Nothing to plan here."""

    def profile(self, agent: str, action: Action, beliefs: Beliefs) -> ActionProfile:
        return ActionProfile(idle=True)

    def fallbacks(self, agent: str, beliefs: Beliefs) -> Sequence[Candidate]:
        return (Candidate(agent, IDLE, 0, "safe"),)


class SyntheticRoom:
    """`size` in metres; every fourth object stands 0.3 m beside another of its kind."""

    world_id = "synthetic-room"
    vocabulary = Vocabulary(
        (ActionSchema("Idle", idle=True),), tuple(Kind(kind, mobile=True) for kind in KINDS)
    )
    briefing = Briefing("look around")
    rules = NoRules()

    def __init__(
        self,
        agents: int = 2,
        objects: int = 60,
        *,
        size: tuple[float, float] = (10.0, 8.0),
        reach: float = 1.5,
        fov_deg: float = 90.0,
        stride: int = 4,
        anonymous: bool = False,
    ) -> None:
        """`stride`: moves per step. `anonymous`: sightings give a kind and no name."""
        self.geometry = Geometry(unit=0.25, headings=True)
        self.agents = tuple(f"Agent{i + 1}" for i in range(agents))
        self.view = View(reach, fov_deg)
        self._objects, self._size, self._stride = objects, size, stride
        self._anonymous = anonymous

    def settings(self) -> Mapping[str, Any]:
        return {}

    def static(self) -> Mapping[str, Any]:
        return {}

    def score(self) -> Score:
        return Score(False, (), 0, (), (), 0)

    def snapshot(self) -> Mapping[str, Any]:
        """True positions of everything, agents too."""
        places = {name: list(place) for name, (_, place) in self.things.items()}
        return places | {agent: [pose.x, pose.z] for agent, pose in self.poses.items()}

    def reset(self, seed: int) -> Mapping[str, Observation]:
        random = self._random = Random(seed)
        wide, deep = self._size
        self.things: dict[str, tuple[str, tuple[float, float]]] = {}
        numbers: dict[str, int] = {}
        last = ("", (0.0, 0.0))
        for i in range(self._objects):
            if i % 4 == 3:
                kind, (x, z) = last
                angle = random.uniform(0.0, 2.0 * math.pi)
                place = (x + 0.3 * math.cos(angle), z + 0.3 * math.sin(angle))
            else:
                kind = KINDS[random.randrange(len(KINDS))]
                place = (random.uniform(0.0, wide), random.uniform(0.0, deep))
            numbers[kind] = numbers.get(kind, 0) + 1
            last = (kind, place)
            self.things[f"{kind}_{numbers[kind]}"] = last
        self.poses = {
            agent: Pose(random.uniform(0.0, wide), random.uniform(0.0, deep), 0.0)
            for agent in self.agents
        }
        self._goals = dict.fromkeys(self.agents, (wide / 2.0, deep / 2.0))
        self._step = 0
        return self.observe()

    def observe(self) -> Mapping[str, Observation]:
        """What the agents would perceive now without noise."""
        return {agent: self._observe(agent) for agent in self.agents}

    def step(self, joint: Mapping[str, Action]) -> StepResult:
        self._step += 1
        for agent in self.agents:
            self._walk(agent)
        outcomes = {
            agent: Outcome(agent, IDLE, True, agent_steps=self._stride) for agent in self.agents
        }
        return StepResult(self.observe(), outcomes)

    def _walk(self, agent: str) -> None:
        """Up to `stride` moves along one axis towards the goal, facing that way."""
        pose, (gx, gz) = self.poses[agent], self._goals[agent]
        unit = self.geometry.unit
        if abs(gx - pose.x) < unit and abs(gz - pose.z) < unit:
            wide, deep = self._size
            gx, gz = self._random.uniform(0.0, wide), self._random.uniform(0.0, deep)
            self._goals[agent] = (gx, gz)
        east, north = gx - pose.x, gz - pose.z
        along = abs(east) >= abs(north)
        way = east if along else north
        moved = math.copysign(unit * min(self._stride, int(abs(way) / unit)), way)
        heading = (90.0 if way > 0 else 270.0) if along else (0.0 if way > 0 else 180.0)
        self.poses[agent] = Pose(
            pose.x + (moved if along else 0.0), pose.z + (0.0 if along else moved), heading
        )

    def _observe(self, agent: str) -> Observation:
        pose = self.poses[agent]
        sightings = []
        for name, (kind, place) in self.things.items():
            offset = pose.to_frame(*place)
            seen = offset.length <= self.view.max_range
            if seen and abs(offset.bearing_deg) <= self.view.fov_deg / 2.0:
                sightings.append(Sighting(kind if self._anonymous else name, kind, offset))
        names = tuple(s.name for s in sightings)
        return Observation(agent, self._step, pose, (), tuple(sightings), names, "", view=self.view)
