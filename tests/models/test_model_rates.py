"""Rate limits, on a clock that nobody waits for."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mosaic_planner.core.errors import ConfigError
from mosaic_planner.models.providers.problems import problem_of, retry_after_s
from mosaic_planner.models.rates import (
    SHARE_VARIABLE,
    FileBook,
    MemoryBook,
    RateLimiter,
    shared_limiter,
)
from mosaic_planner.models.shared_state import SharedState


class Time:
    """A clock that sleeping moves."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def now(self) -> float:
        return self.now_s

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        await asyncio.sleep(0)


def limiter(time: Time, **limits: float) -> RateLimiter:
    return RateLimiter(book=MemoryBook(time.now), sleep=time.sleep, **limits)


def waits(made: RateLimiter, tokens: list[int]) -> list[float]:
    async def all_of_them() -> list[float]:
        result = []
        for n in tokens:
            result.append(await made.acquire(n))
            made.release()
        return result

    return asyncio.run(all_of_them())


def test_without_limits_nobody_waits() -> None:
    assert waits(limiter(Time()), [10**6] * 50) == [0.0] * 50


def test_requests_per_minute() -> None:
    time = Time()
    assert waits(limiter(time, requests_per_minute=3), [1] * 7) == pytest.approx(
        [0, 0, 0, 60, 0, 0, 60]
    )


def test_tokens_per_minute() -> None:
    time = Time()
    made = limiter(time, tokens_per_minute=100)
    assert waits(made, [60, 40, 10, 90, 100]) == pytest.approx([0, 0, 60, 0, 60])


def test_a_request_larger_than_a_minute_goes_out_alone() -> None:
    assert waits(limiter(Time(), tokens_per_minute=100), [500, 10, 500]) == pytest.approx(
        [0, 60, 60]
    )


def test_a_pause_stops_everybody() -> None:
    time = Time()
    made = limiter(time)
    made.pause(7.0)
    assert waits(made, [1, 1]) == pytest.approx([7, 0])


def test_requests_in_flight() -> None:
    time = Time()
    made = limiter(time, concurrent=2)
    flying = most = 0

    async def one() -> None:
        nonlocal flying, most
        await made.acquire(1)
        flying += 1
        most = max(most, flying)
        await time.sleep(1.0)
        flying -= 1
        made.release()

    async def all_of_them() -> None:
        await asyncio.gather(*(one() for _ in range(6)))

    asyncio.run(all_of_them())
    assert most == 2


def test_the_same_key_and_limits_share_one_limiter() -> None:
    first = shared_limiter("openai:x", requests_per_minute=5)
    assert shared_limiter("openai:x", requests_per_minute=5) is first
    assert shared_limiter("openai:y", requests_per_minute=5) is not first


def test_less_than_one_request_per_minute() -> None:
    """A share of a small limit must not round up to more than the limit."""
    made = limiter(Time(), requests_per_minute=0.5)
    assert waits(made, [1, 1, 1]) == pytest.approx([0, 120, 120])
    assert waits(limiter(Time(), requests_per_minute=2.5), [1] * 4) == pytest.approx([0, 0, 48, 0])


def test_a_file_is_shared_by_limiters_that_know_nothing_of_each_other(tmp_path: Path) -> None:
    state = SharedState(tmp_path / "rates.sqlite")
    time = Time()

    def one() -> RateLimiter:
        book = FileBook("account", state)
        book.now = time.now  # type: ignore[method-assign]  # nobody waits a minute here
        return RateLimiter(requests_per_minute=2, concurrent=1, book=book, sleep=time.sleep)

    first, second = one(), one()
    assert waits(first, [1]) == [0]
    assert waits(second, [1]) == [0]
    assert waits(first, [1]) == pytest.approx([60])
    second.pause(100)
    assert waits(first, [1])[0] >= 100


def test_a_request_of_a_dead_process_stops_nobody_for_ever() -> None:
    time = Time()
    book = MemoryBook(time.now)
    dead = RateLimiter(concurrent=1, lease_s=30, book=book, sleep=time.sleep)
    asyncio.run(dead.acquire(1))
    alive = RateLimiter(concurrent=1, lease_s=30, book=book, sleep=time.sleep)
    assert 29 < waits(alive, [1])[0] < 31


def test_releasing_frees_only_ones_own_request() -> None:
    time = Time()
    book = MemoryBook(time.now)
    holder = RateLimiter(concurrent=1, lease_s=50, book=book, sleep=time.sleep)
    asyncio.run(holder.acquire(1))
    other = RateLimiter(concurrent=1, lease_s=50, book=book, sleep=time.sleep)
    other.release()
    assert waits(other, [1])[0] > 49


_SENDER = """
import asyncio, sys, time
from mosaic_planner.models.rates import shared_limiter

made = shared_limiter("openai:x", requests_per_minute=4)

async def go():
    try:
        async with asyncio.timeout(1.0):
            for _ in range(4):
                await made.acquire(1)
                print("sent", flush=True)
                made.release()
                await asyncio.sleep(0.05)
    except TimeoutError:
        pass

asyncio.run(go())
"""


def test_two_processes_keep_to_one_limit(tmp_path: Path) -> None:
    """Each would send four; together they may send four in this minute."""
    environment = os.environ | {"MOSAIC_STATE_DIR": str(tmp_path)}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", _SENDER], env=environment, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=120)[0] for process in started]
    assert [process.returncode for process in started] == [0, 0]
    assert sum(text.count("sent") for text in said) == 4


def test_a_machine_keeps_to_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SHARE_VARIABLE, "0.25")
    made = shared_limiter("openai:z", requests_per_minute=40, tokens_per_minute=800, concurrent=2)
    assert (made.requests_per_minute, made.tokens_per_minute, made.concurrent) == (10, 200, 1)
    monkeypatch.setenv(SHARE_VARIABLE, "a lot")
    with pytest.raises(ConfigError, match=SHARE_VARIABLE):
        shared_limiter("openai:z", requests_per_minute=40)


def test_without_a_place_for_the_file_a_process_keeps_to_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("MOSAIC_STATE_DIR", str(blocked))
    made = shared_limiter("openai:w", requests_per_minute=1)
    assert made.requests_per_minute == 1
    assert waits(made, [1])[0] < 1


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "-1"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 60.0),
        ({"retry-after": "soon"}, None),
    ],
)
def test_retry_after_in_all_its_forms(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after_s(headers, now_s=40.0) == seconds


class OddError(Exception):
    """An SDK's error with a status."""

    def __init__(self, status: int) -> None:
        super().__init__("odd")
        self.status_code = status


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OddError(429), "busy"),
        (OddError(529), "busy"),
        (OddError(502), "server"),
        (OddError(408), "server"),
        (OddError(422), "bad_request"),
        (OddError(403), "key"),
        (OddError(404), "unknown_model"),
        (OddError(418), "other"),
        (TimeoutError(), "timeout"),
        (ConnectionResetError(), "server"),
        (ValueError("?"), "other"),
    ],
)
def test_nothing_unmapped_escapes(error: Exception, kind: str) -> None:
    assert problem_of(error).kind == kind
