"""A moment of an episode as a picture, from the same drawing values as the page.

Left the map, right what the team does. Drawn at twice its size and reduced, so that edges are
smooth. Needs Pillow (extra `video`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from mosaic_planner.replay.caption import (
    FINE,
    Caption,
    CaptionWriter,
    Fonts,
    agent_colour,
    pillow,
)
from mosaic_planner.replay.drawing import Area, Body, Frame, Place, Point, Prop, Scene
from mosaic_planner.replay.palette import Theme, palette

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

__all__ = ["Painter"]

_TRAIL = 12
_NOSE = ((1.8, 0.0), (1.0, 0.9), (1.0, -0.9))
"""Corners of the sign for a heading: (share of the radius, radians from ahead)."""


class Painter:
    """Draws moments of one scene, `height_px` high, 16 to 9 (both even, as films want)."""

    def __init__(
        self,
        scene: Scene,
        agents: Sequence[str],
        *,
        height_px: int = 540,
        theme: Theme = "light",
    ) -> None:
        self._image, self._draw, font = pillow()
        self.scene = scene
        self.agents = tuple(agents)
        self.height = height_px - height_px % 2
        self.width = round(self.height * 16 / 18) * 2
        self._colours = palette(theme)
        self._fonts = Fonts(font)
        self._props = {p.name: p for p in scene.props}
        margin = self.height * FINE // 40
        self._side = self.height * FINE - 2 * margin
        self._origin = (margin, margin)
        low_x, low_z, high_x, high_z = scene.bounds
        self._scale = self._side / max(high_x - low_x, high_z - low_z, 1e-6)
        self._middle = ((low_x + high_x) / 2, (low_z + high_z) / 2)
        unit = max((a.size for a in scene.areas), default=scene.grid or 1.0)
        self._r = min(self._side / 40, max(self._side / 110, unit * self._scale * 0.46))
        self._caption = CaptionWriter(
            self.agents, self.width * FINE, self.height * FINE, theme, font
        )
        self._backdrop = self._paint_backdrop()

    def _at(self, x: float, z: float) -> Point:
        left, top = self._origin
        half = self._side / 2
        return (
            left + half + (x - self._middle[0]) * self._scale,
            top + half - (z - self._middle[1]) * self._scale,
        )

    def _paint_backdrop(self) -> Image.Image:
        size = (self.width * FINE, self.height * FINE)
        image: Image.Image = self._image.new("RGB", size, self._colours["bg"])
        draw = self._draw.Draw(image)
        low_x, low_z, high_x, high_z = self.scene.bounds
        box = (*self._at(low_x, high_z), *self._at(high_x, low_z))
        draw.rectangle(box, fill=self._colours["map"], outline=self._colours["line"])
        for area in self.scene.areas:
            tone = area.tone if len(area.words) == 1 else f"{area.tone}-0"
            for cell in area.cells:
                draw.rectangle(self._cell(area, cell), fill=self._colours[tone])
        grid = self.scene.grid
        if grid * self._scale >= 8:
            for k in range(1, round((high_x - low_x) / grid)):
                x = low_x + k * grid
                ends = [self._at(x, low_z), self._at(x, high_z)]
                draw.line(ends, fill=self._colours["grid"])
            for k in range(1, round((high_z - low_z) / grid)):
                z = low_z + k * grid
                ends = [self._at(low_x, z), self._at(high_x, z)]
                draw.line(ends, fill=self._colours["grid"])
        return image

    def _cell(self, area: Area, cell: Point) -> tuple[float, float, float, float]:
        x, y = self._at(*cell)
        half = area.size * self._scale / 2
        return (x - half, y - half, x + half, y + half)

    def paint(
        self,
        frame: Frame,
        caption: Caption,
        *,
        before: Frame | None = None,
        part: float = 1.0,
        trails: Mapping[str, Sequence[Point]] | None = None,
        moves: Mapping[str, Sequence[Point]] | None = None,
    ) -> Image.Image:
        """The picture of one moment; agents are `part` of the way from `before` to `frame`.

        `trails` are places agents come from, `moves` where they are about to go.
        """
        image = self._backdrop.copy()
        draw = self._draw.Draw(image)
        bodies = {name: self._between(name, frame, before, part) for name in self.agents}
        self._levels(draw, frame)
        for name, place in frame.places.items():
            if not place.gone:
                self._place(draw, name, place, bodies)
        for i, name in enumerate(self.agents):
            spot = bodies[name]
            if spot is None:
                continue
            way = [self._at(*p) for p in (trails or {}).get(name, ())][-_TRAIL:]
            if way:
                draw.line([*way, spot], fill=self._agent(i), width=FINE * 2, joint="curve")
            ahead = [self._at(*p) for p in (moves or {}).get(name, ())][1:]
            self._dashes(draw, [spot, *ahead], self._agent(i))
        codes = {agent: code for agent, _, code in caption.rows}
        for i, name in enumerate(self.agents):
            body = frame.agents.get(name)
            spot = bodies[name]
            if body is not None and spot is not None:
                self._body(draw, i, spot, body, codes.get(name, "."))
        self._caption.write(draw, caption)
        return image.reduce(FINE)

    def _agent(self, i: int) -> str:
        return agent_colour(self._colours, i)

    def _between(self, name: str, frame: Frame, before: Frame | None, part: float) -> Point | None:
        now = frame.agents.get(name)
        if now is None:
            return None
        was = None if before is None else before.agents.get(name)
        if was is None:
            return self._at(now.x, now.z)
        return self._at(was.x + (now.x - was.x) * part, was.z + (now.z - was.z) * part)

    def _levels(self, draw: ImageDraw.ImageDraw, frame: Frame) -> None:
        for area in self.scene.areas:
            for cell, digit in zip(area.cells, frame.levels.get(area.name, ""), strict=False):
                if digit != "0":
                    tone = f"{area.tone}-{min(3, int(digit))}"
                    draw.rectangle(self._cell(area, cell), fill=self._colours[tone])

    def _place(
        self,
        draw: ImageDraw.ImageDraw,
        name: str,
        place: Place,
        bodies: Mapping[str, Point | None],
    ) -> None:
        prop = self._props.get(name, Prop(name, "", "diamond"))
        if prop.symbol in ("", "dot"):
            return
        carrier = bodies.get(place.holder) if place.holder else None
        x, y = self._at(place.x, place.z)
        r = max(3.0, prop.w * self._scale / 2) if prop.w else self._r * 0.9
        if carrier is not None:
            x, y, r = carrier[0] + self._r, carrier[1] - self._r, r * 0.75
        colour = self._colours[prop.tone]
        fill = None if place.faint else colour
        wide = max(2, round(r / 4))
        if prop.symbol == "box":
            w, h = prop.w * self._scale / 2, prop.h * self._scale / 2
            draw.rectangle((x - w, y - h, x + w, y + h), fill, self._colours["plain"])
        elif prop.symbol == "person":
            head = (x - r * 0.45, y - r, x + r * 0.45, y - r * 0.1)
            draw.ellipse(head, fill, colour, wide)
            draw.chord((x - r * 0.85, y, x + r * 0.85, y + r * 1.8), 180, 360, fill, colour, wide)
        elif prop.symbol in ("circle", "ring"):
            draw.ellipse((x - r, y - r, x + r, y + r), fill, colour, wide)
        elif prop.symbol == "diamond":
            draw.polygon([(x, y - r), (x + r, y), (x, y + r), (x - r, y)], fill, colour, wide)
        else:
            draw.rectangle((x - r, y - r, x + r, y + r), fill, colour, wide)
        if prop.letter:
            ink = colour if place.faint else self._colours["halo"]
            draw.text((x, y), prop.letter, ink, self._fonts.of(r * 1.5), anchor="mm")

    def _dashes(self, draw: ImageDraw.ImageDraw, points: Sequence[Point], colour: str) -> None:
        dash = self._r * 0.7
        for (x0, y0), (x1, y1) in pairwise(points):
            length = max(1e-6, ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5)
            k = 0.0
            while k < length:
                end = min(length, k + dash)
                a = (x0 + (x1 - x0) * k / length, y0 + (y1 - y0) * k / length)
                b = (x0 + (x1 - x0) * end / length, y0 + (y1 - y0) * end / length)
                draw.line([a, b], fill=colour, width=FINE)
                k += 2 * dash

    def _body(self, draw: ImageDraw.ImageDraw, i: int, spot: Point, body: Body, code: str) -> None:
        (x, y), r = spot, self._r
        wide = max(2, round(r / 6))
        if body.heading_deg is not None:
            turn = math.radians(body.heading_deg)
            nose = [
                (x + r * k * math.sin(turn + a), y - r * k * math.cos(turn + a)) for k, a in _NOSE
            ]
            draw.polygon(nose, self._agent(i))
        box = (x - r, y - r, x + r, y + r)
        draw.ellipse(box, self._agent(i), self._colours["halo"], wide)
        letter = _letters(self.agents)[i]
        draw.text((x, y), letter, self._colours["card"], self._fonts.of(r * 1.3), anchor="mm")
        held = [item for item, amount in body.holds for _ in range(min(amount, 4))]
        s = r * 0.3
        for k, item in enumerate(held):
            left = x + (k - (len(held) - 1) / 2) * s * 2.3
            tone = item.lower() if item.lower() in ("sand", "water", "person") else "item"
            spot_box = (left - s, y + r, left + s, y + r + 2 * s)
            draw.rectangle(spot_box, self._colours[tone], self._colours["halo"])
        if code == "f":
            cx, cy, arm = x - r, y - r, r * 0.45
            for slope in (1, -1):
                ends = [(cx - arm, cy - arm * slope), (cx + arm, cy + arm * slope)]
                draw.line(ends, fill=self._colours["code-f"], width=max(2, round(r / 4)))


def _letters(agents: Sequence[str]) -> list[str]:
    """The initial, or the number where several names begin alike; as on the page."""
    firsts = [name[:1] for name in agents]
    return [
        first.upper() if firsts.count(first) == 1 else str(i + 1) for i, first in enumerate(firsts)
    ]
