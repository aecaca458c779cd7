"""Safe actions and the worth of actions, from beliefs."""

from __future__ import annotations

import random
from typing import Any

import pytest
from sar_beliefs import TIMMY, beliefs_of, look, play, profile, suggested

from mosaic_planner.core.action import IDLE, Action
from mosaic_planner.memory.asm import AgentCentricMemory
from mosaic_planner.memory.current import CurrentObservationMemory


def test_idle_comes_last_and_everything_before_is_eligible(mission: Any) -> None:
    for number in (1, 2, 3, 4, 5):
        m = mission(number, 4, seed=number, faithful=False)
        rng = random.Random(number)
        actions = list(m.world.ground_actions())
        for _ in range(25):
            beliefs = beliefs_of(m)
            for name in m.world.agents:
                safe = m.world.rules.fallbacks(name, beliefs)
                assert safe[-1].action == IDLE
                assert [c.rank for c in safe] == list(range(len(safe)))
                assert len({c.action for c in safe}) == len(safe)
                for candidate in safe:
                    assert candidate.source == "safe"
                    assert candidate.why
                    assert m.world.rules.profile(name, candidate.action, beliefs).eligible
            m.do(*play(m, rng, actions, beliefs))


def test_safe_actions_fit_the_situation(mission: Any) -> None:
    m = mission(1, 3, faithful=False)
    assert suggested(m, "Alice")[0] == "NavigateTo(ReservoirUtah)"
    assert "Explore()" in suggested(m, "Alice")
    m.do("NavigateTo(ReservoirUtah)")
    assert suggested(m, "Alice")[0] == "GetSupply(ReservoirUtah)"
    for _ in range(3):
        m.do("GetSupply(ReservoirUtah)")
    assert suggested(m, "Alice")[0].startswith("NavigateTo(CaldorFire_Region_")
    m.do("NavigateTo(CaldorFire_Region_1)")
    assert suggested(m, "Alice")[0] == "UseSupply(CaldorFire, Sand)"
    m.put(1, (8, 20))
    m.do("Idle", f"Carry({TIMMY})")
    assert suggested(m, "Bob")[0] == "NavigateTo(DepositFacility)"
    assert suggested(m, "Charlie")[0] == f"NavigateTo({TIMMY})"
    m.do("Idle", "Idle", f"NavigateTo({TIMMY})")
    assert suggested(m, "Charlie")[0] == f"Carry({TIMMY})"
    m.do("Idle", "Idle", f"Carry({TIMMY})")
    m.do("Idle", "NavigateTo(DepositFacility)", "NavigateTo(DepositFacility)")
    drop = f"DropOff(DepositFacility, {TIMMY})"
    assert suggested(m, "Bob")[0] == suggested(m, "Charlie")[0] == drop


def test_going_there_by_name_is_a_piece_of_the_mission(mission: Any) -> None:
    """Rule K10: whoever stands next to a thing already has to go there all the same, once."""
    m = mission(1, 2, faithful=False)
    m.put(0, (8, 21))
    m.put(1, (8, 23))
    look(m)
    m.do()
    assert TIMMY in dict(m.seen["Alice"].local)["unvisited"]
    assert f"Carry({TIMMY})" not in suggested(m, "Alice")
    go, take = f"NavigateTo({TIMMY})", f"Carry({TIMMY})"
    assert go in suggested(m, "Alice")
    assert profile(m, "Alice", go).progress > 0 > profile(m, "Alice", take).progress
    m.do(go)
    assert TIMMY not in dict(m.seen["Bob"].local)["unvisited"]
    assert suggested(m, "Alice")[0] == suggested(m, "Bob")[0] == take
    assert profile(m, "Alice", take).progress > profile(m, "Alice", go).progress
    assert "unvisited" not in m.seen["Alice"].text  # what a model reads is the reference's


@pytest.mark.parametrize("number", [1, 4, 5])
def test_the_team_knows_where_it_has_gone_from_its_own_actions_alone(
    mission: Any, number: int
) -> None:
    """What is called unvisited agrees with the subtasks, which only the score knows (K10)."""
    m = mission(number, 3, seed=number, faithful=False)
    rng = random.Random(number)
    m.spot()
    going = [str(a) for a in m.world.ground_actions() if a.verb == "NavigateTo"]
    lengths = set()
    for _ in range(40):
        m.do(*[rng.choice([*going, "Explore()", "NavigateTo(Nobody)"]) for _ in range(3)])
        said = dict(m.seen["Bob"].local).get("unvisited", "")
        open_ = set(m.world.static()["subtasks"]) - set(m.world.score().completed)
        names = sorted(s[len("NavigateTo(") : -1] for s in open_ if s.startswith("NavigateTo("))
        assert said == ", ".join(names)
        lengths.add(len(names))
    assert {0} < lengths


