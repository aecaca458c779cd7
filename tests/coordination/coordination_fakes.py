"""Small rules, random instances, and a brute force that knows neither rows nor solvers."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

from mosaic_planner.coordination import (
    STAYS,
    ActionProfile,
    BareBeliefs,
    CellVisit,
    JointNeed,
    Problem,
)
from mosaic_planner.core.action import IDLE, Action
from mosaic_planner.core.belief import Beliefs
from mosaic_planner.core.candidate import Candidate
from mosaic_planner.core.history import Attempt, History


class TableRules:
    """Profiles and fallbacks from tables; what is not in a table is ineligible."""

    def __init__(
        self,
        profiles: Mapping[tuple[str, Action], ActionProfile],
        fallbacks: Mapping[str, Sequence[Candidate]] | None = None,
    ) -> None:
        self.profiles = profiles
        self.safe = fallbacks or {}

    def profile(self, agent: str, action: Action, beliefs: Beliefs) -> ActionProfile:
        found = self.profiles.get((agent, action))
        if found is not None:
            return found
        if action == IDLE:
            return ActionProfile(idle=True)
        return ActionProfile(eligible=False, reason=f"{agent} knows no {action}")

    def fallbacks(self, agent: str, beliefs: Beliefs) -> Sequence[Candidate]:
        return (*self.safe.get(agent, ()), Candidate(agent, IDLE, 0, "safe"))


def wants(agent: str, *actions: Action | str) -> tuple[Candidate, ...]:
    """Candidates in ranking order."""
    made = (a if isinstance(a, Action) else Action(a) for a in actions)
    return tuple(Candidate(agent, a, rank) for rank, a in enumerate(made))


def path(*cells: tuple[int, int]) -> tuple[CellVisit, ...]:
    """One cell per time index, staying on the last."""
    last = len(cells) - 1
    return tuple(
        CellVisit(cell, time, STAYS if time == last else time + 1)
        for time, cell in enumerate(cells)
    )


def random_step(
    rng: random.Random, agents: int | None = None
) -> tuple[TableRules, dict[str, tuple[Candidate, ...]], BareBeliefs, History]:
    """A random instance with all constraint kinds, ties, and a past."""
    count = agents or rng.randint(2, 6)
    names = [f"R{i}" for i in range(count)]
    size = rng.randint(2, 3)
    starts = rng.sample([(x, y) for x in range(size) for y in range(size)], min(count, size * size))
    while len(starts) < count:
        starts.append(rng.choice(starts))
    resources = [f"tool{i}" for i in range(rng.randint(1, 3))]
    tasks = [JointNeed(f"task{i}", rng.randint(1, 3)) for i in range(2)]
    profiles: dict[tuple[str, Action], ActionProfile] = {}
    candidates: dict[str, tuple[Candidate, ...]] = {}
    attempts: dict[str, tuple[Attempt, ...]] = {}
    for name, start in zip(names, starts, strict=True):
        profiles[name, IDLE] = ActionProfile(idle=True, path=path(start))
        wanted = []
        for k in range(rng.randint(1, 5)):
            action = Action(f"do{k}")
            if rng.random() < 0.1:
                wanted.append(Candidate(name, IDLE, k))
                continue
            cells = [start]
            for _ in range(rng.randint(0, 3)):
                x, y = cells[-1]
                dx, dy = rng.choice([(0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (-1, 1), (0, 0)])
                cells.append((min(max(x + dx, 0), size - 1), min(max(y + dy, 0), size - 1)))
            claims = tuple(r for r in resources if rng.random() < 0.25)
            joint = rng.choice(tasks) if rng.random() < 0.35 else None
            profiles[name, action] = ActionProfile(
                eligible=rng.random() > 0.15,
                reason="random",
                claims=claims,
                path=path(*cells) if rng.random() < 0.6 else (),
                joint=joint,
                steps=float(rng.randint(0, 4)),
                failure=rng.choice([0.0, 0.5]),
                progress=rng.choice([0.0, 0.5, 1.0]),
            )
            wanted.append(Candidate(name, action, k))
            if rng.random() < 0.1:
                wanted.append(Candidate(name, action, k + 1))
        candidates[name] = tuple(wanted)
        attempts[name] = tuple(
            Attempt(t, Action(f"do{rng.randint(0, 2)}"), rng.random() < 0.6, rng.random() < 0.3)
            for t in range(rng.randint(0, 4))
        )
    return TableRules(profiles), candidates, BareBeliefs(tuple(names)), History(attempts)


def meets(a: Sequence[CellVisit], b: Sequence[CellVisit]) -> bool:
    """Whether two timed paths collide, by walking through time (following allowed)."""

    def at(visits: Sequence[CellVisit], time: int) -> tuple[int, int] | None:
        return next((v.cell for v in visits if v.enter <= time < v.leave), None)

    def moves(visits: Sequence[CellVisit], time: int) -> tuple[tuple[int, int], ...] | None:
        return next(((u.cell, v.cell) for u, v in pairwise(visits) if v.enter == time), None)

    horizon = max([v.enter for v in (*a, *b)], default=0) + 1
    shared_start = bool(a) and bool(b) and a[0].cell == b[0].cell
    for time in range(horizon + 1):
        here, there = at(a, time), at(b, time)
        if here is not None and here == there:
            starting = shared_start and a[0].leave > time and b[0].leave > time
            if not starting:
                return True
        mine, theirs = moves(a, time), moves(b, time)
        if mine and theirs and mine[0] != mine[1]:
            if mine == theirs[::-1]:
                return True
            middle = tuple(p + q for p, q in zip(*mine, strict=True))
            other = tuple(p + q for p, q in zip(*theirs, strict=True))
            diagonal = all(abs(p - q) == 1 for p, q in zip(*mine, strict=True))
            if diagonal and middle == other:
                return True
    return False


def compatible(a: ActionProfile, b: ActionProfile) -> bool:
    """Whether two agents may do these two things at once (team sizes apart)."""
    return not set(a.claims) & set(b.claims) and not meets(a.path, b.path)


def feasible(profiles: Sequence[ActionProfile]) -> bool:
    """Whether a joint action keeps every rule of Table 1, straight from the profiles."""
    return (
        all(p.eligible for p in profiles)
        and staffed(profiles)
        and all(compatible(a, b) for a, b in combinations(profiles, 2))
    )


def staffed(profiles: Sequence[ActionProfile]) -> bool:
    """Whether every joint task has all its agents or none."""
    needs: dict[str, list[int]] = {}
    for p in profiles:
        if p.joint is not None:
            needs.setdefault(p.joint.task, []).append(p.joint.size)
    return all(len(sizes) == max(sizes) for sizes in needs.values())


def brute_force(problem: Problem) -> tuple[int, ...]:
    """The best joint action by cost less rewards, rank sum, option order; option indices."""
    rewards = {s.task: s.reward for s in problem.switches}
    options = problem.options
    fits = [
        [a.agent == b.agent or compatible(a.profile, b.profile) for b in options] for a in options
    ]
    groups = [[o.index for o in g if o.profile.eligible] for g in problem.by_agent.values()]
    joints: list[tuple[int, ...]] = [()]
    for group in groups:
        joints = [(*j, o) for j in joints for o in group if all(fits[o][p] for p in j)]
    best: tuple[tuple[object, ...], tuple[int, ...]] | None = None
    for joint in joints:
        if not staffed([options[i].profile for i in joint]):
            continue
        tasks = {p.joint.task for p in (options[i].profile for i in joint) if p.joint is not None}
        cost = sum(problem.units[i] for i in joint) - sum(rewards[t] for t in tasks)
        ranks = sum(problem.ranks[i] for i in joint)
        key = joint if problem.ordered else (cost, ranks, joint)
        if best is None or key < best[0]:
            best = (key, joint)
    assert best is not None
    return best[1]
