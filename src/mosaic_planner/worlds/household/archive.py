"""Many scenes at once: which ones are meant, which are there already, and recording the rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from mosaic_planner.core.errors import SceneError, UsageError
from mosaic_planner.worlds.household.catalogue import ROOMS, room_of_floorplan
from mosaic_planner.worlds.household.recording import record_scene
from mosaic_planner.worlds.household.scenes.recorded import SceneFolder
from mosaic_planner.worlds.household.stage import ControllerLike, SimulatorLost

__all__ = ["Recorded", "named_scenes", "record_scenes", "recorded_names", "simulator"]

_RANGE = re.compile(r"(?:FloorPlan)?(\d{1,3})(?:-(?:FloorPlan)?(\d{1,3}))?")
_FIRST = {"kitchen": 1, "living_room": 201, "bedroom": 301, "bathroom": 401}


@dataclass(frozen=True, slots=True)
class Recorded:
    """What became of one scene. `path` is its file; `fresh`: recorded now, else it was there."""

    scene: str
    path: Path
    fresh: bool
    objects: int = 0
    cells: int = 0


def named_scenes(texts: Iterable[str]) -> tuple[str, ...]:
    """Scene names from what a user writes, each once, in the order given.

    `FloorPlan1`, `1`, `1-30`, `FloorPlan201-205`, a room kind (`kitchen`), `all`, and several with
    commas between them; a range leaves out numbers that no room has. Raises `UsageError` for
    anything else.
    """
    found: dict[str, None] = {}
    for text in (part.strip() for given in texts for part in given.split(",")):
        if text in (*ROOMS, "all"):
            kinds = ROOMS if text == "all" else (text,)
            found |= {f"FloorPlan{_FIRST[kind] + n}": None for kind in kinds for n in range(30)}
            continue
        match = _RANGE.fullmatch(text.removesuffix("_physics"))
        if match is None:
            raise UsageError(
                f"scene {text!r} is neither a name (FloorPlan1), a range (1-30), a room kind "
                f"({', '.join(ROOMS)}) nor all"
            )
        first, last = int(match[1]), int(match[2] or match[1])
        names = [f"FloorPlan{n}" for n in range(first, last + 1)]
        real = {name: None for name in names if room_of_floorplan(name)}
        if not real:
            raise UsageError(
                f"there is no scene {text}: kitchens are 1 to 30, living rooms 201 to 230, "
                "bedrooms 301 to 330, bathrooms 401 to 430"
            )
        found |= real
    if not found:
        raise UsageError("name at least one scene, e.g. FloorPlan1 or 1-30")
    return tuple(found)


def recorded_names(folder: str | Path) -> tuple[str, ...]:
    """The scenes a folder holds already; none if it does not exist.

    Raises `SceneError` for a file in its place or files in it that cannot be read.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise SceneError(f"{folder} is a file; name a folder")
    if not (folder / "grids.json").is_file():
        return ()
    return SceneFolder(folder).names()


@contextmanager
def simulator(
    backend: Literal["embedded", "player", "unity"],
    scene: str,
    *,
    scenes: Path | None = None,
    **options: Any,
) -> Iterator[ControllerLike]:
    """A simulator with one agent for as long as the context lasts.

    `scenes`: where embedded and player have their rooms from (generated if None). `options` go to
    the backend. Raises `UsageError` with one line if it cannot be started.
    """
    if backend == "embedded":
        from mosaic_planner.worlds.household.thor.controller import Controller

        with Controller(scene, scenes=scenes, **options) as controller:
            yield controller
        return
    from mosaic_planner.worlds.household import remote

    place: remote.RemoteBackend
    if backend == "player":
        place = remote.PlayerBackend(scene, scenes=scenes, **options)
    else:
        place = remote.UnityBackend(scene, **options)
    try:
        yield place.connect()
    finally:
        place.close()


def record_scenes(
    controller: ControllerLike,
    names: Sequence[str],
    folder: str | Path,
    *,
    engine: str = "AI2-THOR 5.0.0",
    on_scene: Callable[[Recorded], None] | None = None,
) -> tuple[Recorded, ...]:
    """Record scenes one after another; each is in the folder before the next begins.

    `engine`: what the controller is, for the record.

    Raises `UsageError` for a scene that does not exist and when the simulator is lost on the way;
    what was finished by then is kept.
    """
    done: list[Recorded] = []
    for name in names:
        try:
            path = record_scene(controller, name, folder, engine=engine)
        except SimulatorLost as lost:
            kept = f"{len(done)} of {len(names)} scenes are kept in {folder}"
            raise UsageError(f"{name} was not recorded: {lost}; {kept}") from None
        scene = SceneFolder(folder).load(name)
        one = Recorded(name, path, True, len(scene.objects), len(scene.cells))
        done.append(one)
        if on_scene is not None:
            on_scene(one)
    return tuple(done)
