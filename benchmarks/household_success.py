"""How many household episodes the stand-in solves, and with how many actions.

    python benchmarks/household_success.py [--quick] [--json] [--scenes DIR] [--tasks FILE]
        [--noise REGIME] [--memory KIND] [--planner METHOD] [--model NAME] [--workers 2]
        [--only TASK] [--floorplan N] [--show]

All 36 tasks on their five floor plans, two robots, 100 planning steps: generated scenes without
`--scenes`, recorded ones with it. `--quick` plays one floor plan of every third task. Printed are
the share solved with its 95 % Wilson interval, the median ratio of high-level actions (all robots
together, idle ones left out) to the least possible, and every exception with its reason. The
figures are a stand-in's, not an LLM's. With --json the last line printed is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from typing import Any

from mosaic_planner.core.trace import Trace
from mosaic_planner.episode import run_episode
from mosaic_planner.experiments.statistics import wilson
from mosaic_planner.worlds.household.tasks import all_tasks

STEPS = 100


@dataclass(frozen=True, slots=True)
class Settings:
    """What is the same for every episode of a run."""

    scenes: str = ""
    tasks: str = ""
    noise: str = "none"
    memory: str = ""
    planner: str = "llamar+mosaic"
    model: str = "standin:careful"
    agents: int = 2
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Result:
    """One episode: `actions` that were not idle, `least` possible, and why it was not solved."""

    task: str
    floorplan: int
    success: bool
    steps: int
    actions: int
    failed: int
    least: int
    transport_rate: float
    reason: str = ""

    @property
    def ratio(self) -> float:
        return self.actions / self.least if self.least else 1.0


def play(job: tuple[Settings, str, int]) -> Result:
    """One episode."""
    settings, task, floorplan = job
    world: dict[str, Any] = {"task": task, "floorplan": floorplan}
    world |= {"scenes": settings.scenes} if settings.scenes else {}
    world |= {"tasks": settings.tasks} if settings.tasks else {}
    more: dict[str, Any] = {"memory": settings.memory} if settings.memory else {}
    episode = run_episode(
        world="household",
        agents=settings.agents,
        planner=settings.planner,
        model=settings.model,
        seed=settings.seed,
        steps=STEPS,
        noise=settings.noise,
        world_options=world,
        **more,
    )
    found = episode.metrics
    return Result(
        task,
        floorplan,
        found.success,
        found.planning_steps,
        found.actions - found.idle_actions,
        found.failed_actions,
        int(episode.trace.header["world"]["static"]["least_actions"]),
        round(found.transport_rate, 3),
        "" if found.success else f"{found.end}; {why(episode.trace)}",
    )


def why(trace: Trace) -> str:
    """The commonest failures of an episode, and what was open at its end."""
    failures: Counter[str] = Counter()
    left: list[str] = []
    for event in trace.events:
        if event["event"] == "outcome":
            for outcome in event["agents"].values():
                if not outcome["success"]:
                    failures[f"{outcome['action']}: {outcome['reason']}"] += 1
        elif event["event"] == "subtasks":
            left = list(event.get("open", ()))
    said = [f"{n} x {text}" for text, n in failures.most_common(2)]
    return "; ".join([*said, f"open: {', '.join(left[:4])}"])


def jobs(
    settings: Settings, quick: bool, only: str, plan: int = 0
) -> Iterator[tuple[Settings, str, int]]:
    """The episodes in the order of tasks and floor plans."""
    for index, task in enumerate(all_tasks()):
        if only and only not in (task.task_id, str(task.number)):
            continue
        for floorplan in (plan,) if plan else range(1, 6):
            if quick and (index % 3 or floorplan != 1 + index // 3 % 5):
                continue
            yield settings, task.task_id, floorplan


def measure(
    settings: Settings, *, quick: bool, workers: int, only: str = "", plan: int = 0
) -> list[Result]:
    """All episodes, in a fixed order whatever the number of workers."""
    listed = list(jobs(settings, quick, only, plan))
    if workers <= 1:
        return [play(job) for job in listed]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(play, listed))


def summary(settings: Settings, results: list[Result]) -> dict[str, Any]:
    """The figures of one run."""
    solved = [r for r in results if r.success]
    interval = wilson(len(solved), len(results))
    return {
        **asdict(settings),
        "source": "recorded" if settings.scenes else "generated",
        "episodes": len(results),
        "solved": len(solved),
        "success": round(len(solved) / len(results), 4),
        "low": round(interval.low, 4),
        "high": round(interval.high, 4),
        "median_ratio": round(statistics.median(r.ratio for r in solved), 3) if solved else None,
        "median_steps": statistics.median(r.steps for r in solved) if solved else None,
        "failure_rate": round(
            sum(r.failed for r in results) / max(1, sum(r.actions for r in results)), 4
        ),
        "transport_rate": round(statistics.mean(r.transport_rate for r in results), 4),
        "exceptions": [
            {"task": r.task, "floorplan": r.floorplan, "reason": r.reason}
            for r in results
            if not r.success
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="12 episodes instead of 180")
    parser.add_argument("--json", action="store_true", help="one JSON object as the last line")
    parser.add_argument("--show", action="store_true", help="one line per episode")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--floorplan", type=int, default=0, help="1 to 5, else all")
    parser.add_argument("--only", default="", help="one task, by id or number")
    for name, default in asdict(Settings()).items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    options = parser.parse_args()
    settings = Settings(**{name: getattr(options, name) for name in asdict(Settings())})
    results = measure(
        settings,
        quick=options.quick,
        workers=options.workers,
        only=options.only,
        plan=options.floorplan,
    )
    if options.show:
        for r in results:
            print(
                f"{r.task:<32} {r.floorplan} {'solved' if r.success else 'OPEN  '} "
                f"{r.steps:>3} steps {r.actions:>3} actions of {r.least:>2} ({r.ratio:.2f}), "
                f"{r.failed} failed {r.reason}"
            )
    row = summary(settings, results)
    if options.json:
        print(json.dumps(row))
        return
    print(
        f"{row['source']} scenes, {settings.planner}, {settings.model}, noise {settings.noise}: "
        f"{row['solved']} of {row['episodes']} solved ({row['success']:.3f} "
        f"[{row['low']:.3f}, {row['high']:.3f}]), median ratio {row['median_ratio']}, "
        f"median {row['median_steps']} steps, failed actions {row['failure_rate']:.3f}"
    )
    for entry in row["exceptions"]:
        print(f"  {entry['task']} {entry['floorplan']}: {entry['reason']}")


if __name__ == "__main__":
    main()
