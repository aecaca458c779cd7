"""Subtasks over time: as the planner words them, and as the score truly counts them."""

from __future__ import annotations

from typing import Any

from mosaic_planner.replay.moments import Moment, open_subtasks

__all__ = ["SubtaskSpans"]


class SubtaskSpans:
    """Takes moments in order. Positions are numbers of moments, not of steps."""

    def __init__(self) -> None:
        self._count = 0
        self._told: dict[str, list[list[int]]] = {}
        self._completed: dict[str, int] = {}
        self._true: dict[str, int] = {}
        self._total = 0
        self._open: list[str] = []

    def take(self, moment: Moment) -> None:
        """Note what is open and what is done after one more moment."""
        now = self._count
        self._count += 1
        told = open_subtasks(moment)
        if told is not None:
            self._open = list(dict.fromkeys(told[0]))
            for text in told[1]:
                self._completed.setdefault(text, now)
        for text in self._open:
            spans = self._told.setdefault(text, [])
            if spans and spans[-1][1] == now - 1:
                spans[-1][1] = now
            else:
                spans.append([now, now])
        if moment.score is not None:
            self._total = moment.score["total"]
            for name in moment.score["completed"]:
                self._true.setdefault(str(name), now)

    def value(self) -> dict[str, Any]:
        """`told`: [text, [[first, last], ...], completed at or None] by first appearance; `true`:
        [name, completed at]; `total`: how many subtasks the score counts."""
        texts = list(dict.fromkeys((*self._told, *self._completed)))
        rows = [[t, self._told.get(t, []), self._completed.get(t)] for t in texts]
        rows.sort(key=_first)
        return {"told": rows, "true": [list(p) for p in self._true.items()], "total": self._total}


def _first(row: list[Any]) -> int:
    spans, completed = row[1], row[2]
    return int(spans[0][0]) if spans else int(completed)
