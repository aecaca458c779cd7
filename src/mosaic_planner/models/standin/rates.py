"""How often a stand-in of each strength makes which mistake: the whole mistake model in numbers.

A rate is the chance, in [0, 1], that a mechanism strikes where it can: per robot and step, or per
step for the whole team where it says so. What each mechanism does is in `mistakes`. The rates of
`gpt4-2024` are fitted to the published logs of plain LLaMAR in search and rescue (`calibration`);
none depends on the planner, on memory lines, or on whether a coordinator resolves the candidates.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Self

__all__ = ["CORRELATIONS", "RATES", "MistakeRates", "Rates"]

CORRELATIONS = {"identical": 1.0, "half-shared": 0.5, "independent": 0.0}
"""Chance that a further candidate of the same answer shares the mistakes of the first one."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Chances of the mechanisms of one world."""

    @property
    def flawless(self) -> bool:
        """Whether no mistake can happen."""
        return not any(getattr(self, f.name) for f in fields(self))

    def times(self, factor: float, most: float = 0.6) -> Self:
        """All rates multiplied, none beyond `most`."""
        return replace(
            self, **{f.name: min(most, factor * getattr(self, f.name)) for f in fields(self)}
        )


@dataclass(frozen=True, slots=True)
class MistakeRates(Rates):
    """Chances of the mechanisms, in the order in which they are tried."""

    premature_done: float = 0.0  # team: says Done although a part of the task is open
    late_done: float = 0.0  # team: does not notice that everything is finished
    repeat_failed: float = 0.0  # does what has just failed once more
    idling: float = 0.0  # waits without a reason
    renavigate: float = 0.0  # goes where it stands already instead of acting there
    too_far_get: float = 0.0  # takes a supply without going to the reservoir
    too_far_use: float = 0.0  # uses a supply without going to the fire
    too_far_carry: float = 0.0  # takes hold of a person without going there
    too_far_drop: float = 0.0  # drops a person off without going to the deposit
    wrong_source: float = 0.0  # goes to the reservoir of the other supply
    wrong_supply: float = 0.0  # uses the supply that does not match, or that it does not hold
    empty_handed: float = 0.0  # goes on using a supply that is used up
    full_inventory: float = 0.0  # takes one unit more than it needs or can hold
    early_drop: float = 0.0  # drops a person off while another carrier is not ready
    crowding_fire: float = 0.0  # goes to the region another robot goes to
    crowding_person: float = 0.0  # joins those who carry or fetch a person already
    invented_name: float = 0.0  # names a region or person that nobody sees
    malformed_action: float = 0.0  # writes an action in another form, or a goal instead
    malformed_answer: float = 0.0  # team: wraps or breaks the answer as a whole


_GPT4_2024 = MistakeRates(
    premature_done=0.04,
    late_done=0.85,
    repeat_failed=0.629,
    idling=0.051,
    renavigate=0.12,
    too_far_get=0.092,
    too_far_use=0.117,
    too_far_carry=0.29,
    too_far_drop=0.2,
    wrong_source=0.04,
    wrong_supply=0.085,
    empty_handed=0.92,
    full_inventory=0.16,
    early_drop=0.93,
    crowding_fire=0.54,
    crowding_person=0.078,
    invented_name=0.015,
    malformed_action=0.02,
    malformed_answer=0.05,
)

RATES: dict[str, MistakeRates] = {
    "careful": MistakeRates(),
    "gpt4-2024": _GPT4_2024,
    "weak": _GPT4_2024.times(2.0),
}
"""By strength. `weak` errs twice as often as `gpt4-2024` in every way and is fitted to nothing."""
