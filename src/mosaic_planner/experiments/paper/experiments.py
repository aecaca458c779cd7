"""Every table and figure of the paper: which suite it is read from and how it is laid out.

Tables 12 and 13 and Figures 4 and 5 are read from the episodes of Table 2, Figure 3 from those of
Table 4, Figure 7 from those of Table 5: nothing is run twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mosaic_planner.core.errors import UnknownNameError
from mosaic_planner.experiments.tables import PAPER_COLUMNS

__all__ = ["EXPERIMENTS", "Experiment", "find_experiment"]

Layout = Literal[
    "methods", "along", "pivot", "spread", "curves", "bars", "score trends", "cost trends"
]


@dataclass(frozen=True, slots=True)
class Experiment:
    """One table or figure. `worlds`: those the paper reports it in. `paper`: under which name
    its figures are filed. `note`: what a reader must know beside the numbers; `world_notes`: the
    same for one world, as (world, note).
    """

    name: str
    title: str
    suite: str
    worlds: tuple[str, ...]
    layout: Layout
    columns: tuple[str, ...] = PAPER_COLUMNS
    axis_title: str = ""
    paper: str = ""
    note: str = ""
    rows: tuple[str, ...] = ()
    world_notes: tuple[tuple[str, str], ...] = ()

    def note_for(self, world: str) -> str:
        """What a reader must know beside the numbers of a world."""
        return " ".join(filter(None, (self.note, dict(self.world_notes).get(world, ""))))


_HOUSEHOLD = ("household",)
_BOTH = ("household", "sar")
_SPREAD_NOTE = (
    "Standard deviation of the first five figures, variance of the others, both over the repeats "
    "(each the mean over all tasks); all kinds, by their names, are in summary.csv."
)
_ALONE = (
    (
        "sar",
        "One agent: every person needs two carriers (rule F1), so no scene can be finished; "
        "--set world_options.person_load=1 is a marked variant.",
    ),
)
_TREND_NOTE = "Means over episodes; one that is over keeps its last value."
_TREND_ROWS = (
    "Act",
    "CoT",
    "ReAct",
    "ReAct + Mosaic",
    "SmartLLM",
    "CoELA",
    "LLaMAR",
    "LLaMAR + Mosaic",
    "LLaMAR + Mosaic, ours",
)

_ALL = (
    Experiment("table2", "Methods with and without Mosaic", "table2", _BOTH, "methods"),
    Experiment(
        "table3",
        "Solver share of the runtime by team size",
        "table3",
        ("sar",),
        "methods",
        (
            "success",
            "failure_rate",
            "runtime_s",
            "solver_s",
            "solver_share",
            "select_wall_s",
            "select_share",
        ),
        note="Solver time is simulated (equal on every machine); beside it the time measured here "
        "for choosing joint actions. 7 and 8 agents start in cells of our own (an extension).",
    ),
    Experiment(
        "table4",
        "Team size",
        "table4",
        _BOTH,
        "pivot",
        ("success", "failure_rate", "runtime_s"),
        world_notes=_ALONE,
    ),
    Experiment(
        "table5",
        "Sensor noise",
        "table5",
        _HOUSEHOLD,
        "along",
        note="The paper's row keeps its overwriting memory; ours is the belief memory.",
    ),
    Experiment("table6", "Parts of Mosaic on LLaMAR", "table6", _HOUSEHOLD, "methods"),
    Experiment("table8", "Penalty weights", "table8", _HOUSEHOLD, "methods"),
    Experiment("table9", "Candidates per agent", "table9", _HOUSEHOLD, "along"),
    Experiment("table10", "Candidates per agent or in one pool", "table10", _HOUSEHOLD, "methods"),
    Experiment("table11", "Budget of planning steps", "table11", _HOUSEHOLD, "methods"),
    Experiment(
        "table12",
        "Spread of Table 2",
        "table2",
        _HOUSEHOLD,
        "spread",
        note=_SPREAD_NOTE,
    ),
    Experiment(
        "table13",
        "Spread of Table 2",
        "table2",
        ("sar",),
        "spread",
        note=_SPREAD_NOTE,
    ),
    Experiment(
        "fig3",
        "Success and runtime by team size",
        "table4",
        _BOTH,
        "curves",
        ("success", "runtime_s"),
        "Agents",
        paper="table4",
        world_notes=_ALONE,
    ),
    Experiment(
        "fig4",
        "Effectiveness over planning steps",
        "table2",
        _HOUSEHOLD,
        "score trends",
        note=_TREND_NOTE,
        rows=_TREND_ROWS,
    ),
    Experiment(
        "fig5",
        "Effectiveness over planning steps",
        "table2",
        ("sar",),
        "score trends",
        note=_TREND_NOTE,
        rows=_TREND_ROWS,
    ),
    Experiment(
        "fig6",
        "Success and runtime by model",
        "fig6",
        _HOUSEHOLD,
        "bars",
        ("success", "runtime_s"),
        "Model",
        note="The paper's models stand beside; the strengths of the stand-in imitate none of them.",
    ),
    Experiment(
        "fig7",
        "Effectiveness under sensor noise",
        "table5",
        _HOUSEHOLD,
        "curves",
        PAPER_COLUMNS[:5],
        "Sensor noise",
        paper="table5",
    ),
    Experiment(
        "fig8",
        "Cost terms over planning steps",
        "fig8",
        _HOUSEHOLD,
        "cost trends",
        note="Means over the episodes still under way, summed over agents. The penalty is "
        "weighted as in Table 7, the load is Eq. 3 without its weight. The total of ours has "
        "further terms and can be negative.",
    ),
)

EXPERIMENTS: dict[str, Experiment] = {experiment.name: experiment for experiment in _ALL}
"""By name, in the paper's order."""


def find_experiment(name: str) -> Experiment:
    """A table or figure of the paper by name; raises `UnknownNameError`."""
    if name not in EXPERIMENTS:
        raise UnknownNameError("table or figure", name, EXPERIMENTS)
    return EXPERIMENTS[name]
