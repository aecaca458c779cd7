"""What it means to see a thing, or not to see it where it should be.

Every entry has log odds of being where believed. A sighting raises them by how much likelier it is
of a real thing than of an invented one. An agent that should have seen the entry and did not
lowers them by the detection model:

    P(not seen) = 1 - P(in view) * (1 - P(miss)) * (1 - P(hidden))

`P(in view)` follows from the agent's `View` and from how well the place is known; kinds that are
visible everywhere are always in view and never hidden. A thing in range may still stand behind
another (`HIDDEN`, about what the plain range-and-angle rule gets wrong on recorded household
scenes); as the same look from the same place tells nothing new about that, an agent that stays
where it is only counts against what it saw from there before. Held things and the content of
closed containers are out of this.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.observation import Observation, Outcome
from mosaic_planner.memory.effects import INSIDE
from mosaic_planner.memory.frames import offsets_of
from mosaic_planner.memory.noise_model import NoiseModel
from mosaic_planner.memory.table import EntryTable
from mosaic_planner.memory.team import TeamRecord

__all__ = ["HIDDEN", "Evidence"]

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

HIDDEN = 0.15
"""Chance that a thing in range and angle is covered by another."""

MOST = 7.0
"""Largest log odds of things that stay where they are (p = 0.999)."""

MOST_EVERYWHERE = 4.0
"""Of things seen everywhere, which may end at any step (a fire that goes out; p = 0.982)."""

_CERTAIN = math.log(1e-4)  # the strongest single evidence against a thing
_FALSE_BELOW = -1.4  # log odds (p = 0.2) at which a thing hardly ever seen counts as invented
_FORGET_BELOW = -6.0  # ... and at which one seen twice does
_NOT_FOUND = 3.0  # log odds lost when the world says that a named thing is not visible


class Evidence:
    """Keeps who saw what last, and weighs what is seen and what is not."""

    def __init__(self, model: NoiseModel, agents: int) -> None:
        self._model = model
        self._before: Flags = np.zeros((agents, 0), dtype=bool)
        self._poses: Array = np.full((agents, 3), np.nan)

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
        self._ask_outcomes(table, outcomes)
        before = np.zeros_like(seen)
        before[:, : self._before.shape[1]] = self._before
        stayed = self._stayed(team, outcomes)
        everywhere, noticed = self._noticed(table, team, observations, seen, before, stayed)
        any_seen: Flags = np.logical_or.reduce(seen, axis=0)
        if noticed is not None:
            exempt = self._exempt(table, noticed, any_seen)
            against = np.log(np.maximum(1.0 - noticed, 1e-4)).sum(axis=0)
            against[exempt] = 0.0
            if self._model.exact:
                against[any_seen] = 0.0
            table.odds[:] += against
        if not self._model.exact:
            most = np.where(everywhere, MOST_EVERYWHERE, MOST)
            np.minimum(table.odds, most, out=table.odds)
        self._before, self._poses = seen, team.poses.copy()
        few = table.sightings < (1 if self._model.exact else 2)
        drop: Flags = (table.odds < 0.0) & everywhere
        drop |= (table.odds < _FALSE_BELOW) & few
        drop |= (table.odds < _FORGET_BELOW) & (table.sightings == 2) & (not self._model.exact)
        return drop

    def keep(self, mask: Flags) -> None:
        """Entries where `mask` is False were dropped."""
        self._before = self._before[:, mask]

    def _stayed(self, team: TeamRecord, outcomes: Mapping[str, Outcome]) -> Flags:
        if self._model.exact:
            same: Flags = (self._poses == team.poses).all(axis=1)
            return same
        return np.array(
            [a in outcomes and outcomes[a].agent_steps == 0 for a in team.agents], dtype=bool
        )

    def _ask_outcomes(self, table: EntryTable, outcomes: Mapping[str, Outcome]) -> None:
        """An action that named a thing tells whether there is one.

        Only for entries hardly ever seen: a well-known thing that is not visible is merely
        elsewhere.
        """
        for outcome in outcomes.values():
            for name in outcome.action.args:
                row = table.index.get(name)
                if row is None or table.sightings[row] > 1 or outcome.idle:
                    continue
                if outcome.success:
                    table.odds[row] = max(table.odds[row], 2.0)
                elif outcome.error_kind == "not_visible":
                    table.odds[row] -= _NOT_FOUND

    def _noticed(
        self,
        table: EntryTable,
        team: TeamRecord,
        observations: Mapping[str, Observation],
        seen: Flags,
        before: Flags,
        stayed: Flags,
    ) -> tuple[Flags, Array | None]:
        """Which entries are of kinds seen everywhere; and the chance that each agent would have
        noticed each entry it did not see, (agents, entries), None if there is no such pair.
        """
        everywhere: Flags = np.zeros(table.n, dtype=bool)
        ranges = np.zeros(len(team.agents))
        halves = np.full(len(team.agents), 180.0)
        masks: dict[tuple[str, ...], Flags] = {}
        all_over = np.zeros_like(seen)
        for agent, number in team.index.items():
            observation = observations.get(agent)
            if observation is None or observation.view is None:
                continue
            view = observation.view
            ranges[number], halves[number] = view.max_range, view.fov_deg / 2.0
            if view.everywhere not in masks:
                masks[view.everywhere] = table.kind_mask(view.everywhere)
                everywhere |= masks[view.everywhere]
            all_over[number] = masks[view.everywhere]
        chance = np.where(all_over, 1.0 - self._model.miss, 0.0)
        if not everywhere.all():
            dx, dz = offsets_of(team.poses, table.x, table.z)
            squares = dx * dx + dz * dz
            spread = np.sqrt((table.var_xx + table.var_zz) / 2.0 + self._model.position**2)
            spread += self._model.unit / 4.0
            reach = ranges[:, None] + 3.0 * spread
            close = (squares < reach * reach) & ~seen & ~all_over
            by, at = np.nonzero(close)
            if len(by):
                look = _in_view(dx[by, at], dz[by, at], spread[at], ranges[by], halves[by])
                found = (1.0 - self._model.miss) * np.where(
                    stayed[by], np.where(before[by, at], 1.0, 0.0), look * (1.0 - HIDDEN)
                )
                chance[by, at] = found
        chance[seen] = 0.0
        return everywhere, chance if chance.any() else None

    def _exempt(self, table: EntryTable, noticed: Array, any_seen: Flags) -> list[int]:
        """Entries nobody could have seen: held, or in something closed."""
        exempt = []
        for row in np.flatnonzero(noticed.any(axis=0) & ~any_seen).tolist():
            if table.holders[row]:
                exempt.append(row)
                continue
            for key, value in table.attributes[row]:
                if key == INSIDE:
                    outer = table.index.get(str(value))
                    if outer is not None and ("open", False) in table.attributes[outer]:
                        exempt.append(row)
        return exempt


def _in_view(dx: Array, dz: Array, spread: Array, reach: Array, half_deg: Array) -> Array:
    """Chance that a place known up to `spread` is within range and angle."""
    length = np.hypot(dx, dz)
    inside = _normal((reach - length) / spread)
    narrow = half_deg < 180.0
    if narrow.any():
        beside = np.radians(half_deg) - np.abs(np.arctan2(dx, dz))
        inside = np.where(
            narrow, inside * _normal(beside * np.maximum(length, spread) / spread), inside
        )
    return np.where(length > 3.0 * reach, 0.0, inside)


def _normal(value: Array) -> Array:
    """About the normal distribution's cumulative function (logistic, error under 0.01)."""
    return 1.0 / (1.0 + np.exp(-1.702 * np.clip(value, -20.0, 20.0)))
