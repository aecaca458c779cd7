"""The PettingZoo face, and what is read back from traces."""

from __future__ import annotations

import numpy as np
import pytest

from mosaic_planner.core.action import Action
from mosaic_planner.core.errors import UsageError
from mosaic_planner.worlds.household import make
from mosaic_planner.worlds.household.truth import legend_lines, map_lines, true_positions

pytest.importorskip("pettingzoo")

from mosaic_planner.worlds.household.pettingzoo import FEATURES, MOST_NAMES, parallel_env


def test_pettingzoos_own_checks():
    from pettingzoo.test import parallel_api_test

    parallel_api_test(parallel_env(task=8, floorplan=1, steps=15), num_cycles=30)


def test_pettingzoos_seed_check():
    from pettingzoo.test import parallel_seed_test

    parallel_seed_test(lambda: parallel_env(task=3, floorplan=1, steps=6), num_cycles=6)


def test_actions_are_written_from_names():
    env = parallel_env(task=1, floorplan=1)
    seen, infos = env.reset(seed=1)
    names = infos["Alice"]["names"]
    forms = [str(env.written("Alice", (k, 0))) for k in range(env.action_space("Alice").nvec[0])]
    assert f"NavigateTo({names[0]})" in forms
    assert "Rotate(Left)" in forms
    assert "Idle" in forms
    assert env.written("Alice", (0, MOST_NAMES - 1)) == Action(
        "NavigateTo", (f"Nothing_{MOST_NAMES - 1}",)
    )
    with pytest.raises(UsageError, match="no action"):
        env.written("Alice", (999, 0))
    assert seen["Alice"]["things"].shape == (MOST_NAMES, len(FEATURES))
    assert seen["Alice"]["things"][0][FEATURES.index("known")] == 1.0
    assert infos["Alice"]["name_mask"].sum() == len(names)


def test_an_episode_ends_at_the_budget_and_renders():
    env = parallel_env(task=1, floorplan=1, steps=2, render_mode="rgb_array")
    env.reset(seed=0)
    idle = next(
        k
        for k in range(env.action_space("Alice").nvec[0])
        if str(env.written("Alice", (k, 0))) == "Idle"
    )
    for turn in (1, 2):
        _, rewards, ended, cut, infos = env.step(dict.fromkeys(env.agents, (idle, 0)))
        assert set(rewards.values()) == {0.0}
        assert not any(ended.values())
        assert all(cut.values()) == (turn == 2)
        assert infos["Alice"]["action"] == "Idle"
    assert env.agents == []
    picture = env.render()
    assert picture.dtype == np.uint8
    assert picture.ndim == 3
    with pytest.raises(UsageError, match="rgb_array"):
        parallel_env(render_mode="human")


def test_positions_and_map_come_from_the_trace():
    world = make(task=1, floorplan=1)
    world.step(dict.fromkeys(world.agents, Action("Explore")))
    snapshot, static = world.snapshot(), world.static()
    positions = true_positions(snapshot, static)
    assert set(world.agents) <= set(positions)
    assert set(world._stage.names.all()) <= set(positions)
    lines = map_lines(snapshot, static)
    text = "\n".join(lines)
    assert "1" in text
    assert "2" in text
    assert "F" in text
    legend = legend_lines(snapshot, static)
    assert any(line.startswith("F Fridge") for line in legend)
    assert any("Alice holds nothing; Explore()" in line for line in legend)
    assert "\x1b[" in "\n".join(map_lines(snapshot, static, colour=True))
