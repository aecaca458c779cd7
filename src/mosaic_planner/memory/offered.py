"""Which names an action of an agent may use, as far as memory knows.

What the agent's own observation offers, plus, from memory, entities of the same standing: those a
team mate found (worlds where one must see a thing to know its name), and under noise those that
the sensors missed. Left out is what memory believes to be invented or lost. A kind that is visible
everywhere but that the world does not offer by name (whole fires in SAR, rule J3) stays out.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from mosaic_planner.core.observation import View
from mosaic_planner.memory.view import BeliefView

__all__ = ["Offered"]


class Offered:
    """Works out `Beliefs.names` for one step."""

    def __init__(
        self, views: Mapping[str, View | None], *, named: Collection[str] | None = None
    ) -> None:
        """`views`: what each agent could see. `named`: where sensors may be wrong, the kinds of
        which something was ever offered; None where they are right.
        """
        self._views = views
        self._noisy = named is not None
        self._named = frozenset(named or ())

    def __call__(self, beliefs: BeliefView, agent: str) -> tuple[str, ...]:
        """The names for one agent: its own in their order, then the others as they were learnt."""
        own = beliefs.team[agent].names
        view = self._views.get(agent)
        index, columns = beliefs.rows, beliefs.columns
        names = []
        kinds = set(self._named)
        for name in own:
            row = index.get(name)
            if row is not None:
                kinds.add(columns.kinds[row])
                if columns.lost[row]:
                    continue
            elif self._noisy and name not in beliefs.team:
                continue  # sighted, and taken for an invention
            names.append(name)
        offered = set(own)
        unnamed = set(view.everywhere) - kinds if view is not None else set()
        for row in np.flatnonzero(~columns.lost).tolist():
            if columns.names[row] not in offered and columns.kinds[row] not in unnamed:
                names.append(columns.names[row])
        if self._noisy and view is not None:
            names += self._missed_mates(beliefs, agent, view.max_range, offered)
        return tuple(names)

    def _missed_mates(
        self, beliefs: BeliefView, agent: str, reach: float, offered: set[str]
    ) -> list[str]:
        mates = []
        for mate in beliefs.agents:
            known = None if mate in offered else beliefs.relative(agent, mate)
            if known is not None and known.offset.length <= reach:
                mates.append(mate)
        return mates
