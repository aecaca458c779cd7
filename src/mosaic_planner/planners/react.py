"""ReAct: `Think`, then `Action` with one entry per agent (rules R25, R26)."""

from __future__ import annotations

from mosaic_planner.planners.single_call import SingleCallPlanner

__all__ = ["React"]


class React(SingleCallPlanner):
    """One call per step; prompt in `prompts/react.txt`."""

    name = "react"
    thought_key = "Think"
    nested_key = "Action"
