"""Shortest ways in primitive moves, and the text of observations."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic_planner.worlds.household.navigation import View, route, to_cell
from mosaic_planner.worlds.household.observing import describe, facing
from mosaic_planner.worlds.household.words import HOUSEHOLD_VOCABULARY, named_types, spaced

FREE = frozenset((x, z) for x in range(-5, 6) for z in range(-5, 6))


def walk(start, steps):
    x, z, heading = start
    for step in steps:
        if step == "MoveAhead":
            dx, dz = {0: (0, 1), 90: (1, 0), 180: (0, -1), 270: (-1, 0)}[heading]
            x, z = x + dx, z + dz
        else:
            heading = (heading + (90 if step == "RotateRight" else 270)) % 360
    return x, z, heading


def test_the_way_is_shortest():
    found = route((0, 0, 0), 0.0, FREE, [View((0, 3), 0, 0.0)])
    assert found.steps == ("MoveAhead",) * 3
    found = route((0, 0, 0), 0.0, FREE, [View((2, 0), 90, 0.0)])
    assert found.steps == ("RotateRight", "MoveAhead", "MoveAhead")
    found = route((0, 0, 0), 0.0, FREE, [View((0, 0), 180, 30.0)])
    assert len(found.steps) == 2
    assert found.cost == 3  # two turns and one tilt


def test_penalties_and_ties():
    near, far = View((0, 1), 0, 0.0, penalty=5.0), View((0, 3), 0, 0.0)
    assert route((0, 0, 0), 0.0, FREE, [near, far]).view is far
    one, two = View((0, 1), 0, 0.0), View((0, 1), 0, 0.0)
    assert route((0, 0, 0), 0.0, FREE, [one, two]).view is one


def test_no_way_is_none():
    assert route((0, 0, 0), 0.0, frozenset({(0, 0), (3, 3)}), [View((3, 3), 0, 0.0)]) is None
    assert route((0, 0, 0), 0.0, FREE, []) is None
    taboo = {(0, 1, 0), (0, 0, 90), (0, 0, 270)}
    assert route((0, 0, 0), 0.0, FREE, [View((0, 2), 0, 0.0)], taboo=taboo) is None


@settings(max_examples=60, deadline=None)
@given(
    blocked=st.sets(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), max_size=40),
    goal=st.tuples(st.integers(-5, 5), st.integers(-5, 5)),
    heading=st.sampled_from((0, 90, 180, 270)),
)
def test_every_way_leads_over_free_floor_to_its_view(blocked, goal, heading):
    free = FREE - blocked
    start = (0, 0, 0)
    found = route(start, 0.0, free, [View(goal, heading, 0.0)])
    if found is None:
        return
    assert walk(start, found.steps) == (*goal, heading)
    assert all(c in free or c == (0, 0) for c in found.cells)
    assert found.cells[0] == (0, 0)
    assert found.cells[-1] == goal


def test_cells_are_the_nearest():
    assert to_cell(0.26, -0.12, 0.25) == (1, 0)
    assert to_cell(-0.38, 0.0, 0.25) == (-2, 0)


def test_words():
    assert [facing(d) for d in (0, 89, 180, 271, 359)] == [
        "north", "east", "south", "west", "north",
    ]  # fmt: skip
    assert describe("Mug_1", "Mug", (("dirty", True), ("inside", "SinkBasin_1")), "") == (
        "- Mug_1 (Mug): dirty, in SinkBasin_1"
    )
    assert describe("Egg_1", "Egg", (("sliced", False),), "Bob") == "- Egg_1 (Egg): held by Bob"
    assert spaced("ButterKnife") == "butter knife"
    assert spaced("TVStand") == "tvstand"
    assert named_types("Put the butter knife and every mug into the sink basin.") == (
        "ButterKnife", "Mug", "SinkBasin",
    )  # fmt: skip


def test_the_vocabulary_covers_the_high_level_actions():
    assert HOUSEHOLD_VOCABULARY.verbs == (
        "NavigateTo", "PickupObject", "PutObject", "OpenObject", "CloseObject", "ToggleObjectOn",
        "ToggleObjectOff", "SliceObject", "CleanObject", "Move", "Rotate", "LookUp", "LookDown",
        "Explore", "Done", "Idle",
    )  # fmt: skip
    for schema in HOUSEHOLD_VOCABULARY.schemas:
        assert schema.phrases
        for phrase in schema.phrases:
            slots = {p.name for p in schema.parameters}
            assert all(f"{{{s}}}" in phrase for s in slots), phrase
