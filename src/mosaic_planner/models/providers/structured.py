"""JSON schemas on the wire: what each server understands, and the step down to a prompted form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mosaic_planner.models.protocol import ChatRequest, Message

__all__ = ["bounded", "fits_schema", "prompted", "without"]

_CHARACTERS_PER_TOKEN = 2.5
_FRAME = 8  # characters of quotes, commas and brackets per field
_SHORTEST = 24  # characters that a text may have at least
_ENTRIES = 3  # of a list that the schema does not bound


def _texts(schema: Any) -> tuple[int, int]:
    """How many free texts an answer may have, and how many characters everything else takes."""
    if not isinstance(schema, Mapping):
        return 0, 0
    if schema.get("type") == "object":
        parts = [(len(key) + _FRAME, _texts(v)) for key, v in schema.get("properties", {}).items()]
        return sum(n for _, (n, _) in parts), sum(frame + rest for frame, (_, rest) in parts)
    if schema.get("type") == "array":
        count = schema.get("maxItems", _ENTRIES)
        texts, rest = _texts(schema.get("items"))
        return count * texts, count * (rest + _FRAME)
    if "enum" in schema or "pattern" in schema or "$ref" in schema:
        return 0, 40
    return (1, 0) if schema.get("type") == "string" else (0, 8)


def bounded(schema: Mapping[str, Any], tokens: int) -> dict[str, Any]:
    """The schema with all free texts so short that the answer fits into `tokens`, roughly.

    For servers that enforce lengths: a model that does not come to an end by itself would else
    fill its first text until it is cut off, and the answer would have none of its other keys.
    """
    texts, rest = _texts(schema)
    room = int(tokens * _CHARACTERS_PER_TOKEN) - rest
    longest = max(_SHORTEST, room // max(texts, 1))

    def shortened(part: Any) -> Any:
        if not isinstance(part, Mapping):
            return part
        result = {key: part[key] for key in part}
        if part.get("type") == "object":
            result["properties"] = {k: shortened(v) for k, v in part.get("properties", {}).items()}
        elif part.get("type") == "array":
            result["items"] = shortened(part.get("items"))
            result.setdefault("maxItems", _ENTRIES)
        elif part.get("type") == "string" and "enum" not in part and "pattern" not in part:
            result["maxLength"] = longest
        return result

    made: dict[str, Any] = shortened(schema)
    return made


def without(schema: Any, names: frozenset[str]) -> Any:
    """The schema without those keywords, at every depth (property names are left alone)."""
    if isinstance(schema, Mapping):
        result: dict[str, Any] = {}
        for key, value in schema.items():
            if key in names:
                continue
            if key in ("properties", "$defs") and isinstance(value, Mapping):
                result[key] = {name: without(inner, names) for name, inner in value.items()}
            else:
                result[key] = without(value, names)
        return result
    if isinstance(schema, list):
        return [without(item, names) for item in schema]
    return schema


def _shape(schema: Mapping[str, Any]) -> str:
    if schema.get("type") == "object":
        inner = ", ".join(
            f"{json.dumps(key, ensure_ascii=False)}: {_shape(value)}"
            for key, value in schema.get("properties", {}).items()
        )
        return "{" + inner + "}"
    if schema.get("type") == "array":
        return f"[{_shape(schema.get('items', {}))}, ...]"
    return "text"


def prompted(request: ChatRequest) -> ChatRequest:
    """The request without its schema, the form asked for in words at the end of the last message.

    The system message stays as it is, so that a cached prefix stays valid.
    """
    if request.schema is None:
        return request
    asked = f"Answer with one JSON object of this form and nothing else: {_shape(request.schema)}"
    *before, last = request.messages
    last = Message(last.role, f"{last.content}\n\n{asked}", last.images)
    return replace(request, messages=(*before, last), schema=None)


def fits_schema(text: str, schema: Mapping[str, Any]) -> bool:
    """Whether a text is strict JSON with the schema's required keys.

    A server that enforces the schema cannot answer otherwise, so False means that it does not.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and all(key in value for key in schema.get("required", ()))
