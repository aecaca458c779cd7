"""The stand-in as a chat model: reads the messages it is sent, answers, and tells a latency."""

from __future__ import annotations

from mosaic_planner.core.clock import LATENCY_PROFILES, LatencyProfile
from mosaic_planner.core.errors import UnknownNameError
from mosaic_planner.models.protocol import ChatReply, ChatRequest, Usage
from mosaic_planner.models.standin.answers import answer
from mosaic_planner.models.standin.household_rates import HOUSEHOLD_RATES, HouseholdRates
from mosaic_planner.models.standin.mistakes import make_slips
from mosaic_planner.models.standin.prompt import read_asked, read_situation
from mosaic_planner.models.standin.rates import CORRELATIONS, RATES, MistakeRates
from mosaic_planner.models.tokens import COUNTER

__all__ = ["STRENGTHS", "StandIn", "make_standin"]

STRENGTHS = tuple(RATES)


class StandIn:
    """A rule-based model that needs no network; deterministic in (seed, messages).

    It keeps nothing between calls. Its latency is simulated from the profile and token counts.
    """

    simulated = True

    def __init__(
        self,
        name: str,
        rates: MistakeRates,
        latency: LatencyProfile,
        *,
        seed: int = 0,
        correlation: float = 0.5,
        household: HouseholdRates | None = None,
    ) -> None:
        self.name = name
        self.rates = rates
        self.household = household or HouseholdRates()
        self.latency = latency
        self.seed = seed
        self.correlation = correlation

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request in the form its system message asks for."""
        static = "\n".join(m.content for m in request.messages if m.role == "system")
        state = "\n".join(m.content for m in request.messages if m.role == "user")
        slips = make_slips(self.rates, self.correlation, self.seed, static, state)
        text = answer(read_asked(static), read_situation(state), slips, self.household)
        usage = Usage(input_tokens=COUNTER.prompt(static, state), output_tokens=COUNTER.count(text))
        latency_s = self.latency.call_s(usage.input_tokens, usage.output_tokens)
        return ChatReply(text, usage=usage, latency_s=latency_s)


def make_standin(
    strength: str,
    *,
    latency: str = "hosted-2024",
    seed: int = 0,
    correlation: str = "half-shared",
) -> StandIn:
    """A stand-in of a named strength.

    `latency` names a profile of `core.clock`. `correlation` says how mistakes are shared among
    the candidates of one answer: "identical", "half-shared" or "independent"; no published log
    tells which is right. Raises `UnknownNameError` for unknown names.
    """
    if strength not in RATES:
        raise UnknownNameError("stand-in strength", strength, RATES)
    if latency not in LATENCY_PROFILES:
        raise UnknownNameError("latency profile", latency, LATENCY_PROFILES)
    if correlation not in CORRELATIONS:
        raise UnknownNameError("correlation of mistakes", correlation, CORRELATIONS)
    return StandIn(
        f"standin:{strength}",
        RATES[strength],
        LATENCY_PROFILES[latency],
        seed=seed,
        correlation=CORRELATIONS[correlation],
        household=HOUSEHOLD_RATES[strength],
    )
