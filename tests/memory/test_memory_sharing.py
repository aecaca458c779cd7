"""What one agent does or sees, everybody knows at once; held things move with their holder."""

from __future__ import annotations

import pytest
from memory_scenes import ALL_OVER, AROUND, GRID, NEAR, asm, did, observe, sight, tell

from mosaic_planner.core.geometry import Pose

HOME, AWAY = Pose(0.0, 0.0, 0.0), Pose(10.0, 10.0, 90.0)
BOWL = ("Bowl_1", "Bowl", 0.5, 0.5)


def test_bowl_taken_by_another_agent_while_out_of_sight() -> None:
    mind = asm(agents=("Alice", "Bob", "Charlie"))
    tell(mind, observe("Alice", HOME, [BOWL]), observe("Bob", AWAY), observe("Charlie", AWAY))
    told = mind.beliefs().relative("Bob", "Bowl_1")
    assert told is not None
    assert told.belief.source == "told"
    assert mind.beliefs().entities["Bowl_1"].source == "seen"

    beside = Pose(0.5, 0.25, 0.0)
    tell(
        mind,
        observe("Alice", AWAY, step=1),
        observe("Bob", AWAY, step=1),
        observe("Charlie", beside, step=1, inventory={"Bowl_1": 1}),
        outcomes=[did("Charlie", "PickUp(Bowl_1)", ("Bowl_1", "holder", "Charlie"))],
    )
    for agent, pose in (("Alice", AWAY), ("Bob", AWAY), ("Charlie", beside)):
        entry = mind.beliefs().relative(agent, "Bowl_1")
        assert entry is not None
        assert entry.belief.holder == "Charlie"
        assert entry.offset == pose.to_frame(beside.x, beside.z)
        assert entry.belief.age == 0
        assert not entry.belief.lost

    walked = Pose(3.0, 3.0, 0.0)
    tell(
        mind,
        observe("Alice", HOME, step=2, view=AROUND),  # looks at the empty place
        observe("Bob", AWAY, step=2),
        observe("Charlie", walked, step=2, inventory={"Bowl_1": 1}),
    )
    bowl = mind.beliefs().entities["Bowl_1"]
    assert (bowl.x, bowl.z, bowl.holder, bowl.source) == (3.0, 3.0, "Charlie", "motion")
    assert not bowl.lost
    assert "held by Charlie" in "\n".join(mind.lines("Alice"))


def test_put_into_a_container_out_of_sight_it_is_there_for_everybody() -> None:
    mind = asm()
    fridge = ("Fridge_1", "Fridge", 5.0, 5.0)
    tell(
        mind,
        observe("Alice", HOME, [BOWL]),
        observe("Bob", Pose(4.5, 5.0), [sight(Pose(4.5, 5.0), fridge, open=True)]),
        outcomes=[did("Bob", "PickUp(Bowl_1)", ("Bowl_1", "holder", "Bob"))],
    )
    tell(
        mind,
        observe("Alice", AWAY, step=1),
        observe("Bob", Pose(4.5, 5.0), [sight(Pose(4.5, 5.0), fridge, open=False)], step=1),
        outcomes=[
            did(
                "Bob",
                "PutIn(Bowl_1, Fridge_1)",
                ("Bowl_1", "holder", ""),
                ("Bowl_1", "inside", "Fridge_1"),
            )
        ],
    )
    bowl = mind.beliefs().entities["Bowl_1"]
    assert (bowl.x, bowl.z, bowl.holder) == (5.0, 5.0, "")
    assert bowl.attribute("inside") == "Fridge_1"
    assert bowl.sigma > 0.0
    # The fridge is closed: not seeing the bowl says nothing.
    for step in range(2, 12):
        pose = Pose(4.0 + 0.1 * step, 5.0)
        tell(mind, observe("Bob", pose, [sight(pose, fridge, open=False)], step=step))
    assert not mind.beliefs().entities["Bowl_1"].lost
    # Open and empty it is another matter.
    for step in range(12, 24):
        pose = Pose(4.0 + 0.1 * (step - 10), 5.0)
        tell(mind, observe("Bob", pose, [sight(pose, fridge, open=True)], step=step))
    assert mind.beliefs().entities["Bowl_1"].lost


