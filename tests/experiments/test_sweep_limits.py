"""What a sweep may spend holds for all its processes and nodes, before each request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from experiments_fakes import InProcess

from mosaic_planner.experiments.engines import Engine
from mosaic_planner.experiments.engines.asynchronous import AsyncEngine
from mosaic_planner.experiments.engines.process import ProcessEngine
from mosaic_planner.experiments.runner import SpendingLimits, SweepResult, load_results, sweep
from mosaic_planner.experiments.suite import Suite
from mosaic_planner.models.limits import FileBudget, Limits


def run(suite: Suite, folder: Path, **options: Any) -> SweepResult:
    return sweep(suite.plan(), folder, options.pop("engine", None) or InProcess(), **options)


def test_spending_limits_hold_for_the_sweep(tiny: Suite, tmp_path: Path) -> None:
    whole = run(tiny, tmp_path / "whole")
    assert whole.complete
    _, lines = load_results(tmp_path / "whole")
    calls = sum(line["llm_calls"] for line in lines)
    result = run(tiny, tmp_path / "less", limits=SpendingLimits(calls=calls - 1))
    assert "limit of" in result.stopped
    assert "calls" in result.stopped
    _, kept = load_results(tmp_path / "less")
    assert 0 < sum(line["llm_calls"] for line in kept) < calls
    assert run(tiny, tmp_path / "less", limits=SpendingLimits(calls=calls)).complete


@pytest.mark.parametrize("engine", [AsyncEngine(jobs=4), ProcessEngine(jobs=2)])
def test_no_request_goes_out_beyond_a_sweeps_limit(
    tiny: Suite, tmp_path: Path, engine: Engine
) -> None:
    """All cells start before anything is known of what one costs; each needs 4 to 10 calls."""
    result = run(tiny, tmp_path, engine=engine, limits=SpendingLimits(calls=3))
    assert "sweep limit on calls: 3 of 3 used" in result.stopped
    assert (result.finished, result.failures, result.unreachable) == (0, {}, ())
    assert list((tmp_path / "partial").iterdir()) == []
    spent = FileBudget(tmp_path / "spending.sqlite", Limits(calls=3)).spent
    assert spent.calls == 3
    again = run(tiny, tmp_path, engine=InProcess(), limits=SpendingLimits(calls=3))
    assert again.finished == 0
    assert FileBudget(tmp_path / "spending.sqlite", Limits()).spent.calls == 3
    assert run(tiny, tmp_path).complete


@pytest.mark.parametrize(
    "limits",
    [SpendingLimits(tokens=9_000), SpendingLimits(time_s=5.0), SpendingLimits(cost_usd=0.5)],
)
def test_other_limits_of_a_sweep(tiny: Suite, tmp_path: Path, limits: SpendingLimits) -> None:
    result = run(tiny, tmp_path, engine=AsyncEngine(jobs=2), limits=limits)
    spent = FileBudget(tmp_path / "spending.sqlite", limits.limits).spent
    if limits.cost_usd is not None:  # the stand-in is free: nothing is ever refused
        assert result.complete
        assert spent.money_usd == 0.0
        return
    assert "sweep limit on" in result.stopped or "whole sweep" in result.stopped
    assert not result.complete
    assert limits.tokens is None or spent.tokens <= limits.tokens
    one_call_s = 20.0
    assert limits.time_s is None or spent.time_s < limits.time_s + 2 * one_call_s


@pytest.mark.slow
def test_limits_hold_on_a_cluster(tiny: Suite, tmp_path: Path) -> None:
    from mosaic_planner.experiments.engines.ray import RayEngine

    engine = RayEngine(jobs=2)
    result = run(tiny, tmp_path, engine=engine, limits=SpendingLimits(calls=3))
    assert "sweep limit on calls: 3 of 3 used" in result.stopped
    assert result.finished == 0
    assert FileBudget(tmp_path / "spending.sqlite", Limits(calls=3)).spent.calls == 3
