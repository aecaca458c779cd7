"""How close the stand-in `gpt4-2024` comes to the published logs of plain LLaMAR.

Plain LLaMAR in search and rescue in faithful mode (35 steps), scenes 1 to 5, seeds 0 to 40, 2 to 5
agents, is run with many seeds of the stand-in and compared with the 25 published episodes per team
size (llamar_architecture, section 4). A published rate agrees if it lies inside the 95 %
prediction interval for 25 episodes of the same design: one episode per scene and seed, drawn from
the stand-in's. Shares of failed actions by verb agree within 12 points.

The stand-in's own figures come from a sample too; how far another set of its seeds might move them
is said beside each (`Row.sampled_low`, `sampled_high`). From one seed (25 episodes per team size)
that is as much as the prediction interval itself; 20 are needed for a verdict.

What it is not: evidence about any hosted model. It says that the stand-in's mistakes are about as
frequent and as harmful as those in the logs, nothing about why they happen, and nothing about how
they are shared among the candidates of one answer.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from mosaic_planner.assembly import build
from mosaic_planner.config import load_config
from mosaic_planner.core.clock import LATENCY_PROFILES
from mosaic_planner.core.trace import TraceWriter
from mosaic_planner.episode import play
from mosaic_planner.models.standin import RATES, MistakeRates, StandIn

__all__ = [
    "ENOUGH_SEEDS",
    "PUBLISHED",
    "Calibration",
    "Result",
    "Row",
    "calibrate",
    "compare",
    "simulate",
]

TEAM_SIZES = (2, 3, 4, 5)
SCENES = (1, 2, 3, 4, 5)
SEEDS = (0, 10, 20, 30, 40)
SHARE_TOLERANCE = 0.12
DRAWS = 4000
RESAMPLES = 1000
ENOUGH_SEEDS = 20
"""Stand-in seeds per cell from which on the comparison is a verdict."""

_FEW = 5  # episodes per cell; fewer say too little about the spread within one

PUBLISHED: dict[int, dict[str, float]] = {
    2: {"success": 0.44, "failure": 0.196},
    3: {"success": 0.68, "failure": 0.103},
    4: {"success": 0.72, "failure": 0.137},
    5: {"success": 0.68, "failure": 0.123},
}
"""By team size: success rate, and share of agents' actions that failed; 25 episodes each."""

PUBLISHED_SHARES: dict[str, float] = {
    "DropOff": 274 / 437,
    "UseSupply": 400 / 804,
    "Carry": 178 / 367,
    "GetSupply": 209 / 863,
}
"""Failed by issued actions of one verb, all team sizes together."""


