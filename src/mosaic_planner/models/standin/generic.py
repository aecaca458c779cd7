"""Answers in a world whose words it does not know: in the right form, and of little use.

The planner's list is the task itself, nothing is ever confirmed, and the action is the first one
offered that needs no object. Saying so is better than pretending.
"""

from __future__ import annotations

import json
from typing import Any

from mosaic_planner.models.standin.prompt import POOL_KEY, Asked, Situation

__all__ = ["generic_answer"]

_WHY = "I do not know this world and do what is always possible."


def generic_answer(asked: Asked, situation: Situation) -> str:
    """The text of the reply."""
    keys = set(asked.keys)
    if "plan" in keys:
        left = [] if situation.task in situation.completed else [situation.task]
        return _json({"reason": _WHY, "plan": left})
    if "completed subtasks" in keys:
        return _json({"reason": _WHY, "completed subtasks": list(situation.completed)})
    if "subtasks" in keys:
        return _json({"reason": _WHY, "subtasks": [situation.task]})
    if "allocation" in keys:
        return _json({"reason": _WHY, "allocation": [f"{n}: look around" for n in asked.team]})
    actions = _always_possible(asked)
    if "program" in keys:
        name = json.dumps(asked.team[0] if asked.team else "")
        verb = actions[0].removesuffix("()")
        return _json({"program": f"with robot({name}):\n    {verb}()\n"})
    value: Any = actions[: asked.count] if asked.several else actions[0]
    reply: dict[str, Any] = {}
    for key in asked.keys:
        if key in ("failure reason", "memory", "reason", "Think", "subtask", "message"):
            reply[key] = _WHY if key in ("reason", "Think") else "nothing new"
        elif key == "Action":
            agents = [k for k in asked.keys if k in asked.team or k == POOL_KEY]
            reply[key] = dict.fromkeys(agents, value)
        elif "Action" not in keys:
            reply[key] = value
    return _json(reply)


def _always_possible(asked: Asked) -> list[str]:
    """Offered actions without parameters, those that end or do nothing last."""
    free = [verb for verb, parameters in asked.offered if not parameters]
    last = ("Idle", "NoOp", "Done")
    useful = [f"{verb}()" for verb in free if verb not in last]
    return [*useful, "Idle"]


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
