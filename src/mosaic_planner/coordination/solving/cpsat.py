"""OR-Tools CP-SAT for parts that are too large for a search of our own.

One worker and `linearization_level` 2; limits are CP-SAT's deterministic time, never the wall
clock. The unique lexicographic optimum is reached in stages: first the least weight, then, with
the weight held, the option order in blocks of agents small enough for 64-bit arithmetic.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any

from mosaic_planner.coordination.solving.instance import Infeasible, Instance
from mosaic_planner.coordination.solving.search import Found

__all__ = ["available", "cpsat"]

_BLOCK = 1 << 30
_LARGEST = 1 << 60


@cache
def available() -> bool:
    """Whether OR-Tools is installed; does not import it."""
    return find_spec("ortools") is not None


class _Model:
    """The CP-SAT model of one part."""

    def __init__(self, part: Instance, deterministic_s: float) -> None:
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
            expression = self.sum_of(list(row.terms), list(row.terms.values()))
            if row.lower is not None and row.lower == row.upper:
                self.model.add(expression == row.lower)
                continue
            if row.lower is not None:
                self.model.add(expression >= row.lower)
            if row.upper is not None:
                self.model.add(expression <= row.upper)
        self.left_s = deterministic_s
        self.work = 0

    def sum_of(self, variables: list[int], coefficients: list[int]) -> Any:
        return self.cp.LinearExpr.weighted_sum([self.z[v] for v in variables], coefficients)

    def minimise(self, variables: list[int], coefficients: list[int]) -> tuple[bool, int] | None:
        """(proven, lower bound) of a stage, or None if no assignment was found in time."""
        self.model.minimize(self.sum_of(variables, coefficients))
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
            return None
        self.values = [bool(solver.value(z)) for z in self.z]
        if status == self.cp.OPTIMAL:
            return True, sum(
                c for v, c in zip(variables, coefficients, strict=True) if self.values[v]
            )
        return False, int(response.inner_objective_lower_bound)

    def choice(self) -> list[int]:
        return [next(v for v in g if self.values[v]) for g in self.part.groups]


def cpsat(part: Instance, deterministic_s: float) -> Found:
    """Best assignment of a part within that much deterministic time; raises `Infeasible`.

    The caller makes sure that OR-Tools is there. If the limit comes while ties are being broken
    the weight is proven all the same, but the assignment counts as unproven.
    """
    model = _Model(part, deterministic_s)
    variables = list(range(len(part.weight)))
    low = [min(part.weight[v] for v in g) for g in part.groups]
    base = sum(low)
    above = [w - low[part.group_of[v]] for v, w in enumerate(part.weight)]
    if sum(max(above[v] for v in g) for g in part.groups) >= _LARGEST:
        return Found(None, base, False, 0)
    used = [v for v in variables if above[v]]
    answer = model.minimise(used, [above[v] for v in used])
    if answer is None:
        return Found(None, base, False, model.work)
    proven, bound = answer
    if not proven:
        return Found(model.choice(), base + bound, False, model.work)
    choice = model.choice()
    model.model.add(model.sum_of(used, [above[v] for v in used]) == bound)
    at = 0
    while at < len(part.groups):
        size, block = 1, []
        while at < len(part.groups) and size * len(part.groups[at]) <= _BLOCK:
            size *= len(part.groups[at])
            block.append(at)
            at += 1
        place, coefficients, members = size, [], []
        for g in block:
            place //= len(part.groups[g])
            for position, v in enumerate(part.groups[g]):
                if position:
                    members.append(v)
                    coefficients.append(position * place)
        if all(choice[g] == part.groups[g][0] for g in block):
            proven_block = True
        else:
            stage = model.minimise(members, coefficients)
            proven_block = stage is not None and stage[0]
            if stage is not None:
                choice = model.choice()
        if not proven_block:
            return Found(choice, base + bound, False, model.work)
        for g in block:
            model.model.add(model.z[choice[g]] == 1)
    return Found(choice, base + bound, True, model.work)
