"""All noisy sightings of one step, flat in arrays, with their geometry and covariances."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.observation import Observation, Sighting
from mosaic_planner.memory.frames import points_of
from mosaic_planner.memory.noise_model import Array, NoiseModel
from mosaic_planner.memory.table import EntryTable
from mosaic_planner.memory.team import TeamRecord

__all__ = ["Numbers", "SightingBatch", "gather"]

Numbers = NDArray[np.int64]


class SightingBatch:
    """Sighting k is `sightings[k]`, by agent `who[k]`.

    `x`, `z`: the sighted point, from the pose its agent reported, world units. `east`, `north`:
    the point from the agent. `arms`: derivatives of the point by the heading in radians.
    `covariance`, (3, K): of the point, pose errors included; `ranges`: of its distance error
    alone.
    """

    def __init__(
        self, model: NoiseModel, poses: Array, who: list[int], sightings: list[Sighting]
    ) -> None:
        self.model = model
        self.sightings = sightings
        self.who: Numbers = np.array(who, dtype=np.int64)
        self.dx: Array = np.array([s.offset.dx for s in sightings], dtype=float) * model.unbias
        self.dz: Array = np.array([s.offset.dz for s in sightings], dtype=float) * model.unbias
        self.x, self.z = points_of(poses, self.who, self.dx, self.dz)
        self.east = self.x - poses[self.who, 0]
        self.north = self.z - poses[self.who, 1]
        self.arms: tuple[Array, Array] = (self.north, -self.east)
        self.distance: Array = np.hypot(self.east, self.north)
        self.expect(self.distance)

    def expect(self, distance: Array) -> None:
        """Work out the covariances for these true distances, as far as they are known."""
        here = self.distance == 0.0  # no direction; any will do, as nothing depends on it then
        far = np.where(here, 1.0, self.distance)
        ux, uz = self.east / far, np.where(here, 1.0, self.north / far)
        self.covariance: Array = self.model.covariance(ux, uz, distance)
        self.ranges: Array = self.model.range_covariance(ux, uz, distance)

    def known_distance(self, table: EntryTable, rows: Numbers) -> Array:
        """Distance by the entry where the sighting is of a known one, else as measured.

        Weighing by measured distances would favour the sightings that came out short.
        """
        at = np.maximum(rows, 0)
        predicted: Array = np.hypot(
            table.x[at] - (self.x - self.east), table.z[at] - (self.z - self.north)
        )
        return np.where((rows >= 0) & (table.sightings[at] > 1), predicted, self.distance)


def gather(
    model: NoiseModel, team: TeamRecord, observations: Mapping[str, Observation]
) -> SightingBatch:
    """Collect what every agent sees; sighted team mates go to the team's record."""
    who: list[int] = []
    sightings: list[Sighting] = []
    for agent, number in team.index.items():
        observation = observations.get(agent)
        if observation is None:
            continue
        for sighting in observation.sightings:
            if sighting.name in team.index:
                team.sighted(sighting.name, *observation.pose.to_world(sighting.offset))
            else:
                who.append(number)
                sightings.append(sighting)
    return SightingBatch(model, team.poses, who, sightings)
