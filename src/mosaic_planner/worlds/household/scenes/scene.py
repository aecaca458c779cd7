"""What a scene is before anybody acts: objects with pose and box, free floor, start, bounds."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from mosaic_planner.core.geometry import Cell

__all__ = [
    "CELL_M",
    "Box",
    "Scene",
    "SceneObject",
    "Start",
    "Vec",
    "box_corners",
    "object_id",
    "short_name",
]

Vec = tuple[float, float, float]
"""(x, y, z) in metres, y up; or Euler degrees."""

CELL_M = 0.25
"""Edge of a floor cell; cell (ix, iz) has its centre at (0.25 ix, 0.25 iz)."""


@dataclass(frozen=True, slots=True)
class Box:
    """An axis-aligned box; `size` >= 0 per axis, metres."""

    center: Vec
    size: Vec

    @property
    def low(self) -> Vec:
        """The corner with the smallest coordinates."""
        c, s = self.center, self.size
        return (c[0] - s[0] / 2, c[1] - s[1] / 2, c[2] - s[2] / 2)

    @property
    def high(self) -> Vec:
        """The corner with the largest coordinates."""
        c, s = self.center, self.size
        return (c[0] + s[0] / 2, c[1] + s[1] / 2, c[2] + s[2] / 2)


@dataclass(frozen=True, slots=True)
class SceneObject:
    """One object at the start of an episode; field names follow object metadata (section 4).

    `affordances` and `states` name the booleans that are true. `corners` are the 8 corners of the
    oriented box (only pickupable and moveable objects have one).
    """

    object_id: str
    name: str
    object_type: str
    position: Vec
    rotation: Vec
    box: Box
    affordances: frozenset[str] = frozenset()
    states: frozenset[str] = frozenset()
    asset_id: str = ""
    openness: float = 0.0
    fill_liquid: str | None = None
    temperature: str = "RoomTemp"
    mass: float = 0.0
    materials: tuple[str, ...] | None = None
    parents: tuple[str, ...] | None = None
    contents: tuple[str, ...] | None = None
    controlled: tuple[str, ...] | None = None
    corners: tuple[Vec, ...] | None = None


@dataclass(frozen=True, slots=True)
class Start:
    """Where agent 0 stands: position in metres, yaw and horizon in degrees."""

    position: Vec
    yaw: float = 0.0
    horizon: float = 0.0
    standing: bool = True


@dataclass(frozen=True, slots=True)
class Scene:
    """A room. `cells`: every cell an agent's centre can stand on, sorted; nothing else is free.

    `source` is "recorded" or "generated". `bounds` is the box agents must stay inside.
    """

    name: str
    objects: tuple[SceneObject, ...]
    cells: tuple[Cell, ...]
    start: Start
    bounds: Box
    source: str = "recorded"
    room: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)

    def with_objects(self, objects: tuple[SceneObject, ...]) -> Scene:
        """The same room with other objects."""
        return replace(self, objects=objects)


def object_id(object_type: str, position: Vec) -> str:
    """The id of an object that starts there: `Type|+xx.xx|+yy.yy|+zz.zz` (section 4)."""
    return "|".join((object_type, *(_coordinate(v) for v in position)))


def _coordinate(value: float) -> str:
    text = f"{value:+06.2f}"
    # An exact zero has no sign; a value that only rounds to zero keeps its own.
    return text[1:] if value == 0.0 else text


def short_name(object_type: str, scene: str, key: str) -> str:
    """The scene-unique short name of an object: its type and 8 hex digits (section 4)."""
    return f"{object_type}_{hashlib.sha256(f'{scene}/{key}'.encode()).hexdigest()[:8]}"


def box_corners(box: Box) -> tuple[Vec, ...]:
    """The 8 corners in the order of recorded scenes: the lower ring, then the upper one."""
    (x0, y0, z0), (x1, y1, z1) = box.low, box.high
    ring = ((x1, z1), (x0, z1), (x0, z0), (x1, z0))
    return tuple((x, y, z) for y in (y0, y1) for x, z in ring)
