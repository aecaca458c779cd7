"""The one protocol for chat models; planners never see a provider."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

__all__ = [
    "ChatModel",
    "ChatReply",
    "ChatRequest",
    "Failure",
    "Message",
    "Usage",
    "close_model",
]

Failure = Literal["", "infrastructure", "timeout", "refusal", "budget", "cassette_miss"]
"""Why a reply has no usable text; "" if it has one."""


@dataclass(frozen=True, slots=True)
class Message:
    """One chat message; `images` are encoded PNG bytes shown after the text."""

    role: Literal["system", "user", "assistant"]
    content: str
    images: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What is asked.

    `schema`: JSON schema of the answer, or None for free text; a model that cannot enforce it
    ignores it. `max_output_tokens` > 0. `temperature` in [0, 2]. `seed` for models that take one.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    max_output_tokens: int = 1000
    temperature: float = 0.7
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts in one normal form: `cached_tokens` are part of `input_tokens`."""

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ChatReply:
    """What came back. Never an exception: `failure` and `detail` say what went wrong.

    `latency_s`: seconds from sending to the last byte, without waiting for rate limits
    (`waiting_s`); simulated for models with a latency profile. `wire_attempts` >= 0 counts
    requests that really went out.
    """

    text: str
    usage: Usage = Usage()
    latency_s: float = 0.0
    waiting_s: float = 0.0
    wire_attempts: int = 1
    finish_reason: str = "stop"
    failure: Failure = ""
    detail: str = ""


class ChatModel(Protocol):
    """A language model. One required method.

    Implementations may also have `name: str` (shown in traces) and `simulated: bool` (latency is
    simulated, not measured; False if absent), and `async def aclose(self)`, called at the end of
    an episode that made the model.
    """

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request; failures are values."""
        ...


async def close_model(model: object) -> None:
    """Close what a model holds open, if it has an `aclose`; a failure of that harms nobody."""
    close = getattr(model, "aclose", None)
    if close is not None:
        with contextlib.suppress(Exception):
            await close()
