"""Speed of the search-and-rescue world: random actions, with every observation built and read.

    python benchmarks/sar.py [--quick] [--json]

`steps_per_s`: joint steps per second by number of agents, each step with the text, state text,
feedback, names and sightings of every agent's observation. Random actions are drawn beforehand
from all written actions of the episode. It is the median of many short stretches, by the process's
own CPU time, so that other programs' turns on the processor do not count; on an idle machine that
is the time on the wall, which stands beside it (`wall_steps_per_s`).
`overhead_ms_per_step`: everything of an episode of llamar+mosaic with 5 agents but model and world
(memory, prompts, reading, coordination, trace on disk), milliseconds per planning step, the middle
and the best of many episodes.
`resets`: 800 resets in one process, milliseconds each and growth of memory.
Seconds are of processor time, but for `wall_steps_per_s`: all of it is one thread's computing, and
other programs on the machine must not count. With --json the last line printed is one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mosaic_planner.assembly import build
from mosaic_planner.config import load_config
from mosaic_planner.core.action import Action
from mosaic_planner.core.observation import StepResult
from mosaic_planner.core.trace import TraceWriter
from mosaic_planner.episode import play
from mosaic_planner.models.protocol import ChatModel, ChatReply, ChatRequest
from mosaic_planner.models.registry import make_model
from mosaic_planner.worlds.sar import make

SCENES = (1, 2, 3, 4, 5)
STRETCH = 50
RESETS = 800


def stepping(agents: int, episodes: int) -> tuple[float, float]:
    """Joint steps per second over all scenes, by CPU time and by wall time."""
    cpu: list[float] = []
    wall: list[float] = []
    for scene in SCENES:
        world = make(scene, agents)
        rng = random.Random(scene)
        for episode in range(episodes):
            world.reset(episode)
            actions = world.ground_actions()
            for _ in range(2):
                joint = [
                    {name: rng.choice(actions) for name in world.agents} for _ in range(STRETCH)
                ]
                began, began_cpu = time.perf_counter(), time.process_time()
                for step in joint:
                    for seen in world.step(step).observations.values():
                        touched = len(seen.text) + len(seen.state_text) + len(seen.feedback)
                        if not touched or not seen.sightings or not seen.names:
                            raise RuntimeError("an observation is empty")
                cpu.append(STRETCH / (time.process_time() - began_cpu))
                wall.append(STRETCH / (time.perf_counter() - began))
    return statistics.median(cpu), statistics.median(wall)


class Timed:
    """A model whose own time is measured apart."""

    simulated = True

    def __init__(self, model: ChatModel) -> None:
        self.model, self.spent_s = model, 0.0
        self.name = "standin:careful"

    async def complete(self, request: ChatRequest) -> ChatReply:
        began = time.process_time()
        reply = await self.model.complete(request)
        self.spent_s += time.process_time() - began
        return reply


def overhead(agents: int, seeds: int) -> tuple[float, float]:
    """Milliseconds per planning step outside model and world: median and best episode."""
    shares = []
    for scene in SCENES:
        for seed in range(seeds):
            options = {"scene": scene, "agents": agents, "seed": seed, "planner": "llamar+mosaic"}
            config = load_config(options=options)
            with tempfile.TemporaryDirectory() as folder:
                writer = TraceWriter(Path(folder) / "trace.jsonl.gz")
                model = Timed(make_model(config.model, seed=seed))
                parts = build(config, writer, model=model)
                step, world_s = parts.world.step, 0.0

                def timed_step(joint: Mapping[str, Action], step: Any = step) -> StepResult:
                    nonlocal world_s
                    began = time.process_time()
                    result: StepResult = step(joint)
                    world_s += time.process_time() - began
                    return result

                parts.world.step = timed_step  # type: ignore[method-assign]
                began = time.process_time()
                episode = asyncio.run(play(config, parts, writer))
                spent = time.process_time() - began - model.spent_s - world_s
            shares.append(1000 * spent / episode.metrics.planning_steps)
    return statistics.median(shares[1:]), min(shares)


def resets() -> dict[str, float]:
    """800 resets with a few steps each: time of a reset, growth of blocks and of peak memory."""
    world = make(4, 3)
    rng = random.Random(0)
    spent = 0.0

    def play(count: int) -> None:
        nonlocal spent
        for seed in range(count):
            began = time.process_time()
            world.reset(seed)
            spent += time.process_time() - began
            actions = world.ground_actions()
            for _ in range(3):
                world.step({name: rng.choice(actions) for name in world.agents})

    play(60)
    gc.collect()
    blocks, peak = sys.getallocatedblocks(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    spent = 0.0
    play(RESETS)
    gc.collect()
    return {
        "count": RESETS,
        "ms_each": round(1000 * spent / RESETS, 3),
        "grown_blocks": sys.getallocatedblocks() - blocks,
        "grown_peak_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer episodes")
    parser.add_argument("--json", action="store_true", help="one JSON object as the last line")
    options = parser.parse_args()
    episodes = 4 if options.quick else 20
    result: dict[str, Any] = {"steps_per_s": {}, "wall_steps_per_s": {}}
    for agents in (1, 2, 3, 5, 8):
        cpu, wall = stepping(agents, episodes)
        result["steps_per_s"][str(agents)] = round(cpu)
        result["wall_steps_per_s"][str(agents)] = round(wall)
        if not options.json:
            print(f"{agents} agents: {cpu:8.0f} joint steps/s (by the wall {wall:.0f})")
    median, best = overhead(agents=5, seeds=2 if options.quick else 6)
    result["overhead_ms_per_step"] = round(median, 2)
    result["best_overhead_ms_per_step"] = round(best, 2)
    if not options.json:
        print(f"overhead: {median:.1f} ms per planning step (best episode {best:.1f})")
    result["resets"] = resets()
    result["cpus"] = os.cpu_count()
    result["load"] = round(os.getloadavg()[0], 2)
    if options.json:
        print(json.dumps(result))
    else:
        print(f"resets: {result['resets']}")
        print(f"load of the machine: {result['load']} on {result['cpus']} processors")


if __name__ == "__main__":
    main()
