"""Vocabulary, phrases, prompts, briefing, geometry and names agree with each other."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from random import Random
from string import Formatter
from typing import Any

from mosaic_planner.core.action import Action, ActionSchema, Kind, Vocabulary
from mosaic_planner.core.errors import MosaicError
from mosaic_planner.core.world import Briefing, Geometry
from mosaic_planner.models.protocol import ChatReply
from mosaic_planner.models.reading import read_action
from mosaic_planner.planners.check import check_prompts
from mosaic_planner.planners.protocol import PlannerSetup
from mosaic_planner.planners.registry import make_planner, parse_method
from mosaic_planner.testing.world_checks.findings import Abandoned, Findings
from mosaic_planner.testing.world_checks.subject import Run, ground_actions
from mosaic_planner.worlds.registry import PlannableWorld

__all__ = ["check_reading", "check_words"]

_VERB = re.compile(r"[A-Z][A-Za-z0-9]*\Z")
_SLOT = re.compile(r"[a-z][a-z0-9_]*\Z")
_WORLD_ID = re.compile(r"[a-z][a-z0-9_-]*-v\d+\Z")
_WORD = re.compile(r"\w+\Z")


def check_words(findings: Findings, world: PlannableWorld) -> None:
    """What is known before the first step; `Abandoned` if no vocabulary can be worked with."""
    vocabulary = world.vocabulary
    if not isinstance(vocabulary, Vocabulary) or not vocabulary.schemas:
        findings.add("words.vocabulary", "`vocabulary` must be a Vocabulary with action schemas")
        raise Abandoned
    for problem in (*_kind_problems(vocabulary), *_schema_problems(vocabulary)):
        findings.add("words.vocabulary", problem)
    for problem in _alias_problems(vocabulary):
        findings.add("words.aliases", problem)
    idle = [s for s in vocabulary.forms("Idle") if s.idle and not s.parameters]
    if not idle:
        findings.add(
            "words.idle", 'add ActionSchema("Idle", (), "Do nothing in this step.", idle=True)'
        )
    if all(s.idle or s.ends for s in vocabulary.schemas):
        findings.add("words.idle", "every action does nothing")
    for problem in _briefing_problems(world.briefing):
        findings.add("words.briefing", problem)
    unmeasurable = list(_geometry_problems(world.geometry))
    for problem in unmeasurable:
        findings.add("words.geometry", problem)
    if not isinstance(world.world_id, str) or not _WORLD_ID.match(world.world_id):
        findings.add(
            "words.names",
            f"`world_id` is a name with its version, like depot-v1, not "
            f"{world.world_id!r}; published numbers stay with their version",
        )
    agents = world.agents
    if not isinstance(agents, tuple) or not agents or len(set(agents)) != len(agents):
        findings.add("words.names", f"`agents` must be a tuple of different names, not {agents!r}")
        raise Abandoned
    if unmeasurable:
        raise Abandoned
    for agent in agents:
        if not isinstance(agent, str) or not _WORD.match(agent) or agent in vocabulary.verbs:
            findings.add("words.names", f"an agent's name is one word and no verb, not {agent!r}")


def _kind_problems(vocabulary: Vocabulary) -> Iterator[str]:
    names = [k.name for k in vocabulary.kinds if isinstance(k, Kind)]
    if len(names) < len(vocabulary.kinds):
        yield "`kinds` must be a tuple of Kind"
    for name in dict.fromkeys(n for n in names if names.count(n) > 1 or not n):
        yield f"kind {name!r} is empty or there twice"


def _schema_problems(vocabulary: Vocabulary) -> Iterator[str]:
    kinds = {k.name for k in vocabulary.kinds}
    seen: set[str] = set()
    for schema in vocabulary.schemas:
        form = schema.signature
        if not _VERB.match(schema.verb):
            yield f"verb {schema.verb!r} must be one word that begins with a capital: PickUp"
        if form in seen:
            yield f"{form} is there twice"
        seen.add(form)
        if not schema.description and not schema.phrases:
            yield f"{form} needs a description; prompts list it"
        names = [p.name for p in schema.parameters]
        if len(set(names)) < len(names) or not all(_SLOT.match(n) for n in names):
            yield f"parameters of {form} need different lower-case names"
        if schema.parameters and (schema.idle or schema.ends):
            yield f"{form} does nothing or ends, so it takes no arguments"
        for p in schema.parameters:
            if bool(p.kinds) == bool(p.choices):
                yield f"parameter {p.name} of {form} needs either kinds or choices"
            for kind in p.kinds:
                if kind not in kinds:
                    yield f"parameter {p.name} of {form}: kind {kind!r} is not in `kinds`"
        for phrase in schema.phrases:
            try:
                slots = sorted(slot for _, slot, _, _ in Formatter().parse(phrase) if slot)
            except ValueError as error:
                yield f"phrase {phrase!r}: {error}"
                continue
            if slots != sorted(names):
                yield f"phrase {phrase!r} must have exactly the slots of {form}"


def _alias_problems(vocabulary: Vocabulary) -> Iterator[str]:
    choices = {c for s in vocabulary.schemas for p in s.parameters for c in p.choices}
    lower = {v.lower(): v for v in vocabulary.verbs}
    for word, target in vocabulary.aliases:
        if word != word.lower() or not word:
            yield f"alias {word!r} must be lower case"
        if target not in vocabulary.verbs and target not in choices:
            yield f"alias {word!r} stands for {target!r}, which is neither verb nor choice"
        if lower.get(word, target) != target:
            yield f"alias {word!r} is another verb's name"


def _briefing_problems(briefing: Any) -> Iterator[str]:
    if not isinstance(briefing, Briefing):
        yield f"`briefing` must be a Briefing, not {type(briefing).__name__}"
        return
    if not isinstance(briefing.instruction, str) or not briefing.instruction.strip():
        yield "`instruction` says the mission in one sentence"
    if not isinstance(briefing.agent_noun, str) or not briefing.agent_noun.strip():
        yield "`agent_noun` is a word, like robot"
    for field in ("rules", "hints", "failure_causes", "task_words"):
        lines = getattr(briefing, field)
        if not isinstance(lines, tuple) or not all(isinstance(x, str) and x.strip() for x in lines):
            yield f"`{field}` must be a tuple of texts (one text alone needs a comma behind it)"


def _geometry_problems(geometry: Any) -> Iterator[str]:
    if not isinstance(geometry, Geometry):
        yield f"`geometry` must be a Geometry, not {type(geometry).__name__}"
        return
    if not (geometry.unit > 0.0 and math.isfinite(geometry.unit)):
        yield f"`unit` is the length of one move, above 0, not {geometry.unit!r}"
    if len(geometry.directions) != 4 or len({*geometry.directions, ""}) != 5:
        yield "`directions` words four different bearings: ahead, right, behind, left"


def _sample_entities(vocabulary: Vocabulary) -> list[tuple[str, str]]:
    """Two made-up things of every kind, so that nothing is right because it is the only one."""
    made = [(f"Some{_title(k.name)}_{n}", k.name) for k in vocabulary.kinds for n in (1, 2)]
    return [*made, ("SomeThing_1", ""), ("SomeThing_2", "")]


def _title(kind: str) -> str:
    return "".join(part.capitalize() for part in re.split(r"\W+|_", kind))


def _sample_args(
    schema: ActionSchema, entities: Sequence[tuple[str, str]], turn: int
) -> tuple[str, ...]:
    args = []
    for n, p in enumerate(schema.parameters):
        values = list(p.choices) or [name for name, kind in entities if kind in p.kinds]
        args.append(values[(turn + n) % len(values)])
    return tuple(args)


def check_reading(findings: Findings, runs: list[Run], planners: Sequence[str]) -> None:
    """Whatever a prompt shows is read back as the same action, made-up and real names alike."""
    world = runs[0].world
    vocabulary = world.vocabulary
    entities = _sample_entities(vocabulary)
    for schema in vocabulary.schemas:
        for turn in (0, 1):
            args = _sample_args(schema, entities, turn)
            action = Action(schema.verb, args)
            slots = dict(zip((p.name for p in schema.parameters), args, strict=True))
            for text in (str(action), *(p.format(**slots) for p in schema.phrases)):
                read = read_action(text, vocabulary, entities)
                if read.action != action:
                    findings.add(
                        "words.phrases",
                        f"{text!r} is read as {read.action}, not as {action} ({read.reason}); "
                        "word the phrase differently",
                    )
    for run in runs:
        known = tuple(run.entities().items())
        for action in ground_actions(vocabulary, known, Random("reading")):
            if len(set(action.args)) < len(action.args):
                continue
            read = read_action(str(action), vocabulary, known)
            if read.action != action:
                findings.add(
                    "words.names",
                    f"{action} is read as {read.action} ({read.reason}); names are single words "
                    "without commas and brackets, unlike verbs and choices",
                )
    _prompts(findings, world, planners)


async def _silent(*_: Any, **__: Any) -> ChatReply:
    return ChatReply("")


def _prompts(findings: Findings, world: PlannableWorld, planners: Sequence[str]) -> None:
    for name in dict.fromkeys(parse_method(method).planner for method in planners):
        setup = PlannerSetup(world.agents, world.vocabulary, world.briefing, _silent)
        try:
            problems = check_prompts(make_planner(name, setup), world.vocabulary)
        except MosaicError as error:
            problems = (str(error),)
        for problem in problems:
            findings.add("words.prompts", f"planner {name}: {problem}")
