"""The results of past actions as prompts tell them, whatever the world."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

__all__ = ["Past", "Result", "ResultForm", "SeenRobot"]

Result = tuple[str, tuple[str, ...], bool, str]
"""Verb, arguments, whether it worked, and why not."""


class SeenRobot(Protocol):
    """What the prompts of every world tell about one robot.

    `previous`: its last action (verb, arguments) and whether it worked.
    """

    name: str
    previous: tuple[str, tuple[str, ...], bool] | None
    previous_reason: str


class Past(Protocol):
    """Notes that take in the result of one action."""

    def happened(self, agent: str, verb: str, args: tuple[str, ...], ok: bool, why: str) -> None:
        """Take in the result of one action."""


@dataclass(frozen=True, slots=True)
class ResultForm:
    """How one world tells a result.

    `pattern` finds the verb, the arguments, the word for the result, and the reason; `worked` is
    that word if the action worked.
    """

    pattern: re.Pattern[str]
    worked: str

    def read(self, text: str) -> Result | None:
        """The result that a text tells, None if it tells none."""
        found = self.pattern.search(text.strip())
        if found is None:
            return None
        args = tuple(a.strip() for a in (found[2] or "").split(",") if a.strip())
        return found[1], args, found[3] == self.worked, found[4] or ""

    def take_in(self, past: Past, told: Iterable[tuple[str, str]]) -> None:
        """Add what is told of agents, (agent, text) in order, to the notes."""
        for agent, text in told:
            result = self.read(text)
            if result is not None:
                past.happened(agent, *result)

    def set_previous(self, robot: SeenRobot, text: str) -> None:
        """The robot's last action, if the text tells one."""
        result = self.read(text)
        if result is not None:
            robot.previous, robot.previous_reason = result[:3], result[3]
