"""Beliefs under noise: what is invented, confused, missed, moved, or merely imprecise."""

from __future__ import annotations

import json
import math
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from memory_scenes import ALL_OVER, AROUND, GRID, ROOM, asm, did, memory, observe, sight, tell

from mosaic_planner.core.geometry import Offset, Pose
from mosaic_planner.core.noise import NOISE_REGIMES
from mosaic_planner.core.observation import Observation, Outcome, Sighting
from mosaic_planner.memory import MEMORY_KINDS, AgentCentricMemory, beliefs_to_event

HIGH = NOISE_REGIMES["high"]
THINGS = [
    ("Apple_1", "Apple", 0.6, 0.5),
    ("Mug_1", "Mug", -0.7, 0.4),
    ("Pan_1", "Pan", 0.2, -0.8),
    ("Vase_1", "Vase", -0.5, -0.6),
]


def noisy(
    random: Random,
    pose: Pose,
    sightings: list[Sighting],
    agent: str = "Alice",
    step: int = 0,
    unit: float = 0.25,
    rotation: bool = True,
) -> Observation:
    """An observation with the pose and distance errors of the high regime, nothing missed."""
    turn = random.gauss(0.0, HIGH.rotation_sigma_deg) if rotation else 0.0
    report = Pose(
        pose.x + random.gauss(0.0, HIGH.position_sigma * unit),
        pose.z + random.gauss(0.0, HIGH.position_sigma * unit),
        pose.heading_deg + turn,
    )
    seen = []
    for s in sightings:
        factor = 1.0 + random.gauss(0.0, HIGH.distance_error)
        offset = Offset(s.offset.dx * factor, s.offset.dz * factor)
        seen.append(Sighting(s.name, s.kind, offset, s.attributes, s.holder))
    return observe(agent, report, seen, step=step)


def walk(step: int) -> Pose:
    """Somewhere new each step, with everything in `THINGS` in range."""
    return Pose(0.3 * math.cos(step), 0.3 * math.sin(step), 40.0 * step)


def watched(
    steps: int = 12, seed: int = 0, agents: tuple[str, ...] = ("Alice",)
) -> tuple[AgentCentricMemory, Random]:
    """A memory that saw `THINGS` for some steps."""
    mind, random = asm(agents=agents, noise="high"), Random(seed)
    for step in range(steps):
        things = [sight(walk(step), thing) for thing in THINGS]
        tell(
            mind,
            *(noisy(random, walk(step), things, agent, step) for agent in agents),
            outcomes=[did(agent, "Move(ahead)", steps=1) for agent in agents],
        )
    return mind, random


def test_one_apple_seen_twenty_times_stays_one_and_its_place_gets_sharper() -> None:
    mind, random = asm(agents=("Alice",), noise="high"), Random(1)
    sigmas = []
    for step in range(20):
        pose = walk(step)
        tell(mind, noisy(random, pose, [sight(pose, THINGS[0])], step=step))
        sigmas.append(mind.beliefs().entities["Apple_1"].sigma)
    assert list(mind.beliefs().entities) == ["Apple_1"]
    apple = mind.beliefs().entities["Apple_1"]
    assert sigmas == sorted(sigmas, reverse=True)
    assert sigmas[-1] < sigmas[0] / 3.5
    assert math.dist((apple.x, apple.z), THINGS[0][2:]) < 3.0 * apple.sigma
    assert apple.confidence > 0.99


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_two_apples_side_by_side_stay_two(named: bool, seed: int) -> None:
    """0.3 m apart, high noise, a tenth of the sightings missed, with and without names."""
    apples = [("Apple_1", "Apple", 0.5, 0.6), ("Apple_2", "Apple", 0.8, 0.6)]
    mind, random = asm(agents=("Alice",), noise="high"), Random(seed)
    for step in range(60):
        pose = walk(step)
        seen = [
            sight(pose, thing if named else ("Apple", *thing[1:]))
            for thing in apples
            if random.random() >= HIGH.miss
        ]
        tell(mind, noisy(random, pose, seen, step=step))
    known = [b for b in mind.beliefs().entities.values() if not b.lost]
    assert [b.kind for b in known] == ["Apple", "Apple"]
    places = sorted((b.x, b.z) for b in known)
    for place, (_, _, x, z) in zip(places, apples, strict=True):
        assert math.dist(place, (x, z)) < 0.15


