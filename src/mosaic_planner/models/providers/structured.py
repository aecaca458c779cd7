"""JSON schemas on the wire: what each server understands, and the step down to a prompted form."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mosaic_planner.models.protocol import ChatRequest, Message

__all__ = ["fits_schema", "prompted", "without"]


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
