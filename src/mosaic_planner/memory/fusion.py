"""Fusing noisy sightings into positions, and agents' poses against what is already known.

Entries are filtered one by one in information form: all sightings of a step, by all agents, are
added up at once, each with the full covariance of its own pose, bearing and distance errors
(`noise_model`). As those errors are fresh in every step, the result is consistent and converges.

Poses are corrected with the entries as landmarks, but never the other way round: a corrected pose
depends on the map, and feeding it back would count the same evidence twice. The errors of the
landmarks among each other are taken as fully shared (the cautious case), so that many entries
learnt from one bad pose never outvote a good one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.memory.noise_model import Array, NoiseModel, inverse
from mosaic_planner.memory.table import EntryTable

__all__ = ["Located", "fuse", "locate"]

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Located:
    """Corrected poses: `shift` (agents, 3) in x, z (world units) and heading (radians, clockwise)
    from the poses handed in; `covariance` (agents, 3, 3) of what is left.
    """

    shift: Array
    covariance: Array

    def points(self, who: Numbers, x: Array, z: Array, jx: Array, jz: Array) -> tuple[Array, Array]:
        """Sighted points, moved with the poses they were seen from."""
        shift = self.shift[who]
        return x + shift[:, 0] + jx * shift[:, 2], z + shift[:, 1] + jz * shift[:, 2]

    def point_covariance(self, who: Numbers, jx: Array, jz: Array) -> Array:
        """Covariance (3, K) of such points from the pose alone."""
        c = self.covariance[who]
        xx = c[:, 0, 0] + 2.0 * jx * c[:, 0, 2] + jx * jx * c[:, 2, 2]
        zz = c[:, 1, 1] + 2.0 * jz * c[:, 1, 2] + jz * jz * c[:, 2, 2]
        xz = c[:, 0, 1] + jz * c[:, 0, 2] + jx * c[:, 1, 2] + jx * jz * c[:, 2, 2]
        parts: Array = np.stack([xx, xz, zz])
        return parts


def locate(
    model: NoiseModel,
    reports: Array,
    table: EntryTable,
    who: Numbers,
    rows: Numbers,
    points: tuple[Array, Array],
    arms: tuple[Array, Array],
    ranges: Array,
) -> Located:
    """Correct every agent's pose by the known entries it sees.

    `reports`: (agents,) how many independent reports each pose averages. Sighting k, by agent
    `who[k]`, is of entry `rows[k]`; `points` are its world points from the poses as handed in,
    `arms` their derivatives by the heading, `ranges` the covariances of its distance error.
    """
    agents = len(reports)
    x, z = points
    jx, jz = arms
    count = np.bincount(who, minlength=agents)[who]
    xx, xz, zz = inverse(count * table.variances[:, rows] + ranges)
    rx, rz = table.x[rows] - x, table.z[rows] - z
    ax, az = xx * jx + xz * jz, xz * jx + zz * jz
    bx, bz = xx * rx + xz * rz, xz * rx + zz * rz

    def total(values: Array) -> Array:
        return np.bincount(who, weights=values, minlength=agents).astype(float, copy=False)

    position = reports / max(model.position, 1e-9 * model.unit) ** 2
    rotation = reports / max(model.rotation, 1e-9) ** 2
    info = np.empty((agents, 3, 3))
    info[:, 0, 0] = position + total(xx)
    info[:, 1, 1] = position + total(zz)
    info[:, 2, 2] = rotation + total(jx * ax + jz * az)
    info[:, 0, 1] = info[:, 1, 0] = total(xz)
    info[:, 0, 2] = info[:, 2, 0] = total(ax)
    info[:, 1, 2] = info[:, 2, 1] = total(az)
    pull = np.stack([total(bx), total(bz), total(jx * bx + jz * bz)], axis=1)
    covariance: Array = np.linalg.inv(info).astype(float, copy=False)
    return Located(np.einsum("aij,aj->ai", covariance, pull), covariance)


def fuse(
    table: EntryTable,
    rows: Numbers,
    x: Array,
    z: Array,
    covariance: Array,
    least_variance: float,
) -> None:
    """Add sighted points with their covariances to the entries `rows` (repeats allowed).

    An entry never sighted before has no prior: its first sightings alone place it.
    """
    n = table.n
    xx, xz, zz = inverse(covariance)
    rx, rz = x - table.x[rows], z - table.z[rows]

    def total(values: Array) -> Array:
        return np.bincount(rows, weights=values, minlength=n).astype(float, copy=False)

    touched = np.flatnonzero(np.bincount(rows, minlength=n))
    known = table.sightings[touched] > 0
    nothing = np.array([[1.0], [0.0], [1.0]])
    info = np.where(known, inverse(np.where(known, table.variances[:, touched], nothing)), 0.0)
    info += np.stack([total(xx)[touched], total(xz)[touched], total(zz)[touched]])
    sxx, sxz, szz = inverse(info)
    bx, bz = total(xx * rx + xz * rz)[touched], total(xz * rx + zz * rz)[touched]
    table.x[touched] += sxx * bx + sxz * bz
    table.z[touched] += sxz * bx + szz * bz
    table.variances[0, touched] = np.maximum(sxx, least_variance)
    table.variances[1, touched] = sxz
    table.variances[2, touched] = np.maximum(szz, least_variance)
