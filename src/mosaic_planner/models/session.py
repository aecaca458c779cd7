"""One model for one episode: what planners call; accounting, limits and trace are behind it.

`ModelSession` is a `planners.protocol.Ask` without importing it. It never raises for anything a
model or a network does: failures are replies with a reason.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from mosaic_planner.core.clock import Clock
from mosaic_planner.core.errors import ConfigError
from mosaic_planner.core.trace import TraceWriter
from mosaic_planner.models.accounts import Account
from mosaic_planner.models.limits import Budget, LimitHit, Limits, SharedBudget, Spending
from mosaic_planner.models.prices import Price, price_of
from mosaic_planner.models.protocol import (
    ChatModel,
    ChatReply,
    ChatRequest,
    Message,
    Usage,
    close_model,
)
from mosaic_planner.models.reading.keys import clean_text
from mosaic_planner.models.secrets import hide_secrets
from mosaic_planner.models.tokens import COUNTER, TokenCounter

__all__ = ["ModelSession", "call_seed"]

_DEFAULT_OUTPUT_TOKENS = 1000  # what `Ask` has where a planner does not say (R7)
_ESTIMATE_MARGIN = 1.25  # the offline counter may be that far too low before a limit is broken


def call_seed(seed: int, number: int) -> int:
    """The seed of an episode's call `number` (from 0): 31 bits, different for neighbours."""
    mixed = (seed * 0x9E3779B1 + number * 0x85EBCA77 + 0x27D4EB2F) & 0xFFFFFFFF
    mixed ^= mixed >> 15
    mixed = (mixed * 0x2C1B3C6D) & 0xFFFFFFFF
    mixed ^= mixed >> 13
    return mixed & 0x7FFFFFFF