def test_a_thing_invented_once_is_not_believed_in_for_long() -> None:
    mind, random = watched()
    pose = walk(12)
    things = [sight(pose, thing) for thing in THINGS]
    ghost = sight(pose, ("Egg_7", "Egg", 0.4, 0.7))
    tell(mind, noisy(random, pose, [*things, ghost], step=12))
    believed = mind.beliefs().entities.get("Egg_7")
    # Its place was looked at a dozen times before: nobody need be told of it at all.
    assert believed is None
    for step in range(13, 20):
        pose = walk(step)
        tell(mind, noisy(random, pose, [sight(pose, t) for t in THINGS], step=step))
        assert "Egg_7" not in mind.beliefs().entities
        assert "Egg_7" not in mind.beliefs().names("Alice")
    assert not any("Egg_7" in line for line in mind.lines("Alice"))


def test_a_thing_seen_twice_at_a_place_seen_empty_before_is_believed_after_all() -> None:
    mind, random = watched()
    for step in range(12, 15):
        pose = walk(step)
        things = [sight(pose, t) for t in (*THINGS, ("Egg_7", "Egg", 0.4, 0.7))]
        tell(mind, noisy(random, pose, things, step=step))
    assert mind.beliefs().entities["Egg_7"].confidence > 0.8


def test_the_first_look_around_is_trusted() -> None:
    mind = asm(agents=("Alice",), noise="high")
    tell(mind, noisy(Random(0), walk(0), [sight(walk(0), t) for t in THINGS]))
    for belief in mind.beliefs().entities.values():
        assert belief.confidence > 0.7
        assert belief.sigma > 0.1


def test_invented_where_everything_is_seen_by_everybody_one_witness_is_not_enough() -> None:
    """SAR: two team mates who do not see it outweigh the one who does, at once."""
    agents = ("Alice", "Bob", "Charlie")
    mind = asm(agents=agents, noise="high", geometry=GRID)
    real = [("Fire_Region_1", "region", 5.0, -5.0), ("ReservoirUtah", "reservoir", 9.0, -2.0)]
    for step in range(3):
        tell(mind, *(observe(a, Pose(1.0, 1.0), real, step=step, view=ALL_OVER) for a in agents))
    ghost = ("Fire_Region_9", "region", 7.0, -7.0)
    spread = ("Fire_Region_2", "region", 6.0, -5.0)
    tell(
        mind,
        observe("Alice", Pose(1.0, 1.0), [*real, spread, ghost], step=3, view=ALL_OVER),
        observe("Bob", Pose(1.0, 1.0), [*real, spread], step=3, view=ALL_OVER),
        observe("Charlie", Pose(1.0, 1.0), [*real, spread], step=3, view=ALL_OVER),
    )
    assert "Fire_Region_9" not in mind.beliefs().entities
    assert "Fire_Region_9" not in mind.beliefs().names("Alice")
    assert mind.beliefs().entities["Fire_Region_2"].confidence > 0.8
    # Bob missed it; it is still there, and he may name it.
    tell(
        mind,
        observe("Alice", Pose(1.0, 1.0), [*real, spread], step=4, view=ALL_OVER),
        observe("Bob", Pose(1.0, 1.0), real, step=4, view=ALL_OVER),
        observe("Charlie", Pose(1.0, 1.0), [*real, spread], step=4, view=ALL_OVER),
    )
    assert mind.beliefs().entities["Fire_Region_2"].confidence > 0.8
    assert "Fire_Region_2" in mind.beliefs().names("Bob")


