"""The whole situation: settings, floor, bodies of the agents, objects, time."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field
from typing import Any

from mosaic_planner.core.geometry import Cell
from mosaic_planner.worlds.household.scenes.scene import CELL_M, Scene, Vec
from mosaic_planner.worlds.household.thor.things import Thing, Things

__all__ = [
    "AGENT_HEIGHT_M",
    "AGENT_RADIUS_M",
    "CAMERA_ABOVE_PIVOT_M",
    "HAND_AT_REST",
    "MAX_AGENTS",
    "Body",
    "Settings",
    "State",
    "cell_of",
]

AGENT_RADIUS_M = 0.2
AGENT_HEIGHT_M = 1.8
CAMERA_ABOVE_PIVOT_M = 0.675
MAX_AGENTS = 6
HAND_AT_REST: Vec = (0.0, -0.16, 0.38)
"""The hand relative to the camera when nothing moved it (section 3, heldObjectPose)."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What Initialize fixes. Metres, degrees, pixels; `field_of_view` is vertical."""

    grid_size: float = 0.25
    visibility_distance: float = 1.5
    field_of_view: float = 90.0
    rotate_step_deg: float = 90.0
    snap_to_grid: bool = True
    width: int = 300
    height: int = 300
    agent_count: int = 1
    depth: bool = False
    instances: bool = False
    classes: bool = False
    image: bool = True


@dataclass(slots=True)
class Body:
    """One agent: where it is, what it holds, what became of its last action.

    `y` is the pivot (about 0.9 above the floor). `yaw` in [0, 360), `horizon` in [-30, 60],
    positive looks down. `hand` is the hand's offset in the camera's level frame.
    """

    index: int
    x: float
    y: float
    z: float
    yaw: float = 0.0
    horizon: float = 0.0
    standing: bool = True
    held: str | None = None
    hand: Vec = HAND_AT_REST
    hand_rotation: Vec = (0.0, 0.0, 0.0)
    last_action: str = "Initialize"
    success: bool = True
    error: str = ""
    error_code: str | None = None
    returned: Any = None
    collided: bool = False
    collided_with: tuple[str, ...] = ()

    @property
    def eye(self) -> Vec:
        """The camera's position."""
        up = CAMERA_ABOVE_PIVOT_M if self.standing else 0.0
        return (self.x, self.y + up, self.z)

    def ahead(self, yaw: float | None = None) -> tuple[float, float]:
        """The unit vector (x, z) straight ahead; exact for multiples of 90 degrees."""
        return direction(self.yaw if yaw is None else yaw)

    def hand_at(self, x: float, z: float, yaw: float) -> Vec:
        """Where the hand would be if the agent stood at (x, z) with that yaw."""
        fx, fz = direction(yaw)
        right, up, front = self.hand
        return (x + right * fz + front * fx, self.eye[1] + up, z - right * fx + front * fz)


def direction(yaw: float) -> tuple[float, float]:
    """The unit vector (x, z) of a yaw in degrees; exact for multiples of 90."""
    quarter = (yaw % 360.0) / 90.0
    if quarter == int(quarter):
        return ((0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0))[int(quarter) % 4]
    a = math.radians(yaw)
    return (math.sin(a), math.cos(a))


def cell_of(x: float, z: float) -> Cell:
    """The floor cell whose centre is nearest."""
    return (math.floor(x / CELL_M + 0.5), math.floor(z / CELL_M + 0.5))


@dataclass(slots=True)
class State:
    """Everything the actions read and change.

    `time_s`: simulated seconds since the reset. `panels`: open doors and drawers with the boxes
    they take. `sources`: things that act by themselves. `warm`: things that are not at room
    temperature. `palette` colours the images: 0 for the usual colours. `tall`: things that reach up
    to the hands, and the `Things.structure` they were looked up for.
    """

    scene: Scene
    settings: Settings
    things: Things
    bodies: list[Body]
    rng: random.Random
    cells: frozenset[Cell]
    floor_y: float
    time_s: float = 0.0
    panels: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    sources: list[Thing] = field(default_factory=list)
    warm: dict[str, Thing] = field(default_factory=dict)
    palette: int = 0
    tall: tuple[int, list[Thing]] = (-1, [])

    def held(self, body: Body) -> Thing | None:
        """The object in the agent's hand, or None."""
        return self.things.get(body.held) if body.held is not None else None

    def standing_free(self, x: float, z: float) -> bool:
        """Whether the static room lets an agent's centre be there (nearest cell is free)."""
        return cell_of(x, z) in self.cells
