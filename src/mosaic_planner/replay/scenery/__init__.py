"""Worlds as drawings: one module per world turns a trace's header and snapshots into values of
`drawing`. A world without a module of its own is drawn from what its agents perceive.

A world of another package can bring its own: `register(world_id, factory)`, or `scenery(header)` in
what its entry point of the group `mosaic_planner.traces` names (`worlds.registry.trace_reader`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Protocol

from mosaic_planner.core.geometry import Cell
from mosaic_planner.replay.drawing import Frame, Point, Scene
from mosaic_planner.worlds.registry import trace_reader

__all__ = ["Scenery", "register", "scenery_for"]


class Scenery(Protocol):
    """Draws one episode; made from its header."""

    def scene(self) -> Scene:
        """What does not change, with every prop that a frame so far has placed."""
        ...

    def frame(
        self, snapshot: Mapping[str, Any] | None, observations: Mapping[str, Any] | None
    ) -> Frame:
        """One moment, from the `world` of a snapshot event and the `agents` of an observation
        event; either is None if the trace has none."""
        ...

    def point(self, cell: Cell) -> Point:
        """Where a cell of the coordinator's paths is on the map."""
        ...


Factory = Callable[[Mapping[str, Any]], Scenery]

_OWN: dict[str, tuple[str, str]] = {
    "household-v1": ("mosaic_planner.replay.scenery.household", "HouseholdScenery"),
    "sar-v1": ("mosaic_planner.replay.scenery.sar", "SarScenery"),
}
_REGISTERED: dict[str, Factory] = {}


def register(world_id: str, factory: Factory) -> None:
    """Draw the world of that id by `factory(header)`; the last registration counts."""
    _REGISTERED[world_id] = factory


def scenery_for(header: Mapping[str, Any]) -> Scenery:
    """How to draw the world of a trace with that header."""
    world_id = str(header["world"]["id"])
    if world_id in _REGISTERED:
        return _REGISTERED[world_id](header)
    if world_id in _OWN:
        module, name = _OWN[world_id]
        factory: Factory = getattr(import_module(module), name)
        return factory(header)
    own: Factory | None = getattr(trace_reader(world_id), "scenery", None)
    if own is not None:
        return own(header)
    from mosaic_planner.replay.scenery.plain import PlainScenery

    return PlainScenery(header)
