"""The world as others use it: contract, settings, determinism, independence, memory."""

from __future__ import annotations

import gc
import hashlib
import json
import random
import subprocess
import sys
from typing import Any

import pytest

from mosaic_planner.core.action import IDLE
from mosaic_planner.core.errors import ConfigError, UnknownNameError, UsageError
from mosaic_planner.core.world import World
from mosaic_planner.worlds.sar import SarSwitches, SarWorld, make
from mosaic_planner.worlds.sar.generator import generate
from mosaic_planner.worlds.sar.scene import scene_to_data


def random_episode(world: SarWorld, seed: int, steps: int) -> str:
    """A digest of everything an episode of random actions shows."""
    rng = random.Random(seed)
    digest = hashlib.sha256()

    def take(*values: Any) -> None:
        digest.update(repr(values).encode())

    seen = world.reset(seed)
    actions = world.ground_actions()
    for _ in range(steps):
        take(sorted(seen.items()), json.dumps(world.snapshot()), world.score())
        result = world.step({name: rng.choice(actions) for name in world.agents})
        seen = result.observations
        take(sorted(result.outcomes.items()))
    return digest.hexdigest()


def test_it_is_a_world() -> None:
    world: World = make(1, 2)
    assert world.world_id == "sar-v1"
    assert world.geometry.directions == ("up", "right", "down", "left")
    assert not world.geometry.headings


@pytest.mark.parametrize("faithful", [False, True])
def test_the_same_seed_gives_the_same_bytes(faithful: bool) -> None:
    world = make(2, 4, faithful=faithful)
    first = random_episode(world, 5, 40)
    assert random_episode(world, 6, 10) != first
    assert random_episode(world, 5, 40) == first  # after another episode in the same instance
    assert random_episode(make(2, 4, faithful=faithful), 5, 40) == first


SCRIPT = """
import sys
sys.path.insert(0, {folder!r})
from test_sar_world import random_episode
from mosaic_planner.worlds.sar import make
from mosaic_planner.worlds.sar.generator import generate
from mosaic_planner.worlds.sar.scene import scene_to_data
print(random_episode(make(1, 3), 7, 30))
print(random_episode(make(scene_to_data(generate(40, 3, 3, 1)), 9), 7, 10))
"""


def test_the_hash_seed_does_not_matter() -> None:
    from pathlib import Path

    script = SCRIPT.format(folder=str(Path(__file__).parent))
    found = set()
    for hash_seed in ("0", "1", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(p for p in sys.path if p)},
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(done.stdout)
    assert len(found) == 1


def test_instances_share_nothing() -> None:
    """N7: two worlds stepped in turn do as they do alone."""
    alone = [random_episode(make(3, 3), 1, 25), random_episode(make(3, 3), 2, 25)]
    a, b = make(3, 3), make(3, 3)
    rngs = {id(a): random.Random(1), id(b): random.Random(2)}
    digests = {id(a): hashlib.sha256(), id(b): hashlib.sha256()}
    seen = {id(a): a.reset(1), id(b): b.reset(2)}
    actions = {id(w): w.ground_actions() for w in (a, b)}
    for _ in range(25):
        for w in (a, b):
            key = id(w)
            for value in (
                (sorted(seen[key].items()), json.dumps(w.snapshot()), w.score()),
                None,
            ):
                if value is not None:
                    digests[key].update(repr(value).encode())
            joint = {name: rngs[key].choice(actions[key]) for name in w.agents}
            result = w.step(joint)
            seen[key] = result.observations
            digests[key].update(repr((sorted(result.outcomes.items()),)).encode())
    assert [digests[id(w)].hexdigest() for w in (a, b)] == alone


def test_observations_already_given_do_not_change() -> None:
    world = make(4, 3)
    seen = world.reset(0)
    before = repr(sorted(seen.items()))
    snapshot = world.snapshot()
    kept = json.dumps(snapshot)
    for _ in range(30):
        world.step(dict.fromkeys(world.agents, IDLE))
    assert repr(sorted(seen.items())) == before
    assert json.dumps(snapshot) == kept


