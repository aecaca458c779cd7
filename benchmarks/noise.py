"""Sensor noise: what success the belief memory keeps, the paper's overwriting one beside it.

    python benchmarks/noise.py [--quick] [--json] [--world household|sar|both] [--model NAME]
        [--planner METHOD] [--agents N] [--regimes none,high] [--scenes DIR] [--workers 2]

For each noise regime of the paper (D.4) and each of the two memories the same episodes with a
stand-in: in households all 36 tasks on two of their floor plans (72 episodes), two robots, 100
planning steps; in search and rescue all five scenes with 12 seeds (60), three robots, 35 steps.
`rows` has success with its 95 % Wilson interval, failure rate and planning steps; `kept` the share
of the noiseless success that is left, with a 95 % bootstrap interval (episodes of a task or scene
are drawn together, the same ones with and without noise). The figures are a stand-in's, not an
LLM's. Search and rescue acts by name, so misses, false and wrong sightings matter there, positions
little. With --json the last line printed is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

import numpy as np

from mosaic_planner.core.noise import NOISE_REGIMES
from mosaic_planner.episode import run_episode
from mosaic_planner.experiments.statistics import wilson
from mosaic_planner.worlds.household.tasks import all_tasks

MEMORIES = ("belief", "overwriting")
MODEL = "standin:gpt4-2024"
STEPS = {"household": 100, "sar": 35}
AGENTS = {"household": 2, "sar": 3}


@dataclass(frozen=True, slots=True)
class Job:
    """One episode; `cluster` is its task or scene."""

    world: str
    cluster: str
    scene: int
    seed: int
    agents: int
    planner: str
    model: str
    noise: str
    memory: str
    scenes: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    cluster: str
    place: str
    success: bool
    failure_rate: float
    planning_steps: int


def play(job: Job) -> Result:
    """One episode."""
    where: dict[str, Any] = {"scene": job.scene}
    if job.world == "household":
        options = {"task": job.cluster, "floorplan": job.scene}
        where = {"world_options": options | ({"scenes": job.scenes} if job.scenes else {})}
    found = run_episode(
        world=job.world,
        agents=job.agents,
        planner=job.planner,
        model=job.model,
        seed=job.seed,
        steps=STEPS[job.world],
        noise=job.noise,
        memory=job.memory,
        **where,
    ).metrics
    place = f"{job.cluster}/{job.scene}/{job.seed}"
    return Result(job.cluster, place, found.success, found.failure_rate, found.planning_steps)


def places(world: str, quick: bool) -> list[tuple[str, int, int]]:
    """Cluster, scene or floor plan, and seed of every episode of a cell."""
    if world == "sar":
        return [(str(s), s, seed) for s in range(1, 6) for seed in range(1 if quick else 12)]
    tasks = [t.task_id for t in all_tasks()]
    if quick:
        return [(task, 1, 0) for task in tasks[::9]]
    return [(task, 1 + (k + 2 * n) % 5, n) for k, task in enumerate(tasks) for n in range(2)]


def row(job: Job, results: Sequence[Result]) -> dict[str, Any]:
    """The figures of one cell."""
    wins = sum(r.success for r in results)
    interval = wilson(wins, len(results))
    return {
        "world": job.world,
        "model": job.model,
        "agents": job.agents,
        "noise": job.noise,
        "memory": job.memory,
        "episodes": len(results),
        "success": round(wins / len(results), 3),
        "low": round(interval.low, 3),
        "high": round(interval.high, 3),
        "failure_rate": round(statistics.mean(r.failure_rate for r in results), 3),
        "planning_steps": round(statistics.mean(r.planning_steps for r in results), 1),
        "unsolved": [r.place for r in results if not r.success],
    }


def kept(noisy: Sequence[Result], plain: Sequence[Result], draws: int = 10_000) -> dict[str, Any]:
    """Share of the noiseless success that is left; clusters are drawn, with both their halves."""
    names = sorted({r.cluster for r in plain})
    counts = np.array(
        [[sum(r.success for r in part if r.cluster == n) for part in (noisy, plain)] for n in names]
    )
    rng = np.random.default_rng(0)
    drawn = counts[rng.integers(len(names), size=(draws, len(names)))].sum(axis=1)
    ratios = drawn[:, 0] / np.maximum(drawn[:, 1], 1)
    low, high = np.quantile(ratios, (0.025, 0.975)).tolist()
    total = counts.sum(axis=0)
    share = float(total[0] / total[1]) if total[1] else None
    return {
        "kept": None if share is None else round(share, 3),
        "low": round(low, 3),
        "high": round(high, 3),
    }


def measure(
    world: str, regimes: Sequence[str], options: argparse.Namespace
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows and shares kept of one world, in a fixed order whatever the number of workers."""
    cells = [
        [
            Job(
                world, cluster, scene, seed, options.agents or AGENTS[world], options.planner,
                options.model, noise, memory, options.scenes,
            )
            for cluster, scene, seed in places(world, options.quick)
        ]
        for noise in regimes
        for memory in MEMORIES
    ]  # fmt: skip
    jobs = [job for cell in cells for job in cell]
    if options.workers <= 1:
        played = [play(job) for job in jobs]
    else:
        with ProcessPoolExecutor(options.workers, mp_context=get_context("spawn")) as pool:
            played = list(pool.map(play, jobs))
    results = {
        (cell[0].noise, cell[0].memory): played[k * len(cell) : (k + 1) * len(cell)]
        for k, cell in enumerate(cells)
    }
    rows = [row(cell[0], results[cell[0].noise, cell[0].memory]) for cell in cells]
    shares = [
        {"world": world, "model": options.model, "noise": noise, "memory": memory}
        | kept(results[noise, memory], results["none", memory])
        for noise in regimes
        if noise != "none"
        for memory in MEMORIES
    ]
    return rows, shares


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="4 and 5 episodes, none and high")
    parser.add_argument("--json", action="store_true", help="one JSON object as the last line")
    parser.add_argument("--world", choices=("household", "sar", "both"), default="both")
    parser.add_argument("--model", default=MODEL)
    parser.add_argument("--planner", default="llamar+mosaic")
    parser.add_argument("--agents", type=int, default=0, help="default: 2, in search and rescue 3")
    parser.add_argument("--regimes", default="", help="of none, low, medium, high; none is needed")
    parser.add_argument("--scenes", default="", help="folder of recorded household scenes")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    regimes = [name for name in options.regimes.split(",") if name]
    regimes = regimes or (["none", "high"] if options.quick else list(NOISE_REGIMES))
    if "none" not in regimes or not set(regimes) <= set(NOISE_REGIMES):
        parser.error(f"--regimes are some of {', '.join(NOISE_REGIMES)}, none among them")
    began = time.perf_counter()
    rows, shares = [], []
    for world in ("household", "sar") if options.world == "both" else (options.world,):
        found = measure(world, regimes, options)
        rows += found[0]
        shares += found[1]
    if options.json:
        print(json.dumps({"planner": options.planner, "rows": rows, "kept": shares}))
        return
    for r in rows:
        print(
            f"{r['world']:<9} {r['noise']:<7} {r['memory']:<12} success {r['success']:.3f} "
            f"[{r['low']:.3f}, {r['high']:.3f}] of {r['episodes']}  failed "
            f"{r['failure_rate']:.3f}  steps {r['planning_steps']}"
        )
        if r["unsolved"]:
            print(f"          unsolved: {', '.join(r['unsolved'])}")
    for s in shares:
        print(
            f"{s['world']:<9} {s['noise']:<7} {s['memory']:<12} keeps {s['kept']} "
            f"[{s['low']:.3f}, {s['high']:.3f}] of the noiseless success"
        )
    print(f"{options.planner}, {options.model}; {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
