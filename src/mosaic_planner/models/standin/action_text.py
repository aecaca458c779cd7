"""An action as text, taken apart and written in other ways: `Verb(first, second)`."""

from __future__ import annotations

import json

__all__ = ["action_args", "action_verb", "program_call"]


def action_verb(action: str) -> str:
    """What is done; all of the text if nothing is in brackets."""
    return action.partition("(")[0]


def action_args(action: str) -> list[str]:
    """What it is done to, in order; empty entries are left out."""
    inside = action.partition("(")[2].rstrip(")")
    return [a.strip() for a in inside.split(",") if a.strip()]


def program_call(action: str) -> str:
    """The action as a call in a program, with its arguments quoted."""
    args = ", ".join(json.dumps(a) for a in action_args(action))
    return f"{action_verb(action)}({args})"
