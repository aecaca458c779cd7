"""The coordinator's answer: one action per agent, what it cost, and why the others lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

from mosaic_planner.coordination.problem import Problem
from mosaic_planner.coordination.profile import ActionProfile
from mosaic_planner.coordination.rightofway import Blockade
from mosaic_planner.core.belief import Beliefs
from mosaic_planner.core.candidate import Candidate, Rejection
from mosaic_planner.core.history import History

if TYPE_CHECKING:
    from mosaic_planner.coordination.conflicts import Conflict

__all__ = ["Assignment", "Choice", "Coordinator", "Later", "Loser", "Status", "UnmetNeed"]

T = TypeVar("T")


class Status(StrEnum):
    """How good the assignment is known to be."""

    OPTIMAL = "optimal"  # proven: no assignment costs less
    LIMIT = "limit"  # a deterministic limit was reached; best found, with its proven gap
    PASSED = "passed"  # no optimisation was asked for (plain planner or FC)
    INFEASIBLE = "infeasible"  # constraints of the user's own leave somebody not even idling


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen candidate of one agent with its cost by term (cost units, not integers)."""

    candidate: Candidate
    profile: ActionProfile
    cost: float
    terms: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Loser:
    """A candidate that was not chosen.

    `verdict`: "ineligible", "excluded", "costlier" or "merged" (an equal candidate of the same
    agent at a better rank). `detail` says why in plain words; `by` names the agent whose choice
    excludes it; `extra_cost` is how much dearer, in cost units.
    """

    candidate: Candidate
    verdict: str
    detail: str
    by: str = ""
    constraint: str = ""
    extra_cost: float = 0.0
    terms: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class UnmetNeed:
    """A joint task that stays inactive: it needs `size` agents, `eligible` could come."""

    task: str
    size: int
    eligible: int
    detail: str


class Later(Sequence[T]):
    """A sequence that is worked out when somebody first looks at it; equal to its tuple.

    Who only acts on an assignment need not wait for its explanation. `make` must always give the
    same values, so that it makes no difference when that is.
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], tuple[T, ...]]) -> None:
        self._make = make
        self._made: tuple[T, ...] | None = None

    def _values(self) -> tuple[T, ...]:
        if self._made is None:
            self._made = self._make()
        return self._made

    def __len__(self) -> int:
        return len(self._values())

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[T, ...]: ...
    def __getitem__(self, at: int | slice) -> T | tuple[T, ...]:
        return self._values()[at]

    def __iter__(self) -> Iterator[T]:
        return iter(self._values())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Later):
            return self._values() == other._values()
        return self._values() == other

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        return repr(self._values())

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self._values(),)


@dataclass(frozen=True, slots=True)
class Assignment:
    """One joint action.

    `chosen` has every agent. `objective` is the total cost in cost units, `gap` the proven
    relative gap (0 when optimal). `solver` names what solved it, `work` its deterministic effort.
    `active` are the joint tasks that are staffed. `losers` and `unmet` may be worked out only when
    they are looked at. `note` is one line for the user, e.g. how to
    install a solver that would have proven more. `blockades` are agents in each other's way with no
    place to step aside (grid worlds only). `problem` is the instance behind it, for
    questions afterwards; it takes no part in comparisons.
    """

    chosen: Mapping[str, Choice]
    losers: Sequence[Loser] = ()
    unmet: Sequence[UnmetNeed] = ()
    status: Status = Status.OPTIMAL
    objective: float = 0.0
    gap: float = 0.0
    solver: str = ""
    work: int = 0
    merged: int = 0
    active: tuple[str, ...] = ()
    note: str = ""
    blockades: tuple[Blockade, ...] = ()
    problem: Problem | None = field(default=None, compare=False, repr=False)

    def explain(self) -> str:
        """Everything about this choice in plain words, agent by agent."""
        from mosaic_planner.coordination.explain import explain_assignment

        return "\n".join(explain_assignment(self))

    def conflict(self, agent: str) -> Conflict | None:
        """What makes the agent's first wish impossible given the others' choices, if it is."""
        from mosaic_planner.coordination.conflicts import conflict_of

        return conflict_of(self, agent)

    def rejections(self) -> tuple[Rejection, ...]:
        """Why model candidates ranked before the chosen one were not taken, for the next prompt."""
        found = []
        for loser in self.losers:
            candidate = loser.candidate
            chosen = self.chosen[candidate.agent].candidate
            passed_over = chosen.source == "safe" or candidate.rank < chosen.rank
            if candidate.source == "model" and passed_over and loser.verdict != "merged":
                found.append(Rejection(candidate.agent, str(candidate.action), loser.detail))
        return tuple(found)


class Coordinator(Protocol):
    """Picks one candidate per agent. Never raises for a hard instance."""

    def select(
        self, candidates: Mapping[str, Sequence[Candidate]], beliefs: Beliefs, history: History
    ) -> Assignment:
        """Choose; an agent without candidates gets a safe one or Idle."""
        ...
