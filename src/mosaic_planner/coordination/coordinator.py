"""The coordinator: from candidates and beliefs to one explained joint action."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mosaic_planner.coordination.assignment import Assignment, Choice, Status
from mosaic_planner.coordination.bare import BareBeliefs
from mosaic_planner.coordination.constraints import TABLE_1, Collision, Constraint
from mosaic_planner.coordination.costs import CostProfile, Weighted, cost_profile
from mosaic_planner.coordination.profile import ActionProfile, GridRules, Rules
from mosaic_planner.coordination.solving.engine import Limits, SolverName
from mosaic_planner.coordination.step import Settings, Step, canonical_order
from mosaic_planner.coordination.terms import CostTerm
from mosaic_planner.core.action import IDLE, Action, Vocabulary
from mosaic_planner.core.belief import Beliefs
from mosaic_planner.core.candidate import Candidate
from mosaic_planner.core.errors import UnknownNameError
from mosaic_planner.core.history import History

__all__ = ["FirstChoice", "MosaicCoordinator", "idle_action"]

_SOLVERS = ("auto", "exact", "cpsat")


def idle_action(vocabulary: Vocabulary | None) -> Action:
    """The action that does nothing: the vocabulary's first idle schema, else `Idle`."""
    for schema in vocabulary.schemas if vocabulary is not None else ():
        if schema.idle and not schema.parameters:
            return Action(schema.verb)
    return IDLE


class MosaicCoordinator:
    """Chooses one candidate per agent: constraints of Table 1, costs of Eq. 1, exactly.

    `rules`: the world's rules. `vocabulary`: needed for the basic validity of the CFM ablation
    and for the name of the idle action. `costs`: "default", "paper", a Table 8 name or a profile.
    `constraints`: True for Table 1, False for none but basic validity (CFM, notes 2.13), or your
    own list. `minimise` False takes the first joint action in ranking order that breaks no
    constraint (FC). `safe_candidates`: whether the rules may add candidates for an agent whose
    own are all bad; without it such an agent idles. `solver`: "auto", "exact" (never CP-SAT) or
    "cpsat". `limits` are deterministic.
    """

    def __init__(
        self,
        rules: Rules,
        vocabulary: Vocabulary | None = None,
        *,
        costs: str | CostProfile = "default",
        constraints: bool | Sequence[Constraint] = True,
        minimise: bool = True,
        safe_candidates: bool = True,
        solver: SolverName = "auto",
        constraints_extra: Sequence[Constraint] = (),
        terms_extra: Sequence[CostTerm | Weighted] = (),
        limits: Limits | None = None,
    ) -> None:
        if solver not in _SOLVERS:
            raise UnknownNameError("solver", solver, _SOLVERS)
        profile = cost_profile(costs)
        for extra in terms_extra:
            weighted = extra if isinstance(extra, Weighted) else Weighted(extra, 1.0)
            profile = profile.plus(*weighted)
        if constraints is True:
            checks: tuple[Constraint, ...] = TABLE_1
        else:
            checks = () if constraints is False else tuple(constraints)
        checks = (*checks, *constraints_extra)
        self.settings = Settings(
            rules=rules,
            vocabulary=vocabulary,
            costs=profile,
            constraints=checks,
            checked=constraints is not False,
            minimise=minimise,
            safe_candidates=safe_candidates,
            solver=solver,
            limits=limits or Limits(),
            idle=idle_action(vocabulary),
            following=next((c.following for c in checks if isinstance(c, Collision)), "allowed"),
            grid=rules if isinstance(rules, GridRules) else None,
        )

    def select(
        self,
        candidates: Mapping[str, Sequence[Candidate]],
        beliefs: Beliefs | None = None,
        history: History | None = None,
    ) -> Assignment:
        """Choose; see `Coordinator`. Without beliefs or history nothing is believed or past."""
        if beliefs is None:
            beliefs = BareBeliefs(tuple(sorted(candidates)))
        agents = tuple(sorted({*beliefs.agents, *candidates}))
        if history is None:
            history = History.empty(agents)
        return Step(self.settings, agents, candidates, beliefs, history).assignment()


class FirstChoice:
    """The plain planner's coordinator: everybody does what its model ranked first.

    Nothing is checked, nothing optimised; an agent without candidates idles. `rules`, if given,
    only provides the profiles that the trace shows.
    """

    def __init__(self, vocabulary: Vocabulary | None = None, rules: Rules | None = None) -> None:
        self.vocabulary = vocabulary
        self.rules = rules
        self.idle = idle_action(vocabulary)

    def select(
        self,
        candidates: Mapping[str, Sequence[Candidate]],
        beliefs: Beliefs | None = None,
        history: History | None = None,
    ) -> Assignment:
        """Rank 0 of every agent, or Idle; status `PASSED`."""
        if beliefs is None:
            beliefs = BareBeliefs(tuple(sorted(candidates)))
        chosen: dict[str, Choice] = {}
        for agent in sorted({*beliefs.agents, *candidates}):
            wanted = sorted(candidates.get(agent, ()), key=canonical_order)
            best = wanted[0] if wanted else None
            if best is None:
                best = Candidate(agent, self.idle, 0, "safe", "no candidate could be read")
            if self.rules is not None:
                profile = self.rules.profile(agent, best.action, beliefs)
            else:
                idle = best.action == self.idle or (
                    self.vocabulary is not None and self.vocabulary.is_idle(best.action)
                )
                profile = ActionProfile(idle=idle)
            chosen[agent] = Choice(best, profile, 0.0)
        return Assignment(chosen, status=Status.PASSED, solver="first")
