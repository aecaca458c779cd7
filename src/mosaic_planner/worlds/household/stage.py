"""The simulator as the high-level actions use it: primitives counted, sights noted.

Works over anything with AI2-THOR's controller surface: the embedded one, the player or Unity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from mosaic_planner.core.geometry import Cell
from mosaic_planner.worlds.household.naming import Names, nameable

__all__ = ["ControllerLike", "Done", "Primitive", "SimulatorLost", "Stage"]


class SimulatorLost(Exception):
    """A simulator outside this process ended or hangs; the world turns it into a value."""


class ControllerLike(Protocol):
    """The part of AI2-THOR's controller that the world needs."""

    last_event: Any

    def step(self, action: Any = None, **parameters: Any) -> Any:
        """Carry out one action."""
        ...

    def reset(self, scene: Any = None, **initialization: Any) -> Any:
        """Start anew."""
        ...

    def stop(self) -> None:
        """End whatever runs."""
        ...


@dataclass(frozen=True, slots=True)
class Primitive:
    """What became of one simulator action."""

    success: bool
    message: str = ""
    returned: Any = None


@dataclass(frozen=True, slots=True)
class Done:
    """What became of one high-level action.

    `error_kind`: "" for success, else one of not_seen, no_path, blocked, not_visible, wrong_state,
    hand_full, hand_empty, incompatible, no_room, malformed, impossible. `effects`: (object id,
    attribute, value) the acting agent knows of.
    """

    success: bool
    error_kind: str = ""
    reason: str = ""
    target: str = ""
    held: str = ""
    effects: tuple[tuple[str, str, Any], ...] = ()


@dataclass
class Stage:
    """One episode's simulator.

    `steps`: primitives issued per agent since `begin`. `glimpses`: what each saw on the way.
    `no_room`: poses (object id, cell, heading, horizon) from which putting or taking failed for
    want of room, `no_swing`: cells from which a door could not open; ways are planned to others.
    """

    controller: ControllerLike
    agents: tuple[str, ...]
    names: Names
    grid_m: float = 0.25
    steps: list[int] = field(default_factory=list)
    glimpses: list[dict[str, Mapping[str, Any]]] = field(default_factory=list)

    no_room: set[tuple[str, Cell, int, float]] = field(default_factory=set)

    no_swing: set[tuple[str, Cell]] = field(default_factory=set)

    def begin(self) -> None:
        """A new joint step: counters and what was seen on the way start anew."""
        self.steps = [0] * len(self.agents)
        self.glimpses = [{} for _ in self.agents]

    def metadata(self, agent: int) -> Mapping[str, Any]:
        """The latest metadata of one agent."""
        found: Mapping[str, Any] = self.controller.last_event.events[agent].metadata
        return found

    def objects(self, agent: int = 0) -> Sequence[Mapping[str, Any]]:
        """All objects as one agent's metadata has them."""
        found: Sequence[Mapping[str, Any]] = self.metadata(agent)["objects"]
        return found

    def entry(self, agent: int, object_id: str) -> Mapping[str, Any] | None:
        """One object as one agent's metadata has it."""
        return next((o for o in self.objects(agent) if o["objectId"] == object_id), None)

    def receiver(self, agent: int, entry: Mapping[str, Any]) -> Mapping[str, Any]:
        """Where things put "into" an object really go: a sink's or bathtub's basin, or itself."""
        if not entry["receptacle"]:
            for part in ("SinkBasin", "BathtubBasin"):
                inner = self.entry(agent, f"{entry['objectId']}|{part}")
                if inner is not None:
                    return inner
        return entry

    def held(self, agent: int) -> str:
        """The id of what the agent holds, "" if nothing."""
        items = self.metadata(agent)["inventoryObjects"]
        return str(items[0]["objectId"]) if items else ""

    def do(self, agent: int, action: str, **parameters: Any) -> Primitive:
        """One primitive of an agent: counted, and what it shows is noted."""
        event = self.controller.step(action=action, agentId=agent, **parameters)
        self.steps[agent] += 1
        self.look(agent)
        return _primitive(event, agent)

    def ask(self, agent: int, action: str, **parameters: Any) -> Primitive:
        """A question to the simulator: not counted, shows nothing."""
        return _primitive(self.controller.step(action=action, agentId=agent, **parameters), agent)

    def frame(self, agent: int) -> Any:
        """The camera image of an agent, (H, W, 3) uint8 RGB; None if none is made."""
        return self.controller.last_event.events[agent].frame

    def look(self, agent: int) -> None:
        """Name what the agent sees now and remember it as seen on the way."""
        for entry in self.objects(agent):
            if entry["visible"] and nameable(entry):
                self.names.see(entry)
                self.glimpses[agent][entry["objectId"]] = entry


def _primitive(event: Any, agent: int) -> Primitive:
    metadata = event.events[agent].metadata
    return Primitive(
        bool(metadata["lastActionSuccess"]),
        str(metadata["errorMessage"] or ""),
        metadata["actionReturn"],
    )
