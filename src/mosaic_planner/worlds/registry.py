"""Worlds by name: ours, and those that other packages register by an entry point.

An entry point of the group `mosaic_planner.worlds` names a function that takes keyword options
(`scene`, `agents`, `faithful` and the world's own) and returns a `PlannableWorld`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import entry_points
from inspect import signature
from typing import Any, Protocol

from mosaic_planner.coordination.profile import Rules
from mosaic_planner.core.errors import ConfigError, UnknownNameError, UsageError
from mosaic_planner.core.world import World

__all__ = [
    "ENTRY_POINTS",
    "PlannableWorld",
    "draw",
    "legend",
    "make_world",
    "missing_parts",
    "true_positions",
    "world_factory",
    "world_names",
]

ENTRY_POINTS = "mosaic_planner.worlds"


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


_READERS: dict[str, dict[str, tuple[str, str]]] = {
    "sar-v1": {
        "map": ("mosaic_planner.worlds.sar.render", "map_lines"),
        "legend": ("mosaic_planner.worlds.sar.render", "legend_lines"),
        "truth": ("mosaic_planner.worlds.sar.truth", "true_positions"),
    },
    "household-v1": {
        "map": ("mosaic_planner.worlds.household.truth", "map_lines"),
        "legend": ("mosaic_planner.worlds.household.truth", "legend_lines"),
        "truth": ("mosaic_planner.worlds.household.truth", "true_positions"),
    },
}
"""What can be read from the traces of our own worlds, by world id: module and function."""


def _read(what: str, header: Mapping[str, Any], snapshot: Mapping[str, Any], **options: Any) -> Any:
    world = header["world"]
    module, function = _READERS.get(world["id"], {}).get(what, ("", ""))
    if not module:
        return None
    return getattr(import_module(module), function)(snapshot, world["static"], **options)


def draw(
    header: Mapping[str, Any], snapshot: Mapping[str, Any], *, colour: bool = False
) -> list[str]:
    """The world as text lines from a trace's header and one snapshot; empty if it has no map.

    `colour`: with ANSI colours.
    """
    return _read("map", header, snapshot, colour=colour) or []


def legend(header: Mapping[str, Any], snapshot: Mapping[str, Any]) -> list[str]:
    """What the characters of `draw` stand for, and each agent's state; empty without a map."""
    return _read("legend", header, snapshot) or []


def true_positions(
    header: Mapping[str, Any], snapshot: Mapping[str, Any]
) -> dict[str, tuple[float, float]]:
    """Names to true (x, z) from a trace's header and one snapshot; empty if the world has none."""
    return _read("truth", header, snapshot) or {}
