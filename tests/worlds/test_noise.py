"""The noise wrapper: the figures of appendix D.4, and that it touches nothing but perception."""

from __future__ import annotations

import math
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from mosaic_planner.core.action import IDLE, Action
from mosaic_planner.core.errors import UnknownNameError
from mosaic_planner.core.geometry import Offset, Pose
from mosaic_planner.core.noise import NOISE_REGIMES, NoiseRegime
from mosaic_planner.core.observation import Observation, Sighting, StepResult
from mosaic_planner.core.world import Geometry
from mosaic_planner.worlds.noise import NoisyWorld, reworded
from mosaic_planner.worlds.registry import PlannableWorld, make_world

EXPLORE = Action("Explore")


def sar(agents: int = 3) -> PlannableWorld:
    return make_world("sar", scene=1, agents=agents)


def run(world: NoisyWorld, steps: int, seed: int = 0) -> list[dict[str, Observation]]:
    seen = [dict(world.reset(seed))]
    for _ in range(steps):
        seen.append(dict(world.step(dict.fromkeys(world.agents, EXPLORE)).observations))
    return seen


class Still:
    """A world in which one agent sees the same forty things, and a mate, for ever."""

    agents = ("Alice", "Bob")
    geometry = Geometry(2.0, headings=False)

    def __init__(self) -> None:
        things = [
            Sighting(f"Kind{i % 8}_{i}", f"Kind{i % 8}", Offset(1.0 + i, 20.0 - i))
            for i in range(40)
        ]
        mate = Sighting("Bob", "agent", Offset(3.0, 0.0))
        self.view = Observation("Alice", 0, Pose(5.0, 7.0), (), (*things, mate), (), "")

    def reset(self, seed: int) -> dict[str, Observation]:
        return {"Alice": self.view}

    def step(self, joint: object) -> StepResult:
        return StepResult({"Alice": self.view})


def both(regime: NoiseRegime, views: int = 400) -> Iterator[tuple[Observation, Observation]]:
    """Views of the same true state, without and with noise."""
    world = NoisyWorld(Still(), regime)  # type: ignore[arg-type]
    world.reset(0)
    for _ in range(views):
        yield world.world.step({}).observations["Alice"], world.step({}).observations["Alice"]


@pytest.mark.parametrize("name", ["low", "medium", "high"])
def test_spreads_are_those_of_the_table(name: str) -> None:
    figures = NOISE_REGIMES[name]
    only = NoiseRegime("only", figures.position_sigma, figures.rotation_sigma_deg)
    only = replace(only, distance_error=figures.distance_error)
    pose_errors: list[float] = []
    turns: list[float] = []
    shares: list[float] = []
    for true, seen in both(only, 1500):
        pose_errors += [(seen.pose.x - true.pose.x) / 2.0, (seen.pose.z - true.pose.z) / 2.0]
        off = [
            (b.offset.bearing_deg - a.offset.bearing_deg + 180.0) % 360.0 - 180.0
            for a, b in zip(true.sightings, seen.sightings, strict=True)
        ]
        turns.append(off[0])
        assert max(off) - min(off) < 1e-9  # one error of rotation per view
        shares += [
            b.offset.length / a.offset.length - 1.0
            for a, b in zip(true.sightings, seen.sightings, strict=True)
        ]
    assert statistics.pstdev(pose_errors) == pytest.approx(figures.position_sigma, rel=0.06)
    assert statistics.pstdev(turns) == pytest.approx(figures.rotation_sigma_deg, rel=0.08)
    assert statistics.pstdev(shares) == pytest.approx(figures.distance_error, rel=0.05)
    for errors in (pose_errors, turns, shares):
        assert abs(statistics.fmean(errors)) < 0.15 * statistics.pstdev(errors)


@pytest.mark.parametrize("name", ["low", "medium", "high"])
def test_rates_are_those_of_the_table(name: str) -> None:
    figures = NOISE_REGIMES[name]

    def close(count: int, of: int, rate: float) -> bool:
        """Within four standard errors."""
        return abs(count / of - rate) <= 4.0 * math.sqrt(rate * (1.0 - rate) / of)

    total = sum(len(true.sightings) for true, _ in both(NoiseRegime("none")))
    missed = sum(
        len(true.sightings) - len(seen.sightings)
        for true, seen in both(NoiseRegime("misses", miss=figures.miss))
    )
    assert close(missed, total, figures.miss)
    added = sum(
        len(seen.sightings) - len(true.sightings)
        for true, seen in both(NoiseRegime("false", false_positive=figures.false_positive))
    )
    assert close(added, total, figures.false_positive)
    things = confused = 0
    for true, seen in both(NoiseRegime("wrong", wrong_class=figures.wrong_class)):
        for a, b in zip(true.sightings, seen.sightings, strict=True):
            if a.kind == "agent":
                assert a == b
                continue
            things += 1
            assert a.offset == b.offset
            assert (a.name == b.name) == (a.kind == b.kind)
            confused += a.kind != b.kind
    assert close(confused, things, figures.wrong_class)


def run_plain(world: PlannableWorld, steps: int, seed: int) -> list[dict[str, Observation]]:
    seen = [dict(world.reset(seed))]
    for _ in range(steps):
        seen.append(dict(world.step(dict.fromkeys(world.agents, EXPLORE)).observations))
    return seen


def test_the_wrapped_world_runs_as_it_would_alone() -> None:
    plain, noisy = sar(), NoisyWorld(sar(), "high", seed=5)
    plain.reset(3)
    noisy.reset(3)
    for _ in range(40):
        joint = dict.fromkeys(plain.agents, EXPLORE)
        a, b = plain.step(joint), noisy.step(joint)
        assert plain.snapshot()["agents"] == noisy.snapshot()["agents"]
        assert plain.score() == noisy.score()
        assert a.outcomes == b.outcomes
        for agent in plain.agents:
            before, after = a.observations[agent], b.observations[agent]
            assert before.inventory == after.inventory
            assert before.feedback == after.feedback
            assert before.local == after.local


