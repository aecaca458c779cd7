"""What it means to see a thing, or not to see it where it should be.

Every entry has log odds of being where believed. A sighting raises them by how much likelier it is
of a real thing than of an invented one (`belief_filter`). An agent that should have seen the entry
and did not lowers them by the detection model::

    P(not seen) = 1 - P(in view) * (1 - P(miss)) * (1 - P(hidden))

`P(in view)` follows from the agent's `View` and from how well the place is known; kinds that are
visible everywhere are always in view and never hidden. A thing in range may still stand behind
another (`looks.HIDDEN`); as the same look from the same place tells nothing new about that, an
agent that stays where it is only counts against what it saw from there before. Held things and the
content of closed containers are out of this.

An entry of a kind visible everywhere that falls below even odds has ended (a fire that is out).
Another one is lost if it was well known, and was never there if it was not.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.observation import Observation, Outcome
from mosaic_planner.memory.effects import INSIDE
from mosaic_planner.memory.looks import HIDDEN, in_view
from mosaic_planner.memory.noise_model import Array, NoiseModel
from mosaic_planner.memory.table import EntryTable
from mosaic_planner.memory.team import TeamRecord

__all__ = ["Evidence"]

Flags = NDArray[np.bool_]

MOST = 7.0
"""Largest log odds of things that stay where they are (p = 0.999)."""

WELL_KNOWN = 3
"""Steps with a sighting after which, under noise, a thing that is not found is lost, not unreal."""

_CERTAIN = math.log(1e-4)  # the strongest single evidence against a thing
_FORGET_BELOW = -5.0  # log odds at which a thing hardly ever seen, or ended, is forgotten
_NOT_FOUND = 3.0  # log odds lost when the world says that a named thing is not visible
_NO_SUCH_THING = 20.0  # the same when it says that nothing has that name
_ENDS, _ENTRY_STEPS = 0.5, 25.0  # how often things end, before any is known: 2 % a step


class Evidence:
    """Keeps who saw what last, and weighs what is seen and what is not."""

    def __init__(self, model: NoiseModel, agents: int) -> None:
        self._model = model
        self._before: Flags = np.zeros((agents, 0), dtype=bool)
        self._poses: Array = np.full((agents, 3), np.nan)
        self._ended: dict[str, float] = {}
        self._exposed: dict[str, float] = {}
        self.everywhere: Flags = np.zeros(0, dtype=bool)

    def weigh(
        self,
        table: EntryTable,
        team: TeamRecord,
        observations: Mapping[str, Observation],
        outcomes: Mapping[str, Outcome],
        seen: Flags,
    ) -> Flags:
        """Change the odds of every entry by this step; returns which entries to drop.

        `seen`: who saw what, (agents, entries).
        """
        exact = self._model.exact
        self._ask_outcomes(table, outcomes)
        by_any: Flags = np.logical_or.reduce(seen, axis=0)
        against = self._unseen_everywhere(table, team, observations, seen)
        if exact:
            against[by_any] = 0.0  # where nothing is invented, one look settles it
        doubtful = ~(self.everywhere | by_any) if exact else ~self.everywhere
        rows = np.flatnonzero(doubtful)
        if len(rows):
            against += self._unseen_in_range(table, team, observations, outcomes, seen, rows)
        for row in np.flatnonzero((against < 0.0) & ~by_any & ~self.everywhere).tolist():
            if _out_of_sight(table, row):
                against[row] = 0.0
        table.odds[:] += against
        self._before, self._poses = seen, team.poses.copy()
        if exact:
            return self.everywhere & (table.odds < 0.0)
        self._cap(table)
        drop = (table.odds < _FORGET_BELOW) & (self.everywhere | (table.sightings < WELL_KNOWN))
        for row in np.flatnonzero(drop & self.everywhere & (table.sightings > 1)).tolist():
            self._ended[table.kinds[row]] = self._ended.get(table.kinds[row], 0.0) + 1.0
        return drop

    def keep(self, mask: Flags) -> None:
        """Entries where `mask` is False were dropped."""
        self._before = self._before[:, mask]
        self.everywhere = self.everywhere[mask]

    def unreal(self, table: EntryTable) -> Flags:
        """Which entries count as ended or never there: unlikely, and not merely lost."""
        unlikely: Flags = table.odds < 0.0
        if self._model.exact:
            return unlikely & self.everywhere
        return unlikely & (self.everywhere | (table.sightings < WELL_KNOWN))

    def _cap(self, table: EntryTable) -> None:
        """Bound the odds, so that late evidence still counts.

        Things seen everywhere may end at any step; how often things of a kind do is learnt.
        """
        most = np.full(table.n, MOST)
        for kind in dict.fromkeys(table.kinds[r] for r in np.flatnonzero(self.everywhere)):
            rows = table.kind_mask((kind,))
            self._exposed[kind] = self._exposed.get(kind, 0.0) + float(rows.sum())
            rate = (self._ended.get(kind, 0.0) + _ENDS) / (self._exposed[kind] + _ENTRY_STEPS)
            most[rows] = min(math.log1p(-min(rate, 0.5)) - math.log(rate), MOST)
        np.minimum(table.odds, most, out=table.odds)

    def _ask_outcomes(self, table: EntryTable, outcomes: Mapping[str, Outcome]) -> None:
        """An action that named a thing tells whether there is one.

        A name that the world does not know (`not_seen`) was a false sighting's. What else is said
        counts for entries hardly ever seen only: a well-known thing that is not visible is merely
        elsewhere.
        """
        for outcome in outcomes.values():
            for name in outcome.action.args:
                row = table.index.get(name)
                if row is None or outcome.idle:
                    continue
                if outcome.error_kind == "not_seen":
                    table.odds[row] -= _NO_SUCH_THING
                if table.sightings[row] > 1:
                    continue
                if outcome.success:
                    table.odds[row] = max(table.odds[row], 2.0)
                elif outcome.error_kind == "not_visible":
                    table.odds[row] -= _NOT_FOUND

    def _unseen_everywhere(
        self,
        table: EntryTable,
        team: TeamRecord,
        observations: Mapping[str, Observation],
        seen: Flags,
    ) -> Array:
        """Log odds (<= 0) against entries of kinds that are visible everywhere, by who missed them.

        Also finds out which entries those are (`everywhere`).
        """
        groups: dict[tuple[str, ...], list[int]] = {}
        for agent, number in team.index.items():
            observation = observations.get(agent)
            if observation is not None and observation.view is not None:
                groups.setdefault(observation.view.everywhere, []).append(number)
        self.everywhere = np.zeros(table.n, dtype=bool)
        against = np.zeros(table.n)
        missed = max(math.log(max(self._model.miss, 1e-300)), _CERTAIN)
        for kinds, agents in groups.items():
            if kinds:
                mask = table.kind_mask(kinds)
                self.everywhere |= mask
                against[mask] += missed * (len(agents) - seen[agents].sum(axis=0)[mask])
        return against

    def _unseen_in_range(
        self,
        table: EntryTable,
        team: TeamRecord,
        observations: Mapping[str, Observation],
        outcomes: Mapping[str, Outcome],
        seen: Flags,
        rows: NDArray[np.int64],
    ) -> Array:
        """Log odds (<= 0) against those of the entries `rows` that were in view and not seen."""
        against = np.zeros(table.n)
        ranges = np.full(len(team.agents), -1.0)  # nobody is looking
        halves = np.full(len(team.agents), 180.0)
        for agent, number in team.index.items():
            observation = observations.get(agent)
            if observation is not None and observation.view is not None:
                view = observation.view
                ranges[number], halves[number] = view.max_range, view.fov_deg / 2.0
        variance = (table.var_xx[rows] + table.var_zz[rows]) / 2.0
        spread = np.sqrt(variance + self._model.position**2) + self._model.unit / 4.0
        by, at = _near_pairs(team.poses, ranges, table.x[rows], table.z[rows], spread)
        unseen = ~seen[by, rows[at]]
        by, at = by[unseen], at[unseen]
        if not len(by):
            return against
        east = table.x[rows[at]] - team.poses[by, 0]
        north = table.z[rows[at]] - team.poses[by, 1]
        angle = np.radians(team.poses[by, 2])
        c, s = np.cos(angle), np.sin(angle)
        look = in_view(
            east * c - north * s, east * s + north * c, spread[at], ranges[by], halves[by]
        )
        known = rows[at] < self._before.shape[1]
        before = np.zeros(len(by))
        before[known] = self._before[by[known], rows[at[known]]]
        stayed = self._stayed(team, outcomes)[by]
        found = (1.0 - self._model.miss) * np.where(stayed, before, look * (1.0 - HIDDEN))
        logs = np.log(np.maximum(1.0 - found, 1e-4))
        against += np.bincount(rows[at], weights=logs, minlength=table.n)
        return against

    def _stayed(self, team: TeamRecord, outcomes: Mapping[str, Outcome]) -> Flags:
        """Which agents are where they were: by their poses, which under noise tell nothing."""
        if self._model.exact:
            same: Flags = (self._poses == team.poses).all(axis=1)
            return same
        return np.array(
            [a in outcomes and outcomes[a].agent_steps == 0 for a in team.agents], dtype=bool
        )


def _near_pairs(
    poses: Array, ranges: Array, x: Array, z: Array, spread: Array
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Agents and entries that may be in view: pairs within range, give or take the spread.

    Entries are sorted along x first, so that time grows with the pairs near each other and not
    with agents times entries.
    """
    order = np.argsort(x, kind="stable")
    reach = ranges + 2.0 * (spread.max() if len(spread) else 0.0)
    reach[ranges < 0.0] = -1.0
    sorted_x = x[order]
    low = np.searchsorted(sorted_x, poses[:, 0] - reach, side="left")
    high = np.searchsorted(sorted_x, poses[:, 0] + reach, side="right")
    counts = np.maximum(high - low, 0)
    counts[np.isnan(poses[:, 0])] = 0
    by = np.repeat(np.arange(len(poses)), counts)
    first = np.cumsum(counts) - counts
    at = order[np.arange(len(by)) - np.repeat(first - low, counts)]
    far = ranges[by] + 2.0 * spread[at]
    near = (x[at] - poses[by, 0]) ** 2 + (z[at] - poses[by, 1]) ** 2 < far * far
    return by[near], at[near]


def _out_of_sight(table: EntryTable, row: int) -> bool:
    """Whether nobody could see the entry: held by somebody, or in something closed."""
    if table.holders[row]:
        return True
    for key, value in table.attributes[row]:
        if key == INSIDE:
            outer = table.index.get(str(value))
            if outer is not None and ("open", False) in table.attributes[outer]:
                return True
    return False
