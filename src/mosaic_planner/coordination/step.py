"""One step of the coordinator: gather options, state the problem, solve it, explain the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mosaic_planner.coordination.assignment import Assignment, Choice, Later, Status
from mosaic_planner.coordination.collisions import Following
from mosaic_planner.coordination.constraints import Constraint
from mosaic_planner.coordination.costs import CostProfile, Costs
from mosaic_planner.coordination.problem import (
    COST_SCALE,
    MAX_COST,
    NO_COST,
    Option,
    Problem,
    Row,
    Switch,
    forbid,
)
from mosaic_planner.coordination.profile import FRUITLESS, ActionProfile, GridRules, Rules
from mosaic_planner.coordination.rightofway import Traffic, right_of_way
from mosaic_planner.coordination.solving.engine import Limits, Solution, SolverName, solve
from mosaic_planner.coordination.terms import Scene, Term
from mosaic_planner.coordination.verdicts import losers, unmet_needs
from mosaic_planner.core.action import Action, Vocabulary
from mosaic_planner.core.belief import Beliefs
from mosaic_planner.core.candidate import Candidate
from mosaic_planner.core.errors import UsageError
from mosaic_planner.core.geometry import Cell
from mosaic_planner.core.history import History

__all__ = ["Settings", "Step", "canonical_order"]

_LAST_RANK = 999
"""Ranks beyond this one break no ties."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a coordinator was set up; see `MosaicCoordinator`.

    `idle` is the no-op. `grid`: the rules again if they are those of a grid.
    """

    rules: Rules
    vocabulary: Vocabulary | None
    costs: CostProfile
    constraints: tuple[Constraint, ...]
    checked: bool
    minimise: bool
    safe_candidates: bool
    solver: SolverName
    limits: Limits
    idle: Action
    following: Following
    grid: GridRules | None


class Step:
    """One call of `select`: the options gathered so far, and what follows from them."""

    def __init__(
        self,
        owner: Settings,
        agents: tuple[str, ...],
        candidates: Mapping[str, Sequence[Candidate]],
        beliefs: Beliefs,
        history: History,
    ) -> None:
        self.owner = owner
        self.agents = agents
        self.beliefs = beliefs
        self.scene = Scene(beliefs, history, agents)
        self.pool: dict[str, list[tuple[Candidate, ActionProfile]]] = {}
        self.merged: list[tuple[Candidate, Candidate]] = []
        self.invalid: dict[tuple[str, Action], str] = {}
        self.idling: dict[str, tuple[Candidate, ActionProfile]] = {}
        self.spare: set[str] = set()  # agents whose no-op is not among their candidates
        self.helped: set[str] = set()
        self.costs = Costs([], ())
        for agent in agents:
            self._gather(agent, candidates.get(agent, ()))
        self.traffic = Traffic({})
        self.cells: dict[str, Cell] = {}
        if owner.minimise and owner.checked and owner.costs.right_of_way:
            self._give_way()

    def _give_way(self) -> None:
        """Right of way on grids: directives become safe candidates and, later, a cost term."""
        grid, rules, beliefs = self.owner.grid, self.owner.rules, self.beliefs
        if grid is None:
            return
        cells = self.cells
        goals: dict[str, Cell] = {}
        for agent in self.agents:
            cell = grid.cell(agent, beliefs)
            if cell is None:
                continue
            cells[agent] = cell
            wanted = next((c.action for c, p in self.pool[agent] if p.eligible), None)
            goal = grid.destination(agent, wanted, beliefs)
            if goal is not None:
                goals[agent] = goal
        self.traffic = right_of_way(cells, goals, lambda c: grid.neighbours(c, beliefs))
        if not self.owner.safe_candidates:
            return
        for agent, directive in self.traffic.directives.items():
            if directive.to is None or directive.to == cells[agent]:
                continue
            action = grid.move(agent, directive.to, beliefs)
            if action is None or any(c.action == action for c, _ in self.pool[agent]):
                continue
            profile = rules.profile(agent, action, beliefs)
            if profile.eligible:
                self.pool[agent].append(
                    (Candidate(agent, action, 0, "safe", directive.why), profile)
                )

    def _disregard(self, option: Option, scene: Scene) -> float:
        """1 for an option that does not do what right of way asks of its agent."""
        directive = self.traffic.directives.get(option.agent)
        if directive is None or not option.profile.path:
            return 0.0
        end = option.profile.path[-1].cell
        return 1.0 if end in directive.avoid or directive.to not in (None, end) else 0.0

    def _gather(self, agent: str, wanted: Sequence[Candidate]) -> None:
        owner, beliefs = self.owner, self.beliefs
        rate = owner.rules.profile
        pool = self.pool[agent] = []
        for candidate in _ordered(wanted):
            if candidate.agent != agent:
                candidate = replace(candidate, agent=agent)
            action = candidate.action
            verb = action.verb
            for kept, _ in pool:  # a few: comparing them is faster than hashing one
                if kept.action.verb == verb and kept.action == action:
                    self.merged.append((kept, candidate))
                    break
            else:
                pool.append((candidate, rate(agent, action, beliefs)))
        if owner.checked:
            usable = any(profile.eligible for _, profile in pool)
        else:
            self._validate(agent)
            usable = any((agent, c.action) not in self.invalid for c, _ in pool)
        if not usable and owner.safe_candidates:
            self._help(agent)
        self._rest(agent)

    def _validate(self, agent: str) -> None:
        """Basic validity (notes 2.13): the verb and the object exist."""
        vocabulary = self.owner.vocabulary
        if vocabulary is None:
            return
        entities = {name: belief.kind for name, belief in self.beliefs.entities.items()}
        entities.update(dict.fromkeys(self.agents, "agent"))
        for candidate, _ in self.pool[agent]:
            problem = vocabulary.check(candidate.action, entities.items())
            if problem:
                self.invalid[agent, candidate.action] = problem

    def _help(self, agent: str) -> None:
        """Add the rules' safe candidates, behind everything the model proposed."""
        self.helped.add(agent)
        pool = self.pool[agent]
        known = {c.action for c, _ in pool}
        for candidate in self.owner.rules.fallbacks(agent, self.beliefs):
            if candidate.action in known or candidate.action == self.owner.idle:
                continue
            known.add(candidate.action)
            profile = self.owner.rules.profile(agent, candidate.action, self.beliefs)
            if profile.eligible:
                safe = replace(candidate, agent=agent, source="safe")
                pool.append((safe, profile))

    def _rest(self, agent: str) -> None:
        """The no-op that every agent always has (Table 1, row 2; notes 2.4)."""
        idle = self.owner.idle
        for at, (candidate, profile) in enumerate(self.pool[agent]):
            if candidate.action.verb == idle.verb and candidate.action == idle:
                if not _harmless(profile):
                    profile = _made_harmless(profile)
                self.pool[agent][at] = self.idling[agent] = (candidate, profile)
                return
        profile = self.owner.rules.profile(agent, idle, self.beliefs)
        if not _harmless(profile):
            profile = _made_harmless(profile)
        candidate = Candidate(agent, idle, 0, "safe", "the no-op that every agent has")
        self.idling[agent] = (candidate, profile)
        self.spare.add(agent)

    def problem(self) -> Problem:
        """The instance of all options gathered so far."""
        owner = self.owner
        options: list[Option] = []
        ranks: list[int] = []
        wanted = [c.rank for p in self.pool.values() for c, _ in p if c.source == "model"]
        behind = 1 + min(_LAST_RANK, max(wanted, default=0))
        index = 0
        for agent in self.agents:
            pool = self.pool[agent]
            safe = 0
            for candidate, profile in [*pool, self.idling[agent]] if agent in self.spare else pool:
                if candidate.source == "safe":
                    ranks.append(behind + safe)
                    safe += 1
                else:
                    ranks.append(min(candidate.rank, behind - 1))
                options.append(Option(index, agent, candidate, profile))
                index += 1
        rows: list[Row] = []
        if self.invalid:
            for o in options:
                reason = self.invalid.get((o.agent, o.candidate.action))
                if reason is not None:
                    rows.append(forbid(o, "validity", reason))
        for constraint in owner.constraints:
            rows.extend(constraint.rows(options))
        costs = owner.costs
        if self.traffic.directives:
            costs = costs.plus(Term("right of way", self._disregard), costs.right_of_way)
        weighed = self.costs = costs.costs(options, self.scene)
        units: list[int] = []
        for cost in weighed.totals:
            if not -MAX_COST <= cost <= MAX_COST:  # also catches NaN
                action = options[len(units)].candidate.action
                raise UsageError(f"the cost of {action} {NO_COST}: {cost!r}")
            units.append(round(cost * COST_SCALE))
        sizes = {row.task: row.size for row in rows if row.task}
        reward = round(owner.costs.activation * COST_SCALE)
        switches = tuple(Switch(task, size, size * reward) for task, size in sizes.items())
        return Problem(
            self.agents,
            tuple(options),
            tuple(rows),
            tuple(units),
            Later(lambda: tuple([weighed.terms(o) for o in range(index)])),
            tuple(ranks),
            switches,
            not owner.minimise,
            tuple(self.merged),
        )

    def assignment(self) -> Assignment:
        """Solve, help agents that would only rest, and explain."""
        owner = self.owner
        problem = self.problem()
        solution = solve(problem, owner.solver, owner.limits)
        if owner.safe_candidates and solution.feasible:
            stuck = self._stuck(problem, solution)
            sizes = {a: len(self.pool[a]) for a in stuck}
            for agent in stuck:
                self._help(agent)
            recruited = self._recruit(problem, solution)
            if self._fruitless(problem, solution):
                for agent in self.agents:
                    if agent not in self.helped and not self._waits(agent):
                        sizes.setdefault(agent, len(self.pool[agent]))
                        self._help(agent)
            if recruited or any(len(self.pool[a]) > n for a, n in sizes.items()):
                problem = self.problem()
                solution = solve(problem, owner.solver, owner.limits)
        if owner.minimise and owner.costs.work_first and solution.feasible:
            problem, solution = self._work_first(problem, solution)
        return self._explained(problem, solution)

    def _stuck(self, problem: Problem, solution: Solution) -> list[str]:
        """Agents not helped before that would rest although they want something, or that would put
        a part of the task out of reach.
        """
        found = []
        for option in (problem.options[o] for o in solution.chosen):
            agent, candidate = option.agent, option.candidate
            if agent in self.helped or self._waits(agent):
                continue
            if option.profile.progress < 0.0:
                found.append(agent)
            if not option.profile.idle:
                continue
            proposed = candidate.source == "model"
            if not proposed or any(
                c.rank < candidate.rank and not p.idle for c, p in self.pool[agent]
            ):
                found.append(agent)
        return found

    def _fruitless(self, problem: Problem, solution: Solution) -> bool:
        """Whether nobody's choice is believed to bring the task nearer."""
        chosen = (problem.options[o].profile for o in solution.chosen)
        return all(p.progress < FRUITLESS and p.joint is None for p in chosen)

    def _recruit(self, problem: Problem, solution: Solution) -> bool:
        """Offer a place to others in the joint tasks that somebody wants and too few proposed.

        A model ranks each agent's actions by themselves, so two who should act together do not
        always both say so in the same step. What an agent wants itself still costs it less.
        """
        offers: dict[str, set[str]] = {}
        sizes: dict[str, int] = {}
        for option in problem.options:
            need = option.profile.joint
            if need is not None and option.profile.eligible and need.task not in solution.active:
                sizes[need.task] = need.size
                offers.setdefault(need.task, set()).add(option.agent)
        short = {task for task, agents in offers.items() if len(agents) < sizes[task]}
        if not short:
            return False
        recruited = False
        rules, beliefs = self.owner.rules, self.beliefs
        for option in (problem.options[o] for o in solution.chosen):
            agent = option.agent
            if agent in self.helped or option.profile.joint is not None or self._waits(agent):
                continue
            known = {c.action for c, _ in self.pool[agent]}
            for candidate in rules.fallbacks(agent, beliefs):
                if candidate.action in known:
                    continue
                profile = rules.profile(agent, candidate.action, beliefs)
                if profile.eligible and profile.joint is not None and profile.joint.task in short:
                    safe = replace(candidate, agent=agent, source="safe")
                    self.pool[agent].append((safe, profile))
                    recruited = True
        return recruited

    def _waits(self, agent: str) -> bool:
        """Whether right of way has the agent stay where it is."""
        directive = self.traffic.directives.get(agent)
        return directive is not None and directive.to == self.cells.get(agent)

    def _work_first(self, problem: Problem, solution: Solution) -> tuple[Problem, Solution]:
        """Never let everybody idle while productive feasible work exists (notes 2.7)."""
        if any(not problem.options[o].profile.idle for o in solution.chosen):
            return problem, solution
        acting = [o for o in problem.options if not o.profile.idle]
        productive = [o.index for o in acting if o.profile.progress > 0.0]
        wanted = productive or [o.index for o in acting if o.candidate.source == "model"]
        if not wanted:
            return problem, solution
        row = Row("work first", tuple(wanted), None, 1, detail="somebody has to work")
        stricter = replace(problem, rows=(*problem.rows, row))
        other = solve(stricter, self.owner.solver, self.owner.limits)
        return (stricter, other) if other.feasible else (problem, solution)

    def _explained(self, problem: Problem, solution: Solution) -> Assignment:
        chosen, active = solution.chosen, solution.active
        note = solution.hint
        if not solution.feasible:
            settled = {problem.options[o].agent for o in chosen}
            rest = [
                o.index
                for o in problem.options
                if o.agent not in settled and o.candidate is self.idling[o.agent][0]
            ]
            chosen = tuple(sorted((*chosen, *rest)))
            note = note or "the constraints leave no joint action"
            status = Status.INFEASIBLE if solution.proven else Status.LIMIT
        elif not self.owner.minimise:
            status = Status.PASSED
        else:
            status = Status.OPTIMAL if solution.proven else Status.LIMIT
        gap = (solution.value - solution.bound) / max(abs(solution.value), COST_SCALE)
        return Assignment(
            chosen={
                o.agent: Choice(
                    o.candidate,
                    o.profile,
                    problem.units[o.index] / COST_SCALE,
                    self.costs.terms(o.index),
                )
                for o in (problem.options[i] for i in chosen)
            },
            losers=Later(lambda: losers(problem, chosen, active, self.owner.following)),
            unmet=Later(lambda: unmet_needs(problem, chosen, active)),
            status=status,
            objective=sum(problem.units[o] for o in chosen) / COST_SCALE,
            gap=gap,
            solver=solution.solver,
            work=solution.work,
            merged=len(problem.merged),
            active=active,
            note=note,
            blockades=self.traffic.blockades,
            problem=problem,
        )


def _ordered(candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """One agent's candidates in canonical order."""
    last = -1
    for candidate in candidates:
        if candidate.source == "safe" or candidate.rank <= last:
            return sorted(candidates, key=canonical_order)
        last = candidate.rank
    return candidates


def canonical_order(candidate: Candidate) -> tuple[bool, int, str, str]:
    """The canonical order of one agent's candidates, however they were listed."""
    return (candidate.source == "safe", candidate.rank, str(candidate.action), candidate.why)


def _harmless(profile: ActionProfile) -> bool:
    return profile.eligible and profile.idle and profile.joint is None and not profile.claims


def _made_harmless(profile: ActionProfile) -> ActionProfile:
    """The no-op can neither fail nor need anything, whatever the rules say of it."""
    return replace(profile, eligible=True, reason="", idle=True, joint=None, claims=())
