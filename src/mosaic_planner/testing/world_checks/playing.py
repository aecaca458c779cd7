"""The world in use: behind noisy sensors, and in whole episodes of several methods."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from mosaic_planner.assembly import build
from mosaic_planner.config import RunConfig, load_config
from mosaic_planner.core.noise import NoiseRegime
from mosaic_planner.core.observation import Observation, StepResult
from mosaic_planner.core.trace import Trace, TraceWriter, canonical
from mosaic_planner.episode import Episode, play
from mosaic_planner.memory import make_memory
from mosaic_planner.metrics import Metrics
from mosaic_planner.models.protocol import ChatModel
from mosaic_planner.testing.random_model import RandomModel
from mosaic_planner.testing.world_checks.findings import Findings
from mosaic_planner.testing.world_checks.perceiving import names_in, told_text
from mosaic_planner.testing.world_checks.subject import (
    Run,
    Subject,
    difference,
    observation_record,
)
from mosaic_planner.testing.world_checks.teaching import check_rules_on
from mosaic_planner.worlds.noise import NoisyWorld, WordsObservations
from mosaic_planner.worlds.registry import PlannableWorld

__all__ = ["Played", "check_episodes", "check_noise", "play_with"]

_QUIET = NoiseRegime("none")
_STORM = NoiseRegime("storm", 1.0, 30.0, 0.3, 0.2, 0.2, 0.3)
"""Far worse than any regime of the paper, so that a short run meets every error."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Played:
    """What a method reached with a model that only knows the grammar."""

    planner: str
    agents: int
    metrics: Metrics


def check_noise(findings: Findings, subject: Subject, runs: list[Run]) -> None:
    """`NoisyWorld` can word what its sensors make of this world, and rules survive it."""
    for run in runs:
        agents = len(run.world.agents)
        clear, storm = (NoisyWorld(subject.make(agents), r) for r in (_QUIET, _STORM))
        memory = make_memory(
            "belief",
            agents=run.world.agents,
            geometry=run.world.geometry,
            briefing=run.world.briefing,
            vocabulary=run.world.vocabulary,
            noise=_STORM,
        )
        for number, frame in enumerate(run.frames):
            what = f"step {number} of seed {run.seed} behind noisy sensors"
            same = findings.attempt("noise.raises", what, _go_on, clear, run, number)
            noisy = findings.attempt("noise.raises", what, _go_on, storm, run, number)
            memory.update(noisy.observations, noisy.outcomes)
            for agent, true in frame.observations.items():
                record = observation_record(same.observations[agent])
                where = difference(observation_record(true), record)
                if where:
                    findings.add(
                        "noise.words",
                        f"sensors without any noise change {where}; give a sighting a line "
                        "`- NAME (KIND): ...` in `text`, and offer all names of a kind or none",
                    )
                _shows_missed(findings, run, true, noisy.observations[agent])
        check_rules_on(findings, run, memory.beliefs(), "noisy beliefs")
        numbers = any(re.search(r"\d", o.state_text) for o in run.frames[0].observations.values())
        if numbers and not isinstance(storm.world, WordsObservations):
            findings.note(
                "noise: `state_text` keeps its true numbers behind noisy sensors; a world with "
                "word_observation() words the noisy pose"
            )


def _go_on(world: NoisyWorld, run: Run, number: int) -> StepResult:
    if number == 0:
        return StepResult(world.reset(run.seed))
    return world.step(run.frames[number].joint)


def _shows_missed(findings: Findings, run: Run, true: Observation, noisy: Observation) -> None:
    """What a sensor missed must be gone from the text, but where another thing's line names it."""
    kept = {s.name for s in noisy.sightings}
    lines = noisy.text.splitlines()
    own = [x for x in lines if x.startswith("- ") and x[2:].partition(" (")[0] in kept]
    told = told_text(run.world) + " ".join(str(value) for _, value in true.local)
    gone = [s.name for s in true.sightings if s.name not in kept and s.name != s.kind]
    gone = [n for n in gone if n not in names_in(told, [n]) and n not in run.world.agents]
    for name in names_in("\n".join(x for x in lines if x not in own), gone):
        findings.add(
            "noise.words",
            f"`text` still shows {name!r} when a sensor has missed it; give a sighting one line "
            "`- NAME (KIND): ...`, or write word_observation()",
        )


def play_with(
    world: PlannableWorld, model: ChatModel, *, planner: str, seed: int, steps: int, **settings: Any
) -> Episode:
    """One episode of a ready world with a ready model; works inside a running event loop too."""
    options = {"world": world.world_id, "agents": len(world.agents), "planner": planner}
    options |= {"seed": seed, "steps": steps, "model": getattr(model, "name", "own"), **settings}
    config: RunConfig = load_config(options=options)
    writer = TraceWriter()
    return _finish(play(config, build(config, writer, model=model, world=world), writer))


def _finish(coroutine: Coroutine[Any, Any, T]) -> T:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def check_episodes(
    findings: Findings, subject: Subject, runs: list[Run], planners: Sequence[str]
) -> list[Played]:
    """Every method plays an episode to its end, twice the same, and its trace can be measured."""
    played: list[Played] = []
    for planner in planners:
        for number, run in enumerate(runs[:: max(1, len(subject.seeds))]):
            traces: list[Trace] = []
            agents = len(run.world.agents)
            for _ in range(1 if number else 2):  # one team size is enough to be repeated
                world = subject.make(agents)
                episode = findings.attempt(
                    "episode.raises",
                    f"an episode with {planner} and {agents} agents",
                    play_with,
                    world,
                    RandomModel(run.seed),
                    planner=planner,
                    seed=run.seed,
                    steps=subject.steps,
                )
                traces.append(episode.trace)
            metrics = episode.metrics
            played.append(Played(planner, agents, metrics))
            if canonical(traces[0]) != canonical(traces[-1]):
                findings.add("episode.repeats", f"two equal episodes with {planner} differ")
    return played
