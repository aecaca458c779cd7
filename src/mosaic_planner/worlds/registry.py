"""Worlds by name: ours, and those that other packages register by an entry point.

An entry point of the group `mosaic_planner.worlds` names a function that takes keyword options
(`scene`, `agents`, `faithful` and the world's own) and returns a `PlannableWorld`. One of the group
`mosaic_planner.traces`, named like the world's `world_id`, names what reads such a world's traces
(`trace_reader`): maps for the live view and `show`, true positions for `memory`, the replay page.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.metadata import entry_points
from inspect import signature
from typing import Any, Protocol

from mosaic_planner.coordination.profile import Rules
from mosaic_planner.core.errors import ConfigError, UnknownNameError, UsageError
from mosaic_planner.core.world import World

__all__ = [
    "ENTRY_POINTS",
    "TRACE_ENTRY_POINTS",
    "PlannableWorld",
    "draw",
    "legend",
    "make_world",
    "missing_parts",
    "trace_reader",
    "true_positions",
    "world_factory",
    "world_names",
]

ENTRY_POINTS = "mosaic_planner.worlds"
TRACE_ENTRY_POINTS = "mosaic_planner.traces"


class PlannableWorld(World, Protocol):
    """A world together with what it teaches the coordinator."""

    @property
    def rules(self) -> Rules:
        """Turns actions into profiles, from beliefs only."""
        ...


_OWN: dict[str, tuple[str, str]] = {
    "sar": ("mosaic_planner.worlds.sar", "make"),
    "household": ("mosaic_planner.worlds.household", "make"),
}


def world_names() -> tuple[str, ...]:
    """Every known world name, ours first."""
    others = sorted(point.name for point in entry_points(group=ENTRY_POINTS))
    return (*_OWN, *(name for name in others if name not in _OWN))


def world_factory(name: str) -> Callable[..., PlannableWorld]:
    """What builds the world of that name.

    Raises `UnknownNameError`, and `ConfigError` for an entry point that cannot be loaded.
    """
    if name in _OWN:
        module, function = _OWN[name]
        factory: Callable[..., PlannableWorld] = getattr(import_module(module), function)
        return factory
    for point in entry_points(group=ENTRY_POINTS):
        if point.name == name:
            try:
                loaded: Callable[..., PlannableWorld] = point.load()
            except (ImportError, AttributeError) as error:
                raise ConfigError(f"world {name!r} cannot be loaded: {error}") from error
            return loaded
    raise UnknownNameError("world", name, world_names())


def make_world(name: str, /, **options: Any) -> PlannableWorld:
    """A fresh world.

    Raises `UnknownNameError` for an unknown name and `UsageError` for an option it does not take,
    an entry point that cannot be loaded, or one that makes no world.
    """
    factory = world_factory(name)
    try:
        signature(factory).bind(**options)
    except TypeError as error:
        raise UsageError(f"world {name!r} does not take these options: {error}") from None
    world = factory(**options)
    missing = missing_parts(world)
    if missing:
        raise ConfigError(f"world {name!r} lacks {', '.join(missing)}; see testing.check_world")
    return world


_PARTS = (
    *("world_id", "agents", "vocabulary", "briefing", "geometry", "rules"),
    *("settings", "static", "reset", "step", "score", "snapshot"),
)


def missing_parts(world: object) -> tuple[str, ...]:
    """What of a `PlannableWorld` an object does not have; empty for a world."""
    return tuple(name for name in _PARTS if not hasattr(world, name))


_OWN_TRACES: dict[str, str] = {
    "sar-v1": "mosaic_planner.worlds.sar.truth",
    "household-v1": "mosaic_planner.worlds.household.truth",
}


@lru_cache(maxsize=16)
def trace_reader(world_id: str) -> Any:
    """What reads the traces of that world (`world_id`, with version); None if nobody does.

    An object, such as a module, with any of these functions; `snapshot` and `static` are what the
    world's own methods of these names gave:

        map_lines(snapshot, static, *, colour)   the world as text lines
        legend_lines(snapshot, static)           what the characters of the map stand for
        true_positions(snapshot, static)         name -> (x, z), as sightings have them
        scenery(header)                          a `replay.scenery.Scenery`

    Raises `ConfigError` for an entry point that cannot be loaded.
    """
    if world_id in _OWN_TRACES:
        return import_module(_OWN_TRACES[world_id])
    for point in entry_points(group=TRACE_ENTRY_POINTS):
        if point.name == world_id:
            try:
                return point.load()
            except (ImportError, AttributeError) as error:
                raise ConfigError(
                    f"what reads traces of {world_id!r} cannot be loaded: {error}"
                ) from error
    return None


def _read(what: str, header: Mapping[str, Any], snapshot: Mapping[str, Any], **options: Any) -> Any:
    world = header["world"]
    function = getattr(trace_reader(world["id"]), what, None)
    return None if function is None else function(snapshot, world["static"], **options)


def draw(
    header: Mapping[str, Any], snapshot: Mapping[str, Any], *, colour: bool = False
) -> list[str]:
    """The world as text lines from a trace's header and one snapshot; empty if it has no map.

    `colour`: with ANSI colours.
    """
    return _read("map_lines", header, snapshot, colour=colour) or []


def legend(header: Mapping[str, Any], snapshot: Mapping[str, Any]) -> list[str]:
    """What the characters of `draw` stand for, and each agent's state; empty without a map."""
    return _read("legend_lines", header, snapshot) or []


def true_positions(
    header: Mapping[str, Any], snapshot: Mapping[str, Any]
) -> dict[str, tuple[float, float]]:
    """Names to true (x, z) from a trace's header and one snapshot; empty if the world has none."""
    return _read("true_positions", header, snapshot) or {}
