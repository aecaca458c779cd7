"""The page's colours for pictures: read from its style sheet, so that both look the same."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Literal

__all__ = ["Theme", "palette"]

Theme = Literal["light", "dark"]
_COLOUR = re.compile(r"--([a-z0-9-]+):\s*(#[0-9a-fA-F]{6})\b")


@cache
def palette(theme: Theme = "light") -> dict[str, str]:
    """Colours by role, `#rrggbb`."""
    style = files("mosaic_planner.replay").joinpath("assets", "page.css").read_text("utf-8")
    start = ":root {" if theme == "light" else ':root[data-theme="dark"] {'
    block = style.split(start, 1)[1].split("}", 1)[0]
    return dict(_COLOUR.findall(block))