def test_eight_hundred_resets_do_not_grow() -> None:
    world = make(4, 3)
    rng = random.Random(0)

    def play(resets: int) -> None:
        for seed in range(resets):
            world.reset(seed)
            actions = world.ground_actions()
            for _ in range(3):
                world.step({name: rng.choice(actions) for name in world.agents})

    def blocks() -> int:
        gc.collect()
        return sys.getallocatedblocks()

    play(60)
    before = blocks()
    play(800)
    assert blocks() - before < 500, "of about 60,000 blocks of memory in use"


def test_settings_build_the_same_world_again() -> None:
    for world in (
        make(3, 4, faithful=True),
        make(1, 2, person_load=1, step_budget=7),
        make(scene_to_data(generate(30, 2, 2, 3)), 12),
    ):
        settings = json.loads(json.dumps(world.settings()))
        assert settings.pop("world") == "sar"
        settings.pop("extension")
        again = make(**settings)
        assert again.settings() == world.settings()
        assert random_episode(again, 3, 12) == random_episode(world, 3, 12)


def test_teams_of_seven_and_eight_are_marked_as_extension() -> None:
    """Rule B5, N12."""
    world = make(1, 8)
    assert world.agents[:6] == ("Alice", "Bob", "Charlie", "David", "Emma", "Finn")
    assert world.agents[6:] == ("Grace", "Henry")
    assert world.settings()["extension"] is True
    assert make(1, 6).settings()["extension"] is False
    for number in range(1, 6):
        starts = make(number, 8).static()["agents"].values()
        assert len({tuple(c) for c in starts}) == 8


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((1, 9), {}, UsageError, "scene 1 has start cells for 1 to 8 agents"),
        ((1, 7), {"faithful": True}, UsageError, "start cells for 1 to 6 agents"),
        ((1, 7), {"extended_team": False}, UsageError, "start cells for 1 to 6 agents"),
        ((1, 0), {}, UsageError, "at least 1 agent"),
        ((6, 2), {}, UnknownNameError, "unknown scene '6'"),
        (("0", 2), {}, UnknownNameError, "unknown scene '0'"),
        ((1, 2), {"person_load": 0}, UsageError, "carriers must be at least 1"),
        ((1, 2), {"fast": True}, ConfigError, "unknown switch 'fast'"),
        ((1, 2), {"stop_at_success": 1}, ConfigError, "must be true or false"),
        ((1, 2), {"step_budget": 0}, ConfigError, "at least 1"),
        ((1, 2), {"region_shuffle": "x"}, ConfigError, "whole number"),
    ],
)
def test_mistakes_give_one_clear_line(
    arguments: tuple[Any, ...], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message) as caught:
        make(*arguments, **options)
    assert "\n" not in str(caught.value)


def test_switches() -> None:
    ours, theirs = SarSwitches(), SarSwitches.faithful()
    assert (ours.step_budget, theirs.step_budget) == (100, 35)
    assert (ours.stop_at_success, theirs.stop_at_success) == (True, False)
    assert SarSwitches.of(True) == theirs
    assert SarSwitches.of(True, finer_reasons=True).finer_reasons
    assert make(1, 1, faithful=True).static()["timeout"] == 35


def test_region_shuffle_changes_extra_regions_and_nothing_else() -> None:
    plain, mixed = make(4, 1), make(4, 1, region_shuffle=3)
    plain.reset(0)
    mixed.reset(0)
    a, b = plain.static()["fires"]["RedFire"], mixed.static()["fires"]["RedFire"]
    assert a["regions"] != b["regions"]
    assert {k: v for k, v in a.items() if k != "regions"} == {
        k: v for k, v in b.items() if k != "regions"
    }
    for n in (1, 2, 3):
        assert a["regions"][f"RedFire_Region_{n}"] == b["regions"][f"RedFire_Region_{n}"]


def test_seeds_are_whole_numbers() -> None:
    with pytest.raises(UsageError, match="whole number"):
        make(1, 1).reset("x")  # type: ignore[arg-type]


def test_clocks_stop_at_one_digit() -> None:
    world = make(1, 1)
    world.reset(0)
    for _ in range(160):
        world.step({"Alice": IDLE})
    clocks = world.snapshot()["world"]["clocks"]["GreatFire"]
    assert set(clocks) == {"z"}
