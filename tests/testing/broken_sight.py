"""Observations with one defect each."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from broken_base import Seen, breaks

from mosaic_planner.core.geometry import Offset, Pose
from mosaic_planner.core.observation import Sighting, StepResult, View
from own_world import Warehouse

# Observations.


@breaks("observations.agents")
class _Unseen(Warehouse):
    def step(self, joint: Any) -> Any:
        result = super().step(joint)
        return StepResult({self.agents[0]: result.observations[self.agents[0]]}, result.outcomes)


def _seen(check: str, change: Callable[[Any, Any], Any]) -> None:
    breaks(check)(type("Perceived", (Seen,), {"changed": change}))


for _field in (
    {"agent": "Nobody"},
    {"step": 7},
    {"pose": Pose(0.0, 0.0, 90.0)},
    {"pose": Pose(math.nan, 0.0)},
    {"inventory": (("box", -1),)},
    {"inventory": {"box": 1}},
    {"sightings": [Sighting("Dock", "dock", Offset(0.0, 0.0))]},
    {"sightings": (Sighting("Dock", "harbour", Offset(0.0, 0.0)),)},
    {"sightings": (Sighting("Dock", "dock", Offset(math.inf, 0.0)),)},
    {"sightings": (Sighting("Dock", "dock", Offset(0.0, 0.0), (("since", None),)),)},
    {"sightings": (Sighting("Dock", "dock", Offset(0.0, 0.0), holder="Nobody"),)},
    {"sightings": (Sighting("Ann", "robot", Offset(0.0, 0.0)),)},
    {"sightings": (Sighting("Dock", "dock", Offset(0.0, 0.0)),) * 2},
    {"names": ["Dock"]},
    {"names": ("Dock", "Dock")},
    {"text": ""},
    {"state_text": ""},
    {"feedback": ""},
    {"feedback": None},
    {"view": View(0.0)},
    {"view": View(5.0, 400.0)},
    {"view": View(5.0, everywhere=("harbour",))},
    {"view": 5.0},
    {"local": (("around", ["Dock"]),)},
    {"image": b"GIF89a"},
):
    _seen("observations.values", lambda self, o, f=_field: replace(o, **f))
_seen("observations.values", lambda self, o: None)


@breaks("observations.places")
class _Absolute(Seen):
    """Where a thing is, instead of where it is from the agent."""

    def changed(self, o: Any) -> Any:
        placed = [replace(s, offset=Offset(*map(float, self.cells[s.name]))) for s in o.sightings]
        return replace(o, sightings=tuple(placed))


@breaks("observations.places")
class _WrongMates(Seen):
    def changed(self, o: Any) -> Any:
        moved = [
            replace(s, offset=Offset(s.offset.dx + 1.0, s.offset.dz)) if s.kind == "robot" else s
            for s in o.sightings
        ]
        return replace(o, sightings=tuple(moved))


_seen("observations.view", lambda self, o: replace(o, view=View(100.0)))
_seen("observations.view", lambda self, o: replace(o, view=View(6.0, everywhere=("box",))))
_seen("observations.names", lambda self, o: replace(o, names=(*o.names, "Box_99")))
_seen("observations.text", lambda self, o: replace(o, text="a warehouse"))
_seen("observations.hidden", lambda self, o: replace(o, text=f"{o.text}\n{', '.join(self.kinds)}"))
_seen(
    "observations.hidden",
    lambda self, o: replace(o, local=tuple((n, f"{c}") for n, c in self.cells.items())),
)


@breaks("observations.kept")
class _Reused(Warehouse):
    def see(self, agent: str, outcome: Any) -> Any:
        new = super().see(agent, outcome)
        if not hasattr(self, "handed_out"):
            self.handed_out: dict[str, Any] = {}
        old = self.handed_out.setdefault(agent, new)
        for name in new.__slots__:
            object.__setattr__(old, name, getattr(new, name))
        return old
