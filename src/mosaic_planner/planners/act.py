"""Act: the actions of the whole team, without any reasoning (rules R25, R26)."""

from __future__ import annotations

from mosaic_planner.planners.single_call import SingleCallPlanner

__all__ = ["Act"]


class Act(SingleCallPlanner):
    """One call per step; prompt in `prompts/act.txt`."""

    name = "act"
