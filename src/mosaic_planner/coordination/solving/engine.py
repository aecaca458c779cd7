"""From a problem to its optimum: reduce, split, solve every part with the solver that suits it.

A handful of agents is searched as it stands. Else each part gets, in this order: branch and bound
while it is small; variable elimination while its conflict graph is narrow; what the linear
relaxation leaves of it; CP-SAT; and without OR-Tools, which the last two need, branch and bound up
to a deeper limit, or solving it in groups. Whatever proves its answer has found the same unique
optimum, so the choice between them changes the time and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from mosaic_planner.coordination.problem import Problem
from mosaic_planner.coordination.solving.cpsat import CpSat, available
from mosaic_planner.coordination.solving.handful import handful
from mosaic_planner.coordination.solving.instance import Infeasible, Instance, build
from mosaic_planner.coordination.solving.reduction import reduce
from mosaic_planner.coordination.solving.search import Found, search
from mosaic_planner.core.errors import MissingExtraError

__all__ = ["Limits", "Solution", "SolverName", "solve"]

SolverName = Literal["auto", "exact", "cpsat"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Deterministic limits per part; none of them is a clock.

    `tries`: how many options a handful of agents is searched for, 0 for not at all.
    `small_groups`: up to so many agents branch and bound comes first, for `nodes` nodes.
    `table_entries`: what variable elimination may cost. `deterministic_s`: CP-SAT's deterministic
    time. `deep_nodes`: branch-and-bound nodes where nothing else is left. `group_size` > 0: parts
    with more agents are solved in groups of that size (hierarchical mode), which is not exact.

    On dense instances branch and bound and CP-SAT take the same time at 24 to 26 agents, which is
    about 4,000 nodes (`engines_ms` of `benchmarks/coordination.py`).
    """

    tries: int = 1_500
    small_groups: int = 24
    nodes: int = 4_000
    table_entries: int = 8_000_000
    deterministic_s: float = 4.0
    deep_nodes: int = 50_000
    group_size: int = 0


@dataclass(frozen=True, slots=True)
class Solution:
    """What came out of a problem.

    `chosen`: one option index per agent in the problem's agent order. `active`: active joint
    tasks. `value` and `bound`: integer units (cost less rewards) and the proven lower bound of
    it. `proven`: value is optimal and ties are broken canonically. `feasible` False: no joint
    action satisfies the rows; then `chosen` has only the agents that have nothing to do with it.
    `hint`: one line for the user, or "".
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


_QUICK = Limits()
"""What solving a relaxation's favourites may cost."""
_TIE_ENTRIES = 200_000
"""Table entries with whole keys that settling ties may take."""
_GROUP = 24
"""Group size for improving what CP-SAT could not finish."""
_SHARES = (0.15,)
"""Shares of the options that the prices make dearer which are taken in one after the other."""


class _GaveUp(Exception):
    """No assignment at all within the limits."""