def test_content_moves_with_a_held_container() -> None:
    mind = asm()
    apple = sight(HOME, ("Apple_1", "Apple", 0.5, 0.5), inside="Bowl_1")
    tell(mind, observe("Alice", HOME, [BOWL, apple]), observe("Bob", AWAY))
    for step, pose in enumerate((Pose(0.5, 0.25), Pose(2.0, 2.0)), start=1):
        tell(
            mind,
            observe("Alice", AWAY, step=step),
            observe("Bob", pose, step=step),
            outcomes=[did("Bob", "PickUp(Bowl_1)", ("Bowl_1", "holder", "Bob"))],
        )
    inside = mind.beliefs().entities["Apple_1"]
    assert (inside.x, inside.z) == (2.0, 2.0)


def test_door_opened_by_a_team_mate() -> None:
    mind = asm()
    door = ("Door_1", "Door", 0.0, 1.0)
    tell(mind, observe("Alice", HOME, [sight(HOME, door, open=False)]), observe("Bob", HOME))
    tell(
        mind,
        observe("Alice", AWAY, step=1),
        observe("Bob", AWAY, step=1),
        outcomes=[did("Bob", "Open(Door_1)", ("Door_1", "open", True))],
    )
    entry = mind.beliefs().relative("Alice", "Door_1")
    assert entry is not None
    assert entry.belief.attribute("open") is True
    assert entry.belief.source == "outcome"
    assert any("Door_1 (Door)" in line and "; open;" in line for line in mind.lines("Alice"))


def test_a_failed_action_changes_nothing() -> None:
    mind = asm()
    tell(mind, observe("Alice", HOME, [BOWL]), observe("Bob", HOME))
    before = mind.beliefs().entities["Bowl_1"]
    outcome = did("Bob", "PickUp(Bowl_1)", success=False, error="not_visible")
    tell(
        mind,
        observe("Alice", HOME, [BOWL], step=1),
        observe("Bob", HOME, step=1),
        outcomes=[outcome],
    )
    assert mind.beliefs().entities["Bowl_1"] == before


def test_person_carried_by_two_moves_with_the_first_carrier() -> None:
    """SAR rules F3 and F6: both hold on; where it is sighted counts, else the first carrier."""
    mind = asm(agents=("Alice", "Bob", "Charlie"), geometry=GRID)
    person = ("LostPersonZoe", "person", 4.0, 4.0)
    alice, bob, charlie = Pose(4.0, 3.0), Pose(5.0, 4.0), Pose(20.0, 20.0)
    tell(
        mind,
        observe("Alice", alice, [person]),
        observe("Bob", bob, [person]),
        observe("Charlie", charlie),
    )
    tell(
        mind,
        observe("Alice", alice, step=1, view=None),
        observe("Bob", bob, step=1, view=None),
        observe("Charlie", charlie, step=1, view=None),
        outcomes=[
            did("Alice", "Carry(LostPersonZoe)", ("LostPersonZoe", "holder", "Alice")),
            did("Bob", "Carry(LostPersonZoe)", ("LostPersonZoe", "holder", "Bob")),
        ],
    )
    assert mind.beliefs().entities["LostPersonZoe"].holder == "Alice, Bob"
    for step, place in enumerate((Pose(9.0, 9.0), Pose(11.0, 9.0)), start=2):
        tell(
            mind,
            observe("Alice", place, step=step, view=None),
            observe("Bob", Pose(1.0, 1.0), step=step, view=None),
            observe("Charlie", charlie, step=step, view=None),
        )
        entry = mind.beliefs().relative("Charlie", "LostPersonZoe")
        assert entry is not None
        assert entry.offset == charlie.to_frame(place.x, place.z)
        assert entry.belief.holder == "Alice, Bob"
    tell(
        mind,
        observe("Alice", Pose(11.0, 9.0), step=4, view=None),
        observe("Bob", Pose(11.0, 8.0), step=4, view=None),
        outcomes=[
            did(
                "Bob",
                "DropOff(DepositFacility, LostPersonZoe)",
                ("LostPersonZoe", "holder", ""),
                ("LostPersonZoe", "gone", True),
            )
        ],
    )
    assert "LostPersonZoe" not in mind.beliefs().entities
    assert mind.beliefs().relative("Charlie", "LostPersonZoe") is None


