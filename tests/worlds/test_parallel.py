"""Mistakes of callers of the PettingZoo faces: one clear error, and nothing has happened."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mosaic_planner.core.errors import UsageError

pytest.importorskip("pettingzoo")

from gymnasium import error
from gymnasium.utils.env_checker import data_equivalence

from mosaic_planner.worlds.household.pettingzoo import parallel_env as household_env
from mosaic_planner.worlds.parallel import InvalidAction, ResetNeeded, whole
from mosaic_planner.worlds.sar.pettingzoo import parallel_env as sar_env

ENVIRONMENTS = {
    "sar": lambda **options: sar_env(scene=1, agents=2, step_budget=3, **options),
    "household": lambda **options: household_env(task=1, floorplan=1, steps=3, **options),
}


@pytest.fixture(params=ENVIRONMENTS)
def make(request: pytest.FixtureRequest) -> Callable[..., Any]:
    return ENVIRONMENTS[request.param]


def test_nothing_goes_before_reset(make: Callable[..., Any]) -> None:
    env = make(render_mode="rgb_array")
    for call in (lambda: env.step({}), lambda: env.step({"Alice": 0}), env.render):
        with pytest.raises(ResetNeeded, match=r"reset\(\) needs to be called before") as caught:
            call()
        assert isinstance(caught.value, UsageError)
        assert isinstance(caught.value, error.ResetNeeded)
    env.reset(seed=0)
    assert env.render().dtype == np.uint8


@pytest.mark.parametrize(
    ("actions", "words"),
    [
        ({"Alice": "x"}, "not 'x'"),
        ({"Alice": None}, "not None"),
        ({"Alice": 1.5}, "not 1.5"),
        ({"Alice": True}, "not True"),
        ({"Alice": [1, 2, 3]}, r"not \[1, 2, 3\]"),
        ({"Alice": ("x", 0)}, "not "),
        ({"Zed": 0}, "no agent 'Zed' in this environment; agents are Alice, Bob"),
        ([0, 0], r"a mapping, not \[0, 0\]"),
        (None, "a mapping, not None"),
    ],
)
def test_what_is_no_action_is_refused_and_nothing_happens(
    make: Callable[..., Any], actions: Any, words: str
) -> None:
    env, other = make(), make()
    assert data_equivalence(env.reset(seed=4), other.reset(seed=4))
    with pytest.raises(InvalidAction, match=words) as caught:
        env.step(actions)
    assert isinstance(caught.value, error.InvalidAction)
    assert "\n" not in str(caught.value)
    assert data_equivalence(env.step({}), other.step({}))


def test_actions_out_of_range_are_refused(make: Callable[..., Any]) -> None:
    env = make()
    env.reset(seed=0)
    space = env.action_space("Alice")
    most = space.nvec if hasattr(space, "nvec") else space.n
    for wrong in (most, most - most - 1):
        with pytest.raises(InvalidAction, match="no action"):
            env.step({"Alice": wrong})


def test_spaces_are_of_agents_of_the_team(make: Callable[..., Any]) -> None:
    env = make()
    for space in (env.action_space, env.observation_space):
        assert space("Bob") is space("Bob")
        with pytest.raises(UsageError, match="no agent 'Zed'"):
            space("Zed")


def test_after_the_end_a_step_gives_nothing_and_does_nothing(make: Callable[..., Any]) -> None:
    env = make()
    env.reset(seed=0)
    for _ in range(3):
        env.step({})
    assert env.agents == []
    before = env.world.snapshot()
    assert env.step({}) == ({}, {}, {}, {}, {})
    assert env.world.snapshot() == before


def test_seeds_are_whole_numbers_of_any_kind(make: Callable[..., Any]) -> None:
    assert data_equivalence(make().reset(seed=np.int64(3)), make().reset(seed=3))
    for wrong in ("3", 3.0, True):
        with pytest.raises(UsageError, match="a seed is a whole number"):
            make().reset(seed=wrong)


def test_without_a_render_mode_nothing_is_shown_and_a_warning_says_so(
    make: Callable[..., Any],
) -> None:
    env = make()
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="without a render_mode; make it with .*'rgb_array'"):
        assert env.render() is None
    with pytest.raises(UsageError, match="render_mode 'human' is none of"):
        make(render_mode="human")


def test_whole_numbers() -> None:
    assert whole(np.int8(3), "a number") == 3
    assert type(whole(np.array(3), "a number")) is int
    with pytest.raises(UsageError, match=r"a number is a whole number, not 3\.0"):
        whole(3.0, "a number", UsageError)
