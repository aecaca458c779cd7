"""Which entries get a line, in what order, and how the cap cuts."""

from __future__ import annotations

from memory_scenes import ALL_OVER, GRID, asm, did, observe, sight, tell

from mosaic_planner.core.geometry import Pose
from mosaic_planner.memory.relevance import family_of, words_in

ORIGIN = Pose(0.0, 0.0)
FIRE = [(f"CaldorFire_Region_{i}", "region", float(i), 0.0) for i in range(1, 21)]
REST = [
    ("ReservoirUtah", "reservoir", 30.0, 0.0),
    ("ReservoirYork", "reservoir", 28.0, 0.0),
    ("DepositFacility", "deposit", 29.0, 0.0),
    ("LostPersonTimmy", "person", 27.0, 0.0),
]


def names(lines: tuple[str, ...]) -> list[str]:
    return [line[2:].partition(" (")[0] for line in lines]


def test_words_and_families() -> None:
    assert words_in(["carry LostPersonTimmy to the deposit"]) >= {
        "lostpersontimmy", "timmy", "person", "deposit", "carry",
    }  # fmt: skip
    assert family_of("CaldorFire_Region_12", "region") == family_of("CaldorFire_Region_3", "region")
    assert family_of("GreatFire_Region_1", "region") != family_of("CaldorFire_Region_1", "region")


def test_the_cap_never_lets_one_family_crowd_out_the_rest() -> None:
    mind = asm(geometry=GRID, agents=("Alice",), max_lines=8)
    tell(mind, observe("Alice", ORIGIN, [*FIRE, *REST], view=ALL_OVER))
    shown = names(mind.lines("Alice"))
    assert len(shown) == 8
    assert set(shown) >= {name for name, *_ in REST}
    assert {n for n in shown if n.startswith("Caldor")} == {
        f"CaldorFire_Region_{i}" for i in range(1, 5)
    }  # the nearest


def test_open_subtasks_come_first_and_order_is_stable() -> None:
    mind = asm(geometry=GRID, agents=("Alice",), max_lines=7)
    tell(mind, observe("Alice", ORIGIN, [*FIRE[:3], *REST], view=ALL_OVER))
    mind.focus(["carry Timmy to the deposit"])
    first = names(mind.lines("Alice"))
    assert first[:2] == ["LostPersonTimmy", "DepositFacility"]  # named, then of a named kind
    for step, x in enumerate((1.0, 2.0, 3.0), start=1):
        tell(mind, observe("Alice", Pose(x, 0.0), [*FIRE[:3], *REST], step=step, view=ALL_OVER))
        assert names(mind.lines("Alice")) == first
    mind.focus(["put out CaldorFire with Sand"])
    assert names(mind.lines("Alice"))[:3] == [f"CaldorFire_Region_{i}" for i in range(1, 4)]


def test_properties_count_too() -> None:
    """`Sand` in a subtask makes the reservoir that gives Sand relevant."""
    mind = asm(geometry=GRID, agents=("Alice",), max_lines=2)
    things = [
        sight(ORIGIN, REST[1], gives="Water"),
        sight(ORIGIN, ("Rock", "rock", 1.0, 1.0)),
        sight(ORIGIN, REST[0], gives="Sand"),
    ]
    tell(mind, observe("Alice", ORIGIN, things, view=None))
    mind.focus(["fetch Sand"])
    assert names(mind.lines("Alice"))[0] == "ReservoirUtah"


def test_what_has_nothing_to_do_with_the_task_gets_few_lines_or_none() -> None:
    mind = asm(agents=("Alice",), task=("Bowl", "Fridge"), max_lines=10)
    things = [(f"Spoon_{i}", "Spoon", 0.1 * i, 0.0) for i in range(1, 9)]
    things += [("Bowl_1", "Bowl", 0.9, 0.9), ("Fridge_1", "Fridge", 1.0, 1.0)]
    tell(mind, observe("Alice", ORIGIN, things))
    shown = names(mind.lines("Alice"))
    assert shown[:2] == ["Bowl_1", "Fridge_1"]
    assert shown[2:] == ["Spoon_1", "Spoon_2", "Spoon_3"]  # the nearest three
    full = asm(agents=("Alice",), task=("Bowl", "Fridge"), max_lines=2)
    tell(full, observe("Alice", ORIGIN, things))
    assert names(full.lines("Alice")) == ["Bowl_1", "Fridge_1"]


def test_held_things_come_first_for_their_holder_only() -> None:
    mind = asm(task=("Bowl",), max_lines=3)
    things = [("Bowl_1", "Bowl", 0.1, 0.0), ("Spoon_1", "Spoon", 0.2, 0.0)]
    tell(mind, observe("Alice", ORIGIN, things), observe("Bob", ORIGIN))
    tell(
        mind,
        observe("Alice", ORIGIN, things, step=1),
        observe("Bob", ORIGIN, step=1),
        outcomes=[did("Bob", "PickUp(Spoon_1)", ("Spoon_1", "holder", "Bob"))],
    )
    # The sighting says nobody holds it, and eyes win; so hide it from view.
    tell(
        mind,
        observe("Alice", ORIGIN, things[:1], step=2),
        observe("Bob", ORIGIN, step=2, inventory={"Spoon_1": 1}),
        outcomes=[did("Bob", "PickUp(Spoon_1)", ("Spoon_1", "holder", "Bob"))],
    )
    assert names(mind.lines("Bob"))[0] == "Spoon_1"
    assert names(mind.lines("Alice"))[0] == "Bowl_1"


def test_other_agents_have_lines_and_the_agent_itself_has_none() -> None:
    mind = asm(agents=("Alice", "Bob", "Charlie"), geometry=GRID)
    tell(
        mind,
        observe("Alice", ORIGIN),
        observe("Bob", Pose(2.0, 0.0)),
        observe("Charlie", Pose(0.0, -3.0)),
    )
    assert mind.lines("Alice") == (
        "- Bob (agent): right 2; 2 moves, just ahead",
        "- Charlie (agent): down 3; 3 moves, near",
    )
    assert mind.lines("Nobody") == ()
