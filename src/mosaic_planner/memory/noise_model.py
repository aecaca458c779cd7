"""The sensor model of a noise regime (appendix D.4) as memory assumes it, in world units.

An agent reports its pose with independent Gaussian errors per step (`position_sigma` per axis,
`rotation_sigma_deg`). A sighting's offset is in its true frame, with its length wrong by an
independent share `distance_error`; its bearing is right. So a sighted point, computed from the
reported pose, is off by the pose error (shared by all sightings of one agent and step), by the
rotation error times the distance across the line of sight, and by the distance error along it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.noise import NoiseRegime

__all__ = ["Array", "NoiseModel", "inverse"]

Array = NDArray[np.float64]

_LEAST_SIGMA = 0.02  # moves; no entry is ever taken to be known better than this
_NAMES_OF_A_KIND = 5.0  # names a sensor might invent for a thing of some kind, about


@dataclass(frozen=True, slots=True)
class NoiseModel:
    """`position`: own position error, world units per axis. `rotation`: radians. `distance`:
    share. `miss`, `false`, `wrong`: probabilities per sighting. `unit`: world units per move.
    """

    position: float
    rotation: float
    distance: float
    miss: float
    false: float
    wrong: float
    unit: float

    @classmethod
    def of(cls, regime: NoiseRegime, unit: float) -> Self:
        """The model of a regime in a world whose agents move `unit` at a time."""
        return cls(
            regime.position_sigma * unit,
            math.radians(regime.rotation_sigma_deg),
            regime.distance_error,
            regime.miss,
            regime.false_positive,
            regime.wrong_class,
            unit,
        )

    @property
    def exact(self) -> bool:
        """Whether sensors are never wrong."""
        return not any(
            (self.position, self.rotation, self.distance, self.miss, self.false, self.wrong)
        )

    @property
    def least_variance(self) -> float:
        """Smallest variance an entry's position may have, world units squared."""
        return (_LEAST_SIGMA * self.unit) ** 2

    @property
    def unbias(self) -> float:
        """Factor on offsets: a rotation error shortens their mean by exp(-sigma^2 / 2)."""
        return math.exp(self.rotation**2 / 2.0)

    @property
    def seen_again(self) -> float:
        """Log likelihood ratio of a thing sighted under its own name, existing against not."""
        wrongly = max(self.false, 1e-4) / _NAMES_OF_A_KIND
        return math.log((1.0 - self.miss) * (1.0 - self.wrong) / wrongly)

    @property
    def named_right(self) -> float:
        """Log likelihood ratio of one sighting for the label it gives against another one."""
        return math.log((1.0 - self.wrong) / max(self.wrong, 1e-4))

    def newborn(self, new: int, sighted: int) -> float:
        """Log odds that one of `new` unknown names among `sighted` sightings is real.

        Of `sighted` sightings about `false * sighted` are invented; all those are among the new
        names. Where everything is new nearly all are real, later hardly any.
        """
        invented = max(self.false * sighted, 1e-3)
        return math.log(max(new - invented, 0.25) / invented)

    def covariance(self, ux: Array, uz: Array, distance: Array) -> Array:
        """Covariance (3, K) of points sighted along (ux, uz) at `distance`: xx, xz, zz."""
        along = (self.distance * distance) ** 2 + 0.5 * (distance * self.rotation**2) ** 2
        across = (self.rotation * distance) ** 2
        return _aligned(ux, uz, along + self.position**2, across + self.position**2)

    def range_covariance(self, ux: Array, uz: Array, distance: Array) -> Array:
        """The part of it that the distance error alone makes, plus the least variance."""
        along = (self.distance * distance) ** 2
        least = self.least_variance
        return _aligned(ux, uz, along + least, np.full_like(along, least))


def _aligned(ux: Array, uz: Array, along: Array, across: Array) -> Array:
    matrix: Array = np.stack(
        [
            along * ux * ux + across * uz * uz,
            (along - across) * ux * uz,
            along * uz * uz + across * ux * ux,
        ]
    )
    return matrix


def inverse(matrix: Array) -> Array:
    """Inverses of symmetric 2 x 2 matrices, (3, K): xx, xz, zz."""
    xx, xz, zz = matrix
    scale = 1.0 / (xx * zz - xz * xz)
    turned: Array = np.stack([zz * scale, -xz * scale, xx * scale])
    return turned
