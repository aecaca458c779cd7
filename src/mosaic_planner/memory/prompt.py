"""The prompt lines of an agent: chosen by relevance, worded once per step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

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
        self._focused = False
        self._lines: dict[str, tuple[str, ...]] = {}
        self._said: dict[str, dict[str, str]] = {}
        self._wordings: dict[tuple[str, str], str] = {}
        self._families: dict[tuple[str, str], int] = {}
        self._numbers: dict[str, int] = {}
        self._classes: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._members: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._held: list[int] = []

    def focus(self, words: Sequence[str]) -> None:
        """Words of the open subtasks."""
        if self._relevance.focus(words):
            self._focused = False

    def lines(
        self,
        view: BeliefView,
        agent: str,
        places: Callable[[str], Sequence[str]] | None = None,
    ) -> tuple[str, ...]:
        """At most `max_lines` lines; `places` gives the likely places of a lost entity."""
        if view is not self._view:
            self._view = view
            self._said, self._wordings = {}, {}
            self._focused = False
        if not self._focused:
            self._choose_from(view)
        known = self._lines.get(agent)
        if known is None:
            known = self._lines[agent] = self._worded(view, agent, places)
        return known

    def _choose_from(self, view: BeliefView) -> None:
        """Classes and families of all entries, then of all agents, for a new view or focus."""
        self._focused = True
        self._lines = {}
        columns = view.columns
        entries = zip(columns.names, columns.kinds, columns.attributes, strict=True)
        mates = [MATE] * len(view.agents)
        classes = [self._relevance.class_of(*entry) for entry in entries] + mates
        family = self._family
        members = [family(*pair) for pair in zip(columns.names, columns.kinds, strict=True)]
        members += [family("", view.agent_kind)] * len(view.agents)
        self._classes = np.array(classes, dtype=np.int64)
        self._members = np.array(members, dtype=np.int64)
        self._held = [row for row, holder in enumerate(columns.holders) if holder]

    def _worded(
        self, view: BeliefView, agent: str, places: Callable[[str], Sequence[str]] | None
    ) -> tuple[str, ...]:
        pose = view.pose(agent)
        if pose is None:
            return ()
        columns, own = view.columns, view.agents.index(agent)
        classes, distances = self._classes, self._distances(view, own)
        mine = [row for row in self._held if agent in columns.holders[row].split(", ")]
        if mine:
            classes = classes.copy()
            classes[mine] = HELD
        known = np.flatnonzero(~np.isnan(distances))
        known = known[known != len(columns.names) + own]
        shown = choose(
            classes[known],
            distances[known],
            self._members[known],
            cap=self._max_lines,
            spare=SPARE_LINES,
        )
        names = (*columns.names, *view.agents)
        lines = []
        for number in known[shown].tolist():
            line = self._line(view, agent, names[number], places)
            if line:
                lines.append(line)
        return tuple(lines)

    def _line(
        self,
        view: BeliefView,
        agent: str,
        name: str,
        places: Callable[[str], Sequence[str]] | None,
    ) -> str:
        """The line of one entry, whatever the focus; "" if its place is unknown."""
        known = self._wordings.get((agent, name))
        if known is None:
            said = self._said.get(agent)
            if said is None:
                said = self._said[agent] = _said(view.team[agent].text)
            entry, known = view.relative(agent, name), ""
            if entry is not None:
                lost = places(name) if places and entry.belief.lost else ()
                known = entry_line(entry, self._geometry, lost, said.get(name, ""))
            self._wordings[agent, name] = known
        return known

    def _distances(self, view: BeliefView, own: int) -> NDArray[np.float64]:
        """Manhattan distances of all entries, then of all agents, from one agent's frame."""
        dx, dz = (axis[own] for axis in view.offsets())
        mates_dx, mates_dz = (axis[own] for axis in view.mate_offsets())
        own_things, own_mates = np.abs(dx) + np.abs(dz), np.abs(mates_dx) + np.abs(mates_dz)
        total: NDArray[np.float64] = np.concatenate((own_things, own_mates))
        return total

    def _family(self, name: str, kind: str) -> int:
        known = self._families.get((name, kind))
        if known is None:
            if len(self._families) > 20_000:
                self._families.clear()
            family = family_of(name, kind)
            known = self._numbers.setdefault(family, len(self._numbers))
            self._families[name, kind] = known
        return known


def _said(text: str) -> dict[str, str]:
    """What an observation text says of each name, where it has one line per thing.

    Such a line is `- NAME (...` or `- NAME: ...`; in another layout nothing is found.
    """
    said = {}
    for line in text.splitlines():
        if line.startswith("- "):
            name, _, rest = line[2:].replace(":", " ", 1).partition(" ")
            said[name] = rest
    return said
