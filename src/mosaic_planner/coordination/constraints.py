"""The constraints of the paper's Table 1 as plug-ins that turn profiles into linear rows.

"Exactly one action per agent" is not a plug-in: it is the shape of a `Problem`. A constraint of
your own is any object with a `name` and a method `rows(options)`; see `docs/coordination.md`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from mosaic_planner.coordination.collisions import NAME as COLLISION
from mosaic_planner.coordination.collisions import Following, collision_rows
from mosaic_planner.coordination.problem import Option, Row, forbid

__all__ = [
    "TABLE_1",
    "Collision",
    "Constraint",
    "Eligibility",
    "ExclusiveResources",
    "TeamSize",
]


class Constraint(Protocol):
    """Yields linear rows over option variables; must not depend on the order of options."""

    @property
    def name(self) -> str:
        """Short name, shown in explanations and traces."""
        ...

    def rows(self, options: Sequence[Option]) -> Iterable[Row]:
        """The rows for this instance, in a deterministic order."""
        ...


@dataclass(frozen=True, slots=True)
class Eligibility:
    """Table 1, row 1: z = 0 for an action that cannot work by what is believed."""

    name: str = "eligibility"

    def rows(self, options: Sequence[Option]) -> Iterator[Row]:
        """One row per ineligible option, with the profile's reason."""
        for option in options:
            if not option.profile.eligible:
                yield forbid(option, self.name, option.profile.reason or "cannot work now")


@dataclass(frozen=True, slots=True)
class TeamSize:
    """Table 1, row 3, made always feasible (notes 2.4): sum z = k * y, all k agents or none.

    If two profiles name one task with different sizes the larger one counts. A task that too few
    agents could join is switched off at once.
    """

    name: str = "team size"

    def rows(self, options: Sequence[Option]) -> Iterator[Row]:
        """One row per joint task, in order of first appearance."""
        tasks: dict[str, list[Option]] = {}
        for option in options:
            if option.profile.joint is not None:
                tasks.setdefault(option.profile.joint.task, []).append(option)
        for task, members in tasks.items():
            indices = tuple(o.index for o in members)
            size = max(o.profile.joint.size for o in members if o.profile.joint is not None)
            able = len({o.agent for o in members if o.profile.eligible})
            if able < size:
                detail = f"{task} needs {size}, eligible {able}"
                yield Row(self.name, indices, 0, detail=detail)
            else:
                detail = f"{task} needs exactly {size} agents or none"
                yield Row(self.name, indices, 0, 0, None, task, size, detail)


@dataclass(frozen=True, slots=True)
class ExclusiveResources:
    """Table 1, row 4: of all options that claim one resource at most one is chosen."""

    name: str = "exclusive resource"

    def rows(self, options: Sequence[Option]) -> Iterator[Row]:
        """One row per resource that options of at least two agents claim."""
        claims: dict[str, list[Option]] = {}
        for option in options:
            if option.profile.claims:
                for claim in dict.fromkeys(option.profile.claims):
                    claims.setdefault(claim, []).append(option)
        for claim, members in claims.items():
            first = members[0].agent
            if any(o.agent != first for o in members):
                indices = tuple(o.index for o in members)
                yield Row(self.name, indices, 1, detail=f"only one agent may use {claim}")


@dataclass(frozen=True, slots=True)
class Collision:
    """Table 1, row 5: z + z' <= 1 where paths meet, as at-most-one rows over whole cliques.

    `following`: whether a cell may be entered at the moment its occupant leaves it.
    """

    following: Following = "allowed"
    name: str = COLLISION

    def rows(self, options: Sequence[Option]) -> Sequence[Row]:
        """See `collisions.collision_rows`."""
        return collision_rows(options, self.following)


TABLE_1: tuple[Constraint, ...] = (Eligibility(), TeamSize(), ExclusiveResources(), Collision())
"""The paper's constraints; exactly one action per agent comes with every problem."""
