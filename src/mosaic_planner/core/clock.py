"""Simulated time of an episode: model latency + execution of primitive steps + solving.

A hosted model's latency is measured and handed in; the stand-in's comes from a latency model.
Nobody sleeps. Waiting for rate limits is a share of its own. Wall-clock readings never enter
here, so a simulated runtime is the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["LATENCY_PROFILES", "Clock", "LatencyProfile"]


@dataclass(frozen=True, slots=True)
class LatencyProfile:
    """Named latency model; seconds.

    A call takes `first_token_s + prompt_token_s * prompt + output_token_s * output`. Solving costs
    `solve_base_s + solve_candidate_s * candidates`, a deterministic stand-in for measured time.
    """

    name: str
    first_token_s: float
    prompt_token_s: float
    output_token_s: float
    primitive_step_s: float
    solve_base_s: float
    solve_candidate_s: float

    def call_s(self, prompt_tokens: int, output_tokens: int) -> float:
        """Latency of one model call."""
        return (
            self.first_token_s
            + self.prompt_token_s * prompt_tokens
            + self.output_token_s * output_tokens
        )

    def solve_s(self, candidates: int) -> float:
        """Simulated solving time of an instance with that many candidates in all."""
        return self.solve_base_s + self.solve_candidate_s * candidates


LATENCY_PROFILES: dict[str, LatencyProfile] = {
    # About 2.0 to 2.8 s per LLaMAR call at 2,000 to 6,000 prompt and 60 to 250 output tokens
    # (paper notes, section 3; Table 2 divided by its calls).
    "hosted-2024": LatencyProfile("hosted-2024", 0.6, 0.00015, 0.0095, 0.02, 0.0002, 0.00005),
}


@dataclass(slots=True)
class Clock:
    """Accumulates the shares of an episode's runtime; all in seconds, all only grow."""

    model_s: float = 0.0
    world_s: float = 0.0
    solver_s: float = 0.0
    waiting_s: float = 0.0

    @property
    def now_s(self) -> float:
        """The paper's runtime so far (waiting for rate limits is not charged to the agents)."""
        return self.model_s + self.world_s + self.solver_s
