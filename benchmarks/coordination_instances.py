"""Instances for `coordination.py`: teams of agents with three candidates each, as profiles.

small   What a step of a mission looks like: agents on a grid of 6 x 6 cells with walks of up to
        four cells, exclusive tools, joint tasks of two, ten steps of history.
chain   Agents stand in a line. Each candidate conflicts with each candidate of the next two agents
        with probability 0.3 (an exclusive claim of their own).
grid    Agents on a square grid, 60 % of its cells occupied. Candidates are moves to three of the
        eight neighbouring cells, with all collisions: same cell, swap, crossing, blocked path.
dense   Each candidate conflicts with each candidate of every other agent with probability 0.08.
local   Agents scattered over a square, about eight neighbours within reach of each; candidates of
        neighbours conflict with probability 0.05. Made one connected component.

Costs come from profiles (progress, steps); every agent also has its no-op.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from mosaic_planner.coordination import STAYS, ActionProfile, BareBeliefs, CellVisit, JointNeed
from mosaic_planner.core.action import IDLE, Action
from mosaic_planner.core.belief import Beliefs
from mosaic_planner.core.candidate import Candidate
from mosaic_planner.core.geometry import Cell
from mosaic_planner.core.history import Attempt, History

K = 3


@dataclass(frozen=True)
class Instance:
    """A step: rules (a table), candidates, beliefs, history."""

    table: dict[tuple[str, Action], ActionProfile]
    candidates: dict[str, tuple[Candidate, ...]]
    history: History

    @property
    def beliefs(self) -> BareBeliefs:
        return BareBeliefs(tuple(self.candidates))

    def profile(self, agent: str, action: Action, beliefs: Beliefs) -> ActionProfile:
        return self.table.get((agent, action)) or ActionProfile(idle=True)

    def fallbacks(self, agent: str, beliefs: Beliefs) -> Sequence[Candidate]:
        return (Candidate(agent, IDLE, 0, "safe"),)


def _names(agents: int) -> list[str]:
    return [f"R{i:04}" for i in range(agents)]


def _do(k: int) -> Action:
    return Action("Do", (str(k),))


def _claiming(
    agents: int, rng: random.Random, pairs: Iterable[tuple[tuple[int, int], tuple[int, int]]]
) -> Instance:
    """Candidates whose only constraints are pairwise conflicts, one claim for each."""
    claims: dict[tuple[int, int], list[str]] = {(i, k): [] for i in range(agents) for k in range(K)}
    for number, (one, other) in enumerate(pairs):
        claims[one].append(f"c{number}")
        claims[other].append(f"c{number}")
    names = _names(agents)
    table = {
        (names[i], _do(k)): ActionProfile(
            claims=tuple(found), progress=round(rng.random(), 2), steps=rng.randint(0, 20)
        )
        for (i, k), found in claims.items()
    }
    candidates = {a: tuple(Candidate(a, _do(k), k) for k in range(K)) for a in names}
    return Instance(table, candidates, History.empty(tuple(names)))


def chain(agents: int, seed: int) -> Instance:
    rng = random.Random(f"chain {agents} {seed}")
    pairs = [
        ((i, a), (j, b))
        for i in range(agents)
        for j in range(i + 1, min(i + 3, agents))
        for a in range(K)
        for b in range(K)
        if rng.random() < 0.3
    ]
    return _claiming(agents, rng, pairs)


def dense(agents: int, seed: int) -> Instance:
    rng = random.Random(f"dense {agents} {seed}")
    pairs = [
        ((i, a), (j, b))
        for i in range(agents)
        for j in range(i + 1, agents)
        for a in range(K)
        for b in range(K)
        if rng.random() < 0.08
    ]
    return _claiming(agents, rng, pairs)


def local(agents: int, seed: int) -> Instance:
    rng = random.Random(f"local {agents} {seed}")
    side = agents**0.5
    at = [(rng.random() * side, rng.random() * side) for _ in range(agents)]

    def apart(i: int, j: int) -> float:
        return (at[i][0] - at[j][0]) ** 2 + (at[i][1] - at[j][1]) ** 2

    pairs = [
        ((i, a), (j, b))
        for i in range(agents)
        for j in range(i + 1, agents)
        if apart(i, j) < 1.6**2
        for a in range(K)
        for b in range(K)
        if rng.random() < 0.05
    ]
    return _claiming(agents, rng, [*pairs, *_bridges(agents, pairs, apart)])


def _bridges(
    agents: int,
    pairs: Sequence[tuple[tuple[int, int], tuple[int, int]]],
    apart: Callable[[int, int], float],
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Conflicts that join what would be components of their own to their nearest neighbours."""
    near: list[set[int]] = [set() for _ in range(agents)]
    for (i, _), (j, _) in pairs:
        near[i].add(j)
        near[j].add(i)
    added = []
    while True:
        seen, queue = {0}, [0]
        while queue:
            for j in sorted(near[queue.pop()] - seen):
                seen.add(j)
                queue.append(j)
        if len(seen) == agents:
            return added
        i, j = min(
            ((i, j) for i in range(agents) if i not in seen for j in seen),
            key=lambda pair: (apart(*pair), pair),
        )
        near[i].add(j)
        near[j].add(i)
        added.append(((i, 0), (j, 0)))


