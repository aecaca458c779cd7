"""What went wrong on the way: cycles, repeated failures, going back and forth, idling, stagnation.

The patterns are those of Table 7, counted by the same functions that the coordinator's penalty
uses, but over what the agents really did. Consecutive steps that extend a pattern become one mark.
Real work (a success that changed something without changing place) ends a pattern: fetching sand
four times is work, not a cycle.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mosaic_planner.coordination.patterns import Recent, backtracks, cycle, failures, oscillations
from mosaic_planner.core.action import Action
from mosaic_planner.core.geometry import Cell
from mosaic_planner.core.history import Attempt
from mosaic_planner.replay.moments import Moment

__all__ = [
    "IDLE_FROM",
    "KINDS",
    "REPEATED_FROM",
    "RETURNS_FROM",
    "STAGNANT_FROM",
    "Mark",
    "MarkFinder",
]

KINDS = ("cycle", "failure", "oscillation", "backtracking", "idle", "stagnation", "false done")
"""Kinds of marks, the gravest patterns first."""

REPEATED_FROM = 2
"""A failure is marked from its second attempt on."""
IDLE_FROM = 3
"""Idling is marked from so many steps in a row on."""
STAGNANT_FROM = 5
"""The team stagnates from so many steps on in which no agent got anything done."""
RETURNS_FROM = 2
"""Going back and forth, or back to places left before, is marked from so many returns on."""
_WINDOW = 48
"""Attempts looked back at; six times the longest cycle that is looked for."""
_LEAST = {
    "failure": REPEATED_FROM,
    "oscillation": RETURNS_FROM,
    "backtracking": RETURNS_FROM,
    "idle": IDLE_FROM,
    "stagnation": STAGNANT_FROM,
}


@dataclass(frozen=True, slots=True)
class Mark:
    """A stretch of steps, first and last included. `agent` is "" where the team is meant.

    `count`: attempts, repetitions, returns or steps, as the kind says.
    """

    kind: str
    agent: str
    first: int
    last: int
    count: int
    action: str = ""

    @property
    def text(self) -> str:
        """One plain sentence."""
        who = self.agent or "The team"
        steps = (
            f"step {self.first}" if self.first == self.last else f"steps {self.first}-{self.last}"
        )
        said = {
            "cycle": f"{who} repeats a sequence of actions, {self.count} repeated so far",
            "failure": f"{who} tries {self.action} {self.count} times in a row and fails",
            "oscillation": f"{who} goes back and forth {self.count} times",
            "backtracking": f"{who} returns to places it had left {self.count} times",
            "idle": f"{who} idles for {self.count} steps",
            "stagnation": f"{who} gets nothing done for {self.count} steps",
            "false done": f"{who} says the task is done, but it is not",
        }[self.kind]
        return f"{said} ({steps})"


class MarkFinder:
    """Takes moments in order; `finish` gives what was found."""

    def __init__(self, agents: Sequence[str], unit: float) -> None:
        self._agents = tuple(agents)
        self._unit = unit
        self._past: dict[str, deque[Attempt]] = {a: deque(maxlen=_WINDOW) for a in agents}
        self._before: Mapping[str, Any] = {}
        self._open: dict[tuple[str, str], Mark] = {}
        self._closed: list[Mark] = []

    def take(self, moment: Moment) -> None:
        """Look at one more moment."""
        outcomes: Mapping[str, Any] = (moment.outcome or {}).get("agents", {})
        after: Mapping[str, Any] = (moment.observation or {}).get("agents", {})
        worked = False
        for agent in self._agents:
            outcome = outcomes.get(agent)
            if outcome is None:
                continue
            attempt = self._attempt(moment.step, outcome, self._before.get(agent), after.get(agent))
            self._judge(agent, attempt)
            worked = worked or attempt.progress
            self._past[agent].append(attempt)
        if outcomes:
            self._extend("stagnation", "", moment.step, 0 if worked else 1)
            self._judge_claim(moment, outcomes)
        if after:
            self._before = after

    def _attempt(
        self,
        step: int,
        outcome: Mapping[str, Any],
        before: Mapping[str, Any] | None,
        after: Mapping[str, Any] | None,
    ) -> Attempt:
        changed = bool(outcome["effects"])
        if before is not None and after is not None:
            changed = changed or any(before[k] != after[k] for k in ("pose", "inventory"))
        idle, success = bool(outcome["idle"]), bool(outcome["success"])
        return Attempt(
            step=step,
            action=Action(str(outcome["action"])),  # only compared, so its text is enough
            success=success,
            idle=idle,
            start=self._cell(before),
            end=self._cell(after),
            progress=success and not idle and changed,
        )

    def _cell(self, seen: Mapping[str, Any] | None) -> Cell | None:
        if seen is None:
            return None
        return round(seen["pose"][0] / self._unit), round(seen["pose"][1] / self._unit)

    def _judge(self, agent: str, attempt: Attempt) -> None:
        attempts = tuple(self._past[agent])
        past = Recent.of(attempts, since_work=True)
        done, step = attempt.action, attempt.step
        worked = attempt.progress and attempt.start == attempt.end
        moved = not attempt.idle and not worked
        repeated = cycle(past.actions, past.code(done)) if moved else 0
        self._extend("cycle", agent, step, repeated, count=repeated)
        failed = 0 if attempt.success else failures(attempts, done)
        self._extend("failure", agent, step, failed, count=failed + 1, action=str(done.verb))
        self._extend("oscillation", agent, step, oscillations(past.places, attempt.end))
        self._extend("backtracking", agent, step, backtracks(past.places, attempt.end))
        self._extend("idle", agent, step, int(attempt.idle))

    def _judge_claim(self, moment: Moment, outcomes: Mapping[str, Any]) -> None:
        claimed = all(outcome["ends"] for outcome in outcomes.values())
        if claimed and moment.score is not None and not moment.score["success"]:
            self._extend("false done", "", moment.step, 1)
        else:
            self._extend("false done", "", moment.step, 0)

    def _extend(
        self, kind: str, agent: str, step: int, how_much: int, *, count: int = 0, action: str = ""
    ) -> None:
        """Continue, begin or (`how_much` 0) end the mark of that kind and agent."""
        key = (kind, agent)
        known = self._open.get(key)
        if known is not None and (not how_much or action != known.action):
            self._close(key)
            known = None
        if not how_much:
            return
        if known is None:
            first = step - 1 if kind == "failure" else step
            self._open[key] = Mark(kind, agent, first, step, count or 1, action)
        else:
            self._open[key] = replace(known, last=step, count=count or known.count + 1)

    def _close(self, key: tuple[str, str]) -> None:
        mark = self._open.pop(key)
        if mark.count >= _LEAST.get(mark.kind, 1):
            self._closed.append(mark)

    def finish(self) -> tuple[Mark, ...]:
        """Every mark, by first step, then as `KINDS` and the team are ordered. Call it once."""
        for key in list(self._open):
            self._close(key)
        team = {name: i for i, name in enumerate(("", *self._agents))}
        return tuple(
            sorted(self._closed, key=lambda m: (m.first, KINDS.index(m.kind), team[m.agent]))
        )
