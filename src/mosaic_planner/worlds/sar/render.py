"""The grid as text and as a picture, drawn from trace data alone: a snapshot and the static part.

.  free            :  can burn, does not     1 2 3  burns low, medium, high
S  Sand reservoir  W  Water reservoir        D      deposit
a  Alice, b Bob .. !  person, found          ?      person nobody has found yet
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["legend_lines", "map_lines", "picture"]

_RANK = ".:123SWD?!"
"""What wins where several things share one character, least first; agents win over all."""
_ANSI = {
    ".": "2",
    ":": "2;33",
    "1": "33",
    "2": "38;5;208",
    "3": "1;31",
    "S": "1;93",
    "W": "1;94",
    "D": "1;92",
    "?": "2;35",
    "!": "1;95",
}
_AGENT_ANSI = "1;97;44"
_RGB = {
    ".": (240, 240, 236),
    ":": (214, 205, 180),
    "1": (250, 200, 90),
    "2": (240, 130, 40),
    "3": (200, 40, 30),
    "S": (180, 140, 60),
    "W": (60, 120, 220),
    "D": (60, 160, 80),
    "?": (205, 170, 215),
    "!": (160, 60, 180),
}
_AGENT_RGB = (20, 30, 90)
_AGENT_SHADES = 8


def _letters(static: Mapping[str, Any]) -> dict[str, str]:
    """One lower-case letter per agent, its initial where that is free."""
    letters: dict[str, str] = {}
    free = [chr(c) for c in range(ord("a"), ord("z") + 1)]
    for name in static["agents"]:
        initial = name[:1].lower()
        letter = initial if initial in free else free[0] if free else "@"
        if letter in free:
            free.remove(letter)
        letters[name] = letter
    return letters


def _symbols(
    snapshot: Mapping[str, Any], static: Mapping[str, Any]
) -> tuple[list[list[str]], dict[tuple[int, int], int]]:
    """A character per cell by row, and agents' numbers by cell (the last on a shared cell)."""
    width, height = static["grid"]
    rows = [["."] * width for _ in range(height)]
    world = snapshot["world"]
    for name, fire in static["fires"].items():
        for (x, y), digit in zip(fire["cells"], world["fires"][name], strict=True):
            rows[y][x] = ":" if digit == "0" else digit
    for site in static["reservoirs"].values():
        x, y = site["pos"]
        rows[y][x] = "S" if site["type"] == "A" else "W"
    for person in world["persons"].values():
        if not person["deposited"]:
            x, y = person["pos"]
            rows[y][x] = "!" if person["spotted"] else "?"
    for site in static["deposits"].values():
        x, y = site["pos"]
        rows[y][x] = "D"
    where: dict[tuple[int, int], int] = {}
    letters = list(_letters(static).values())
    for i, agent in enumerate(snapshot["agents"]):
        x, y = agent["pos"]
        rows[y][x] = letters[i]
        where[x, y] = i
    return rows, where


def _worth(symbol: str) -> int:
    return _RANK.index(symbol) if symbol in _RANK else len(_RANK)


def _shrunk(rows: list[list[str]], scale: int) -> list[list[str]]:
    """Blocks of scale x scale cells as one character, the most telling one of the block."""
    if scale == 1:
        return rows
    shrunk = []
    for top in range(0, len(rows), scale):
        band = rows[top : top + scale]
        shrunk.append(
            [
                max((s for row in band for s in row[left : left + scale]), key=_worth)
                for left in range(0, len(rows[0]), scale)
            ]
        )
    return shrunk


def map_lines(
    snapshot: Mapping[str, Any],
    static: Mapping[str, Any],
    *,
    colour: bool = False,
    widest: int = 60,
) -> list[str]:
    """The grid, one line per row; grids wider than `widest` are drawn several cells to one."""
    rows, _ = _symbols(snapshot, static)
    scale = -(-len(rows[0]) // max(1, widest))
    rows = _shrunk(rows, scale)
    if not colour:
        return ["".join(row) for row in rows]
    return ["".join(_painted(row)) for row in rows]


def _painted(row: list[str]) -> list[str]:
    """ANSI colours, one escape per run of equal characters."""
    out, last = [], ""
    for symbol in row:
        code = _ANSI.get(symbol, _AGENT_ANSI)
        if code != last:
            out.append(f"\x1b[0;{code}m")
            last = code
        out.append(symbol)
    out.append("\x1b[0m")
    return out


def legend_lines(snapshot: Mapping[str, Any], static: Mapping[str, Any]) -> list[str]:
    """What the characters stand for, and every agent with its cell and inventory."""
    lines = [
        ". free  : can burn  1 2 3 burns low, medium, high",
        "S Sand  W Water  D deposit  ! person  ? not found yet",
    ]
    letters = _letters(static)
    for (name, letter), agent in zip(letters.items(), snapshot["agents"], strict=True):
        x, y = agent["pos"]
        sand, water, person = agent["inv"]
        held = f"Sand {sand}, Water {water}, Person {person}"
        done = f"  {agent['act']}{'' if agent['ok'] else ' (failed)'}" if "act" in agent else ""
        lines.append(f"{letter} {name} ({x}, {y}) {held}{done}")
    return lines


def picture(
    snapshot: Mapping[str, Any], static: Mapping[str, Any], *, cell: int = 12
) -> NDArray[np.uint8]:
    """The grid as RGB, uint8 of shape (height * cell, width * cell, 3).

    Agents are squares inside their cell, each a shade of its own, over what else is there.
    """
    import numpy as np

    where = _symbols(snapshot, static)[1]
    bare, _ = _symbols({**snapshot, "agents": []}, static)
    colours = np.array(
        [[_RGB.get(symbol, _AGENT_RGB) for symbol in row] for row in bare], dtype=np.uint8
    )
    image = np.repeat(np.repeat(colours, cell, axis=0), cell, axis=1)
    image[::cell, :, :] //= 2
    image[:, ::cell, :] //= 2
    margin = cell // 4
    for (x, y), number in where.items():
        shade = 20 * (number % _AGENT_SHADES)
        red, green, blue = _AGENT_RGB
        box = image[
            y * cell + margin : (y + 1) * cell - margin, x * cell + margin : (x + 1) * cell - margin
        ]
        box[:] = (red + shade, green + shade // 2, blue + shade)
    return image
