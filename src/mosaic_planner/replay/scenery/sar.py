"""Search and rescue as a drawing: the grid to scale, fires with intensity, sites, persons.

Reads the recorded-episode format (format 1) in which `sar-v1` writes its static part and its
snapshots. Cell (x, y) is the point (x, -y): y grows downwards on the grid (rule A1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    Tone,
)

__all__ = ["SarScenery"]

_LEVELS = ("None", "Low", "Medium", "High")
_SUPPLY = {"A": "Sand", "B": "Water"}
_TYPE = {"A": "chemical", "B": "non-chemical"}
_SITE_TONE: dict[str, Tone] = {"A": "sand", "B": "water"}
_FIRE_TONE: dict[str, Tone] = {"A": "hot", "B": "hot2"}
_ITEMS = ("Sand", "Water", "Person")
_SIGHT = 4.0
"""Cells an agent sees other agents in (rule G5); fires and sites are known anywhere (G1, G2)."""


def _point(at: Sequence[float]) -> Point:
    return float(at[0]), -float(at[1])


class SarScenery:
    """Draws `sar-v1`."""

    def __init__(self, header: Mapping[str, Any]) -> None:
        self._agents: tuple[str, ...] = tuple(header["agents"])
        self._static: Mapping[str, Any] = header["world"]["static"]
        self._fixed: dict[str, Place] = {}
        for name, site in self._static["reservoirs"].items():
            self._fixed[name] = Place(*_point(site["pos"]), (("gives", _SUPPLY[site["type"]]),))

    def scene(self) -> Scene:
        """The grid with everything that stands on it."""
        static = self._static
        width, height = static["grid"]
        props = [
            Prop(name, "reservoir", "square", _SITE_TONE[r["type"]], _SUPPLY[r["type"]][0])
            for name, r in static["reservoirs"].items()
        ]
        props += [Prop(name, "deposit", "square", "goal", "D") for name in static["deposits"]]
        areas = []
        for name, fire in static["fires"].items():
            letter = _SUPPLY[fire["type"]][0]
            cells = tuple(_point(c) for c in fire["cells"])
            tone = _FIRE_TONE[fire["type"]]
            areas.append(Area(name, tone, 1.0, cells, _LEVELS, letter, label=True))
            props.append(Prop(name, "fire", "", tone))
            props += [Prop(region, "region", "dot", tone) for region in fire["regions"]]
        props += [Prop(name, "person", "person", "person") for name in static["persons"]]
        return Scene(
            bounds=(-0.5, 0.5 - height, width - 0.5, 0.5),
            grid=1.0,
            areas=tuple(areas),
            props=tuple(p if p.kind == "region" else _labelled(p) for p in props),
            sight=Sight(_SIGHT),
            legend=_legend(static),
            rows_down=True,
        )

    def frame(
        self, snapshot: Mapping[str, Any] | None, observations: Mapping[str, Any] | None
    ) -> Frame:
        """The true state of one moment; nothing without a snapshot."""
        if snapshot is None:
            return Frame()
        world = snapshot["world"]
        bodies = {}
        for name, agent in zip(self._agents, snapshot["agents"], strict=True):
            held = tuple(zip(_ITEMS, agent["inv"], strict=True))
            bodies[name] = Body(*_point(agent["pos"]), holds=held)
        places = dict(self._fixed)
        for name, store in world["deposits"].items():
            kept = tuple(zip(("Sand", "Water", "persons"), store, strict=True))
            places[name] = Place(*_point(self._static["deposits"][name]["pos"]), kept)
        places |= self._fires(snapshot["obs"])
        places |= self._persons(world["persons"])
        return Frame(bodies, places, dict(world["fires"]))

    def _fires(self, seen: Mapping[str, Any]) -> dict[str, Place]:
        places = {}
        for name, fire in self._static["fires"].items():
            word = _TYPE[fire["type"]]
            average = seen["favg"][name]
            attributes: tuple[tuple[str, Value], ...] = (("type", word), ("intensity", average))
            places[name] = Place(*_point(fire["anchor"]), attributes)
            for region, cell in fire["regions"].items():
                level = seen["regions"].get(region, "None")
                attributes = (("fire", name), ("type", word), ("intensity", level))
                places[region] = Place(*_point(cell), attributes, faint=level == "None")
        return places

    def _persons(self, persons: Mapping[str, Any]) -> dict[str, Place]:
        places = {}
        for name, person in persons.items():
            load = self._static["persons"][name]["load"]
            grabbed = bool(person["grabbed"]) and not person["deposited"]
            places[name] = Place(
                *_point(person["pos"]),
                (("load", load), ("grabbed", grabbed)),
                holder=person["carriers"][0] if grabbed and person["carriers"] else "",
                gone=bool(person["deposited"]),
                faint=not person["spotted"],
            )
        return places

    def point(self, cell: Cell) -> Point:
        """A grid cell (x, y), as the rules of this world count them."""
        return _point(cell)


def _labelled(prop: Prop) -> Prop:
    return Prop(
        prop.name, prop.kind, prop.symbol, prop.tone, prop.letter, prop.w, prop.h, label=True
    )


def _legend(static: Mapping[str, Any]) -> tuple[Legend, ...]:
    lines = []
    for kind in sorted({fire["type"] for fire in static["fires"].values()}):
        tone, letter = _FIRE_TONE[kind], _SUPPLY[kind][0]
        for level in (1, 2, 3):
            text = f"{_TYPE[kind]} fire, {_LEVELS[level].lower()}"
            lines.append(Legend("box", tone, text, letter, level))
    for kind in sorted({site["type"] for site in static["reservoirs"].values()}):
        supply = _SUPPLY[kind]
        text = f"reservoir of {supply.lower()}"
        lines.append(Legend("square", _SITE_TONE[kind], text, supply[0]))
    lines.append(Legend("square", "goal", "deposit", "D"))
    lines.append(Legend("person", "person", "person (dashed: not found yet)"))
    return tuple(lines)