@dataclass(frozen=True, slots=True)
class Result:
    """One episode: where it was, whether it succeeded, and (failed, issued) by verb."""

    agents: int
    scene: int
    seed: int
    success: bool
    transport_rate: float
    steps: int
    verbs: Mapping[str, tuple[int, int]]

    @property
    def failed(self) -> int:
        """Failed actions of all agents."""
        return sum(failed for failed, _ in self.verbs.values())

    @property
    def issued(self) -> int:
        """Actions of all agents."""
        return sum(issued for _, issued in self.verbs.values())


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; the tolerance is the interval [low, high].

    `sampled_low`, `sampled_high`: the 95 % interval of the stand-in's figure over other seeds of
    it (bootstrap over episodes within cells).
    """

    quantity: str
    agents: int | None
    published: float
    standin: float
    low: float
    high: float
    sampled_low: float
    sampled_high: float

    @property
    def inside(self) -> bool:
        """Whether the published figure lies in the interval."""
        return self.low <= self.published <= self.high

    def fields(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "quantity": self.quantity,
            "agents": self.agents,
            "published": round(self.published, 4),
            "standin": round(self.standin, 4),
            "difference": round(self.standin - self.published, 4),
            "low": round(self.low, 4),
            "high": round(self.high, 4),
            "sampled_low": round(self.sampled_low, 4),
            "sampled_high": round(self.sampled_high, 4),
            "inside": self.inside,
        }


@dataclass(frozen=True, slots=True)
class Calibration:
    """The whole comparison. `seeds`: stand-in seeds in the smallest cell."""

    rows: tuple[Row, ...]
    episodes: int
    seeds: int

    @property
    def within_tolerance(self) -> bool:
        """Whether every published figure agrees."""
        return all(row.inside for row in self.rows)

    @property
    def enough(self) -> bool:
        """Whether there were enough seeds for a verdict."""
        return self.seeds >= ENOUGH_SEEDS

    def fields(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "within_tolerance": self.within_tolerance,
            "enough_seeds": self.enough,
            "episodes": self.episodes,
            "rows": [row.fields() for row in self.rows],
        }


@dataclass(frozen=True, slots=True)
class _Job:
    agents: int
    scene: int
    seed: int
    standin_seed: int
    rates: MistakeRates
    planner: str


def _run(job: _Job) -> Result:
    config = load_config(
        options={
            "planner": job.planner,
            "scene": job.scene,
            "agents": job.agents,
            "seed": job.seed,
            "model": "standin:gpt4-2024",
            "faithful": True,
        }
    )
    latency = LATENCY_PROFILES[config.latency]
    model = StandIn("standin:gpt4-2024", job.rates, latency, seed=job.standin_seed)
    writer = TraceWriter()
    episode = asyncio.run(play(config, build(config, writer, model=model), writer))
    failed: Counter[str] = Counter()
    issued: Counter[str] = Counter()
    for event in episode.trace.of("outcome"):
        for outcome in event["agents"].values():
            verb = str(outcome["action"]).partition("(")[0]
            issued[verb] += 1
            failed[verb] += not outcome["success"]
    metrics = episode.metrics
    return Result(
        job.agents,
        job.scene,
        job.seed,
        metrics.success,
        metrics.transport_rate,
        metrics.planning_steps,
        {verb: (failed[verb], issued[verb]) for verb in sorted(issued)},
    )


def simulate(
    rates: MistakeRates,
    standin_seeds: Sequence[int],
    *,
    team_sizes: Sequence[int] = TEAM_SIZES,
    scenes: Sequence[int] = SCENES,
    planner: str = "llamar",
    workers: int = 1,
    on_result: Callable[[Result], None] | None = None,
) -> list[Result]:
    """All scenes and seeds of the published design for each stand-in seed; order is fixed."""
    jobs = [
        _Job(agents, scene, seed, standin_seed, rates, planner)
        for agents in team_sizes
        for scene in scenes
        for seed in SEEDS
        for standin_seed in standin_seeds
    ]

    def collect(found: Iterator[Result]) -> list[Result]:
        results = []
        for result in found:
            if on_result is not None:
                on_result(result)
            results.append(result)
        return results

    if workers <= 1:
        return collect(map(_run, jobs))
    with ProcessPoolExecutor(workers) as pool:
        return collect(pool.map(_run, jobs, chunksize=5))


def _share(results: Sequence[Result]) -> float:
    return sum(r.failed for r in results) / max(1, sum(r.issued for r in results))


def _interval(values: list[float]) -> tuple[float, float]:
    values.sort()
    cut = round(0.025 * len(values))
    return values[cut], values[-cut - 1]


_Cells = list[list[Result]]


def _cells(results: Sequence[Result]) -> _Cells:
    """Episodes by team size, scene and seed, in order."""
    cells: dict[tuple[int, int, int], list[Result]] = {}
    for r in sorted(results, key=lambda r: (r.agents, r.scene, r.seed)):
        cells.setdefault((r.agents, r.scene, r.seed), []).append(r)
    return list(cells.values())


def _sampled(
    cells: _Cells, part: Callable[[Result], float], whole: Callable[[Result], float]
) -> tuple[float, float]:
    """The 95 % interval of sum(part) / sum(whole) over other episodes of the same cells."""
    if min(map(len, cells)) < _FEW:
        cells = [[r for cell in cells for r in cell]]
    rng = np.random.default_rng(0)
    parts, wholes = np.zeros(RESAMPLES), np.zeros(RESAMPLES)
    for cell in cells:
        chosen = rng.integers(0, len(cell), (RESAMPLES, len(cell)))
        parts += np.array([part(r) for r in cell])[chosen].sum(axis=1)
        wholes += np.array([whole(r) for r in cell])[chosen].sum(axis=1)
    low, high = np.quantile(parts / np.maximum(wholes, 1), (0.025, 0.975))
    return float(low), float(high)


def compare(results: Sequence[Result]) -> Calibration:
    """The table from finished episodes; the same results give the same table.

    Raises ValueError without results.
    """
    if not results:
        raise ValueError("no episodes to compare")
    rows = []
    everything = _cells(results)
    for agents in sorted({r.agents for r in results}):
        mine = [r for r in results if r.agents == agents]
        cells = [cell for cell in everything if cell[0].agents == agents]
        rng = random.Random(agents)
        drawn_from = cells if min(map(len, cells)) >= _FEW else [mine] * len(cells)
        draws = [[rng.choice(cell) for cell in drawn_from] for _ in range(DRAWS)]
        success = _interval([sum(r.success for r in draw) / len(draw) for draw in draws])
        failure = _interval([_share(draw) for draw in draws])
        published = PUBLISHED[agents]
        mean = sum(r.success for r in mine) / len(mine)
        sampled = _sampled(cells, lambda r: r.success, lambda _: 1)
        rows.append(Row("success", agents, published["success"], mean, *success, *sampled))
        sampled = _sampled(cells, lambda r: r.failed, lambda r: r.issued)
        rows.append(Row("failure", agents, published["failure"], _share(mine), *failure, *sampled))
    for verb, published_share in PUBLISHED_SHARES.items():

        def failed(r: Result, verb: str = verb) -> int:
            return r.verbs.get(verb, (0, 0))[0]

        def issued(r: Result, verb: str = verb) -> int:
            return r.verbs.get(verb, (0, 0))[1]

        share = sum(map(failed, results)) / max(1, sum(map(issued, results)))
        low, high = share - SHARE_TOLERANCE, share + SHARE_TOLERANCE
        sampled = _sampled(everything, failed, issued)
        rows.append(Row(f"failed {verb}", None, published_share, share, low, high, *sampled))
    return Calibration(tuple(rows), len(results), min(map(len, everything)))


def calibrate(
    *,
    seeds: int = 20,
    first_seed: int = 0,
    workers: int = 1,
    on_result: Callable[[Result], None] | None = None,
) -> Calibration:
    """Run the published design with `seeds` >= 1 stand-in seeds from `first_seed` on; compare."""
    rates = RATES["gpt4-2024"]
    used = range(first_seed, first_seed + seeds)
    return compare(simulate(rates, used, workers=workers, on_result=on_result))
