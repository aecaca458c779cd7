"""Coordination: one joint action out of everybody's candidates, exact, explained and fast.

Rules turn actions into profiles, constraints turn profiles into linear rows, cost terms give
figures, `solving` finds the one best joint action, and `verdicts` says why the others lost.
Nothing here may know a world; importing the room imports no solver.
"""

from mosaic_planner.coordination.assignment import (
    Assignment,
    Choice,
    Coordinator,
    Loser,
    Status,
    UnmetNeed,
)
from mosaic_planner.coordination.bare import BareBeliefs
from mosaic_planner.coordination.conflicts import Conflict, minimal_conflict
from mosaic_planner.coordination.constraints import (
    TABLE_1,
    Collision,
    Constraint,
    Eligibility,
    ExclusiveResources,
    TeamSize,
)
from mosaic_planner.coordination.coordinator import FirstChoice, MosaicCoordinator
from mosaic_planner.coordination.costs import (
    COST_PROFILES,
    DEFAULT,
    PAPER,
    TABLE_8,
    CostProfile,
    Weighted,
    cost_profile,
)
from mosaic_planner.coordination.deadlock import Deadlock, deadlock_report
from mosaic_planner.coordination.explain import assignment_to_event, explain_event
from mosaic_planner.coordination.problem import Option, Problem, Row, Switch, forbid
from mosaic_planner.coordination.profile import (
    STAYS,
    ActionProfile,
    CellVisit,
    GridRules,
    JointNeed,
    Rules,
)
from mosaic_planner.coordination.rightofway import Blockade, Directive, Traffic, right_of_way
from mosaic_planner.coordination.solving.engine import Limits, Solution, solve
from mosaic_planner.coordination.terms import CostTerm, Scene, Term

__all__ = [
    "COST_PROFILES",
    "DEFAULT",
    "PAPER",
    "STAYS",
    "TABLE_1",
    "TABLE_8",
    "ActionProfile",
    "Assignment",
    "BareBeliefs",
    "Blockade",
    "CellVisit",
    "Choice",
    "Collision",
    "Conflict",
    "Constraint",
    "Coordinator",
    "CostProfile",
    "CostTerm",
    "Deadlock",
    "Directive",
    "Eligibility",
    "ExclusiveResources",
    "FirstChoice",
    "GridRules",
    "JointNeed",
    "Limits",
    "Loser",
    "MosaicCoordinator",
    "Option",
    "Problem",
    "Row",
    "Rules",
    "Scene",
    "Solution",
    "Status",
    "Switch",
    "TeamSize",
    "Term",
    "Traffic",
    "UnmetNeed",
    "Weighted",
    "assignment_to_event",
    "cost_profile",
    "deadlock_report",
    "explain_event",
    "forbid",
    "minimal_conflict",
    "right_of_way",
    "solve",
]
