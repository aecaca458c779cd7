"""A suite: methods x worlds x tasks x team sizes x models x seeds x settings, from TOML::

    name = "mine"
    title = "What this compares"
    episodes = 3                    # per task; seeds 0, 10, 20, ... unless `seeds` lists them
    [settings]                      # for every episode: any setting of `mosaic run`
    agents = 3
    [[worlds]]
    world = "sar"
    tasks = "all"                   # or [1, 3], or tables of settings
    [[rows]]                        # one line of the table: a label and settings
    label = "LLaMAR"
    planner = "llamar"
    [vary]                          # each row is run at every combination of these
    steps = [50, 100]

Later wins: `settings`, the world's `settings`, the task's, the row's, `vary`.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mosaic_planner.config import RunConfig, load_config
from mosaic_planner.core.errors import ConfigError, UnknownNameError, UsageError
from mosaic_planner.core.files import field_name, read_toml
from mosaic_planner.experiments.tasks import Task, have_world, select_tasks
from mosaic_planner.planners.registry import parse_method

__all__ = ["Cell", "Placement", "Plan", "Quick", "Row", "Suite", "WorldPart", "load_suite"]

_STRICT = ConfigDict(extra="forbid", frozen=True)
_MOST_EPISODES = 200_000  # a plan holds the settings of each in memory


class WorldPart(BaseModel):
    """One world of a suite. `paper`: the paper reports this experiment in this world."""

    model_config = _STRICT
    world: str
    tasks: str | list[Any] = "all"
    paper: bool = False
    settings: dict[str, Any] = Field(default_factory=dict)


class Row(BaseModel):
    """One line of the table; everything but the fields below is a setting of the episode.

    `group`: class of methods, for rules and for the best value. `base`: label of the row that
    differences are taken from. `ours`: uses our extras, not the paper's objective alone.
    """

    model_config = ConfigDict(extra="allow", frozen=True)
    label: str
    group: str = ""
    base: str = ""
    ours: bool = False

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of this row."""
        return dict(self.model_extra or {})


class Quick(BaseModel):
    """What `--quick` reduces: episodes per task, tasks per world, values of an axis, settings."""

    model_config = _STRICT
    episodes: int = Field(default=1, ge=1)
    tasks: int = Field(default=2, ge=1)
    vary: dict[str, list[Any]] = Field(default_factory=dict)
    settings: dict[str, Any] = Field(default_factory=dict)


class Suite(BaseModel):
    """A validated suite; see the module for the file's form."""

    model_config = _STRICT
    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    title: str = ""
    source: str = Field(default="", description="table or figure of the paper, if any")
    note: str = ""
    episodes: int = Field(default=3, ge=1)
    seeds: list[int] | None = Field(default=None, min_length=1)
    settings: dict[str, Any] = Field(default_factory=dict)
    worlds: list[WorldPart] = Field(min_length=1)
    rows: list[Row] = Field(min_length=1)
    vary: dict[str, list[Any]] = Field(default_factory=dict)
    quick: Quick = Quick()

    @property
    def missing_worlds(self) -> tuple[str, ...]:
        """Worlds of the suite that this installation lacks."""
        return tuple(part.world for part in self.worlds if not have_world(part.world))

    def adjusted(
        self,
        *,
        settings: Mapping[str, Any] | None = None,
        vary: Mapping[str, list[Any]] | None = None,
        worlds: list[str] | None = None,
        rows: list[str] | None = None,
        episodes: int | None = None,
        quick: bool = False,
    ) -> Suite:
        """This suite with what the command line asks for.

        `settings` replace those of the suite and its worlds; one that a row or an axis fixes is a
        mistake, since it would change what the rows mean. `vary` replaces or adds axes; rows
        leave a varied setting to the axis. Raises `UsageError`.
        """
        values = self.model_dump()
        fixed = {key for row in self.rows for key in row.settings} | self.vary.keys()
        for key in settings or {}:
            head = key.split(".")[0]
            if head in fixed:
                raise UsageError(
                    f"suite {self.name!r} compares different values of {head!r}; "
                    f"choose them with --vary {head}=..."
                )
        if quick:
            values["episodes"], values["seeds"] = self.quick.episodes, None
            values["vary"] = {**values["vary"], **self.quick.vary}
            values["settings"] = {**values["settings"], **self.quick.settings}
            for part in values["worlds"]:
                part["tasks"] = _quick_tasks(part, self.quick.tasks)
        if episodes is not None:
            values["episodes"], values["seeds"] = episodes, None
        for key, value in (settings or {}).items():
            _put(values["settings"], key, value)
            for part in values["worlds"]:
                part["settings"].pop(key, None)
        for key, axis in (vary or {}).items():
            values["vary"][key] = axis
            for row in values["rows"]:
                row.pop(key, None)
            values["rows"] = _distinct(values["rows"])
        if worlds is not None:
            values["worlds"] = _chosen(values["worlds"], "world", worlds, self.name)
        if rows is not None:
            values["rows"] = _chosen(values["rows"], "label", rows, self.name)
        left = {row["label"] for row in values["rows"]}
        for row in values["rows"]:
            if row["base"] not in left:
                row["base"] = ""
        return _validated(values, f"suite {self.name!r}")

    def plan(self) -> Plan:
        """Every episode, in the order to run; worlds that are missing are left out and named.

        Repeats come first, then tasks, then rows, so that a sweep stopped early is balanced.
        Raises `ConfigError` for a setting or a planner that does not exist, and for more episodes
        than a plan can hold.
        """
        seeds = self.seeds if self.seeds is not None else range(0, 10 * self.episodes, 10)
        axes = [[(name, value) for value in values] for name, values in self.vary.items()]
        placements: list[Placement] = []
        cells: dict[str, Cell] = {}
        parts = [part for part in self.worlds if have_world(part.world)]
        tasks = [(part, task) for part in parts for task in select_tasks(part.world, part.tasks)]
        points = math.prod(len(axis) for axis in axes)
        count = len(seeds) * len(tasks) * len(self.rows) * points
        if count > _MOST_EPISODES:
            raise ConfigError(
                f"suite {self.name!r} has {count:,} episodes; {_MOST_EPISODES:,} is the most, "
                "so lower its episodes per task"
            )
        for repeat, (part, task), row in itertools.product(seeds, tasks, self.rows):
            for point in itertools.product(*axes):
                config = self._config(part, task, row, point, repeat)
                cell = Cell(_key(config, task), config)
                cells.setdefault(cell.key, cell)
                axis = tuple((name, _axis_label(value)) for name, value in point)
                placements.append(
                    Placement(
                        row.label, axis, part.world, task.name, task.variant, repeat, cell.key
                    )
                )
        return Plan(self, tuple(cells.values()), tuple(placements), self.missing_worlds)

    def _config(
        self,
        part: WorldPart,
        task: Task,
        row: Row,
        point: tuple[tuple[str, Any], ...],
        seed: int,
    ) -> RunConfig:
        values: dict[str, Any] = {"world": part.world, "seed": seed}
        for layer in (self.settings, part.settings, task.settings, row.settings):
            for key, value in layer.items():
                _put(values, key, value)
        for name, value in point:
            _put(values, name, value["value"] if _labelled(value) else value)
        try:
            config = load_config(options=values)
            parse_method(config.planner)
            return config
        except (ConfigError, UnknownNameError) as error:
            raise ConfigError(f"suite {self.name!r}, row {row.label!r}: {error}") from None