def test_a_fire_that_is_out_ends_although_sensors_miss_things() -> None:
    agents = ("Alice", "Bob", "Charlie")
    mind = asm(agents=agents, noise="high", geometry=GRID)
    region = ("Fire_Region_1", "region", 5.0, -5.0)
    for step in range(4):
        tell(
            mind, *(observe(a, Pose(1.0, 1.0), [region], step=step, view=ALL_OVER) for a in agents)
        )
    tell(mind, *(observe(a, Pose(1.0, 1.0), step=4, view=ALL_OVER) for a in agents))
    assert "Fire_Region_1" not in mind.beliefs().entities
    # With one witness a single miss says little, and the second one settles it.
    alone = asm(agents=("Alice",), noise="high", geometry=GRID)
    for step in range(4):
        tell(alone, observe("Alice", Pose(1.0, 1.0), [region], step=step, view=ALL_OVER))
    tell(alone, observe("Alice", Pose(1.0, 1.0), step=4, view=ALL_OVER))
    assert 0.5 < alone.beliefs().entities["Fire_Region_1"].confidence < 0.9
    assert "Fire_Region_1" in alone.beliefs().names("Alice")
    tell(alone, observe("Alice", Pose(1.0, 1.0), step=5, view=ALL_OVER))
    assert "Fire_Region_1" not in alone.beliefs().entities


def test_what_never_ends_is_kept_through_more_misses_the_longer_it_is_known() -> None:
    """Two agents both miss something 1 % of the time: a reservoir must not flicker for ever."""
    agents = ("Alice", "Bob")
    reservoirs = [(f"Reservoir_{i}", "reservoir", float(i), 0.0) for i in range(4)]

    def known_after(steps: int) -> bool:
        mind = asm(agents=agents, noise="high", geometry=GRID)
        for step in range(steps):
            tell(
                mind,
                *(observe(a, Pose(1, 1), reservoirs, step=step, view=ALL_OVER) for a in agents),
            )
        tell(
            mind,
            *(observe(a, Pose(1, 1), reservoirs[1:], step=steps, view=ALL_OVER) for a in agents),
        )
        return "Reservoir_0" in mind.beliefs().entities

    assert not known_after(2)
    assert known_after(40)


def test_the_world_says_there_is_no_such_thing() -> None:
    mind = asm(agents=("Alice",), noise="high")
    ghost = ("Egg_7", "Egg", 0.4, 0.7)
    tell(mind, observe("Alice", walk(0), [ghost, *THINGS], step=0, view=None))
    before = mind.beliefs().entities["Egg_7"].confidence
    tell(
        mind,
        observe("Alice", walk(1), THINGS, step=1, view=None),
        outcomes=[did("Alice", "NavigateTo(Egg_7)", success=False, error="not_visible")],
    )
    after = mind.beliefs().entities.get("Egg_7")
    assert before > 0.5
    assert after is None or after.confidence < before / 3.0


def test_a_name_the_world_does_not_know_was_a_mistake() -> None:
    """However sure one was: what a world has shown under a name, it knows by that name."""
    mind = asm(agents=("Alice",), noise="high")
    ghost = ("Egg_7", "Egg", 0.4, 0.7)
    for step in range(2):
        tell(mind, observe("Alice", walk(step), [ghost, *THINGS], step=step, view=None))
    assert mind.beliefs().entities["Egg_7"].confidence > 0.9
    tell(
        mind,
        observe("Alice", walk(2), THINGS, step=2, view=None),
        outcomes=[did("Alice", "NavigateTo(Egg_7)", success=False, error="not_seen")],
    )
    assert "Egg_7" not in mind.beliefs().entities
    assert "Apple_1" in mind.beliefs().entities


