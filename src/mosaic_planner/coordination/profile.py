"""Action profiles: the one thing a new domain must teach the coordinator.

A world's `Rules` turn (agent, action, beliefs) into an `ActionProfile`; every constraint of the
paper's Table 1 is derived from profiles, none is written per world.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from mosaic_planner.core.action import Action
from mosaic_planner.core.belief import Beliefs
from mosaic_planner.core.candidate import Candidate
from mosaic_planner.core.geometry import Cell

__all__ = ["FRUITLESS", "STAYS", "ActionProfile", "CellVisit", "GridRules", "JointNeed", "Rules"]

STAYS = 1_000_000
"""Time index later than any move of one planning step: the agent stays on that cell."""

FRUITLESS = 0.1
"""Progress below which an action only passes the time."""


class CellVisit(NamedTuple):
    """One cell occupied during the time indices [enter, leave); `leave` is `STAYS` at the end.

    Time indices count primitive moves from the start of the joint step, 0 being the start.
    """

    cell: Cell
    enter: int
    leave: int


@dataclass(frozen=True, slots=True)
class JointNeed:
    """The action serves a joint task that needs exactly `size` agents in this step, or none.

    `task` identifies it, e.g. "carry LostPersonTimmy"; `size` >= 1.
    """

    task: str
    size: int


@dataclass(frozen=True, slots=True)
class ActionProfile:
    """What one action of one agent means for the rest of the team, from beliefs alone.

    `eligible`/`reason`: whether it can work at all, or why not, in plain words. `claims`: names
    of resources only one agent may use in this step. `path`: the cells occupied or crossed, in
    order of time, starting with the agent's own cell; empty if unknown. `joint`: team need.
    `idle`: does nothing. `steps`: expected primitive steps, >= 0. `failure`: believed chance in
    [0, 1] that the action fails although eligible. `progress`: how much nearer the task it is
    expected to bring the team, in [-1, 1], 0 for idling, below 0 if it puts a part of the task out
    of reach. `done`: idling is right, nothing is left for this agent to do; the default costs then
    do not count it as stagnation.
    """

    eligible: bool = True
    reason: str = ""
    claims: tuple[str, ...] = ()
    path: tuple[CellVisit, ...] = ()
    joint: JointNeed | None = None
    idle: bool = False
    steps: float = 0.0
    failure: float = 0.0
    progress: float = 0.0
    done: bool = False


class Rules(Protocol):
    """What a world knows about its own actions; reads beliefs, never the true state."""

    def profile(self, agent: str, action: Action, beliefs: Beliefs) -> ActionProfile:
        """The profile of one action; never raises, an impossible action is ineligible."""
        ...

    def fallbacks(self, agent: str, beliefs: Beliefs) -> Sequence[Candidate]:
        """Safe candidates (`source="safe"`) for an agent whose proposals are all bad.

        Idle comes last and is always among them, so that no step is infeasible.
        """
        ...


@runtime_checkable
class GridRules(Protocol):
    """What rules of a grid world may know besides, so that right of way applies to its moves.

    Rules that have these methods get it; others need not mention them.
    """

    def cell(self, agent: str, beliefs: Beliefs) -> Cell | None:
        """Where an agent is believed to be."""
        ...

    def destination(self, agent: str, action: Action | None, beliefs: Beliefs) -> Cell | None:
        """Where an agent that wants `action` (None: nothing) is heading in the long run."""
        ...

    def neighbours(self, cell: Cell, beliefs: Beliefs) -> Sequence[Cell]:
        """Cells one move away, other agents disregarded."""
        ...

    def move(self, agent: str, cell: Cell, beliefs: Beliefs) -> Action | None:
        """The action that takes an agent to a neighbouring cell, or None."""
        ...
