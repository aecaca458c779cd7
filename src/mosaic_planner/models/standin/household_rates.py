"""How often a stand-in of each strength makes which mistake in households.

A rate is the chance, in [0, 1], that a mechanism strikes where it can: per robot and step, or per
step for the whole team where it says so. What each mechanism does is in `household_mistakes`. The
rates of `gpt4-2024` were set by hand so that plain LLaMAR fails about as often as the paper reports
for it in AI2-THOR (Table 2); there are no published household logs to fit them to. None depends on
the planner, on memory lines, or on whether a coordinator resolves the candidates.
"""

from __future__ import annotations

from dataclasses import dataclass

from mosaic_planner.models.standin.rates import Rates

__all__ = ["HOUSEHOLD_RATES", "HouseholdRates"]


@dataclass(frozen=True, slots=True)
class HouseholdRates(Rates):
    """Chances of the mechanisms, in the order in which they are tried."""

    premature_done: float = 0.0  # team: says Done although a part of the task is open
    late_done: float = 0.0  # team: goes on although everything is finished
    repeat_failed: float = 0.0  # does what has just failed once more
    idling: float = 0.0  # waits without a reason
    too_far: float = 0.0  # acts on a thing without going to it
    renavigate: float = 0.0  # goes where it stands already instead of acting there
    forgotten_door: float = 0.0  # puts into a closed container, or takes out of one
    full_hand: float = 0.0  # goes to pick up a second thing, or puts with an empty hand
    wrong_thing: float = 0.0  # takes another thing than the task asks for
    wrong_place: float = 0.0  # brings what it holds to another kind of receptacle
    crowding: float = 0.0  # goes for what another robot goes for
    unseen: float = 0.0  # goes to a thing that nobody has seen
    aimless: float = 0.0  # looks around although it knows what is to be done
    malformed_action: float = 0.0  # writes an action in another form, or a goal instead


_GPT4_2024 = HouseholdRates(
    premature_done=0.01,
    late_done=0.3,
    repeat_failed=0.45,
    idling=0.06,
    too_far=0.35,
    renavigate=0.08,
    forgotten_door=0.5,
    full_hand=0.12,
    wrong_thing=0.08,
    wrong_place=0.1,
    crowding=0.15,
    unseen=0.1,
    aimless=0.08,
    malformed_action=0.02,
)

HOUSEHOLD_RATES: dict[str, HouseholdRates] = {
    "careful": HouseholdRates(),
    "gpt4-2024": _GPT4_2024,
    "weak": _GPT4_2024.times(2.0),
}
"""By strength. `weak` errs twice as often as `gpt4-2024` in every way and is fitted to nothing."""
