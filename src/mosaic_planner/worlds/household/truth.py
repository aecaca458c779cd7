"""True positions and a map read back from a trace: snapshot and static part of its header."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mosaic_planner.worlds.household.navigation import to_cell

__all__ = ["legend_lines", "map_lines", "true_positions"]

_CELL_M = 0.25
_MARKS = (
    ("Fridge", "F"), ("CounterTop", "="), ("SinkBasin", "u"), ("StoveBurner", "o"),
    ("DiningTable", "T"), ("CoffeeTable", "T"), ("SideTable", "t"), ("Desk", "D"), ("Bed", "B"),
    ("Sofa", "S"), ("ArmChair", "s"), ("Chair", "h"), ("Dresser", "R"), ("Shelf", "|"),
    ("TVStand", "V"), ("Television", "V"), ("Box", "b"), ("GarbageCan", "g"), ("Toilet", "W"),
    ("Bathtub", "U"),
)  # fmt: skip


def true_positions(
    snapshot: Mapping[str, Any], static: Mapping[str, Any]
) -> dict[str, tuple[float, float]]:
    """Names to true (x, z), metres, of agents and of everything that has a name by now."""
    del static
    found = {a["name"]: (float(a["x"]), float(a["z"])) for a in snapshot["agents"]}
    for entry in snapshot["objects"].values():
        if entry["name"]:
            found[entry["name"]] = (float(entry["at"][0]), float(entry["at"][2]))
    return found


def map_lines(
    snapshot: Mapping[str, Any], static: Mapping[str, Any], *, colour: bool = False
) -> list[str]:
    """The floor plan as text, +z up: robots as digits from 1, free floor as dots."""
    cells = {(c[0], c[1]) for c in static["cells"]}
    marks: dict[tuple[int, int], str] = dict.fromkeys(cells, ".")
    letters = dict(_MARKS)
    for key, entry in snapshot["objects"].items():
        facts = static["objects"].get(key)
        letter = letters.get(facts["type"]) if facts else None
        if letter is None:
            continue
        x, _, z = entry["at"]
        w, _, d = facts["size"]
        low, high = to_cell(x - w / 2, z - d / 2, _CELL_M), to_cell(x + w / 2, z + d / 2, _CELL_M)
        for i in range(low[0], high[0] + 1):
            for j in range(low[1], high[1] + 1):
                if (i, j) not in cells:
                    marks[(i, j)] = letter
    for number, agent in enumerate(snapshot["agents"], start=1):
        digit = f"\x1b[1;3{number % 6 + 1}m{number}\x1b[0m" if colour else str(number)
        marks[to_cell(agent["x"], agent["z"], _CELL_M)] = digit
    if not marks:
        return []
    xs, zs = [c[0] for c in marks], [c[1] for c in marks]
    return [
        "".join(marks.get((x, z), " ") for x in range(min(xs), max(xs) + 1)).rstrip()
        for z in range(max(zs), min(zs) - 1, -1)
    ]


def legend_lines(snapshot: Mapping[str, Any], static: Mapping[str, Any]) -> list[str]:
    """What the characters stand for, and each robot's state."""
    present = {facts["type"] for facts in static["objects"].values()}
    kinds: dict[str, list[str]] = {}
    for kind, letter in _MARKS:
        if kind in present:
            kinds.setdefault(letter, []).append(kind)
    lines = [f"{letter} {', '.join(names)}" for letter, names in kinds.items()]
    lines.append(". free floor")
    for number, agent in enumerate(snapshot["agents"], start=1):
        holds = agent["holds"] or "nothing"
        lines.append(f"{number} {agent['name']} holds {holds}; {agent['action'] or 'start'}")
    return lines
