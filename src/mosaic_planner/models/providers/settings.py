"""What a user may set about requests to a server, and where the key comes from."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from mosaic_planner.core.errors import ConfigError

__all__ = ["WireSettings", "api_key", "wire_settings"]


@dataclass(frozen=True, slots=True)
class WireSettings:
    """Options of hosted models.

    `timeout_s`: of one attempt, until the last byte. `attempts`: requests per logical call at
    most. `backoff_s`: first wait before a retry, doubled each time. `longest_wait_s`: a
    `Retry-After` beyond it ends the call instead. `structured`: "schema" sends JSON schemas,
    "prompted" never does. `most_output_tokens`: a bound on what a request may ask for. `body`:
    further fields of the request body, e.g. `{"top_p": 0.9}`; they win over ours. The
    `*_per_minute` and `concurrent` limits are shared by every model of the same provider, address
    and name, in all processes of this user on this machine. Keys are never settings: see `api_key`.
    """

    base_url: str | None = None
    timeout_s: float = 60.0
    attempts: int = 4
    backoff_s: float = 1.0
    longest_wait_s: float = 120.0
    structured: Literal["schema", "prompted"] = "schema"
    most_output_tokens: int | None = None
    body: Mapping[str, Any] = field(default_factory=dict)
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    concurrent: int | None = None

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ConfigError(f"attempts must be at least 1, not {self.attempts!r}")
        for name in ("timeout_s", "backoff_s", "longest_wait_s"):
            value = getattr(self, name)
            if not value > 0:
                raise ConfigError(f"{name} must be above 0, not {value!r}")
        positive = ("requests_per_minute", "tokens_per_minute", "concurrent", "most_output_tokens")
        for name in positive:
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ConfigError(f"{name} must be above 0, not {value!r}")
        if self.structured not in ("schema", "prompted"):
            raise ConfigError(f"structured is 'schema' or 'prompted', not {self.structured!r}")


def wire_settings(options: Mapping[str, Any]) -> WireSettings:
    """Settings from named options; raises `ConfigError` for an unknown one."""
    known = [f.name for f in fields(WireSettings)]
    unknown = [name for name in options if name not in known]
    if unknown:
        hint = " (keys come from the environment)" if any("key" in n for n in unknown) else ""
        raise ConfigError(
            f"hosted models have no option {unknown[0]!r}{hint}; they have {', '.join(known)}"
        )
    return WireSettings(**options)


def api_key(variables: Sequence[str], model: str, *, needed: bool = True) -> str:
    """The key from the first variable that is set, or "none" if none is needed.

    Raises `ConfigError` (with the variable's name, never a value) if a needed key is missing.
    """
    for variable in variables:
        value = os.environ.get(variable, "").strip()
        if value:
            return value
    if needed:
        raise ConfigError(f"model {model!r} needs a key: set {' or '.join(variables)}")
    return "none"
