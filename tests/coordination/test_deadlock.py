"""Two agents in a corridor, with a bay and without; who blocks whom; the world of these tests."""

from __future__ import annotations

import random
from collections import deque
from itertools import product

import pytest

from mosaic_planner.coordination import (
    Assignment,
    FirstChoice,
    MosaicCoordinator,
    deadlock_report,
    right_of_way,
)
from mosaic_planner.core.action import IDLE, Action
from mosaic_planner.core.errors import SceneError
from mosaic_planner.core.geometry import Cell
from mosaic_planner.testing import check_world
from mosaic_planner.testing.corridor import CorridorWorld, Journey, corridor, travel

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))


def optimum(world: CorridorWorld) -> int | None:
    """Joint steps until everybody is home, by searching all joint positions; None if never."""
    start = tuple(world.starts[a] for a in world.agents)
    goal = tuple(world.goals[a] for a in world.agents)
    near = {
        c: [c, *(n for x, y in STEPS if (n := (c[0] + x, c[1] + y)) in world.cells)]
        for c in world.cells
    }
    seen = {start: 0}
    queue = deque((start,))
    while queue:
        here = queue.popleft()
        if here == goal:
            return seen[here]
        for after in product(*(near[c] for c in here)):
            swap = any(
                after[i] == here[j] and after[j] == here[i]
                for i in range(len(here))
                for j in range(i)
            )
            if after not in seen and len(set(after)) == len(after) and not swap:
                seen[after] = seen[here] + 1
                queue.append(after)
    return None


def go(world: CorridorWorld, limit: int = 100) -> Journey:
    return travel(world, MosaicCoordinator(world.rules, world.vocabulary), limit)


@pytest.mark.parametrize("length", [5, 9, 15])
def test_with_a_bay_both_arrive_within_three_times_the_optimum(length: int) -> None:
    for bay in range(1, length - 1):
        world = corridor(length, bay)
        best = optimum(world)
        journey = go(world)
        assert best is not None
        assert journey.end == "arrived", bay
        assert journey.steps <= 3 * best, bay


@pytest.mark.parametrize("length", [3, 5, 9, 15])
def test_without_a_bay_it_ends_early_and_says_who_blocks_whom(length: int) -> None:
    world = corridor(length)
    assert optimum(world) is None
    journey = go(world)
    assert journey.end == "no_progress"
    assert journey.steps < 10
    assert journey.deadlock is not None
    assert journey.deadlock.total
    assert journey.deadlock.lines()[:2] == ("A is blocked by B", "B is blocked by A")


def random_world(rng: random.Random) -> CorridorWorld | None:
    width, height = rng.randint(3, 7), rng.randint(1, 4)
    cells = [(x, y) for x in range(width) for y in range(height) if rng.random() < 0.75]
    if len(cells) < 4:
        return None
    starts, goals = rng.sample(cells, 2), rng.sample(cells, 2)
    marks = dict.fromkeys(cells, ".") | {starts[0]: "a", starts[1]: "b"}
    rows = ("".join(marks.get((x, y), "#") for x in range(width)) for y in range(height))
    world = CorridorWorld("\n".join(rows), {"A": goals[0], "B": goals[1]})
    lost = any(world.rules.distance(world.starts[a], a) == len(world.cells) for a in world.agents)
    return None if lost or world.cells != set(cells) else world


def test_any_two_agents_that_can_arrive_do_and_the_others_are_told() -> None:
    rng = random.Random(0)
    ends = {"arrived": 0, "no_progress": 0}
    while sum(ends.values()) < 250:
        world = random_world(rng)
        if world is None:
            continue
        best = optimum(world)
        journey = go(world)
        ends[journey.end] += 1
        assert (journey.end == "arrived") == (best is not None), world.layout
        if best is not None:
            assert journey.steps <= max(3 * best, 3), world.layout
    assert min(ends.values()) > 10


