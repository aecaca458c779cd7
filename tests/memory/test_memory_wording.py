"""Tiers, directions and the layout of lines."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from memory_scenes import GRID, ROOM, asm, observe, sight, tell

from mosaic_planner.core.belief import Belief
from mosaic_planner.core.geometry import Offset, Pose
from mosaic_planner.memory.view import relative_belief
from mosaic_planner.memory.wording import direction_words, entry_line, moves_of, tier_of


@pytest.mark.parametrize(
    ("moves", "tier"),
    [
        (0, "here"),
        (1, "just ahead"),
        (2, "just ahead"),
        (3, "near"),
        (5, "near"),
        (6, "medium"),
        (10, "medium"),
        (11, "far"),
        (500, "far"),
    ],
)
def test_tiers(moves: int, tier: str) -> None:
    assert tier_of(moves) == tier


@pytest.mark.parametrize(
    ("dx", "dz", "words"),
    [
        (6, -2, "right 6, down 2"),
        (-3, 4, "left 3, up 4"),
        (0, 7, "up 7"),
        (-1, 0, "left 1"),
        (0, 0, "here"),
        (0.4, -0.4, "here"),
        (5.5, -0.49, "right 6"),
    ],
)
def test_directions_without_headings(dx: float, dz: float, words: str) -> None:
    assert direction_words(Offset(dx, dz), GRID) == words


@pytest.mark.parametrize(
    ("dx", "dz", "words"),
    [
        (0, 1, "ahead"),
        (1, 1, "ahead right"),
        (1, 0, "right"),
        (1, -1, "behind right"),
        (0, -1, "behind"),
        (-1, -1, "behind left"),
        (-1, 0, "left"),
        (-1, 1, "ahead left"),
        (0.1, 0.1, "here"),
    ],
)
def test_directions_with_headings(dx: float, dz: float, words: str) -> None:
    assert direction_words(Offset(dx, dz), ROOM) == words


def line(**values: object) -> str:
    given_ = {"name": "ReservoirUtah", "kind": "reservoir", "x": 6.0, "z": -2.0} | values
    belief = Belief(**given_)  # type: ignore[arg-type]
    return entry_line(relative_belief(belief, Pose(0.0, 0.0), GRID), GRID)


def test_the_fixed_layout() -> None:
    assert line(attributes=(("gives", "Sand"),)) == (
        "- ReservoirUtah (reservoir): right 6, down 2; 8 moves, medium; gives Sand"
    )
    assert line(x=0.0, z=0.0) == "- ReservoirUtah (reservoir): here; 0 moves, here"
    assert line(holder="Bob", age=1, confidence=0.5) == (
        "- ReservoirUtah (reservoir): right 6, down 2; 8 moves, medium; held by Bob; "
        "last seen 1 step ago; unsure"
    )
    assert line(age=4, lost=True, confidence=0.1).endswith("; last seen 4 steps ago; lost")


def test_likely_places_of_a_lost_thing() -> None:
    belief = Belief("Cup_1", "Cup", 0.5, 0.0, age=3, lost=True, confidence=0.1)
    entry = relative_belief(belief, Pose(0.0, 0.0, 0.0), ROOM)
    assert entry_line(entry, ROOM, ["Fridge_1", "Bob"]) == (
        "- Cup_1 (Cup): right, 2 moves, just ahead; last seen 3 steps ago; "
        "lost, likely near Fridge_1, Bob"
    )


def test_state_words_of_every_type_of_value() -> None:
    attributes = (
        ("open", True),
        ("open", False),
        ("sliced", True),
        ("dirty", False),
        ("count", 3),
        ("openness", 0.5),
        ("filled", ""),
        ("intensity", "Low"),
    )
    words = line(attributes=attributes).split("; ")[2:]
    assert words == [
        "open",
        "closed",
        "sliced",
        "not dirty",
        "count 3",
        "openness 0.5",
        "intensity Low",
    ]


def test_what_the_name_says_already_and_what_only_rules_need_is_left_out() -> None:
    text = line(
        name="CaldorFire_Region_1",
        kind="region",
        attributes=(("fire", "CaldorFire"), ("intensity", "Low"), ("reach", 4)),
    )
    assert text.endswith("medium; intensity Low")


def test_what_the_agents_own_observation_says_already_is_left_out() -> None:
    mind = asm(geometry=GRID, agents=("Alice", "Bob"))
    reservoir = sight(Pose(0, 0), ("ReservoirUtah", "reservoir", 6.0, -2.0), gives="Sand")
    door = sight(Pose(0, 0), ("Door_1", "door", 1.0, 0.0), open=True)
    seen = observe("Alice", Pose(0, 0), [reservoir, door], view=None)
    text = "Visible:\n- ReservoirUtah (reservoir): gives Sand\n- Door_1 (door)"
    tell(mind, replace(seen, text=text), observe("Bob", Pose(0, 0), view=None))
    assert mind.lines("Alice")[:2] == (
        "- ReservoirUtah (reservoir): right 6, down 2; 8 moves, medium",
        "- Door_1 (door): right 1; 1 moves, just ahead; open",
    )
    assert mind.lines("Bob")[0].endswith("8 moves, medium; gives Sand")


@given(st.floats(-40, 40), st.floats(-40, 40))
def test_a_line_agrees_with_itself(dx: float, dz: float) -> None:
    """The moves are the sum of the two parts, and the tier is that of the moves."""
    text = line(x=dx, z=dz)
    found = re.fullmatch(r"- ReservoirUtah \(reservoir\): (.*); (\d+) moves, (.*)", text)
    assert found is not None
    parts = [int(n) for n in re.findall(r"\d+", found[1])]
    assert sum(parts) == int(found[2]) == moves_of(Offset(dx, dz), 1.0)
    assert tier_of(int(found[2])) == found[3]
