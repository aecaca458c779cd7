"""Right of way on grids: who lets whom pass, where, and when nobody can.

One step of a move looks one cell ahead, so a joint optimum of single steps can drive two agents
into a corridor head on and leave them there. This module looks further with whole routes. For
each pair that meets head on (or where one stands in the other's way) it compares, for every side
cell that could serve as a passing bay, when both would arrive if one of them waited there; the
best of these plans says who yields. The one that yields inherits the other's priority: whoever
stands on its way to the bay must yield in turn. Plans are made anew every step from cells and
goals alone; for two agents following one only makes it better, so they do not change their minds.

The answer is advice in the form of directives, which the coordinator turns into safe candidates
and a cost term, and blockades: who is blocked by whom with no bay in reach, which is a proof for
two agents and a strong hint for more.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from mosaic_planner.coordination.passing import first_step
from mosaic_planner.core.geometry import Cell

__all__ = ["Blockade", "Directive", "Neighbours", "Traffic", "right_of_way"]

Neighbours = Callable[[Cell], Sequence[Cell]]
"""The cells one move away from a cell, other agents disregarded."""


_NEVER = 1_000_000


@dataclass(frozen=True, slots=True)
class Directive:
    """What right of way asks of one agent in this step.

    `to`: the cell to be on after this step, None if that is free. `avoid`: cells to stay off.
    `for_whom`: the agents it makes way for, none for one that only has to hold back.
    """

    agent: str
    to: Cell | None
    avoid: frozenset[Cell]
    for_whom: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Blockade:
    """`agent` cannot get to its goal because of `by`, and neither can let the other pass."""

    agent: str
    by: str
    detail: str


@dataclass(frozen=True, slots=True)
class Traffic:
    """Directives by agent (only those that have one) and blockades, in order of agents."""

    directives: Mapping[str, Directive]
    blockades: tuple[Blockade, ...] = ()


@dataclass(frozen=True, slots=True)
class _Plan:
    """`yields` waits at the end of `path` (its own cell first) until `passes` has gone by."""

    total: int
    latest: int
    yields: str
    passes: str
    path: tuple[Cell, ...]


@dataclass(slots=True)
class _Advice:
    """A directive in the making."""

    to: Cell | None = None
    avoid: set[Cell] = field(default_factory=set)
    for_whom: list[str] = field(default_factory=list)
    held_by: list[str] = field(default_factory=list)


def right_of_way(
    cells: Mapping[str, Cell], goals: Mapping[str, Cell], neighbours: Neighbours
) -> Traffic:
    """Directives and blockades for agents on `cells`; agents without a goal just stand there."""
    return _Roads(cells, goals, neighbours).traffic()


class _Roads:
    """Routes of everybody, and the plans for those that meet."""

    def __init__(
        self, cells: Mapping[str, Cell], goals: Mapping[str, Cell], neighbours: Neighbours
    ) -> None:
        self.cells = {a: cells[a] for a in sorted(cells)}
        self.neighbours = neighbours
        self.fields: dict[Cell, dict[Cell, int]] = {}
        self.goals = {a: goals[a] for a in self.cells if a in goals}
        self.routes = {a: self.route(c, self.goals.get(a, c)) for a, c in self.cells.items()}
        self.advice: dict[str, _Advice] = {}
        self.blockades: dict[tuple[str, str], str] = {}

    def distances(self, goal: Cell) -> dict[Cell, int]:
        """Steps to `goal` from everywhere."""
        if goal not in self.fields:
            self.fields[goal] = _flood(goal, self.neighbours)[0]
        return self.fields[goal]

    def route(self, start: Cell, goal: Cell) -> tuple[Cell, ...]:
        """A shortest route, start and goal included; only the start if there is none."""
        steps = self.distances(goal)
        if start not in steps:
            return (start,)
        route = [start]
        while route[-1] != goal:
            here = route[-1]
            route.append(
                min(n for n in self.neighbours(here) if steps.get(n, -1) == steps[here] - 1)
            )
        return tuple(route)

    def traffic(self) -> Traffic:
        meetings = self.meetings()
        crowd = Counter(agent for pair in meetings for agent in pair)
        for a, b in meetings:
            if crowd[a] == crowd[b] == 1 and self.exactly(a, b):
                continue
            plans = [p for p in (self.best(a, b), self.best(b, a)) if p is not None]
            if plans:
                self.follow(min(plans, key=lambda p: (p.total, p.latest, p.passes)))
                continue
            detail = f"neither {a} nor {b} can reach a place to step aside"
            for one, other in ((a, b), (b, a)):
                if len(self.routes[one]) > 1:
                    self.blockades[one, other] = detail
        directives = {}
        for agent in self.cells:
            if agent in self.advice:
                directives[agent] = self.directive(agent, self.advice[agent])
        blockades = tuple(Blockade(a, b, why) for (a, b), why in sorted(self.blockades.items()))
        return Traffic(directives, blockades)

    def exactly(self, a: str, b: str) -> bool:
        """Plan for two that meet nobody else; False if that takes too long."""
        goals = (self.goals.get(a), self.goals.get(b))
        homes = tuple(self.distances(g) if g is not None else {} for g in goals)
        start = (self.cells[a], self.cells[b])
        step = first_step(start, goals, (homes[0], homes[1]), self.neighbours)
        if step == "unknown":
            return False
        if step == "impossible":
            detail = f"there is no place where {a} and {b} could pass each other"
            for one, other, goal in ((a, b, goals[0]), (b, a, goals[1])):
                if goal is not None and goal != self.cells[one]:
                    self.blockades[one, other] = detail
            return True
        for i, (one, other) in enumerate(((a, b), (b, a))):
            gains = goals[i] is not None and homes[i][step[i]] < homes[i].get(start[i], 0)
            rests = step[i] == start[i] == goals[i]
            self.advice[one] = _Advice(step[i], for_whom=[] if gains or rests else [other])
            self.advice[one].held_by.append(other)
        return True

    def meetings(self) -> list[tuple[str, str]]:
        """Pairs in each other's way, nearest first.

        They meet head on, or one will stand on the other's route when that one comes by.
        """
        along: dict[tuple[Cell, Cell], list[str]] = {}
        resting: dict[Cell, list[str]] = {}
        for agent, route in self.routes.items():
            for edge in pairwise(route):
                along.setdefault(edge, []).append(agent)
            resting.setdefault(route[-1], []).append(agent)
        found: dict[tuple[str, str], int] = {}
        for agent, route in self.routes.items():
            for at, (u, v) in enumerate(pairwise(route)):
                there = [b for b in resting.get(v, ()) if len(self.routes[b]) <= at + 2]
                for other in (*along.get((v, u), ()), *there):
                    if other != agent:
                        pair = (min(agent, other), max(agent, other))
                        found[pair] = min(found.get(pair, at), at)
        return sorted(found, key=lambda pair: (found[pair], pair))

    def best(self, yields: str, passes: str) -> _Plan | None:
        """The best plan in which `yields` waits somewhere off the route of `passes`."""
        route = self.routes[passes]
        if len(route) == 1:
            return None  # who does not go anywhere cannot be let pass
        start = self.cells[yields]
        goal = self.goals.get(yields)
        when = {cell: at for at, cell in enumerate(route)}
        arrives = len(route) - 1
        steps, before = _flood(start, self.neighbours, self.cells[passes])
        home = self.distances(goal) if goal is not None else {}
        occupied = {c for a, c in self.cells.items() if a not in (yields, passes)}
        own = set(self.routes[yields])
        best: tuple[tuple[int, int, int, tuple[Cell, ...]], _Plan] | None = None
        for bay, walk in steps.items():
            if bay in when or bay in occupied:
                continue
            if bay not in own and before[bay] not in when and before[bay] not in occupied:
                continue  # a nearer cell serves as well
            path = _back(bay, before)
            delay = max((at + 1 - when[c] for at, c in enumerate(path) if c in when), default=0)
            mine = 0
            if goal is not None:
                way = self.route(bay, goal)
                mine = max(walk, _free_at(way, when)) + home.get(bay, _NEVER)
                if self.goals.get(passes) in way[1:]:
                    if not self.can_clear(self.goals[passes], bay, way):
                        continue
                    mine += 4  # they will stand there then and have to step aside again
            theirs = arrives + max(0, delay)
            plan = _Plan(theirs + mine, max(theirs, mine), yields, passes, path)
            key = (plan.total, plan.latest, -walk, path)
            if plan.total < _NEVER and (best is None or key < best[0]):
                best = (key, plan)
        return best[1] if best is not None else None

    def can_clear(self, stands: Cell, bay: Cell, way: Sequence[Cell]) -> bool:
        """Whether an agent on `stands` can later let one come by from `bay` along `way`."""
        steps, _ = _flood(stands, self.neighbours, bay)
        return any(cell not in way for cell in steps)

    def follow(self, plan: _Plan) -> None:
        """Turn a plan into advice for both, and for whoever stands on the way to the bay."""
        mine = self.advice.setdefault(plan.yields, _Advice())
        ahead = plan.path[1:]
        if mine.to is None:
            mine.to = ahead[0] if ahead else plan.path[0]
        mine.for_whom.append(plan.passes)
        if not ahead:
            mine.avoid.update(self.routes[plan.passes])
            return
        other = self.advice.setdefault(plan.passes, _Advice())
        other.avoid.update(ahead)
        other.held_by.append(plan.yields)
        for agent, cell in self.cells.items():
            if agent != plan.passes and cell in ahead and agent not in self.advice:
                self.push(agent, plan.yields, plan.path)

    def push(self, agent: str, pusher: str, path: tuple[Cell, ...]) -> None:
        """Priority inheritance: `agent` stands on `path`, which `pusher` needs now."""
        if self.routes[agent][1:2] and self.routes[agent][1] not in path:
            return  # it leaves by itself
        steps, before = _flood(self.cells[agent], self.neighbours, self.cells[pusher])
        taken = set(self.cells.values()) - {self.cells[agent]}
        free = [c for c in steps if c not in path and c not in taken]
        if not free:
            self.blockades[pusher, agent] = f"{agent} cannot get out of the way"
            return
        bay = min(free, key=lambda c: (steps[c], c))
        way = _back(bay, before)
        self.advice[agent] = _Advice(way[1], set(path) - {way[1]}, [pusher])
        for other, cell in self.cells.items():
            if cell in way[1:] and other not in self.advice and other != pusher:
                self.push(other, agent, way)

    def directive(self, agent: str, advice: _Advice) -> Directive:
        for_whom = tuple(dict.fromkeys(advice.for_whom))
        names = " and ".join(for_whom or dict.fromkeys(advice.held_by))
        if for_whom and advice.to == self.cells[agent]:
            why = f"waits for {names} to pass"
        elif for_whom:
            why = f"makes way for {names}"
        elif advice.to is not None:
            why = f"goes on, {names} making way"
        else:
            why = f"holds back until the way is clear of {names}"
        avoid = frozenset(advice.avoid - {advice.to} if advice.to else advice.avoid)
        return Directive(agent, advice.to, avoid, for_whom, why)


def _free_at(way: Sequence[Cell], when: Mapping[Cell, int]) -> int:
    """When to set out on `way` so as to find its first shared cell just left by the other."""
    for at, cell in enumerate(way):
        if cell in when:
            return when[cell] + 1 - at
    return 0


def _flood(
    start: Cell, neighbours: Neighbours, closed: Cell | None = None
) -> tuple[dict[Cell, int], dict[Cell, Cell]]:
    """Steps from `start` to every cell, and the cell before it, without entering `closed`."""
    steps = {start: 0}
    before: dict[Cell, Cell] = {}
    queue = deque((start,))
    while queue:
        cell = queue.popleft()
        for other in sorted(neighbours(cell)):
            if other not in steps and other != closed:
                steps[other] = steps[cell] + 1
                before[other] = cell
                queue.append(other)
    return steps, before


def _back(cell: Cell, before: Mapping[Cell, Cell]) -> tuple[Cell, ...]:
    path = [cell]
    while path[-1] in before:
        path.append(before[path[-1]])
    return tuple(reversed(path))