def test_an_action_that_worked_proves_that_its_object_exists() -> None:
    mind, random = watched()
    pose = walk(12)
    seen = [sight(pose, t) for t in (*THINGS, ("Egg_7", "Egg", 0.4, 0.7))]
    tell(mind, noisy(random, pose, seen, step=12))
    assert "Egg_7" not in mind.beliefs().entities
    tell(
        mind,
        observe("Alice", walk(13), step=13, view=None),
        outcomes=[did("Alice", "NavigateTo(Egg_7)", steps=2)],
    )
    assert mind.beliefs().entities["Egg_7"].confidence > 0.8


def test_a_wrong_class_neither_adds_a_thing_nor_moves_the_one_of_that_name() -> None:
    mind, random = watched(12)
    before = {n: (b.x, b.z) for n, b in mind.beliefs().entities.items()}
    for step, wrong in ((12, ("Vase_1", "Vase")), (13, ("Tomato_9", "Tomato"))):
        pose = walk(step)
        # The apple at its place is taken for another thing; everything else is seen right.
        apple = sight(pose, THINGS[0])
        confused = Sighting(*wrong, apple.offset)
        rest = [sight(pose, t) for t in THINGS[1:] if t[0] != wrong[0]]
        tell(mind, noisy(random, pose, [confused, *rest], step=step))
    known = mind.beliefs().entities
    assert list(known) == [t[0] for t in THINGS]
    for name, place in before.items():
        assert math.dist((known[name].x, known[name].z), place) < 0.15
    kinds = mind.class_distribution("Apple_1")
    assert next(iter(kinds)) == "Apple"
    assert set(kinds) == {"Apple", "Vase", "Tomato"}
    assert sum(kinds.values()) == pytest.approx(1.0)
    assert kinds["Apple"] > 0.99


def test_a_thing_first_seen_under_a_wrong_name_gets_its_right_one() -> None:
    mind, random = asm(agents=("Alice",), noise="high"), Random(5)
    pose = walk(0)
    rest = [sight(pose, t) for t in THINGS[1:]]
    first = Sighting("Tomato_9", "Tomato", sight(pose, THINGS[0]).offset)
    tell(mind, noisy(random, pose, [first, *rest]))
    assert mind.beliefs().entities["Tomato_9"].kind == "Tomato"
    for step in range(1, 5):
        pose = walk(step)
        tell(mind, noisy(random, pose, [sight(pose, t) for t in THINGS], step=step))
    known = mind.beliefs().entities
    assert sorted(known) == sorted(t[0] for t in THINGS)
    assert known["Apple_1"].kind == "Apple"
    assert known["Apple_1"].confidence > 0.9


def test_a_real_thing_beside_one_once_taken_for_it_gets_an_entry_of_its_own() -> None:
    mind, random = watched()
    pose = walk(12)
    confused = Sighting("Tomato_1", "Tomato", sight(pose, THINGS[0]).offset)
    tell(mind, noisy(random, pose, [confused, *[sight(pose, t) for t in THINGS[1:]]], step=12))
    both = [*THINGS, ("Tomato_1", "Tomato", 0.9, 0.4)]
    for step in range(13, 20):
        pose = walk(step)
        tell(mind, noisy(random, pose, [sight(pose, t) for t in both], step=step))
    known = mind.beliefs().entities
    assert known["Tomato_1"].kind == "Tomato"
    assert math.dist((known["Tomato_1"].x, known["Tomato_1"].z), (0.9, 0.4)) < 0.25
    assert math.dist((known["Apple_1"].x, known["Apple_1"].z), (0.6, 0.5)) < 0.2


