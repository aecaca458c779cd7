"""The problem as a value: options with profiles and integer costs, linear rows, joint tasks.

A `Problem` is everything a solver may know, in one canonical order: agents by name, the options
of one agent by the model's ranking and then by text. Nothing in it depends on the order in which
a caller listed agents or candidates, so neither does any answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from mosaic_planner.coordination.profile import ActionProfile
from mosaic_planner.core.candidate import Candidate

__all__ = ["COST_SCALE", "MAX_COST", "NO_COST", "Option", "Problem", "Row", "Switch", "forbid"]

COST_SCALE = 1_000_000
"""Integer units per cost unit: costs become integers once, here, before any solver sees them."""

MAX_COST = 1e9
"""Costs beyond this are a mistake, as are those that are no numbers."""
NO_COST = "must be a finite number within +-1e9, but is"


class Option(NamedTuple):
    """One thing one agent may do: option `index` of the problem is variable z of Eq. 1."""

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs of an option
    agent: str
    candidate: Candidate
    profile: ActionProfile


class Row(NamedTuple):
    """A linear row over option variables: `lower <= sum(coefficient * z) - size * y <= upper`.

    `coefficients` None means all 1. `lower` or `upper` None means no bound on that side. `task`
    names the switch y of a joint task and `size` its coefficient; "" means no switch. `detail`
    says in plain words what the row keeps from happening.
    """

    constraint: str
    options: tuple[int, ...]
    upper: int | None = 1
    lower: int | None = None
    coefficients: tuple[int, ...] | None = None
    task: str = ""
    size: int = 0
    detail: str = ""

    def activity(self, chosen: Iterable[int], active: Iterable[str] = ()) -> int:
        """The left-hand side for the chosen option indices and active joint tasks."""
        wanted = set(chosen)
        if self.coefficients is None:
            total = sum(1 for o in self.options if o in wanted)
        else:
            pairs = zip(self.options, self.coefficients, strict=True)
            total = sum(c for o, c in pairs if o in wanted)
        if self.task and self.task in active:
            total -= self.size
        return total

    def holds(self, chosen: Iterable[int], active: Iterable[str] = ()) -> bool:
        """Whether the row is satisfied."""
        value = self.activity(chosen, active)
        return (self.upper is None or value <= self.upper) and (
            self.lower is None or value >= self.lower
        )


class Switch(NamedTuple):
    """The activation variable of a joint task; being active is worth `reward` integer units."""

    task: str
    size: int
    reward: int


def forbid(option: Option, constraint: str, detail: str) -> Row:
    """The row z = 0 for one option: it can never be chosen, and `detail` says why."""
    return Row(constraint, (option.index,), 0, detail=detail)


@dataclass(frozen=True)
class Problem:
    """An instance: choose exactly one option per agent, satisfy every row, minimise the cost.

    `options` come grouped by agent in the order of `agents`. `units` are integer costs by option.
    `terms` are the cost terms by option (cost units) for explanations. `ranks` break ties: the
    smaller sum wins, then the option order, agent by agent. Where `ordered` is True neither cost
    nor rank sums count: the first feasible joint action in option order wins (FC, notes 2.13).
    """

    agents: tuple[str, ...]
    options: tuple[Option, ...]
    rows: tuple[Row, ...] = ()
    units: tuple[int, ...] = ()
    terms: Sequence[tuple[tuple[str, float], ...]] = ()
    ranks: tuple[int, ...] = ()
    switches: tuple[Switch, ...] = ()
    ordered: bool = False
    merged: tuple[tuple[Candidate, Candidate], ...] = field(default=())

    @cached_property
    def by_agent(self) -> dict[str, tuple[Option, ...]]:
        """The options of each agent, in order."""
        groups: dict[str, list[Option]] = {a: [] for a in self.agents}
        for option in self.options:
            groups[option.agent].append(option)
        return {a: tuple(g) for a, g in groups.items()}

    @cached_property
    def rows_of(self) -> tuple[tuple[int, ...], ...]:
        """For each option the indices of the rows it stands in."""
        found: list[list[int]] = [[] for _ in self.options]
        for number, row in enumerate(self.rows):
            for option in row.options:
                found[option].append(number)
        return tuple(tuple(f) for f in found)

    def value(self, chosen: Sequence[int], active: Iterable[str] = ()) -> int:
        """The integer objective: cost of the chosen options less rewards of active tasks."""
        rewards = {s.task: s.reward for s in self.switches}
        return sum(self.units[o] for o in chosen) - sum(rewards[t] for t in active)

    def violated(self, chosen: Sequence[int], active: Iterable[str] = ()) -> tuple[Row, ...]:
        """The rows that a joint action breaks, in order."""
        tasks = frozenset(active)
        wanted = frozenset(chosen)
        return tuple(r for r in self.rows if not r.holds(wanted, tasks))
