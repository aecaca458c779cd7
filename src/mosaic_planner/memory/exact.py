"""Sightings taken at face value: where sensors are exact, and in the paper's overwriting memory."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.observation import Observation
from mosaic_planner.memory.frames import points_of
from mosaic_planner.memory.table import EntryTable
from mosaic_planner.memory.team import TeamRecord

__all__ = ["SURE", "take_at_face_value"]

SURE = 7.0
"""Log odds of a thing that was just seen where nothing is seen wrongly (p = 0.999)."""


def take_at_face_value(
    table: EntryTable, team: TeamRecord, observations: Mapping[str, Observation], step: int
) -> NDArray[np.bool_]:
    """Overwrite every sighted entry by its sighting; returns who saw what, (agents, entries).

    Where several agents see one thing, the last in team order counts; with exact sensors they
    agree. A sighting replaces all attributes and the holder.
    """
    rows: list[int] = []
    who: list[int] = []
    dx: list[float] = []
    dz: list[float] = []
    index, kinds = table.index, table.kinds
    attributes, holders, sources = table.attributes, table.holders, table.sources
    for agent, number in team.index.items():
        observation = observations.get(agent)
        if observation is None:
            continue
        for sighting in observation.sightings:
            row = index.get(sighting.name)
            offset = sighting.offset
            if row is None:
                if sighting.name in team.index:
                    team.sighted(sighting.name, *observation.pose.to_world(offset))
                    continue
                row = table.add(sighting.name, sighting.kind, seen=step, odds=SURE)
            elif kinds[row] != sighting.kind:
                table.set_kind(row, sighting.kind)
            attributes[row] = sighting.attributes
            holders[row] = sighting.holder
            sources[row] = "seen"
            rows.append(row)
            who.append(number)
            dx.append(offset.dx)
            dz.append(offset.dz)
    seen = np.zeros((len(team.agents), table.n), dtype=bool)
    if rows:
        at, by = np.array(rows), np.array(who)
        table.x[at], table.z[at] = points_of(team.poses, by, np.array(dx), np.array(dz))
        table.variances[:, at] = 0.0
        table.odds[at] = SURE
        table.seen[at] = step
        seen[by, at] = True
        table.sightings[:] += seen.any(axis=0)
    return seen
