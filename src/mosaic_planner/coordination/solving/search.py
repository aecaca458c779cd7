"""Branch and bound of our own for small parts: exact, no dependency, a fraction of a millisecond.

Weights and the lexicographic order are folded into one integer per variable (Python integers have
no size limit), so that every assignment has a different total and the optimum is unique by
construction: the search may look at groups in any order and still gives the canonical answer.
"""

from __future__ import annotations

from dataclasses import dataclass

from mosaic_planner.coordination.solving.instance import Infeasible, Instance

__all__ = ["Found", "keys", "search"]


@dataclass(frozen=True, slots=True)
class Found:
    """What a solver found for one part.

    `choice`: the chosen variables, one per group, or None if the limit came before any
    assignment. `bound`: proven lower bound of the total weight; equal to the weight of `choice`
    where `proven`. `work`: deterministic effort (nodes, table entries or branches).
    """

    choice: list[int] | None
    bound: int
    proven: bool
    work: int


def keys(part: Instance) -> tuple[list[int], int]:
    """One integer per variable, weight first and lexicographic place after it; and the factor.

    The sum of keys over an assignment, divided by the factor and rounded down, is its weight.
    """
    factor = 1
    for group in part.groups:
        factor *= len(group)
    place = factor
    result = [0] * len(part.weight)
    for group in part.groups:
        place //= len(group)
        for position, v in enumerate(group):
            result[v] = part.weight[v] * factor + position * place
    return result, factor


class _Limit(Exception):
    """The node limit is reached."""


class _Search:
    """State of one run."""

    __slots__ = (
        "best", "bound", "conflicts", "factor", "key", "limit", "linears", "masks", "nodes",
        "order", "value",
    )  # fmt: skip

    def __init__(self, part: Instance, limit: int) -> None:
        self.key, self.factor = keys(part)
        self.order = [sorted(g, key=self.key.__getitem__) for g in part.groups]
        self.masks = [sum(1 << v for v in g) for g in part.groups]
        self.conflicts = conflict_masks(part, self.masks)
        self.linears = [
            (row.lower, row.upper, [
                (self.masks[g], [(1 << v, row.terms.get(v, 0)) for v in part.groups[g]])
                for g in sorted({part.group_of[v] for v in row.terms})
            ])
            for row in part.linears
        ]  # fmt: skip
        self.limit = limit
        self.nodes = 0
        self.best = -1  # mask of the best assignment
        self.value: int | None = None  # its key
        self.bound: int | None = None  # least bound of what was left unexplored

    def propagate(self, allowed: int) -> int:
        """Restrict the allowed variables by the general rows; 0 if a row cannot hold."""
        again = True
        while again:
            again = False
            for lower, upper, groups in self.linears:
                ranges = []
                least = most = 0
                for mask, members in groups:
                    here = [c for bit, c in members if allowed & bit]
                    if not here:
                        return 0
                    low, high = min(here), max(here)
                    least += low
                    most += high
                    ranges.append((mask, members, low, high))
                if (upper is not None and least > upper) or (lower is not None and most < lower):
                    return 0
                for _, members, low, high in ranges:
                    if low == high:
                        continue
                    for bit, c in members:
                        if allowed & bit and (
                            (upper is not None and least - low + c > upper)
                            or (lower is not None and most - high + c < lower)
                        ):
                            allowed &= ~bit
                            again = True
        return allowed

    def visit(self, allowed: int, undecided: list[int], spent: int) -> None:
        """Explore all assignments within `allowed`; `spent` is the key of the decided groups."""
        self.nodes += 1
        key, order, conflicts = self.key, self.order, self.conflicts
        if self.linears:
            allowed = self.propagate(allowed)
            if not allowed:
                return
        while True:
            floor = spent
            settled = []
            branch, fewest, regret = -1, 1 << 60, -1
            for g in undecided:
                here = allowed & self.masks[g]
                if not here:
                    return
                first = second = -1
                count = 0
                for v in order[g]:
                    if here >> v & 1:
                        count += 1
                        if first < 0:
                            first = v
                        elif second < 0:
                            second = v
                floor += key[first]
                if count == 1:
                    settled.append((g, first))
                elif count < fewest or (count == fewest and key[second] - key[first] > regret):
                    branch, fewest, regret = g, count, key[second] - key[first]
            if self.value is not None and floor >= self.value:
                return
            if not settled:
                break
            gone = {g for g, _ in settled}
            undecided = [g for g in undecided if g not in gone]
            for _, v in settled:
                if not allowed >> v & 1:
                    return
                spent += key[v]
                allowed &= ~conflicts[v]
            if self.linears:
                allowed = self.propagate(allowed)
                if not allowed:
                    return
        if branch < 0:
            self.best, self.value = allowed, spent
            return
        rest = [g for g in undecided if g != branch]
        others = allowed & ~self.masks[branch]
        options = [v for v in order[branch] if allowed >> v & 1]
        cheapest = key[options[0]]
        for v in options:
            estimate = floor - cheapest + key[v]
            if self.value is not None and estimate >= self.value:
                break
            if self.nodes >= self.limit and self.value is not None:
                self.bound = estimate if self.bound is None else min(self.bound, estimate)
                break
            if self.nodes >= 50 * self.limit:
                raise _Limit
            self.visit((others | 1 << v) & ~conflicts[v], rest, spent + key[v])


def conflict_masks(part: Instance, masks: list[int]) -> list[int]:
    """For each variable the variables of other groups that a clique forbids beside it."""
    result = [0] * len(part.weight)
    for clique in part.cliques:
        together = 0
        for v in clique:
            together |= 1 << v
        for v in clique:
            result[v] |= together
    for v, g in enumerate(part.group_of):
        result[v] &= ~masks[g]
    return result


def search(part: Instance, limit: int) -> Found:
    """Best assignment of a part within about `limit` nodes; raises `Infeasible`.

    When the limit is reached after a first assignment was found, the best one so far comes back
    with its proven bound; before that the search goes on for up to 50 times the limit.
    """
    state = _Search(part, limit)
    everything = sum(state.masks)
    try:
        state.visit(everything, list(range(len(part.groups))), 0)
    except _Limit:
        bound = sum(min(part.weight[v] for v in g) for g in part.groups)
        return Found(None, bound, False, state.nodes)
    if state.value is None:
        raise Infeasible
    choice = [next(v for v in g if state.best >> v & 1) for g in part.groups]
    lowest = state.value if state.bound is None else min(state.value, state.bound)
    return Found(choice, lowest // state.factor, state.bound is None, state.nodes)
