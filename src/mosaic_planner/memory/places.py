"""Where a thing may be that is not where it should be.

Nothing moves by itself in these worlds: either an agent took it, or it lies in or on something
nearby that hides it. Ranked are the agents that were within reach of its place since it was last
seen there, the closed things nearby, and the containers in which things of its kind were found
before.
"""

from __future__ import annotations

import math
from collections import deque

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.memory.effects import INSIDE
from mosaic_planner.memory.table import EntryTable
from mosaic_planner.memory.team import TeamRecord

__all__ = ["Places"]

_SHOWN = 3
_REMEMBERED = 200  # steps for which the agents' paths are kept
_NEAR_MOVES = 6.0  # distance at which a place is half as likely as next door
_REACH_MOVES = 6.0  # an agent that came this near may have taken the thing
_CLOSED, _OPEN = 3.0, 1.0
_SAME_KIND = 2.0  # for every thing of the same kind found there
_AGENT = 2.0


class Places:
    """Remembers what was found in what and who passed by; ranks places for lost things."""

    def __init__(self, unit: float) -> None:
        self._unit = unit
        self._found: dict[tuple[str, str], int] = {}  # (kind, container) to times found
        self._inside: dict[str, str] = {}
        self._passed: dict[str, deque[tuple[int, float, float]]] = {}

    def note(self, table: EntryTable, team: TeamRecord, seen: NDArray[np.bool_], step: int) -> None:
        """Remember what this step tells about contents and about where agents went."""
        for row in np.flatnonzero(seen).tolist():
            for key, value in table.attributes[row]:
                if key == INSIDE and self._inside.get(table.names[row]) != value:
                    self._inside[table.names[row]] = str(value)
                    pair = (table.kinds[row], str(value))
                    self._found[pair] = self._found.get(pair, 0) + 1
        for agent, state in team.states.items():
            if state.pose is not None:
                passed = self._passed.setdefault(agent, deque(maxlen=_REMEMBERED))
                passed.append((step, state.pose.x, state.pose.z))

    def ranked(self, table: EntryTable, team: TeamRecord, row: int) -> tuple[str, ...]:
        """At most three names, the likeliest place first; ties in the order of learning."""
        x, z = float(table.x[row]), float(table.z[row])
        since = int(table.seen[row])
        kind, name = table.kinds[row], table.names[row]
        containers = {outer for _, outer in self._found}
        scores: dict[str, float] = {}
        for other, other_name in enumerate(table.names):
            flags = dict(table.attributes[other])
            if other == row or not ("open" in flags or other_name in containers):
                continue
            if table.odds[other] < 0.0:
                continue
            away = math.hypot(table.x[other] - x, table.z[other] - z) / self._unit
            weight = _CLOSED if flags.get("open") is False else _OPEN
            weight += _SAME_KIND * self._found.get((kind, other_name), 0)
            scores[other_name] = weight * 2.0 ** (-away / _NEAR_MOVES)
        for agent in team.agents:
            passed = [
                math.hypot(px - x, pz - z) / self._unit
                for step, px, pz in self._passed.get(agent, ())
                if step >= since
            ]
            if passed and min(passed) <= _REACH_MOVES:
                scores[agent] = _AGENT * 2.0 ** (-min(passed) / _NEAR_MOVES)
        scores.pop(name, None)
        order = sorted(scores, key=lambda place: -scores[place])
        return tuple(order[:_SHOWN])
