"""Rules with one defect each, and worlds that do not repeat."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from broken_base import breaks

from mosaic_planner.coordination import STAYS, ActionProfile, CellVisit, JointNeed
from mosaic_planner.core.action import Action
from mosaic_planner.core.candidate import Candidate
from own_world import Rules, Warehouse

# The same again.


@breaks("repeat.reset")
class _OneGenerator(Warehouse):
    """Draws go on where the last episode stopped."""

    def reset(self, seed: int) -> Any:
        self.random = getattr(self, "random", None) or Random(seed)
        super().reset(seed)
        self.cells["Dock"] = (self.random.randrange(16), self.random.randrange(16))
        return {agent: self.see(agent, None) for agent in self.agents}


@breaks("repeat.reset")
class _Remembers(Warehouse):
    def reset(self, seed: int) -> Any:
        known = getattr(self, "known", {})
        found = super().reset(seed)
        self.known |= known
        return found

    def snapshot(self) -> Any:
        return {**super().snapshot(), "known": list(self.known)}


@breaks("repeat.instances")
class _Shared(Warehouse):
    shared: dict[str, Any] = {}  # noqa: RUF012 - the defect

    def reset(self, seed: int) -> Any:
        super().reset(seed)
        _Shared.shared = self.cells
        return {agent: self.see(agent, None) for agent in self.agents}

    def step(self, joint: Any) -> Any:
        self.cells = _Shared.shared
        return super().step(joint)


@breaks("repeat.instances")
class _LookedAt(Warehouse):
    """Asking for the snapshot moves the dock."""

    def snapshot(self) -> Any:
        found = super().snapshot()
        x, z = self.cells["Dock"]
        self.cells["Dock"] = ((x + self.time) % 16, z)
        return found


@breaks("repeat.settings")
class _NoScene(Warehouse):
    def settings(self) -> Any:
        return {"world": "warehouse", "agents": len(self.agents)}


@breaks("repeat.settings")
class _NoAgents(Warehouse):
    def __init__(self, scene: int = 5, agents: int = 3, *, faithful: bool = False) -> None:
        super().__init__(scene, agents)

    def settings(self) -> Any:
        return {"world": "warehouse", "scene": self.scene}


@breaks("repeat.settings")
class _MoreSettings(Warehouse):
    def settings(self) -> Any:
        return {**super().settings(), "weather": "fair"}


@breaks("repeat.processes")
class SetOrder(Warehouse):
    """A set of names has another order in every process; found by its own name there."""

    def reset(self, seed: int) -> Any:
        super().reset(seed)
        self.cells = {n: self.cells[n] for n in {*self.cells}}
        return {agent: self.see(agent, None) for agent in self.agents}


# Rules.


class Taught(Warehouse):
    """Changes what the coordinator is taught."""

    class Other(Rules):
        pass

    def __init__(self, scene: int = 5, agents: int = 2, *, faithful: bool = False) -> None:
        super().__init__(scene, agents)
        self.rules = self.Other()
        self.rules.world = self


def _taught(check: str, **methods: Any) -> None:
    breaks(check)(type("Teaching", (Taught,), {"Other": type("Other", (Rules,), methods)}))


def _profiles(check: str, change: Callable[[Any, Any, Any], Any]) -> None:
    def profile(self: Any, agent: str, action: Any, beliefs: Any) -> Any:
        return change(Rules.profile(self, agent, action, beliefs), action, agent)

    _taught(check, profile=profile)


def _raising_without_pose(self: Any, agent: str, action: Any, beliefs: Any) -> Any:
    beliefs.pose(agent).x  # noqa: B018 - the defect
    return Rules.profile(self, agent, action, beliefs)


def _raising_without_entities(self: Any, agent: str, beliefs: Any) -> Any:
    next(iter(beliefs.entities))
    return Rules.fallbacks(self, agent, beliefs)


_taught("rules.raises", profile=_raising_without_pose)
_taught("rules.raises", fallbacks=_raising_without_entities)
_taught("rules.raises", profile=lambda self, agent, action, beliefs: 1 / len(action.args))
for _wrong in (
    {"progress": 2.0},
    {"progress": math.nan},
    {"failure": -0.1},
    {"steps": -1.0},
    {"steps": math.inf},
    {"claims": ["Box_1"]},
    {"claims": ("",)},
    {"joint": JointNeed("", 2)},
    {"joint": JointNeed("push", 0)},
    {"path": [(0, 0)]},
    {"path": (CellVisit((0, 0), 1, STAYS),)},
    {"path": (CellVisit((0, 0), 0, 2), CellVisit((0, 1), 1, STAYS))},
    {"path": (CellVisit((0, 0), 0, 0),)},
    {"idle": True},
    {"eligible": 1},
):
    _profiles(
        "rules.values", lambda p, action, agent, w=_wrong: replace(p, **w) if action.args else p
    )
_profiles("rules.values", lambda p, action, agent: replace(p, reason=""))
_profiles("rules.values", lambda p, action, agent: None)
_profiles(
    "rules.values",
    lambda p, action, agent: ActionProfile(eligible=False, reason="no") if p.idle else p,
)
_profiles("rules.values", lambda p, action, agent: replace(p, progress=0.5) if p.idle else p)
_profiles(
    "rules.hallucinated", lambda p, action, agent: p if p.eligible else ActionProfile(progress=0.1)
)
_profiles(
    "rules.eligible",
    lambda p, action, agent: p if p.idle else ActionProfile(eligible=False, reason="too risky"),
)


def _peeking(self: Any, agent: str, action: Any, beliefs: Any) -> Any:
    found = Rules.profile(self, agent, action, beliefs)
    hidden = [n for n in action.args if n in self.world.done]
    return replace(found, eligible=False, reason="it is gone") if hidden else found


def _counting(self: Any, agent: str, action: Any, beliefs: Any) -> Any:
    self.asked = getattr(self, "asked", 0) + 1
    return replace(Rules.profile(self, agent, action, beliefs), steps=float(self.asked))


_taught("rules.beliefs", profile=_peeking)
_taught("rules.beliefs", profile=_counting)


def _offers(change: Callable[[str, list[Candidate]], Any]) -> None:
    def fallbacks(self: Any, agent: str, beliefs: Any) -> Any:
        return change(agent, Rules.fallbacks(self, agent, beliefs))

    _taught("rules.fallbacks", fallbacks=fallbacks)


_offers(lambda agent, found: found[:-1])
_offers(lambda agent, found: [])
_offers(lambda agent, found: None)
_offers(lambda agent, found: [replace(c, source="model") for c in found])
_offers(lambda agent, found: [replace(c, agent="Nobody") for c in found])
_offers(lambda agent, found: [replace(c, why="") for c in found])
_offers(lambda agent, found: [found[0], *found])
_offers(
    lambda agent, found: [
        Candidate(agent, Action("Carry", ("Box_99",)), 0, "safe", "try it"),
        *found,
    ]
)
