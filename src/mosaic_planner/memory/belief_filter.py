"""Noisy sightings into beliefs: associate, correct poses, fuse, and keep count of labels."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.geometry import Pose
from mosaic_planner.core.observation import Observation, Outcome
from mosaic_planner.memory.association import Pairing, fitting
from mosaic_planner.memory.batch import Numbers, SightingBatch, gather
from mosaic_planner.memory.fusion import Located, fuse, locate
from mosaic_planner.memory.looks import Looks
from mosaic_planner.memory.noise_model import NoiseModel
from mosaic_planner.memory.table import EntryTable
from mosaic_planner.memory.team import TeamRecord, holders_in

__all__ = ["BeliefFilter"]

Array = NDArray[np.float64]

_WRONG_LABEL = 1.0  # log odds gained by a thing that is sighted under a wrong class


class BeliefFilter:
    """Takes noisy sightings into an entry table, and corrects the agents' poses."""

    def __init__(self, model: NoiseModel, agents: int, *, headings: bool) -> None:
        """`headings`: whether agents turn; without, a rotation error turns what they measure."""
        self._model = model
        self._headings = headings
        self._mean: Array = np.full((agents, 3), np.nan)
        self._reports: Array = np.zeros(agents)
        self._looks = Looks(model)

    def take(
        self,
        table: EntryTable,
        team: TeamRecord,
        observations: Mapping[str, Observation],
        outcomes: Mapping[str, Outcome],
        step: int,
    ) -> NDArray[np.bool_]:
        """Take one step's sightings; returns who saw what, (agents, entries)."""
        self._average(team, outcomes)
        self._loosen_held(table, team)
        frame = gather(self._model, team, observations)
        rows = fitting(table, frame)
        located, points = self._locate(table, team, frame, rows)
        pairing = Pairing(self._model, table, frame, rows, located, points, self._looks, step)
        pairing.run(team, observations)
        self._looks.note(team, observations)
        used = np.flatnonzero(rows >= 0)
        seen = np.zeros((len(team.agents), table.n), dtype=bool)
        if len(used):
            at = rows[used]
            fuse(
                table,
                at,
                frame.x[used],
                frame.z[used],
                frame.covariance[:, used],
                self._model.least_variance,
            )
            seen[frame.who[used], at] = True
            self._count(table, frame, used, at, pairing.first, step)
        return seen

    def _average(self, team: TeamRecord, outcomes: Mapping[str, Outcome]) -> None:
        """While an agent stays where it is, the mean of its reports is its pose."""
        for row, agent in enumerate(team.agents):
            if not team.reported[row]:
                continue
            outcome = outcomes.get(agent)
            if outcome is not None and outcome.agent_steps == 0 and self._reports[row] > 0:
                self._reports[row] += 1
                off = team.poses[row] - self._mean[row]
                off[2] = (off[2] + 180.0) % 360.0 - 180.0
                self._mean[row] += off / self._reports[row]
            else:
                self._reports[row] = 1
                self._mean[row] = team.poses[row]

    def _loosen_held(self, table: EntryTable, team: TeamRecord) -> None:
        """A held thing is where its holder is, within a move, until it is sighted."""
        spread = self._model.position**2 + self._model.unit**2
        for row, holder in enumerate(table.holders):
            for name in holders_in(holder, team.index)[:1] if holder else ():
                pose = team.poses[team.index[name]]
                if not np.isnan(pose[0]):
                    table.x[row], table.z[row] = pose[0], pose[1]
                    table.variances[:, row] = (spread, 0.0, spread)

    def _locate(
        self, table: EntryTable, team: TeamRecord, frame: SightingBatch, rows: Numbers
    ) -> tuple[Located, tuple[Array, Array]]:
        """Correct the poses; also gives the sighted points as seen from there."""
        known = rows >= 0
        known[known] = table.sightings[rows[known]] > 0
        use = np.flatnonzero(known)
        who = frame.who
        moved = self._mean - team.poses
        moved[:, 2] = np.radians((moved[:, 2] + 180.0) % 360.0 - 180.0)
        shift = np.nan_to_num(moved)[who]
        x = frame.x + shift[:, 0] + frame.arms[0] * shift[:, 2]
        z = frame.z + shift[:, 1] + frame.arms[1] * shift[:, 2]
        located = locate(
            self._model,
            np.maximum(self._reports, 1.0),
            table,
            who[use],
            rows[use],
            (x[use], z[use]),
            (frame.arms[0][use], frame.arms[1][use]),
            frame.ranges[:, use],
        )
        for number, agent in enumerate(team.agents):
            if not team.reported[number]:
                continue
            mean, off = self._mean[number], located.shift[number]
            heading = mean[2] + np.degrees(off[2]) if self._headings else team.poses[number, 2]
            spread = (located.covariance[number, 0, 0] + located.covariance[number, 1, 1]) / 2.0
            team.correct(
                agent,
                Pose(float(mean[0] + off[0]), float(mean[1] + off[1]), float(heading)),
                float(np.sqrt(spread)),
            )
        return located, located.points(who, x, z, *frame.arms)

    def _count(
        self,
        table: EntryTable,
        frame: SightingBatch,
        used: Numbers,
        at: Numbers,
        first: int,
        step: int,
    ) -> None:
        """Odds, labels and attributes of every entry sighted in this step.

        Rows from `first` on are new; the odds they start with count their first sighting.
        """
        names, kinds, sightings = table.names, table.kinds, frame.sightings
        attributes, holders, sources = table.attributes, table.holders, table.sources
        own = np.ones(len(used), dtype=bool)
        for number, (k, row) in enumerate(zip(used.tolist(), at.tolist(), strict=True)):
            sighting = sightings[k]
            kind = sighting.kind
            if kind == kinds[row] and sighting.name in (names[row], "", kind):
                attributes[row] = sighting.attributes
                holders[row] = sighting.holder
                sources[row] = "seen"
                continue
            own[number] = False
            label = (names[row] if sighting.name in ("", kind) else sighting.name, kind)
            table.aliases.setdefault(label[0], row)
            others = table.labels[row]
            others[label] = others.get(label, 0) + 1
        gain = np.where(own, self._model.seen_again, _WRONG_LABEL)
        new = np.flatnonzero(at >= first)
        gain[new[np.unique(at[new], return_index=True)[1]]] = 0.0
        np.add.at(table.odds, at, gain)
        np.add.at(table.hits, at[own], 1)
        np.add.at(table.label, at[own], self._model.named_right)
        touched = np.flatnonzero(np.bincount(at, minlength=table.n))
        table.sightings[touched] += 1
        table.seen[touched] = step
        for row in dict.fromkeys(at[~own].tolist()):
            self._settle_label(table, row)

    def _settle_label(self, table: EntryTable, row: int) -> None:
        """Call an entry what it was called most often."""
        own = (table.names[row], table.kinds[row])
        others = table.labels[row]
        best, count = own, int(table.hits[row])
        for label, other in others.items():
            if other > count and table.index.get(label[0], row) == row:
                best, count = label, other
        if best != own:
            others[own] = int(table.hits[row])
            table.hits[row] = others.pop(best)
            if best[0] == own[0]:
                table.set_kind(row, best[1])
            else:
                table.aliases[own[0]] = row
                table.rename(row, best)
        most = max(others.values(), default=0)
        table.label[row] = self._model.named_right * (int(table.hits[row]) - most)
