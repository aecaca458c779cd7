"""What successful actions change for everybody at once, and things that move with their holder."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.observation import Effect, Outcome, Value
from mosaic_planner.memory.table import EntryTable
from mosaic_planner.memory.team import TeamRecord, holders_in

__all__ = ["INSIDE", "apply_effects", "follow_holders"]

INSIDE = "inside"
"""Attribute that names the container an entity lies in."""


_HELD = 4.0  # log odds of a held thing being with its holder, at least
_ARM_MOVES = 2.0  # how far from itself an agent puts things down, moves, about


def apply_effects(
    table: EntryTable, outcomes: Mapping[str, Outcome], team: TeamRecord, unit: float
) -> list[int]:
    """Apply the effects the acting agents know of, in team order; returns the rows that are gone.

    What is let go stays about where its holder was; what is put into something is about there.

    A second agent that takes hold of a held thing carries it jointly: the holder text then names
    both, the first carrier first ("Alice, Bob").
    """
    gone: list[int] = []
    for agent in team.agents:
        outcome = outcomes.get(agent)
        if outcome is None:
            continue
        for effect in outcome.effects:
            row = table.index.get(effect.name)
            if row is None:
                continue
            if effect.attribute == "gone":
                if effect.value:
                    gone.append(row)
            elif effect.attribute == "holder":
                _take_hold(table, row, str(effect.value), agent, team)
                if not table.holders[row]:
                    _put_down(table, row, agent, team, unit)
                table.sources[row] = "outcome"
            else:
                table.attributes[row] = _with(table.attributes[row], effect)
                outer = table.index.get(str(effect.value)) if effect.attribute == INSIDE else None
                if outer is not None:
                    table.x[row], table.z[row] = table.x[outer], table.z[outer]
                    table.variances[:, row] = table.variances[:, outer]
                    table.variances[::2, row] += unit**2
                table.sources[row] = "outcome"
    return gone


def _put_down(table: EntryTable, row: int, agent: str, team: TeamRecord, unit: float) -> None:
    pose = team.states[agent].pose
    if pose is not None:
        table.x[row], table.z[row] = pose.x, pose.z
        table.variances[:, row] = ((_ARM_MOVES * unit) ** 2, 0.0, (_ARM_MOVES * unit) ** 2)


def _take_hold(table: EntryTable, row: int, holder: str, actor: str, team: TeamRecord) -> None:
    before = table.holders[row]
    if not holder:
        left = [name for name in holders_in(before, team.index) if name != actor]
        table.holders[row] = ", ".join(left) if actor in holders_in(before, team.index) else ""
    elif before and holder in team.index and holder not in holders_in(before, team.index):
        table.holders[row] = f"{before}, {holder}"
    else:
        table.holders[row] = holder


def _with(
    attributes: tuple[tuple[str, Value], ...], effect: Effect
) -> tuple[tuple[str, Value], ...]:
    """The attributes with one changed in place, or added at the end."""
    changed = tuple(
        (key, effect.value if key == effect.attribute else value) for key, value in attributes
    )
    if any(key == effect.attribute for key, _ in attributes):
        return changed
    return (*changed, (effect.attribute, effect.value))


def follow_holders(table: EntryTable, team: TeamRecord, seen: NDArray[np.bool_], step: int) -> None:
    """Move held things that were not sighted, and what lies in them, to their first holder."""
    moved: dict[str, int] = {}
    for row, holder in enumerate(table.holders):
        if not holder:
            continue
        if not seen[row]:
            _put(table, team, row, holder, step)
        moved[table.names[row]] = row
    if not moved:
        return
    for row, attributes in enumerate(table.attributes):
        for key, value in attributes:
            if key == INSIDE and value in moved and not seen[row] and not table.holders[row]:
                outer = moved[str(value)]
                table.x[row], table.z[row] = table.x[outer], table.z[outer]
                table.seen[row] = table.seen[outer]
                table.sources[row] = "motion"


def _put(table: EntryTable, team: TeamRecord, row: int, holder: str, step: int) -> None:
    for name in holders_in(holder, team.index):
        pose = team.states[name].pose
        if pose is not None:
            table.x[row], table.z[row] = pose.x, pose.z
            table.variances[:, row] = (team.states[name].sigma ** 2) * np.array([1.0, 0.0, 1.0])
            table.odds[row] = max(table.odds[row], _HELD)
            table.sources[row] = "motion"
            if team.states[name].age == 0:
                table.seen[row] = step
            return
