"""How fast a sweep runs: search-and-rescue episodes with `llamar` and `llamar+mosaic`.

    python benchmarks/sweep.py [--quick] [--json]

Runs the suite `sar-effect` (200 episodes; 20 with --quick) with the process engine on two
processes. Prints episodes per minute of wall-clock time, the processor time of all processes over
wall-clock time and cores (less than the truth if other programs use the cores too), the share of
the time in which both workers had an episode, the greatest resident memory of any process and its
growth, and where an episode's time goes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import tempfile
import time
from multiprocessing import active_children
from pathlib import Path
from typing import Any

from mosaic_planner.experiments.catalogue import find_suite
from mosaic_planner.experiments.engines import Report
from mosaic_planner.experiments.engines.process import ProcessEngine
from mosaic_planner.experiments.runner import Progress, load_results, sweep

JOBS = 2


def resident_mb() -> float:
    """Greatest resident memory of this process and its workers now."""
    greatest = 0
    for pid in [os.getpid(), *(child.pid for child in active_children())]:
        try:
            pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        except (OSError, IndexError):
            continue
        greatest = max(greatest, pages * os.sysconf("SC_PAGE_SIZE"))
    return greatest / 2**20


def cpu_s() -> float:
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measure(limit: int | None) -> dict[str, Any]:
    plan = find_suite("sar-effect").plan()
    memory: list[float] = []

    def note(report: Report, progress: Progress) -> None:
        if report.status != "finished":
            raise SystemExit(f"{report.key}: {report.error}")
        memory.append(resident_mb())

    with tempfile.TemporaryDirectory() as folder:
        began, cpu = time.perf_counter(), cpu_s()
        result = sweep(plan, folder, ProcessEngine(jobs=JOBS), limit=limit, on_report=note)
        elapsed, cpu = time.perf_counter() - began, cpu_s() - cpu
        _, lines = load_results(folder)
        size = sum(path.stat().st_size for path in (Path(folder) / "traces").iterdir())
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    steps = sum(line["planning_steps"] for line in lines)
    wall = sum(line["episode_wall_s"] for line in lines)
    tenth = max(1, len(memory) // 10)
    return {
        "episodes": result.finished,
        "episodes_per_minute": 60 * result.finished / elapsed,
        "cores": cores,
        "cores_used": cpu / elapsed,
        "cpu_utilisation": cpu / elapsed / min(JOBS, cores),
        "cpu_s_per_episode": cpu / result.finished,
        "workers_busy": wall / (JOBS * elapsed),
        "seconds": elapsed,
        "planning_steps": steps,
        "ms_per_planning_step": 1000 * wall / steps,
        "share_choosing_actions": sum(line["select_wall_s"] for line in lines) / wall,
        "share_model": sum(line["call_wall_s"] for line in lines) / wall,
        "peak_mb": max(memory),
        "memory_growth_mb": max(memory[-tenth:]) - max(memory[tenth : 2 * tenth] or memory),
        "trace_kb": size / 1024 / result.finished,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="20 episodes")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    options = parser.parse_args()
    found = measure(20 if options.quick else None)
    print(
        f"{found['episodes']} episodes in {found['seconds']:.1f} s: "
        f"{found['episodes_per_minute']:.0f} per minute, workers busy "
        f"{100 * found['workers_busy']:.0f} % of the time"
    )
    print(
        f"{found['cores_used']:.2f} of {found['cores']} cores used "
        f"({100 * found['cpu_utilisation']:.0f} % of what {JOBS} processes can), "
        f"{found['cpu_s_per_episode']:.2f} s of processor time per episode"
    )
    print(
        f"{found['ms_per_planning_step']:.1f} ms per planning step (model "
        f"{100 * found['share_model']:.0f} %, choosing actions "
        f"{100 * found['share_choosing_actions']:.0f} %), {found['trace_kb']:.0f} kB per trace"
    )
    print(
        f"at most {found['peak_mb']:.0f} MB resident in one process, "
        f"growth {found['memory_growth_mb']:+.1f} MB from the first to the last tenth"
    )
    if options.json:
        print(json.dumps({name: round(value, 4) for name, value in found.items()}))


if __name__ == "__main__":
    main()
