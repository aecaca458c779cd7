"""Trends from traces, charts as values, pictures."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest
from experiments_fakes import InProcess, make_figures, make_suite

from mosaic_planner.core.trace import Event, Trace
from mosaic_planner.episode import run_episode
from mosaic_planner.experiments.figures import Chart, Panel, Series, save_chart
from mosaic_planner.experiments.figures.build import axis_panels, bar_panels
from mosaic_planner.experiments.outputs import Results, build_outputs, write_outputs
from mosaic_planner.experiments.paper.experiments import EXPERIMENTS, find_experiment
from mosaic_planner.experiments.paper.values import PaperValues
from mosaic_planner.experiments.runner import sweep
from mosaic_planner.experiments.suite import Placement
from mosaic_planner.experiments.trends import cost_trend, mean_trend, score_trend


def outcome(**agents: bool) -> Event:
    return {
        "event": "outcome",
        "agents": {n: {"success": s, "idle": False} for n, s in agents.items()},
    }


def score(done: int) -> Event:
    return {
        "event": "score",
        "completed": ["x"] * done,
        "total": 4,
        "covered": ["y"],
        "coverage_total": 2,
    }


def assignment(**terms: float) -> Event:
    return {"event": "assignment", "chosen": {"A": {"terms": terms}, "B": {"terms": terms}}}


def test_scores_step_by_step() -> None:
    header: Event = {"event": "header", "agents": ["A", "B"]}
    trace = Trace(
        (header, score(0), outcome(A=True, B=False), score(1), outcome(A=True, B=True), score(4))
    )
    trend = score_trend(trace)
    assert trend["transport_rate"] == [0.0, 0.25, 1.0]
    assert trend["coverage"] == [0.5, 0.5, 0.5]
    assert trend["balance"] == pytest.approx([0.0, 0.0, 1 / 2.0001])


def test_costs_step_by_step() -> None:
    header: Event = {"event": "header", "settings": {"weights": {}}}
    trace = Trace((header, assignment(load=0.4, cyclic=2.0, failure=1.0), assignment(load=0.5)))
    trend = cost_trend(trace)
    assert trend["penalty"] == [6.0, 0.0]
    assert trend["load"] == pytest.approx([1.6, 2.0])  # Eq. 3 without lambda_load 0.5
    assert trend["total"] == pytest.approx([6.8, 1.0])


def test_costs_of_a_real_episode_add_up_to_its_objective() -> None:
    episode = run_episode(
        planner="llamar+mosaic", model="standin:careful", steps=6, agents=3, costs="paper"
    )
    trend = cost_trend(episode.trace)
    objectives = [event["objective"] for event in episode.trace.of("assignment")]
    assert trend["total"] == pytest.approx(objectives, abs=1e-4)
    assert len(score_trend(episode.trace)["balance"]) == episode.metrics.planning_steps + 1


def test_means_carry_scores_on_and_drop_costs() -> None:
    kept = mean_trend([[0.0, 1.0], [0.0, 0.0, 0.5]], first=0, carry_to=3)
    assert kept is not None
    assert kept.mean.tolist() == [0.0, 0.5, 0.75, 0.75]
    assert kept.steps.tolist() == [0, 1, 2, 3]
    dropped = mean_trend([[4.0, 2.0], [2.0]], first=1, carry_to=None)
    assert dropped is not None
    assert dropped.mean.tolist() == [3.0, 2.0]
    assert dropped.episodes.tolist() == [2, 1]
    assert mean_trend([[]], first=0, carry_to=None) is None


def _axis_results() -> tuple[Any, list[dict[str, Any]], list[Placement]]:
    suite = make_suite(vary={"agents": [1, 2, 3]})
    lines, places = [], []
    for agents in ("1", "2", "3"):
        for scene in range(1, 4):
            for row in ("LLaMAR", "LLaMAR + Mosaic"):
                key = f"{row}{agents}{scene}"
                task = f"scene {scene}"
                lines.append(
                    make_figures(row=row, task=task, agents=agents, key=key, success=scene > 1)
                )
                places.append(Placement(row, (("agents", agents),), "sar", task, "", 0, key))
    return suite, lines, places


def test_curves_over_team_size_with_the_paper_beside() -> None:
    suite, lines, places = _axis_results()
    paper = PaperValues("", "agents", {("LLaMAR", "3"): {"success": 0.6}}, {})
    panels = axis_panels("f", suite, lines, places, "sar", ["success"], "Agents", paper=paper)
    own, theirs, mosaic = panels[0].series
    assert own.x == (1, 2, 3)
    assert own.y == pytest.approx((2 / 3,) * 3)
    assert all(low < 2 / 3 < high for low, high in zip(own.low, own.high, strict=True))
    assert (theirs.label, theirs.y) == ("LLaMAR (paper)", (None, None, 0.6))
    assert mosaic.colour != own.colour
    assert panels[0].y_limits == (0.0, 1.0)
    bars = bar_panels("f", suite, lines, places, "sar", ["runtime_s"], "Agents")
    assert (bars[0].kind, bars[0].y_limits) == ("bar", None)


def test_pictures_are_written_alike_and_have_their_size(tmp_path: Path) -> None:
    series = Series("a", ("none", "low"), (0.5, None), (0.4, None), (0.6, None))
    dots = Series("a (paper)", ("none", "low"), (0.7, 0.6), paper=True)
    line = Panel("T", "Noise", "Success (↑)", (series, dots), y_limits=(0.0, 1.0))
    bars = Panel("T", "Noise", "Success (↑)", (series, dots), "bar")
    empty = Panel("T", "Step", "Cost", ())
    chart = Chart("c", "Title", (line, bars, empty, line), ("A note.",))
    first = [path.read_bytes() for path in save_chart(chart, tmp_path / "1")]
    again = [path.read_bytes() for path in save_chart(chart, tmp_path / "2")]
    assert first == again
    width, height = struct.unpack(">II", first[0][16:24])
    assert (width, height) == (1890, 1185)
    assert b"<svg" in first[1]


@pytest.mark.parametrize("name", list(EXPERIMENTS))
def test_every_experiment_is_laid_out_from_a_sweep(name: str, tmp_path: Path) -> None:
    """A tiny run of each table's and figure's own suite, in the world that is always there."""
    from mosaic_planner.experiments.catalogue import find_suite

    experiment = find_experiment(name)
    suite = find_suite(experiment.suite).adjusted(quick=True, worlds=["sar"])
    changes = {} if "steps" in suite.vary else {"steps": 2}
    suite = suite.adjusted(settings=changes, vary={"steps": [1, 2]} if not changes else None)
    rows = [suite.rows[0].label, suite.rows[-1].label]
    suite = suite.adjusted(rows=list(dict.fromkeys(rows)), episodes=1)
    assert sweep(suite.plan(), tmp_path, InProcess()).complete
    outputs = build_outputs(Results.of(tmp_path), experiment)
    assert bool(outputs.charts) == name.startswith("fig")
    assert bool(outputs.tables) == name.startswith("table")
    for chart in outputs.charts:
        assert all(panel.series for panel in chart.panels)
        assert chart.notes[0].startswith("STAND-IN")
    for table in outputs.tables:
        assert table.notes[0].startswith("STAND-IN")
    written, notes = write_outputs(outputs, tmp_path)
    assert not notes
    kinds = {path.suffix for path in written} - {".csv"}
    assert kinds == ({".png", ".svg"} if outputs.charts else {".txt", ".md", ".tex"})
