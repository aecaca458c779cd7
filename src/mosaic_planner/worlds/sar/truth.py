"""Where everything truly is, from a trace's static part and one snapshot.

For comparing beliefs with the truth after an episode; nothing that runs an episode may use it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["true_positions"]


def true_positions(
    snapshot: Mapping[str, Any], static: Mapping[str, Any]
) -> dict[str, tuple[float, float]]:
    """Names to (x, z = -y) of agents, fires (their anchors, rule C5), regions, and the rest.

    A region counts as there while it is visible (rule G2); a fire always. A person is there
    until delivered, spotted or not.
    """
    cells: dict[str, Any] = {
        name: agent["pos"] for name, agent in zip(static["agents"], snapshot["agents"], strict=True)
    }
    for fire, facts in static["fires"].items():
        cells[fire] = facts["anchor"]
        for region, cell in facts["regions"].items():
            if region in snapshot["obs"]["regions"]:
                cells[region] = cell
    for kind in ("reservoirs", "deposits"):
        cells |= {name: facts["pos"] for name, facts in static[kind].items()}
    cells |= {
        name: person["pos"]
        for name, person in snapshot["world"]["persons"].items()
        if not person["deposited"]
    }
    return {name: (float(x), float(-y)) for name, (x, y) in cells.items()}