def test_three_agents_nearly_always_arrive() -> None:
    """Right of way is exact for two agents and a good rule for more: this pins how good."""
    rng = random.Random(1)
    arrived = possible = 0
    while possible < 40:
        cells = [(x, y) for x in range(6) for y in range(3) if rng.random() < 0.8]
        if len(cells) < 6:
            continue
        starts, goals = rng.sample(cells, 3), rng.sample(cells, 3)
        marks = dict.fromkeys(cells, ".") | dict(zip(starts, "abc", strict=True))
        rows = ("".join(marks.get((x, y), "#") for x in range(6)) for y in range(3))
        world = CorridorWorld("\n".join(rows), dict(zip("ABC", goals, strict=True)))
        if world.cells != set(cells) or optimum(world) is None:
            continue
        possible += 1
        arrived += go(world).end == "arrived"
    assert arrived >= 38


def test_a_plain_planner_never_gets_through() -> None:
    """What right of way is worth: first choices stand nose to nose for ever."""
    assert travel(corridor(7, 3), FirstChoice(), 60).end == "budget"


def test_directives_say_why() -> None:
    world = corridor(5, 2)

    def near(cell: Cell) -> list[Cell]:
        return [c for x, y in STEPS if (c := (cell[0] + x, cell[1] + y)) in world.cells]

    traffic = right_of_way({"A": (1, 0), "B": (2, 0)}, {"A": (4, 0), "B": (0, 0)}, near)
    assert traffic.directives["B"].to == (2, 1)
    assert traffic.directives["B"].why == "makes way for A"
    assert traffic.directives["A"].why == "goes on, B making way"
    apart = right_of_way({"A": (1, 0), "B": (3, 0)}, {"A": (0, 0), "B": (4, 0)}, near)
    assert apart.directives == {}
    parked = right_of_way({"A": (1, 0), "B": (2, 0)}, {"A": (4, 0)}, near)
    assert parked.directives["B"].to == (2, 1)  # whoever wants nothing still makes way
    dead_end = right_of_way({"A": (0, 0), "B": (4, 0)}, {"A": (4, 0)}, near)
    assert dead_end.directives["B"].for_whom == ("A",)


def test_priority_is_inherited_down_a_line() -> None:
    """C must get out of the way so that B can, so that A passes."""
    world = CorridorWorld("a.bc..\n#####.", {"A": (4, 0)})

    def near(cell: Cell) -> list[Cell]:
        return [c for x, y in STEPS if (c := (cell[0] + x, cell[1] + y)) in world.cells]

    traffic = right_of_way(world.starts, {"A": (4, 0)}, near)
    assert traffic.directives["B"].to == (3, 0)
    assert traffic.directives["C"].to == (4, 0)
    assert "B" in traffic.directives["C"].for_whom
    assert traffic.directives["A"].why == "holds back until the way is clear of B and C"


def test_a_report_needs_patience_and_assignments() -> None:
    assert deadlock_report([]) is None
    journey = go(corridor(5))
    assert deadlock_report(journey.assignments[:3]) is None
    assert deadlock_report(journey.assignments, patience=2) is not None
    assert deadlock_report([Assignment({})] * 5) is None


def test_the_world_keeps_the_contract_of_worlds() -> None:
    def make(agents: int = 2, **options: object) -> CorridorWorld:
        if not 1 <= agents <= 3:
            raise SceneError("1 to 3 agents")
        goals = {a: (5 - i, 1) for i, a in enumerate("ABC"[:agents])}
        return CorridorWorld(f"{'abc'[:agents]}...\n......", goals)

    check_world(make, options={}, hash_seeds=())


def test_moves_are_simultaneous() -> None:
    world = CorridorWorld("ab.", {"A": (1, 0), "B": (2, 0)})
    right, left = Action("Move", ("Right",)), Action("Move", ("Left",))
    result = world.step({"A": right, "B": right})  # following is allowed
    assert all(o.success for o in result.outcomes.values())
    assert world.score().success
    world.reset(0)
    result = world.step({"A": right, "B": left})  # swapping is not
    assert not any(o.success for o in result.outcomes.values())
    world.reset(0)
    assert not world.step({"A": right, "B": IDLE}).outcomes["A"].success
    assert not world.step({"A": Action("Fly"), "B": IDLE}).outcomes["A"].success


def test_bad_layouts_are_a_clear_error() -> None:
    with pytest.raises(SceneError, match="no agent"):
        CorridorWorld("...")
    with pytest.raises(SceneError, match="not a free cell"):
        CorridorWorld("a.", {"A": (7, 7)})
    with pytest.raises(SceneError, match="no corridor"):
        corridor(2)
