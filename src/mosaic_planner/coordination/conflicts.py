"""Why a wish cannot be met: a minimal set of choices and rows that exclude each other.

Found by a deletion filter: every member is taken out in turn, and stays out unless the rest can
then be satisfied. What remains cannot be satisfied, and taking out any single member of it would
do, so each one is proven necessary. (Cores that solvers hand out are neither minimal nor the same
in every version.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mosaic_planner.coordination.assignment import Assignment
from mosaic_planner.coordination.problem import Option, Problem, Row
from mosaic_planner.coordination.solving.engine import solve

__all__ = ["Conflict", "conflict_of", "minimal_conflict"]


@dataclass(frozen=True, slots=True)
class Conflict:
    """`wish` cannot be met together with `choices` under `rows`; none of them can be left out."""

    wish: tuple[Option, ...]
    choices: tuple[Option, ...]
    rows: tuple[Row, ...]

    def line(self) -> str:
        """The conflict in one sentence."""
        wants = " and ".join(f"{o.candidate.action} by {o.agent}" for o in self.wish)
        does = " and ".join(f"{o.agent} does {o.candidate.action}" for o in self.choices)
        why = "; ".join(dict.fromkeys(row.detail for row in self.rows))
        return f"{wants} is impossible{f' while {does}' if does else ''}: {why}"


def conflict_of(assignment: Assignment, agent: str) -> Conflict | None:
    """What keeps an agent from the candidate its model ranked first, given what the others do.

    None if it has that candidate, could have had it at some cost, or there is nothing to ask.
    """
    problem = assignment.problem
    if problem is None or agent not in problem.by_agent:
        return None
    chosen = {a: c.candidate for a, c in assignment.chosen.items()}
    options = problem.by_agent[agent]
    wish = min((o for o in options if o.candidate.source == "model"), key=_rank, default=None)
    if wish is None or chosen[agent] is wish.candidate:
        return None
    others = [o for o in problem.options if o.agent != agent and chosen[o.agent] is o.candidate]
    return minimal_conflict(problem, (wish,), others)


def _rank(option: Option) -> int:
    return option.candidate.rank


def minimal_conflict(
    problem: Problem, wish: Sequence[Option], choices: Sequence[Option] = ()
) -> Conflict | None:
    """A minimal conflict of wishes with choices of others and rows; None if there is none.

    The wishes always stay; of choices and rows only what is needed does. The result depends on
    the order of `choices`, not on any solver.
    """
    rows, held = _around(problem, wish, choices)
    if _possible(problem, wish, held, rows):
        return None
    for option in tuple(held):
        rest = [o for o in held if o is not option]
        if not _possible(problem, wish, rest, rows):
            held = rest
    for row in tuple(rows):
        rest_rows = [r for r in rows if r is not row]
        if not _possible(problem, wish, held, rest_rows):
            rows = rest_rows
    return Conflict(tuple(wish), tuple(held), tuple(rows))


def _around(
    problem: Problem, wish: Sequence[Option], choices: Sequence[Option]
) -> tuple[list[Row], list[Option]]:
    """Rows and choices that can have to do with the wish: its connected part of the problem."""
    agents = {o.agent for o in wish}
    rows: list[Row] = []
    left = list(problem.rows)
    grown = True
    while grown:
        grown = False
        still = []
        for row in left:
            members = {problem.options[o].agent for o in row.options}
            if members & agents:
                rows.append(row)
                grown = grown or not members <= agents
                agents |= members
            else:
                still.append(row)
        left = still
    order = {id(row): n for n, row in enumerate(problem.rows)}
    rows.sort(key=lambda row: order[id(row)])
    return rows, [o for o in choices if o.agent in agents]


def _possible(
    problem: Problem, wish: Sequence[Option], held: Sequence[Option], rows: Sequence[Row]
) -> bool:
    """Whether some joint action has the wishes and the held choices and keeps the rows."""
    fixed = {o.agent: o for o in (*held, *wish)}
    demands = [Row("wish", (o.index,), None, 1) for o in fixed.values()]
    tasks = {row.task for row in rows if row.task}
    relaxed = replace(
        problem,
        rows=(*rows, *demands),
        switches=tuple(s for s in problem.switches if s.task in tasks),
        ordered=True,
    )
    solution = solve(relaxed, "exact")
    return solution.feasible or not solution.proven  # what is not proven impossible is possible