def test_idling_is_right_for_whom_the_mission_does_not_need(mission: Any) -> None:
    m = mission(1, 4, faithful=False)
    assert not profile(m, "Alice", "Idle").done
    for number, fire in enumerate(m.state.fires):
        fire.reduce([index for f, index in m.state.flammable.values() if f == number])
    m.put(0, (8, 21))
    m.put(1, (8, 23))
    m.do()
    m.world._observer._unvisited.clear()
    look(m)
    done = [profile(m, name, "Idle").done for name in m.world.agents]
    assert done == [False, False, True, True]  # Timmy needs two, and two are next to him


def test_going_to_a_person_is_worth_something_to_those_who_are_wanted_there(mission: Any) -> None:
    """Not to a third one where two carry, nor to one who would leave somebody else waiting."""
    m = mission(5, 3, faithful=False)
    jacob, zoe = "LostPersonJacob", "LostPersonZoe"
    m.spot()
    m.world._observer._unvisited.clear()
    look(m)

    def worth(agent: str, name: str) -> float:
        return profile(m, agent, f"NavigateTo({name})").progress

    assert [worth(a, jacob) for a in m.world.agents] == [0.5] * 3
    m.do(f"NavigateTo({jacob})")
    assert worth("Bob", jacob) == 0.5
    assert worth("Alice", zoe) == 0.05  # what she gains there is lost here
    m.do("Idle", f"NavigateTo({jacob})")
    assert worth("Charlie", jacob) == 0.05
    assert worth("Charlie", zoe) == 0.5


def test_a_team_too_small_is_not_told_to_carry(mission: Any) -> None:
    """Notes 2.14: holding on would only bind the robot."""
    m = mission(1, 1, faithful=False)
    m.put(0, (8, 20))
    look(m)
    assert not [t for t in suggested(m, "Alice") if t.startswith("Carry")]


def test_idlers_step_aside_from_where_others_land(mission: Any) -> None:
    m = mission(1, 2, faithful=False)
    m.put(0, (23, 11))
    look(m)
    moves = [t for t in suggested(m, "Alice") if t.startswith("Move")]
    assert moves
    m.put(0, (12, 20))
    look(m)
    assert not [t for t in suggested(m, "Alice") if t.startswith("Move")]


def test_safe_actions_alone_finish_missions(mission: Any) -> None:
    """Without any model, the first safe action of each agent brings a team of three far."""
    for number in (1, 3, 5):
        m = mission(number, 3, seed=1, faithful=False)
        for _ in range(100):
            beliefs = beliefs_of(m)
            firsts = [m.world.rules.fallbacks(a, beliefs)[0] for a in m.world.agents]
            m.do(*[str(c.action) for c in firsts])
            if m.world.finished:
                break
        score = m.world.score()
        assert len(score.completed) / score.total > 0.8, (number, score.completed)


@pytest.mark.parametrize("remember", [False, True])
def test_noisy_beliefs_never_raise(mission: Any, remember: bool) -> None:
    """Missed, confused and invented things, wrong distances: profiles stay values."""
    from mosaic_planner.worlds.noise import NoisyWorld

    m = mission(5, 3, faithful=False)
    noisy = NoisyWorld(m.world, "high", seed=1)
    w = m.world
    memory_type = AgentCentricMemory if remember else CurrentObservationMemory
    memory = memory_type(w.agents, w.geometry, w.briefing, w.vocabulary)
    seen = noisy.reset(2)
    m.spot()
    memory.update(seen, {})
    rng = random.Random(1)
    eligible = 0
    for _ in range(40):
        beliefs = memory.beliefs()
        invented = [Action("NavigateTo", (n,)) for o in seen.values() for n in o.names]
        for agent in w.agents:
            for action in rng.sample([*w.ground_actions(), *invented], 25):
                found = w.rules.profile(agent, action, beliefs)
                assert 0.0 <= found.failure <= 1.0
                assert -1.0 <= found.progress <= 1.0
                assert found.eligible or found.reason
                eligible += found.eligible
            assert w.rules.fallbacks(agent, beliefs)[-1].action == IDLE
        joint = {a: w.rules.fallbacks(a, beliefs)[0].action for a in w.agents}
        result = noisy.step(joint)
        seen = result.observations
        for observation in seen.values():
            x, y = round(observation.pose.x), round(-observation.pose.z)
            assert observation.state_text.startswith(f"position ({x}, {y}, 0); inventory Sand ")
        memory.update(seen, result.outcomes)
    assert eligible > 100
