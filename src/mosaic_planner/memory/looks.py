"""What agents could see from where they were: chances of view, now and in the past.

A thing seen for the first time at a place that was looked at before is more likely invented: only
agents move things, and what they do is known. So past looks are kept, and a new entry starts with
lower odds for every one that should have shown it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.observation import Observation
from mosaic_planner.memory.noise_model import Array, NoiseModel
from mosaic_planner.memory.team import TeamRecord

__all__ = ["HIDDEN", "Looks", "in_view"]

HIDDEN = 0.15
"""Chance that a thing in range and angle is covered by another: about what the plain rule of range
and angle gets wrong on recorded household scenes."""

_KEPT = 2_000  # looks, the latest
_MOST_AGAINST = -4.0  # log odds: many looks from about the same place count no more than this


def in_view(dx: Array, dz: Array, spread: Array, reach: Array, half_deg: Array) -> Array:
    """Chance that a place known up to `spread` is within range and angle; all (K,).

    `dx`, `dz`: its offset from the agent, `half_deg`: half the opening angle.
    """
    length = np.hypot(dx, dz)
    inside: Array = _normal((reach - length) / spread)
    narrow = half_deg < 180.0
    if narrow.any():
        beside = np.radians(half_deg) - np.abs(np.arctan2(dx, dz))
        across = beside * np.maximum(length, spread) / spread
        inside = np.where(narrow, inside * _normal(across), inside)
    return inside


def _normal(value: Array) -> Array:
    """About the normal distribution's cumulative function (logistic, error under 0.01)."""
    curve: Array = 1.0 / (1.0 + np.exp(-1.702 * np.clip(value, -20.0, 20.0)))
    return curve


class Looks:
    """The latest poses from which agents looked, with range and angle."""

    def __init__(self, model: NoiseModel) -> None:
        self._model = model
        self._looks: deque[tuple[float, ...]] = deque(maxlen=_KEPT)
        self._array: NDArray[np.float64] | None = None

    def note(self, team: TeamRecord, observations: Mapping[str, Observation]) -> None:
        """Remember the looks of one step, after its sightings were taken in."""
        for agent, number in team.index.items():
            observation = observations.get(agent)
            if observation is not None and observation.view is not None:
                view = observation.view
                pose = team.poses[number].tolist()
                self._looks.append((*pose, view.max_range, view.fov_deg / 2.0))
        self._array = None

    def against(self, x: float, z: float, variance: float) -> float:
        """Log odds, <= 0, that past looks speak against a resting thing at (x, z)."""
        if not self._looks:
            return 0.0
        if self._array is None:
            self._array = np.array(self._looks)
        looks = self._array
        east, north = x - looks[:, 0], z - looks[:, 1]
        angle = np.radians(looks[:, 2])
        c, s = np.cos(angle), np.sin(angle)
        spread = np.sqrt(variance + self._model.position**2) + self._model.unit / 4.0
        seen = in_view(
            east * c - north * s,
            east * s + north * c,
            np.full(len(looks), spread),
            looks[:, 3],
            looks[:, 4],
        )
        against = np.log1p(-seen * (1.0 - self._model.miss) * (1.0 - HIDDEN)).sum()
        return max(float(against), _MOST_AGAINST)
