"""A constraint and a cost term of your own, each in fewer than 15 lines.

A constraint yields linear rows over options; a cost term gives each option a figure.
"""

from mosaic_planner.coordination import (
    STAYS,
    ActionProfile,
    CellVisit,
    MosaicCoordinator,
    Weighted,
    forbid,
)
from mosaic_planner.core.action import IDLE, Action
from mosaic_planner.core.candidate import Candidate


class KeepOut:
    """Keep one agent out of a cell."""

    name = "keep out"

    def __init__(self, agent, cell):
        self.agent, self.cell = agent, cell

    def rows(self, options):
        for o in options:
            if o.agent == self.agent and any(visit.cell == self.cell for visit in o.profile.path):
                yield forbid(o, self.name, f"{self.agent} must keep out of {self.cell}")


class Battery:
    """Prefer agents with more battery: moving costs what is missing."""

    name = "battery"

    def __init__(self, level):
        self.level = level

    def cost(self, option, scene):
        return 0.0 if option.profile.idle else 1.0 - self.level[option.agent]


WAYS = {"East": ((0, 0), (1, 0)), "North": ((0, 0), (0, 1))}


class Rules:
    def profile(self, agent, action, beliefs):
        if action == IDLE:
            return ActionProfile(idle=True)
        start, end = WAYS[action.args[0]]
        path = (CellVisit(start, 0, 1), CellVisit(end, 1, STAYS))
        return ActionProfile(path=path, claims=("door",), progress=0.5)

    def fallbacks(self, agent, beliefs):
        return [Candidate(agent, IDLE, 0, "safe")]


wishes = {a: [Candidate(a, Action("Go", (w,)), n) for n, w in enumerate(WAYS)] for a in ("A", "B")}
coordinator = MosaicCoordinator(
    Rules(),
    constraints_extra=[KeepOut("B", (1, 0))],
    terms_extra=[Weighted(Battery({"A": 0.2, "B": 0.9}), 2.0)],
)
print(coordinator.select(wishes).explain())
