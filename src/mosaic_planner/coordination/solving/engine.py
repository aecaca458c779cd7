"""From a problem to its optimum: reduce, split, solve every part with the solver that suits it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mosaic_planner.coordination.problem import Problem
from mosaic_planner.coordination.solving import cpsat as cp
from mosaic_planner.coordination.solving.instance import Infeasible, Instance, build
from mosaic_planner.coordination.solving.search import Found, search
from mosaic_planner.core.errors import MissingExtraError

__all__ = ["Limits", "Solution", "SolverName", "solve"]

SolverName = Literal["auto", "exact", "cpsat"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Deterministic limits per part; none of them is a clock.

    `nodes`: branch-and-bound nodes before CP-SAT takes over (where it is installed). `deep_nodes`:
    the same where it is not. `deterministic_s`: CP-SAT's deterministic time.
    """

    nodes: int = 2_000
    deep_nodes: int = 100_000
    deterministic_s: float = 20.0


@dataclass(frozen=True, slots=True)
class Solution:
    """What came out of a problem.

    `chosen`: one option index per agent in the problem's agent order. `active`: active joint
    tasks. `value` and `bound`: integer units (cost less rewards) and the proven lower bound of
    it. `proven`: value is optimal and ties are broken canonically. `feasible` False: no joint
    action satisfies the rows; then `chosen` is empty. `hint`: one line for the user, or "".
    """

    chosen: tuple[int, ...]
    active: tuple[str, ...]
    value: int
    bound: int
    proven: bool
    feasible: bool
    solver: str
    work: int
    hint: str = ""


def solve(problem: Problem, solver: SolverName = "auto", limits: Limits | None = None) -> Solution:
    """The unique optimum of a problem, or the best found within the limits. Never raises."""
    limits = limits or Limits()
    hint = ""
    try:
        instance = build(problem)
        instance.reduce()
        parts = instance.parts()
        names: list[int] = []
        floor = 0
        proven = True
        work = 0
        used: dict[str, None] = {}
        for part in parts:
            if len(part.groups) == 1 and len(part.groups[0]) == 1:
                names.append(part.names[0])
                floor += part.weight[0]
                continue
            found, name, advice = _solve_part(part, solver, limits)
            hint = hint or advice
            used[name] = None
            work += found.work
            proven = proven and found.proven
            floor += found.bound
            if found.choice is None:
                return _none(problem, hint or "no joint action found within the limits", work)
            names.extend(part.names[v] for v in found.choice)
    except Infeasible:
        return _none(problem, "", 0)
    chosen = tuple(sorted(n for n in names if n >= 0))
    active = tuple(s.task for number, s in enumerate(problem.switches) if -1 - 2 * number in names)
    value = problem.value(chosen, active)
    bound = value if proven or problem.ordered else min(value, floor // _spread(problem))
    label = "+".join(sorted(used)) or "reduction"
    return Solution(chosen, active, value, bound, proven, True, label, work, hint)


def _spread(problem: Problem) -> int:
    ranks = problem.ranks or (0,) * len(problem.options)
    return 1 + sum(
        max((ranks[o.index] for o in group), default=0) for group in problem.by_agent.values()
    )


def _none(problem: Problem, hint: str, work: int) -> Solution:
    return Solution((), (), 0, 0, False, False, "none", work, hint)


def _solve_part(part: Instance, solver: SolverName, limits: Limits) -> tuple[Found, str, str]:
    """What was found, by which solver, and advice for the user."""
    installed = cp.available()
    if solver == "cpsat" and installed:
        return cp.cpsat(part, limits.deterministic_s), "cpsat", ""
    wait = solver == "exact" or not installed
    found = search(part, limits.deep_nodes if wait else limits.nodes)
    if found.proven:
        return found, "search", ""
    if solver == "exact":
        return found, "search", ""
    if not installed:
        advice = str(MissingExtraError("cpsat", "proving the optimum of a team this entangled"))
        return found, "search", advice
    other = cp.cpsat(part, limits.deterministic_s)
    if other.choice is None:
        return found, "search", ""
    if other.proven or found.choice is None:
        return other, "cpsat", ""
    mine = sum(part.weight[v] for v in found.choice)
    theirs = sum(part.weight[v] for v in other.choice)
    bound = max(found.bound, other.bound)
    best = found if mine < theirs else other
    return Found(best.choice, bound, False, found.work + other.work), "search+cpsat", ""
