"""A chat model that knows the grammar and nothing else: it draws what the asked schema allows.

For trying a world, a planner or a constraint without network and without a script. Every action it
names exists; whether it makes sense is chance. What a method reaches with it is owed to the method.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from mosaic_planner.core.clock import LATENCY_PROFILES
from mosaic_planner.models.protocol import ChatReply, ChatRequest, Usage
from mosaic_planner.models.tokens import COUNTER

__all__ = ["RandomModel", "make_random_model"]

_NUMBERED = re.compile(r"^\d+\. (.+)$", re.M)
_TEXT = "nothing to say"
_LATENCY = LATENCY_PROFILES["hosted-2024"]


class RandomModel:
    """Answers with a random value of the request's schema; equal requests get equal replies.

    Verbs are drawn first, then their arguments, so that a verb with many objects is not drawn more
    often. A free text is one of the message's numbered options if it has any. Without a schema the
    answer is an empty object.
    """

    simulated = True

    def __init__(self, seed: int = 0) -> None:
        self.name = "random"
        self.seed = seed

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Draw an answer."""
        static = "\n".join(m.content for m in request.messages if m.role == "system")
        state = "\n".join(m.content for m in request.messages if m.role == "user")
        said = f"{self.seed} {request.seed} {static} {state}".encode("utf-8", "replace")
        draw = _Draw(Random(hashlib.sha256(said).digest()), request.schema or {}, state)
        text = json.dumps(draw.value(request.schema or {"type": "object"}), ensure_ascii=False)
        usage = Usage(input_tokens=COUNTER.prompt(static, state), output_tokens=COUNTER.count(text))
        latency_s = _LATENCY.call_s(usage.input_tokens, usage.output_tokens)
        return ChatReply(text, usage=usage, latency_s=latency_s)


def make_random_model(argument: str = "", *, seed: int = 0) -> RandomModel:
    """For an entry point of the group `mosaic_planner.models`; takes no argument."""
    return RandomModel(seed)


class _Draw:
    def __init__(self, random: Random, schema: Mapping[str, Any], state: str) -> None:
        self.random = random
        self.definitions = schema.get("$defs", {})
        self.options = _NUMBERED.findall(state)

    def value(self, schema: Mapping[str, Any]) -> Any:
        if "$ref" in schema:
            return self.value(self.definitions[schema["$ref"].rsplit("/", 1)[-1]])
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._one_of(schema["enum"])
        if "anyOf" in schema:
            return self.value(schema["anyOf"][0])
        kind = schema.get("type")
        if kind == "object":
            return {key: self.value(inner) for key, inner in schema.get("properties", {}).items()}
        if kind == "array":
            return self._several(schema)
        if kind in ("integer", "number"):
            return 0
        if kind == "boolean":
            return False
        if "pattern" in schema:
            return _Pattern(schema["pattern"], self.random).text()
        return self.random.choice(self.options) if self.options else _TEXT

    def _several(self, schema: Mapping[str, Any]) -> list[Any]:
        """As many values as asked (one if any number will do), different ones while there are."""
        items = schema.get("items", {})
        count = schema.get("minItems", 1)
        found: list[Any] = []
        for _ in range(10 * count):
            value = self.value(items)
            if value not in found:
                found.append(value)
            if len(found) == count:
                return found
        return found + [self.value(items) for _ in range(count - len(found))]

    def _one_of(self, values: Sequence[Any]) -> Any:
        verbs: dict[str, list[Any]] = {}
        for value in values:
            verbs.setdefault(str(value).partition("(")[0], []).append(value)
        return self.random.choice(self.random.choice(list(verbs.values())))


class _Pattern:
    """Draws a text that a pattern of literals, escapes, groups and alternatives matches."""

    def __init__(self, pattern: str, random: Random) -> None:
        self.pattern = pattern.removeprefix("^").removesuffix("$")
        self.random = random
        self.at = 0

    def text(self) -> str:
        options = [self._sequence()]
        while self.pattern[self.at : self.at + 1] == "|":
            self.at += 1
            options.append(self._sequence())
        return self.random.choice(options)

    def _sequence(self) -> str:
        parts = []
        while self.at < len(self.pattern) and self.pattern[self.at] not in "|)":
            sign = self.pattern[self.at]
            self.at += 1
            if sign == "(":
                parts.append(self.text())
                self.at += 1  # the closing bracket
            elif sign == "\\":
                parts.append(self.pattern[self.at])
                self.at += 1
            else:
                parts.append(sign)
        return "".join(parts)
