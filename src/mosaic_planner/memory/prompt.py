"""The prompt lines of an agent: chosen by relevance, worded once per step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mosaic_planner.core.world import Briefing, Geometry
from mosaic_planner.memory.relevance import HELD, MATE, Relevance, choose, family_of
from mosaic_planner.memory.view import BeliefView
from mosaic_planner.memory.wording import entry_line

__all__ = ["SPARE_LINES", "PromptLines"]

SPARE_LINES = 3
"""Entries without a link to the task that are shown at most, if there is room."""


class PromptLines:
    """Words the beliefs for prompts; keeps the lines of the latest view."""

    def __init__(self, geometry: Geometry, briefing: Briefing, max_lines: int) -> None:
        self._geometry = geometry
        self._max_lines = max_lines
        self._relevance = Relevance(briefing.task_words)
        self._view: BeliefView | None = None
        self._lines: dict[str, tuple[str, ...]] = {}
        self._families: dict[tuple[str, str], str] = {}
        self._classes: list[int] = []

    def focus(self, words: Sequence[str]) -> None:
        """Words of the open subtasks."""
        if self._relevance.focus(words):
            self._view = None

    def lines(
        self,
        view: BeliefView,
        agent: str,
        places: Callable[[str], Sequence[str]] | None = None,
    ) -> tuple[str, ...]:
        """At most `max_lines` lines; `places` gives the likely places of a lost entity."""
        if view is not self._view:
            self._view = view
            self._lines = {}
            columns = view.columns
            self._classes = [
                self._relevance.class_of(*entry)
                for entry in zip(columns.names, columns.kinds, columns.attributes, strict=True)
            ]
        known = self._lines.get(agent)
        if known is None:
            known = self._lines[agent] = self._worded(view, agent, places)
        return known

    def _worded(
        self, view: BeliefView, agent: str, places: Callable[[str], Sequence[str]] | None
    ) -> tuple[str, ...]:
        if view.pose(agent) is None:
            return ()
        columns = view.columns
        dx, dz = (axis[view.agents.index(agent)] for axis in view.offsets())
        distances = (np.abs(dx) + np.abs(dz)).tolist()
        classes = list(self._classes)
        for row, holder in enumerate(columns.holders):
            if holder and agent in holder.split(", "):
                classes[row] = HELD
        families = [self._family(*pair) for pair in zip(columns.names, columns.kinds, strict=True)]
        names = [*columns.names]
        for mate in view.agents:
            known = None if mate == agent else view.relative(agent, mate)
            if known is not None:
                names.append(mate)
                classes.append(MATE)
                distances.append(known.offset.steps(1.0))
                families.append(view.agent_kind)
        shown = choose(classes, distances, families, cap=self._max_lines, spare=SPARE_LINES)
        lines = []
        for number in shown:
            entry = view.relative(agent, names[number])
            if entry is not None:
                lost = places(names[number]) if places and entry.belief.lost else ()
                lines.append(entry_line(entry, self._geometry, lost))
        return tuple(lines)

    def _family(self, name: str, kind: str) -> str:
        known = self._families.get((name, kind))
        if known is None:
            if len(self._families) > 20_000:
                self._families.clear()
            known = self._families[name, kind] = family_of(name, kind)
        return known
