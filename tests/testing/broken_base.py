"""What the broken worlds are made with; `BROKEN` lists them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from own_world import Warehouse

BROKEN: list[tuple[str, Callable[..., Any]]] = []
"""The check that must find the defect, and what makes the world."""


def breaks(check: str) -> Callable[[Any], Any]:
    def listed(made: Any) -> Any:
        BROKEN.append((check, made))
        return made

    return listed


class Seen(Warehouse):
    """Changes what agents perceive: `changed(observation)`."""

    def see(self, agent: str, outcome: Any) -> Any:
        return self.changed(super().see(agent, outcome))


class Acted(Warehouse):
    """Changes outcomes: `changed(outcome)`."""

    def act(self, agent: str, joint: Any) -> Any:
        return self.changed(super().act(agent, joint))
