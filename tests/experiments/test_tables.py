"""Tables: averages, changes, best values, the paper beside; every format, golden files."""

from __future__ import annotations

import csv
import io
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from experiments_fakes import make_figures, make_suite

from mosaic_planner.experiments.paper.values import PaperValues
from mosaic_planner.experiments.suite import Placement
from mosaic_planner.experiments.tables import (
    PAPER_COLUMNS,
    Table,
    latex,
    markdown,
    method_table,
    pivot_table,
    spread_table,
    table_csv,
    text,
)
from mosaic_planner.experiments.tables.build import SUMMARY_COLUMNS, summary_lines
from mosaic_planner.experiments.tables.columns import COLUMNS
from mosaic_planner.experiments.tables.latex import escape, latex_document
from mosaic_planner.experiments.tables.plain import CSV_COLUMNS, change_text, sub_lines

GOLDEN = Path(__file__).parent / "golden"
AXIS = (("agents", "2"),)


def results(suite_axis: bool = False) -> list[dict[str, Any]]:
    """Two methods on five scenes and two seeds; the second fails less and is faster."""
    lines = []
    for scene in range(1, 6):
        for seed in (0, 10):
            where: dict[str, Any] = {"task": f"scene {scene}", "seed": seed}
            if suite_axis:
                where["agents"] = "2"
            lines.append(
                make_figures(
                    **where,
                    key=f"a{scene}{seed}",
                    success=scene % 2 == 0,
                    runtime_s=100.0 + 10 * scene + seed,
                )
            )
            lines.append(
                make_figures(
                    **where,
                    row="LLaMAR + Mosaic",
                    key=f"b{scene}{seed}",
                    failure_rate=0.02,
                    runtime_s=60.0 + 9 * scene + seed,
                    solver_s=0.5,
                )
            )
    return lines


def placements(lines: list[dict[str, Any]], axis: bool = False) -> list[Placement]:
    return [
        Placement(
            line["row"], AXIS if axis else (), "sar", line["task"], "", line["seed"], line["key"]
        )
        for line in lines
    ]


PAPER = PaperValues(
    "Table 99",
    "",
    {("LLaMAR", ""): {"success": 0.55}},
    {"LLaMAR + Mosaic": {"runtime_s": -31.9}},
)


def table(paper: PaperValues | None = PAPER) -> Table:
    suite = make_suite(title="A & B_1 at 100 %")
    lines = results()
    found = method_table("t", suite, lines, placements(lines), "sar", PAPER_COLUMNS, paper=paper)
    return Table(found.name, found.title, found.columns, found.lines, ("STAND-IN: a note.",))


def test_averages_changes_and_the_paper() -> None:
    base, mosaic = table().lines
    names = dict(zip(PAPER_COLUMNS, range(9), strict=True))
    assert base.entries[names["success"]].value == pytest.approx(0.4)
    assert base.entries[names["success"]].gap == pytest.approx(-0.15)
    assert base.entries[names["success"]].change is None
    runtime = mosaic.entries[names["runtime_s"]]
    assert runtime.value == pytest.approx(92.0)
    assert runtime.change == pytest.approx(100 * (92.0 - 135.0) / 135.0)
    assert runtime.change_clear
    assert runtime.paper is None
    assert runtime.paper_change == -31.9
    assert runtime.interval is not None
    assert runtime.interval.low < 92.0 < runtime.interval.high
    success = mosaic.entries[names["success"]]
    assert success.best
    assert not base.entries[names["success"]].best
    assert not base.entries[names["coverage"]].best  # all equal: none is better
    assert (base.episodes, base.tasks, base.waiting) == (10, 5, 0)


def test_ours_is_not_set_beside_the_paper() -> None:
    rows = [
        {"label": "LLaMAR", "planner": "llamar"},
        {"label": "LLaMAR + Mosaic", "planner": "llamar+mosaic", "ours": True},
    ]
    lines = results()
    paper = PaperValues("", "", {("LLaMAR + Mosaic", ""): {"success": 0.5}}, {})
    found = method_table(
        "t", make_suite(rows=rows), lines, placements(lines), "sar", ["success"], paper=paper
    )
    assert found.lines[1].entries[0].paper is None


def test_missing_episodes_are_counted_and_empty_rows_have_no_value() -> None:
    lines = [line for line in results() if line["row"] == "LLaMAR"]
    found = method_table(
        "t", make_suite(), lines, placements(results()), "sar", ["success", "runtime_s"]
    )
    assert found.lines[1].waiting == 10
    assert found.lines[1].entries[0].value is None
    assert "0 (+10)" in text(found)


def test_solver_columns_are_empty_without_a_solver() -> None:
    lines = results()
    found = method_table(
        "t", make_suite(), lines, placements(lines), "sar", ["solver_s", "solver_share"]
    )
    assert found.lines[0].entries[0].value is None
    assert found.lines[1].entries[1].value == pytest.approx(100 * 0.5 / 100.5)


def test_text_markdown_and_csv_show_the_same() -> None:
    made = table()
    shown, marked = text(made), markdown(made)
    for piece in ("STAND-IN", "*1.00*", "*92.0*", "here - paper", "-31.9%", "change to LLaMAR"):
        assert piece in shown
    assert "**1.00** (+0.60" in marked
    assert marked.count("\n| ") == 10  # heading, rule, two methods, their lines below
    rows = list(csv.DictReader(io.StringIO(table_csv(made))))
    assert tuple(rows[0]) == CSV_COLUMNS
    assert len(rows) == 18
    first = rows[0]
    assert (first["figure"], first["line"], first["paper"]) == ("success", "LLaMAR", "0.55")
    assert float(first["value"]) == pytest.approx(0.4)
    assert float(first["minus_paper"]) == pytest.approx(-0.15)
    assert first["interval"] == "Wilson over clusters"


