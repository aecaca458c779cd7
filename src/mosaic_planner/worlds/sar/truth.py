"""The true state read back from a trace: the snapshot and the static part of its header."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mosaic_planner.worlds.sar.render import legend_lines, map_lines

__all__ = ["legend_lines", "map_lines", "true_positions"]


def true_positions(
    snapshot: Mapping[str, Any], static: Mapping[str, Any]
) -> dict[str, tuple[float, float]]:
    """Names to true (x, z), z = -y, as sightings and beliefs have them.

    A fire is at its anchor, a region at its cell while it shows fire, a person where it is now;
    delivered persons are gone, persons nobody has found are there.
    """
    cells: dict[str, Any] = {}
    for name, fire in static["fires"].items():
        cells[name] = fire["anchor"]
        for region, cell in fire["regions"].items():
            if region in snapshot["obs"]["regions"]:
                cells[region] = cell
    for group in ("reservoirs", "deposits"):
        for name, site in static[group].items():
            cells[name] = site["pos"]
    for name, agent in zip(static["agents"], snapshot["agents"], strict=True):
        cells[name] = agent["pos"]
    for name, person in snapshot["world"]["persons"].items():
        if not person["deposited"]:
            cells[name] = person["pos"]
    return {name: (float(x), float(-y)) for name, (x, y) in cells.items()}
