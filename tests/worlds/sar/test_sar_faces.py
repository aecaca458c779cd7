"""Maps, pictures, true positions, action masks and the PettingZoo environment."""

from __future__ import annotations

import json
import random
import re
import warnings
from typing import Any

import numpy as np
import pytest

from mosaic_planner.core.errors import UsageError
from mosaic_planner.worlds.sar import make
from mosaic_planner.worlds.sar.generator import generate
from mosaic_planner.worlds.sar.legal import possible
from mosaic_planner.worlds.sar.render import legend_lines, map_lines, picture
from mosaic_planner.worlds.sar.scene import scene_to_data
from mosaic_planner.worlds.sar.truth import true_positions


def test_the_map_shows_what_is_there(mission: Any) -> None:
    m = mission(1, 2, faithful=False)
    m.idle(10)
    snapshot, static = (json.loads(json.dumps(x)) for x in (m.world.snapshot(), m.world.static()))
    lines = map_lines(snapshot, static)
    assert len(lines) == 30
    assert {len(line) for line in lines} == {30}

    def at(x: int, y: int) -> str:
        return lines[y][x]

    assert (at(15, 5), at(18, 8), at(23, 12)) == ("S", "W", "D")
    assert (at(9, 7), at(17, 14), at(8, 22)) == ("a", "b", "?")
    assert (at(22, 18), at(21, 17), at(21, 16), at(0, 0)) == ("2", "1", ":", ".")
    m.put(0, (8, 20))
    m.do()
    lines = map_lines(m.world.snapshot(), static)
    assert (at(8, 22), at(8, 20), at(9, 7)) == ("!", "a", ".")


def test_colours_only_decorate(mission: Any) -> None:
    m = mission(4, 3)
    snapshot, static = m.world.snapshot(), m.world.static()
    painted = map_lines(snapshot, static, colour=True)
    assert painted != map_lines(snapshot, static)
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in painted]
    assert plain == map_lines(snapshot, static)
    assert all(line.endswith("\x1b[0m") for line in painted)


def test_large_grids_shrink_and_lose_no_agent() -> None:
    world = make(scene_to_data(generate(100, 3, 3, 2)), 5)
    world.reset(0)
    lines = map_lines(world.snapshot(), world.static(), widest=50)
    assert len(lines) == 50
    assert {len(line) for line in lines} == {50}
    text = "".join(lines)
    assert all(letter in text for letter in "abcde")
    assert len(map_lines(world.snapshot(), world.static(), widest=200)) == 100


def test_the_legend_tells_cells_and_inventories(mission: Any) -> None:
    m = mission(1, 2)
    m.do("GetSupply(ReservoirUtah)")
    lines = legend_lines(m.world.snapshot(), m.world.static())
    assert "a Alice (9, 7) Sand 0, Water 0, Person 0  GetSupply(ReservoirUtah) (failed)" in lines


def test_the_picture_has_a_square_per_cell(mission: Any) -> None:
    m = mission(1, 2)
    snapshot, static = m.world.snapshot(), m.world.static()
    image = picture(snapshot, static, cell=10)
    assert image.shape == (300, 300, 3)
    assert image.dtype == np.uint8

    def middle(x: int, y: int) -> tuple[int, ...]:
        return tuple(int(v) for v in image[y * 10 + 5, x * 10 + 5])

    empty, alice, bob = middle(0, 0), middle(9, 7), middle(17, 14)
    assert len({empty, alice, bob, middle(15, 5), middle(18, 8), middle(23, 12)}) == 6
    m.do("Move(Up)")
    after = picture(m.world.snapshot(), static, cell=10)
    assert tuple(int(v) for v in after[7 * 10 + 5, 9 * 10 + 5]) == empty


def test_true_positions_agree_with_sightings(mission: Any) -> None:
    m = mission(5, 3, faithful=False)
    m.idle(12)
    m.spot()
    m.do("NavigateTo(LostPersonZoe)")
    truth = true_positions(json.loads(json.dumps(m.world.snapshot())), m.world.static())
    for seen in m.seen.values():
        assert truth[seen.agent] == (seen.pose.x, seen.pose.z)
        for s in seen.sightings:
            assert truth[s.name] == seen.pose.to_world(s.offset)
    assert "LostPersonZoe" in truth


def test_masks_tell_exactly_what_would_succeed_alone(mission: Any) -> None:
    """Against carrying each action out on a copy of the world with the others idle."""
    checked = [0, 0]
    for number in (1, 4, 5):
        rng = random.Random(number)
        m = mission(number, 3, seed=number, faithful=False)
        actions = m.world.ground_actions()
        good = ("NavigateTo", "GetSupply", "Carry", "UseSupply", "DropOff", "StoreSupply")
        useful = [str(a) for a in actions if a.verb in good]
        for step in range(60):
            if step == 20:
                m.spot()
            m.do(*[rng.choice(useful) for _ in range(3)])
            if step % 3:
                continue
            state = m.state
            for action in rng.sample(actions, 12):
                command = state.command(action)
                expected = possible(state, 0, command)
                act = m.alone(0, command.text)
                if command.verb == "Explore" or (command.verb == "DropOff" and expected):
                    continue
                assert act.raw is expected, (number, step, str(action), act.reason)
                checked[expected] += 1
    assert min(checked) > 100


# PettingZoo.

pettingzoo = pytest.importorskip("pettingzoo")


