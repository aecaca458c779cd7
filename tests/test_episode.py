"""The whole road: settings to trace to metrics."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mosaic_planner.assembly import build, header_fields
from mosaic_planner.config import load_config
from mosaic_planner.core.errors import StorageError, UsageError
from mosaic_planner.core.trace import TraceWriter, canonical, read_trace
from mosaic_planner.episode import play, run_episode
from mosaic_planner.metrics import measure
from mosaic_planner.models.protocol import ChatReply, ChatRequest
from mosaic_planner.testing.corridor import corridor

SCENES = (1, 2, 3, 4, 5)


@pytest.mark.parametrize("scene", SCENES)
def test_mosaic_finishes_every_scene(scene: int) -> None:
    episode = run_episode(scene=scene, planner="llamar+mosaic", agents=3, seed=0)
    metrics = episode.metrics
    assert metrics.success
    assert metrics.end == "success"
    assert metrics.transport_rate == 1.0
    assert metrics.planning_steps < 100
    assert metrics.llm_calls == 1 + 3 * metrics.planning_steps  # rule R2


@pytest.mark.parametrize("planner", ["llamar", "llamar+asm", "llamar+ilp", "react", "react+mosaic"])
@pytest.mark.parametrize("agents", [1, 2, 5, 8])
def test_every_method_runs_with_every_team(planner: str, agents: int) -> None:
    metrics = run_episode(scene=1, planner=planner, agents=agents, steps=6).metrics
    per_step = 1 if planner.startswith("react") else 3
    start = 0 if planner.startswith("react") else 1
    assert metrics.llm_calls == start + per_step * metrics.planning_steps
    assert metrics.actions == agents * metrics.planning_steps


def test_the_trace_alone_gives_the_same_metrics(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl.gz"
    episode = run_episode(scene=2, planner="llamar+mosaic", seed=3, out=path)
    trace = read_trace(path)
    assert trace.events == episode.trace.events
    assert measure(trace) == episode.metrics


_PRINT = """
import sys
from mosaic_planner.core.trace import canonical
from mosaic_planner.episode import run_episode
sys.stdout.write(canonical(run_episode(scene=4, planner=sys.argv[1], agents=4, seed=7,
                                       steps=12).trace))
"""


@pytest.mark.parametrize("planner", ["llamar+mosaic", "react+ilp"])
def test_same_seed_same_bytes_in_any_process(planner: str) -> None:
    outputs = [
        subprocess.run(
            [sys.executable, "-c", _PRINT, planner],
            capture_output=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
        ).stdout
        for hash_seed in ("0", "1", "424242")
    ]
    assert len(outputs[0]) > 10_000
    assert outputs[0] == outputs[1] == outputs[2]


def test_another_seed_is_another_episode() -> None:
    one, two = (run_episode(scene=1, seed=seed, steps=4).trace for seed in (0, 1))
    assert canonical(one) != canonical(two)


def test_the_trace_repeats_the_episode() -> None:
    first = run_episode(scene=5, agents=2, seed=9, steps=15)
    again = run_episode(**first.trace.header["settings"])
    assert canonical(again.trace) == canonical(first.trace)


class _Broken:
    """Answers a few times, then the network is gone."""

    name = "broken"

    def __init__(self, good: int) -> None:
        self.good = good

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.good -= 1
        if self.good >= 0:
            return ChatReply("I would rather talk about the weather.")
        return ChatReply("", wire_attempts=3, failure="infrastructure", detail="no route to host")


def _play(model: object, **settings: object):
    config = load_config(options=settings)
    writer = TraceWriter()
    parts = build(config, writer, model=model)  # type: ignore[arg-type]
    return asyncio.run(play(config, parts, writer))


def test_a_lost_network_ends_the_episode_as_infrastructure() -> None:
    episode = _play(_Broken(good=5), scene=1, planner="react+mosaic")
    assert episode.metrics.end == "infrastructure"
    assert episode.metrics.complete


@pytest.mark.parametrize("planner", ["llamar+mosaic", "react+mosaic", "react"])
def test_a_model_that_only_chats_ends_by_the_budget(planner: str) -> None:
    episode = _play(_Broken(good=10_000), scene=1, planner=planner, steps=8)
    assert episode.metrics.end == "step_budget"
    assert episode.metrics.planning_steps == 8
    assert episode.metrics.llm_calls > 0
    if planner.endswith("+mosaic"):  # the coordinator's own candidates keep everybody at work
        assert episode.metrics.safe_actions == 3 * 8


def test_the_call_budget_is_kept() -> None:
    episode = run_episode(scene=1, planner="llamar", limits={"calls": 10})
    assert episode.metrics.end == "model_budget"
    assert episode.metrics.llm_calls <= 10


def test_faithful_mode_ends_when_all_say_done_not_at_success() -> None:
    episode = run_episode(scene=1, planner="llamar", agents=2, faithful=True)
    assert episode.metrics.planning_steps <= 35
    assert episode.metrics.end in ("done", "step_budget")


def test_an_interrupted_run_keeps_its_trace(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl.gz"

    class Interrupts:
        async def complete(self, request: ChatRequest) -> ChatReply:
            raise asyncio.CancelledError

    config = load_config(options={"scene": 1})
    writer = TraceWriter(path)
    parts = build(config, writer, model=Interrupts())
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(play(config, parts, writer))
    assert measure(read_trace(path)).end == "interrupted"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"planner": "lamar"}, "unknown planner 'lamar': did you mean 'llamar'"),
        ({"planner": "llamar+magic"}, "unknown planner suffix 'magic'"),
        ({"world": "mars"}, "unknown world 'mars'"),
        ({"scene": 9}, "scene"),
        ({"agents": 9}, "8 agents"),
        ({"model": "gpt"}, "model"),
        ({"costs": "cheap"}, "unknown cost profile 'cheap'"),
        ({"weights": {"cyclic": 1, "luck": 2}}, "unknown cost term 'luck'"),
        ({"world_options": {"gravity": 1}}, "gravity"),
        ({"planner_options": {"mood": 1}}, "mood"),
        ({"world_options": {"scene": 2}}, "world_options.scene is the setting 'scene'"),
        ({"world_options": {"name": 2}}, "unknown switch 'name'"),
        ({"model_options": {"seed": 2}}, "model_options.seed is the setting 'seed'"),
        ({"model_options": {"name": 2}}, "unexpected keyword argument 'name'"),
    ],
)
def test_mistakes_are_refused_before_anything_runs(settings: dict, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        run_episode(**settings)
    assert "\n" not in str(caught.value)


def test_a_trace_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=r"^cannot write .*: Is a directory$"):
        run_episode(steps=1, out=tmp_path)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_ends_the_episode_and_closes_its_world() -> None:
    writer = TraceWriter(Path("/dev/full"))
    config = load_config(options={"steps": 1})
    parts = build(config, writer)
    closed: list[bool] = []

    class Closing:
        def __getattr__(self, name: str) -> object:
            return getattr(parts.world, name)

        def close(self) -> None:
            closed.append(True)

    with pytest.raises(StorageError, match=r"^cannot write /dev/full: No space left on device$"):
        asyncio.run(play(config, dataclasses.replace(parts, world=Closing()), writer))
    assert closed == [True]
    assert writer.events[-1]["reason"] == "crash"


def test_run_episode_works_inside_a_running_loop() -> None:
    async def notebook() -> bool:
        return run_episode(scene=1, steps=2).metrics.complete

    assert asyncio.run(notebook())


def test_a_notebook_shows_the_episode() -> None:
    html = run_episode(scene=1, steps=2)._repr_html_()
    assert html.startswith("<iframe")


class _WantsAcross:
    """Answers ReAct's question: everybody keeps wanting to cross the corridor."""

    name = "wants-across"

    async def complete(self, request: ChatRequest) -> ChatReply:
        wishes = {"A": ["Move(Right)", "Idle"], "B": ["Move(Left)", "Idle"]}
        return ChatReply(json.dumps({"Think": "across", "Action": wishes}))