def test_same_seed_same_errors_other_seed_other_errors() -> None:
    first = run(NoisyWorld(sar(), "high", seed=1), 20)
    assert run(NoisyWorld(sar(), "high", seed=1), 20) == first
    assert run(NoisyWorld(sar(), "high", seed=2), 20) != first
    assert run(NoisyWorld(sar(), "high", seed=1), 20, seed=1) != first
    again = NoisyWorld(sar(), "high", seed=1)
    run(again, 7, seed=9)
    assert run(again, 20) == first  # a reset starts the errors afresh


def test_same_errors_in_another_process_with_another_hash_seed() -> None:
    program = (
        "from mosaic_planner.worlds.noise import NoisyWorld\n"
        "from mosaic_planner.worlds.registry import make_world\n"
        "from mosaic_planner.core.action import Action\n"
        "w = NoisyWorld(make_world('sar', scene=1, agents=3), 'high', seed=4)\n"
        "print(w.reset(0))\n"
        "for _ in range(10):\n"
        "    r = w.step(dict.fromkeys(w.agents, Action('Explore')))\n"
        "    print(r.observations)\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(outputs) == 1


def test_no_noise_changes_nothing() -> None:
    plain, quiet = sar(), NoisyWorld(sar(), "none")
    assert run_plain(plain, 15, 0) == run(quiet, 15)


def test_text_and_names_say_what_the_sightings_say() -> None:
    for seed in range(6):
        for step in run(NoisyWorld(sar(), "high", seed=seed), 40):
            for agent, seen in step.items():
                lines = [x[2:].partition(" (")[0] for x in seen.text.splitlines() if x[:2] == "- "]
                assert sorted(lines) == sorted(s.name for s in seen.sightings)
                assert set(seen.names) == {s.name for s in seen.sightings}
                listed = seen.text.splitlines()[-1].removeprefix("Names: ").split(", ")
                fires = {s.name for s in seen.sightings if s.kind == "fire"}
                assert set(listed) - {""} == set(seen.names) - fires, (seed, agent)


def test_invented_names_look_real_and_fail_in_the_world() -> None:
    tried = 0
    for seed in range(10):
        truth = sar()
        truth.reset(0)
        world = NoisyWorld(sar(), "high", seed=seed)
        seen = world.reset(0)
        for _ in range(15):
            known = {
                s.name
                for o in truth.step(dict.fromkeys(truth.agents, IDLE)).observations.values()
                for s in o.sightings
            }
            invented = [
                (agent, s)
                for agent, o in seen.items()
                for s in o.sightings
                if s.name not in known and s.name not in world.agents
            ]
            joint = dict.fromkeys(world.agents, IDLE)
            for agent, sighting in invented:
                kinds = {k.name for k in world.vocabulary.kinds}
                assert sighting.kind in kinds
                joint[agent] = Action("NavigateTo", (sighting.name,))
            result = world.step(joint)
            for agent, _ in invented:
                tried += 1
                assert not result.outcomes[agent].success
                assert result.outcomes[agent].error_kind == "not_visible"
            seen = result.observations
    assert tried > 20


def test_errors_of_one_kind_do_not_move_those_of_another() -> None:
    """The same number of draws for every sighting, whatever becomes of it."""
    few = NoiseRegime("few", position_sigma=0.5, distance_error=0.1)
    more = NoiseRegime("more", position_sigma=0.5, distance_error=0.1, miss=0.5)
    first, second = run(NoisyWorld(sar(), few), 5), run(NoisyWorld(sar(), more), 5)
    for a, b in zip(first, second, strict=True):
        for agent, seen in b.items():
            whole = {s.name: s for s in a[agent].sightings}
            assert seen.pose == a[agent].pose
            assert 0 < len(seen.sightings) < len(whole)
            assert all(whole[s.name] == s for s in seen.sightings)


def test_settings_say_so_and_unknown_regimes_are_refused() -> None:
    world = NoisyWorld(sar(), "low", seed=7)
    assert world.settings()["noise"] == "low"
    assert world.settings()["noise_seed"] == 7
    assert world.world_id == "sar-v1"
    with pytest.raises(UnknownNameError, match="noise regime 'hihg': did you mean 'high'"):
        NoisyWorld(sar(), "hihg")


def test_a_text_in_another_layout_stays_as_it_is() -> None:
    sighting = Sighting("Apple_1", "Apple", sar().reset(0)["Alice"].sightings[0].offset)
    true = Observation("A", 0, sar().reset(0)["Alice"].pose, (), (sighting,), ("Apple_1",), "I see")
    gone = reworded(true, [])
    assert gone.text == "I see"
    assert gone.names == ()


class WordingWorld:
    """A world that words its own observations; everything else is SAR's."""

    def __init__(self) -> None:
        self.inner = sar()

    def __getattr__(self, name: str) -> object:
        return getattr(self.inner, name)

    def word_observation(self, observation: Observation) -> Observation:
        return replace(observation, state_text=f"at {observation.pose.x:.1f}")


def test_a_world_may_word_noisy_observations_itself() -> None:
    noisy = NoisyWorld(WordingWorld(), "high")  # type: ignore[arg-type]
    seen = noisy.reset(0)["Alice"]
    assert seen.state_text == f"at {seen.pose.x:.1f}"
    assert not math.isclose(seen.pose.x, sar().reset(0)["Alice"].pose.x)
