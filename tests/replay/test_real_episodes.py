"""Pages of episodes that were really run: every method's trace can be shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from replay_traces import household_trace

from mosaic_planner import run_episode
from mosaic_planner.coordination.explain import explain_event
from mosaic_planner.replay import notebook_html
from mosaic_planner.replay.parting import find_parting
from mosaic_planner.replay.payload import episode_payload


@pytest.mark.parametrize("planner", ["llamar+mosaic", "react", "coela", "smartllm"])
def test_a_real_episode_is_shown_as_it_was(
    planner: str,
    unpack: Callable[[str], Any],
    moments_of: Callable[[Any, str], list[Any]],
) -> None:
    episode = run_episode(scene=2, agents=3, planner=planner, steps=8, seed=3)
    trace = episode.trace
    payload = episode_payload(trace)
    core = unpack(payload.core)
    assert core["metrics"] == episode.metrics.as_dict()
    assert core["series"]["figures"]["llm_calls"][-1] == episode.metrics.llm_calls
    assert core["series"]["figures"]["runtime_s"][-1] == pytest.approx(episode.metrics.runtime_s)
    details = moments_of(payload.details, "b")
    frames = moments_of(payload.frames, "apl")
    for event in trace.of("assignment"):
        moment = core["steps"].index(event["step"])
        for agent in trace.header["agents"]:
            words = [details[moment]["texts"][n] for n in details[moment]["why"][agent]]
            assert words == explain_event(event, agent)
    for event in trace.of("snapshot"):
        moment = core["steps"].index(event["step"])
        for name, agent in zip(trace.header["agents"], event["world"]["agents"], strict=True):
            x, y = agent["pos"]
            assert frames[moment]["a"][name][:2] == [x, -y]
        assert frames[moment]["l"] == event["world"]["world"]["fires"]


def test_a_real_household_is_shown_as_it_was(
    unpack: Callable[[str], Any],
    moments_of: Callable[[Any, str], list[Any]],
) -> None:
    trace = household_trace(steps=5)
    payload = episode_payload(trace)
    core = unpack(payload.core)
    props = {p["name"]: p for p in core["scene"]["props"]}
    static = trace.header["world"]["static"]
    assert len(core["scene"]["areas"][0]["cells"]) == len(static["cells"])
    frames = moments_of(payload.frames, "apl")
    for moment, event in enumerate(trace.of("snapshot")):
        shown = frames[moment]
        for agent in event["world"]["agents"]:
            x, z, heading, held = shown["a"][agent["name"]]
            assert (x, z) == pytest.approx((agent["x"], agent["z"]), abs=1e-3)
            assert heading == pytest.approx(agent["heading"])
            assert held == ([[agent["holds"], 1]] if agent["holds"] else [])
        for key, entry in event["world"]["objects"].items():
            if key.startswith("Floor|"):
                continue
            name = entry["name"] or key
            assert shown["p"][name][:2] == pytest.approx([entry["at"][0], entry["at"][2]])
            assert name in props
    for detail in moments_of(payload.details, "b"):
        kinds = [row[9] for row in detail["b"].values() if any("not a" in e for e in row[9])]
        assert kinds == []  # without noise nothing is taken for something else


def test_exact_memory_of_what_is_seen_has_no_error(
    moments_of: Callable[[Any, str], list[Any]],
) -> None:
    trace = run_episode(scene=1, agents=2, planner="llamar+mosaic", steps=5).trace
    for detail in moments_of(episode_payload(trace).details, "b"):
        for name, row in detail["b"].items():
            if row[5] == 0 and row[3] != "unknown":
                assert row[3] == "right", (name, row)


def test_a_notebook_takes_the_episode_itself() -> None:
    episode = run_episode(scene=1, agents=2, planner="act", steps=2)
    assert notebook_html(episode) == notebook_html(episode.trace)


def test_plain_and_mosaic_part_somewhere() -> None:
    fallible = {"scene": 1, "agents": 3, "steps": 6, "model": "standin:gpt4-2024"}
    plain = run_episode(planner="llamar", **fallible).trace
    ours = run_episode(planner="llamar+mosaic", **fallible).trace
    found = find_parting(plain, ours)
    assert found.same_mission
    assert found.step is not None
    assert find_parting(plain, plain).step is None
