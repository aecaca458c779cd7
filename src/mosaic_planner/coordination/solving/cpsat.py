"""OR-Tools CP-SAT for parts that are too entangled for a search of our own.

One worker and `linearization_level` 2; limits are CP-SAT's deterministic time, never the wall
clock. The unique lexicographic optimum is reached in stages: the least cost, then the least rank
sum, each held once it is proven, then the option order. Weights are divided by what they have in
common first, because small coefficients are what CP-SAT's relaxations work best with.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib.util import find_spec
from typing import Any

from mosaic_planner.coordination.solving.instance import Infeasible, Instance

__all__ = ["CpSat", "available"]

_BLOCK = 1 << 30
"""Combinations of option places that one tie-breaking stage tells apart."""
_COMFORTABLE = 1 << 48
"""Largest objective that is solved in one stage; beyond it cost and ranks are two stages."""


@cache
def available() -> bool:
    """Whether OR-Tools is installed; does not import it."""
    return find_spec("ortools") is not None


class CpSat:
    """The CP-SAT model of one part, solved stage by stage within one deterministic limit.

    `known`: names of an assignment to start from, if one is known.
    """

    def __init__(self, part: Instance, deterministic_s: float, known: Collection[int] = ()) -> None:
        from ortools.sat.python import cp_model

        self.part = part
        self.cp = cp_model
        self.model = cp_model.CpModel()
        self.z = [self.model.new_bool_var("") for _ in part.weight]
        for group in part.groups:
            self.model.add_exactly_one([self.z[v] for v in group])
        for clique in part.cliques:
            self.model.add_at_most_one([self.z[v] for v in sorted(clique)])
        for row in part.linears:
            total = self._sum(dict(sorted(row.terms.items())))
            if row.lower is not None and row.lower == row.upper:
                self.model.add(total == row.lower)
                continue
            if row.lower is not None:
                self.model.add(total >= row.lower)
            if row.upper is not None:
                self.model.add(total <= row.upper)
        self.left_s = deterministic_s
        self.work = 0
        start = [next((v for v in g if part.names[v] in known), -1) for g in part.groups]
        self.choice: list[int] | None = None if -1 in start else start
        self.objective: list[int] = []

    def _sum(self, terms: dict[int, int]) -> Any:
        return self.cp.LinearExpr.weighted_sum([self.z[v] for v in terms], list(terms.values()))

    def _minimise(self, terms: dict[int, int]) -> tuple[bool, int]:
        """Proven or not, and the lower bound; `choice` is what was found, kept if nothing was."""
        if not terms:
            terms = {self.part.groups[0][0]: 0}
        self.model.minimize(self._sum(terms))
        if self.choice is not None:
            self.model.clear_hints()  # type: ignore[no-untyped-call]  # OR-Tools leaves it untyped
            held = set(self.choice)
            for v, z in enumerate(self.z):
                self.model.add_hint(z, v in held)
        solver = self.cp.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.linearization_level = 2
        solver.parameters.random_seed = 0
        solver.parameters.max_deterministic_time = max(self.left_s, 1e-3)
        status = solver.solve(self.model)
        response = solver.response_proto
        self.left_s -= response.deterministic_time
        self.work += int(response.num_branches)
        if status == self.cp.INFEASIBLE:
            raise Infeasible
        if status not in (self.cp.OPTIMAL, self.cp.FEASIBLE):
            return False, 0
        self.choice = [next(v for v in g if solver.value(self.z[v])) for g in self.part.groups]
        if status == self.cp.OPTIMAL:
            return True, sum(terms.get(v, 0) for v in self.choice)
        return False, int(response.inner_objective_lower_bound)

    def optimum(self) -> tuple[bool, int]:
        """Find the least weight; (proven, lower bound of the weight).

        `choice` has an assignment of that weight, or the best found, or None.
        """
        part, scaled = self.part, self.part.scaled()
        stages = [scaled.weight]
        if sum(max(scaled.weight[v] for v in g) for g in part.groups) >= _COMFORTABLE:
            stages = [scaled.costs, scaled.ranks]
        for number, stage in enumerate(stages):
            proven, bound = self._minimise(_nonzero(stage))
            if number == 0:
                lowest = bound if len(stages) == 1 else bound * scaled.spread
            if not proven:
                return False, scaled.back(lowest, part.spread)
            if len(stages) > 1:
                self._hold(stage)
        assert self.choice is not None
        self.objective = scaled.weight if len(stages) == 1 else [0] * len(self.z)
        return True, sum(part.weight[v] for v in self.choice)

    def _hold(self, weights: list[int]) -> None:
        """Demand of everything that follows what `choice` weighs."""
        assert self.choice is not None
        total = sum(weights[v] for v in self.choice)
        if any(weights):
            self.model.add(self._sum(_nonzero(weights)) == total)

    def used(self) -> set[int] | None:
        """After `optimum`: every variable of any assignment of least weight, None at the limit.

        Each round asks for an assignment of least weight with as many variables as possible that
        none before had. The weight stays in the objective, many times over: held by a row instead
        it no longer guides the search, which takes 5 to 100 times as long.
        """
        assert self.choice is not None
        seen = set(self.choice)
        factor = len(self.part.groups) + 1
        least = factor * sum(self.objective[v] for v in self.choice)
        while True:
            terms = [factor * w - (v not in seen) for v, w in enumerate(self.objective)]
            proven, value = self._minimise(_nonzero(terms))
            if not proven:
                return None
            seen.update(self.choice)
            if value == least:
                return seen

    def break_ties(self) -> bool:
        """After `optimum`: make `choice` the first in option order; False at the limit.

        What no optimum uses is left out first. Then groups are settled in blocks small enough for
        64-bit arithmetic.
        """
        used = self.used()
        if used is None:
            return False
        for v, z in enumerate(self.z):
            if v not in used:
                self.model.add(z == 0)
        self._hold(self.objective)
        groups = [g for g in self.part.groups if sum(v in used for v in g) > 1]
        at = 0
        while at < len(groups):
            size = 1
            block: list[list[int]] = []
            while at < len(groups) and (not block or size * len(groups[at]) <= _BLOCK):
                size *= len(groups[at])
                block.append(groups[at])
                at += 1
            place, terms = size, {}
            for group in block:
                place //= len(group)
                terms.update({v: position * place for position, v in enumerate(group) if position})
            held = set(self.choice or ())
            if not all(group[0] in held for group in block):
                if not self._minimise(terms)[0]:
                    return False
                held = set(self.choice or ())
            for group in block:
                self.model.add(self.z[next(v for v in group if v in held)] == 1)
        return True


def _nonzero(weights: list[int]) -> dict[int, int]:
    return {v: w for v, w in enumerate(weights) if w}