def grid(agents: int, seed: int) -> Instance:
    rng = random.Random(f"grid {agents} {seed}")
    side = int((agents / 0.6) ** 0.5 + 0.999)
    cells = rng.sample([(x, y) for x in range(side) for y in range(side)], agents)
    table: dict[tuple[str, Action], ActionProfile] = {}
    candidates: dict[str, tuple[Candidate, ...]] = {}
    for name, (x, y) in zip(_names(agents), cells, strict=True):
        table[name, IDLE] = ActionProfile(idle=True, path=(CellVisit((x, y), 0, STAYS),))
        near = [
            (x + dx, y + dy)
            for dx in (-1, 0, 1)
            for dy in (-1, 0, 1)
            if (dx or dy) and 0 <= x + dx < side and 0 <= y + dy < side
        ]
        for k, cell in enumerate(rng.sample(near, K)):
            path = (CellVisit((x, y), 0, 1), CellVisit(cell, 1, STAYS))
            table[name, _do(k)] = ActionProfile(
                path=path, steps=1.0, progress=round(rng.random(), 2)
            )
        candidates[name] = tuple(Candidate(name, _do(k), k) for k in range(K))
    return Instance(table, candidates, History.empty(tuple(candidates)))


def small(agents: int, seed: int) -> Instance:
    rng = random.Random(f"small {agents} {seed}")
    board = [(x, y) for x in range(6) for y in range(6)]
    table: dict[tuple[str, Action], ActionProfile] = {}
    candidates: dict[str, tuple[Candidate, ...]] = {}
    past: dict[str, tuple[Attempt, ...]] = {}
    for name, start in zip(_names(agents), rng.sample(board, agents), strict=True):
        stay = (CellVisit(start, 0, STAYS),)
        table[name, IDLE] = ActionProfile(idle=True, path=stay)
        for k in range(K):
            walk = _walk(start, rng.choice(board)) if k < 2 else [start]
            last = len(walk) - 1
            path = tuple(CellVisit(c, t, STAYS if t == last else t + 1) for t, c in enumerate(walk))
            table[name, _do(k)] = ActionProfile(
                claims=(f"tool{rng.randint(0, 2)}",) if k == 2 else (),
                path=path,
                steps=float(last),
                failure=rng.choice((0.0, 0.2)),
                progress=round(rng.random(), 2),
                joint=JointNeed("carry", 2) if k == 2 and rng.random() < 0.3 else None,
            )
        candidates[name] = tuple(Candidate(name, _do(k), k) for k in range(K))
        past[name] = tuple(
            Attempt(t, _do(rng.randrange(K)), rng.random() < 0.7, False, *rng.sample(board, 2))
            for t in range(10)
        )
    return Instance(table, candidates, History(past))


def _walk(start: Cell, goal: Cell) -> list[Cell]:
    (x, y), walk = start, [start]
    while (x, y) != goal and len(walk) < 5:
        if x != goal[0]:
            x += 1 if goal[0] > x else -1
        else:
            y += 1 if goal[1] > y else -1
        walk.append((x, y))
    return walk


SHAPES: dict[str, Callable[[int, int], Instance]] = {
    "small": small,
    "chain": chain,
    "grid": grid,
    "dense": dense,
    "local": local,
}
