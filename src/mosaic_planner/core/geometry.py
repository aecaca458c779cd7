"""Planar geometry shared by worlds, memory and coordination.

One convention for every world, the paper's and AI2-THOR's (section 3.2): x grows to the right,
z grows ahead for an agent of heading 0, headings are degrees clockwise seen from above.
SAR maps its grid (x, y downwards) to (x, z = -y) with heading 0 for ever, so that ahead is Up.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

__all__ = ["Cell", "Offset", "Pose", "wrap_deg"]

Cell = tuple[int, int]
"""A grid cell (column, row); the row axis is the world's own."""


def wrap_deg(angle: float) -> float:
    """The same angle in (-180, 180], so that straight behind is +180 and never -180."""
    wrapped = math.fmod(angle, 360.0)
    if wrapped > 180.0:
        wrapped -= 360.0
    elif wrapped <= -180.0:
        wrapped += 360.0
    return wrapped


@dataclass(frozen=True, slots=True)
class Offset:
    """Where something is in one agent's frame: `dx` to the right, `dz` ahead, world units."""

    dx: float
    dz: float

    @property
    def length(self) -> float:
        """Euclidean distance in world units, >= 0."""
        return math.hypot(self.dx, self.dz)

    @property
    def bearing_deg(self) -> float:
        """Degrees clockwise from straight ahead, in (-180, 180]; 0 for a zero offset."""
        if self.dx == 0.0 and self.dz == 0.0:
            return 0.0
        return wrap_deg(math.degrees(math.atan2(self.dx, self.dz)))

    def steps(self, unit: float) -> float:
        """Manhattan length in units of motion (section 3.2), >= 0; `unit` > 0 is one move."""
        return (abs(self.dx) + abs(self.dz)) / unit


@dataclass(frozen=True, slots=True)
class Pose:
    """Position (x, z) in world units and heading in degrees clockwise, any real number."""

    x: float
    z: float
    heading_deg: float = 0.0

    def to_frame(self, x: float, z: float) -> Offset:
        """World point (x, z) as an offset in the frame of this pose."""
        wx, wz = x - self.x, z - self.z
        if self.heading_deg == 0.0:
            return Offset(wx, wz)
        a = math.radians(self.heading_deg)
        c, s = math.cos(a), math.sin(a)
        return Offset(wx * c - wz * s, wx * s + wz * c)

    def to_world(self, offset: Offset) -> tuple[float, float]:
        """Inverse of `to_frame`: the world point (x, z) of an offset in this frame."""
        if self.heading_deg == 0.0:
            return self.x + offset.dx, self.z + offset.dz
        a = math.radians(self.heading_deg)
        c, s = math.cos(a), math.sin(a)
        return self.x + offset.dx * c + offset.dz * s, self.z - offset.dx * s + offset.dz * c
