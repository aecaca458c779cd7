"""Results made by hand and short sweeps, shared by the tests of this folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mosaic_planner.experiments.engines import Done, Take
from mosaic_planner.experiments.engines.asynchronous import AsyncEngine
from mosaic_planner.experiments.suite import Suite
from mosaic_planner.models.limits import FileBudget

Figures = dict[str, Any]


def make_suite(**changes: Any) -> Suite:
    """A tiny suite: two rows, two scenes, one seed, three planning steps."""
    values: dict[str, Any] = {
        "name": "tiny",
        "title": "A tiny suite",
        "episodes": 1,
        "settings": {"model": "standin:careful", "steps": 3, "agents": 2},
        "worlds": [{"world": "sar", "tasks": [1, 3]}],
        "rows": [
            {"label": "LLaMAR", "planner": "llamar"},
            {"label": "LLaMAR + Mosaic", "planner": "llamar+mosaic", "base": "LLaMAR"},
        ],
    }
    return Suite.model_validate(values | changes)


def make_figures(**changes: Any) -> Figures:
    """One line of results."""
    values: Figures = {
        "row": "LLaMAR",
        "world": "sar",
        "task": "scene 1",
        "variant": "",
        "seed": 0,
        "key": "k",
        "attempts": 1,
        "success": True,
        "transport_rate": 1.0,
        "coverage": 1.0,
        "balance": 0.9,
        "failure_rate": 0.1,
        "runtime_s": 100.0,
        "llm_calls": 50,
        "agent_steps": 200,
        "prompt_tokens": 90_000,
        "planning_steps": 17,
        "model_s": 95.0,
        "world_s": 5.0,
        "solver_s": 0.0,
        "waiting_s": 0.0,
        "select_wall_s": 0.05,
        "claimed": False,
        "coverage_mentions": 1.0,
        "balance_reference": None,
        "end": "success",
    }
    return values | changes


class InProcess(AsyncEngine):
    """Runs here, one after the other, and can break on a given episode."""

    def __init__(self, jobs: int = 1) -> None:
        super().__init__(jobs=jobs)
        self.taken: list[str] = []

    def run(self, take: Take, folder: Path, done: Done, budget: FileBudget | None = None) -> None:
        def noted() -> Any:
            cell = take()
            if cell is not None:
                self.taken.append(cell.key)
            return cell

        super().run(noted, folder, done, budget)


def trace_bytes(folder: Path) -> dict[str, bytes]:
    """Every finished trace."""
    return {path.name: path.read_bytes() for path in sorted((folder / "traces").iterdir())}


def texts(folder: Path, names: Sequence[str]) -> list[str]:
    return [(folder / name).read_text() for name in names]
