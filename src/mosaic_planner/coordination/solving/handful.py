"""A handful of agents: depth first over whole options, in tens of microseconds.

At this size building anything costs more than searching. Agents whose first option is worth most
come first; a branch ends where even the cheapest remaining options could not win. Keys are unique
(see `search.keys`), so the answer is the canonical one. Problems with rows of other forms than
Table 1's, or too entangled for a few hundred tries, are left to the other solvers.
"""

from __future__ import annotations

from mosaic_planner.coordination.problem import Problem

__all__ = ["MOST_AGENTS", "handful"]

MOST_AGENTS = 12
"""Beyond so many agents depth first is hopeless and recursion deep."""


def handful(problem: Problem, limit: int) -> tuple[tuple[int, ...], tuple[str, ...], int] | None:
    """Chosen options, active joint tasks and tries (at most `limit`); None if it is not for us.

    None says nothing about the problem: it may be too large, of another form, or impossible.
    """
    if not 0 < len(problem.agents) <= MOST_AGENTS:
        return None
    read = _read(problem)
    if read is None:
        return None
    levels, tasks, rewards = read
    levels.sort(key=_regret, reverse=True)
    floor = [0] * (len(levels) + 1)
    for i in range(len(levels) - 1, -1, -1):
        floor[i] = floor[i + 1] + levels[i][0][0]
    search = _Search(levels, floor, tasks, rewards, limit)
    search.visit(0, 0, 0, 0)
    if search.best is None or search.tries > limit:
        return None
    taken = search.taken
    chosen = tuple([o.index for o in problem.options if taken >> o.index & 1])
    active = tuple([name for name, members, size in tasks if (taken & members).bit_count() == size])
    return chosen, active, search.tries


_Level = list[tuple[int, int, int]]  # one agent's options: key, bit, bits it excludes
_Task = tuple[str, int, int]  # name, bits of its options, size


def _regret(level: _Level) -> int:
    return level[1][0] - level[0][0] if len(level) > 1 else 1 << 400


def _read(problem: Problem) -> tuple[list[_Level], list[_Task], dict[str, int]] | None:
    """The problem as bit masks; None if a row is not of a form that fits."""
    count = len(problem.options)
    barred = 0
    excludes = [0] * count
    tasks: list[_Task] = []
    for _, options, upper, lower, coefficients, task, size, _ in problem.rows:
        members = 0
        for o in options:
            members |= 1 << o
        if coefficients is not None:
            return None
        if task:
            if lower != 0 or upper != 0:
                return None
            tasks.append((task, members, size))
        elif lower is not None:
            return None
        elif upper == 1:
            for o in options:
                excludes[o] |= members
        elif upper == 0:
            barred |= members
        else:
            return None
    if len({name for name, _, _ in tasks}) < len(problem.switches):
        return None
    groups = list(problem.by_agent.values())
    ranks = problem.ranks or (0,) * count
    spread = 1 + sum([max([ranks[o.index] for o in g], default=0) for g in groups])
    factor = 1
    for group in groups:
        factor *= len(group)
    rewards = {s.task: s.reward * spread * factor for s in problem.switches}
    if problem.ordered:
        rewards = dict.fromkeys(rewards, 0)
    place = factor
    levels: list[_Level] = []
    for group in groups:
        if not group:
            return None
        place //= len(group)
        own = 0
        for option in group:
            own |= 1 << option.index
        level = []
        for position, option in enumerate(group):
            o = option.index
            if not barred >> o & 1:
                weight = 0 if problem.ordered else problem.units[o] * spread + ranks[o]
                level.append((weight * factor + position * place, 1 << o, excludes[o] & ~own))
        if not level:
            return None
        level.sort()
        levels.append(level)
    return levels, tasks, rewards


class _Search:
    """State of one search."""

    __slots__ = ("best", "depth", "floor", "levels", "limit", "rewards", "taken", "tasks", "tries")

    def __init__(
        self,
        levels: list[_Level],
        floor: list[int],
        tasks: list[_Task],
        rewards: dict[str, int],
        limit: int,
    ) -> None:
        self.limit = limit
        self.levels = levels
        self.depth = len(levels)
        self.tasks = tasks
        self.rewards = rewards
        most = sum(rewards.values())
        self.floor = [f - most for f in floor]
        self.best: int | None = None
        self.taken = 0
        self.tries = 0

    def visit(self, at: int, blocked: int, spent: int, taken: int) -> None:
        if at == self.depth:
            for name, members, size in self.tasks:
                count = (taken & members).bit_count()
                if count == size:
                    spent -= self.rewards[name]
                elif count:
                    return
            if self.best is None or spent < self.best:
                self.best, self.taken = spent, taken
            return
        tail = self.floor[at + 1]
        for key, bit, excluded in self.levels[at]:
            total = spent + key
            if self.best is not None and total + tail >= self.best:
                return
            if blocked & bit:
                continue
            self.tries += 1
            if self.tries > self.limit:
                return
            self.visit(at + 1, blocked | excluded, total, taken | bit)
