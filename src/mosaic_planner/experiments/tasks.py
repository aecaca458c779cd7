"""The tasks of each world as suites name them; a task is a cluster of the statistics.

Floor plans of one household task are variants inside its cluster: their episodes are alike.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from mosaic_planner.config import RunConfig
from mosaic_planner.core.errors import UnknownNameError, UsageError
from mosaic_planner.worlds.registry import world_names

__all__ = ["Task", "have_world", "select_tasks", "tasks_of"]

# (module, function) giving (task, variant, settings) triples in a fixed order
_TASKS: dict[str, tuple[str, str]] = {
    "household": ("mosaic_planner.worlds.household", "suite_tasks"),
}


@dataclass(frozen=True, slots=True)
class Task:
    """One task instance. `name` is the cluster, `variant` tells instances of it apart."""

    world: str
    name: str
    variant: str = ""
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Name and variant."""
        return f"{self.name}/{self.variant}" if self.variant else self.name


_Lister = Callable[[], Iterable[tuple[str, str, dict[str, Any]]]]


def have_world(world: str) -> bool:
    """Whether this installation has the world, with its tasks if it is one of ours."""
    return world in world_names() and (world not in _TASKS or _lister(world) is not None)


def _lister(world: str) -> _Lister | None:
    if world == "sar":
        return _sar
    if world not in _TASKS:
        return None
    module, function = _TASKS[world]
    found: _Lister | None = getattr(import_module(module), function, None)
    return found


def _sar() -> Iterable[tuple[str, str, dict[str, Any]]]:
    return ((f"scene {n}", "", {"scene": n}) for n in range(1, 6))


def tasks_of(world: str) -> tuple[Task, ...]:
    """Every task of a world in its fixed order.

    Raises `UsageError` if the world is not installed or lists no tasks; a suite may then name
    tasks itself, as tables of settings.
    """
    if not have_world(world):
        raise UsageError(f"the {world} world is not part of this installation")
    listed = _lister(world)
    if listed is None:
        raise UsageError(f"the {world} world lists no tasks; name them in the suite's [[worlds]]")
    return tuple(
        Task(world, name, variant, _settings(options)) for name, variant, options in listed()
    )


def _settings(options: dict[str, Any]) -> dict[str, Any]:
    """A world's options as settings of an episode; what is no setting goes to the world."""
    own = {key: value for key, value in options.items() if key in RunConfig.model_fields}
    rest = {key: value for key, value in options.items() if key not in own}
    return {**own, "world_options": rest} if rest else own


def _named(world: str, name: object) -> list[Task]:
    known = tasks_of(world)
    text = f"scene {name}" if world == "sar" and isinstance(name, int) else str(name)
    if world == "household" and isinstance(name, int):
        from mosaic_planner.worlds.household import find_task

        text = find_task(name).task_id
    found = [task for task in known if text in (task.name, task.label)]
    if not found:
        raise UnknownNameError(f"task of world {world}", text, {task.name for task in known})
    return found


def select_tasks(world: str, wanted: object, first: int | None = None) -> tuple[Task, ...]:
    """The tasks that a suite asks for.

    `wanted`: "all", or a list of names, scene numbers, scene files, or tables of settings with an
    optional `name`. `first`: only the first instance of that many tasks (quick runs), spread
    evenly over the list.
    """
    if wanted == "all":
        tasks = list(tasks_of(world))
    elif isinstance(wanted, list):
        if not wanted:
            raise UsageError(f"tasks of world {world} is an empty list; say 'all' or name some")
        tasks = []
        for entry in wanted:
            if isinstance(entry, dict):
                settings = {key: value for key, value in entry.items() if key != "name"}
                name = str(entry.get("name") or settings.get("scene", f"task {len(tasks) + 1}"))
                tasks.append(Task(world, name, "", settings))
            elif world == "sar" and isinstance(entry, str) and entry.endswith(".json"):
                tasks.append(Task(world, entry, "", {"scene": entry}))
            else:
                tasks.extend(_named(world, entry))
    else:
        raise UsageError(f"tasks of world {world} must be 'all' or a list, not {wanted!r}")
    if first is None:
        return tuple(tasks)
    heads: dict[str, Task] = {}
    for task in tasks:
        heads.setdefault(task.name, task)
    every = list(heads.values())
    count = min(first, len(every))
    return tuple(every[i * len(every) // count] for i in range(count))
