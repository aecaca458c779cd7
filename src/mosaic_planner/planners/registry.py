"""Planners by name, and what the suffix of a method's name switches on.

A method is a planner with Mosaic parts: `llamar`, `llamar+asm`, `llamar+fc`, `llamar+cfm`,
`llamar+ilp` (= fc and cfm), `llamar+mosaic` (= asm and ilp); the same for every planner. Other
packages add planners by an entry point of the group `mosaic_planner.planners` whose object takes
a `PlannerSetup` and gives a `Planner`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import cast

from mosaic_planner.core.errors import ConfigError, UnknownNameError
from mosaic_planner.planners.protocol import Planner, PlannerSetup

__all__ = ["ENTRY_POINT_GROUP", "Method", "make_planner", "parse_method", "planner_names"]

ENTRY_POINT_GROUP = "mosaic_planner.planners"

_BUILT_IN = {
    "act": "mosaic_planner.planners.act:Act",
    "coela": "mosaic_planner.planners.coela:Coela",
    "cot": "mosaic_planner.planners.cot:Cot",
    "llamar": "mosaic_planner.planners.llamar:Llamar",
    "react": "mosaic_planner.planners.react:React",
    "smartllm": "mosaic_planner.planners.smartllm:SmartLlm",
}

_SUFFIXES: dict[str, frozenset[str]] = {
    "asm": frozenset({"asm"}),
    "fc": frozenset({"constraints"}),
    "cfm": frozenset({"costs"}),
    "ilp": frozenset({"constraints", "costs"}),
    "mosaic": frozenset({"asm", "constraints", "costs"}),
}


@dataclass(frozen=True, slots=True)
class Method:
    """A planner and the Mosaic parts around it.

    `asm`: agent-centric memory lines in the prompt. `constraints`: feasibility of the joint
    action is enforced (FC). `costs`: cost is minimised (CFM). Neither: the first candidate of
    each agent is taken as it is.
    """

    planner: str
    asm: bool = False
    constraints: bool = False
    costs: bool = False

    @property
    def coordinated(self) -> bool:
        """Whether a coordinator chooses among candidates."""
        return self.constraints or self.costs

    @property
    def name(self) -> str:
        """The shortest written form."""
        parts = {"asm": self.asm, "constraints": self.constraints, "costs": self.costs}
        on = frozenset(part for part, present in parts.items() if present)
        if not on:
            return self.planner
        whole = next((suffix for suffix, meant in _SUFFIXES.items() if meant == on), "")
        if whole:
            return f"{self.planner}+{whole}"
        single = [s for s, meant in _SUFFIXES.items() if len(meant) == 1 and meant <= on]
        return "+".join([self.planner, *single])


def planner_names() -> tuple[str, ...]:
    """Built-in planners and those of entry points, sorted."""
    added = {point.name for point in entry_points(group=ENTRY_POINT_GROUP)}
    return tuple(sorted(_BUILT_IN.keys() | added))


def make_planner(name: str, setup: PlannerSetup) -> Planner:
    """A fresh planner for one episode; raises `UnknownNameError` with the list of names."""
    if name in _BUILT_IN:
        module, _, attribute = _BUILT_IN[name].partition(":")
        built_in: Callable[[PlannerSetup], Planner] = getattr(import_module(module), attribute)
        return built_in(setup)
    for point in entry_points(group=ENTRY_POINT_GROUP):
        if point.name == name:
            try:
                build = cast(Callable[[PlannerSetup], Planner], point.load())
            except (ImportError, AttributeError) as error:
                raise ConfigError(f"planner {name!r} cannot be loaded: {error}") from error
            return build(setup)
    raise UnknownNameError("planner", name, planner_names())


def parse_method(text: str) -> Method:
    """Read `planner` or `planner+suffix[+suffix...]`; names are checked, nothing is loaded."""
    planner, *suffixes = text.strip().split("+")
    if planner not in _BUILT_IN and planner not in planner_names():
        raise UnknownNameError("planner", planner, planner_names())
    parts: set[str] = set()
    for suffix in suffixes:
        if suffix not in _SUFFIXES:
            raise UnknownNameError("planner suffix", suffix, _SUFFIXES)
        parts |= _SUFFIXES[suffix]
    return Method(planner, "asm" in parts, "constraints" in parts, "costs" in parts)
