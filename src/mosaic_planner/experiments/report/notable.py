"""Which episodes of a sweep to look at first: the best, the median and the worst of each row, and
how it failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Notable", "notable_episodes"]

Figures = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Notable:
    """An episode and why it is shown. `line`: its line of results."""

    why: str
    line: Figures

    @property
    def key(self) -> str:
        """The episode's key."""
        return str(self.line["key"])


def _rank(line: Figures) -> tuple[bool, float, float, str]:
    """Better episodes first: success, then what was achieved, then the time it took."""
    return (
        not line["success"],
        -float(line["transport_rate"]),
        float(line["runtime_s"]),
        str(line["key"]),
    )


def _of_row(lines: Sequence[Figures]) -> list[Notable]:
    order = sorted({line["key"]: line for line in lines}.values(), key=_rank)
    failed = [line for line in order if not line["success"]]
    found = [Notable("best", order[0])]
    if len(order) > 2:
        found.append(Notable("median", order[len(order) // 2]))
    if len(order) > 1:
        found.append(Notable("worst", order[-1]))
    if failed:
        found.append(Notable("failed, nearest to success", failed[0]))
    found += [Notable("claims success falsely", line) for line in failed if line["claimed"]][:1]
    merged: dict[str, Notable] = {}
    for item in found:
        before = merged.get(item.key)
        why = item.why if before is None else f"{before.why}; {item.why}"
        merged[item.key] = Notable(why, item.line)
    return list(merged.values())


def notable_episodes(lines: Iterable[Figures]) -> list[Notable]:
    """For every world and row: best, median, worst, the unsuccessful episode that got furthest,
    one that claims success falsely. An episode that is several of these is there once.
    """
    groups: dict[tuple[str, str], list[Figures]] = {}
    for line in lines:
        groups.setdefault((line["world"], line["row"]), []).append(line)
    return [item for group in groups.values() for item in _of_row(group)]
