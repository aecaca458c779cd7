"""The paper's memory (section 3.2) as a comparison: every observation is taken at its word.

Positions are overwritten by the last sighting ("re-observations implicitly relocalize objects"),
invented and misclassified things are believed, and nothing out of sight is ever doubted. What is
visible everywhere is known to be what is visible now. Everything else (frames, team sharing, the
effects of actions, prompt lines) is the same as in ours, so that a comparison shows the belief
alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mosaic_planner.core.action import Vocabulary
from mosaic_planner.core.observation import Observation, Outcome
from mosaic_planner.core.world import Briefing, Geometry
from mosaic_planner.memory.asm import MAX_LINES, agent_kind_of
from mosaic_planner.memory.effects import apply_effects, follow_holders
from mosaic_planner.memory.exact import take_at_face_value
from mosaic_planner.memory.offered import Offered
from mosaic_planner.memory.prompt import PromptLines
from mosaic_planner.memory.table import EntryTable
from mosaic_planner.memory.team import TeamRecord
from mosaic_planner.memory.view import BeliefView, Columns

__all__ = ["OverwritingMemory"]


class OverwritingMemory:
    """Believes the last sighting of everything."""

    def __init__(
        self,
        agents: Sequence[str],
        geometry: Geometry,
        briefing: Briefing,
        vocabulary: Vocabulary,
        *,
        max_lines: int = MAX_LINES,
    ) -> None:
        """`max_lines` >= 1 caps the prompt lines per agent."""
        self.geometry = geometry
        self._agent_kind = agent_kind_of(vocabulary, briefing)
        self._team = TeamRecord(tuple(agents))
        self._table = EntryTable()
        self._prompt = PromptLines(geometry, briefing, max_lines)
        self._offered = Offered({})
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
        seen = np.logical_or.reduce(
            take_at_face_value(table, team, observations, self._step), axis=0
        )
        follow_holders(table, team, seen, self._step)
        views = {agent: o.view for agent, o in observations.items()}
        everywhere = {k: None for v in views.values() if v is not None for k in v.everywhere}
        drop = table.kind_mask(tuple(everywhere))
        drop[used_up] = True
        drop &= ~seen
        if drop.any():
            table.keep(~drop)
        self._offered = Offered(views)

    def beliefs(self) -> BeliefView:
        """The beliefs now; see `Memory.beliefs`."""
        if self._view is None:
            table = self._table
            columns = Columns.of(
                table,
                sigma=np.zeros(table.n),
                confidence=np.ones(table.n),
                age=self._step - table.seen,
                lost=np.zeros(table.n, dtype=bool),
                seers=np.ones((len(self._team.agents), table.n), dtype=bool),
            )
            self._view = BeliefView(
                self._step,
                dict(self._team.states),
                columns,
                self.geometry,
                agent_kind=self._agent_kind,
                offered=self._offered,
            )
        return self._view

    def lines(self, agent: str) -> tuple[str, ...]:
        """The prompt lines of one agent; see `Memory.lines`."""
        return self._prompt.lines(self.beliefs(), agent)

    def focus(self, words: Sequence[str]) -> None:
        """Words of the open subtasks; see `Memory.focus`."""
        self._prompt.focus(words)
