"""What a sweep would cost, before anything is spent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mosaic_planner.core.errors import MosaicError
from mosaic_planner.experiments.results import Row, episode_row
from mosaic_planner.experiments.suite import Cell, Plan

__all__ = ["Estimate", "estimate"]

_PILOT_STEPS = 15
_PILOT_MODEL = "standin:gpt4-2024"
_DEFAULT_STEPS = 100


@dataclass(frozen=True, slots=True)
class Estimate:
    """Episodes and amounts still to spend. `low`/`high`: an episode that ends early, and one that
    uses its whole budget of steps. `cost_usd` None: a model has no known price. `basis`: where
    the rates per step come from.
    """

    episodes: int
    finished: int
    calls: tuple[int, int]
    tokens: tuple[int, int]
    cost_usd: tuple[float, float] | None
    models: tuple[str, ...]
    basis: str


def _kind(cell: Cell) -> tuple[Any, ...]:
    c = cell.config
    return c.world, c.planner, c.agents, c.k, c.candidates


def _pilot(cell: Cell) -> Row:
    """A short episode of this kind with the stand-in, in memory: nothing is spent or kept."""
    from mosaic_planner.episode import run_episode

    changes = {"model": _PILOT_MODEL, "steps": _PILOT_STEPS, "model_options": {}, "noise": "none"}
    episode = run_episode(cell.config.model_copy(update=changes))
    return episode_row(episode.trace, episode.metrics)


def estimate(plan: Plan, finished: Mapping[str, Row]) -> Estimate:
    """Calls, tokens and cost of the episodes that are not finished.

    Per planning step as in finished episodes of the same method, world and team size, else as in
    one short episode with the stand-in, whose prompts are the same and whose answers are about as
    long.
    """
    from mosaic_planner.models.prices import price_of
    from mosaic_planner.models.protocol import Usage

    kinds: dict[tuple[Any, ...], list[Row]] = {}
    for cell in plan.cells:
        row = finished.get(cell.key)
        if row is not None:
            kinds.setdefault(_kind(cell), []).append(row)
    pilots = 0
    bounds = {"calls": [0.0, 0.0], "tokens": [0.0, 0.0], "cost": [0.0, 0.0]}
    priced = True
    pending = [cell for cell in plan.cells if cell.key not in finished]
    for cell in pending:
        kind = _kind(cell)
        if kind not in kinds:
            try:
                kinds[kind] = [_pilot(cell)]
                pilots += 1
            except MosaicError:
                kinds[kind] = []
        rows = kinds[kind]
        steps = sum(row["planning_steps"] for row in rows)
        if not steps:
            continue
        budget = cell.config.steps or _DEFAULT_STEPS
        price = price_of(cell.config.model)
        priced = priced and price is not None
        inputs = sum(row["prompt_tokens"] for row in rows) / steps
        outputs = sum(row["output_tokens"] for row in rows) / steps
        calls = sum(row["llm_calls"] for row in rows) / steps
        for i, used in enumerate((min(budget, _PILOT_STEPS), budget)):
            usage = Usage(round(inputs * used), 0, round(outputs * used))
            bounds["calls"][i] += calls * used
            bounds["tokens"][i] += (inputs + outputs) * used
            bounds["cost"][i] += price.of(usage) if price is not None else 0.0
    basis = "finished episodes" if not pilots else f"{pilots} short episodes with {_PILOT_MODEL}"
    low_calls, high_calls = bounds["calls"]
    low_tokens, high_tokens = bounds["tokens"]
    return Estimate(
        episodes=len(plan.cells),
        finished=len(plan.cells) - len(pending),
        calls=(round(low_calls), round(high_calls)),
        tokens=(round(low_tokens), round(high_tokens)),
        cost_usd=(bounds["cost"][0], bounds["cost"][1]) if priced else None,
        models=tuple(dict.fromkeys(cell.config.model for cell in plan.cells)),
        basis=basis,
    )
