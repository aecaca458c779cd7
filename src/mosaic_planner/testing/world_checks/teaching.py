"""Rules: profiles for every action and any beliefs, from beliefs alone, and how right they are."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from mosaic_planner.coordination.profile import ActionProfile, CellVisit, JointNeed
from mosaic_planner.core.action import Action, Vocabulary
from mosaic_planner.core.belief import Beliefs
from mosaic_planner.core.candidate import Candidate
from mosaic_planner.testing.world_checks.acting import odd_actions, wrong_actions
from mosaic_planner.testing.world_checks.findings import Findings
from mosaic_planner.testing.world_checks.subject import Frame, Run, ground_actions
from mosaic_planner.testing.world_checks.variants import variants
from mosaic_planner.worlds.registry import PlannableWorld

__all__ = ["Precision", "check_rules", "check_rules_on", "precision_of"]


@dataclass(frozen=True, slots=True)
class Precision:
    """How often the rules were right about one agent that acted while the others idled.

    `eligible` actions were tried of which `succeeded` did, against `expected` by the profiles'
    chances of failure; `ineligible` ones of which `failed` did. Actions that need several agents
    are left out. `arrived` of `paths` ended on the cell where the profile's path ends. `by_verb`:
    verb, eligible actions of it, and how many of them succeeded.
    """

    eligible: int = 0
    succeeded: int = 0
    expected: float = 0.0
    ineligible: int = 0
    failed: int = 0
    paths: int = 0
    arrived: int = 0
    by_verb: tuple[tuple[str, int, int], ...] = ()

    @property
    def right(self) -> float:
        """Share of eligible actions that succeeded, in [0, 1]; 1 if none was tried."""
        return self.succeeded / self.eligible if self.eligible else 1.0

    @property
    def rejected_rightly(self) -> float:
        """Share of ineligible actions that failed, in [0, 1]; 1 if none was tried."""
        return self.failed / self.ineligible if self.ineligible else 1.0

    def lines(self) -> list[str]:
        """The figures in words."""
        wrong = ", ".join(f"{verb} {n - ok} of {n}" for verb, n, ok in self.by_verb if ok < n)
        return [
            f"eligible actions that succeeded: {self.succeeded} of {self.eligible} "
            f"(expected by the profiles: {self.expected:.1f})"
            + (f"; failed: {wrong}" if wrong else ""),
            f"ineligible actions that failed: {self.failed} of {self.ineligible}",
            f"paths that ended where the profile says: {self.arrived} of {self.paths}",
        ]


def precision_of(runs: list[Run]) -> Precision:
    """The figures of all steps in which one agent acted alone."""
    probes = [f.probe for run in runs for f in run.steps if f.probe is not None]
    single = [p for p in probes if p.profile.joint is None or p.profile.joint.size <= 1]
    good = [p for p in single if p.profile.eligible]
    bad = [p for p in single if not p.profile.eligible]
    tried = Counter(p.action.verb for p in good)
    worked = Counter(p.action.verb for p in good if p.success)
    paths = [p.arrived for p in good if p.success and p.arrived is not None]
    return Precision(
        len(good),
        sum(p.success for p in good),
        sum(1.0 - p.profile.failure for p in good),
        len(bad),
        sum(not p.success for p in bad),
        len(paths),
        sum(paths),
        tuple((verb, n, worked[verb]) for verb, n in tried.items()),
    )


def check_rules(findings: Findings, runs: list[Run]) -> None:
    """Every run at its start and at its end, with all kinds of beliefs."""
    someone_can = False
    for run in runs:
        frames = [run.frames[i] for i in dict.fromkeys((0, len(run.frames) - 1))]
        for frame in frames:
            for what, beliefs in variants(run.world, frame):
                can = check_rules_on(findings, run, beliefs, what)
                someone_can = someone_can or (can and beliefs is frame.beliefs)
    if not someone_can:
        findings.add(
            "rules.eligible", "no action but idling is eligible for anybody; nothing can be done"
        )
    for run in runs:
        _from_beliefs_alone(findings, run)


def check_rules_on(findings: Findings, run: Run, beliefs: Beliefs, what: str) -> bool:
    """Ask for every profile and the fallbacks; whether any action but idling is eligible."""
    world, vocabulary = run.world, run.world.vocabulary
    rules = world.rules
    actions = ground_actions(vocabulary, run.entities().items(), Random("profiles"))
    wrong = set(wrong_actions(vocabulary))
    able = False
    for agent in world.agents:
        for action in (*actions, *odd_actions(vocabulary, agent), *wrong):
            said = f"profile({agent}, {str(action)[:60]}) with {what}"
            profile = findings.attempt("rules.raises", said, rules.profile, agent, action, beliefs)
            for problem in profile_problems(vocabulary, action, profile):
                findings.add("rules.values", f"{said}: {problem}")
            if not isinstance(profile, ActionProfile):
                return False
            if action in wrong and profile.eligible:
                findings.add(
                    "rules.hallucinated",
                    f"{said}: eligible, though there is no such thing; begin with "
                    "vocabulary.check(action, known names and kinds)",
                )
            able = able or (profile.eligible and not profile.idle)
        _fallbacks(findings, world, agent, beliefs, what)
    return able


def profile_problems(vocabulary: Vocabulary, action: Action, profile: Any) -> Iterator[str]:
    """What is out of type or range in one profile."""
    if not isinstance(profile, ActionProfile):
        yield f"must be an ActionProfile, not {type(profile).__name__}"
        return
    if not isinstance(profile.eligible, bool) or not isinstance(profile.idle, bool):
        yield "`eligible` and `idle` must be True or False"
    if not profile.eligible and not profile.reason:
        yield "ineligible without a reason; the model is told it"
    if not _names(profile.claims):
        yield f"`claims` must be a tuple of names, not {profile.claims!r}"
    yield from _path_problems(profile.path)
    if profile.joint is not None:
        need = profile.joint
        if not isinstance(need, JointNeed) or not need.task or need.size < 1:
            yield f"`joint` must be a JointNeed of a named task and at least 1 agent, not {need!r}"
    for field, least in (("failure", 0.0), ("progress", -1.0)):
        value = getattr(profile, field)
        if not isinstance(value, int | float) or not least <= value <= 1.0:
            yield f"`{field}` must be in [{least:.0f}, 1], not {value!r}"
    steps = profile.steps
    if not isinstance(steps, int | float) or not math.isfinite(steps) or steps < 0.0:
        yield f"`steps` must be a finite number of at least 0, not {steps!r}"
    if vocabulary.is_idle(action) and not action.args:
        if not profile.idle or not profile.eligible:
            yield "doing nothing is always eligible, and `idle`"
        if profile.progress or profile.joint is not None or profile.claims:
            yield "doing nothing brings no progress, needs nobody and claims nothing"
    elif profile.idle and profile.eligible:
        yield "`idle`, but the vocabulary says that it does something"


def _path_problems(path: Any) -> Iterator[str]:
    if not isinstance(path, tuple) or not all(isinstance(v, CellVisit) for v in path):
        yield "`path` must be a tuple of CellVisit"
        return
    now = 0
    for visit in path:
        if visit.enter != now or visit.leave <= visit.enter:
            yield (
                "`path` must begin at time 0 and go on where the visit before ends, "
                f"not {[tuple(v) for v in path]}"
            )
            return
        now = visit.leave


def _names(value: Any) -> bool:
    return isinstance(value, tuple) and all(isinstance(v, str) and v for v in value)


def _fallbacks(
    findings: Findings, world: PlannableWorld, agent: str, beliefs: Beliefs, what: str
) -> None:
    said = f"fallbacks({agent}) with {what}"
    found = findings.attempt("rules.raises", said, world.rules.fallbacks, agent, beliefs)
    if not isinstance(found, Sequence) or not all(isinstance(c, Candidate) for c in found):
        findings.add("rules.fallbacks", f"{said}: must be a sequence of Candidate")
        return
    if not found or not world.vocabulary.is_idle(found[-1].action):
        findings.add("rules.fallbacks", f"{said}: the last one must be the idle action")
    if len({c.action for c in found}) < len(found):
        findings.add("rules.fallbacks", f"{said}: an action comes twice")
    for candidate in found:
        if candidate.agent != agent or candidate.source != "safe" or not candidate.why:
            findings.add(
                "rules.fallbacks",
                f'{said}: {candidate.action} needs agent={agent!r}, source="safe" and a `why`',
            )
        profile = findings.attempt(
            "rules.raises", said, world.rules.profile, agent, candidate.action, beliefs
        )
        if isinstance(profile, ActionProfile) and not profile.eligible:
            findings.add(
                "rules.fallbacks",
                f"{said}: {candidate.action} is ineligible ({profile.reason}); offer only what "
                "can work",
            )


def _from_beliefs_alone(findings: Findings, run: Run) -> None:
    """The profile of an old moment is the same when the world has long gone on.

    First the rules are asked while the world is as believed (it is brought there again), then, of
    the same beliefs, when it is somewhere else.
    """
    world = run.world
    actions = ground_actions(world.vocabulary, run.entities().items(), Random("profiles"))
    last = run.frames[-1]
    chosen = [f for f in run.frames[1::4] if f is not last]

    def ask(frame: Frame) -> list[ActionProfile]:
        return [
            findings.attempt(
                "rules.raises", f"profile({a}, {x})", world.rules.profile, a, x, frame.beliefs
            )
            for a in world.agents
            for x in actions
        ]

    world.reset(run.seed)
    then: list[list[ActionProfile]] = []
    for frame in run.steps:
        world.step(frame.joint)
        if any(frame is f for f in chosen):
            then.append(ask(frame))
    for frame, before in zip(chosen, then, strict=True):
        now = ask(frame)
        pairs = ((a, x) for a in world.agents for x in actions)
        for (agent, action), one, other in zip(pairs, before, now, strict=True):
            if one != other:
                findings.add(
                    "rules.beliefs",
                    f"profile({agent}, {action}) of the same beliefs changed while the world went "
                    "on; rules read beliefs, never the world or what they were asked before",
                )
                return
