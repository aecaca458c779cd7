"""Runs of a world: by its own safe candidates, by chance, and by one agent at a time."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from random import Random
from typing import TypeVar

from mosaic_planner.coordination import MosaicCoordinator
from mosaic_planner.coordination.coordinator import idle_action
from mosaic_planner.coordination.profile import STAYS, ActionProfile
from mosaic_planner.core.action import Action
from mosaic_planner.core.belief import Beliefs
from mosaic_planner.core.geometry import Cell
from mosaic_planner.core.history import Attempt, History
from mosaic_planner.core.observation import Observation, Outcome
from mosaic_planner.memory import make_memory
from mosaic_planner.testing.world_checks.acting import outcomes_fit
from mosaic_planner.testing.world_checks.findings import Abandoned, Findings
from mosaic_planner.testing.world_checks.observing import observations_fit
from mosaic_planner.testing.world_checks.subject import (
    Frame,
    Probe,
    Run,
    ground_actions,
    observation_record,
)
from mosaic_planner.worlds.registry import PlannableWorld

__all__ = ["drive"]

T = TypeVar("T")

_SORTS = ("safe", "alone", "safe", "alone", "random", "alone")
"""Safe steps carry the mission on, random ones leave the beaten track."""


def drive(findings: Findings, world: PlannableWorld, seed: int, steps: int) -> Run:
    """An episode of up to `steps` joint steps; ends early where the world breaks its contract."""
    driver = _Driver(findings, world, seed)
    try:
        driver.begin()
        for step in range(steps):
            driver.advance(_SORTS[step % len(_SORTS)])
    except Abandoned:
        pass
    except Exception as error:
        findings.stopped(f"an episode with seed {seed}", error)
    return driver.run


class _Driver:
    def __init__(self, findings: Findings, world: PlannableWorld, seed: int) -> None:
        self.findings = findings
        self.world = world
        self.run = Run(world, seed)
        self.random = Random(f"check_world {seed}")
        self.idle = idle_action(world.vocabulary)
        self.history = History.empty(world.agents)
        self.memory = make_memory(
            "belief",
            agents=world.agents,
            geometry=world.geometry,
            briefing=world.briefing,
            vocabulary=world.vocabulary,
        )
        self.turn = 0
        self.rules_work = True

    def begin(self) -> None:
        where = f"reset({self.run.seed})"
        found = self.findings.attempt("steps.raises", where, self.world.reset, self.run.seed)
        self._take({}, found, {}, where)

    def advance(self, sort: str) -> None:
        alone: tuple[str, Action, ActionProfile] | None = None
        joint = dict.fromkeys(self.world.agents, self.idle)
        if sort == "alone":
            alone = self._one()
            if alone is not None:
                joint[alone[0]] = alone[1]
        elif sort == "safe" and self.rules_work:
            joint = self._safe(joint)
        else:
            joint = {a: self.random.choice(self._actions()) for a in self.world.agents}
        given = dict(joint)
        where = f"step {len(self.run.frames)} of seed {self.run.seed}"
        what = f"step() with {_words(given)}"
        result = self.findings.attempt("steps.raises", what, self.world.step, joint)
        if joint != given:
            self.findings.add("steps.joint", "step() changed the mapping it was given; copy it")
        observations = getattr(result, "observations", None)
        outcomes = getattr(result, "outcomes", None)
        if observations is None or outcomes is None:
            self.findings.add("steps.outcomes", "step() must return a StepResult")
            raise Abandoned
        outcomes_fit(self.findings, self.world, given, outcomes, where)
        self._take(given, observations, outcomes, where, alone)

    def _take(
        self,
        joint: Mapping[str, Action],
        observations: Mapping[str, Observation],
        outcomes: Mapping[str, Outcome],
        where: str,
        alone: tuple[str, Action, ActionProfile] | None = None,
    ) -> None:
        findings, world = self.findings, self.world
        number = len(self.run.frames)
        observations_fit(findings, world, observations, number, where)
        score = findings.attempt("score.values", f"score() after {where}", world.score)
        snapshot = findings.attempt("data.json", f"snapshot() after {where}", world.snapshot)
        self.memory.update(observations, outcomes)
        self.history = self.history.extended(
            {a: Attempt(number, o.action, o.success, o.idle) for a, o in outcomes.items()}
        )
        beliefs = self.memory.beliefs()
        probe = None
        if alone is not None:
            agent, action, profile = alone
            arrived = self._arrived(agent, profile, beliefs)
            probe = Probe(agent, action, profile, outcomes[agent].success, arrived)
        kept = json.dumps({a: observation_record(o) for a, o in observations.items()})
        self.run.frames.append(
            Frame(joint, observations, outcomes, score, snapshot, beliefs, kept, probe)
        )

    def _actions(self) -> list[Action]:
        """Actions over everything that was sighted up to now."""
        return ground_actions(self.world.vocabulary, self.run.entities().items(), self.random)

    def _safe(self, idle: dict[str, Action]) -> dict[str, Action]:
        """What a coordinator does with a team whose model proposes nothing."""
        beliefs = self.run.frames[-1].beliefs
        coordinator = MosaicCoordinator(self.world.rules, self.world.vocabulary)
        chosen = self._asked(lambda: coordinator.select({}, beliefs, self.history).chosen)
        return idle if chosen is None else {a: c.candidate.action for a, c in chosen.items()}

    def _one(self) -> tuple[str, Action, ActionProfile] | None:
        """Whose turn it is, and an action of its: mostly one that its rules call eligible."""
        agents = self.world.agents
        agent = agents[self.turn % len(agents)]
        self.turn += 1
        beliefs = self.run.frames[-1].beliefs
        by_verb: dict[tuple[bool, str], list[tuple[Action, ActionProfile]]] = {}
        profile_of = self.world.rules.profile
        for action in self._actions():
            profile = self._asked(partial(profile_of, agent, action, beliefs))
            if not isinstance(profile, ActionProfile):
                return None
            if not self.world.vocabulary.is_idle(action):
                by_verb.setdefault((profile.eligible, action.verb), []).append((action, profile))
        good = [group for (eligible, _), group in by_verb.items() if eligible]
        bad = [group for (eligible, _), group in by_verb.items() if not eligible]
        groups = (bad or good) if self.turn % 3 == 0 else (good or bad)
        if not groups:
            return None
        return (agent, *self.random.choice(self.random.choice(groups)))

    def _arrived(self, agent: str, profile: ActionProfile, beliefs: Beliefs) -> bool | None:
        if not profile.eligible or not profile.path or profile.path[-1].leave != STAYS:
            return None
        resting = self._asked(lambda: self.world.rules.profile(agent, self.idle, beliefs))
        if resting is None or not resting.path:
            return None
        here: Cell = resting.path[0].cell
        return here == profile.path[-1].cell

    def _asked(self, question: Callable[[], T]) -> T | None:
        """An answer of the rules; None once they have raised, which `teaching` reports."""
        if not self.rules_work:
            return None
        try:
            return question()
        except Exception:
            self.rules_work = False
            return None


def _words(joint: Mapping[str, Action]) -> str:
    return ", ".join(f"{agent}: {action}" for agent, action in joint.items())[:200]
