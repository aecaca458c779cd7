"""The stand-in as a chat model: reads the messages it is sent, answers, and tells a latency."""

from __future__ import annotations

from mosaic_planner.core.clock import LATENCY_PROFILES, LatencyProfile
from mosaic_planner.core.errors import UnknownNameError
from mosaic_planner.models.protocol import ChatReply, ChatRequest, Usage
from mosaic_planner.models.standin.answers import answer
from mosaic_planner.models.standin.prompt import read_asked, read_situation
from mosaic_planner.models.tokens import COUNTER

__all__ = ["STRENGTHS", "StandIn", "make_standin"]

STRENGTHS = ("careful",)


class StandIn:
    """A rule-based model that needs no network; deterministic in (seed, messages).

    It keeps nothing between calls. Its latency is simulated from the profile and token counts.
    """

    simulated = True

    def __init__(self, strength: str, latency: LatencyProfile, seed: int) -> None:
        self.name = f"standin:{strength}"
        self.latency = latency
        self.seed = seed

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request in the form its system message asks for."""
        static = "\n".join(m.content for m in request.messages if m.role == "system")
        state = "\n".join(m.content for m in request.messages if m.role == "user")
        text = answer(read_asked(static), read_situation(state))
        usage = Usage(input_tokens=COUNTER.prompt(static, state), output_tokens=COUNTER.count(text))
        latency_s = self.latency.call_s(usage.input_tokens, usage.output_tokens)
        return ChatReply(text, usage=usage, latency_s=latency_s)


def make_standin(strength: str, *, latency: str = "hosted-2024", seed: int = 0) -> StandIn:
    """A stand-in of a named strength.

    `latency` names a profile of `core.clock`. Raises `UnknownNameError` for unknown names.
    """
    if strength not in STRENGTHS:
        raise UnknownNameError("stand-in strength", strength, STRENGTHS)
    if latency not in LATENCY_PROFILES:
        raise UnknownNameError("latency profile", latency, LATENCY_PROFILES)
    return StandIn(strength, LATENCY_PROFILES[latency], seed)
