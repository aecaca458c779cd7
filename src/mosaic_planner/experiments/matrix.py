"""Every planner with every set of Mosaic parts, in every world, at every team size.

The question is not how good a method is but whether it runs at all, and whether it calls its
model as often as documented (llamar_architecture: R2 for LLaMAR, R25 for Act, CoT and ReAct
without summaries, R29 for CoELA, R30 for SmartLLM). Calls that only ask again after an answer
nobody could read are counted apart: the documented number does not know them.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any

from mosaic_planner.config import RunConfig, load_config
from mosaic_planner.core.errors import UsageError
from mosaic_planner.core.trace import Trace
from mosaic_planner.episode import run_episode

__all__ = [
    "PARTS",
    "PLANNERS",
    "TEAM_SIZES",
    "WORLDS",
    "MatrixCell",
    "documented",
    "matrix_configs",
    "run_matrix",
]

PLANNERS = ("act", "cot", "react", "smartllm", "coela", "llamar")
PARTS = ("", "+asm", "+ilp", "+mosaic")
WORLDS = ("sar", "household")
TEAM_SIZES = (2, 3, 4, 5)

_DOCUMENTED = {
    "act": "1",
    "cot": "1",
    "react": "1",
    "smartllm": "3 per plan",
    "coela": "2 per agent",
    "llamar": "3 (+ 1 first)",
}


def documented(planner: str) -> str:
    """Calls per step of a planner, in words; "" for a planner that is not ours."""
    return _DOCUMENTED.get(planner, "")


def _expected(planner: str, agents: int, steps: int, modules: Mapping[str, int]) -> int | None:
    """Calls in so many finished steps without any re-ask; None where nothing is documented."""
    match planner:
        case "act" | "cot" | "react":
            return steps
        case "llamar":
            return 3 * steps + 1
        case "coela":
            return 2 * agents * steps
        case "smartllm":
            return 3 * modules.get("decompose", 0)
    return None


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One episode. `calls` are all logical calls, `again` those of them that asked once more.

    `expected`: documented calls for the steps taken, None where there is no such number.
    `end`: why the episode ended; `error`: the exception if it crashed, else "".
    """

    planner: str
    parts: str
    world: str
    agents: int
    steps: int
    calls: int
    again: int
    expected: int | None
    success: bool
    end: str
    error: str = ""

    @property
    def method(self) -> str:
        """As `--planner` takes it."""
        return self.planner + self.parts

    @property
    def first(self) -> int:
        """Calls without re-asks."""
        return self.calls - self.again

    @property
    def per_step(self) -> float:
        """Calls per planning step without re-asks and without LLaMAR's first; 0 without steps."""
        start = 1 if self.planner == "llamar" else 0
        return (self.first - start) / self.steps if self.steps else 0.0

    @property
    def as_documented(self) -> bool:
        """Whether the calls are those documented; True where nothing is."""
        return self.expected is None or self.first == self.expected

    @property
    def good(self) -> bool:
        """Whether it ran without a crash and called as documented."""
        return not self.error and self.as_documented

    def fields(self) -> dict[str, Any]:
        """As JSON values."""
        return {
            **asdict(self),
            "per_step": round(self.per_step, 3),
            "documented": documented(self.planner),
            "good": self.good,
        }


def matrix_configs(
    *,
    planners: Sequence[str] = PLANNERS,
    parts: Sequence[str] = PARTS,
    worlds: Sequence[str] = WORLDS,
    team_sizes: Sequence[int] = TEAM_SIZES,
    model: str = "standin:gpt4-2024",
    steps: int = 10,
    seed: int = 0,
) -> list[RunConfig]:
    """Settings of every episode, in a fixed order. Raises `UsageError` if there is none."""
    configs = [
        load_config(
            options={
                "planner": planner + part,
                "world": world,
                "agents": agents,
                "model": model,
                "steps": steps,
                "seed": seed,
            }
        )
        for world, planner, part, agents in itertools.product(worlds, planners, parts, team_sizes)
    ]
    if not configs:
        raise UsageError("the matrix is empty: name a planner, a world and a team size")
    return configs


def run_matrix(
    configs: Sequence[RunConfig],
    *,
    jobs: int = 1,
    on_cell: Callable[[MatrixCell], None] | None = None,
) -> list[MatrixCell]:
    """Run every episode and measure it; the order is that of `configs`, whatever `jobs` is.

    An exception in an episode is a cell with an `error`, never raised.
    """

    def collect(found: Iterator[MatrixCell]) -> list[MatrixCell]:
        cells = []
        for cell in found:
            if on_cell is not None:
                on_cell(cell)
            cells.append(cell)
        return cells

    if jobs <= 1:
        return collect(map(_run, configs))
    with ProcessPoolExecutor(jobs) as pool:
        return collect(pool.map(_run, configs))


def _run(config: RunConfig) -> MatrixCell:
    planner, plus, parts = config.planner.partition("+")
    head = (planner, plus + parts, config.world, config.agents)
    try:
        episode = run_episode(config)
    except Exception as error:  # that it crashed is what the matrix is there to show
        said = f"{type(error).__name__}: {error}"
        return MatrixCell(*head, 0, 0, 0, None, False, "crash", said)
    metrics = episode.metrics
    modules, again = _calls(episode.trace)
    expected = _expected(planner, config.agents, metrics.planning_steps, modules)
    return MatrixCell(
        *head,
        steps=metrics.planning_steps,
        calls=metrics.llm_calls,
        again=again,
        expected=expected,
        success=metrics.success,
        end=metrics.end,
    )


def _calls(trace: Trace) -> tuple[Counter[str], int]:
    """First calls by module, and the number of calls that only asked again."""
    again = Counter(e["module"] for e in trace.of("reading") if e["again"])
    calls = Counter(e["module"] for e in trace.of("call"))
    calls.subtract(again)
    return calls, again.total()