@dataclass(slots=True)
class _Run:
    """One call of `solve`: what is settled so far.

    `quick`: only what is surely fast. `nested`: already solving groups. `known`: names of a good
    assignment, for solvers that can start from one.
    """

    solver: SolverName
    limits: Limits
    names: list[int] = field(default_factory=list)
    bound: int = 0
    proven: bool = True
    work: int = 0
    used: dict[str, None] = field(default_factory=dict)
    hint: str = ""
    quick: bool = False
    nested: bool = False
    known: set[int] = field(default_factory=set)

    def take(self, part: Instance, found: Found, solver: str) -> None:
        """Accept what was found for a part."""
        if found.choice is None:
            raise _GaveUp
        self.names.extend(part.names[v] for v in found.choice)
        self.bound += found.bound
        self.proven = self.proven and found.proven
        self.work += found.work
        self.used[solver] = None

    def split(self, instance: Instance, fresh: bool = True) -> None:
        """Reduce and solve part by part; not `fresh` if the relaxation has had its turn."""
        reduce(instance)
        for part in instance.parts():
            if len(part.groups) == 1 and len(part.groups[0]) == 1:
                self.names.append(part.names[0])
                self.bound += part.weight[0]
            elif self.solver == "cpsat" and available():
                self.by_cpsat(part)
            else:
                self.part(part, fresh)

    def what_can_be(self, problem: Problem) -> None:
        """Solve the independent parts that can be solved; `proven` if the others are impossible."""
        try:
            parts = build(problem).parts()
        except Infeasible:
            return
        impossible = True
        for part in parts:
            alone = _Run(self.solver, self.limits)
            try:
                alone.split(part)
            except Infeasible:
                continue
            except _GaveUp:
                impossible = False
                self.hint = self.hint or "no joint action found within the solver's limits"
                continue
            self.names.extend(alone.names)
            self.work += alone.work
        self.proven = impossible

    def part(self, part: Instance, fresh: bool = True) -> None:
        """Solve a reduced, connected part."""
        limits = self.limits
        if 0 < limits.group_size < len(part.groups) and not self.nested:
            self.by_groups(part)
            return
        if len(part.groups) <= limits.small_groups:
            found = search(part, limits.nodes)
            if found.proven:
                self.take(part, found, "search")
                return
        if self.by_elimination(part):
            return
        if available() and self.solver == "auto" and not self.quick:
            if not (fresh and self.by_relaxation(part)):
                self.by_cpsat(part)
            return
        if self.quick:
            raise _GaveUp
        if len(part.groups) > 2 * _GROUP:  # hopeless as a whole, good in groups
            found, name = self.grouped(part, _GROUP, None), "groups"
        else:
            found, name = search(part, limits.deep_nodes), "search"
        if not found.proven and self.solver != "exact":
            self.hint = str(
                MissingExtraError("cpsat", "proving the optimum of so entangled a team")
            )
        self.take(part, found, name)

    def by_elimination(self, part: Instance) -> bool:
        """Variable elimination, if the part is narrow enough."""
        from mosaic_planner.coordination.solving import elimination as ve

        order = ve.elimination_order(part, self.limits.table_entries)
        if order is None:
            return False
        if order.entries <= ve.WHOLE_KEYS:
            self.take(part, ve.eliminate(part, order), "elimination")
            return True
        if not ve.optimal_only(part, order):
            return False
        self.work += order.entries
        self.used["elimination"] = None
        self.ties(part)
        return True

    def ties(self, part: Instance) -> None:
        """Solve a part that was restricted to its ties."""
        reduce(part)
        for rest in part.parts():
            if len(rest.groups) == 1 and len(rest.groups[0]) == 1:
                self.names.append(rest.names[0])
                self.bound += rest.weight[0]
                continue
            self.tie(rest)

    def tie(self, part: Instance) -> None:
        """Only options of optimal assignments are left: find the canonical one among these."""
        from mosaic_planner.coordination.solving import elimination as ve

        if len(part.groups) <= self.limits.small_groups:
            found = search(part, self.limits.nodes)
            if found.proven:
                self.take(part, found, "search")
                return
        order = ve.elimination_order(part, min(_TIE_ENTRIES, self.limits.table_entries))
        if order is not None:
            self.take(part, ve.eliminate(part, order), "elimination")
        elif available() and self.solver == "auto":
            self.by_cpsat(part, filtered=True)
        else:
            self.take(part, search(part, self.limits.deep_nodes), "search")

    def by_relaxation(self, part: Instance) -> bool:
        """Solve what the relaxation leaves of a wide part; False if it leaves it as it is.

        Options that look best by their prices are solved first, by themselves, then with some
        more. Once they are all that the relaxation allows at the weight found, that is the
        optimum; else the weight says which others cannot matter.
        """
        from mosaic_planner.coordination.solving.relaxation import relax

        relaxation = relax(part)
        if relaxation is None:
            return False
        rising = sorted(e for e in relaxation.excess if e)
        reaches = [0, *(rising[int(share * len(rising))] for share in _SHARES if rising)]
        where = {name: v for v, name in enumerate(part.names)}
        slack: int | None = None
        for reach in reaches:
            attempt = part.copy()
            relaxation.keep(attempt, reach)
            run = _Run(self.solver, _QUICK, quick=True)
            try:
                run.split(attempt)
            except Infeasible:
                continue
            except _GaveUp:
                break
            choice = sorted(where[name] for name in run.names)
            self.work += run.work
            found = relaxation.slack(choice)
            if slack is None or found < slack:
                slack = found
                self.known = set(run.names)
            if run.proven and slack <= reach:
                self.used["relaxation"] = None
                weight = sum(part.weight[v] for v in choice)
                self.take(part, Found(choice, weight, True, 0), "relaxation")
                return True
        if slack is None:
            return False
        relaxation.narrow(part, slack)
        self.split(part, fresh=False)
        return True

    def by_groups(self, part: Instance) -> None:
        """Hierarchical mode: group by group, with the relaxation's bound where there is one."""
        found = self.grouped(part, self.limits.group_size, None)
        if found.choice is not None and not found.proven and available():
            from mosaic_planner.coordination.solving.relaxation import relax

            relaxation = relax(part)
            if relaxation is not None:
                found = replace(found, bound=max(found.bound, relaxation.weight_bound(part)))
        self.take(part, found, "groups")

    def grouped(self, part: Instance, size: int, start: list[int] | None) -> Found:
        """Improve an assignment (or a greedy one) group by group."""
        from mosaic_planner.coordination.solving.groups import in_groups

        small = replace(
            self.limits, group_size=0, deterministic_s=0.1, deep_nodes=self.limits.nodes
        )

        def solve_group(instance: Instance) -> list[int]:
            run = _Run(self.solver, small, nested=True)
            run.split(instance)
            self.work += run.work
            return run.names

        return in_groups(part, size, solve_group, start)

    def by_cpsat(self, part: Instance, filtered: bool = False) -> None:
        """CP-SAT: the optimum, then the ties, by ourselves where we can."""
        model = CpSat(part, self.limits.deterministic_s, self.known)
        self.used["cpsat"] = None
        proven, bound = model.optimum()
        if not proven:
            found = Found(model.choice, bound, False, 0)
            if model.choice is None:
                found = search(part, self.limits.nodes)
            if not self.nested and found.choice is not None:
                found = self.grouped(part, _GROUP, found.choice)
            self.take(part, replace(found, bound=bound, proven=False, work=model.work), "cpsat")
            return
        if self.solver == "auto" and not filtered:
            used = model.used()
            if used is not None:
                self.work += model.work
                part.restrict(used)
                self.ties(part)
                return
        settled = model.break_ties()
        self.take(part, Found(model.choice, bound, settled, model.work), "cpsat")


