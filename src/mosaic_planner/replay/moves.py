"""Where the agents are about to go, as the coordinator or the action says."""

from __future__ import annotations

from typing import Any

from mosaic_planner.core.trace import Event
from mosaic_planner.replay.decisions import path_of
from mosaic_planner.replay.drawing import Frame
from mosaic_planner.replay.scenery import Scenery

__all__ = ["named_in", "planned_moves"]


def named_in(action: str) -> list[str]:
    """The arguments in an action's text, e.g. `["CaldorFire", "Sand"]`."""
    _, bracket, inside = action.partition("(")
    if not bracket or not inside.endswith(")"):
        return []
    return [part.strip() for part in inside[:-1].split(",") if part.strip()]


def planned_moves(assignment: Event | None, before: Frame, scenery: Scenery) -> dict[str, Any]:
    """By agent [way, points]: the cells it is expected to cross ("path"), or where no such path
    was computed a straight line to the first thing its action names ("line").

    `before` is the state in which the decision was made. Agents that stay have no entry.
    """
    if assignment is None:
        return {}
    moves: dict[str, Any] = {}
    for agent, choice in assignment["chosen"].items():
        cells = path_of(assignment, agent)
        if len(cells) > 1:
            points = [scenery.point((int(c[0]), int(c[1]))) for c in cells]
            moves[agent] = ["path", [[round(x, 3), round(z, 3)] for x, z in points]]
            continue
        body = before.agents.get(agent)
        if body is None:
            continue
        for name in named_in(str(choice["action"])):
            target = before.agents.get(name) or before.places.get(name)
            if target is None:
                continue
            if (target.x, target.z) != (body.x, body.z):
                ends = [[round(p.x, 3), round(p.z, 3)] for p in (body, target)]
                moves[agent] = ["line", ends]
            break
    return moves
