"""Every example runs as it stands and keeps to the length that its docstring promises."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[1] / "examples").glob("*.py"))
_LIMIT = re.compile(r"\bunder (\d+) lines\b")

PROMISED = {"own_world": 120, "own_planner": 60}
"""Lengths that the documentation promises, whatever the docstring says."""
SAYS = {
    "own_model": "the model keeps the contract",
    "own_planner": "the planner keeps the contract",
    "own_world": "warehouse-v1: 0 problems",
}
"""What shows that a kit found nothing."""


def _docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""


@pytest.mark.parametrize("path", EXAMPLES, ids=[p.stem for p in EXAMPLES])
def test_the_example_runs(path: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(path)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,  # an example depends on no folder
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip(), "an example shows what it does"
    assert SAYS.get(path.stem, "") in done.stdout


@pytest.mark.parametrize("path", EXAMPLES, ids=[p.stem for p in EXAMPLES])
def test_the_example_says_what_it_is_for_and_keeps_its_length(path: Path) -> None:
    said = _docstring(path)
    assert said, "an example begins with a docstring"
    lines = len(path.read_text("utf-8").splitlines())
    limits = [int(number) for number in _LIMIT.findall(said)]
    limits += [PROMISED[path.stem]] if path.stem in PROMISED else []
    for limit in limits:
        assert lines < limit


def test_there_are_examples() -> None:
    assert {"own_model", "own_planner", "own_world"} <= {p.stem for p in EXAMPLES}


def test_the_own_world_shows_what_mosaic_adds_to_the_same_model() -> None:
    path = next(p for p in EXAMPLES if p.stem == "own_world")
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True)
    steps = {
        method: int(number)
        for method, number in re.findall(
            r"(\S+), 2 agents, random model: 100% done in (\d+) steps", done.stdout
        )
    }
    assert steps["react+mosaic"] < steps["react"]