def test_used_up_but_still_sighted_is_believed_by_the_eyes() -> None:
    mind = asm()
    tell(mind, observe("Alice", HOME, [BOWL]), observe("Bob", HOME))
    tell(
        mind,
        observe("Alice", HOME, [BOWL], step=1),
        observe("Bob", HOME, step=1),
        outcomes=[did("Bob", "Eat(Bowl_1)", ("Bowl_1", "gone", True))],
    )
    assert "Bowl_1" in mind.beliefs().entities


def test_other_agents_are_known_by_their_own_report_else_by_sight() -> None:
    mind = asm(agents=("Alice", "Bob"))
    tell(mind, observe("Alice", HOME))
    assert mind.beliefs().pose("Bob") is None
    assert mind.beliefs().relative("Alice", "Bob") is None
    tell(mind, observe("Alice", HOME, [("Bob", "agent", 1.0, 1.0)], step=1))
    assert mind.beliefs().pose("Bob") == Pose(1.0, 1.0, 0.0)
    tell(mind, observe("Alice", HOME, step=2))
    entry = mind.beliefs().relative("Alice", "Bob")
    assert entry is not None
    assert entry.belief.age == 1
    assert any(
        line.startswith("- Bob (agent): ahead right, 8 moves") for line in mind.lines("Alice")
    )
    tell(mind, observe("Alice", HOME, step=3), observe("Bob", AWAY, step=3))
    assert mind.beliefs().pose("Bob") == AWAY
    assert "Bob" not in mind.beliefs().entities


def test_seen_everywhere_and_not_seen_is_gone_at_once() -> None:
    """A region not sighted any more is out (SAR rule G2)."""
    mind = asm(geometry=GRID)
    region = ("CaldorFire_Region_1", "region", 20.0, -9.0)
    depot = ("DepositFacility", "deposit", 3.0, -3.0)  # not of a kind visible everywhere
    for step, things in enumerate(([region, depot], [])):
        tell(
            mind,
            observe("Alice", Pose(0, 0), things, step=step, view=ALL_OVER),
            observe("Bob", Pose(9, 9), things, step=step, view=ALL_OVER),
        )
    assert list(mind.beliefs().entities) == ["DepositFacility"]


def test_seen_by_one_is_enough() -> None:
    mind = asm(geometry=GRID)
    region = ("CaldorFire_Region_1", "region", 20.0, -9.0)
    tell(
        mind,
        observe("Alice", Pose(0, 0), [region], view=ALL_OVER),
        observe("Bob", Pose(9, 9), view=ALL_OVER),
    )
    assert mind.beliefs().entities["CaldorFire_Region_1"].confidence == 1.0


