"""A chat model that answers what it is told to: for tests of planners, episodes and sessions."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from mosaic_planner.models.protocol import ChatReply, ChatRequest, Usage
from mosaic_planner.models.tokens import count_tokens

__all__ = ["Script", "ScriptedModel"]

Script = (
    Sequence[str | ChatReply]
    | Callable[[ChatRequest], str | ChatReply]
    | Callable[[ChatRequest], Awaitable[str | ChatReply]]
)
"""Replies in order, the last one for ever; or a function of the request."""


@dataclass(slots=True)
class ScriptedModel:
    """Answers from a script and remembers every request.

    A text becomes a reply with counted tokens and `latency_s` of simulated latency; a `ChatReply`
    is returned as it is, so failures can be scripted too. Raises ValueError for an empty list.
    """

    script: Script
    name: str = "scripted"
    latency_s: float = 1.0
    simulated: bool = True
    requests: list[ChatRequest] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not callable(self.script) and not self.script:
            raise ValueError("a script needs at least one reply")

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The next reply of the script."""
        self.requests.append(request)
        if callable(self.script):
            given = self.script(request)
            reply = await given if inspect.isawaitable(given) else given
        else:
            reply = self.script[min(len(self.requests), len(self.script)) - 1]
        if isinstance(reply, ChatReply):
            return reply
        prompt = sum(count_tokens(m.content) for m in request.messages)
        usage = Usage(input_tokens=prompt, output_tokens=count_tokens(reply))
        return ChatReply(reply, usage=usage, latency_s=self.latency_s)