def test_where_the_paper_states_a_change_only_changes_are_compared() -> None:
    entry = table().lines[1].entries[PAPER_COLUMNS.index("runtime_s")]
    assert entry.paper is None
    assert entry.change is not None
    assert entry.change_gap == pytest.approx(entry.change + 31.9)
    below = dict(sub_lines(table().lines[1], table().columns))
    assert "(-31.9%)" in below["paper"]
    assert f"({entry.change + 31.9:+z.1f}%)" in below["here - paper"]
    rows = list(csv.DictReader(io.StringIO(table_csv(table()))))
    told = [row["paper_change"] for row in rows if row["paper_change"]]
    assert told == ["-31.9"]


def test_nothing_is_minus_zero_and_arrows_stay_with_their_unit() -> None:
    column = COLUMNS["runtime_s"]
    assert column.format(-0.01) == "0.0"
    assert change_text(column, -0.01) == "+0.0%"
    gap = PaperValues("Table 99", "", {("LLaMAR", ""): {"failure_rate": 0.1000001}}, {})
    assert "+0.00" in text(table(gap))
    assert "-0.00" not in text(table(gap))
    heads = "\n".join(text(table()).splitlines()[2:6])
    assert column.heading.partition(" ")[2] in heads
    assert "~" in escape(column.heading)


def test_lines_stay_within_the_aligned_width() -> None:
    lines = text(table()).splitlines()
    width = len(lines[next(i for i, line in enumerate(lines) if line.startswith("---"))])
    assert width < 150
    assert all(len(line) <= width for line in lines)


def test_pivot_has_a_column_per_point() -> None:
    suite = make_suite(vary={"agents": [2]})
    lines = results(suite_axis=True)
    found = pivot_table("t", suite, lines, placements(lines, axis=True), "sar", "success")
    assert found.column_titles == ("agents 2",)
    assert [line.entries[0].best for line in found.lines] == [False, True]
    assert "agents 2" in text(found)


def test_spread_by_name() -> None:
    lines = results()
    found = spread_table(
        "t",
        make_suite(),
        lines,
        "sar",
        ["success", "runtime_s"],
        ["standard deviation over episodes", "variance over repeats"],
    )
    own = [line["runtime_s"] for line in lines if line["row"] == "LLaMAR"]
    means = [np.mean(own[0::2]), np.mean(own[1::2])]
    assert found.lines[0].entries[1].value == pytest.approx(np.var(means, ddof=1))
    wins = [float(line["success"]) for line in lines if line["row"] == "LLaMAR"]
    assert found.lines[0].entries[0].value == pytest.approx(np.std(wins, ddof=1))


def test_summary_names_every_kind_of_spread() -> None:
    lines = summary_lines("t", make_suite(), results(), "sar")
    assert all(set(line) <= {*SUMMARY_COLUMNS, "n"} for line in lines)
    success = next(line for line in lines if line["figure"] == "success")
    assert success["wilson_low"] == pytest.approx(0.1682, abs=1e-4)
    assert success["interval"] == "Wilson over clusters"


def test_latex_escapes_everything() -> None:
    assert escape("a_b & 5 % $x$ #{~^}\\ ↑ € é") == (
        r"a\_b \& 5 \% \$x\$ \#\{\textasciitilde{}\textasciicircum{}\}\textbackslash{} "
        r"$\uparrow$ ? é"
    )


def test_latex_counts_tables_itself_and_sets_signs() -> None:
    made = latex(replace(table(), title="Table 9: Candidates, household"))
    assert r"\caption{Candidates, household (Table 9 of the paper). STAND-IN" in made
    assert "$-$0.15" in made
    assert r"{\text{($-$0.08*)}}" in made
    assert "LLaMAR + Mosaic" in made


def golden(name: str, content: str) -> None:
    path = GOLDEN / name
    if os.environ.get("MOSAIC_RENEW_GOLDEN") == "1":
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == content, f"renew with MOSAIC_RENEW_GOLDEN=1: {name}"


def test_golden_files() -> None:
    made = table()
    golden("table.tex", latex(made))
    golden("table.csv", table_csv(made))
    golden("table.md", markdown(made))
    golden("table.txt", text(made))


@pytest.mark.slow
def test_latex_compiles(tmp_path: Path) -> None:
    """Needs a TeX engine: Debian's texlive-latex-base and texlive-latex-recommended."""
    engine = shutil.which("pdflatex")
    if engine is None:
        pytest.skip("no pdflatex on this machine")
    suite = make_suite(vary={"agents": [2]})
    lines = results(suite_axis=True)
    pivot = pivot_table("t", suite, lines, placements(lines, axis=True), "sar", "success")
    (tmp_path / "t.tex").write_text(latex_document([table(), table(None), pivot]))
    done = subprocess.run(
        [engine, "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    log = (tmp_path / "t.log").read_text(errors="replace")
    assert done.returncode == 0, log[-2000:]
    assert (tmp_path / "t.pdf").stat().st_size > 10_000
    assert "Undefined" not in log
