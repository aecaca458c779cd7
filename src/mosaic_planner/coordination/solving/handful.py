"""A handful of agents: depth first over whole options, in tens of microseconds.

At this size building anything costs more than searching. Agents whose first option is worth most
come first; a branch ends where even the cheapest remaining options could not win. What a joint task
is worth is credited to its places one by one, which bounds it well and is exact once all of them
are taken; where only some are, there is no answer to bound. Keys are unique
(see `search.keys`), so the answer is the canonical one. Problems with rows of other forms than
Table 1's, or too entangled for a few hundred tries, are left to the other solvers.
"""

from __future__ import annotations

from math import inf
from typing import NamedTuple

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
    levels, tasks = read
    levels.sort(key=_regret, reverse=True)
    tails = [0] * len(levels)
    for i in range(len(levels) - 1, 0, -1):
        tails[i - 1] = tails[i] + levels[i][0][0]
    taken, tries = _best(levels, tails, tasks, limit)
    if taken is None or tries > limit:
        return None
    chosen = tuple([o.index for o in problem.options if taken >> o.index & 1])
    active = tuple([t.name for t in tasks if (taken & t.members).bit_count() == t.size])
    return chosen, active, tries


_Level = list[tuple[int, int, int]]  # one agent's options: key, bit, bits it excludes


class _Task(NamedTuple):
    """A joint task: bits of its options, and what they are credited beyond its worth in all."""

    name: str
    members: int
    size: int
    excess: int


def _regret(level: _Level) -> int:
    return level[1][0] - level[0][0] if len(level) > 1 else 1 << 400


def _read(problem: Problem) -> tuple[list[_Level], list[_Task]] | None:
    """The problem as bit masks; None if a row is not of a form that fits."""
    count = len(problem.options)
    barred = 0
    excludes = [0] * count
    needs: list[tuple[str, int, int]] = []
    bits = [1 << o for o in range(count)]
    for _, options, upper, lower, coefficients, task, size, _ in problem.rows:
        members = 0
        for o in options:
            members |= bits[o]
        if coefficients is not None:
            return None
        if task:
            if lower != 0 or upper != 0:
                return None
            needs.append((task, members, size))
        elif lower is not None:
            return None
        elif upper == 1:
            for o in options:
                excludes[o] |= members
        elif upper == 0:
            barred |= members
        else:
            return None
    if {s.task for s in problem.switches} != {name for name, _, _ in needs}:
        return None
    groups = list(problem.by_agent.values())
    ranks = problem.ranks or (0,) * count
    spread = 1 + sum([max([ranks[o.index] for o in g], default=0) for g in groups])
    factor = 1
    for group in groups:
        factor *= len(group)
    ordered, units = problem.ordered, problem.units
    rewards = {s.task: 0 if ordered else s.reward * spread * factor for s in problem.switches}
    tasks: list[_Task] = []
    credit = [0] * count
    for name, members, size in needs:
        each = -(-rewards[name] // size)
        tasks.append(_Task(name, members, size, each * size - rewards[name]))
        for o in range(count):
            if members >> o & 1:
                credit[o] += each
    place = factor
    levels: list[_Level] = []
    for group in groups:
        if not group:
            return None
        place //= len(group)
        own = 0
        for option in group:
            own |= bits[option.index]
        others = ~own
        level = []
        at = -place
        for option in group:
            o = option.index
            at += place
            bit = bits[o]
            if not barred & bit:
                weight = 0 if ordered else units[o] * spread + ranks[o]
                level.append((weight * factor + at - credit[o], bit, excludes[o] & others))
        if not level:
            return None
        level.sort()
        levels.append(level)
    return levels, tasks


def _least(levels: list[_Level], at: int, blocked: int) -> float:
    """The least that the levels from `at` on add, given what is blocked; inf if one has nothing."""
    least = 0
    for level in levels[at:]:
        for key, bit, _ in level:
            if not blocked & bit:
                least += key
                break
        else:
            return inf
    return least


def _best(
    levels: list[_Level],
    tails: list[int],
    tasks: list[_Task],
    limit: int,
) -> tuple[int | None, int]:
    """Bits of the best joint action, None if there is none, and the tries it took.

    `tails`: for each level the least that all deeper ones can add.
    """
    last = len(levels) - 1
    best: float = inf  # an exact integer once there is one
    chosen: int | None = None
    tries = 0
    # A closure over plain names: attribute access would be half of the time here.

    def visit(at: int, blocked: int, spent: int, taken: int) -> None:
        nonlocal best, chosen, tries
        tail = tails[at]
        for key, bit, excluded in levels[at]:
            total = spent + key
            if total + tail >= best:
                return
            if blocked & bit:
                continue
            tries += 1
            if tries > limit:
                return
            if at < last:
                now = blocked | excluded
                if not excluded or total + _least(levels, at + 1, now) < best:
                    visit(at + 1, now, total, taken | bit)
                continue
            mask = taken | bit
            for _, members, size, excess in tasks:
                count = (mask & members).bit_count()
                if count == size:
                    total += excess
                elif count:
                    break
            else:
                if total < best:
                    best, chosen = total, mask

    visit(0, 0, 0, 0)
    return chosen, tries