def environment(**options: Any) -> Any:
    from mosaic_planner.worlds.sar.pettingzoo import parallel_env

    return parallel_env(**options)


@pytest.mark.parametrize(
    "options",
    [{}, {"scene": 4, "agents": 5}, {"scene": 5, "agents": 1, "faithful": True}],
)
def test_the_real_api_test_passes(options: dict[str, Any]) -> None:
    from pettingzoo.test import parallel_api_test

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(environment(**options), num_cycles=200)


def test_the_real_seed_test_passes() -> None:
    from pettingzoo.test import parallel_seed_test

    parallel_seed_test(lambda: environment(scene=2, agents=3))


def play(env: Any, seed: int, steps: int = 40) -> list[Any]:
    rng = random.Random(seed)
    record: list[Any] = list(env.reset(seed=seed))
    while env.agents and steps:
        steps -= 1
        infos = record[-1]
        actions = {
            a: rng.choice(np.flatnonzero(infos[a]["action_mask"]).tolist()) for a in env.agents
        }
        record.extend(env.step(actions))
    return record


def test_episodes_repeat_and_observations_fit_their_space() -> None:
    from gymnasium.utils.env_checker import data_equivalence

    env = environment(scene=1, agents=4)
    first, again = play(env, 3), play(environment(scene=1, agents=4), 3)
    assert data_equivalence(first, again)
    for seen in [first[0], *first[2::5]]:
        for agent, value in seen.items():
            assert env.observation_space(agent).contains(value)


def test_masked_in_actions_succeed_when_alone() -> None:
    env = environment(scene=1, agents=1, step_budget=60)
    rng = random.Random(0)
    _, infos = env.reset(seed=1)
    tried = 0
    while env.agents:
        mask = infos["Alice"]["action_mask"]
        assert mask.dtype == np.int8
        assert mask.shape == (env.action_space("Alice").n,)
        number = rng.choice(np.flatnonzero(mask).tolist())
        _, _, _, truncated, infos = env.step({"Alice": number})
        if not infos["Alice"]["action"].startswith("Explore"):
            assert infos["Alice"]["success"], infos["Alice"]
        tried += 1
    assert tried == 60
    assert truncated == {"Alice": True}


def test_the_action_list_holds_every_region_any_seed_can_have() -> None:
    for number in (1, 2, 3, 4, 5):
        env = environment(scene=number, agents=2)
        listed = {str(env.written(n)) for n in range(env.action_space("Alice").n)}
        for seed in range(40):
            env.reset(seed=seed)
            assert listed.issuperset(map(str, env.world.ground_actions()))


def test_success_terminates_with_rewards_that_add_up() -> None:
    env = environment(scene=4, agents=2)
    env.reset(seed=0)
    names = [str(env.written(n)) for n in range(env.action_space("Alice").n)]
    state = env.world.state
    for person in state.persons:
        person.spotted = True
    total = 0.0

    def both(text: str) -> Any:
        nonlocal total
        result = env.step(dict.fromkeys(env.agents, names.index(text)))
        total += result[1]["Alice"]
        return result

    person = "LostPersonThomas"
    for text in (f"NavigateTo({person})", f"Carry({person})", "NavigateTo(DepositFacility)"):
        both(text)
    both(f"DropOff(DepositFacility, {person})")
    both("NavigateTo(ReservoirTaj)")
    both("GetSupply(ReservoirTaj)")
    both("NavigateTo(RedFire)")
    fire = state.fires[0]
    for _ in range(60):
        for agent in range(2):
            state.held[agent] = [3, 0]
            burning = [
                c
                for c, level in zip(fire.cells, fire.levels, strict=True)
                if level
                and not state.blocked[c]
                and state.distance2(c, fire.anchor) <= fire.reach**2
            ]
            if burning:
                state.go(agent, burning[-agent])
        _, _, terminated, truncated, _ = both("UseSupply(RedFire, Sand)")
        if not env.agents:
            break
    assert terminated == {"Alice": True, "Bob": True}
    assert truncated == {"Alice": False, "Bob": False}
    assert total == pytest.approx(1.0)
    assert env.step({}) == ({}, {}, {}, {}, {})


def test_render_modes() -> None:
    text = environment(render_mode="ansi")
    text.reset(seed=0)
    assert text.render().splitlines()[5][15] == "S"
    image = environment(render_mode="rgb_array")
    image.reset(seed=0)
    assert image.render().shape == (360, 360, 3)
    silent = environment()
    silent.reset(seed=0)
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert silent.render() is None
    assert silent.metadata["name"] == "sar-v1"
    assert set(silent.metadata["render_modes"]) == {"ansi", "rgb_array"}


def test_misuse_of_the_environment() -> None:
    with pytest.raises(UsageError, match="render_mode"):
        environment(render_mode="human")
    env = environment()
    env.reset()
    with pytest.raises(UsageError, match="no action 10000; actions are 0 to"):
        env.step({"Alice": 10_000})


def test_without_the_extra_the_message_is_the_install_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import importlib
    import sys

    from mosaic_planner.core.errors import MissingExtraError

    modules = ["mosaic_planner.worlds.sar.pettingzoo", "mosaic_planner.worlds.parallel"]
    kept = {name: sys.modules.pop(name) for name in modules if name in sys.modules}
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    try:
        with pytest.raises(MissingExtraError, match=r"mosaic-planner\[pettingzoo\]"):
            importlib.import_module(modules[0])
    finally:
        sys.modules.update(kept)
