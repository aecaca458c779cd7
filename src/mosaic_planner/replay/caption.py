"""The text beside the map of a picture: what the team does, how far it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mosaic_planner.core.errors import MissingExtraError
from mosaic_planner.replay.palette import Theme, palette

if TYPE_CHECKING:
    from PIL import ImageDraw

__all__ = ["FINE", "Caption", "CaptionWriter", "Fonts", "agent_colour", "pillow"]

FINE = 2
"""Pictures are drawn that much larger and averaged, so that edges are smooth."""
_AGENT_COLOURS = 7
_RESULTS = {
    "s": ("ok", "good"),
    "p": ("ok with the others", "warn"),
    "f": ("failed", "bad"),
    "i": ("", "quiet"),
    "e": ("says it is done", "warn"),
    ".": ("", "quiet"),
}


def pillow() -> Any:
    """Pillow's image, drawing and font modules."""
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        raise MissingExtraError("video", "drawing an episode as pictures") from None
    return Image, ImageDraw, ImageFont


def agent_colour(colours: Mapping[str, str], i: int) -> str:
    """The colour of the agent with that number in its team."""
    return colours[f"a{i % _AGENT_COLOURS}"]


class Fonts:
    """Pillow's own font in the sizes asked for."""

    def __init__(self, font: Any) -> None:
        self._font = font
        self._sizes: dict[int, Any] = {}

    def of(self, size: float) -> Any:
        """The font at about that size, pixels."""
        key = max(6, round(size))
        if key not in self._sizes:
            self._sizes[key] = self._font.load_default(key)
        return self._sizes[key]


@dataclass(frozen=True, slots=True)
class Caption:
    """What stands beside the map. `rows`: (agent, action, outcome code)."""

    title: str
    mission: str
    where: str
    done: int
    total: int
    rows: tuple[tuple[str, str, str], ...]


class CaptionWriter:
    """Writes captions into the part right of a square map; sizes in fine pixels."""

    def __init__(
        self, agents: Sequence[str], width: int, height: int, theme: Theme, font: Any
    ) -> None:
        self._agents = tuple(agents)
        self._width, self._height = width, height
        self._colours = palette(theme)
        self._fonts = Fonts(font)

    def write(self, draw: ImageDraw.ImageDraw, caption: Caption) -> None:
        """Write the caption into a picture."""
        unit = self._height / 36
        left = self._height + unit * 0.2
        wide = self._width - left - unit
        ink, quiet = self._colours["ink"], self._colours["quiet"]
        y = unit
        for line in self._wrapped(caption.title, unit * 1.15, wide)[:2]:
            draw.text((left, y), line, ink, self._fonts.of(unit * 1.15))
            y += unit * 1.6
        for line in self._wrapped(caption.mission, unit * 0.85, wide)[:4]:
            draw.text((left, y), line, quiet, self._fonts.of(unit * 0.85))
            y += unit * 1.15
        y += unit * 0.6
        draw.text((left, y), caption.where, ink, self._fonts.of(unit))
        y += unit * 1.6
        draw.rectangle((left, y, left + wide, y + unit * 0.6), self._colours["line"])
        share = caption.done / caption.total if caption.total else 0.0
        draw.rectangle((left, y, left + wide * share, y + unit * 0.6), self._colours["good"])
        y += unit * 0.9
        done = f"{caption.done} of {caption.total} subtasks done"
        draw.text((left, y), done, quiet, self._fonts.of(unit * 0.85))
        y += unit * 2
        room = int((self._height - y - unit) / (unit * 2.3))
        for agent, action, code in caption.rows[:room]:
            i = self._agents.index(agent)
            draw.ellipse((left, y, left + unit, y + unit), agent_colour(self._colours, i))
            name = self._cut(agent, unit * 0.9, wide * 0.6)
            draw.text((left + unit * 1.4, y), name, ink, self._fonts.of(unit * 0.9))
            words, tone = _RESULTS[code]
            end = (left + wide, y)
            draw.text(end, words, self._colours[tone], self._fonts.of(unit * 0.85), anchor="ra")
            said = self._cut(action or "-", unit * 0.85, wide - unit * 1.4)
            draw.text((left + unit * 1.4, y + unit), said, quiet, self._fonts.of(unit * 0.85))
            y += unit * 2.3
        if len(caption.rows) > room:
            more = f"and {len(caption.rows) - room} more agents"
            draw.text((left, y), more, quiet, self._fonts.of(unit * 0.85))

    def _cut(self, text: str, size: float, wide: float) -> str:
        font = self._fonts.of(size)
        text = text.replace("\n", " ")
        if font.getlength(text) <= wide:
            return text
        while text and font.getlength(f"{text}...") > wide:
            text = text[:-1]
        return f"{text}..."

    def _wrapped(self, text: str, size: float, wide: float) -> list[str]:
        font = self._fonts.of(size)
        lines = [""]
        for word in text.split():
            longer = f"{lines[-1]} {word}".strip()
            if lines[-1] and font.getlength(longer) > wide:
                lines.append(word)
            else:
                lines[-1] = longer
        return [self._cut(line, size, wide) for line in lines]
