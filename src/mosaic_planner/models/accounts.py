"""Normalised accounting: calls, wire attempts, tokens, cost and latency, by role and in all."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from mosaic_planner.models.protocol import ChatReply

__all__ = ["Account"]


@dataclass(slots=True)
class Account:
    """Sums over logical calls. Accounts can be added: modules to an episode, episodes to a method.

    `calls` are logical calls, `wire_attempts` requests that really went out. `cached_tokens` are
    part of `input_tokens`. `prompt_tokens` come from the offline counter. `cost_usd` sums priced
    calls only; `unpriced_calls` says how many are missing from it, so a total is never read as 0.
    """

    calls: int = 0
    wire_attempts: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    prompt_tokens: int = 0
    static_tokens: int = 0
    cost_usd: float = 0.0
    unpriced_calls: int = 0
    latency_s: float = 0.0
    waiting_s: float = 0.0
    failures: int = 0

    def book(self, reply: ChatReply, cost: float | None, prompt: int, static: int) -> None:
        """Add one logical call. `cost` None: unpriced."""
        self.calls += 1
        self.wire_attempts += reply.wire_attempts
        self.input_tokens += reply.usage.input_tokens
        self.cached_tokens += reply.usage.cached_tokens
        self.output_tokens += reply.usage.output_tokens
        self.prompt_tokens += prompt
        self.static_tokens += static
        self.cost_usd += cost or 0.0
        self.unpriced_calls += cost is None
        self.latency_s += reply.latency_s
        self.waiting_s += reply.waiting_s
        self.failures += bool(reply.failure)

    def __add__(self, other: Account) -> Account:
        mine, theirs = asdict(self), asdict(other)
        return Account(**{name: mine[name] + theirs[name] for name in mine})

    @property
    def cost(self) -> float | str:
        """The cost in USD, or "unpriced" if any call has no known price."""
        return "unpriced" if self.unpriced_calls else round(self.cost_usd, 6)

    @property
    def static_share(self) -> float:
        """Share of the prompt tokens in the static prefix, 0 to 1 (0 without calls)."""
        return self.static_tokens / self.prompt_tokens if self.prompt_tokens else 0.0

    def row(self) -> dict[str, Any]:
        """As plain values for tables and JSON, with `cost` and `static_share`."""
        values = asdict(self)
        values.pop("cost_usd")
        return values | {"cost": self.cost, "static_share": self.static_share}
