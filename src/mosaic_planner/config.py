"""Settings of one run: validated once at the border, stored in the trace, printed on request.

Order of precedence, lowest first: defaults, `--config FILE` (TOML), command line options,
`key=value` overrides.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mosaic_planner.core.clock import LATENCY_PROFILES
from mosaic_planner.core.errors import ConfigError

__all__ = ["LimitSettings", "RunConfig", "load_config", "parse_override"]


class LimitSettings(BaseModel):
    """What an episode may spend on its model; None is no limit. Enforced before each request."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    calls: int | None = Field(default=None, ge=1)
    tokens: int | None = Field(default=None, ge=1)
    cost_usd: float | None = Field(default=None, gt=0)
    time_s: float | None = Field(default=None, gt=0)


class RunConfig(BaseModel):
    """Everything that determines an episode; see each field's description."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    world: str = Field(default="sar", description="world name, e.g. sar")
    scene: int | str | dict[str, Any] = Field(
        default=1, description="scene number, name, scene file, or a scene file's content"
    )
    agents: int = Field(default=3, ge=1, description="team size")
    planner: str = Field(default="llamar+mosaic", description="method, e.g. react+asm")
    model: str = Field(default="standin:careful", description="model name, e.g. openai:gpt-4o")
    seed: int = Field(default=0, ge=0, description="seed of world and stand-in")
    steps: int | None = Field(
        default=None, ge=1, description="budget of planning steps (100; 35 if faithful)"
    )
    k: int = Field(default=3, ge=1, le=8, description="candidates per agent for +fc/+cfm/+ilp")
    candidates: Literal["per-agent", "global"] = "per-agent"
    pool: int = Field(default=9, ge=1, description="size of the shared pool (Table 10)")
    costs: str = Field(default="default", description="cost profile: default or paper")
    weights: dict[str, float] = Field(default_factory=dict, description="penalty weights, Table 7")
    safe_candidates: bool = True
    solver: Literal["auto", "exact", "cpsat"] = "auto"
    memory: Literal["belief", "overwriting"] = "belief"
    noise: Literal["none", "low", "medium", "high"] = "none"
    faithful: bool = Field(default=False, description="the reference's rules without deviations")
    record: str | None = Field(
        default=None, description="file that every exchange with the model is recorded to"
    )
    latency: str = Field(default="hosted-2024", description="latency profile of simulated models")
    temperature: float = Field(default=0.7, ge=0, le=2)
    max_output_tokens: int = Field(default=1000, ge=1)
    limits: LimitSettings = LimitSettings()
    world_options: dict[str, Any] = Field(default_factory=dict)
    planner_options: dict[str, Any] = Field(default_factory=dict)
    model_options: dict[str, Any] = Field(default_factory=dict)


def _one_line(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"]) or "settings"
    if first["type"] == "extra_forbidden":
        known = ", ".join(RunConfig.model_fields)
        return f"unknown setting {where!r}; settings are {known}"
    return f"setting {where!r}: {first['msg']} (got {first['input']!r})"


def parse_override(text: str) -> tuple[str, Any]:
    """`key=value` with a TOML value, or plain text where it is none; dots go into tables.

    Raises `ConfigError` without an equals sign.
    """
    key, equals, raw = text.partition("=")
    if not equals or not key.strip():
        raise ConfigError(f"override {text!r} is not key=value, e.g. steps=50 or limits.calls=200")
    try:
        value = tomllib.loads(f"value = {raw}")["value"]
    except tomllib.TOMLDecodeError:
        value = raw
    return key.strip(), value


def load_config(
    path: str | Path | None = None,
    options: Mapping[str, Any] | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> RunConfig:
    """Settings from a TOML file, then options (None is "not given"), then overrides.

    Raises `ConfigError` with one clear line.
    """
    values: dict[str, Any] = {}
    if path is not None:
        try:
            values = tomllib.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise ConfigError(f"cannot read {path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise ConfigError(f"{path} is not a text file") from None
        except tomllib.TOMLDecodeError as error:
            raise ConfigError(f"{path} is not valid TOML: {error}") from None
    values |= {key: value for key, value in (options or {}).items() if value is not None}
    for key, value in (overrides or {}).items():
        target = values
        *tables, last = key.split(".")
        for table in tables:
            inner = target.setdefault(table, {})
            if not isinstance(inner, dict):
                raise ConfigError(f"override {key!r}: {table!r} is not a table")
            target = inner
        target[last] = value
    try:
        config = RunConfig.model_validate(values)
    except ValidationError as error:
        raise ConfigError(_one_line(error)) from None
    if config.latency not in LATENCY_PROFILES:
        known = ", ".join(sorted(LATENCY_PROFILES))
        raise ConfigError(f"setting 'latency': no profile {config.latency!r}; known: {known}")
    return config
