"""Sensor noise in search and rescue: belief memory beside the paper's overwriting one.

    python benchmarks/noise.py [--quick] [--json]

For each noise regime of the paper (D.4) and each of the two memories, the same episodes of
llamar+mosaic with the stand-in `standin:gpt4-2024`: all five scenes, 3 agents, 35 planning steps.
`rows` has success with its 95 % Wilson interval, failure rate and planning steps. The figures are a
stand-in's, not an LLM's. Search and rescue acts by name, so misses, false and wrong sightings
matter here, positions little. With --json the last line printed is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import statistics
from typing import Any

from mosaic_planner.core.noise import NOISE_REGIMES
from mosaic_planner.episode import run_episode
from mosaic_planner.experiments.statistics import wilson

SCENES = (1, 2, 3, 4, 5)
MODEL = "standin:gpt4-2024"


def cell(noise: str, memory: str, seeds: int) -> dict[str, Any]:
    """One regime with one memory."""
    measured = [
        run_episode(
            scene=scene,
            agents=3,
            planner="llamar+mosaic",
            model=MODEL,
            seed=seed,
            steps=35,
            noise=noise,
            memory=memory,
        ).metrics
        for scene in SCENES
        for seed in range(seeds)
    ]
    wins = sum(m.success for m in measured)
    interval = wilson(wins, len(measured))
    return {
        "noise": noise,
        "memory": memory,
        "episodes": len(measured),
        "success": round(wins / len(measured), 3),
        "low": round(interval.low, 3),
        "high": round(interval.high, 3),
        "failure_rate": round(statistics.mean(m.failure_rate for m in measured), 3),
        "planning_steps": round(statistics.mean(m.planning_steps for m in measured), 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="2 instead of 10 seeds per scene")
    parser.add_argument("--json", action="store_true", help="one JSON object as the last line")
    options = parser.parse_args()
    rows = []
    for noise in NOISE_REGIMES:
        for memory in ("belief", "overwriting"):
            row = cell(noise, memory, seeds=2 if options.quick else 10)
            rows.append(row)
            if not options.json:
                print(
                    f"{noise:<7} {memory:<12} success {row['success']:.2f} "
                    f"[{row['low']:.2f}, {row['high']:.2f}] of {row['episodes']}  "
                    f"failed {row['failure_rate']:.3f}  steps {row['planning_steps']}",
                    flush=True,
                )
    if options.json:
        print(json.dumps({"model": MODEL, "rows": rows}))


if __name__ == "__main__":
    main()
