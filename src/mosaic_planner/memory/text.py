"""The plain text memory that the baselines keep, behind the same interface.

What survives a step in the reference (rules R5, R25 and R29 of the planner notes)::

    LLaMAR          one memory text that each answer replaces, and per agent the last action with
                    its outcome and the remembered failures
    Act, CoT, ReAct the whole history: what every agent saw, what it did, whether that worked
    CoELA           each agent's own actions with their outcomes, and all messages

Beliefs are those of the current observations: a text has no positions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mosaic_planner.core.action import Vocabulary
from mosaic_planner.core.observation import Observation, Outcome
from mosaic_planner.core.world import Briefing, Geometry
from mosaic_planner.memory.current import CurrentObservationMemory
from mosaic_planner.memory.view import BeliefView

__all__ = ["TextMemory"]


@dataclass(frozen=True, slots=True)
class _Entry:
    step: int
    agent: str
    seen: tuple[str, ...]
    action: str
    result: str


class TextMemory:
    """Words only: a history per agent, the messages, and one note."""

    def __init__(
        self,
        agents: Sequence[str],
        geometry: Geometry,
        briefing: Briefing,
        vocabulary: Vocabulary,
    ) -> None:
        self._now = CurrentObservationMemory(agents, geometry, briefing, vocabulary)
        self._agents = tuple(agents)
        self._entries: list[_Entry] = []
        self._failures: dict[str, dict[str, None]] = {agent: {} for agent in self._agents}
        self._messages: list[tuple[int, str, str]] = []
        self._step = 0
        self.note = ""

    def update(
        self, observations: Mapping[str, Observation], outcomes: Mapping[str, Outcome]
    ) -> None:
        """Add what every agent saw, did and was told about it."""
        self._now.update(observations, outcomes)
        self._step = max((o.step for o in observations.values()), default=self._step + 1)
        for agent in self._agents:
            outcome, seen = outcomes.get(agent), observations.get(agent)
            names = tuple(s.name for s in seen.sightings) if seen is not None else ()
            action = str(outcome.action) if outcome is not None else ""
            result = _result(outcome)
            self._entries.append(_Entry(self._step, agent, names, action, result))
            if outcome is not None and outcome.success:
                self._failures[agent].pop(action, None)
            elif outcome is not None:
                self._failures[agent][action] = None

    def beliefs(self) -> BeliefView:
        """What is perceived now."""
        return self._now.beliefs()

    def lines(self, agent: str) -> tuple[str, ...]:
        """No agent-centric lines."""
        return ()

    def focus(self, words: Sequence[str]) -> None:
        """Nothing to rank."""

    def replace_note(self, text: str) -> None:
        """Keep `text` instead of the note so far: nothing is merged (LLaMAR, rule R4)."""
        self.note = text

    def hear(self, sender: str, text: str) -> None:
        """A message that all agents of the team can read (CoELA)."""
        self._messages.append((self._step, sender, text))

    @property
    def messages(self) -> tuple[str, ...]:
        """All messages, oldest first."""
        return tuple(f"step {step}: {sender}: {text}" for step, sender, text in self._messages)

    def failures(self, agent: str) -> tuple[str, ...]:
        """Actions that failed and have not worked since (rule I6), oldest first."""
        return tuple(self._failures.get(agent, ()))

    def history(self, agent: str = "", *, seen: bool = True, last: int = 0) -> tuple[str, ...]:
        """One line per agent and step, oldest first, for one agent or for all.

        `seen`: with what it saw after the action. `last` > 0 keeps that many lines at most.
        """
        lines = []
        for entry in self._entries:
            if agent and entry.agent != agent:
                continue
            did = f"did {entry.action}: {entry.result}" if entry.action else "did nothing yet"
            saw = f"; saw {', '.join(entry.seen) or 'nothing'}" if seen else ""
            lines.append(f"step {entry.step}: {entry.agent} {did}{saw}")
        return tuple(lines[-last:] if last > 0 else lines)


def _result(outcome: Outcome | None) -> str:
    if outcome is None:
        return ""
    if outcome.success:
        return "worked"
    return f"failed ({outcome.error_kind})" if outcome.error_kind else "failed"
