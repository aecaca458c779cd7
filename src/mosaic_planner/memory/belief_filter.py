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
        gain = np.full(len(used), self._model.seen_again)
        fresh: set[int] = set()
        doubted: dict[int, None] = {}
        for number, (k, row) in enumerate(zip(used.tolist(), at.tolist(), strict=True)):
            sighting = frame.sightings[k]
            label = own = (table.names[row], table.kinds[row])
            if sighting.name in ("", sighting.kind):
                label = (own[0], sighting.kind)
            else:
                label = (sighting.name, sighting.kind)
            if label == own:
                table.attributes[row] = sighting.attributes
                table.holders[row] = sighting.holder
                table.sources[row] = "seen"
            else:
                gain[number] = _WRONG_LABEL
                table.aliases.setdefault(sighting.name, row)
            if row >= first and row not in fresh:
                gain[number] = 0.0
                fresh.add(row)
            counts = table.labels[row]
            counts[label] = counts.get(label, 0) + 1
            if len(counts) > 1:
                doubted[row] = None
        np.add.at(table.odds, at, gain)
        np.add.at(table.label, at, self._model.named_right)
        touched = np.unique(at)
        table.sightings[touched] += 1
        table.seen[touched] = step
        for row in doubted:
            self._settle_label(table, row)

    def _settle_label(self, table: EntryTable, row: int) -> None:
        """Call an entry what it was called most often."""
        counts = table.labels[row]
        own = (table.names[row], table.kinds[row])
        for label, count in counts.items():
            free = table.index.get(label[0], row) == row
            if free and count > counts.get(own, 0):
                own = label
        if own[0] != table.names[row]:
            table.aliases.setdefault(table.names[row], row)
            table.rename(row, own)
        others = max((count for label, count in counts.items() if label != own), default=0)
        table.label[row] = self._model.named_right * (counts.get(own, 0) - others)
