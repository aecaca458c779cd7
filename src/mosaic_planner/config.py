"""Settings of one run: validated once at the border, stored in the trace, printed on request.

Order of precedence, lowest first: defaults, `--config FILE` (TOML), command line options,
`key=value` overrides.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from os import PathLike, fspath
from pathlib import Path
from typing import Annotated, Any, Literal, SupportsIndex

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from mosaic_planner.core.clock import LATENCY_PROFILES
from mosaic_planner.core.errors import ConfigError
from mosaic_planner.core.files import read_toml

__all__ = ["LimitSettings", "RunConfig", "load_config", "parse_override"]


def _number(value: Any) -> Any:
    if isinstance(value, bool):  # which Python takes for 0 and 1
        raise PydanticCustomError("number_type", "Input should be a number")
    return value


Whole = Annotated[int, BeforeValidator(_number)]
Real = Annotated[float, BeforeValidator(_number)]


class LimitSettings(BaseModel):
    """What an episode may spend on its model; None is no limit. Enforced before each request."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    calls: Whole | None = Field(default=None, ge=1)
    tokens: Whole | None = Field(default=None, ge=1)
    cost_usd: Real | None = Field(default=None, gt=0)
    time_s: Real | None = Field(default=None, gt=0)


class RunConfig(BaseModel):
    """Everything that determines an episode; see each field's description."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    world: str = Field(default="sar", description="world name, e.g. sar")
    scene: int | str | dict[str, Any] = Field(
        default=1, description="scene number, name, scene file, or a scene file's content"
    )
    agents: Whole = Field(default=3, ge=1, description="team size")
    planner: str = Field(default="llamar+mosaic", description="method, e.g. react+asm")
    model: str = Field(default="standin:careful", description="model name, e.g. openai:gpt-4o")
    seed: Whole = Field(default=0, ge=0, description="seed of world and stand-in")
    steps: Whole | None = Field(
        default=None, ge=1, description="budget of planning steps (100; 35 if faithful)"
    )
    k: Whole = Field(default=3, ge=1, le=8, description="candidates per agent for +fc/+cfm/+ilp")
    candidates: Literal["per-agent", "global"] = "per-agent"
    pool: Whole = Field(default=9, ge=1, description="size of the shared pool (Table 10)")
    costs: str = Field(default="default", description="cost profile: default or paper")
    weights: dict[str, Real] = Field(default_factory=dict, description="penalty weights, Table 7")
    safe_candidates: bool = True
    solver: Literal["auto", "exact", "cpsat"] = "auto"
    memory: Literal["belief", "overwriting"] = "belief"
    noise: Literal["none", "low", "medium", "high"] = "none"
    faithful: bool = Field(default=False, description="the reference's rules without deviations")
    record: str | None = Field(
        default=None, description="file that every exchange with the model is recorded to"
    )
    latency: str = Field(default="hosted-2024", description="latency profile of simulated models")
    temperature: Real = Field(default=0.7, ge=0, le=2)
    max_output_tokens: Whole = Field(default=1000, ge=1)
    limits: LimitSettings = LimitSettings()
    world_options: dict[str, Any] = Field(default_factory=dict)
    planner_options: dict[str, Any] = Field(default_factory=dict)
    model_options: dict[str, Any] = Field(default_factory=dict)

    @field_validator("scene", mode="before")
    @classmethod
    def _scene(cls, value: Any) -> Any:
        if isinstance(value, PathLike):
            value = fspath(value)
        if isinstance(value, str) and not value.strip():
            raise PydanticCustomError("scene_empty", "Input should not be empty")
        if isinstance(value, bool | float) or not isinstance(value, SupportsIndex | str | dict):
            raise PydanticCustomError(
                "scene_type", "Input should be a number, a name, a scene file or its content"
            )
        return value


_TABLES: Mapping[str, type[BaseModel]] = {"": RunConfig, "limits": LimitSettings}


def _one_line(error: ValidationError) -> str:
    first = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in first["loc"]) if first["loc"] else "settings"
    if first["type"] == "extra_forbidden":
        table, _, name = where.rpartition(".")
        known = list(_TABLES[table].model_fields)
        close = get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        what = f"settings of {table!r}" if table else "settings"
        return f"unknown setting {where!r}: {hint}{what} are {', '.join(known)}"
    if first["type"] == "model_type":
        known = list(_TABLES[where].model_fields)
        return f"setting {where!r} is a table of {', '.join(known)} (got {first['input']!r})"
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
        values = read_toml(path, fault=ConfigError)
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
