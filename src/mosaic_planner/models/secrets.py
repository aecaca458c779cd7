"""Keys never reach a trace, a log or an error text: everything shown passes through here."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["HIDDEN", "KEY_VARIABLES", "hide_in_value", "hide_secrets"]

HIDDEN = "[hidden]"

KEY_VARIABLES = (
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "MOSAIC_API_KEY",
)
"""Environment variables that hold keys; `MOSAIC_API_KEY` is for OpenAI-compatible servers."""

_KEY_LIKE = re.compile(
    r"\b(?:sk|pk|rk|xai|gsk|hf|key)[-_][A-Za-z0-9_\-]{12,}|\bAIza[0-9A-Za-z_\-]{20,}"
    r"|(?i:(?<=bearer )[A-Za-z0-9._\-]{8,})|(?i:(?<=x-api-key: )\S+|(?<=x-goog-api-key: )\S+)"
    r"|(?<=[?&]key=)[^&\s\"']+|(?<=://)[^/\s:@]+:[^/\s@]+(?=@)"
)


def hide_secrets(text: str) -> str:
    """`text` without the values of key variables and without anything shaped like a key."""
    for variable in KEY_VARIABLES:
        value = os.environ.get(variable, "")
        if len(value) >= 6:
            text = text.replace(value, HIDDEN)
    return _KEY_LIKE.sub(HIDDEN, text)


def hide_in_value(value: Any) -> Any:
    """A JSON value with `hide_secrets` applied to every text in it, names of fields aside."""
    if isinstance(value, str):
        return hide_secrets(value)
    if isinstance(value, Mapping):
        return {name: hide_in_value(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [hide_in_value(inner) for inner in value]
    return value
