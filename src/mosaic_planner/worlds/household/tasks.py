"""The 36 household tasks, stated by meaning, and where to read the benchmark's own wording.

A task says what must hold at the end (`Goal`), in which kind of room, and where things start. It
fits any scene of that kind, recorded or generated. With a file of the benchmark's own data, its
instruction and its start calls are used instead (`TaskFile`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, Field, ValidationError

from mosaic_planner.core.errors import ConfigError, UnknownNameError, UsageError
from mosaic_planner.core.files import field_name, read_text

__all__ = [
    "Goal",
    "HouseholdTask",
    "PlanStart",
    "TaskFile",
    "all_tasks",
    "find_task",
    "list_tasks",
    "suite_tasks",
]


@dataclass(frozen=True, slots=True)
class Goal:
    """One condition on the final state.

    `kind` "at": an object of `object_type` lies in or on a receptacle of one of `receptacles` and
    is in nobody's hand; "state": one of `fields` has `value`. `every`: all objects of the type
    (all that started on `only_from`, one or several types joined by |, if given), else any one.
    """

    kind: str
    object_type: str
    every: bool = False
    receptacles: tuple[str, ...] = ()
    reference_receptacles: tuple[str, ...] = ()
    only_from: str = ""
    fields: tuple[str, ...] = ()
    value: bool = True


@dataclass(frozen=True, slots=True)
class HouseholdTask:
    """One task.

    `type` 1 to 4 (explicit items; open quantity; category word; all implied). `start`: object
    type to receptacle types it starts on, the first that the scene has. `need`: what a generated
    room must hold. `forced`: pairs the placement table forbids but the goal asks for.
    """

    task_id: str
    number: int
    type: int
    room: str
    instruction: str
    floor_plans: tuple[str, ...]
    goals: tuple[Goal, ...]
    absent_is_fine: bool = False
    start: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    need: Mapping[str, int] = field(default_factory=dict)
    forced: frozenset[tuple[str, str]] = frozenset()
    category: str = ""
    reference_steps: int = 0

    def required_types(self) -> dict[str, int]:
        """What a room must hold for the task to make sense: goals' objects and receptacles."""
        required: dict[str, int] = dict(self.need)
        for goal in self.goals:
            if not self.absent_is_fine or not self.need:
                required.setdefault(goal.object_type, 1)
            if goal.receptacles and not any(r in required for r in goal.receptacles):
                required[goal.receptacles[0]] = 1
        if "Sink" in required:  # a sink receives through its basin
            required["SinkBasin"] = required.pop("Sink")
        return required

    def floor_plan(self, index: int) -> str:
        """The scene of floor plan 1 to 5; raises `UsageError` outside that."""
        if not 1 <= index <= len(self.floor_plans):
            raise UsageError(
                f"task {self.task_id} has floor plans 1 to {len(self.floor_plans)}, not {index}"
            )
        return self.floor_plans[index - 1]


def _goal(entry: Mapping[str, Any]) -> Goal:
    return Goal(
        kind=entry["kind"],
        object_type=entry["type"],
        every=entry["every"],
        receptacles=tuple(entry.get("in", ())),
        reference_receptacles=tuple(entry.get("reference_in", entry.get("in", ()))),
        only_from=entry.get("only_from", ""),
        fields=tuple(entry["field"].split("|")) if "field" in entry else (),
        value=bool(entry.get("value", True)),
    )


@cache
def all_tasks() -> tuple[HouseholdTask, ...]:
    """The 36 tasks in order of their numbers."""
    file = resources.files("mosaic_planner.worlds.household") / "data" / "tasks.json"
    listed: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["tasks"]
    return tuple(
        HouseholdTask(
            task_id=t["id"],
            number=t["number"],
            type=t["type"],
            room=t["room"],
            instruction=t["instruction"],
            floor_plans=tuple(t["floor_plans"]),
            goals=tuple(_goal(g) for g in t["goals"]),
            absent_is_fine=t["absent_is_fine"],
            start=MappingProxyType({k: tuple(v) for k, v in t["start"].items()}),
            need=MappingProxyType(dict(t["need"])),
            forced=frozenset((a, b) for a, b in t["forced"]),
            category=t.get("category", ""),
            reference_steps=t.get("reference_steps", 0),
        )
        for t in sorted(listed, key=lambda t: int(t["number"]))
    )


