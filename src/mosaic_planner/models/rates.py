"""Rate limiting shared by all episodes that use the same model at the same address.

A limit belongs to an account at a provider, not to an episode, so limiters are shared by key for as
long as somebody holds one. They work across threads and event loops.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable
from weakref import WeakValueDictionary

__all__ = ["RateLimiter", "shared_limiter"]

_WINDOW_S = 60.0
_POLL_S = 0.02


class RateLimiter:
    """Limits requests and tokens per minute and requests in flight; None is unlimited.

    `pause` makes everybody wait, as a `Retry-After` of one request asks of all.
    """

    def __init__(
        self,
        *,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        concurrent: int | None = None,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.requests_per_minute = requests_per_minute
        self.tokens_per_minute = tokens_per_minute
        self.concurrent = concurrent
        self._now = now
        self._sleep = sleep
        self._lock = threading.Lock()
        self._sent: deque[tuple[float, int]] = deque()
        self._in_flight = 0
        self._paused_until = 0.0

    async def acquire(self, tokens: int) -> float:
        """Wait until a request of about `tokens` may go out; returns the seconds waited.

        Call `release` when it is answered. A request larger than a minute's tokens goes out alone.
        """
        began = self._now()
        while True:
            with self._lock:
                delay = self._delay(self._now(), tokens)
                if delay <= 0:
                    self._in_flight += 1
                    self._sent.append((self._now(), tokens))
                    return self._now() - began
            await self._sleep(delay)

    def release(self) -> None:
        """A request came back, or was given up."""
        with self._lock:
            self._in_flight -= 1

    def pause(self, seconds: float) -> None:
        """Let nobody send for that long."""
        with self._lock:
            self._paused_until = max(self._paused_until, self._now() + seconds)

    def _delay(self, now: float, tokens: int) -> float:
        while self._sent and self._sent[0][0] <= now - _WINDOW_S:
            self._sent.popleft()
        delay = self._paused_until - now
        if self.concurrent is not None and self._in_flight >= self.concurrent:
            delay = max(delay, _POLL_S)
        if self.requests_per_minute is not None and self._sent:
            oldest_that_counts = len(self._sent) - int(max(self.requests_per_minute, 1))
            if oldest_that_counts >= 0:
                delay = max(delay, self._sent[oldest_that_counts][0] + _WINDOW_S - now)
        if self.tokens_per_minute is not None and self._sent:
            free = self.tokens_per_minute - tokens
            spent = sum(n for _, n in self._sent)
            for at, used in self._sent:
                if spent <= max(free, 0):
                    break
                spent -= used
                delay = max(delay, at + _WINDOW_S - now)
        return delay


_shared: WeakValueDictionary[tuple[object, ...], RateLimiter] = WeakValueDictionary()
_shared_lock = threading.Lock()


def shared_limiter(
    key: str,
    *,
    requests_per_minute: float | None = None,
    tokens_per_minute: float | None = None,
    concurrent: int | None = None,
) -> RateLimiter:
    """The limiter of a key with these limits; the same object for every holder."""
    full = (key, requests_per_minute, tokens_per_minute, concurrent)
    with _shared_lock:
        limiter = _shared.get(full)
        if limiter is None:
            limiter = RateLimiter(
                requests_per_minute=requests_per_minute,
                tokens_per_minute=tokens_per_minute,
                concurrent=concurrent,
            )
            _shared[full] = limiter
        return limiter
