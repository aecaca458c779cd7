"""How a team explores: LLaMAR's Explore variant (rule R23), and its action list without (R18).

Explore is one action of the world, which turns the robot, chooses among the views (by a rule, or
by pictures where it has them and a guide) and moves on; every primitive of it counts as a step of
the robot. Here is what the variant asks of the planner: at most one explorer per step, and telling
the model when exploring is worth its time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mosaic_planner.core.candidate import Candidate, Rejection
from mosaic_planner.core.errors import ConfigError
from mosaic_planner.core.observation import Outcome
from mosaic_planner.planners.protocol import PlannerSetup

__all__ = ["EXPLORE", "Fruitless", "need_exploring", "one_explorer", "without_exploring"]

EXPLORE = "Explore"
"""The verb; a world that has it explores by itself."""

_FRUITLESS = 3  # steps without any success before the team is told to look elsewhere

Candidates = Mapping[str, tuple[Candidate, ...]]


def without_exploring(setup: PlannerSetup) -> PlannerSetup:
    """The same setup with an action list that has no Explore (R18), and no hint that names it."""
    words, briefing = setup.vocabulary, setup.briefing
    kept = tuple(schema for schema in words.schemas if schema.verb != EXPLORE)
    aliases = tuple(pair for pair in words.aliases if pair[1] != EXPLORE)
    return replace(
        setup,
        vocabulary=replace(words, schemas=kept, aliases=aliases),
        briefing=replace(briefing, rules=_silent(briefing.rules), hints=_silent(briefing.hints)),
    )


def _silent(lines: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(line for line in lines if EXPLORE.lower() not in line.lower())


def need_exploring(setup: PlannerSetup) -> None:
    """Raise `ConfigError` if the world has no Explore, so that the variant would be in vain."""
    if not setup.vocabulary.forms(EXPLORE):
        raise ConfigError("explore = one needs a world with the action Explore")


def one_explorer(
    candidates: Candidates,
) -> tuple[dict[str, tuple[Candidate, ...]], list[Rejection]]:
    """At most one agent may explore in a step (R23): who wants it most, the first at a tie.

    What the others said of exploring is rejected with the reason.
    """
    wishes = [
        (candidate.rank, place, agent)
        for place, (agent, ranked) in enumerate(candidates.items())
        for candidate in ranked
        if candidate.action.verb == EXPLORE
    ]
    if not wishes:
        return dict(candidates), []
    explorer = min(wishes)[2]
    kept: dict[str, tuple[Candidate, ...]] = {}
    rejections: list[Rejection] = []
    for agent, ranked in candidates.items():
        kept[agent] = tuple(c for c in ranked if agent == explorer or c.action.verb != EXPLORE)
        rejections += [
            Rejection(agent, str(c.action), f"one at a time explores, now {explorer}")
            for c in ranked
            if agent != explorer and c.action.verb == EXPLORE
        ]
    return kept, rejections


@dataclass(slots=True)
class Fruitless:
    """Counts the steps in which nobody achieved anything but looking round."""

    steps: int = 0

    def note(self, outcomes: Mapping[str, Outcome]) -> None:
        """One joint step is over."""
        useful = any(
            o.success and not o.idle and o.action.verb != EXPLORE for o in outcomes.values()
        )
        self.steps = 0 if useful else self.steps + 1

    def text(self) -> str:
        """What the actor is told about exploring."""
        if self.steps < _FRUITLESS:
            return "only if something the task needs has not been seen"
        return f"nothing has been achieved for {self.steps} steps; let one look where nobody was"