def find_task(name: str | int) -> HouseholdTask:
    """A task by id or number. Raises `UnknownNameError`."""
    for task in all_tasks():
        if name in (task.task_id, task.number, str(task.number)):
            return task
    raise UnknownNameError("household task", str(name), (t.task_id for t in all_tasks()))


def list_tasks(
    *, room: str = "", type: int | None = None, text: str = ""
) -> tuple[HouseholdTask, ...]:
    """Tasks of one room kind, of one type, with a text in id or instruction; all by default."""
    wanted = text.lower()
    return tuple(
        t
        for t in all_tasks()
        if (not room or t.room == room)
        and (type is None or t.type == type)
        and (not wanted or wanted in t.task_id or wanted in t.instruction.lower())
    )


def suite_tasks() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """(task, floor plan, world options) of the 180 episodes, in a fixed order."""
    for task in all_tasks():
        for k, plan in enumerate(task.floor_plans, start=1):
            yield task.task_id, plan, {"scene": plan, "task": task.task_id, "floorplan": k}


class _Call(BaseModel):
    action: str
    objectId: str | None = None
    position: tuple[float, float, float] | None = None
    forceAction: bool | None = None


class _Directive(BaseModel):
    place: str
    into: str | None = None
    on: str | None = None


class _Plan(BaseModel):
    init: list[_Call] = []
    init_directives: list[_Directive] = []
    goal_receptacle_types: list[str] | None = None
    min_high_level_actions: int | None = None


class _TaskEntry(BaseModel):
    id: str
    instruction: str = Field(min_length=1)
    per_floor_plan: dict[str, _Plan] = {}


class _TasksFile(BaseModel):
    format: str
    tasks: list[_TaskEntry]


@dataclass(frozen=True, slots=True)
class PlanStart:
    """How the benchmark starts one task in one scene.

    `calls`: simulator actions in order; `directives`: (object id, receptacle type) pairs to lay
    it into. `goal_receptacles`: narrower goal receptacles, if the plan names them.
    """

    instruction: str
    calls: tuple[Mapping[str, Any], ...]
    directives: tuple[tuple[str, str], ...]
    goal_receptacles: tuple[str, ...] = ()
    least_actions: int | None = None


class TaskFile:
    """The benchmark's own data, format `map_thor_tasks/1`. Raises `ConfigError` if unreadable."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        text = read_text(path, fault=ConfigError)
        try:
            read = _TasksFile.model_validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            where = field_name(first["loc"]) or "not a tasks file"
            raise ConfigError(f"{path}: {where}: {first['msg']}") from None
        if read.format != "map_thor_tasks/1":
            raise ConfigError(
                f"{path}: format {read.format!r}, this version reads map_thor_tasks/1"
            )
        self._entries = {t.id: t for t in read.tasks}

    def start(self, task_id: str, scene: str) -> PlanStart:
        """The start of a task in a scene; raises `UnknownNameError` if the file has none."""
        entry = self._entries.get(task_id)
        if entry is None:
            raise UnknownNameError("task in the tasks file", task_id, self._entries)
        plan = entry.per_floor_plan.get(scene)
        if plan is None:
            raise UnknownNameError(f"floor plan of {task_id}", scene, entry.per_floor_plan)
        calls = []
        for call in plan.init:
            given: dict[str, Any] = {"action": call.action}
            if call.objectId is not None:
                given["objectId"] = call.objectId
            if call.position is not None:
                given["position"] = dict(zip("xyz", call.position, strict=True))
            if call.forceAction is not None:
                given["forceAction"] = call.forceAction
            calls.append(given)
        return PlanStart(
            entry.instruction,
            tuple(calls),
            tuple((d.place, d.into or d.on or "") for d in plan.init_directives),
            tuple(plan.goal_receptacle_types or ()),
            plan.min_high_level_actions,
        )
