"""Sensor noise regimes of the paper (appendix D.4), known to the noisy world and to memory.

The world wrapper draws from them; memory uses the same figures as its detection and measurement
model. Neither sees the other's state.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["NOISE_REGIMES", "NoiseRegime"]


@dataclass(frozen=True, slots=True)
class NoiseRegime:
    """One row of D.4.

    `position_sigma`: standard deviation of the own position per axis, in units of motion (grid
    units). `rotation_sigma_deg`: of the own heading. `miss`, `false_positive`, `wrong_class`:
    probabilities per sighting or view. `distance_error`: standard deviation of the measured
    distance as a share of it.
    """

    name: str
    position_sigma: float = 0.0
    rotation_sigma_deg: float = 0.0
    miss: float = 0.0
    false_positive: float = 0.0
    wrong_class: float = 0.0
    distance_error: float = 0.0


NOISE_REGIMES: dict[str, NoiseRegime] = {
    "none": NoiseRegime("none"),
    "low": NoiseRegime("low", 0.1, 5.0, 0.02, 0.01, 0.01, 0.05),
    "medium": NoiseRegime("medium", 0.3, 10.0, 0.05, 0.02, 0.03, 0.10),
    "high": NoiseRegime("high", 0.5, 15.0, 0.10, 0.05, 0.05, 0.15),
}
