"""Scenes as data: what is where, for how many agents (section L), and the scene file format.

A scene file is JSON; scenes 1 to 5 of the reference are such files in the folder `scenes`. pydantic
checks the file at this border; inside, a scene is a frozen dataclass.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from mosaic_planner.core.errors import SceneError, UnknownNameError, UsageError
from mosaic_planner.core.files import read_json
from mosaic_planner.core.geometry import Cell

__all__ = [
    "BUILTIN_SCENES",
    "SUPPLIES",
    "AgentStart",
    "FireSpec",
    "PersonSpec",
    "Scene",
    "Site",
    "load_scene",
    "scene_from_data",
    "scene_to_data",
]

BUILTIN_SCENES: tuple[int, ...] = (1, 2, 3, 4, 5)
SUPPLIES: dict[str, str] = {"A": "Sand", "B": "Water"}
"""Supply by type letter; A is chemical, B non-chemical (rule B1)."""

MOST_AGENTS = 10_000
"""Generated scenes take any number up to this, which only guards against slips."""


@dataclass(frozen=True, slots=True)
class FireSpec:
    """A fire: type letter, initially lit cells, side of its box and the box's top-left cell."""

    name: str
    type: str
    lit: int
    box: int
    at: Cell


@dataclass(frozen=True, slots=True)
class Site:
    """A reservoir (with type letter) or a deposit (type "")."""

    name: str
    at: Cell
    type: str = ""


@dataclass(frozen=True, slots=True)
class PersonSpec:
    """A person; found within floor(find_factor * distance to the farthest corner) cells."""

    name: str
    at: Cell
    find_factor: float
    load: int = 2


@dataclass(frozen=True, slots=True)
class AgentStart:
    """One place in the team; `extension` marks those the reference does not have (rule B5)."""

    name: str
    at: Cell
    extension: bool = False


@dataclass(frozen=True, slots=True)
class Scene:
    """Everything about a mission that does not depend on the seed.

    `builtin` is the number of a scene of the reference, 0 for others; only others can be extended
    to more agents than they list.
    """

    name: str
    grid: tuple[int, int]
    fires: tuple[FireSpec, ...]
    reservoirs: tuple[Site, ...]
    deposits: tuple[Site, ...]
    persons: tuple[PersonSpec, ...]
    agents: tuple[AgentStart, ...]
    builtin: int = 0

    def team(self, agents: int, *, extended: bool = True) -> tuple[AgentStart, ...]:
        """Names and start cells of a team of that size.

        Raises `UsageError` if the scene has no place for so many.
        """
        if isinstance(agents, bool) or not isinstance(agents, int) or agents < 1:
            raise UsageError(f"a team has at least 1 agent, not {agents!r}")
        listed = self.agents if extended else tuple(a for a in self.agents if not a.extension)
        if agents <= len(listed):
            return listed[:agents]
        if self.builtin:
            raise UsageError(f"{self.name} has start cells for 1 to {len(listed)} agents")
        if agents > MOST_AGENTS:
            raise UsageError(f"a team has at most {MOST_AGENTS} agents, not {agents}")
        from mosaic_planner.worlds.sar.generator import more_starts

        return (*listed, *more_starts(self, agents - len(listed)))

    def with_load(self, load: int | None) -> Scene:
        """The marked variant in which every person needs `load` carriers; None changes nothing."""
        if load is None:
            return self
        if isinstance(load, bool) or not isinstance(load, int) or load < 1:
            raise UsageError(f"the number of carriers must be at least 1, not {load!r}")
        return replace(self, persons=tuple(replace(p, load=load) for p in self.persons))

    def names(self) -> Iterator[str]:
        """Every name of the scene but those of regions."""
        for group in (self.fires, self.reservoirs, self.deposits, self.persons, self.agents):
            for item in group:
                yield item.name


def scene_from_data(data: Any, source: str = "scene", builtin: int = 0) -> Scene:
    """A checked scene from parsed JSON.

    Raises `SceneError` with one line that names the field and `source`.
    """
    from mosaic_planner.worlds.sar.scene_file import read_scene_data

    scene = read_scene_data(data, source)
    return replace(scene, builtin=builtin) if builtin else scene


def scene_to_data(scene: Scene) -> dict[str, Any]:
    """The scene as the JSON object of a scene file."""
    return {
        "format": 1,
        "name": scene.name,
        "grid": list(scene.grid),
        "fires": [
            {"name": f.name, "type": f.type, "lit": f.lit, "box": f.box, "at": list(f.at)}
            for f in scene.fires
        ],
        "reservoirs": [
            {"name": r.name, "type": r.type, "at": list(r.at)} for r in scene.reservoirs
        ],
        "deposits": [{"name": d.name, "at": list(d.at)} for d in scene.deposits],
        "persons": [
            {"name": p.name, "at": list(p.at), "find_factor": p.find_factor, "load": p.load}
            for p in scene.persons
        ],
        "agents": [
            {"name": a.name, "at": list(a.at), **({"extension": True} if a.extension else {})}
            for a in scene.agents
        ],
    }


@lru_cache(maxsize=len(BUILTIN_SCENES))
def _builtin(number: int) -> Scene:
    text = files(__package__).joinpath("scenes", f"scene{number}.json").read_text("utf-8")
    return scene_from_data(json.loads(text), f"scene {number}", number)


def load_scene(scene: int | str | Path) -> Scene:
    """Scene 1 to 5 by number, or a scene file by path.

    Raises `UnknownNameError` for another number and `SceneError` for a file that cannot be read
    or is not a scene.
    """
    text = str(scene)
    if isinstance(scene, int) or (text.isdecimal() and len(text) < 9):
        number = int(text)
        if isinstance(scene, bool) or number not in BUILTIN_SCENES:
            raise UnknownNameError("scene", text, [str(n) for n in BUILTIN_SCENES])
        return _builtin(number)
    if not text.strip():
        raise SceneError("no scene is named: give 1 to 5 or the path of a scene file")
    return scene_from_data(read_json(scene, "scene file", SceneError), text)
