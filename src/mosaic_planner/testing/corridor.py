"""A corridor world: the smallest grid on which agents can block each other for good.

For tests of coordination, ours and yours: two agents meet in a one-wide corridor, with a passing
bay (both can arrive) or without (nobody can). Any layout can be drawn as text. `travel` runs a
coordinator on it without a language model; every agent's candidates are its moves, those that
lead nearer to its goal first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mosaic_planner.coordination import (
    STAYS,
    ActionProfile,
    Assignment,
    BareBeliefs,
    CellVisit,
    Coordinator,
    Deadlock,
    deadlock_report,
)
from mosaic_planner.core.action import IDLE, Action, ActionSchema, Kind, Parameter, Vocabulary
from mosaic_planner.core.belief import Beliefs
from mosaic_planner.core.candidate import Candidate
from mosaic_planner.core.errors import SceneError
from mosaic_planner.core.geometry import Cell, Offset, Pose
from mosaic_planner.core.history import Attempt, History
from mosaic_planner.core.observation import Observation, Outcome, Sighting, StepResult
from mosaic_planner.core.world import Briefing, Geometry, Score

__all__ = ["CorridorRules", "CorridorWorld", "Journey", "corridor", "propose", "travel"]

_DIRECTIONS: dict[str, Cell] = {"Up": (0, -1), "Down": (0, 1), "Left": (-1, 0), "Right": (1, 0)}

_VOCABULARY = Vocabulary(
    (
        ActionSchema(
            "Move",
            (Parameter("direction", choices=tuple(_DIRECTIONS)),),
            "Move one cell. Fails if a wall or another agent is there.",
            ("move {direction}",),
        ),
        ActionSchema("Idle", (), "Do nothing.", ("idle", "wait"), idle=True),
    ),
    (Kind("goal"),),
)


def corridor(length: int = 9, bay: int | None = None) -> CorridorWorld:
    """Two agents with crossed goals at the ends of a corridor, `bay` the column of a side cell.

    Raises `SceneError` for a corridor of fewer than 3 cells or a bay beyond it.
    """
    if length < 3 or (bay is not None and not 0 <= bay < length):
        raise SceneError(f"no corridor of {length} cells with a bay at {bay}")
    side = "".join("." if x == bay else "#" for x in range(length))
    return CorridorWorld(f"a{'.' * (length - 2)}b\n{side}", {"A": (length - 1, 0), "B": (0, 0)})


class CorridorWorld:
    """A grid drawn as text: `#` wall, `.` free, `a`, `b`, ... where agents A, B, ... start.

    `goals` maps agents to cells (column, row); an agent without one has arrived from the start.
    Moves are simultaneous: a cell may be entered as its occupant leaves it, two agents may not
    swap, and of several that want one cell none gets it. Raises `SceneError` for a bad layout.
    """

    world_id = "corridor-v1"

    def __init__(self, layout: str, goals: Mapping[str, Cell] | None = None) -> None:
        rows = [line.strip() for line in layout.strip().splitlines()]
        self.layout = "\n".join(rows)
        self.cells: set[Cell] = set()
        self.starts: dict[str, Cell] = {}
        for y, line in enumerate(rows):
            for x, mark in enumerate(line):
                if mark != "#":
                    self.cells.add((x, y))
                if mark.isalpha():
                    self.starts[mark.upper()] = (x, y)
        self.agents = tuple(sorted(self.starts))
        if not self.agents:
            raise SceneError("the layout has no agent (a, b, ...)")
        self.goals = {a: (goals or {}).get(a, self.starts[a]) for a in self.agents}
        for agent, goal in self.goals.items():
            if goal not in self.cells:
                raise SceneError(f"the goal {goal} of {agent} is not a free cell")
        self.rules = CorridorRules(self.cells, self.goals)
        self.vocabulary = _VOCABULARY
        self.briefing = Briefing(
            "Every robot must be on its goal.", ("Robots cannot pass through each other.",)
        )
        self.geometry = Geometry(directions=("up", "right", "down", "left"))
        self.at = dict(self.starts)
        self.reached: set[str] = set()
        self.time = 0

    def settings(self) -> Mapping[str, Any]:
        """Layout and goals."""
        return {"layout": self.layout, "goals": {a: list(g) for a, g in self.goals.items()}}

    def static(self) -> Mapping[str, Any]:
        """The free cells and the goals, which do not change."""
        return {
            "cells": sorted(list(c) for c in self.cells),
            "goals": {a: list(c) for a, c in self.goals.items()},
        }

    def reset(self, seed: int) -> Mapping[str, Observation]:
        """Everybody back to the start; nothing is random."""
        self.at = dict(self.starts)
        self.reached = {a for a in self.agents if self.at[a] == self.goals[a]}
        self.time = 0
        return self._observe({})

    def step(self, joint: Mapping[str, Action]) -> StepResult:
        """Move everybody at once."""
        wanted = {a: _target(self.at[a], joint[a]) for a in self.agents}
        moves = {a: c for a, c in wanted.items() if c is not None and c in self.cells}
        settled = False
        while not settled:  # take back what cannot be, until nothing changes
            settled = True
            after = {a: moves.get(a, self.at[a]) for a in self.agents}
            for a in self.agents:
                clash = [
                    b
                    for b in self.agents
                    if b != a
                    and (after[b] == after[a] or (after[b], after[a]) == (self.at[a], self.at[b]))
                ]
                if a in moves and moves[a] != self.at[a] and clash:
                    moves = {b: c for b, c in moves.items() if b != a and b not in clash}
                    settled = False
                    break
        outcomes = {}
        for a in self.agents:
            idle = joint[a] == IDLE
            fine = idle or a in moves
            outcomes[a] = Outcome(
                a,
                joint[a],
                fine,
                reason="" if fine else "blocked",
                agent_steps=int(not idle),
                idle=idle,
            )
        self.at = {a: moves.get(a, self.at[a]) for a in self.agents}
        self.reached |= {a for a in self.agents if self.at[a] == self.goals[a]}
        self.time += 1
        told = {
            a: f"{o.action} {'succeeded' if o.success else 'failed: blocked'}."
            for a, o in outcomes.items()
        }
        return StepResult(self._observe(told), outcomes)

    def score(self) -> Score:
        """One subtask per agent: to be on its goal."""
        there = tuple(a for a in self.agents if self.at[a] == self.goals[a])
        done = len(there) == len(self.agents)
        reached = tuple(a for a in self.agents if a in self.reached)
        return Score(done, there, len(self.agents), reached, reached, len(self.agents))

    def snapshot(self) -> Mapping[str, Any]:
        """Cells of all agents."""
        return {"agents": {a: list(c) for a, c in self.at.items()}, "step": self.time}

    def _observe(self, feedback: Mapping[str, str]) -> Mapping[str, Observation]:
        found = {}
        for a in self.agents:
            pose = _pose(self.at[a])
            gx, gy = self.goals[a]
            goal = Sighting(f"Goal{a}", "goal", Offset(gx - pose.x, -gy - pose.z))
            state = f"{a} is on {self.at[a]}"
            text = f"{state}.\n- Goal{a} (goal): on {self.goals[a]}"
            found[a] = Observation(
                a, self.time, pose, (), (goal,), (f"Goal{a}",), text, state, feedback.get(a, "")
            )
        return found


def _pose(cell: Cell) -> Pose:
    return Pose(float(cell[0]), float(-cell[1]))


def _cell(pose: Pose | None) -> Cell | None:
    return None if pose is None else (round(pose.x), round(-pose.z))


def _target(cell: Cell, action: Action) -> Cell | None:
    if action == IDLE:
        return cell
    if action.verb != "Move" or len(action.args) != 1 or action.args[0] not in _DIRECTIONS:
        return None
    dx, dy = _DIRECTIONS[action.args[0]]
    return cell[0] + dx, cell[1] + dy


@dataclass(frozen=True, slots=True)
class CorridorRules:
    """The rules of the grid; they also satisfy `GridRules`, so right of way applies."""

    cells: set[Cell]
    goals: Mapping[str, Cell]
    _fields: dict[Cell, dict[Cell, int]] = field(default_factory=dict, compare=False)

    def profile(self, agent: str, action: Action, beliefs: Beliefs) -> ActionProfile:
        """A move crosses one edge in one time unit; progress is a step nearer to the goal."""
        here = _cell(beliefs.pose(agent))
        if action == IDLE:
            stay = () if here is None else (CellVisit(here, 0, STAYS),)
            return ActionProfile(idle=True, done=here == self.goals[agent], path=stay)
        target = None if here is None else _target(here, action)
        if here is None or target is None or target not in self.cells:
            return ActionProfile(eligible=False, reason="there is a wall")
        path = (CellVisit(here, 0, 1), CellVisit(target, 1, STAYS))
        nearer = self.distance(target, agent) < self.distance(here, agent)
        return ActionProfile(path=path, steps=1.0, progress=0.5 if nearer else 0.0)

    def fallbacks(self, agent: str, beliefs: Beliefs) -> Sequence[Candidate]:
        """Every possible move, then idle."""
        here = _cell(beliefs.pose(agent))
        near = [] if here is None else self.neighbours(here, beliefs)
        moves = [
            Candidate(agent, action, 0, "safe", "steps aside")
            for action in (self.move(agent, cell, beliefs) for cell in near)
            if action is not None
        ]
        return (*moves, Candidate(agent, IDLE, 0, "safe", "waits"))

    def cell(self, agent: str, beliefs: Beliefs) -> Cell | None:
        """Where the agent is believed to be."""
        return _cell(beliefs.pose(agent))

    def destination(self, agent: str, action: Action | None, beliefs: Beliefs) -> Cell | None:
        """The agent's goal, whatever the action."""
        return self.goals[agent]

    def neighbours(self, cell: Cell, beliefs: Beliefs) -> Sequence[Cell]:
        """Free cells beside a cell."""
        near = ((cell[0] + dx, cell[1] + dy) for dx, dy in _DIRECTIONS.values())
        return tuple(c for c in near if c in self.cells)

    def move(self, agent: str, cell: Cell, beliefs: Beliefs) -> Action | None:
        """The move that leads to a neighbouring cell."""
        here = _cell(beliefs.pose(agent))
        for direction in _DIRECTIONS:
            action = Action("Move", (direction,))
            if here is not None and _target(here, action) == cell:
                return action
        return None

    def distance(self, cell: Cell, agent: str) -> int:
        """Moves from a cell to the agent's goal, other agents disregarded."""
        goal = self.goals[agent]
        if goal not in self._fields:
            steps = {goal: 0}
            queue = deque((goal,))
            while queue:
                here = queue.popleft()
                for dx, dy in _DIRECTIONS.values():
                    near = (here[0] + dx, here[1] + dy)
                    if near in self.cells and near not in steps:
                        steps[near] = steps[here] + 1
                        queue.append(near)
            self._fields[goal] = steps
        return self._fields[goal].get(cell, len(self.cells))


