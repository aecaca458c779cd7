"""What one robot works on, whatever the world."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["DONE", "EXPLORE", "IDLE", "Job"]

IDLE, DONE, EXPLORE = "Idle", "Done", "Explore()"


@dataclass(slots=True)
class Job:
    """What one robot works on, with its ranked actions, best first.

    `place`: in households, the receptacle that something is brought to.
    """

    kind: str
    target: str = ""
    actions: list[str] = field(default_factory=list)
    place: str = ""