class ModelSession:
    """Calls a model, books what it cost, keeps to limits, and writes a `call` event per call.

    `step` gives the planning step that events are filed under. `seed`: each call gets a seed
    derived from it and the call's number, so an episode can be repeated. `max_output_tokens` is
    for calls that leave it at the usual 1,000; a smaller one bounds all. `limits` bound this
    episode; `sweep` is a budget shared with other episodes. A reply refused by a limit has
    failure "budget", 0 wire attempts, and is a `note` in the trace, not a `call`. Raises
    ConfigError if money is limited and the model has no known price.
    """

    def __init__(
        self,
        model: ChatModel,
        *,
        writer: TraceWriter,
        clock: Clock,
        step: Callable[[], int],
        seed: int = 0,
        temperature: float = 0.7,
        max_output_tokens: int = _DEFAULT_OUTPUT_TOKENS,
        limits: Limits | None = None,
        sweep: SharedBudget | None = None,
        counter: TokenCounter = COUNTER,
    ) -> None:
        self.model = model
        self.name = str(getattr(model, "name", type(model).__name__))
        self.simulated = bool(getattr(model, "simulated", False))
        self.accounts: dict[str, Account] = {}
        self.rungs: dict[str, int] = {}
        self.budget = Budget(limits or Limits())
        self.stopped: LimitHit | None = None
        self._writer = writer
        self._clock = clock
        self._step = step
        self._seed = seed
        self._temperature = temperature
        self._most_output = max_output_tokens
        self._sweep = sweep
        self._counter = counter
        self._price: Price | None = price_of(self.name, simulated=self.simulated)
        if self._price is None and any(b.limits.money_usd is not None for b in self._budgets):
            raise ConfigError(f"a limit on money needs a known price; {self.name} is unpriced")
        self._number = 0
        self._lost = ""
        self.lost_detail = ""

    @property
    def account(self) -> Account:
        """Everything spent in this episode, all modules together."""
        total = Account()
        for part in self.accounts.values():
            total = total + part
        return total

    @property
    def ended(self) -> str:
        """Why the episode should end: "", "budget" or "infrastructure" (see `lost_detail`).

        "infrastructure" as soon as a call failed for good (its adapter has retried already) or
        a cassette lacks it; a later call that succeeds takes it back.
        """
        return "budget" if self.stopped is not None else self._lost

    async def aclose(self) -> None:
        """Close the model's connections; for whoever made the model for this episode alone."""
        await close_model(self.model)

    def note_reading(self, module: str, rung: str, problem: str, again: bool) -> None:
        """Keep in the trace which rung of the reading ladder an answer needed (`ask_for`)."""
        self.rungs[rung] = self.rungs.get(rung, 0) + 1
        self._writer.write(
            "reading",
            step=self._step(),
            t=self._clock.now_s,
            module=module,
            rung=rung,
            problem=problem,
            again=again,
        )

    async def __call__(
        self,
        module: str,
        static: str,
        state: str,
        *,
        schema: Mapping[str, Any] | None = None,
        max_output_tokens: int = _DEFAULT_OUTPUT_TOKENS,
        temperature: float | None = None,
        images: tuple[bytes, ...] = (),
    ) -> ChatReply:
        """One logical call; see `planners.protocol.Ask`. Never raises for a model's failure."""
        prompt = self._counter.prompt(static, state)
        if max_output_tokens == _DEFAULT_OUTPUT_TOKENS:
            max_output_tokens = self._most_output
        elif self._most_output < _DEFAULT_OUTPUT_TOKENS:
            max_output_tokens = min(max_output_tokens, self._most_output)
        request = ChatRequest(
            messages=(Message("system", static), Message("user", state, images)),
            schema=schema,
            max_output_tokens=max_output_tokens,
            temperature=self._temperature if temperature is None else temperature,
            seed=call_seed(self._seed, self._number),
        )
        most_input = round(prompt * _ESTIMATE_MARGIN)
        usage = Usage(input_tokens=most_input, output_tokens=max_output_tokens)
        most = Spending(
            calls=1,
            tokens=most_input + max_output_tokens,
            money_usd=None if self._price is None else self._price.of(usage),
        )
        hit = self._claim(most)
        if hit is not None:
            return self._refuse(module, hit)
        self._number += 1
        started = time.perf_counter()
        try:
            reply = await self._complete(request)
        except BaseException:  # the episode is being stopped; a shared budget goes on
            for budget in self._budgets:
                budget.settle(most, Spending(calls=1))
            raise
        measured_s = time.perf_counter() - started
        self._book(module, request, reply, static, prompt, most, measured_s)
        return reply

    @property
    def _budgets(self) -> tuple[SharedBudget, ...]:
        return (self.budget,) if self._sweep is None else (self.budget, self._sweep)

    def _claim(self, most: Spending) -> LimitHit | None:
        hit = self.budget.refusal(most, self._clock.now_s)
        if hit is None and self._sweep is not None:
            hit = self._sweep.claim(most)
        if hit is None:
            self.budget.reserve(most)
        return hit

    def _refuse(self, module: str, hit: LimitHit) -> ChatReply:
        if self.stopped is None:
            self._writer.write(
                "note",
                step=self._step(),
                t=self._clock.now_s,
                text=f"no call of {module}: {hit}",
            )
        self.stopped = hit
        return ChatReply("", wire_attempts=0, failure="budget", detail=str(hit))

    async def _complete(self, request: ChatRequest) -> ChatReply:
        try:
            reply = await self.model.complete(request)
        except Exception as error:  # a model that breaks its contract must not end the episode
            detail = hide_secrets(f"{type(error).__name__}: {error}")
            return ChatReply("", wire_attempts=0, failure="infrastructure", detail=detail)
        return reply

    def _book(
        self,
        module: str,
        request: ChatRequest,
        reply: ChatReply,
        static: str,
        prompt: int,
        most: Spending,
        measured_s: float,
    ) -> None:
        cost = None if self._price is None else self._price.of(reply.usage)
        self._clock.model_s += reply.latency_s
        self._clock.waiting_s += reply.waiting_s
        tokens = reply.usage.input_tokens + reply.usage.output_tokens
        real = Spending(1, tokens, cost, reply.latency_s)
        for budget in self._budgets:
            budget.settle(most, real)
        lost = reply.failure in ("infrastructure", "timeout", "cassette_miss")
        self._lost = "infrastructure" if lost else ""
        self.lost_detail = hide_secrets(f"{reply.failure}: {reply.detail}") if lost else ""
        static_tokens = self._counter.count_static(static)
        account = self.accounts.setdefault(module, Account())
        account.book(reply, cost, prompt, static_tokens)
        user = request.messages[1]
        messages: list[dict[str, Any]] = [
            {"role": "system", "text_id": self._writer.text(clean_text(static))},
            {"role": "user", "text": clean_text(user.content)},
        ]
        if user.images:
            messages[1]["images"] = len(user.images)
        self._writer.write(
            "call",
            step=self._step(),
            t=self._clock.now_s,
            module=module,
            model=self.name,
            messages=messages,
            reply=clean_text(reply.text),
            finish_reason=reply.finish_reason,
            usage={
                "input_tokens": reply.usage.input_tokens,
                "cached_tokens": reply.usage.cached_tokens,
                "output_tokens": reply.usage.output_tokens,
            },
            cost_usd="unpriced" if cost is None else cost,
            latency_s=reply.latency_s,
            waiting_s=reply.waiting_s,
            attempts=reply.wire_attempts,
            failure=reply.failure,
            detail=hide_secrets(clean_text(reply.detail)),
            prompt_tokens=prompt,
            static_tokens=static_tokens,
            counter=self._counter.name,
            settings={
                "temperature": request.temperature,
                "max_output_tokens": request.max_output_tokens,
                "seed": request.seed,
                "schema": request.schema is not None,
            },
            wall={"call_s": round(measured_s, 6)},
        )
