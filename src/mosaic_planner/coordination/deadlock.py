"""When nobody gets on any more, and who blocks whom: a pure function of recent assignments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mosaic_planner.coordination.assignment import Assignment
from mosaic_planner.core.geometry import Cell
from mosaic_planner.core.history import History

__all__ = ["Deadlock", "deadlock_report"]


@dataclass(frozen=True, slots=True)
class Deadlock:
    """Agents that block each other, step after step.

    `blocked_by` maps each of them to the agents in its way. `total`: nobody else does anything
    either, so the episode may end with `no_progress`. `steps`: for how long at least.
    """

    agents: tuple[str, ...]
    blocked_by: Mapping[str, tuple[str, ...]]
    total: bool
    steps: int
    details: tuple[str, ...] = ()

    def lines(self) -> tuple[str, ...]:
        """Who blocks whom, in plain words."""
        who = (
            f"{agent} is blocked by {' and '.join(self.blocked_by[agent])}" for agent in self.agents
        )
        return (*who, *self.details)


def deadlock_report(
    assignments: Sequence[Assignment],
    history: History | None = None,
    *,
    patience: int = 4,
    wander: int = 12,
) -> Deadlock | None:
    """The deadlock at the end of `assignments` (oldest first), if there is one.

    An agent counts as blocked by another in a step if right of way found no place where either
    could let the other pass, or if it idles because of what the other does although it wants
    something else. A deadlock is, in each of the last `patience` >= 1 steps, the former, or a
    circle of the latter. With a history it is also a deadlock if, in the last `wander` steps,
    nobody came to a place where he had not been before or did any work, and somebody was blocked.
    """
    if len(assignments) >= patience:
        recent = assignments[-patience:]
        edges = {**_circles(recent), **_obstructions(recent)}
        if edges:
            busy = any(
                a not in edges and not c.profile.idle
                for assignment in recent
                for a, c in assignment.chosen.items()
            )
            return _report(edges, not busy, patience, recent[-1])
    if history is not None and len(assignments) >= wander and _no_news(history, wander):
        union: dict[str, dict[str, None]] = {}
        for assignment in assignments[-wander:]:
            for agent, by in _blocked(assignment).items():
                union.setdefault(agent, {}).update(dict.fromkeys(by))
        if union:
            edges = {a: tuple(by) for a, by in union.items()}
            return _report(edges, True, wander, assignments[-1])
    return None


def _report(
    edges: Mapping[str, tuple[str, ...]], total: bool, steps: int, last: Assignment
) -> Deadlock:
    details = dict.fromkeys(b.detail for b in last.blockades if b.agent in edges)
    return Deadlock(
        tuple(sorted(edges)), {a: edges[a] for a in sorted(edges)}, total, steps, tuple(details)
    )


def _obstructions(recent: Sequence[Assignment]) -> dict[str, tuple[str, ...]]:
    """Pairs that had no way past each other in every step, whichever of them wanted to pass."""
    kept: set[tuple[str, str]] | None = None
    edges: dict[str, dict[str, None]] = {}
    for assignment in recent:
        pairs = set()
        for b in assignment.blockades:
            pairs.add((min(b.agent, b.by), max(b.agent, b.by)))
            edges.setdefault(b.agent, {})[b.by] = None
        kept = pairs if kept is None else kept & pairs
    lasting = {
        agent: tuple(b for b in by if (min(agent, b), max(agent, b)) in (kept or ()))
        for agent, by in edges.items()
    }
    return {agent: by for agent, by in lasting.items() if by}


def _circles(recent: Sequence[Assignment]) -> dict[str, tuple[str, ...]]:
    """Agents that idle because of each other, in a circle and in every step."""
    graphs = [_blocked(a) for a in recent]
    shared = {
        agent: tuple(b for b in by if all(b in g.get(agent, ()) for g in graphs))
        for agent, by in graphs[-1].items()
    }
    return {a: by for a, by in shared.items() if _reaches(a, a, shared)}


def _no_news(history: History, steps: int) -> bool:
    """Whether in the last steps nobody saw a new place from within or changed anything."""
    for attempts in history.attempts.values():
        if len(attempts) < steps:
            return False
        known: set[Cell | None] = {None}
        for a in attempts[:-steps]:
            known.update((a.start, a.end))
        for a in attempts[-steps:]:
            known.add(a.start)
            worked = a.success and a.progress and not a.idle and a.start == a.end
            if worked or a.end not in known:
                return False
    return True


def _blocked(assignment: Assignment) -> dict[str, tuple[str, ...]]:
    """Who is blocked by whom in one step."""
    found: dict[str, dict[str, None]] = {}
    for blockade in assignment.blockades:
        found.setdefault(blockade.agent, {})[blockade.by] = None
    for loser in assignment.losers:
        agent = loser.candidate.agent
        choice = assignment.chosen[agent]
        wanted = loser.candidate.source == "model" and loser.verdict == "excluded" and loser.by
        if wanted and choice.profile.idle:
            found.setdefault(agent, {})[loser.by] = None
    return {a: tuple(by) for a, by in found.items()}


def _reaches(start: str, goal: str, graph: Mapping[str, Sequence[str]]) -> bool:
    seen: set[str] = set()
    queue = list(graph.get(start, ()))
    while queue:
        agent = queue.pop()
        if agent == goal:
            return True
        if agent not in seen:
            seen.add(agent)
            queue.extend(graph.get(agent, ()))
    return False
