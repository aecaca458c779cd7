"""Explore: where most is still unseen, and look around there.

What the team has looked at is kept per cell of the floor plan. A place is worth its unseen cells
within sight, walkable or not, more if a receptacle is near that usually holds what the task
names, and less the farther it is. That is the rule without pictures; a guide (CLIP) may have the
last word on which way to face and go from there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mosaic_planner.core.geometry import Cell
from mosaic_planner.worlds.household.catalogue import facts
from mosaic_planner.worlds.household.clip.guide import Guide
from mosaic_planner.worlds.household.navigation import State, View, to_cell
from mosaic_planner.worlds.household.stage import Done, Stage
from mosaic_planner.worlds.household.travelling import Floor, floor_of, go, pose_of

__all__ = ["Seen", "explore", "likely_receptacles"]

_SIGHT_M = 1.5
_HEADINGS = (0, 90, 180, 270)
_TILTS = (30.0, 0.0, 60.0)
_LIKELY_BONUS = 4.0
_GUIDED_MOVES = 2
_WALL_CELLS = 3  # cells beyond the free floor that furniture and walls take


@dataclass(slots=True)
class Seen:
    """What the team has looked at: cells, by any agent, from any pose.

    `rounds`: how often everything was seen and the search began anew, with another tilt.
    """

    cells: set[Cell] = field(default_factory=set)
    rounds: int = 0

    @property
    def tilt(self) -> float:
        """Degrees down to look in this round: overlooking floor and drawers, level, steeply."""
        return _TILTS[self.rounds % len(_TILTS)]

    def begin_anew(self) -> None:
        """Containers may have been opened and things moved since they were looked at."""
        self.cells.clear()
        self.rounds += 1

    def note(self, x: float, z: float, yaw: float, grid: float) -> None:
        """An agent at (x, z) metres looks that way, level or a little down."""
        self.cells.update(_in_sight(x, z, yaw, grid))


def _in_sight(x: float, z: float, yaw: float, grid: float) -> Iterable[Cell]:
    a = math.radians(yaw)
    fx, fz = math.sin(a), math.cos(a)
    reach = int(_SIGHT_M / grid)
    cx, cz = to_cell(x, z, grid)
    for i in range(-reach, reach + 1):
        for j in range(-reach, reach + 1):
            dx, dz = i * grid, j * grid
            if dx * dx + dz * dz > _SIGHT_M * _SIGHT_M:
                continue
            ahead = dx * fx + dz * fz
            if ahead >= 0 and abs(dx * fz - dz * fx) <= ahead + 1e-6:
                yield (cx + i, cz + j)


def likely_receptacles(kinds: Sequence[str]) -> Mapping[str, float]:
    """Receptacle types that usually hold things of these types: share of instances found there."""
    weights: dict[str, float] = {}
    for kind in kinds:
        figures = facts(kind)
        for parent, count in figures.parents.items():
            if figures.instances and parent not in ("(none)", "Floor"):
                weights[parent] = weights.get(parent, 0.0) + count / figures.instances
    return weights


def explore(
    stage: Stage, agent: int, seen: Seen, wanted: Sequence[str], guide: Guide | None = None
) -> Done:
    """Go where most is unseen and turn round there; every primitive counts.

    With a guide the robot then faces the view that fits the task best and makes up to
    two moves that way.
    """
    taboo: set[State] = set()
    for _ in range(3):
        floor = floor_of(stage, agent)
        floor.taboo = taboo
        views = _viewpoints(stage, agent, seen, floor, wanted)
        if not views and floor.cut_off > len(floor.free):
            return Done(False, "blocked", f"{_who_is_near(stage, agent)} in the way of the room")
        if not views:  # everything was seen
            seen.begin_anew()
            views = _viewpoints(stage, agent, seen, floor, wanted)
        if not views or not go(stage, agent, views, floor):
            return _turn_round(stage, agent, seen, guide)
    return Done(False, "blocked", "something is in the way everywhere")


def _who_is_near(stage: Stage, agent: int) -> str:
    """The robots nearest to an agent, with their verb."""
    x, z = pose_of(stage, agent)[:2]
    gaps = sorted(
        (math.dist((x, z), pose_of(stage, k)[:2]), who)
        for k, who in enumerate(stage.agents)
        if k != agent
    )
    near = [who for gap, who in gaps if gap <= _SIGHT_M] or [who for _, who in gaps[:1]]
    return f"{' and '.join(near)} {'stand' if len(near) > 1 else 'stands'}"


def _turn_round(stage: Stage, agent: int, seen: Seen, guide: Guide | None) -> Done:
    """Look in the four directions from where the agent stands."""
    pictures = []
    x, z, yaw, horizon = pose_of(stage, agent)
    tilt = seen.tilt
    if abs(horizon - tilt) > 1e-6:
        stage.do(agent, "LookDown" if horizon < tilt else "LookUp", degrees=abs(horizon - tilt))
    seen.note(x, z, yaw, stage.grid_m)
    pictures.append(stage.frame(agent) if guide is not None else None)
    turned = 0
    for _ in range(3):
        if not stage.do(agent, "RotateRight").success:
            break
        turned += 1
        x, z, yaw, _ = pose_of(stage, agent)
        seen.note(x, z, yaw, stage.grid_m)
        pictures.append(stage.frame(agent) if guide is not None else None)
    if not turned:
        return Done(False, "blocked", "the held object leaves no room to turn")
    shown = [p for p in pictures if p is not None]
    if guide is not None and len(shown) == len(pictures):
        _follow(stage, agent, guide.scores(shown))
    return Done(True)


def _follow(stage: Stage, agent: int, scores: Sequence[float]) -> None:
    """Turn back to the best view and go towards it; what is in the way ends it."""
    best = max(range(len(scores)), key=lambda k: (scores[k], -k))
    for _ in range(len(scores) - 1 - best):
        if not stage.do(agent, "RotateLeft").success:
            return
    for _ in range(_GUIDED_MOVES):
        if not stage.do(agent, "MoveAhead").success:
            return


def _viewpoints(
    stage: Stage, agent: int, seen: Seen, floor: Floor, wanted: Sequence[str]
) -> list[View]:
    """Cells to look round from, with penalties that grow with what they leave unseen."""
    grid = stage.grid_m
    room = {
        (a + i, b + j)
        for a, b in floor.free
        for i in range(-_WALL_CELLS, _WALL_CELLS + 1)
        for j in range(-_WALL_CELLS, _WALL_CELLS + 1)
    }
    unseen = room - seen.cells
    if not unseen:
        return []
    bonus = _likely_places(stage, wanted, grid)
    reach = int(_SIGHT_M / grid)
    gains: dict[Cell, float] = {}
    for cell in sorted(floor.free):
        if (cell[0] + cell[1]) % 2:
            continue  # every second cell is enough to choose from
        gain = 0.0
        for i in range(-reach, reach + 1):
            for j in range(-reach, reach + 1):
                if i * i + j * j <= reach * reach and (cell[0] + i, cell[1] + j) in unseen:
                    gain += 1.0
        if gain:
            gains[cell] = gain + _LIKELY_BONUS * bonus.get(cell, 0.0)
    if not gains:
        return []
    most = max(gains.values())
    heading = round(pose_of(stage, agent)[2] / 90.0) * 90 % 360
    # A primitive step is worth about two cells seen; only the better half is looked at.
    return [
        View(cell, h, seen.tilt, (most - gain) / 2.0 + (0.0 if h == heading else 0.1))
        for cell, gain in gains.items()
        if gain >= most / 2
        for h in _HEADINGS
    ]


def _likely_places(stage: Stage, wanted: Sequence[str], grid: float) -> dict[Cell, float]:
    """Cells near receptacles, seen before, of types that usually hold what is wanted."""
    weights = likely_receptacles(wanted)
    places: dict[Cell, float] = {}
    if not weights:
        return places
    for entry in stage.objects():
        weight = weights.get(entry["objectType"], 0.0)
        if weight and stage.names.name_of(entry["objectId"]):
            at: Mapping[str, Any] = entry["axisAlignedBoundingBox"]["center"]
            cx, cz = to_cell(at["x"], at["z"], grid)
            for i in range(-3, 4):
                for j in range(-3, 4):
                    places[(cx + i, cz + j)] = max(places.get((cx + i, cz + j), 0.0), weight)
    return places
