"""Observations in plain words, as they are and behind noisy sensors."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mosaic_planner.core.action import Action
from mosaic_planner.core.geometry import Offset, Pose
from mosaic_planner.core.observation import Outcome, Sighting
from mosaic_planner.worlds.plain import plain_observation, plain_words

HERE = Pose(1.0, -2.0)
BOX = Sighting("Box_1", "box", Offset(1.0, 2.0), (("weight", 3), ("open", False)), "Ben")
DOCK = Sighting("Dock", "dock", Offset(0.0, 4.0))


def test_every_value_has_its_words() -> None:
    seen = plain_observation(
        "Ann",
        4,
        HERE,
        [BOX, DOCK],
        inventory={"Key": 2, "Map": 1},
        outcome=Outcome("Ann", Action("Go", ("Dock",)), False, "far", "Dock is locked"),
        local={"floor": "wet"},
        failures="Go(Dock)",
    )
    assert seen.text.splitlines() == [
        "floor: wet",
        "- Box_1 (box): weight 3, open False, held by Ben",
        "- Dock (dock)",
    ]
    assert seen.state_text == "at (1.0, -2.0), holding Key 2, Map 1"
    assert seen.feedback == "Go(Dock) failed: Dock is locked"
    assert seen.failures_text == "Go(Dock)"
    assert seen.names == ("Box_1", "Dock")
    assert (seen.inventory, seen.local) == ((("Key", 2), ("Map", 1)), (("floor", "wet"),))


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (None, "nothing has been done yet"),
        (Outcome("Ann", Action("Idle"), True), "Idle succeeded"),
        (Outcome("Ann", Action("Go"), False, "far"), "Go() failed: far"),
        (Outcome("Ann", Action("Go"), False), "Go() failed"),
    ],
)
def test_feedback(outcome: Outcome | None, words: str) -> None:
    assert plain_observation("Ann", 0, HERE, [], outcome=outcome).feedback == words


def test_words_follow_changed_values() -> None:
    seen = plain_observation("Ann", 0, HERE, [BOX, DOCK])
    noisy = replace(seen, pose=Pose(1.26, -2.0, 8.0), sightings=(DOCK,), names=("Box_1",))
    worded = plain_words(noisy)
    assert worded.text == "- Dock (dock)"
    assert worded.names == ("Dock",)
    assert worded.state_text == "at (1.3, -2.0), heading 8 degrees, holding nothing"
    assert plain_words(seen) == seen


def test_nothing_in_sight_is_said() -> None:
    assert plain_observation("Ann", 0, HERE, []).text == "nothing in sight"
