"""A household as a drawing: the floor plan to scale, furniture as boxes, things, robots with their
headings and fields of view.

Reads what `household-v1` writes into its static part and its snapshots. Objects have ids; agents
give them names when they first see them, and from then on an object is drawn under its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mosaic_planner.core.geometry import Cell
from mosaic_planner.core.observation import Value
from mosaic_planner.replay.drawing import (
    Area,
    Body,
    Frame,
    Legend,
    Place,
    Point,
    Prop,
    Scene,
    Sight,
)

__all__ = ["HouseholdScenery"]

_CELL_M = 0.25
_SIGHT = Sight(1.5, 90.0)
_EDGE_M = 0.3
"""Shown around the room, or around the floor where its own bounds are not known."""
_FLAGS = (
    ("isOpen", "open"),
    ("isToggled", "on"),
    ("isSliced", "sliced"),
    ("isDirty", "dirty"),
    ("isBroken", "broken"),
    ("isCooked", "cooked"),
)
_UNDRAWN = frozenset(("Floor", "Wall", "Ceiling", "Room"))
_SMALLEST_M = 0.12
"""A thing is drawn at least that large, so that a fork can be found."""
_FURNITURE_M = 0.4
"""What is as wide as this stands on the floor plan as a box, even if it can be pushed."""
_WIDEST_ITEM_M = 0.28
"""A thing is drawn at most that large, so that a pan does not hide what stands around it."""
_NAMELESS = frozenset(("Blinds", "Curtains", "LightSwitch", "Mirror", "StoveKnob", "Window"))
"""Kinds whose names would only cover the map."""


class HouseholdScenery:
    """Draws `household-v1`."""

    def __init__(self, header: Mapping[str, Any]) -> None:
        self._static: Mapping[str, Any] = header["world"]["static"]
        self._facts: Mapping[str, Mapping[str, Any]] = self._static.get("objects", {})
        self._props: dict[str, Prop] = {}

    def scene(self) -> Scene:
        """Floor plan and everything that has been placed on it, largest first."""
        cells = tuple(self.point((int(c[0]), int(c[1]))) for c in self._static.get("cells", ()))
        return Scene(
            bounds=self._bounds(cells),
            areas=(Area("floor", "floor", _CELL_M, cells),) if cells else (),
            props=tuple(sorted(self._props.values(), key=lambda p: -p.w * p.h)),
            sight=_SIGHT,
            legend=(
                Legend("box", "floor", "floor a robot can stand on"),
                Legend("box", "furniture", "furniture, to scale"),
                Legend("circle", "item", "thing that can be carried"),
            ),
        )

    def _bounds(self, cells: tuple[Point, ...]) -> tuple[float, float, float, float]:
        bounds = self._static.get("bounds")
        if bounds:
            x, _, z = (float(v) for v in bounds["center"])
            w, _, h = (float(v) / 2 for v in bounds["size"])
            return (x - w - _EDGE_M, z - h - _EDGE_M, x + w + _EDGE_M, z + h + _EDGE_M)
        if not cells:
            return (0.0, 0.0, 0.0, 0.0)
        xs, zs = [x for x, _ in cells], [z for _, z in cells]
        return (min(xs) - _EDGE_M, min(zs) - _EDGE_M, max(xs) + _EDGE_M, max(zs) + _EDGE_M)

    def frame(
        self, snapshot: Mapping[str, Any] | None, observations: Mapping[str, Any] | None
    ) -> Frame:
        """The true state of one moment; nothing without a snapshot."""
        if snapshot is None:
            return Frame()
        objects: Mapping[str, Mapping[str, Any]] = snapshot["objects"]
        keys = {key: str(o["name"]) or key for key, o in objects.items()}
        bodies, holders = {}, {}
        for agent in snapshot["agents"]:
            name, held = str(agent["name"]), str(agent["holds"])
            holds = ((held, 1),) if held else ()
            bodies[name] = Body(agent["x"], agent["z"], agent["heading"], holds)
            holders[held] = name
        places = {}
        drawn = [key for key in objects if _kind_in(key) not in _UNDRAWN]
        for key in sorted(drawn, key=self._area, reverse=True):
            entry, name = objects[key], keys[key]
            kind = str(self._facts.get(key, {}).get("type", "")) or _kind_in(key)
            self._note(key, name, kind, named=bool(entry["name"]))
            x, _, z = entry["at"]
            inside = next((keys[p] for p in entry["in"] if objects.get(p, {}).get("name")), "")
            places[name] = Place(
                x,
                z,
                (*_states(entry["states"]), ("inside", inside)),
                holder=holders.get(name, ""),
                kind=kind,
            )
        return Frame(bodies, places, {})

    def _area(self, key: str) -> float:
        size = self._facts.get(key, {}).get("size", (0.0, 0.0, 0.0))
        return float(size[0]) * float(size[2])

    def _note(self, key: str, name: str, kind: str, *, named: bool) -> None:
        """Remember how the object is drawn under this name."""
        if name in self._props:
            return
        facts = self._facts.get(key, {})
        w, _, h = (max(float(v), _SMALLEST_M) for v in facts.get("size", (0.0, 0.0, 0.0)))
        label = named and kind not in _NAMELESS
        if facts.get("fixed") or max(w, h) >= _FURNITURE_M:
            self._props[name] = Prop(name, kind, "box", "furniture", "", w, h, label, kind)
        else:
            width = min(max(w, h), _WIDEST_ITEM_M)
            self._props[name] = Prop(name, kind, "circle", "item", "", width, width, label)

    def point(self, cell: Cell) -> Point:
        """The centre of a floor cell."""
        return cell[0] * _CELL_M, cell[1] * _CELL_M


def _kind_in(key: str) -> str:
    """The type in an object id: `Apple|+00.10|...`, or the slice in `Apple|...|AppleSliced_2`."""
    first, _, rest = key.partition("|")
    last = rest.rpartition("|")[2]
    return last.rpartition("_")[0] or first


def _states(flags: list[str]) -> tuple[tuple[str, Value], ...]:
    return tuple((word, flag in flags) for flag, word in _FLAGS)
