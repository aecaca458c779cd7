"""What all adapters of servers share: attempts, waiting, step-down, timing, and one kind of reply.

The SDKs' own retries are switched off; every request that goes out is counted here.
"""

from __future__ import annotations

import asyncio
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any

from mosaic_planner.models.protocol import ChatReply, ChatRequest, Failure, Usage
from mosaic_planner.models.providers.problems import WireProblem, problem_of
from mosaic_planner.models.providers.settings import WireSettings
from mosaic_planner.models.providers.structured import fits_schema, prompted
from mosaic_planner.models.rates import RateLimiter, shared_limiter
from mosaic_planner.models.secrets import hide_secrets
from mosaic_planner.models.tokens import count_tokens

__all__ = ["WireAnswer", "WireModel"]

_RETRIED = ("busy", "server", "timeout")
_LEASE_MARGIN_S = 60.0  # connecting and reading an answer are inside the timeout, this is not
_MOST_ADJUSTMENTS = 4  # requests in which parameters that a server refuses are taken back


@dataclass(frozen=True, slots=True)
class WireAnswer:
    """A server's answer in normal form. `refusal`: its words if it declined, else ""."""

    text: str
    usage: Usage
    finish_reason: str
    refusal: str = ""


class WireModel(ABC):
    """A chat model behind a server. Subclasses send one request and translate one answer."""

    simulated = False

    def __init__(
        self,
        name: str,
        settings: WireSettings,
        *,
        limiter: RateLimiter | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.name = name
        self.settings = settings
        self.structured = settings.structured
        self.notes: list[str] = []
        self._sleep = sleep
        self._jitter = random.Random(0)
        self._clients: dict[int, tuple[asyncio.AbstractEventLoop, Any]] = {}
        self._limiter = limiter or shared_limiter(
            f"{name} {settings.base_url or ''}",
            requests_per_minute=settings.requests_per_minute,
            tokens_per_minute=settings.tokens_per_minute,
            concurrent=settings.concurrent,
            lease_s=settings.timeout_s + _LEASE_MARGIN_S,
        )

    @abstractmethod
    def _connect(self) -> Any:
        """A new SDK client with its retries switched off, for the running event loop."""

    @abstractmethod
    async def _send(self, client: Any, request: ChatRequest) -> WireAnswer:
        """One request over the wire; raises whatever the SDK raises."""

    def _adjust(self, problem: WireProblem) -> str:
        """Take back a parameter that the server refuses; says which, "" if none."""
        return ""

    def _client(self) -> Any:
        loop = asyncio.get_running_loop()
        known = self._clients.get(id(loop))
        if known is None or known[0] is not loop:  # connections belong to one event loop
            known = (loop, self._connect())
            self._clients = {id(loop): known}
        return known[1]

    async def _disconnect(self, client: Any) -> None:
        """Close the connections of an SDK client."""
        await client.close()

    async def aclose(self) -> None:
        """Close the connections of the running event loop; a later request opens new ones."""
        loop = asyncio.get_running_loop()
        known = self._clients.pop(id(loop), None)
        if known is not None and known[0] is loop:
            await self._disconnect(known[1])

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request; never raises for anything the server or the network does."""
        most = self.settings.most_output_tokens
        if most is not None and request.max_output_tokens > most:
            request = replace(request, max_output_tokens=most)
        stepped_down = False
        tokens = sum(count_tokens(m.content) for m in request.messages) + request.max_output_tokens
        attempts = adjustments = 0
        latency_s = waiting_s = 0.0
        while True:
            waiting_s += await self._limiter.acquire(tokens)
            wire = request if self.structured == "schema" else prompted(request)
            attempts += 1
            client = self._client()
            began = time.perf_counter()
            try:
                async with asyncio.timeout(self.settings.timeout_s):
                    answer = await self._send(client, wire)
            except Exception as error:
                problem = problem_of(error)
            else:
                latency_s += time.perf_counter() - began
                return self._reply(answer, wire, attempts, latency_s, waiting_s)
            finally:
                self._limiter.release()
            took_s = time.perf_counter() - began
            if problem.kind == "busy":
                waiting_s += took_s
            else:
                latency_s += took_s
            if problem.kind == "bad_request" and adjustments < _MOST_ADJUSTMENTS:
                adjustments += 1
                had = self.structured
                if self._step_down(problem, wire):
                    stepped_down = stepped_down or self.structured != had
                    continue
            if problem.kind == "bad_request" and stepped_down:
                self.structured = "schema"  # the schema was not what was wrong
                self.notes.pop()
            wait_s = self._wait_s(problem, attempts - adjustments)
            if wait_s is None:
                return _failed(problem, attempts, latency_s, waiting_s)
            if problem.kind == "busy":
                self._limiter.pause(wait_s)  # `acquire` waits, and so does everybody else
            else:
                await self._sleep(wait_s)
                waiting_s += wait_s

    def _wait_s(self, problem: WireProblem, attempts: int) -> float | None:
        """Seconds to wait before the next attempt, or None if there is to be none."""
        if problem.kind not in _RETRIED or attempts >= self.settings.attempts:
            return None
        if problem.wait_s is not None:
            return problem.wait_s if problem.wait_s <= self.settings.longest_wait_s else None
        doubled = self.settings.backoff_s * float(2 ** (attempts - 1))
        backoff_s = doubled * (1 + self._jitter.random() / 4)
        return min(backoff_s, self.settings.longest_wait_s)

    def _step_down(self, problem: WireProblem, wire: ChatRequest) -> bool:
        """After a 400: send otherwise from now on. False if there is nothing left to change."""
        adjusted = self._adjust(problem)
        if adjusted:
            self.notes.append(f"the server refuses {adjusted}")
            return True
        if wire.schema is not None:
            self._no_schemas(f"refused: {problem.detail}")
            return True
        return False

    def _no_schemas(self, why: str) -> None:
        self.structured = "prompted"
        self.notes.append(f"JSON schemas are {why}; asked for in words from now on")

    def _reply(
        self,
        answer: WireAnswer,
        wire: ChatRequest,
        attempts: int,
        latency_s: float,
        waiting_s: float,
    ) -> ChatReply:
        failure: Failure = ""
        detail = ""
        if answer.refusal:
            failure, detail = "refusal", hide_secrets(answer.refusal)
        elif (
            wire.schema is not None
            and answer.finish_reason == "stop"
            and not fits_schema(answer.text, wire.schema)
        ):
            self._no_schemas("ignored by the server")
            detail = self.notes[-1]
        return ChatReply(
            answer.text if not failure else "",
            usage=answer.usage,
            latency_s=latency_s,
            waiting_s=waiting_s,
            wire_attempts=attempts,
            finish_reason=answer.finish_reason,
            failure=failure,
            detail=detail,
        )


def _failed(problem: WireProblem, attempts: int, latency_s: float, waiting_s: float) -> ChatReply:
    failure: Failure = "timeout" if problem.kind == "timeout" else "infrastructure"
    status = f" (HTTP {problem.status})" if problem.status else ""
    advice = {
        "key": "; check the key",
        "unknown_model": "; check the model's name and the address",
    }.get(problem.kind, "")
    return ChatReply(
        "",
        latency_s=latency_s,
        waiting_s=waiting_s,
        wire_attempts=attempts,
        finish_reason="error",
        failure=failure,
        detail=f"{problem.kind}{status}: {problem.detail}{advice}",
    )
