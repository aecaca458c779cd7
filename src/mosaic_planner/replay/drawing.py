"""What a page or a film draws of a mission, in words that know no world.

A `Scene` is what stays: how far the map reaches, areas of cells, and named props. A `Frame` is one
moment: where agents and props are, what they are like, and the level of every cell of an area.
Coordinates are those of the frame all agents share (`core.geometry`): x to the right, z up the
map, world units. Two renderers read these values and nothing else of a world: the page's script
and `raster`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from mosaic_planner.core.observation import Value

__all__ = [
    "Area",
    "Body",
    "Frame",
    "Legend",
    "Place",
    "Point",
    "Prop",
    "Scene",
    "Sight",
    "Symbol",
    "Tone",
    "body_value",
    "place_value",
    "reaching",
    "scene_value",
]

Point = tuple[float, float]
"""(x, z) in the shared frame."""

Symbol = Literal["", "box", "circle", "cross", "diamond", "dot", "person", "ring", "square"]
"""How a prop is drawn; "" is not drawn but can be named. A "box" is drawn to scale."""

Tone = Literal[
    "plain", "floor", "furniture", "item", "sand", "water", "person", "goal", "hot", "hot2"
]
"""A role that each theme gives a colour; never the only sign of a difference."""


@dataclass(frozen=True, slots=True)
class Prop:
    """A named thing on the map. `w`, `h`: its extent along x and z, 0 for a sign of fixed size.

    `letter` is drawn inside the symbol. `label`: whether its name, or `title` if there is one, is
    written beside it.
    """

    name: str
    kind: str
    symbol: Symbol = "dot"
    tone: Tone = "plain"
    letter: str = ""
    w: float = 0.0
    h: float = 0.0
    label: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True)
class Area:
    """Cells of one thing (a fire, the floor). `size` is a cell's edge, `cells` their centres.

    `words` name the levels 0, 1, 2, ... that a frame gives each cell; a single word means that
    the area has no levels. `letter` tells areas of one tone apart.
    """

    name: str
    tone: Tone
    size: float
    cells: tuple[Point, ...]
    words: tuple[str, ...] = ("",)
    letter: str = ""
    label: bool = False


@dataclass(frozen=True, slots=True)
class Sight:
    """How far an agent sees, world units (0: unknown), and its full opening angle in degrees."""

    range: float = 0.0
    fov_deg: float = 360.0


@dataclass(frozen=True, slots=True)
class Legend:
    """One line under the map."""

    symbol: Symbol
    tone: Tone
    text: str
    letter: str = ""
    level: int = 0


@dataclass(frozen=True, slots=True)
class Scene:
    """What does not change.

    `bounds`: low x, low z, high x, high z; all 0 means: as far as the frames reach. `grid`: line
    spacing or 0. `truthful`: the frames show the true state, so that beliefs can be judged by them.
    `rows_down`: people of this world count z downwards, so positions are written as (x, -z).
    """

    bounds: tuple[float, float, float, float]
    grid: float = 0.0
    areas: tuple[Area, ...] = ()
    props: tuple[Prop, ...] = ()
    sight: Sight = Sight()
    legend: tuple[Legend, ...] = ()
    truthful: bool = True
    rows_down: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """A prop at one moment. `gone`: not on the map any more. `faint`: there, but not yet found.

    `kind`: what it truly is, where the scene does not say it beforehand.
    """

    x: float
    z: float
    attributes: tuple[tuple[str, Value], ...] = ()
    holder: str = ""
    gone: bool = False
    faint: bool = False
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Body:
    """An agent at one moment. `heading_deg`: clockwise from up, None in worlds without headings."""

    x: float
    z: float
    heading_deg: float | None = None
    holds: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """One moment. `levels`: by area, one digit per cell in the area's order."""

    agents: Mapping[str, Body] = field(default_factory=dict)
    places: Mapping[str, Place] = field(default_factory=dict)
    levels: Mapping[str, str] = field(default_factory=dict)


def reaching(scene: Scene, frames: Iterable[Frame]) -> Scene:
    """The scene with its bounds fitted to the frames, if it does not have them already."""
    if scene.bounds != (0.0, 0.0, 0.0, 0.0):
        return scene
    points: list[Point] = []
    for frame in frames:
        points += [(body.x, body.z) for body in frame.agents.values()]
        points += [(place.x, place.z) for place in frame.places.values()]
    low_x, high_x = _span([x for x, _ in points])
    low_z, high_z = _span([z for _, z in points])
    edge = max(scene.grid, 0.05 * max(high_x - low_x, high_z - low_z), 0.5)
    return replace(scene, bounds=(low_x - edge, low_z - edge, high_x + edge, high_z + edge))


def _span(values: list[float]) -> tuple[float, float]:
    return min(values, default=0.0), max(values, default=0.0)


def _number(value: float) -> float | int:
    """Millimetres are enough for a picture; whole numbers get no decimals."""
    rounded = round(value, 3)
    return int(rounded) if rounded == int(rounded) else rounded


def scene_value(scene: Scene) -> dict[str, Any]:
    """The scene as JSON values, in the layout that the page's script reads."""
    return {
        "bounds": [_number(v) for v in scene.bounds],
        "grid": _number(scene.grid),
        "sight": [_number(scene.sight.range), _number(scene.sight.fov_deg)],
        "areas": [
            {
                "name": a.name,
                "tone": a.tone,
                "size": _number(a.size),
                "cells": [[_number(x), _number(z)] for x, z in a.cells],
                "words": list(a.words),
                "letter": a.letter,
                "label": a.label,
            }
            for a in scene.areas
        ],
        "props": [
            {
                "name": p.name,
                "kind": p.kind,
                "symbol": p.symbol,
                "tone": p.tone,
                "letter": p.letter,
                "w": _number(p.w),
                "h": _number(p.h),
                "label": p.label,
                "title": p.title,
            }
            for p in scene.props
        ],
        "truthful": scene.truthful,
        "rows_down": scene.rows_down,
        "legend": [[e.symbol, e.tone, e.text, e.letter, e.level] for e in scene.legend],
    }


def body_value(body: Body) -> list[Any]:
    """[x, z, heading or None, [[item, amount], ...]] with what is held only."""
    heading = None if body.heading_deg is None else _number(body.heading_deg)
    held = [[item, amount] for item, amount in body.holds if amount]
    return [_number(body.x), _number(body.z), heading, held]


def place_value(place: Place) -> list[Any]:
    """[x, z, holder, 1 gone + 2 faint, [[key, value], ...]]."""
    flags = place.gone + 2 * place.faint
    attributes = [list(pair) for pair in place.attributes]
    return [_number(place.x), _number(place.z), place.holder, flags, attributes]