def propose(world: CorridorWorld, k: int = 3) -> dict[str, tuple[Candidate, ...]]:
    """Each agent's `k` best moves for itself, as a model that looks at nobody else would rank."""
    found = {}
    for agent in world.agents:
        here = world.at[agent]
        ranked = []
        for action in (*(Action("Move", (d,)) for d in _DIRECTIONS), IDLE):
            target = _target(here, action)
            if target in world.cells and target is not None:
                ranked.append((world.rules.distance(target, agent), str(action), action))
        ranked.sort(key=lambda entry: entry[:2])
        found[agent] = tuple(Candidate(agent, r[2], n) for n, r in enumerate(ranked[:k]))
    return found


@dataclass(frozen=True, slots=True)
class Journey:
    """How a run of `travel` ended: "arrived", "no_progress" or "budget"."""

    end: str
    steps: int
    cells: tuple[Mapping[str, Cell], ...]
    assignments: tuple[Assignment, ...]
    deadlock: Deadlock | None = None


def travel(world: CorridorWorld, coordinator: Coordinator, limit: int = 100, k: int = 3) -> Journey:
    """Let a coordinator bring everybody home; ends early if the deadlock report says so."""
    world.reset(0)
    history = History.empty(world.agents)
    trail = [dict(world.at)]
    assignments: list[Assignment] = []
    for step in range(limit):
        if world.score().success:
            return Journey("arrived", step, tuple(trail), tuple(assignments))
        poses = {a: _pose(c) for a, c in world.at.items()}
        beliefs = BareBeliefs(world.agents, step, poses)
        assignments.append(coordinator.select(propose(world, k), beliefs, history))
        deadlock = deadlock_report(assignments, history)
        if deadlock is not None and deadlock.total:
            return Journey("no_progress", step, tuple(trail), tuple(assignments), deadlock)
        before = dict(world.at)
        joint = {a: c.candidate.action for a, c in assignments[-1].chosen.items()}
        result = world.step(joint)
        trail.append(dict(world.at))
        history = history.extended(
            {
                a: Attempt(
                    step, o.action, o.success, o.idle, before[a], world.at[a], before != world.at
                )
                for a, o in result.outcomes.items()
            }
        )
    return Journey("budget", limit, tuple(trail), tuple(assignments))
