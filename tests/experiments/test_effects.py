"""Rows against their bases: paired differences by point and together, beside the paper's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from experiments_fakes import InProcess, make_figures, make_suite
from typer.testing import CliRunner

from mosaic_planner.cli.app import app
from mosaic_planner.core.errors import UsageError
from mosaic_planner.experiments.catalogue import find_suite
from mosaic_planner.experiments.effects import EFFECT_COLUMNS, effect_tables, effects
from mosaic_planner.experiments.manifest import Manifest
from mosaic_planner.experiments.outputs import Results
from mosaic_planner.experiments.runner import sweep
from mosaic_planner.experiments.tables import text
from mosaic_planner.planners.registry import planner_names


def results(**suite_changes: Any) -> Results:
    """LLaMAR + Mosaic takes 30 s of 100 off (and 2 of 50 calls), in every pair but for a little."""
    suite = make_suite(
        worlds=[{"world": "sar", "tasks": "all"}], vary={"agents": [2, 3]}, **suite_changes
    )
    lines = [
        make_figures(
            row=row,
            task=f"scene {scene}",
            seed=seed,
            agents=str(agents),
            key=f"{row}{scene}{seed}{agents}",
            success=row != "LLaMAR" or scene > 1,
            runtime_s=(100.0 if row == "LLaMAR" else 70.0) + scene / 10,
            llm_calls=50 if row == "LLaMAR" else 48,
            failure_rate=0.2 if row == "LLaMAR" else 0.1 + scene / 1000,
        )
        for row in ("LLaMAR", "LLaMAR + Mosaic")
        for scene in range(1, 6)
        for seed in (0, 10)
        for agents in (2, 3)
    ]
    return Results(Path("none"), Manifest(suite, suite.plan().placements, "d", {}), lines)


def test_every_point_and_all_together_in_percent_of_the_base() -> None:
    found = {(e.point, e.column): e for e in effects(results())}
    assert list(dict.fromkeys(point for point, _ in found)) == [
        (("agents", "2"),),
        (("agents", "3"),),
        (),
    ]
    whole = found[(), "runtime_s"]
    assert (whole.row, whole.base, whole.pairs, whole.tasks) == ("LLaMAR + Mosaic", "LLaMAR", 20, 5)
    assert whole.value == pytest.approx(-30 / 100.3 * 100)
    assert whole.verdict == "better"
    failures = found[(("agents", "3"),), "failure_rate"]
    assert failures.value == pytest.approx(-0.097)
    assert failures.interval is not None
    assert failures.interval.low < failures.value < failures.interval.high < 0
    assert failures.clear
    success = found[(), "success"]
    assert success.value == pytest.approx(0.2)
    assert not success.clear  # one scene of five: nothing is known from that
    assert success.verdict == "open"


def test_the_papers_changes_stand_at_their_team_sizes() -> None:
    found = {(dict(e.point).get("agents"), e.column): e.paper for e in effects(results())}
    assert found["2", "runtime_s"] == -31.9  # stated in the text of Table 2
    assert found["3", "success"] == pytest.approx(0.67 - 0.63)  # Table 3
    assert found["3", "runtime_s"] == pytest.approx(100 * (176.6 - 264.3) / 264.3)
    assert found["3", "llm_calls"] is None
    assert found[None, "success"] is None


def test_tables_show_levels_and_effects() -> None:
    levels, changes = effect_tables(results())
    assert [column.name for column in changes.columns] == list(EFFECT_COLUMNS)
    shown = text(changes)
    assert "-- LLaMAR + Mosaic minus LLaMAR" in shown
    assert "*-29.9*" in shown
    assert "STAND-IN" in shown
    written = text(levels)
    assert "0.67" in written  # the paper's success with 3 agents
    assert "change to LLaMAR" in written


def test_what_cannot_be_compared_is_told() -> None:
    alone = results(rows=[{"label": "LLaMAR", "planner": "llamar"}])
    with pytest.raises(UsageError, match="has a base"):
        effects(alone)
    half = results()
    half = Results(half.folder, half.manifest, [x for x in half.lines if x["row"] == "LLaMAR"])
    with pytest.raises(UsageError, match="no finished episode"):
        effects(half)


def test_the_suite_has_every_planner_with_and_without_mosaic() -> None:
    suite = find_suite("sar-methods")
    methods = [row.settings["planner"] for row in suite.rows]
    assert {m for m in methods if "+" not in m} == set(planner_names())
    assert {m for m in methods if m.endswith("+mosaic")} == {f"{p}+mosaic" for p in planner_names()}
    assert {f"llamar+{part}" for part in ("asm", "fc", "cfm", "ilp")} <= set(methods)
    assert suite.vary["agents"] == [2, 3, 4, 5]
    assert suite.episodes >= 10
    assert len(suite.plan().cells) == len(methods) * 4 * 5 * suite.episodes


def test_the_command_writes_tables(tmp_path: Path) -> None:
    sweep(make_suite().plan(), tmp_path, InProcess())
    shown = CliRunner().invoke(app, ["effects", str(tmp_path)])
    assert shown.exit_code == 0, shown.output
    assert "LLaMAR + Mosaic minus LLaMAR" in shown.output
    assert (tmp_path / "tables" / "tiny-sar-effects.csv").exists()
    printed = json.loads(CliRunner().invoke(app, ["effects", str(tmp_path), "--json"]).output)
    assert {e["figure"] for e in printed["effects"]} == set(EFFECT_COLUMNS)
