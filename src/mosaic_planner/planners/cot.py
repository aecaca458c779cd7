"""Chain of thought: one `reason` before the actions, all in one answer (rules R25, R26)."""

from __future__ import annotations

from mosaic_planner.planners.single_call import SingleCallPlanner

__all__ = ["Cot"]


class Cot(SingleCallPlanner):
    """One call per step; prompt in `prompts/cot.txt`."""

    name = "cot"
    thought_key = "reason"
