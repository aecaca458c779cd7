"""Every planner with the stand-in in search and rescue, end to end."""

from __future__ import annotations

import pytest

from mosaic_planner.episode import Episode, run_episode


def run(planner: str, scene: int, agents: int = 3, model: str = "standin:careful") -> Episode:
    return run_episode(
        world="sar", scene=scene, agents=agents, planner=planner, model=model, seed=0, steps=100
    )


@pytest.mark.parametrize("scene", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("planner", ["llamar+mosaic", "llamar", "react"])
def test_careful_team_finishes_every_mission(planner: str, scene: int) -> None:
    metrics = run(planner, scene).metrics
    assert metrics.success
    assert metrics.transport_rate == 1.0


@pytest.mark.parametrize("planner", ["act+asm", "cot", "coela", "coela+mosaic", "smartllm",
                                     "smartllm+ilp"])  # fmt: skip
@pytest.mark.parametrize("scene", [1, 5])
def test_other_planners_finish_too(planner: str, scene: int) -> None:
    assert run(planner, scene).metrics.success


@pytest.mark.parametrize("agents", [1, 2, 5])
@pytest.mark.parametrize("planner", ["llamar", "react", "act", "cot", "coela", "smartllm"])
def test_calls_per_step_are_as_documented(planner: str, agents: int) -> None:
    episode = run_episode(
        world="sar", scene=1, agents=agents, planner=planner, model="standin:careful", steps=3
    )
    calls, steps = episode.metrics.llm_calls, episode.metrics.planning_steps
    assert steps == 3
    expected = {
        "llamar": 1 + 3 * steps,  # rule R2
        "coela": 2 * agents * steps,  # rule R29
        "smartllm": 3,  # rule R30: no new plan while everything works
    }
    assert calls == expected.get(planner, steps)


@pytest.mark.parametrize("planner", ["llamar+mosaic", "cot", "coela+ilp", "smartllm+asm"])
def test_a_model_that_errs_never_stops_the_episode(planner: str) -> None:
    episode = run_episode(
        world="sar", scene=3, agents=4, planner=planner, model="standin:weak", steps=15
    )
    assert episode.trace.complete
    assert episode.metrics.end in ("success", "step_budget")
