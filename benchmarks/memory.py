"""Memory: time of an update, error under noise against overwriting, tokens of its prompt lines.

    python benchmarks/memory.py [--quick] [--json]

`update_ms` (by "agents x objects"): one full update, median of many: a joint step's observations
in, and the offsets of every object in every agent's frame out. Each agent sees the objects around
it, about 20. `best_ms`: the fastest of them, since other programs on the machine only ever slow it
down; `update_ms_noise`: the same under the high noise regime; `update_ms_all_seen`: every agent
sees every object, as in search and rescue; `lines_ms`: the prompt lines of all agents.
`position_error_ratio_overwrite_to_belief`: root mean square errors, after 200 steps of high noise
in a synthetic room, of the objects in view at least 10 times; `position_error_m` has both, and
the belief's on the way. `prompt_tokens`: per agent and step of search-and-rescue episodes, the
memory lines against the observation text that LLaMAR gets in the same run.
With --json the last line printed is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import time
from random import Random
from typing import Any

from memory_tour import rms, tour
from mosaic_planner.core.action import Kind, Vocabulary
from mosaic_planner.core.geometry import Pose
from mosaic_planner.core.observation import Observation, Sighting, View
from mosaic_planner.core.world import Briefing, Geometry
from mosaic_planner.episode import run_episode
from mosaic_planner.memory import make_memory
from mosaic_planner.models.tokens import COUNTER, count_tokens

KINDS = tuple(f"Kind{i}" for i in range(40))
IN_VIEW = 20

Step = dict[str, Observation]


def load(agents: int, objects: int, steps: int, *, all_seen: bool) -> tuple[list[str], list[Step]]:
    """Observations of agents that wander about among objects, one per square metre."""
    random = Random(agents * objects)
    side = math.sqrt(objects)
    reach = math.sqrt(IN_VIEW / math.pi)
    view = View(reach, 360.0, KINDS if all_seen else ())
    things = [
        (f"Thing_{i}", KINDS[i % len(KINDS)], random.uniform(0, side), random.uniform(0, side))
        for i in range(objects)
    ]
    names = [f"Agent{i}" for i in range(agents)]
    poses = {name: Pose(random.uniform(0, side), random.uniform(0, side)) for name in names}
    taken = []
    for step in range(steps):
        observations = {}
        for name in names:
            last = poses[name]
            x = min(max(last.x + random.choice((-1.0, 0.0, 1.0)), 0.0), side)
            z = min(max(last.z + random.choice((-1.0, 0.0, 1.0)), 0.0), side)
            pose = poses[name] = Pose(x, z, random.choice((0.0, 90.0, 180.0, 270.0)))
            seen = tuple(
                Sighting(thing, kind, pose.to_frame(tx, tz), (("open", True),))
                for thing, kind, tx, tz in things
                if all_seen or (tx - x) ** 2 + (tz - z) ** 2 <= reach * reach
            )
            observations[name] = Observation(name, step, pose, (), seen, (), "", view=view)
        taken.append(observations)
    return names, taken


def updates(
    agents: int, objects: int, steps: int, *, noise: str = "none", all_seen: bool = False
) -> dict[str, float]:
    """Milliseconds per update and for all lines."""
    names, observations = load(agents, objects, steps, all_seen=all_seen)
    memory = make_memory(
        "belief",
        agents=names,
        geometry=Geometry(0.25, True),
        briefing=Briefing("measure"),
        vocabulary=Vocabulary((), tuple(Kind(kind) for kind in KINDS)),
        noise=noise,
    )
    spent, worded = [], []
    for step in observations:
        began = time.perf_counter()
        memory.update(step, {})
        memory.beliefs().offsets()  # type: ignore[attr-defined]
        spent.append(1000.0 * (time.perf_counter() - began))
        began = time.perf_counter()
        for name in names:
            memory.lines(name)
        worded.append(1000.0 * (time.perf_counter() - began))
    spent, worded = spent[2:], worded[2:]
    return {"median": statistics.median(spent), "best": min(spent), "lines": min(worded)}


def tokens(episodes: int) -> dict[str, Any]:
    """Tokens per agent and step: memory lines, and the observation text of the same step."""
    lines: list[int] = []
    texts: list[int] = []
    for scene in range(1, 6):
        for seed in range(episodes):
            episode = run_episode(
                world="sar",
                scene=scene,
                agents=3,
                planner="llamar+mosaic",
                model="standin:careful",
                seed=seed,
            )
            for event in episode.trace.of("beliefs"):
                lines += [count_tokens("\n".join(a["lines"])) for a in event["agents"].values()]
            for event in episode.trace.of("observation"):
                texts += [count_tokens(a["text"]) for a in event["agents"].values()]
    return {
        "memory_lines": round(statistics.fmean(lines), 1),
        "observation_text": round(statistics.fmean(texts), 1),
        "ratio": round(statistics.fmean(lines) / statistics.fmean(texts), 3),
        "counter": COUNTER.name,
    }


def tours(seeds: int) -> dict[str, Any]:
    """Errors pooled over tours."""
    done = [tour(seed) for seed in range(seeds)]
    belief = rms([e for t in done for e in t.belief])
    overwriting = rms([e for t in done for e in t.overwriting])
    seen = sum(t.seen for t in done)
    return {
        "position_error_ratio_overwrite_to_belief": round(overwriting / belief, 2),
        "position_error_m": {
            "belief": round(belief, 3),
            "overwriting": round(overwriting, 3),
            "belief_by_step": {
                str(step): round(rms([e for t in done for e in t.by_step[step]]), 3)
                for step in done[0].by_step
                if any(t.by_step[step] for t in done)
            },
            "objects": sum(len(t.belief) for t in done),
        },
        "false_entries": round(sum(len(t.false) for t in done) / seen, 4),
        "false_entries_overwriting": round(sum(t.overwriting_false for t in done) / seen, 4),
        "duplicates": round(sum(len(t.doubles) for t in done) / seen, 4),
        "unknown": sum(t.unknown for t in done),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer steps, tours and episodes")
    parser.add_argument("--json", action="store_true", help="one JSON object as the last line")
    options = parser.parse_args()
    small, large = (100, 12) if options.quick else (400, 40)
    result: dict[str, Any] = {
        key: {}
        for key in ("update_ms", "best_ms", "update_ms_noise", "update_ms_all_seen", "lines_ms")
    }
    for agents, objects, steps in ((5, 100, small), (100, 2000, large)):
        name = f"{agents}x{objects}"
        exact = updates(agents, objects, steps)
        result["update_ms"][name] = round(exact["median"], 3)
        result["best_ms"][name] = round(exact["best"], 3)
        result["lines_ms"][name] = round(exact["lines"], 3)
        noisy = updates(agents, objects, steps, noise="high")
        result["update_ms_noise"][name] = round(noisy["median"], 3)
    everywhere = updates(5, 100, small, all_seen=True)
    result["update_ms_all_seen"]["5x100"] = round(everywhere["median"], 3)
    result |= tours(4 if options.quick else 20)
    result["prompt_tokens"] = tokens(1 if options.quick else 3)
    result["cpus"], result["load"] = os.cpu_count(), round(os.getloadavg()[0], 2)
    if options.json:
        print(json.dumps(result))
    else:
        for key, value in result.items():
            print(f"{key}: {value}")


if __name__ == "__main__":
    main()
