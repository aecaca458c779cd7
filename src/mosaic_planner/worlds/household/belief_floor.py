"""Beliefs read as a floor with things on it: who is where, how far, in whose view.

Only what the team believes goes in, plus the floor plan that everybody is told.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping

from mosaic_planner.core.belief import Belief, Beliefs
from mosaic_planner.core.geometry import Cell, Pose
from mosaic_planner.worlds.household.catalogue import facts
from mosaic_planner.worlds.household.navigation import to_cell

__all__ = ["BeliefFloor"]

_GRID_M = 0.25
_SIGHT_M = 1.5
_HALF_DEG = 45.0
_TOO_NEAR = 1  # robots on neighbouring cells collide (radius 0.2 m on a 0.25 m grid)
_BESIDE_M = 1.2  # how near to a thing one goes to handle it, about


class BeliefFloor:
    """One team's beliefs at one step; distances are computed once per agent."""

    def __init__(self, beliefs: Beliefs, free: frozenset[Cell]) -> None:
        self.beliefs = beliefs
        self.free = free
        self.entities: Mapping[str, Belief] = beliefs.entities
        self.poses: dict[str, Pose] = {}
        self.cells: dict[str, Cell] = {}
        for agent in beliefs.agents:
            pose = beliefs.pose(agent)
            if pose is not None:
                self.poses[agent] = pose
                self.cells[agent] = to_cell(pose.x, pose.z, _GRID_M)
        self._walks: dict[str, dict[Cell, int]] = {}

    def held(self, agent: str) -> str:
        """What the agent holds, "" if nothing."""
        return next(iter(self.beliefs.inventory(agent)), "")

    def offset(self, agent: str, belief: Belief) -> tuple[float, float] | None:
        """(distance in metres, bearing in degrees) of an entity, None if the pose is unknown."""
        pose = self.poses.get(agent)
        if pose is None:
            return None
        offset = pose.to_frame(belief.x, belief.z)
        return offset.length, offset.bearing_deg

    def in_view(self, agent: str, belief: Belief) -> float:
        """Believed chance that the agent has the entity in view now, in [0, 1]."""
        seen = self.offset(agent, belief)
        if seen is None:
            return 0.5
        distance, bearing = seen
        size = facts(belief.kind).size
        half = math.hypot(size[0], size[2]) / 2
        slack = 0.15 + 2.0 * belief.sigma
        if distance > _SIGHT_M + half + slack:
            return 0.0
        wide = math.degrees(math.atan2(half + slack, max(distance, 0.05)))
        if abs(bearing) > _HALF_DEG + wide:
            return 0.0
        chance = 0.95 if belief.age == 0 else 0.6
        return chance * (0.3 if belief.lost else belief.confidence)

    def steps_to(self, agent: str, belief: Belief) -> float | None:
        """Expected primitive steps to handle an entity; None if no free way is believed.

        The walk ends on the reachable cell nearest to being beside it, or else within sight of it;
        turns are two on average.
        """
        walk = self._walk(agent)
        if walk is None:
            return 12.0
        size = facts(belief.kind).size
        half = math.hypot(size[0], size[2]) / 2 + belief.sigma
        best: float | None = None
        within_sight: float | None = None
        for (ix, iz), steps in walk.items():
            away = math.hypot(ix * _GRID_M - belief.x, iz * _GRID_M - belief.z)
            if away <= _BESIDE_M + half:
                best = steps if best is None else min(best, steps)
            elif away <= _SIGHT_M + half:
                within_sight = steps if within_sight is None else min(within_sight, steps)
        # What stands behind furniture is handled from as far as one sees.
        best = within_sight if best is None else best
        return None if best is None else best + 2.0

    def _walk(self, agent: str) -> dict[Cell, int] | None:
        """Moves to every cell that can be reached past the other robots; None without a floor."""
        if agent in self._walks:
            return self._walks[agent]
        start = self.cells.get(agent)
        if start is None or not self.free:
            return None
        taken = [c for a, c in self.cells.items() if a != agent]
        found = {start: 0}
        queue = deque([start])
        while queue:
            x, z = queue.popleft()
            for cell in ((x + 1, z), (x, z + 1), (x - 1, z), (x, z - 1)):
                if cell in found or cell not in self.free or _crowded(cell, taken):
                    continue
                found[cell] = found[(x, z)] + 1
                queue.append(cell)
        self._walks[agent] = found
        return found

    def standing_room(self, agent: str, cell: Cell) -> str:
        """Why the agent cannot stand on a cell: "floor", a robot's name, or "" if it can."""
        if self.free and cell not in self.free:
            return "floor"
        for other, place in self.cells.items():
            if other != agent and _crowded(cell, [place]):
                return other
        return ""

    def around(self, name: str) -> Belief | None:
        """The container or surface an entity is believed to lie in or on."""
        belief = self.entities.get(name)
        inside = belief.attribute("inside") if belief is not None else None
        return self.entities.get(str(inside)) if inside else None

    def lying_in(self, receptacle: str) -> list[Belief]:
        """What is believed to lie in or on a receptacle, not held by anybody."""
        return [
            b
            for b in self.entities.values()
            if b.attribute("inside") == receptacle and not b.holder
        ]


def _crowded(cell: Cell, taken: list[Cell]) -> bool:
    return any(abs(cell[0] - x) <= _TOO_NEAR and abs(cell[1] - z) <= _TOO_NEAR for x, z in taken)
