"""How two agents get past each other on a grid: exact, or the proof that they cannot.

A best-first search over pairs of cells. A step costs 1 for each agent that is not resting on its
goal, so the first step of the cheapest plan brings both nearer to the end, and planning anew after
every step never turns back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from heapq import heappop, heappush
from typing import Literal

from mosaic_planner.core.geometry import Cell

__all__ = ["MOST_PAIRS", "first_step"]

MOST_PAIRS = 4_000
"""Pairs of cells looked at before the search gives up."""

_Pair = tuple[Cell, Cell]


def first_step(
    start: _Pair,
    goals: tuple[Cell | None, Cell | None],
    homes: tuple[Mapping[Cell, int], Mapping[Cell, int]],
    neighbours: Callable[[Cell], Sequence[Cell]],
    limit: int = MOST_PAIRS,
) -> _Pair | Literal["impossible", "unknown"]:
    """The cells of both after the first step of a cheapest plan.

    "impossible" if there is no plan, "unknown" if `limit` pairs were not enough to tell.

    `homes`: steps to the goal by cell, empty for an agent without a goal, which only has to get
    out of the way. A cell may be entered as its occupant leaves it; swapping is not possible.
    """
    free = (goals[0] is None, goals[1] is None)

    def ahead(pair: _Pair) -> int | None:
        total = 0
        for i in (0, 1):
            if not free[i]:
                steps = homes[i].get(pair[i])
                if steps is None:
                    return None
                total += steps
        return total

    estimate = ahead(start)
    if estimate is None:
        return "impossible"
    queue: list[tuple[int, int, _Pair, _Pair | None]] = [(estimate, 0, start, None)]
    best = {start: 0}
    closed = 0
    while queue:
        _, saved, pair, first = heappop(queue)
        spent = -saved
        if spent > best[pair]:
            continue
        if all(free[i] or pair[i] == goals[i] for i in (0, 1)) and first is not None:
            return first
        closed += 1
        if closed > limit:
            return "unknown"
        for a in (pair[0], *sorted(neighbours(pair[0]))):
            for b in (pair[1], *sorted(neighbours(pair[1]))):
                if a == b or (a == pair[1] and b == pair[0]):
                    continue
                cost = sum(
                    now != then or (not free[i] and now != goals[i])
                    for i, (then, now) in enumerate(((pair[0], a), (pair[1], b)))
                )
                new = (a, b)
                rest = ahead(new)
                if rest is None or spent + cost >= best.get(new, 1 << 30):
                    continue
                best[new] = spent + cost
                heappush(queue, (spent + cost + rest, -spent - cost, new, first or new))
    return "impossible"
