"""Agent-centric semantic memory (ASM, section 3.2): the team's beliefs and its prompt lines.

One update is: the agents' own reports, the effects of successful actions, the sightings (at face
value where sensors are exact, by the belief filter under noise), things that move with their
holder, and the evidence of what was and was not seen. Positions are kept once, in the frame all
agents share; every agent's offsets follow from them and its pose, without drift.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.action import Vocabulary
from mosaic_planner.core.noise import NOISE_REGIMES, NoiseRegime
from mosaic_planner.core.observation import Observation, Outcome
from mosaic_planner.core.world import Briefing, Geometry
from mosaic_planner.memory.belief_filter import BeliefFilter
from mosaic_planner.memory.effects import apply_effects, follow_holders
from mosaic_planner.memory.evidence import Evidence
from mosaic_planner.memory.exact import SURE, take_at_face_value
from mosaic_planner.memory.noise_model import NoiseModel
from mosaic_planner.memory.offered import Offered
from mosaic_planner.memory.places import Places
from mosaic_planner.memory.prompt import PromptLines
from mosaic_planner.memory.table import EntryTable
from mosaic_planner.memory.team import TeamRecord
from mosaic_planner.memory.view import BeliefView, Columns

__all__ = ["MAX_LINES", "AgentCentricMemory", "agent_kind_of"]

MAX_LINES = 16
"""Prompt lines per agent unless asked otherwise."""

_FADING = 0.998  # per step: trust in the place of a mobile thing that nobody has in view


class AgentCentricMemory:
    """What the team knows together, as every agent has it in its own frame.

    Exact without noise; a belief with it: positions with their uncertainty, existence and class
    as probabilities, and things that are not where they should be.
    """

    def __init__(
        self,
        agents: Sequence[str],
        geometry: Geometry,
        briefing: Briefing,
        vocabulary: Vocabulary,
        *,
        noise: NoiseRegime = NOISE_REGIMES["none"],
        max_lines: int = MAX_LINES,
    ) -> None:
        """`max_lines` >= 1 caps the prompt lines per agent; `noise` is the sensor model."""
        self.geometry = geometry
        self.noise = noise
        self._agent_kind = agent_kind_of(vocabulary, briefing)
        self._mobile = tuple(kind.name for kind in vocabulary.kinds if kind.mobile)
        self._model = NoiseModel.of(noise, geometry.unit)
        self._team = TeamRecord(tuple(agents))
        self._table = EntryTable()
        self._filter = BeliefFilter(self._model, len(agents), headings=geometry.headings)
        self._evidence = Evidence(self._model, len(agents))
        self._places = Places(geometry.unit)
        self._prompt = PromptLines(geometry, briefing, max_lines)
        self._seers: NDArray[np.bool_] = np.zeros((len(agents), 0), dtype=bool)
        self._offered = Offered({})
        self._named: dict[str, None] = {}
        self._step = 0
        self._view: BeliefView | None = None

    def update(
        self, observations: Mapping[str, Observation], outcomes: Mapping[str, Outcome]
    ) -> None:
        """Take in one joint step; see `Memory.update`."""
        self._view = None
        team, table = self._team, self._table
        self._step = max((o.step for o in observations.values()), default=self._step + 1)
        team.take(observations)
        used_up = apply_effects(table, outcomes, team, self.geometry.unit)
        if self._model.exact:
            seen = take_at_face_value(table, team, observations, self._step)
        else:
            seen = self._filter.take(table, team, observations, outcomes, self._step)
        by_any: NDArray[np.bool_] = np.logical_or.reduce(seen, axis=0)
        kept = np.zeros_like(seen)
        kept[:, : self._seers.shape[1]] = self._seers
        self._seers = np.where(by_any, seen, kept)
        follow_holders(table, team, by_any, self._step)
        drop = self._evidence.weigh(table, team, observations, outcomes, seen)
        drop[used_up] = ~by_any[used_up]
        if drop.any():
            table.keep(~drop)
            self._evidence.keep(~drop)
            self._seers = self._seers[:, ~drop]
        self._places.note(table, team, by_any[~drop], self._step)
        views = {agent: o.view for agent, o in observations.items()}
        if not self._model.exact:
            self._note_named(observations)
        self._offered = Offered(views, named=None if self._model.exact else self._named)

    def beliefs(self) -> BeliefView:
        """The beliefs now; see `Memory.beliefs`."""
        if self._view is None:
            self._view = BeliefView(
                self._step,
                dict(self._team.states),
                self._columns(),
                self.geometry,
                agent_kind=self._agent_kind,
                offered=self._offered,
            )
        return self._view

    def lines(self, agent: str) -> tuple[str, ...]:
        """The prompt lines of one agent; see `Memory.lines`."""
        return self._prompt.lines(self.beliefs(), agent, self.likely_places)

    def focus(self, words: Sequence[str]) -> None:
        """Words of the open subtasks; see `Memory.focus`."""
        self._prompt.focus(words)

    def likely_places(self, name: str) -> tuple[str, ...]:
        """Where a lost thing may be: names of entities and agents, the likeliest first."""
        row = self._table.index.get(name)
        return () if row is None else self._places.ranked(self._table, self._team, row)

    def class_distribution(self, name: str) -> dict[str, float]:
        """Probabilities of the kinds an entity may be, the likeliest first; empty if unknown."""
        row = self._table.index.get(name)
        if row is None:
            return {}
        kinds = {self._table.kinds[row]: int(self._table.hits[row])}
        for (_, kind), count in self._table.labels[row].items():
            kinds[kind] = kinds.get(kind, 0) + count
        if self._model.wrong <= 0.0:
            return {self._table.kinds[row]: 1.0}
        most = max(kinds.values())
        weights = {
            kind: float(np.exp(self._model.named_right * (count - most)))
            for kind, count in kinds.items()
        }
        total = sum(weights.values())
        ranked = sorted(weights.items(), key=lambda item: -item[1])
        return {kind: weight / total for kind, weight in ranked}

    def _note_named(self, observations: Mapping[str, Observation]) -> None:
        """Remember of which kinds the world offers names."""
        table = self._table
        for observation in observations.values():
            for name in observation.names:
                row = table.index.get(name)
                if row is not None:
                    self._named[table.kinds[row]] = None

    def _columns(self) -> Columns:
        table = self._table
        lost = table.odds < 0.0
        confidence = np.where(table.odds >= SURE, 1.0, _probability(table.odds))
        if not self._model.exact:
            confidence *= _probability(table.label)
        age = self._step - table.seen
        if age.any():
            confidence *= np.where(table.kind_mask(self._mobile), _FADING**age, 1.0)
        hidden = np.flatnonzero(self._evidence.unreal(table))
        columns = Columns.of(
            table,
            sigma=np.sqrt((table.var_xx + table.var_zz) / 2.0),
            confidence=confidence,
            age=age,
            lost=lost,
            seers=self._seers,
        )
        return columns.without(hidden) if len(hidden) else columns


def agent_kind_of(vocabulary: Vocabulary, briefing: Briefing) -> str:
    """The word for a team mate's kind: the world's kind "agent" if it has one."""
    return "agent" if vocabulary.kind("agent") else briefing.agent_noun


def _probability(odds: NDArray[np.float64]) -> NDArray[np.float64]:
    return 1.0 / (1.0 + np.exp(-np.clip(odds, -50.0, 50.0)))
