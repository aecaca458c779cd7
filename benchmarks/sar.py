"""Speed of the search-and-rescue world: random actions, with every observation built and read.

    python benchmarks/sar.py [--quick] [--json]

`steps_per_s`: joint steps per second by number of agents, each step with the text, state text,
feedback, names and sightings of every agent's observation. Random actions are drawn beforehand
from all written actions of the episode. The middle of many short stretches is given (`median`),
and the best stretch beside it, since other programs on the machine only ever slow it down.
`resets`: 800 resets in one process, milliseconds each and growth of memory.
With --json the last line printed is one JSON object.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import random
import resource
import statistics
import sys
import time
from typing import Any

from mosaic_planner.worlds.sar import make

SCENES = (1, 2, 3, 4, 5)
STRETCH = 50
RESETS = 800


def stepping(agents: int, episodes: int) -> tuple[float, float]:
    """Joint steps per second over all scenes: median and best stretch of 50 steps."""
    speeds = []
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
                began = time.perf_counter()
                for step in joint:
                    for seen in world.step(step).observations.values():
                        touched = len(seen.text) + len(seen.state_text) + len(seen.feedback)
                        if not touched or not seen.sightings or not seen.names:
                            raise RuntimeError("an observation is empty")
                speeds.append(STRETCH / (time.perf_counter() - began))
    return statistics.median(speeds), max(speeds)


def resets() -> dict[str, float]:
    """800 resets with a few steps each: time of a reset, growth of blocks and of peak memory."""
    world = make(4, 3)
    rng = random.Random(0)
    spent = 0.0

    def play(count: int) -> None:
        nonlocal spent
        for seed in range(count):
            began = time.perf_counter()
            world.reset(seed)
            spent += time.perf_counter() - began
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
    result: dict[str, Any] = {"steps_per_s": {}, "best_steps_per_s": {}}
    for agents in (1, 2, 3, 5, 8):
        median, best = stepping(agents, episodes)
        result["steps_per_s"][str(agents)] = round(median)
        result["best_steps_per_s"][str(agents)] = round(best)
        if not options.json:
            print(f"{agents} agents: {median:8.0f} joint steps/s (best stretch {best:.0f})")
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
