"""What can go wrong on the wire, in one form for all providers."""

from __future__ import annotations

import asyncio
import email.utils
import json
import time
from collections.abc import Mapping
from typing import Any, Literal

from mosaic_planner.models.secrets import hide_secrets

__all__ = ["ProblemKind", "WireProblem", "problem_of", "retry_after_s"]

ProblemKind = Literal["busy", "server", "timeout", "bad_request", "key", "unknown_model", "other"]
"""Worth a retry: `busy` (429, 503, 529), `server` (5xx, connections, half a body), `timeout`."""

_LONGEST = 400  # characters of a server's message that are kept


class WireProblem(Exception):
    """One attempt failed. `status` 0 if no HTTP status came; `wait_s` from `Retry-After`."""

    def __init__(
        self, kind: ProblemKind, detail: str, *, status: int = 0, wait_s: float | None = None
    ) -> None:
        detail = " ".join(hide_secrets(detail).split())
        super().__init__(detail[:_LONGEST])
        self.kind = kind
        self.detail = detail[:_LONGEST]
        self.status = status
        self.wait_s = wait_s


def retry_after_s(headers: Mapping[str, str], now_s: float | None = None) -> float | None:
    """Seconds that a `Retry-After` (seconds or a date) or `retry-after-ms` asks for, or None."""
    try:
        if headers.get("retry-after-ms"):
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
    except ValueError:
        pass
    value = headers.get("retry-after")
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        then = email.utils.parsedate_to_datetime(value).timestamp()
    except (TypeError, ValueError):
        return None
    return max(0.0, then - (time.time() if now_s is None else now_s))


def problem_of(error: Exception) -> WireProblem:
    """Any exception of an SDK as a problem; by status if it carries one, else by its nature."""
    if isinstance(error, WireProblem):
        return error
    status = getattr(error, "status_code", None) or getattr(error, "code", None)
    name = type(error).__name__
    detail = f"{name}: {error}"
    if isinstance(status, int) and status >= 400:
        return _of_status(status, detail, getattr(error, "response", None))
    if isinstance(error, TimeoutError | asyncio.TimeoutError) or "Timeout" in name:
        return WireProblem("timeout", detail)
    if isinstance(error, json.JSONDecodeError) or "Validation" in name or "Decode" in name:
        return WireProblem("server", f"unreadable body: {detail}")
    if isinstance(error, OSError) or any(w in name for w in ("Connect", "Protocol", "Network")):
        return WireProblem("server", detail)
    if any(w in name for w in ("Read", "Write", "Close", "Transport", "Remote")):
        return WireProblem("server", detail)
    return WireProblem("other", detail)


def _of_status(status: int, detail: str, response: Any) -> WireProblem:
    headers = {str(k).lower(): str(v) for k, v in dict(getattr(response, "headers", {})).items()}
    wait_s = retry_after_s(headers)
    kind: ProblemKind = "other"
    if status in (429, 503, 529):
        kind = "busy"
    elif status >= 500 or status in (408, 409):
        kind = "server"
    elif status in (400, 422):
        kind = "bad_request"
    elif status in (401, 403):
        kind = "key"
    elif status == 404:
        kind = "unknown_model"
    return WireProblem(kind, detail, status=status, wait_s=wait_s)
