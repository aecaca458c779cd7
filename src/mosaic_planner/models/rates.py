"""Rate limiting shared by all episodes that use the same model at the same address.

A limit belongs to an account at a provider, not to an episode or a process. What was sent and how
long everybody has to wait is kept in a book: one in memory for the threads and event loops of a
process, or one in a file for all processes of a user on this machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import threading
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any, Protocol
from weakref import WeakValueDictionary

from mosaic_planner.core.errors import ConfigError
from mosaic_planner.models.shared_state import SharedState, user_state_file

__all__ = ["SHARE_VARIABLE", "FileBook", "MemoryBook", "RateBook", "RateLimiter", "shared_limiter"]

SHARE_VARIABLE = "MOSAIC_RATE_SHARE"
"""The environment variable with this machine's share of all limits, in (0, 1]."""

_WINDOW_S = 60.0
_POLL_S = 0.02
_LONGEST_PAUSE_S = 3600.0  # more than that is a clock that was set back, not a server's wish


class RateBook(Protocol):
    """Where limiters write down what they do."""

    def open(self) -> AbstractContextManager[dict[str, Any]]:
        """The page, for this holder alone while it is open; changes in place are kept.

        `sent`: [when, tokens] per request, oldest first. `flights`: [holder, until] per request
        under way, until when it is so at the latest. `paused_until`: a time.
        """
        ...

    def now(self) -> float:
        """The time in seconds that all holders of this book share."""
        ...


class MemoryBook:
    """For one process."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._page: dict[str, Any] = {}

    @contextlib.contextmanager
    def open(self) -> Iterator[dict[str, Any]]:
        """See `RateBook.open`."""
        with self._lock:
            yield self._page

    def now(self) -> float:
        """See `RateBook.now`."""
        return self._now()


class FileBook:
    """For all processes that use the same file; raises `ConfigError` if that cannot be."""

    def __init__(self, key: str, state: SharedState | None = None) -> None:
        self._key = key
        self._state = state or SharedState(user_state_file("rates"))

    @contextlib.contextmanager
    def open(self) -> Iterator[dict[str, Any]]:
        """See `RateBook.open`."""
        with self._state.change(self._key) as page:
            yield page

    def now(self) -> float:
        """Wall-clock time: monotonic clocks of two processes need not agree."""
        return time.time()


class RateLimiter:
    """Limits requests and tokens per minute and requests in flight; None is unlimited.

    `pause` makes everybody wait, as a `Retry-After` of one request asks of all. `lease_s`: how
    long a request can be in flight at most; one whose process died counts until then.
    """

    def __init__(
        self,
        *,
        requests_per_minute: float | None = None,
        tokens_per_minute: float | None = None,
        concurrent: int | None = None,
        lease_s: float = 3600.0,
        book: RateBook | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.requests_per_minute = requests_per_minute
        self.tokens_per_minute = tokens_per_minute
        self.concurrent = concurrent
        self._lease_s = lease_s
        self._book = book or MemoryBook()
        self._sleep = sleep
        self._me = uuid.uuid4().hex  # not the process number: those come again
        # Fewer than one request per minute is one in a longer time.
        rate = requests_per_minute or 1.0
        self._count = int(max(rate, 1.0))
        self._window_s = _WINDOW_S * self._count / rate

    async def acquire(self, tokens: int) -> float:
        """Wait until a request of about `tokens` may go out; returns the seconds waited.

        Call `release` when it is answered. A request larger than a minute's tokens goes out alone.
        """
        began = self._book.now()
        while True:
            with self._book.open() as page:
                now = self._book.now()
                delay = self._delay(page, now, tokens)
                if delay <= 0:
                    page["flights"].append([self._me, now + self._lease_s])
                    page["sent"].append([now, tokens])
                    return max(0.0, now - began)
            await self._sleep(delay)

    def release(self) -> None:
        """A request came back, or was given up."""
        with self._book.open() as page:
            flights = page.get("flights", [])
            mine = next((f for f in flights if f[0] == self._me), None)
            if mine is not None:
                flights.remove(mine)

    def pause(self, seconds: float) -> None:
        """Let nobody send for that long."""
        with self._book.open() as page:
            until = self._book.now() + seconds
            page["paused_until"] = max(page.get("paused_until", 0.0), until)

    def _delay(self, page: dict[str, Any], now: float, tokens: int) -> float:
        longest = max(self._window_s, _WINDOW_S)
        sent = [s for s in page.get("sent", []) if now - longest < s[0] <= now]
        flights = [f for f in page.get("flights", []) if now < f[1]]
        page["sent"], page["flights"] = sent, flights
        delay = 0.0
        pause = page.get("paused_until", now) - now
        if pause <= _LONGEST_PAUSE_S:
            delay = max(delay, pause)
        if self.concurrent is not None and len(flights) >= self.concurrent:
            delay = max(delay, _POLL_S)
        if self.requests_per_minute is not None and len(sent) >= self._count:
            delay = max(delay, sent[-self._count][0] + self._window_s - now)
        if self.tokens_per_minute is not None:
            recent = [s for s in sent if s[0] > now - _WINDOW_S]
            spent = sum(n for _, n in recent)
            for at, used in recent:
                if spent <= max(self.tokens_per_minute - tokens, 0):
                    break
                spent -= used
                delay = max(delay, at + _WINDOW_S - now)
        return delay


_shared: WeakValueDictionary[tuple[object, ...], RateLimiter] = WeakValueDictionary()
_shared_lock = threading.Lock()


def _share() -> float:
    text = os.environ.get(SHARE_VARIABLE, "").strip() or "1"
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise ConfigError(f"{SHARE_VARIABLE} must be a number above 0 and at most 1, not {text!r}")
    return share


def _book(key: str) -> RateBook:
    try:
        return FileBook(key)
    except (ConfigError, sqlite3.Error):  # no place to write: at least this process keeps to it
        return MemoryBook()


def shared_limiter(
    key: str,
    *,
    requests_per_minute: float | None = None,
    tokens_per_minute: float | None = None,
    concurrent: int | None = None,
    lease_s: float = 3600.0,
) -> RateLimiter:
    """The limiter of a key with these limits, for all processes of this user on this machine.

    Of several machines each keeps to its share (`SHARE_VARIABLE`; at least one request in
    flight). Raises `ConfigError` if that variable is no share.
    """
    share = _share()
    full = (key, requests_per_minute, tokens_per_minute, concurrent, lease_s, share)
    with _shared_lock:
        limiter = _shared.get(full)
        if limiter is None:
            limiter = RateLimiter(
                requests_per_minute=requests_per_minute and requests_per_minute * share,
                tokens_per_minute=tokens_per_minute and tokens_per_minute * share,
                concurrent=concurrent and max(1, int(concurrent * share)),
                lease_s=lease_s,
                book=_book(key),
            )
            _shared[full] = limiter
        return limiter
