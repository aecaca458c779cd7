"""Fit the mistake rates of `standin:gpt4-2024` to the published logs of plain LLaMAR.

    python benchmarks/calibrate_standin.py                  compare the present rates
    python benchmarks/calibrate_standin.py --fit 40         search for better ones, print them
    options: --seeds N (stand-in seeds per cell), --workers N, --quick, --json

The search changes a few rates at a time and keeps what lowers the misfit: the sum, over the table
of `mosaic_planner.calibration`, of the squared difference to the published figure in half widths of
its tolerance. It sees plain LLaMAR only; nothing of Mosaic enters.
"""

from __future__ import annotations

import argparse
import json
import random
from dataclasses import fields, replace

from mosaic_planner.calibration import Calibration, compare, simulate
from mosaic_planner.models.standin import RATES, MistakeRates


def misfit(calibration: Calibration) -> float:
    total = 0.0
    for row in calibration.rows:
        half = max((row.high - row.low) / 2, 0.01)
        total += ((row.published - row.standin) / half) ** 2
    return total


def neighbour(rates: MistakeRates, rng: random.Random) -> MistakeRates:
    names = [f.name for f in fields(MistakeRates) if f.name != "malformed_answer"]
    changes = {}
    for name in rng.sample(names, 4):
        old = getattr(rates, name)
        changes[name] = round(min(0.9, max(0.002, old * rng.uniform(0.6, 1.6))), 3)
    return replace(rates, **changes)


def fit(rounds: int, seeds: int, workers: int) -> MistakeRates:
    rng = random.Random(1)
    best = RATES["gpt4-2024"]
    lowest = misfit(compare(simulate(best, range(seeds), workers=workers)))
    print(f"start: {lowest:.2f}", flush=True)
    for number in range(1, rounds + 1):
        rates = neighbour(best, rng)
        # A new set of stand-in seeds each time, so that no lucky set is fitted to.
        used = range(1000 * number, 1000 * number + seeds)
        found = misfit(compare(simulate(rates, used, workers=workers)))
        if found < lowest:
            best, lowest = rates, found
            print(f"{number}: {found:.2f} {rates}", flush=True)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fit", type=int, default=0, metavar="ROUNDS")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--quick", action="store_true", help="one stand-in seed per cell")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    seeds = 1 if args.quick else args.seeds
    rates = fit(args.fit, seeds, args.workers) if args.fit else RATES["gpt4-2024"]
    calibration = compare(simulate(rates, range(seeds), workers=args.workers))
    print(f"{'quantity':18} agents  published  stand-in  tolerated")
    for row in calibration.rows:
        mark = "" if row.inside else "  OUTSIDE"
        print(
            f"{row.quantity:18} {row.agents or 'all':>6} {row.published:10.3f} {row.standin:9.3f}"
            f"  {row.low:.3f} to {row.high:.3f}{mark}"
        )
    if args.json:
        print(json.dumps({**calibration.fields(), "misfit": round(misfit(calibration), 3)}))


if __name__ == "__main__":
    main()
