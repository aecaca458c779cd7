"""Any world as a drawing, from what its agents perceive: their poses and what they see.

Used where nobody has taught the replay to draw a world better. Agents stand where they say they
are, and a thing stays where an agent last saw it, so this is a picture of perception, not truth.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mosaic_planner.core.geometry import Cell, Offset, Pose
from mosaic_planner.replay.drawing import Body, Frame, Place, Point, Scene

__all__ = ["PlainScenery"]


class PlainScenery:
    """Draws poses and sightings; nothing of it is known to be true."""

    def __init__(self, header: Mapping[str, Any]) -> None:
        world = header["world"]
        self._unit = float(world.get("unit", 1.0)) or 1.0
        self._headings = bool(world.get("headings", False))
        self._agents = frozenset(header["agents"])
        self._seen: dict[str, Place] = {}

    def scene(self) -> Scene:
        """Nothing is known before anybody has looked, so the frames decide how far it reaches."""
        return Scene(bounds=(0.0, 0.0, 0.0, 0.0), grid=self._unit, truthful=False)

    def frame(
        self, snapshot: Mapping[str, Any] | None, observations: Mapping[str, Any] | None
    ) -> Frame:
        """Agents by their own poses, things by the last sighting of them."""
        bodies = {}
        for name, seen in (observations or {}).items():
            x, z, heading = seen["pose"]
            held = tuple((str(item), int(amount)) for item, amount in seen["inventory"])
            bodies[name] = Body(x, z, heading if self._headings else None, held)
            pose = Pose(x, z, heading)
            for s in seen["sightings"]:
                if s["name"] not in self._agents:
                    at = pose.to_world(Offset(*s["offset"]))
                    attributes = tuple((str(k), v) for k, v in s["attributes"])
                    self._seen[s["name"]] = Place(*at, attributes, s["holder"])
        return Frame(bodies, dict(self._seen), {})

    def point(self, cell: Cell) -> Point:
        """Cells are multiples of the unit of motion."""
        return cell[0] * self._unit, cell[1] * self._unit
