"""Fit the mistake rates of `standin:gpt4-2024` to the published logs of plain LLaMAR.

    python benchmarks/calibrate_standin.py                  compare the present rates
    python benchmarks/calibrate_standin.py --fit 2          search for better ones, print them
    options: --seeds N (stand-in seeds per cell), --first-seed N, --vectors N, --workers N,
             --quick, --json

One round of the search runs the published design once for each of many rate vectors around the
present one (each rate's logit moved up or down by chance), fits a plane to the twelve figures, and
goes where the plane comes nearest to the published figures, measured in half widths of their
tolerances, with a price on every move. Common random numbers would not help: a stand-in's draws
depend on its messages, and after the first different action no message is the same.

The fit uses stand-in seeds from 5000 on, every vector another; the comparison those from
--first-seed on, so nothing is checked on what it was fitted to. It sees plain LLaMAR only; nothing
of Mosaic enters.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from dataclasses import fields, replace

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.calibration import Calibration, compare, simulate
from mosaic_planner.models.standin import RATES, MistakeRates

Array = NDArray[np.float64]

NAMES = [f.name for f in fields(MistakeRates) if f.name != "malformed_answer"]
FIT_SEEDS = 5000
STEP = 0.5  # how far a rate's logit is moved to see what it does
PRICE = 0.1  # of a move by STEP, in squared half widths
FARTHEST = 1.5  # steps that one round may move a rate
SLACK = 3.0  # ridge: how many observations of "no effect" each slope starts with


def logits(rates: MistakeRates) -> Array:
    return np.array([math.log(p / (1 - p)) for p in (getattr(rates, name) for name in NAMES)])


def from_logits(values: Array) -> MistakeRates:
    chances = {
        name: round(float(1 / (1 + math.exp(-v))), 3) for name, v in zip(NAMES, values, strict=True)
    }
    return replace(RATES["gpt4-2024"], **chances)


def half_widths(calibration: Calibration) -> Array:
    return np.array([max((row.high - row.low) / 2, 0.01) for row in calibration.rows])


def misfit(calibration: Calibration) -> float:
    apart = np.array([row.published - row.standin for row in calibration.rows])
    return float(np.sum((apart / half_widths(calibration)) ** 2))


def one_round(centre: Array, number: int, vectors: int, workers: int) -> Array:
    moves, figures, everything = [], [], []
    rng = random.Random(number)
    for i in range(vectors):
        move = np.array([rng.choice((-1.0, 1.0)) for _ in NAMES])
        seed = FIT_SEEDS + 1000 * number + i
        results = simulate(from_logits(centre + STEP * move), [seed], workers=workers)
        everything += results
        moves.append(move)
        figures.append([row.standin for row in compare(results).rows])
        print(f"round {number}, vector {i + 1} of {vectors}", flush=True)
    design = np.column_stack([np.ones(vectors), np.array(moves)])
    ridge = SLACK * np.diag([0.0, *np.ones(len(NAMES))])
    plane = np.linalg.solve(design.T @ design + ridge, design.T @ np.array(figures))
    around = compare(everything)
    half = half_widths(around)
    missing = (np.array([row.published for row in around.rows]) - plane[0]) / half
    slopes = plane[1:] / half
    step = np.zeros(len(NAMES))
    for _ in range(20_000):  # gradient descent on a convex function, inside a box
        gradient = -2 * slopes @ (missing - step @ slopes) + 2 * PRICE * step
        step = np.clip(step - 0.02 * gradient, -FARTHEST, FARTHEST)
    return centre + STEP * step


def fit(rounds: int, vectors: int, workers: int) -> MistakeRates:
    centre = logits(RATES["gpt4-2024"])
    for number in range(rounds):
        centre = one_round(centre, number, vectors, workers)
        print(from_logits(centre), flush=True)
    return from_logits(centre)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fit", type=int, default=0, metavar="ROUNDS")
    parser.add_argument("--vectors", type=int, default=40, help="rate vectors per round")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="one stand-in seed per cell")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    seeds = 1 if args.quick else args.seeds
    present = RATES["gpt4-2024"]
    rates = fit(args.fit, args.vectors, args.workers) if args.fit else present
    used = range(args.first_seed, args.first_seed + seeds)
    calibration = compare(simulate(rates, used, workers=args.workers))
    print(f"{'quantity':18} agents  published  stand-in  sampled          tolerated")
    for row in calibration.rows:
        mark = "" if row.inside else "  OUTSIDE"
        print(
            f"{row.quantity:18} {row.agents or 'all':>6} {row.published:10.3f} {row.standin:9.3f}"
            f"  {row.sampled_low:.3f} to {row.sampled_high:.3f}"
            f"  {row.low:.3f} to {row.high:.3f}{mark}"
        )
    if args.json:
        print(json.dumps({**calibration.fields(), "misfit": round(misfit(calibration), 3)}))


if __name__ == "__main__":
    main()