def test_one_sighting_far_off_does_not_move_a_thing_but_two_do() -> None:
    mind, random = watched()
    away = ("Apple_1", "Apple", -3.0, -3.0)
    pose = Pose(-3.0, -2.5, 10.0)
    tell(mind, noisy(random, pose, [sight(pose, away)], step=12))
    apple = mind.beliefs().entities["Apple_1"]
    assert math.dist((apple.x, apple.z), (0.6, 0.5)) < 0.2
    tell(mind, noisy(random, pose, [sight(pose, away)], step=13))
    apple = mind.beliefs().entities["Apple_1"]
    assert math.dist((apple.x, apple.z), (-3.0, -3.0)) < 0.6
    assert not apple.lost


def test_carried_things_are_where_their_holder_is_and_are_found_again_when_put_down() -> None:
    mind, random = watched(agents=("Alice", "Bob"))
    tell(
        mind,
        observe("Alice", walk(12), step=12, view=None),
        observe("Bob", Pose(0.6, 0.4, 0.0), step=12, view=None, inventory={"Apple_1": 1}),
        outcomes=[did("Bob", "PickUp(Apple_1)", ("Apple_1", "holder", "Bob"))],
    )
    for step in range(13, 16):
        bob = Pose(5.0 + step, 5.0, 90.0)
        tell(
            mind,
            noisy(random, walk(step), [sight(walk(step), t) for t in THINGS[1:]], step=step),
            observe("Bob", bob, step=step, view=AROUND, inventory={"Apple_1": 1}),
        )
        apple = mind.beliefs().entities["Apple_1"]
        assert math.dist((apple.x, apple.z), (bob.x, bob.z)) < 0.5
        assert not apple.lost
    tell(
        mind,
        observe("Alice", walk(16), step=16, view=None),
        observe("Bob", Pose(20.0, 5.0), step=16, view=None),
        outcomes=[did("Bob", "Put(Apple_1)", ("Apple_1", "holder", ""))],
    )
    put = ("Apple_1", "Apple", 20.4, 5.3)
    for step in range(17, 27):
        pose = Pose(20.0 + 0.1 * math.sin(step), 5.0, 30.0 * step)
        tell(mind, noisy(random, pose, [sight(pose, put)], "Bob", step))
    apple = mind.beliefs().entities["Apple_1"]
    assert math.dist((apple.x, apple.z), (20.4, 5.3)) < 0.2
    assert apple.holder == ""


def test_own_pose_noisy() -> None:
    """Known things correct it; and while an agent stays its reports average out."""
    moving: list[float] = []
    reported: list[float] = []
    staying: list[float] = []
    for seed in range(25):
        mind, random = watched(40, seed)
        for step in range(40, 44):
            pose = walk(step)
            seen = noisy(random, pose, [sight(pose, t) for t in THINGS], step=step)
            tell(mind, seen, outcomes=[did("Alice", "Move(ahead)", steps=1)])
            believed = mind.beliefs().pose("Alice")
            assert believed is not None
            moving.append(math.dist((believed.x, believed.z), (pose.x, pose.z)))
            reported.append(math.dist((seen.pose.x, seen.pose.z), (pose.x, pose.z)))
        for step in range(44, 60):
            seen = noisy(random, pose, [sight(pose, t) for t in THINGS], step=step)
            tell(mind, seen, outcomes=[did("Alice", "Idle", steps=0)])
        believed = mind.beliefs().pose("Alice")
        assert believed is not None
        staying.append(math.dist((believed.x, believed.z), (pose.x, pose.z)))
        heading = (believed.heading_deg - pose.heading_deg + 180.0) % 360.0 - 180.0
        assert abs(heading) < 15.0
    rms = [math.sqrt(sum(e * e for e in errors) / len(errors)) for errors in (moving, reported)]
    assert rms[0] < 0.85 * rms[1]
    assert math.sqrt(sum(e * e for e in staying) / len(staying)) < 0.4 * rms[1]


