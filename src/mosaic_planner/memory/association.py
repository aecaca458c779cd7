"""Which entry is each noisy sighting of?

A name is nearly always right, so a sighting whose name is known and whose place fits is taken at
its word (`fitting`). The rest (unknown names, places that do not fit, sightings without a name)
are paired with the entries that their agent did not otherwise see, at the least total cost
(`Pairing`): a sighting may be of a known entry under a wrong class, or of something new, or
invented. Two sightings of one agent in one step are never the same entry, so two apples side by
side stay two.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.observation import Observation, View
from mosaic_planner.memory.batch import Numbers, SightingBatch
from mosaic_planner.memory.fusion import Located
from mosaic_planner.memory.looks import Looks
from mosaic_planner.memory.noise_model import Array, NoiseModel, inverse
from mosaic_planner.memory.pairing import cheapest_pairs
from mosaic_planner.memory.table import EntryTable
from mosaic_planner.memory.team import TeamRecord

__all__ = ["GATE", "Pairing", "fitting"]

GATE = 13.8
"""Squared Mahalanobis distance that 99.9 % of right sightings stay within (two dimensions)."""

_KINDS = 10.0  # kinds a sensor may confuse a thing with, about
_BIRTHS = 0.05  # new things per sighting that pairing reckons with, at least


def misfit(table: EntryTable, rows: Numbers, x: Array, z: Array, covariance: Array) -> Array:
    """Squared Mahalanobis distance of points, with covariance (3, K), from the entries `rows`."""
    return _square(x - table.x[rows], z - table.z[rows], covariance + table.variances[:, rows])


def _square(rx: Array, rz: Array, covariance: Array) -> Array:
    xx, xz, zz = inverse(covariance)
    square: Array = xx * rx * rx + 2.0 * xz * rx * rz + zz * rz * rz
    return square


def fitting(table: EntryTable, frame: SightingBatch) -> Numbers:
    """The entries of sightings whose name is known and whose place fits, -1 for the others.

    Of two sightings of one agent under one name only the better fitting one keeps it.
    """
    index, aliases = table.index, table.aliases
    named = [index.get(s.name, -1) for s in frame.sightings]
    if aliases:
        named = [
            row if row >= 0 else aliases.get(s.name, -1)
            for row, s in zip(named, frame.sightings, strict=True)
        ]
    rows: Numbers = np.array(named, dtype=np.int64)
    known = rows >= 0
    if not known.any():
        return rows
    off = misfit(table, np.maximum(rows, 0), frame.x, frame.z, frame.covariance)
    off[~known] = np.inf
    rows[off > GATE] = -1
    order = np.lexsort((off, rows, frame.who))
    who, taken = frame.who[order], rows[order]
    again = (who[1:] == who[:-1]) & (taken[1:] == taken[:-1])
    rows[order[1:][again]] = -1
    frame.expect(frame.known_distance(table, rows))
    return rows


class Pairing:
    """Places the sightings that `fitting` left over, agent by agent, in team order."""

    def __init__(
        self,
        model: NoiseModel,
        table: EntryTable,
        frame: SightingBatch,
        rows: Numbers,
        located: Located,
        points: tuple[Array, Array],
        looks: Looks,
        step: int,
    ) -> None:
        """`rows` is completed in place; `points` are the sighted points from corrected poses."""
        self.looks = looks
        self.model, self.table, self.frame, self.rows, self.step = model, table, frame, rows, step
        self.x, self.z = points
        pose = located.point_covariance(frame.who, *frame.arms)
        self.covariance: Array = pose + frame.ranges
        self.first = table.n  # rows from here on were added in this step

    def run(self, team: TeamRecord, observations: Mapping[str, Observation]) -> None:
        """Complete `rows`, adding entries; what stays -1 waits for a second look."""
        rest = np.flatnonzero(self.rows < 0)
        if not len(rest):
            return
        for number in np.unique(self.frame.who[rest]).tolist():
            observation = observations[team.agents[number]]
            mine = self.frame.who == number
            left = self._newly_named(np.flatnonzero(mine & (self.rows < 0)).tolist(), mine)
            if left:
                taken = set(self.rows[mine & (self.rows >= 0)].tolist())
                view = observation.view
                everywhere = view.everywhere if view is not None else ()
                past = {k: self._looks_against(k, everywhere) for k in left}
                left = self._pair(left, taken, self._alone(left, past, view))
                self._start(left, int(mine.sum()), past)

    def _newly_named(self, left: list[int], mine: NDArray[np.bool_]) -> list[int]:
        """Take those that a team mate named in this very step at their word too."""
        taken = set(self.rows[mine & (self.rows >= 0)].tolist())
        still = []
        for k in left:
            row = self.table.row_of(self.frame.sightings[k].name)
            fresh = row >= self.first and row not in taken
            if fresh and self._near(k, float(self.table.x[row]), float(self.table.z[row])):
                self.rows[k] = row
                taken.add(row)
            else:
                still.append(k)
        return still

    def _near(self, k: int, x: float, z: float) -> bool:
        """Whether sighting k may be of a thing that another single sighting placed at (x, z)."""
        here = 2.0 * self.frame.covariance[:, k : k + 1]
        rx, rz = self.frame.x[k : k + 1] - x, self.frame.z[k : k + 1] - z
        return bool(_square(rx, rz, here)[0] <= GATE)

    def _looks_against(self, k: int, everywhere: tuple[str, ...]) -> float:
        """Log odds that past looks at its place speak against a new thing there."""
        frame = self.frame
        if frame.sightings[k].kind in everywhere:
            return 0.0  # such things come and go
        spread = float(frame.covariance[0, k] + frame.covariance[2, k]) / 2.0
        return self.looks.against(float(frame.x[k]), float(frame.z[k]), spread)

    def _alone(self, left: list[int], past: Mapping[int, float], view: View | None) -> list[float]:
        """Costs of sightings being of nothing known: new or invented, anywhere in view."""
        table, unit = self.table, self.model.unit
        if view is None or view.everywhere:
            width = float(np.ptp(table.x)) if table.n else 0.0
            height = float(np.ptp(table.z)) if table.n else 0.0
            area = (width + 10.0 * unit) * (height + 10.0 * unit)
        else:
            area = math.pi * max(view.max_range, unit) ** 2 * view.fov_deg / 360.0
        return [
            math.log(area * _KINDS / (self.model.false + _BIRTHS * math.exp(past[k]))) for k in left
        ]

    def _pair(self, left: list[int], taken: set[int], alone: list[float]) -> list[int]:
        """Pair with entries of this agent's view not otherwise seen; returns what stays."""
        table, which = self.table, np.array(left)
        free = np.ones(table.n, dtype=bool)
        free[list(taken)] = False
        at = np.flatnonzero(free)
        if not len(at):
            return left
        x, z = table.x[at] - self.x[which, None], table.z[at] - self.z[which, None]
        spread = self.covariance[:, which, None] + table.variances[:, None, at]
        near = x * x + z * z <= GATE * (spread[0] + spread[2])  # necessary for passing the gate
        at, some = at[near.any(axis=0)], near.any(axis=0)
        if not len(at):
            return left
        spread = spread[:, :, some]
        off = _square(x[:, some], z[:, some], spread)
        area = spread[0] * spread[2] - spread[1] * spread[1]
        costs = 0.5 * off + 0.5 * np.log(area) + math.log(2.0 * math.pi)
        costs += np.logaddexp(0.0, -table.odds[at])  # minus log of the chance that it is there
        costs -= np.stack([self._label_logs(k, at) for k in left])
        costs[off > GATE] = np.inf
        pairs = cheapest_pairs(costs.tolist(), alone)
        for k, column in zip(left, pairs, strict=True):
            if column >= 0:
                self.rows[k] = at[column]
        return [k for k, column in zip(left, pairs, strict=True) if column < 0]

    def _has_name(self, k: int) -> bool:
        sighting = self.frame.sightings[k]
        return sighting.name not in ("", sighting.kind)

    def _label_logs(self, k: int, rows: Numbers) -> Array:
        """Log chance of the label of sighting k if it is of each of these entries."""
        wrong = math.log(self.model.wrong / _KINDS) if self.model.wrong > 0.0 else -math.inf
        right = -math.inf if self._has_name(k) else math.log(1.0 - self.model.wrong)
        kind = self.table.kind_id(self.frame.sightings[k].kind)
        return np.where(self.table.kind_of[rows] == kind, right, wrong)

    def _start(self, left: list[int], sighted: int, past: Mapping[int, float]) -> None:
        """New entries for what is left; a known name at another place waits for a second one."""
        table, frame = self.table, self.frame
        new = [k for k in left if frame.sightings[k].name not in table.index]
        odds = self.model.newborn(len(new), sighted)
        for k in left:
            sighting = frame.sightings[k]
            row = table.index.get(sighting.name)
            if row is None:
                name = sighting.name if self._has_name(k) else table.free_name(sighting.kind)
                table.aliases.pop(name, None)
                row = table.add(name, sighting.kind, seen=self.step, odds=odds + past[k])
                table.x[row], table.z[row] = frame.x[k], frame.z[k]
                table.variances[:, row] = frame.covariance[:, k]
            elif not self._moved(k, row):
                continue
            self.rows[k] = row

    def _moved(self, k: int, row: int) -> bool:
        """Whether a known name was now sighted twice at about one other place."""
        table, frame = self.table, self.frame
        before = table.strays[row]
        table.strays[row] = (float(frame.x[k]), float(frame.z[k]))
        if before is None or not self._near(k, *before):
            return False
        table.strays[row] = None
        table.x[row], table.z[row] = before
        table.variances[:, row] = frame.covariance[:, k]
        return True
