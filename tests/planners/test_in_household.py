"""LLaMAR's Explore variant in a real household: pictures reach the model, one robot explores."""

from __future__ import annotations

from typing import Any

import pytest

from mosaic_planner import Episode, run_episode


def explorers(episode: Episode) -> list[int]:
    """How many robots explored, by step."""
    return [
        sum(o["action"] == "Explore()" for o in event["agents"].values())
        for event in episode.trace.of("outcome")
    ]


def household(**changes: Any) -> Episode:
    settings: dict[str, Any] = {
        "world": "household",
        "planner": "llamar",
        "agents": 3,
        "steps": 3,
        "model": "standin:careful",
    }
    return run_episode(**settings | changes)


def test_one_explorer_per_step_in_the_variant_only() -> None:
    # rule R23; rule R18 without Explore at all
    assert max(explorers(household())) > 1
    variant = household(planner_options={"explore": "one"})
    assert set(explorers(variant)) == {1}
    off = household(planner_options={"explore": "off"})
    assert set(explorers(off)) == {0}
    assert off.metrics.end == "step_budget"


@pytest.mark.parametrize("planner", ["llamar", "act", "coela"])
def test_every_robots_view_is_passed_where_the_world_has_it(planner: str) -> None:
    # rules R17, R25, R29: all views in a call for the team, one's own in a robot's call
    episode = household(planner=planner, steps=1, world_options={"images": True})
    calls = [event["messages"][1].get("images", 0) for event in episode.trace.of("call")]
    assert set(calls) == ({1} if planner == "coela" else {3})
    blind = household(planner=planner, steps=1)
    assert not any("images" in event["messages"][1] for event in blind.trace.of("call"))
