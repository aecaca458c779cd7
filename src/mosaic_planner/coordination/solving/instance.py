"""The integer programme behind a problem.

An instance has *groups*, of which exactly one variable each is chosen (an agent and its options,
or a joint task's switch with "on" and "off"), an integer *weight* per variable, and linear rows.
At-most-one rows with coefficients 1 (*cliques*) are kept apart because nearly all rows are such.

The optimum meant everywhere is the unique one: least total weight, then the lexicographically
first choice in group order.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from mosaic_planner.coordination.problem import Problem

__all__ = ["Infeasible", "Instance", "Linear", "build"]


class Infeasible(Exception):
    """No assignment satisfies every row; used inside the solvers only."""


@dataclass(slots=True)
class Linear:
    """A general row: `lower <= sum(coefficient * z) <= upper`, bounds None where absent."""

    terms: dict[int, int]
    lower: int | None
    upper: int | None


@dataclass(frozen=True, slots=True)
class Scaled:
    """Weights made small for limited arithmetic, from 0 in every group, in the same order.

    Costs lose the least cost of their group and what they have in common as a divisor, ranks the
    least rank of their group; `weight` is `cost * spread + rank` anew.
    """

    costs: list[int]
    ranks: list[int]
    weight: list[int]
    spread: int
    base: int
    step: int

    def back(self, bound: int, spread: int) -> int:
        """A bound on scaled weights as a bound on the weights of an instance of that spread."""
        return (self.base + self.step * (bound // self.spread)) * spread


@dataclass(slots=True)
class Instance:
    """Groups of variables, weights, clique rows and general rows; dead variables are left out.

    `names[v]` says what variable v is: an option index >= 0, or -1 - 2 * s for "on" and -2 - 2 * s
    for "off" of switch s of the problem. A weight is `cost * spread + rank`, 0 <= rank < spread.
    """

    groups: list[list[int]]
    weight: list[int]
    names: list[int]
    cliques: list[set[int]]
    linears: list[Linear]
    group_of: list[int]
    spread: int = 1

    def copy(self) -> Instance:
        """An instance that can be reduced without changing this one."""
        return Instance(
            [list(g) for g in self.groups],
            self.weight,
            self.names,
            [set(c) for c in self.cliques],
            [Linear(dict(r.terms), r.lower, r.upper) for r in self.linears],
            self.group_of,
            self.spread,
        )

    def scaled(self) -> Scaled:
        """Small weights; see `Scaled`."""
        costs: list[int] = []
        ranks: list[int] = []
        for whole in self.weight:
            cost, rank = divmod(whole, self.spread)
            costs.append(cost)
            ranks.append(rank)
        base = 0
        spread = 1
        for group in self.groups:
            low_cost = min(costs[v] for v in group)
            low_rank = min(ranks[v] for v in group)
            base += low_cost
            spread += max(ranks[v] for v in group) - low_rank
            for v in group:
                costs[v] -= low_cost
                ranks[v] -= low_rank
        step = gcd(*costs) or 1
        costs = [c // step for c in costs]
        weight = [c * spread + r for c, r in zip(costs, ranks, strict=True)]
        return Scaled(costs, ranks, weight, spread, base, step)

    def restrict(self, used: set[int]) -> None:
        """Leave out every variable that is not in `used`; follow with `reduce`."""
        self.groups = [[v for v in g if v in used] for g in self.groups]
        self.cliques = [c & used for c in self.cliques]
        self.cliques = [c for c in self.cliques if len(c) > 1]
        for row in self.linears:
            row.terms = {v: c for v, c in row.terms.items() if v in used}

    def parts(self) -> list[Instance]:
        """Independent parts, in order of their first group; a group on its own is a part."""
        parent = list(range(len(self.groups)))

        def root(g: int) -> int:
            while parent[g] != g:
                parent[g] = parent[parent[g]]
                g = parent[g]
            return g

        group_of = self.group_of
        for row in (*self.cliques, *(linear.terms for linear in self.linears)):
            found = sorted({root(group_of[v]) for v in row})
            for g in found[1:]:
                parent[g] = found[0]
        members: dict[int, list[int]] = {}
        for g in range(len(self.groups)):
            members.setdefault(root(g), []).append(g)
        cliques: dict[int, list[set[int]]] = {}
        linears: dict[int, list[Linear]] = {}
        for clique in self.cliques:
            cliques.setdefault(root(group_of[next(iter(clique))]), []).append(clique)
        for linear in self.linears:
            linears.setdefault(root(group_of[next(iter(linear.terms))]), []).append(linear)
        return [
            self._part(groups, cliques.get(r, []), linears.get(r, []))
            for r, groups in members.items()
        ]

    def _part(self, groups: list[int], cliques: list[set[int]], linears: list[Linear]) -> Instance:
        old = [v for g in groups for v in self.groups[g]]
        new = {v: i for i, v in enumerate(old)}
        group_of: list[int] = []
        numbered: list[list[int]] = []
        for i, g in enumerate(groups):
            first = len(group_of)
            group_of.extend([i] * len(self.groups[g]))
            numbered.append(list(range(first, len(group_of))))
        return Instance(
            numbered,
            [self.weight[v] for v in old],
            [self.names[v] for v in old],
            [{new[v] for v in clique} for clique in cliques],
            [
                Linear({new[v]: c for v, c in row.terms.items()}, row.lower, row.upper)
                for row in linears
            ],
            group_of,
            self.spread,
        )


def build(problem: Problem) -> Instance:
    """The instance of a problem, before any reduction.

    The weight of an option is `units * R + rank` with R beyond every sum of ranks, so that ranks
    only break ties of cost; it is 0 where the problem is `ordered`.
    """
    groups: list[list[int]] = []
    names: list[int] = []
    for agent in problem.agents:
        options = problem.by_agent[agent]
        groups.append(list(range(len(names), len(names) + len(options))))
        names.extend(o.index for o in options)
    where = {name: v for v, name in enumerate(names)}
    spread = 1
    if problem.ordered:
        weight = [0] * len(names)
    else:
        ranks = problem.ranks or (0,) * len(names)
        spread = 1 + sum(max((ranks[names[v]] for v in g), default=0) for g in groups)
        weight = [problem.units[n] * spread + ranks[n] for n in names]
    switch_at: dict[str, int] = {}
    for number, switch in enumerate(problem.switches):
        on = len(names)
        switch_at[switch.task] = on
        groups.append([on, on + 1])
        names.extend((-1 - 2 * number, -2 - 2 * number))
        weight.extend((0, 0) if problem.ordered else (-switch.reward * spread, 0))
    cliques: list[set[int]] = []
    linears: list[Linear] = []
    for row in problem.rows:
        if row.coefficients is None and row.upper == 1 and row.lower is None and not row.task:
            cliques.append({where[o] for o in row.options})
            continue
        coefficients = row.coefficients or (1,) * len(row.options)
        terms: dict[int, int] = {}
        for option, c in zip(row.options, coefficients, strict=True):
            terms[where[option]] = terms.get(where[option], 0) + c
        if row.task:
            terms[switch_at[row.task]] = -row.size
        terms = {v: c for v, c in terms.items() if c}
        if terms:
            linears.append(Linear(terms, row.lower, row.upper))
        elif (row.upper is not None and row.upper < 0) or (row.lower is not None and row.lower > 0):
            raise Infeasible
    group_of = [g for g, members in enumerate(groups) for _ in members]
    return Instance(groups, weight, names, cliques, linears, group_of, spread)