def test_looked_for_and_not_found_is_lost_and_its_likely_places_are_ranked() -> None:
    mind = asm(agents=("Alice", "Bob", "Charlie"))
    things = [
        BOWL,
        sight(HOME, ("Cabinet_1", "Cabinet", 0.7, 1.0), open=False),
        sight(HOME, ("Sink_1", "Sink", 1.2, 0.7)),
        sight(HOME, ("Bowl_2", "Bowl", 1.2, 0.7), inside="Sink_1"),
    ]
    tell(mind, observe("Alice", HOME, things), observe("Bob", AWAY), observe("Charlie", AWAY))
    # Same place, same look: it was visible from here, and is not any more.
    tell(
        mind,
        observe("Alice", HOME, things[1:], step=1),
        observe("Bob", Pose(0.7, 0.5), step=1, view=None),
        observe("Charlie", AWAY, step=1),
    )
    bowl = mind.beliefs().entities["Bowl_1"]
    assert bowl.lost
    assert bowl.confidence < 0.1
    assert (bowl.x, bowl.z) == (0.5, 0.5)
    places = mind.likely_places("Bowl_1")
    assert set(places) == {"Cabinet_1", "Sink_1", "Bob"}
    assert "lost, likely near " + ", ".join(places) in "\n".join(mind.lines("Alice"))
    # Found again.
    tell(mind, observe("Alice", AWAY, [("Bowl_1", "Bowl", 10.5, 10.0)], step=2))
    assert not mind.beliefs().entities["Bowl_1"].lost
    assert mind.beliefs().entities["Bowl_1"].x == pytest.approx(10.5)


def test_a_new_place_to_look_from_only_lowers_confidence_step_by_step() -> None:
    """From elsewhere it may be hidden behind something; after some looks it is lost."""
    mind = asm(agents=("Alice",))
    tell(mind, observe("Alice", HOME, [BOWL]))
    confidences = []
    for step in range(1, 8):
        tell(mind, observe("Alice", Pose(0.05 * step, 0.0), step=step))
        confidences.append(mind.beliefs().entities["Bowl_1"].confidence)
    assert confidences == sorted(confidences, reverse=True)
    assert confidences[0] > 0.9
    assert mind.beliefs().entities["Bowl_1"].lost
    # Looking on from one and the same place adds nothing.
    tell(mind, observe("Alice", Pose(0.05 * 7, 0.0), step=8))
    again = mind.beliefs().entities["Bowl_1"].confidence
    assert again == pytest.approx(confidences[-1], rel=0.01)


def test_out_of_range_or_behind_is_no_evidence() -> None:
    mind = asm(agents=("Alice", "Bob"))
    tell(mind, observe("Alice", HOME, [BOWL]), observe("Bob", AWAY))
    for step in range(1, 30):
        tell(
            mind,
            observe("Alice", Pose(0.5, -0.01 * step, 180.0), step=step, view=NEAR),
            observe("Bob", Pose(9.0, 0.1 * step), step=step, view=NEAR),
        )
    bowl = mind.beliefs().entities["Bowl_1"]
    assert not bowl.lost
    assert bowl.age == 29
    assert bowl.confidence > 0.9


def test_views_are_immutable_and_cheap_to_keep() -> None:
    mind = asm()
    tell(mind, observe("Alice", HOME, [BOWL]), observe("Bob", AWAY))
    kept = mind.beliefs()
    before = (kept.entities["Bowl_1"], kept.pose("Alice"), kept.step)
    assert mind.beliefs() is kept
    tell(
        mind,
        observe("Alice", AWAY, [("Bowl_1", "Bowl", 9.0, 9.0)], step=1),
        observe("Bob", HOME, step=1),
    )
    later = mind.beliefs()
    assert later is not kept
    assert (kept.entities["Bowl_1"], kept.pose("Alice"), kept.step) == before
    entry = kept.relative("Alice", "Bowl_1")
    assert entry is not None
    assert entry.offset == HOME.to_frame(0.5, 0.5)
    assert later.entities["Bowl_1"].x == pytest.approx(9.0)


def test_names_add_what_team_mates_found_but_not_what_the_world_does_not_offer() -> None:
    mind = asm()
    tell(mind, observe("Alice", HOME, [BOWL]), observe("Bob", AWAY, [("Mug_1", "Mug", 9.0, 9.0)]))
    assert list(mind.beliefs().names("Bob")) == ["Mug_1", "Bowl_1"]
    assert list(mind.beliefs().names("Alice")) == ["Bowl_1", "Mug_1"]
    assert list(mind.beliefs().names("Nobody")) == []