@dataclass(frozen=True, slots=True)
class Cell:
    """One episode to run; equal settings have equal keys, so none is run twice."""

    key: str
    config: RunConfig


@dataclass(frozen=True, slots=True)
class Placement:
    """Where an episode counts: a row, a point of the axes, a world, a task, a repeat."""

    row: str
    axis: tuple[tuple[str, str], ...]
    world: str
    task: str
    variant: str
    seed: int
    key: str


@dataclass(frozen=True, slots=True)
class Plan:
    """A suite written out."""

    suite: Suite
    cells: tuple[Cell, ...]
    placements: tuple[Placement, ...]
    missing_worlds: tuple[str, ...]

    @property
    def digest(self) -> str:
        """Changes with any setting of any episode."""
        lines = sorted(json.dumps([p.row, p.axis, p.key]) for p in self.placements)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _labelled(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"label", "value"}


def _axis_label(value: Any) -> str:
    if _labelled(value):
        return str(value["label"])
    if isinstance(value, dict) and not any(isinstance(v, dict | list) for v in value.values()):
        return ", ".join(f"{name} {v}" for name, v in value.items())
    return json.dumps(value, sort_keys=True) if isinstance(value, dict | list) else str(value)


def _put(values: dict[str, Any], key: str, value: Any) -> None:
    """Set a setting; dots go into tables, tables are merged."""
    head, _, rest = key.partition(".")
    if rest:
        inner = dict(values.get(head) or {})
        _put(inner, rest, value)
        values[head] = inner
    elif isinstance(value, dict) and isinstance(values.get(head), dict):
        values[head] = {**values[head], **value}
    else:
        values[head] = value


def _key(config: RunConfig, task: Task) -> str:
    text = json.dumps(config.model_dump(mode="json"), sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    name = f"{config.world}-{task.label}-a{config.agents}-{config.planner}-s{config.seed}"
    return f"{re.sub(r'[^A-Za-z0-9+.-]+', '_', name)[:100]}-{digest}"


def _quick_tasks(part: dict[str, Any], first: int) -> Any:
    if not have_world(part["world"]):
        return part["tasks"]
    tasks = select_tasks(part["world"], part["tasks"], first)
    return [{"name": task.label, **task.settings} for task in tasks]


def _distinct(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows that differ in nothing any more once an axis has taken a setting over are one."""
    seen: dict[str, dict[str, Any]] = {}
    for row in rows:
        about = {k: v for k, v in row.items() if k not in ("label", "base", "group", "ours")}
        seen.setdefault(json.dumps(about, sort_keys=True), row)
    return list(seen.values())


def _chosen(
    entries: list[dict[str, Any]], key: str, wanted: list[str], suite: str
) -> list[dict[str, Any]]:
    known = [entry[key] for entry in entries]
    for name in wanted:
        if name not in known:
            raise UsageError(f"suite {suite!r} has no {key} {name!r}; it has {', '.join(known)}")
    return [entry for entry in entries if entry[key] in wanted]


def _validated(values: Mapping[str, Any], where: str) -> Suite:
    try:
        suite = Suite.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = field_name(first["loc"]) or "file"
        raise ConfigError(f"{where}: {place}: {first['msg']}") from None
    labels = [row.label for row in suite.rows]
    for row in suite.rows:
        if labels.count(row.label) > 1:
            raise ConfigError(f"{where}: two rows are called {row.label!r}")
        if row.base and row.base not in labels:
            values_ = ", ".join(labels)
            raise ConfigError(f"{where}: base {row.base!r} of a row is no row; rows: {values_}")
    for name, axis in suite.vary.items():
        if not axis:
            raise ConfigError(f"{where}: vary.{name} has no value")
    return suite


def load_suite(path: str | Path) -> Suite:
    """Read and validate a suite file. Raises `ConfigError` with one clear line."""
    return _validated(read_toml(path, "suite", ConfigError), f"suite {path}")
