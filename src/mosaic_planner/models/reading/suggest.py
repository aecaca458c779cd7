"""What to tell a model that named something unknown; suggestions are never taken silently."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz, process

from mosaic_planner.core.action import Action, ActionSchema, Parameter, Vocabulary
from mosaic_planner.models.reading.words import normal

__all__ = ["missing_reason", "suggest_action", "suggest_name"]

_LIKENESS = 75.0  # of 100; below that a suggestion misleads more than it helps


def suggest_name(text: str, names: Sequence[str]) -> str:
    """The known name most like `text`, or "" if none is like it. Ties go to the earlier name."""
    ordered = list(dict.fromkeys(names))
    wanted, known = normal(text), [normal(n) for n in ordered]
    found = process.extractOne(wanted, known, scorer=fuzz.ratio, score_cutoff=_LIKENESS)
    if found is None and len(wanted) >= 3:  # "Zoe" for `LostPersonZoe`
        found = process.extractOne(wanted, known, scorer=fuzz.partial_ratio, score_cutoff=90.0)
    return ordered[found[2]] if found else ""


def suggest_action(
    names: Sequence[str], vocabulary: Vocabulary, entities: Sequence[tuple[str, str]]
) -> str:
    """The only action of the vocabulary that takes exactly these names, or ""."""
    fitting = [
        action
        for schema in vocabulary.schemas
        if len(schema.parameters) == len(names)
        and not vocabulary.check(action := Action(schema.verb, tuple(names)), entities)
    ]
    return str(fitting[0]) if len(set(fitting)) == 1 else ""


def missing_reason(
    verb: str, missing: Sequence[Parameter], args: Sequence[str], form: ActionSchema
) -> str:
    """Which arguments an action lacks, and how it is written."""
    parts = []
    for parameter in missing:
        options = " or ".join(parameter.choices)
        article = "an" if parameter.name[:1] in "aeiou" else "a"
        parts.append(f"{article} {parameter.name}" + (f" ({options})" if options else ""))
    shown = [a or p.name for a, p in zip(args, form.parameters, strict=True)]
    return f"{verb} needs {' and '.join(parts)}: {Action(verb, tuple(shown))}"