def test_a_noisy_pose_moves_no_entry_and_spoils_no_heading_free_world() -> None:
    mind = asm(agents=("Alice",), geometry=GRID, noise="high")
    tell(mind, observe("Alice", Pose(3.4, -2.2), [("ReservoirUtah", "reservoir", 9.0, -2.0)]))
    pose = mind.beliefs().pose("Alice")
    assert pose is not None
    assert pose.heading_deg == 0.0
    entry = mind.beliefs().relative("Alice", "ReservoirUtah")
    assert entry is not None
    assert entry.direction.startswith("right")


def test_confidence_is_a_probability_that_holds() -> None:
    """Of the positions believed, about two thirds are within their own sigma per axis."""
    inside = total = 0
    for seed in range(40):
        mind, _ = watched(10, seed)
        for name, _, x, z in THINGS:
            belief = mind.beliefs().entities[name]
            for off in (belief.x - x, belief.z - z):
                inside += abs(off) <= belief.sigma
                total += 1
    assert 0.55 < inside / total < 0.8


names = st.sampled_from(
    ["Apple_1", "Apple_2", "Mug_1", "Egg_1", "Apple", "", "Alice", "Bob", "Zoë\u202e</td>"]
)
kinds = st.sampled_from(["Apple", "Mug", "Egg", "region", "agent", ""])
numbers = st.one_of(st.floats(-30, 30), st.sampled_from([0.0, 0.25, 1.5]))
values = st.one_of(st.booleans(), st.integers(0, 5), st.sampled_from(["Low", "", "Apple_1"]))
sightings = st.builds(
    Sighting,
    names,
    kinds,
    st.builds(Offset, numbers, numbers),
    st.lists(st.tuples(st.sampled_from(["open", "inside", "intensity"]), values), max_size=2).map(
        tuple
    ),
    st.sampled_from(["", "Alice", "Bob", "Alice, Bob", "Nobody", "Apple_1"]),
)
effects = st.tuples(
    names, st.sampled_from(["holder", "gone", "open", "inside"]), st.one_of(values, names)
)
views = st.sampled_from([None, AROUND, ALL_OVER])


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(MEMORY_KINDS),
    st.sampled_from(["none", "low", "high"]),
    st.booleans(),
    st.lists(
        st.tuples(
            st.lists(
                st.tuples(
                    st.sampled_from(["Alice", "Bob", "Eve"]),
                    st.builds(Pose, numbers, numbers, numbers),
                    st.lists(sightings, max_size=6),
                    views,
                ),
                max_size=3,
            ),
            st.lists(st.tuples(st.sampled_from(["Alice", "Bob"]), effects), max_size=2),
            st.integers(0, 2),
        ),
        min_size=1,
        max_size=6,
    ),
)
def test_nothing_an_agent_may_perceive_breaks_a_memory(
    kind: str, noise: str, headings: bool, steps: list[tuple[list, list, int]]
) -> None:
    mind = memory(kind, noise=noise, geometry=ROOM if headings else GRID, task=("Apple",))
    for number, (seen, changed, moved) in enumerate(steps):
        observations = {
            agent: observe(agent, pose, things, step=number, view=view)
            for agent, pose, things, view in seen
        }
        outcomes: dict[str, Outcome] = {
            agent: did(agent, f"Do({effect[0]})", effect, steps=moved) for agent, effect in changed
        }
        mind.update(observations, outcomes)
        mind.focus(["take Apple_1"])
        beliefs = mind.beliefs()
        lines = {agent: mind.lines(agent) for agent in beliefs.agents}
        # Finite everywhere: JSON without not-a-number.
        json.dumps(beliefs_to_event(beliefs, beliefs.agents, lines), allow_nan=False)
        for name, belief in beliefs.entities.items():
            assert belief.name == name
            assert name not in beliefs.agents
            assert 0.0 <= belief.confidence <= 1.0
            assert belief.age >= 0
            assert belief.sigma >= 0.0
        for agent in beliefs.agents:
            list(beliefs.names(agent))
            for name in beliefs.entities:
                entry = beliefs.relative(agent, name)
                assert (entry is None) == (beliefs.pose(agent) is None)
