"""Agent-centric semantic memory (ASM, section 3.2): the team's beliefs and its prompt lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.action import Vocabulary
from mosaic_planner.core.noise import NOISE_REGIMES, NoiseRegime
from mosaic_planner.core.observation import Observation, Outcome
from mosaic_planner.core.world import Briefing, Geometry
from mosaic_planner.memory.effects import apply_effects, follow_holders
from mosaic_planner.memory.frames import points_of
from mosaic_planner.memory.prompt import PromptLines
from mosaic_planner.memory.table import EntryTable
from mosaic_planner.memory.team import TeamRecord
from mosaic_planner.memory.view import BeliefView, Columns

__all__ = ["AgentCentricMemory"]

_SURE = 7.0  # log odds of a thing that was seen where nothing is ever seen wrongly (p = 0.999)


class AgentCentricMemory:
    """What the team knows together, as every agent has it in its own frame."""

    def __init__(
        self,
        agents: Sequence[str],
        geometry: Geometry,
        briefing: Briefing,
        vocabulary: Vocabulary,
        *,
        noise: NoiseRegime = NOISE_REGIMES["none"],
        max_lines: int = 16,
    ) -> None:
        """`max_lines` >= 1 caps the prompt lines per agent; `noise` is the sensor model."""
        self.geometry = geometry
        self.noise = noise
        self.agent_kind = agent_kind_of(vocabulary, briefing)
        self._team = TeamRecord(tuple(agents))
        self._table = EntryTable()
        self._seers: NDArray[np.bool_] = np.zeros((len(agents), 0), dtype=bool)
        self._step = 0
        self._prompt = PromptLines(geometry, briefing, max_lines)
        self._view: BeliefView | None = None
        self._everywhere: frozenset[str] = frozenset()

    def update(
        self, observations: Mapping[str, Observation], outcomes: Mapping[str, Outcome]
    ) -> None:
        """Take in one joint step; see `Memory.update`."""
        self._view = None
        steps = [o.step for o in observations.values()]
        self._step = max(steps, default=self._step + 1)
        self._team.take(observations)
        gone = apply_effects(self._table, outcomes, self._team)
        seen = self._take_sightings(observations)
        seen_rows: NDArray[np.bool_] = np.logical_or.reduce(seen, axis=0)
        follow_holders(self._table, self._team, seen_rows, self._step)
        self._forget(observations, seen_rows, gone)

    def beliefs(self) -> BeliefView:
        """The beliefs now; see `Memory.beliefs`."""
        if self._view is None:
            table = self._table
            self._view = BeliefView(
                self._step,
                dict(self._team.states),
                Columns(
                    tuple(table.names),
                    tuple(table.kinds),
                    tuple(table.attributes),
                    tuple(table.holders),
                    tuple(table.sources),
                    table.x.copy(),
                    table.z.copy(),
                    np.sqrt((table.var_xx + table.var_zz) / 2.0),
                    np.where(table.odds >= _SURE, 1.0, 1.0 / (1.0 + np.exp(-table.odds))),
                    self._step - table.seen,
                    table.odds < 0.0,
                    self._seers[:, : table.n],
                ),
                self.geometry,
                agent_kind=self.agent_kind,
            )
        return self._view

    def lines(self, agent: str) -> tuple[str, ...]:
        """The prompt lines of one agent; see `Memory.lines`."""
        return self._prompt.lines(self.beliefs(), agent)

    def focus(self, words: Sequence[str]) -> None:
        """Words of the open subtasks; see `Memory.focus`."""
        self._prompt.focus(words)

    def _take_sightings(self, observations: Mapping[str, Observation]) -> NDArray[np.bool_]:
        """Put every sighting into its entry; returns who saw what, (agents, entries)."""
        table, team = self._table, self._team
        rows: list[int] = []
        who: list[int] = []
        dx: list[float] = []
        dz: list[float] = []
        index = table.index
        for agent, number in team.index.items():
            observation = observations.get(agent)
            if observation is None:
                continue
            for sighting in observation.sightings:
                row = index.get(sighting.name)
                if row is None:
                    if sighting.name in team.index:
                        x, z = observation.pose.to_world(sighting.offset)
                        team.sighted(sighting.name, x, z)
                        continue
                    row = table.add(sighting.name, sighting.kind, seen=self._step, odds=_SURE)
                elif table.kinds[row] != sighting.kind:
                    table.set_kind(row, sighting.kind)
                table.attributes[row] = sighting.attributes
                table.holders[row] = sighting.holder
                table.sources[row] = "seen"
                rows.append(row)
                who.append(number)
                offset = sighting.offset
                dx.append(offset.dx)
                dz.append(offset.dz)
        seen = np.zeros((len(team.agents), table.n), dtype=bool)
        if rows:
            at, by = np.array(rows), np.array(who)
            x_, z_ = points_of(team.poses, by, np.array(dx), np.array(dz))
            table.x[at], table.z[at] = x_, z_
            table.seen[at] = self._step
            table.odds[at] = _SURE
            seen[by, at] = True
        kept = np.zeros_like(seen)
        kept[:, : self._seers.shape[1]] = self._seers
        self._seers = np.where(seen.any(axis=0), seen, kept)
        return seen

    def _forget(
        self, observations: Mapping[str, Observation], seen: NDArray[np.bool_], used_up: list[int]
    ) -> None:
        """Drop what is used up, and what would be seen from everywhere and was not."""
        table = self._table
        everywhere = tuple(
            dict.fromkeys(
                kind for o in observations.values() if o.view for kind in o.view.everywhere
            )
        )
        gone = table.kind_mask(everywhere)
        gone[used_up] = True
        gone &= ~seen
        if gone.any():
            table.keep(~gone)
            self._seers = self._seers[:, ~gone]


def agent_kind_of(vocabulary: Vocabulary, briefing: Briefing) -> str:
    """The word for a team mate's kind: the world's kind "agent" if it has one."""
    return "agent" if vocabulary.kind("agent") else briefing.agent_noun
