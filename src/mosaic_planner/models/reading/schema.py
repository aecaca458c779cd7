"""JSON schemas of answers, generated from the vocabulary and the names known now.

An action is an enumeration of every legal text while that is short enough for providers, else a
pattern over the known names: a model whose server enforces it can name only existing verbs and
known objects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Literal

from mosaic_planner.core.action import Action, ActionSchema, Vocabulary

__all__ = ["MOST_CHOICES", "Shape", "action_schema", "action_texts", "answer_schema"]

Shape = Literal["text", "texts", "action", "actions"]
"""What a field holds: a text, a list of texts, one action text, or K ranked action texts."""

MOST_CHOICES = 250
"""More legal actions than that become a pattern (providers limit enumerations by number)."""


def _values(schema: ActionSchema, entities: Sequence[tuple[str, str]]) -> list[list[str]]:
    return [
        list(p.choices) or [n for n, kind in entities if not p.kinds or kind in p.kinds]
        for p in schema.parameters
    ]


def action_texts(vocabulary: Vocabulary, entities: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Every legal action text given (name, kind) pairs, in the vocabulary's order."""
    seen: set[str] = set()
    for schema in vocabulary.schemas:
        for args in product(*_values(schema, entities)):
            text = str(Action(schema.verb, args))
            if text not in seen and len(set(args)) == len(args):
                seen.add(text)
                yield text


def _pattern(vocabulary: Vocabulary, entities: Sequence[tuple[str, str]]) -> str:
    forms: list[str] = []
    for schema in vocabulary.schemas:
        values = _values(schema, entities)
        if not all(values):
            continue
        if not values:
            forms.append(re.escape(str(Action(schema.verb))))
            continue
        groups = ("(" + "|".join(map(re.escape, v)) + ")" for v in values)
        forms.append(f"{re.escape(schema.verb)}\\({', '.join(groups)}\\)")
    return f"^({'|'.join(dict.fromkeys(forms))})$"


def action_schema(
    vocabulary: Vocabulary, entities: Sequence[tuple[str, str]], *, most: int = MOST_CHOICES
) -> dict[str, Any]:
    """The schema of one action text: an `enum` of at most `most` texts, else a `pattern`."""
    texts: list[str] = []
    for text in action_texts(vocabulary, entities):
        texts.append(text)
        if len(texts) > most:
            return {"type": "string", "pattern": _pattern(vocabulary, entities)}
    return {"type": "string", "enum": texts}


def answer_schema(
    fields: Mapping[str, Shape | Mapping[str, Any]],
    vocabulary: Vocabulary | None = None,
    entities: Sequence[tuple[str, str]] = (),
    *,
    k: int = 1,
    most: int = MOST_CHOICES,
) -> dict[str, Any]:
    """The schema of an answer with these fields, in this order, all required and no others.

    `fields` maps keys to shapes or to nested fields (ReAct: `{"Think": "text", "Action": {"Alice":
    "action"}}`). `k` >= 1 is the length of "actions". Raises ValueError for an action field
    without a vocabulary.
    """
    definitions: dict[str, Any] = {}

    def build(inner: Mapping[str, Shape | Mapping[str, Any]]) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": {key: of(shape) for key, shape in inner.items()},
            "required": list(inner),
            "additionalProperties": False,
        }

    def of(shape: Shape | Mapping[str, Any]) -> dict[str, Any]:
        if isinstance(shape, Mapping):
            return build(shape)
        if shape == "text":
            return {"type": "string"}
        if shape == "texts":
            return {"type": "array", "items": {"type": "string"}}
        if vocabulary is None:
            raise ValueError("an action field needs a vocabulary")
        if "action" not in definitions:
            definitions["action"] = action_schema(vocabulary, entities, most=most)
        one = {"$ref": "#/$defs/action"}
        if shape == "action":
            return one
        return {"type": "array", "items": one, "minItems": k, "maxItems": k}

    schema = build(fields)
    return schema | {"$defs": definitions} if definitions else schema
