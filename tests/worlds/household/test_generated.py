"""Generated rooms: seeded, connected, everything within reach, like the measured ones."""

from __future__ import annotations

import subprocess
import sys

import pytest

from mosaic_planner.core.errors import UsageError
from mosaic_planner.worlds.household.catalogue import ROOMS, all_types, fits, room_of_floorplan
from mosaic_planner.worlds.household.scenes.generated import GeneratedScenes, generate
from mosaic_planner.worlds.household.scenes.stocking import unreachable

SEEDS = range(1, 7)


@pytest.fixture(scope="module")
def rooms():
    return {(room, seed): generate(room, seed) for room in ROOMS for seed in SEEDS}


def test_the_same_seed_gives_the_same_room(rooms):
    for (room, seed), scene in list(rooms.items())[::5]:
        assert generate(room, seed) == scene
    assert rooms["kitchen", 1] != rooms["kitchen", 2]


def test_hash_seed_does_not_matter():
    code = (
        "from mosaic_planner.worlds.household.scenes.generated import generate;"
        "import hashlib; print(hashlib.sha256(repr([(o.object_id, o.parents) for o in "
        "generate('kitchen', 3).objects]).encode()).hexdigest())"
    )
    prints = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1")
    }
    assert len(prints) == 1


def test_the_floor_is_connected_and_holds_the_start(rooms):
    for scene in rooms.values():
        cells = set(scene.cells)
        start = (round(scene.start.position[0] * 4), round(scene.start.position[2] * 4))
        assert start in cells
        seen, queue = {start}, [start]
        for a, b in queue:
            for step in ((a + 1, b), (a - 1, b), (a, b + 1), (a, b - 1)):
                if step in cells and step not in seen:
                    seen.add(step)
                    queue.append(step)
        assert seen == cells


def test_ids_and_names_are_unique_and_links_agree(rooms):
    for scene in rooms.values():
        by_id = {o.object_id: o for o in scene.objects}
        assert len(by_id) == len(scene.objects)
        assert len({o.name for o in scene.objects}) == len(scene.objects)
        for o in scene.objects:
            for parent in o.parents or ():
                assert o.object_id in (by_id[parent].contents or ()), o.object_id
            for child in o.contents or ():
                assert o.object_id in (by_id[child].parents or ())
            for burner in o.controlled or ():
                assert burner in by_id


def test_everything_can_be_seen_from_some_reachable_pose(rooms):
    for scene in list(rooms.values())[::3]:
        assert unreachable(scene) == ()


def test_loose_things_lie_where_the_placement_table_or_the_recordings_allow(rooms):
    types = all_types()
    for scene in rooms.values():
        kinds = {o.object_id: o.object_type for o in scene.objects}
        for o in scene.objects:
            if "pickupable" not in o.affordances or o.object_type in ("Painting", "Poster"):
                continue
            assert o.parents, o.object_id
            kind = kinds[o.parents[0]]
            assert (
                kind == "Floor" or fits(o.object_type, kind) or kind in types[o.object_type].parents
            )


def test_types_that_all_real_rooms_have_are_there(rooms):
    """Every type of section 12 with 30/30, but for what the layout may leave out."""
    for (room, _), scene in rooms.items():
        present = {o.object_type for o in scene.objects}
        for name, figures in all_types().items():
            if figures.has("pickupable") and figures.rooms.get(room, (0,))[0] == 30:
                assert name in present, (scene.name, name)


def test_numbers_follow_the_measured_ones(rooms):
    """Means over six rooms are within a factor of two of the measured mean."""
    for room, kind, mean in (
        ("kitchen", "Cabinet", 13.9),
        ("kitchen", "StoveBurner", 4.1),
        ("kitchen", "CounterTop", 2.4),
        ("bathroom", "ToiletPaper", 2.0),
    ):
        counts = [
            sum(o.object_type == kind for o in scene.objects)
            for (r, _), scene in rooms.items()
            if r == room
        ]
        assert mean / 2 <= sum(counts) / len(counts) <= mean * 2, (kind, counts)


def test_a_task_gets_what_it_requires():
    scene = generate("kitchen", 5, {"Vase": 3, "DiningTable": 1})
    assert sum(o.object_type == "Vase" for o in scene.objects) >= 3
    assert any(o.object_type == "DiningTable" for o in scene.objects)


def test_the_impossible_is_refused_with_one_line():
    with pytest.raises(UsageError, match="no bathroom with 60 Bathtub could be drawn"):
        generate("bathroom", 1, {"Bathtub": 60})
    with pytest.raises(UsageError, match="room kind"):
        generate("garage", 1)


def test_names_follow_the_floor_plan_numbers():
    scenes = GeneratedScenes()
    assert len(scenes.names()) == 120
    assert scenes.load("FloorPlan205").room == "living_room"
    assert scenes.load("FloorPlan205_physics") == scenes.load("FloorPlan205")
    assert [room_of_floorplan(n) for n in ("FloorPlan30", "FloorPlan31", "FloorPlan430", "X")] == [
        "kitchen", "", "bathroom", "",
    ]  # fmt: skip