def solve(problem: Problem, solver: SolverName = "auto", limits: Limits | None = None) -> Solution:
    """The unique optimum of a problem, or the best found within the limits. Never raises."""
    limits = limits or Limits()
    if solver != "cpsat" and limits.tries:
        quick = handful(problem, limits.tries)
        if quick is not None:
            chosen, active, tries = quick
            value = problem.value(chosen, active)
            return Solution(chosen, active, value, value, True, True, "search", tries)
    run = _Run(solver, limits)
    if solver == "cpsat" and not available():
        run.hint = str(MissingExtraError("cpsat", "the solver 'cpsat'"))
    feasible = True
    try:
        instance = build(problem)
        run.split(instance)
    except (Infeasible, _GaveUp):
        run, feasible = _Run(run.solver, run.limits, hint=run.hint), False
        run.what_can_be(problem)
    chosen = tuple(sorted(n for n in run.names if n >= 0))
    on = {-1 - n for n in run.names if n < 0}
    active = tuple(s.task for number, s in enumerate(problem.switches) if 2 * number in on)
    value = problem.value(chosen, active)
    if not feasible:
        return Solution(chosen, active, value, value, run.proven, False, "none", run.work, run.hint)
    bound = value if run.proven else min(value, run.bound // instance.spread)
    label = "+".join(sorted(run.used)) or "reduction"
    return Solution(chosen, active, value, bound, run.proven, True, label, run.work, run.hint)