@pytest.mark.parametrize(("bay", "end"), [(3, "success"), (None, "no_progress")])
def test_two_agents_in_a_corridor_arrive_or_are_told_why_not(bay: int | None, end: str) -> None:
    config = load_config(options={"planner": "react+mosaic", "steps": 100})
    writer = TraceWriter()
    parts = build(config, writer, model=_WantsAcross(), world=corridor(7, bay))
    episode = asyncio.run(play(config, parts, writer))
    assert episode.metrics.end == end
    if bay is None:
        assert episode.metrics.planning_steps < 30
        note = next(episode.trace.of("note"))["text"]
        assert "A is blocked by B" in note
    else:
        assert episode.metrics.planning_steps <= 3 * 8  # the optimum: six cells and two to let pass


@pytest.mark.parametrize("planner", ["coela+mosaic", "smartllm+mosaic"])
def test_a_shared_pool_needs_one_answer_for_all(planner: str) -> None:
    with pytest.raises(UsageError, match="no shared pool"):
        run_episode(planner=planner, candidates="global", steps=2)


class _NothingToDo:
    """Plans nothing at all."""

    async def complete(self, request: ChatRequest) -> ChatReply:
        return ChatReply('{"reason": "all is well", "plan": []}')


def test_an_empty_plan_is_an_outcome_and_no_success() -> None:
    episode = _play(_NothingToDo(), scene=1, planner="llamar+mosaic")
    assert episode.metrics.end == "no_subtasks"
    assert not episode.metrics.success
    assert (episode.metrics.llm_calls, episode.metrics.planning_steps) == (1, 0)


def test_a_planner_whose_prompt_disagrees_with_the_world_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Wrong:
        def __init__(self, setup: object) -> None:
            self.static_prompts = {"actor": "\nActions, one per robot:\n- Fly(planet)\n\n"}

    monkeypatch.setattr("mosaic_planner.assembly.make_planner", lambda name, setup: Wrong(setup))
    with pytest.raises(UsageError, match=r"Fly\(planet\), which the world does not have"):
        run_episode(scene=1, planner="react")


def test_no_password_or_key_of_the_settings_reaches_the_trace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a key of no known shape")
    address = "https://user:hunter2secret@127.0.0.1:9/v1"
    body = {"user": "a key of no known shape", "tags": [address], "n": 1}
    for settings in (
        {"model": f"{address}#m"},
        {"model": "openai:gpt-4o", "model_options": {"base_url": address, "body": body}},
    ):
        config, writer = load_config(options=settings), TraceWriter()
        header = header_fields(config, build(config, writer))
        text = json.dumps(header)
        assert "127.0.0.1:9/v1" in text
        assert "hunter2secret" not in text
        assert "a key of no known shape" not in text
    assert header["settings"]["model_options"]["body"]["n"] == 1
