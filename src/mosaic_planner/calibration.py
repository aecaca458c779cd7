"""How close the stand-in `gpt4-2024` comes to the published logs of plain LLaMAR.

Plain LLaMAR in search and rescue in faithful mode (35 steps), scenes 1 to 5, seeds 0 to 40, 2 to 5
agents, is run with many seeds of the stand-in and compared with the 25 published episodes per team
size (llamar_architecture, section 4). A published rate agrees if it lies inside the 95 %
prediction interval for 25 episodes of the same design: one episode per scene and seed, drawn from
the stand-in's. Shares of failed actions by verb agree within 12 points.

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

from mosaic_planner.assembly import build
from mosaic_planner.config import load_config
from mosaic_planner.core.clock import LATENCY_PROFILES
from mosaic_planner.core.trace import TraceWriter
from mosaic_planner.episode import play
from mosaic_planner.models.standin import RATES, MistakeRates, StandIn

__all__ = ["PUBLISHED", "Calibration", "Result", "Row", "calibrate", "compare", "simulate"]

TEAM_SIZES = (2, 3, 4, 5)
SCENES = (1, 2, 3, 4, 5)
SEEDS = (0, 10, 20, 30, 40)
SHARE_TOLERANCE = 0.12
DRAWS = 4000

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
    """One line of the table; the tolerance is the interval [low, high]."""

    quantity: str
    agents: int | None
    published: float
    standin: float
    low: float
    high: float

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
            "inside": self.inside,
        }


@dataclass(frozen=True, slots=True)
class Calibration:
    """The whole comparison."""

    rows: tuple[Row, ...]
    episodes: int

    @property
    def within_tolerance(self) -> bool:
        """Whether every published figure agrees."""
        return all(row.inside for row in self.rows)

    def fields(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            "within_tolerance": self.within_tolerance,
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


def compare(results: Sequence[Result]) -> Calibration:
    """The table from finished episodes; the same results give the same table."""
    rows = []
    for agents in sorted({r.agents for r in results}):
        mine = [r for r in results if r.agents == agents]
        cells: dict[tuple[int, int], list[Result]] = {}
        for r in mine:
            cells.setdefault((r.scene, r.seed), []).append(r)
        rng = random.Random(agents)
        draws = [[rng.choice(cell) for cell in cells.values()] for _ in range(DRAWS)]
        success = _interval([sum(r.success for r in draw) / len(draw) for draw in draws])
        failure = _interval([_share(draw) for draw in draws])
        published = PUBLISHED[agents]
        mean = sum(r.success for r in mine) / len(mine)
        rows.append(Row("success", agents, published["success"], mean, *success))
        rows.append(Row("failure", agents, published["failure"], _share(mine), *failure))
    for verb, published_share in PUBLISHED_SHARES.items():
        failed = sum(r.verbs.get(verb, (0, 0))[0] for r in results)
        share = failed / max(1, sum(r.verbs.get(verb, (0, 0))[1] for r in results))
        low, high = share - SHARE_TOLERANCE, share + SHARE_TOLERANCE
        rows.append(Row(f"failed {verb}", None, published_share, share, low, high))
    return Calibration(tuple(rows), len(results))


def calibrate(
    *, seeds: int = 20, workers: int = 1, on_result: Callable[[Result], None] | None = None
) -> Calibration:
    """Run the published design with stand-in seeds 0 to `seeds` - 1 (>= 1) and compare."""
    rates = RATES["gpt4-2024"]
    return compare(simulate(rates, range(seeds), workers=workers, on_result=on_result))
