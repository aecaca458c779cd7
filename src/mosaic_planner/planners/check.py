"""Start-up check, before the first paid call: prompt, parser and vocabulary agree."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from mosaic_planner.core.action import Action, ActionSchema, Vocabulary
from mosaic_planner.models.reading import read_action
from mosaic_planner.planners.prompt import action_lines

__all__ = ["check_prompts"]

_LISTED = re.compile(r"^- ([A-Z]\w*(?:\([^)\n]*\))?)(?::|$)", re.M)


def _sample(schema: ActionSchema) -> tuple[Action, list[tuple[str, str]]]:
    """An action of that form with made-up entities, and those entities."""
    args: list[str] = []
    entities: list[tuple[str, str]] = []
    for number, parameter in enumerate(schema.parameters, start=1):
        if parameter.choices:
            args.append(parameter.choices[-1])
            continue
        kind = parameter.kinds[0] if parameter.kinds else "thing"
        name = f"Sample{kind.title().replace('_', '').replace(' ', '')}{number}"
        args.append(name)
        entities.append((name, kind))
    return Action(schema.verb, tuple(args)), entities


def check_prompts(planner: object, vocabulary: Vocabulary) -> tuple[str, ...]:
    """What disagrees, one line each; empty if everything agrees.

    A planner that lists actions in its prompts names its static prompts in `static_prompts`
    (module to text). Each prompt that lists actions must list exactly the vocabulary's forms, and
    the parser must read an action of every form back as itself. A planner that leaves verbs out on
    purpose names them in `left_out`.
    """
    problems: list[str] = []
    left_out = getattr(planner, "left_out", ())
    kept = tuple(schema for schema in vocabulary.schemas if schema.verb not in left_out)
    vocabulary = replace(vocabulary, schemas=kept)
    for schema in vocabulary.schemas:
        action, entities = _sample(schema)
        read = read_action(str(action), vocabulary, entities)
        if read.action != action:
            problems.append(f"the parser reads {action} as {read.action}: {read.reason}")
    forms = [schema.signature for schema in vocabulary.schemas]
    listing = action_lines(vocabulary)
    prompts: Iterable[tuple[str, str]] = getattr(planner, "static_prompts", {}).items()
    for module, text in prompts:
        start = text.find("\nActions")
        if start < 0:
            continue
        section = text[start : text.find("\n\n", start + 1)]
        listed = _LISTED.findall(section)
        for form in listed:
            if form not in forms:
                problems.append(f"prompt {module!r} lists {form}, which the world does not have")
        for form in dict.fromkeys(forms):
            if form not in listed:
                problems.append(f"prompt {module!r} does not list {form}")
        if listing not in text and not problems:
            problems.append(f"prompt {module!r} describes actions in other words than the world")
    return tuple(problems)
