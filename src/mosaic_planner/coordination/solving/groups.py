"""Very large teams in groups (the paper's scalability note): good assignments with a stated gap.

The agents of a part are gathered into groups of neighbours in the conflict graph. Each group is
solved exactly while everybody else stands still, group after group, then again with other group
borders, as long as that helps. The start is feasible and every step keeps it so, which makes the
result never worse than the start; how far it can be from the optimum says the linear relaxation,
or, without OR-Tools, the sum of everybody's cheapest options.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import TypeVar

from mosaic_planner.coordination.solving.instance import Instance, Linear
from mosaic_planner.coordination.solving.search import Found, search

__all__ = ["SWEEPS", "in_groups"]

SWEEPS = 6
"""Most rounds over all groups."""

_Row = TypeVar("_Row")


def in_groups(
    part: Instance,
    size: int,
    solve: Callable[[Instance], list[int]],
    start: list[int] | None = None,
) -> Found:
    """A good assignment of a large part; `solve` gives the chosen names of a small instance.

    `start` is an assignment to improve (default: a greedy one). `bound` is only the sum of the
    cheapest options; the caller may know a better one. Raises `Infeasible` if nothing is possible.
    """
    floor = sum(min(part.weight[v] for v in g) for g in part.groups)
    choice = start or _greedy(part) or search(part, 1, 100 * len(part.groups)).choice
    if choice is None:
        return Found(None, floor, False, 0)
    team = _Team(part, list(choice))
    work = 0
    for sweep in range(SWEEPS):
        before = list(team.choice)
        for cluster in team.clusters(size, (sweep * size) // 3 % size):
            for v in solve(team.given(cluster)):
                team.choice[part.group_of[v]] = v
            work += len(cluster)
        if team.choice == before and sweep:
            break
    weight = sum(part.weight[v] for v in team.choice)
    return Found(team.choice, floor, weight == floor, work)


def _greedy(part: Instance) -> list[int] | None:
    """Everybody's cheapest option that is still possible, one after the other; None if stuck."""
    if part.linears:
        return None
    cliques_of: list[list[int]] = [[] for _ in part.weight]
    for number, clique in enumerate(part.cliques):
        for v in clique:
            cliques_of[v].append(number)
    taken: set[int] = set()
    choice = []
    for group in part.groups:
        free = [v for v in group if taken.isdisjoint(cliques_of[v])]
        if not free:
            return None
        best = min(free, key=part.weight.__getitem__)
        taken.update(cliques_of[best])
        choice.append(best)
    return choice


class _Team:
    """A part with its present choice, cut into clusters that are solved on their own."""

    def __init__(self, part: Instance, choice: list[int]) -> None:
        self.part = part
        self.choice = choice
        self.cliques: list[list[set[int]]] = [[] for _ in part.groups]
        self.linears: list[list[Linear]] = [[] for _ in part.groups]
        self.near: list[dict[int, None]] = [{} for _ in part.groups]
        for clique in part.cliques:
            self._enter(sorted({part.group_of[v] for v in clique}), self.cliques, clique)
        for row in part.linears:
            self._enter(sorted({part.group_of[v] for v in row.terms}), self.linears, row)

    def _enter(self, scope: list[int], index: list[list[_Row]], row: _Row) -> None:
        for g in scope:
            index[g].append(row)
            self.near[g].update(dict.fromkeys(scope))

    def clusters(self, size: int, offset: int) -> list[list[int]]:
        """All groups, gathered along conflicts into clusters of `size`, the first of `offset`."""
        free = set(range(len(self.near)))
        found: list[list[int]] = []
        room = offset or size
        for start in range(len(self.near)):
            if start not in free:
                continue
            cluster: list[int] = []
            queue = deque((start,))
            free.discard(start)
            while queue and len(cluster) < room:
                g = queue.popleft()
                cluster.append(g)
                for h in self.near[g]:
                    if h in free:
                        free.discard(h)
                        queue.append(h)
            free.update(queue)
            found.append(sorted(cluster))
            room = size
        return found

    def given(self, cluster: list[int]) -> Instance:
        """The cluster as an instance of its own, everybody else fixed to the present choice."""
        part, inside = self.part, set(cluster)
        group_of = part.group_of
        barred: set[int] = set()
        open_cliques: list[set[int]] = []
        for clique in _once(row for g in cluster for row in self.cliques[g]):
            members = {v for v in clique if group_of[v] in inside}
            if any(v not in members and self.choice[group_of[v]] == v for v in clique):
                barred |= members
            elif len(members) > 1:
                open_cliques.append(members)
        groups = [[v for v in part.groups[g] if v not in barred] for g in cluster]
        old = [v for group in groups for v in group]
        new = {v: i for i, v in enumerate(old)}
        linears = []
        for row in _once(row for g in cluster for row in self.linears[g]):
            spent = sum(
                c
                for v, c in row.terms.items()
                if group_of[v] not in inside and self.choice[group_of[v]] == v
            )
            terms = {new[v]: c for v, c in row.terms.items() if v in new}
            lower = None if row.lower is None else row.lower - spent
            upper = None if row.upper is None else row.upper - spent
            if terms:
                linears.append(Linear(terms, lower, upper))
        return Instance(
            [[new[v] for v in group] for group in groups],
            [part.weight[v] for v in old],
            old,
            [{new[v] for v in c - barred} for c in open_cliques if len(c - barred) > 1],
            linears,
            [i for i, group in enumerate(groups) for _ in group],
            part.spread,
        )


def _once(rows: Iterable[_Row]) -> list[_Row]:
    """Without repetitions, by identity."""
    return list({id(row): row for row in rows}.values())
