"""Households, `household-v1`: a team of robots doing chores in AI2-THOR rooms.

`catalogue` knows object types; `scenes` provides rooms (recorded or generated); `thor` is the
embedded simulator with AI2-THOR's own surface; `player` puts it behind the real client. `tasks`,
`starting`, `judging` and `scoring` say what is to be done and whether it is; `words`, `naming` and
`observing` what agents are told; `stage`, `navigation`, `travelling`, `exploring` and `doing` carry
out high-level actions; `belief_floor` and `rules` teach the coordinator; `world` joins them.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from mosaic_planner.core.errors import UsageError
from mosaic_planner.worlds.household.backends import Backend, Embedded
from mosaic_planner.worlds.household.catalogue import room_of_floorplan
from mosaic_planner.worlds.household.rules import HouseholdRules
from mosaic_planner.worlds.household.scenes.generated import GeneratedScenes
from mosaic_planner.worlds.household.scenes.recorded import SceneFolder
from mosaic_planner.worlds.household.scenes.scene import Scene
from mosaic_planner.worlds.household.tasks import (
    HouseholdTask,
    TaskFile,
    all_tasks,
    find_task,
    list_tasks,
    suite_tasks,
)
from mosaic_planner.worlds.household.thor.controller import Controller, InvalidCall
from mosaic_planner.worlds.household.world import TEAM, HouseholdWorld

__all__ = [
    "TEAM",
    "Controller",
    "GeneratedScenes",
    "HouseholdRules",
    "HouseholdTask",
    "HouseholdWorld",
    "InvalidCall",
    "Scene",
    "SceneFolder",
    "TaskFile",
    "all_tasks",
    "find_task",
    "list_tasks",
    "make",
    "suite_tasks",
]


_STEPS = 100  # planning steps of an episode (paper, 4.1)
_REFERENCE_STEPS, _REFERENCE_STEPS_OPEN = 30, 40  # the reference's, by task type (map_thor, 3)


def make(
    scene: int | str = "",
    agents: int = 2,
    *,
    task: str | int = "bread_lettuce_tomato_fridge",
    floorplan: int | None = None,
    scenes: str | Path | None = None,
    tasks: str | Path | None = None,
    backend: Literal["embedded", "player", "unity"] = "embedded",
    scoring: Literal["state", "reference"] = "state",
    images: bool = False,
    clip: str | Path | None = None,
    film: str | Path | None = None,
    headless: bool = False,
    cloud: bool = False,
    start_timeout_s: float | None = None,
    step_timeout_s: float | None = None,
    faithful: bool = False,
    stop_at_success: bool | None = None,
    step_budget: int | None = None,
) -> HouseholdWorld:
    """A fresh household world.

    `task`: id or number of one of the 36. `scene`: a scene name (`FloorPlan201`); a number, or
    `floorplan`, which wins, picks one of the task's own five (default the first). `scenes`: a
    folder of recorded scenes, else rooms are generated. `tasks`: a file of the benchmark's own
    start calls and wording (recorded scenes only). `backend`: where the simulator runs (player
    and unity need the extra `thor`). `clip`: folder of a CLIP checkpoint that guides Explore (extra
    `clip`). `film`: an MP4 file of what the robots see, a frame per primitive (extra `thor`).
    `headless` (no images, no display) and `cloud` (the off-screen renderer) are for unity,
    `start_timeout_s` and `step_timeout_s` for player and unity. `faithful`: the reference's
    scoring and end: only when all say Done, or after a `step_budget` of 30 (tasks of type 1) or 40
    steps, success or not; `stop_at_success` and `step_budget` set each by itself. Raises
    `UsageError` with one clear line for anything that does not exist or does not go together.
    """
    _check_kinds(
        {
            "task": task,
            "scene": scene,
            "floorplan": floorplan,
            "step_budget": step_budget,
            "scenes": scenes,
            "tasks": tasks,
            "clip": clip,
            "film": film,
            "start_timeout_s": start_timeout_s,
            "step_timeout_s": step_timeout_s,
            "images": images,
            "headless": headless,
            "cloud": cloud,
            "faithful": faithful,
            "stop_at_success": stop_at_success,
        }
    )
    if scoring not in ("state", "reference"):
        raise UsageError(f"scoring {scoring!r} is none of state, reference")
    found = find_task(task)
    index = floorplan if floorplan is not None else scene if isinstance(scene, int) else 1
    name = scene.removesuffix("_physics") if isinstance(scene, str) else ""
    if not name:
        name = found.floor_plan(index)
    room = room_of_floorplan(name)
    if room and room != found.room:
        raise UsageError(
            f"task {found.task_id} is done in a {found.room.replace('_', ' ')}; "
            f"{name} is a {room.replace('_', ' ')}"
        )
    if tasks is not None and scenes is None:
        raise UsageError("a tasks file starts recorded scenes; give their folder as scenes too")
    start = TaskFile(tasks).start(found.task_id, name) if tasks is not None else None
    limits = {"start_timeout_s": start_timeout_s, "step_timeout_s": step_timeout_s}
    starting: dict[str, Any] = {key: v for key, v in limits.items() if v is not None}
    if any(not seconds > 0 for seconds in starting.values()):
        raise UsageError("a time-out is a number of seconds greater than 0")
    starting |= {key: True for key, v in {"headless": headless, "cloud": cloud}.items() if v}
    if headless and (images or film is not None or clip is not None):
        raise UsageError("headless makes no images; do without images, film and clip")
    if step_budget is not None and step_budget < 1:
        raise UsageError(f"step_budget must be at least 1, not {step_budget!r}")
    if step_budget is None and faithful:
        step_budget = _REFERENCE_STEPS if found.type == 1 else _REFERENCE_STEPS_OPEN
    place = _backend(backend, found, name, scenes, starting)
    options = {
        "floorplan": floorplan,
        "scenes": None if scenes is None else str(scenes),
        "tasks": None if tasks is None else str(tasks),
        "backend": backend,
        "stop_at_success": not faithful if stop_at_success is None else stop_at_success,
        "step_budget": step_budget or _STEPS,
        **starting,
    }
    return HouseholdWorld(
        found,
        place,
        agents,
        start=start,
        scoring="reference" if faithful else scoring,
        images=images,
        clip=None if clip is None else str(clip),
        film=None if film is None else str(film),
        options=options,
    )


_KINDS: tuple[tuple[tuple[str, ...], tuple[type, ...], str], ...] = (
    (("task", "scene"), (int, str), "a name or a number"),
    (("floorplan", "step_budget"), (int,), "a whole number"),
    (("scenes", "tasks", "clip", "film"), (str, Path), "a path"),
    (("start_timeout_s", "step_timeout_s"), (int, float), "a number of seconds"),
    (("images", "headless", "cloud", "faithful", "stop_at_success"), (bool,), "true or false"),
)


def _check_kinds(given: Mapping[str, object]) -> None:
    """Options come from files and command lines too. Raises `UsageError`."""
    for names, kinds, words in _KINDS:
        for name in names:
            value = given[name]
            if value is None and name != "task":
                continue
            if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
                raise UsageError(f"household option {name} is {words}, not {value!r}")


_STARTING = {
    "embedded": (),
    "player": ("start_timeout_s", "step_timeout_s"),
    "unity": ("start_timeout_s", "step_timeout_s", "headless", "cloud"),
}
"""What can be said about the start of each backend."""


def _backend(
    backend: str,
    task: HouseholdTask,
    name: str,
    scenes: str | Path | None,
    starting: Mapping[str, Any],
) -> Backend:
    """The place to simulate in; heavy ones are imported only here."""
    folder = None if scenes is None else Path(scenes)
    if backend not in _STARTING:
        raise UsageError(f"backend {backend!r} is none of {', '.join(_STARTING)}")
    odd = next((key for key in starting if key not in _STARTING[backend]), None)
    if odd is not None:
        raise UsageError(f"the {backend} backend has no option {odd}")
    if backend == "embedded":
        source: SceneFolder | GeneratedScenes
        source = SceneFolder(folder) if folder else GeneratedScenes(task.required_types())
        return Embedded(source.load(name))
    if backend == "player":
        from mosaic_planner.worlds.household.remote import PlayerBackend

        return PlayerBackend(name, scenes=folder, require=task.required_types(), **starting)
    from mosaic_planner.worlds.household.remote import UnityBackend

    return UnityBackend(name, **starting)
