"""Trends from traces, charts as values, pictures."""

from __future__ import annotations

import csv
import io
import struct
from pathlib import Path
from typing import Any

import pytest
from experiments_fakes import InProcess, make_figures, make_suite

from mosaic_planner.core.trace import Event, Trace
from mosaic_planner.episode import run_episode
from mosaic_planner.experiments.figures import Chart, Panel, Series, chart_csv, save_chart
from mosaic_planner.experiments.figures.build import axis_panels, bar_panels, trend_table
from mosaic_planner.experiments.figures.draw import _places, _tick
from mosaic_planner.experiments.manifest import Manifest
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


def test_a_chart_is_a_csv_with_the_paper_and_the_difference() -> None:
    ours = Series("a", (1, 2), (0.5, None), (0.4, None), (0.6, None))
    theirs = Series("a (paper)", (1, 3), (0.7, 0.8), paper=True)
    other = Series("b", (1,), (0.1,), colour=1)
    panel = Panel("Success rate", "Agents", "Success", (ours, theirs, other))
    rows = list(csv.DictReader(io.StringIO(chart_csv(Chart("c", "T", (panel,))))))
    assert [(r["series"], r["x"], r["y"], r["paper"]) for r in rows] == [
        ("a", "1", "0.5", "0.7"),
        ("a", "2", "", ""),
        ("a", "3", "", "0.8"),
        ("b", "1", "0.1", ""),
    ]
    assert (rows[0]["low"], rows[0]["high"]) == ("0.4", "0.6")
    assert float(rows[0]["minus_paper"]) == pytest.approx(-0.2)


def test_curves_over_steps_are_read_where_the_paper_has_figures() -> None:
    ours = Series("Total", tuple(range(1, 41)), tuple(float(40 - i) for i in range(40)))
    theirs = Series("Total (paper)", (1, 30, 100), (9.9, 3.03, 1.85), paper=True)
    chart = Chart("fig8-x", "T", (Panel("LLaMAR", "Planning step", "Cost", (ours, theirs)),))
    found = trend_table(chart, {"LLaMAR": 6})
    assert found.column_titles == ("step 1", "step 30", "step 100")
    (line,) = found.lines
    assert (line.label, line.group, line.episodes) == ("Total", "LLaMAR", 6)
    assert [entry.value for entry in line.entries] == [40.0, 11.0, None]
    assert [entry.paper for entry in line.entries] == [9.9, 3.03, 1.85]
    alone = trend_table(Chart("x", "T", (Panel("P", "Step", "Y", (ours,)),)), {"Total": 2})
    assert alone.column_titles == ("step 1", "step 10", "step 25", "step 40")


def test_the_papers_models_stand_beside_the_stand_ins() -> None:
    suite = make_suite(vary={"model": ["standin:weak"]}, settings={"steps": 3, "agents": 2})
    lines = [make_figures(task=f"scene {i}", key=f"k{i}", model="standin:weak") for i in (1, 2)]
    axis = (("model", "standin:weak"),)
    places = [Placement("LLaMAR", axis, "household", f"scene {i}", "", 0, f"k{i}") for i in (1, 2)]
    for line in lines:
        line["world"] = "household"
    results = Results(Path("none"), Manifest(suite, tuple(places), "d", {}), lines)
    outputs = build_outputs(results, find_experiment("fig6"))
    table, chart = outputs.tables[0], outputs.charts[0]
    hosted = [line for line in table.lines if "standin" not in line.group]
    assert {line.group for line in hosted} == {
        "model openai:gpt-4o",
        "model anthropic:claude-sonnet-4-5",
        "model google:gemini-3-flash",
    }
    assert all(entry.value is None for line in hosted for entry in line.entries)
    llamar = next(line for line in hosted if line.label == "LLaMAR")
    assert [entry.paper for entry in llamar.entries] == [0.59, 757.9]
    for series in chart.panels[0].series:
        if not series.paper:
            assert set(series.x) == {"standin:weak"}  # never under a real model's name


def test_the_summary_has_every_world_whatever_is_laid_out() -> None:
    suite = make_suite()
    lines = [make_figures(world=world, key=world) for world in ("household", "sar")]
    places = tuple(Placement("LLaMAR", (), n, "scene 1", "", 0, n) for n in ("household", "sar"))
    results = Results(Path("none"), Manifest(suite, places, "d", {}), lines)
    outputs = build_outputs(results, find_experiment("table10"), ["household"])
    assert [table.name for table in outputs.tables] == ["table10-household"]
    assert {line["world"] for line in outputs.summary} == {"household", "sar"}


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("none", "none"),
        ("standin:gpt4-2024", "standin:\ngpt4-2024"),
        ("anthropic:claude-sonnet-4-5", "anthropic:\nclaude-\nsonnet-4-5"),
        ("google:gemini-3-flash", "google:\ngemini-3-\nflash"),
        ("failure 4, cyclic 2", "failure 4,\ncyclic 2"),
        (2, "2"),
        ("", "-"),
    ],
)
def test_labels_of_an_axis_are_short_lines(text: float | str, lines: str) -> None:
    assert _tick(text, 11) == lines


def test_equal_curves_do_not_hide_one_another() -> None:
    few = tuple(Series(n, (1, 2, 3), (0.5, 0.5, 0.5), colour=i) for i, n in enumerate("abc"))
    theirs = Series("c (paper)", (1, 2, 3), (0.6, 0.6, 0.6), paper=True, colour=2)
    panel = Panel("T", "Agents", "Y", (*few, theirs))
    places = _places(panel, {1: 1.0, 2: 2.0, 3: 3.0})
    assert len({shift for shift, _ in places[:3]}) == 3
    assert max(abs(shift) for shift, _ in places) < 0.1
    assert places[3][0] == places[2][0]
    steps = tuple(range(50))
    many = tuple(Series(n, steps, (0.5,) * 50, colour=i) for i, n in enumerate("abc"))
    widths = [width for _, width in _places(Panel("T", "Step", "Y", many), {})]
    assert widths == sorted(widths, reverse=True)
    assert len(set(widths)) == 3


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
    assert outputs.tables
    for chart in outputs.charts:
        assert all(panel.series for panel in chart.panels)
        assert chart.notes[0].startswith("STAND-IN")
    for table in outputs.tables:
        assert table.notes[0].startswith("STAND-IN")
    written, notes = write_outputs(outputs, tmp_path)
    assert not notes
    kinds = {path.suffix for path in written}
    assert kinds == {".txt", ".md", ".tex", ".csv"} | (
        {".png", ".svg"} if outputs.charts else set()
    )
