"""Each household mistake applies where it can, and nowhere else."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from household_prompts import block, view

from mosaic_planner.models.standin import STRENGTHS
from mosaic_planner.models.standin.household import decide
from mosaic_planner.models.standin.household_mistakes import HouseholdSlips
from mosaic_planner.models.standin.household_rates import HOUSEHOLD_RATES, HouseholdRates
from mosaic_planner.models.standin.household_view import View

STORE = "Store the apple and the egg in the fridge and close it."
NAMES = "Apple_1, Egg_1, Fridge_1, Sofa_1, Shelf_1"
APPLE, EGG = "- Apple_1 (Apple): on Shelf_1", "- Egg_1 (Egg): on Shelf_1"
MUG, SHELF = "- Mug_1 (Mug): on Shelf_1", "- Shelf_1 (Shelf)"
SHUT, OPEN = "- Fridge_1 (Fridge): closed", "- Fridge_1 (Fridge): open"
CAME = "NavigateTo(Fridge_1) was successful"


def scene(*lines: str, holding: str = "nothing", previous: str = "", steps: int = 3) -> View:
    memory = f"{steps} steps planned, 1 explored, 0 of them without news, 5 names"
    alice = block("Alice", *lines, holding=holding, previous=previous, names=NAMES)
    return view(STORE, alice, block("Bob", EGG, names=NAMES), memory=memory)


def only(kind: str, seen: View, count: int = 1, correlation: float = 0.5) -> list[str]:
    """Alice's actions when one mechanism always strikes."""
    rates = replace(HouseholdRates(), **{kind: 1.0})
    return HouseholdSlips(rates, correlation, "key").actions(seen, decide(seen), count)["Alice"]


CASES = [
    ("repeat_failed", scene(APPLE, previous="OpenObject(Fridge_1) failed: closed"),
     "OpenObject(Fridge_1)"),
    ("idling", scene(APPLE), "Idle"),
    ("too_far", scene(), "PickupObject(Egg_1)"),
    ("too_far", scene(holding="Apple_1"), "PutObject(Fridge_1)"),
    ("renavigate", scene(APPLE), "NavigateTo(Apple_1)"),
    ("forgotten_door", scene(SHUT, holding="Apple_1", previous=CAME), "PutObject(Fridge_1)"),
    ("full_hand", scene(MUG, holding="Apple_1"), "PickupObject(Mug_1)"),
    ("full_hand", scene(), "PutObject(Egg_1)"),
    ("wrong_thing", scene(APPLE, MUG), "PickupObject(Mug_1)"),
    ("wrong_place", scene(OPEN, SHELF, holding="Apple_1"), "PutObject(Shelf_1)"),
    ("crowding", scene(APPLE), "NavigateTo(Egg_1)"),
    ("aimless", scene(APPLE), "Explore()"),
    ("premature_done", scene(APPLE), "Done"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "seen", "expected"), CASES, ids=[c[0] for c in CASES])
def test_each_mechanism(kind: str, seen: View, expected: str):
    assert decide(seen)["Alice"].actions[0] != expected
    assert only(kind, seen) == [expected]


def test_mechanisms_with_chance_in_them():
    unseen = only("unseen", scene())[0]
    assert unseen.startswith("NavigateTo(Egg_")
    assert unseen != "NavigateTo(Egg_1)"
    assert only("malformed_action", scene(APPLE))[0] != "PickupObject(Apple_1)"
    inside = "- Apple_1 (Apple): in Fridge_1"
    finished = view(STORE, block("Alice", inside, "- Egg_1 (Egg): in Fridge_1", SHUT, names=NAMES))
    assert decide(finished)["Alice"].actions[0] == "Done"
    finished.notes.said_done = -100
    assert only("late_done", finished) != ["Done"]


def test_nothing_is_premature_before_the_first_step():
    assert only("premature_done", scene(APPLE, steps=0)) == ["PickupObject(Apple_1)"]


def test_every_mechanism_is_tested_and_has_a_rate():
    names = {f.name for f in fields(HouseholdRates)}
    assert {c[0] for c in CASES} | {"unseen", "malformed_action", "late_done"} == names
    assert set(HOUSEHOLD_RATES) == set(STRENGTHS)
    usual, weak = HOUSEHOLD_RATES["gpt4-2024"], HOUSEHOLD_RATES["weak"]
    for name in names:
        assert getattr(HOUSEHOLD_RATES["careful"], name) == 0
        assert 0 < getattr(usual, name) < 1
        assert getattr(weak, name) >= min(0.6, getattr(usual, name))


def test_first_candidate_does_not_depend_on_sharing_or_number():
    for key in ("a", "b", "c", "d"):
        firsts = {
            HouseholdSlips(HOUSEHOLD_RATES["weak"], sharing, key).actions(
                scene(APPLE, MUG), decide(scene(APPLE, MUG)), count
            )["Alice"][0]
            for sharing in (0.0, 0.5, 1.0)
            for count in (1, 3, 8)
        }
        assert len(firsts) == 1
