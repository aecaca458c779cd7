"""Rate limits, on a clock that nobody waits for."""

from __future__ import annotations

import asyncio

import pytest

from mosaic_planner.models.providers.problems import problem_of, retry_after_s
from mosaic_planner.models.rates import RateLimiter, shared_limiter


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
    return RateLimiter(now=time.now, sleep=time.sleep, **limits)


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
