"""Outcomes, and actions that no world should be shaken by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mosaic_planner.coordination.coordinator import idle_action
from mosaic_planner.core.action import Action, Vocabulary
from mosaic_planner.core.observation import Effect, Observation, Outcome, StepResult
from mosaic_planner.testing.world_checks.findings import Abandoned, Findings
from mosaic_planner.testing.world_checks.subject import Run, Subject, difference, observation_record
from mosaic_planner.worlds.registry import PlannableWorld

__all__ = ["check_untrusted", "odd_actions", "outcomes_fit", "wrong_actions"]

_NOBODY = "Nobody_99"
"""A name that no world has."""


def outcomes_fit(
    findings: Findings,
    world: PlannableWorld,
    joint: Mapping[str, Action],
    outcomes: Mapping[str, Outcome],
    where: str,
) -> None:
    """One outcome per agent, true to the action; `Abandoned` if it is none at all."""
    if not isinstance(outcomes, Mapping) or set(outcomes) != set(world.agents):
        findings.add("steps.outcomes", f"{where}: every agent needs an outcome")
        raise Abandoned
    for agent, outcome in outcomes.items():
        if not isinstance(outcome, Outcome):
            findings.add(
                "steps.outcomes", f"an outcome must be an Outcome, not {type(outcome).__name__}"
            )
            raise Abandoned
        action = joint[agent]
        for problem in _outcome_problems(agent, action, outcome):
            findings.add("steps.outcomes", f"{where}: {agent}, {action}: {problem}")
        for problem in _idle_problems(world.vocabulary, action, outcome):
            findings.add("steps.idle", f"{where}: {agent}, {action}: {problem}")
        for effect in outcome.effects:
            if not isinstance(effect, Effect):
                findings.add("steps.effects", f"an effect must be an Effect, not {effect!r}")
                raise Abandoned
            for problem in _effect_problems(world, outcome, effect):
                findings.add("steps.effects", f"{agent}, {action}: {problem}")


def _outcome_problems(agent: str, action: Action, outcome: Outcome) -> Iterator[str]:
    if outcome.agent != agent or outcome.action != action:
        yield f"the outcome says {outcome.agent}, {outcome.action}"
    for field in ("success", "idle", "promoted"):
        if not isinstance(getattr(outcome, field), bool):
            yield f"`{field}` must be True or False"
    steps = outcome.agent_steps
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 0:
        yield f"`agent_steps` must be a whole number of at least 0, not {steps!r}"
    if not outcome.success and not (outcome.error_kind or outcome.reason):
        yield "failed without `error_kind` or `reason`; say why, models learn from it"


def _idle_problems(vocabulary: Vocabulary, action: Action, outcome: Outcome) -> Iterator[str]:
    idles = vocabulary.is_idle(action) and not action.args
    if outcome.idle != idles:
        yield f"`idle` is {outcome.idle}, by the vocabulary it is {idles}"
    if idles and not outcome.success:
        yield "doing nothing cannot fail"
    if idles and outcome.agent_steps:
        yield "doing nothing takes no primitive steps"


def _effect_problems(world: PlannableWorld, outcome: Outcome, effect: Effect) -> Iterator[str]:
    if not outcome.success:
        yield "failed, yet reports an effect; effects are what a success changed"
    if effect.attribute == "holder" and effect.value not in ("", *world.agents):
        yield f"effect: holder is {effect.value!r}, who is not of the team"
    if effect.attribute == "gone" and effect.value is not True:
        yield "effect: `gone` has the value True"


def wrong_actions(vocabulary: Vocabulary) -> list[Action]:
    """Actions that cannot be meant: unknown verbs and names, a wrong number of arguments."""
    found = [Action("Levitate"), Action("Levitate", (_NOBODY,)), Action("")]
    lengths = {v: {len(s.parameters) for s in vocabulary.forms(v)} for v in vocabulary.verbs}
    for schema in vocabulary.schemas:
        if schema.idle or schema.ends:
            continue
        if schema.parameters:
            found.append(Action(schema.verb, (_NOBODY,) * len(schema.parameters)))
        for count in (0, max(lengths[schema.verb]) + 1):
            if count not in lengths[schema.verb]:
                found.append(Action(schema.verb, (_NOBODY,) * count))
    return list(dict.fromkeys(found))


def odd_actions(vocabulary: Vocabulary, agent: str) -> list[Action]:
    """Actions that may mean something or nothing, but must not raise."""
    texts = (agent, "", " ", "{0}%s\n'\"\\", "\N{FIRE}" * 40, "a" * 5000, "../..", "None")
    found = []
    for n, schema in enumerate(vocabulary.schemas):
        found.append(Action(schema.verb.lower()))
        found.append(Action(schema.verb, ("x",)))
        for text in (agent, texts[1 + n % 7], texts[1 + (n + 3) % 7]):
            found.append(Action(schema.verb, (text,) * len(schema.parameters)))
    return list(dict.fromkeys(found))


def check_untrusted(findings: Findings, subject: Subject, runs: list[Run]) -> None:
    """Malformed and hallucinated actions fail, change nothing, and never raise (rule O2)."""
    run = runs[-1]
    agents = run.world.agents
    vocabulary = run.world.vocabulary
    idle = dict.fromkeys(agents, idle_action(vocabulary))
    world = subject.make(len(agents))
    world.reset(run.seed)
    for joint in _dealt(odd_actions(vocabulary, agents[0]), idle):
        _carry_out(findings, world, joint)
    # Twins: where one team does what cannot be done, the other idles; all else must be equal.
    one, twin = subject.make(len(agents)), subject.make(len(agents))
    for world in (one, twin):
        world.reset(run.seed)
        for frame in list(run.steps)[: len(run.frames) // 2]:
            world.step(frame.joint)
    for joint in _dealt(wrong_actions(vocabulary), idle):
        result = _carry_out(findings, one, joint)
        there = twin.step(idle).observations
        for agent, outcome in result.outcomes.items():
            if outcome.success and joint[agent] is not idle[agent]:
                findings.add(
                    "untrusted.succeeds",
                    f"{joint[agent]} succeeded, but the world has no such thing",
                )
        where = difference(
            {a: _essence(o) for a, o in there.items()},
            {a: _essence(o) for a, o in result.observations.items()},
        )
        if where:
            findings.add(
                "untrusted.changes",
                f"{', '.join(map(str, joint.values()))} changed {where} against idling; an action "
                "that does not exist must do nothing",
            )
            return


def _dealt(actions: Sequence[Action], idle: Mapping[str, Action]) -> Iterator[dict[str, Action]]:
    """Joint actions in which every agent has one of `actions`, until all were used."""
    agents = list(idle)
    for start in range(0, len(actions), len(agents)):
        yield {**idle, **dict(zip(agents, actions[start:], strict=False))}


def _carry_out(
    findings: Findings, world: PlannableWorld, joint: Mapping[str, Action]
) -> StepResult:
    said = ", ".join(repr(str(action)[:40]) for action in joint.values())
    what = f"step() with {said}; a malformed action is a failed outcome, but it"
    return findings.attempt("untrusted.raises", what, world.step, joint)


def _essence(observation: Observation) -> dict[str, Any]:
    """An observation without what it says about the last action."""
    record = observation_record(observation)
    return {key: record[key] for key in ("pose", "inventory", "sightings", "names", "local")}
