"""Branch and bound of our own for small parts: exact, no dependency, a fraction of a millisecond.

Weights and the lexicographic order are folded into one integer per variable (Python integers have
no size limit), so that every assignment has a different total and the optimum is unique by
construction: the search may look at groups in any order and still gives the canonical answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

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


class _Node(NamedTuple):
    """A part of the search space: every assignment within `allowed`.

    `floor`: bound of the key. `spent`: key of the decided groups. `before`: what was allowed when
    the general rows were last looked at.
    """

    floor: int
    allowed: int
    undecided: list[int]
    spent: int
    before: int


class _Search:
    """State of one run."""

    __slots__ = (
        "base",
        "best",
        "bound",
        "conflicts",
        "factor",
        "key",
        "limit",
        "linears",
        "masks",
        "nodes",
        "order",
        "patience",
        "value",
    )

    def __init__(self, part: Instance, limit: int, patience: int) -> None:
        self.key, self.factor = keys(part)
        least = min(self.key)
        self.base = 0
        if least < 0:  # keys from 0 on, so that -1 can stand for "none" while searching
            self.key = [k - least for k in self.key]
            self.base = -least
        self.order = [
            [(1 << v, self.key[v], v) for v in sorted(g, key=self.key.__getitem__)]
            for g in part.groups
        ]
        self.masks = [sum([1 << v for v in g]) for g in part.groups]
        self.conflicts = conflict_masks(part, self.masks)
        self.linears = []
        for row in part.linears:
            scope = sorted({part.group_of[v] for v in row.terms})
            members = [[(1 << v, row.terms.get(v, 0)) for v in part.groups[g]] for g in scope]
            mask = 0
            for g in scope:
                mask |= self.masks[g]
            self.linears.append((row.lower, row.upper, mask, members))
        self.limit = limit
        self.patience = patience
        self.nodes = 0
        self.best = -1  # mask of the best assignment
        self.value: int | None = None  # its key
        self.bound: int | None = None  # least bound of what was left unexplored

    def propagate(self, allowed: int, before: int) -> int:
        """Restrict the allowed variables by the general rows; 0 if a row cannot hold.

        `before` were the allowed variables when the rows were last looked at.
        """
        while True:
            start = allowed
            for lower, upper, mask, groups in self.linears:
                if not (before ^ allowed) & mask:
                    continue
                least = most = 0
                ranges = []
                for members in groups:
                    low, high = 1 << 60, -(1 << 60)
                    for bit, c in members:
                        if allowed & bit:
                            if c < low:
                                low = c
                            if c > high:
                                high = c
                    if low > high:
                        return 0
                    least += low
                    most += high
                    if low < high:
                        ranges.append((members, low, high))
                if (upper is not None and least > upper) or (lower is not None and most < lower):
                    return 0
                for members, low, high in ranges:
                    for bit, c in members:
                        if allowed & bit and (
                            (upper is not None and least - low + c > upper)
                            or (lower is not None and most - high + c < lower)
                        ):
                            allowed &= ~bit
            if allowed == start:
                return allowed
            before = start

    def run(self) -> None:
        """Depth first, the most promising child first; a stack instead of recursion."""
        stack = [_Node(0, sum(self.masks), list(range(len(self.masks))), 0, 0)]
        while stack:
            node = stack.pop()
            if self.value is not None:
                if node.floor >= self.value:
                    continue
                if self.nodes >= self.limit:
                    floors = [n.floor for n in stack if n.floor < self.value]
                    self.bound = min([node.floor, *floors])
                    return
            elif self.nodes >= self.patience:
                raise _Limit
            self.nodes += 1
            stack.extend(self.expand(node))

    def expand(self, node: _Node) -> list[_Node]:
        """The children of a node, the best last; none if it is settled or hopeless."""
        _, allowed, undecided, spent, before = node
        order, conflicts, masks = self.order, self.conflicts, self.masks
        if self.linears:
            allowed = self.propagate(allowed, before)
            if not allowed:
                return []
            before = allowed
        while True:
            floor = spent
            left = []
            branch, fewest, regret = -1, 1 << 60, -1
            settled = False
            for g in undecided:
                here = allowed & masks[g]
                if not here:
                    return []
                if here & (here - 1):
                    count = here.bit_count()
                    first = second = -1
                    for bit, k, _ in order[g]:
                        if here & bit:
                            if first < 0:
                                first = k
                            else:
                                second = k
                                break
                    floor += first - self.base
                    left.append(g)
                    if count < fewest or (count == fewest and second - first > regret):
                        branch, fewest, regret = g, count, second - first
                else:
                    settled = True
                    v = here.bit_length() - 1
                    k = self.key[v] - self.base
                    floor += k
                    spent += k
                    allowed &= ~conflicts[v]
            if self.value is not None and floor >= self.value:
                return []
            undecided = left
            if not settled:
                break
            if self.linears:
                allowed = self.propagate(allowed, before)
                if not allowed:
                    return []
                before = allowed
        if branch < 0:
            self.best, self.value = allowed, spent
            return []
        rest = [g for g in undecided if g != branch]
        others = allowed & ~masks[branch]
        children = []
        cheapest = -1
        for bit, k, v in order[branch]:
            if allowed & bit:
                if cheapest < 0:
                    cheapest = k
                estimate = floor - cheapest + k
                if self.value is not None and estimate >= self.value:
                    break
                inside = (others | bit) & ~conflicts[v]
                children.append(_Node(estimate, inside, rest, spent + k - self.base, before))
        children.reverse()
        return children


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


def search(part: Instance, limit: int, patience: int = 0) -> Found:
    """Best assignment of a part within about `limit` nodes; raises `Infeasible`.

    When the limit is reached after a first assignment was found, the best one so far comes back
    with its proven bound; before that the search goes on for up to `patience` nodes (default 50
    times the limit).
    """
    state = _Search(part, limit, patience or 50 * limit)
    try:
        state.run()
    except _Limit:
        bound = sum(min(part.weight[v] for v in g) for g in part.groups)
        return Found(None, bound, False, state.nodes)
    if state.value is None:
        raise Infeasible
    choice = [next(v for v in g if state.best >> v & 1) for g in part.groups]
    lowest = state.value if state.bound is None else min(state.value, state.bound)
    return Found(choice, lowest // state.factor, state.bound is None, state.nodes)
