"""Steps, scores and data with one defect each."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from broken_base import Acted, breaks

from mosaic_planner.core.action import IDLE
from mosaic_planner.core.observation import Effect, StepResult
from mosaic_planner.core.world import Briefing, Score
from own_world import Warehouse

# Steps.


@breaks("steps.raises")
class _Raises(Warehouse):
    def act(self, agent: str, joint: Any) -> Any:
        if joint[agent].verb == "Patrol":
            raise RuntimeError("the post is closed")
        return super().act(agent, joint)


@breaks("steps.raises")
class _RaisesAtReset(Warehouse):
    def reset(self, seed: int) -> Any:
        raise OSError("no scene file")


@breaks("steps.joint")
class _Consumes(Warehouse):
    def step(self, joint: Any) -> Any:
        result = super().step(joint)
        joint.clear()
        return result


def _acted(check: str, change: Callable[[Any, Any], Any]) -> None:
    breaks(check)(type("Acting", (Acted,), {"changed": change}))


_acted("steps.outcomes", lambda self, o: replace(o, reason=""))
_acted("steps.outcomes", lambda self, o: replace(o, agent="Nobody"))
_acted("steps.outcomes", lambda self, o: replace(o, action=IDLE))
_acted("steps.outcomes", lambda self, o: replace(o, agent_steps=1.5))
_acted("steps.outcomes", lambda self, o: replace(o, success=1))
_acted("steps.outcomes", lambda self, o: None)
_acted("steps.idle", lambda self, o: replace(o, idle=False))
_acted("steps.idle", lambda self, o: replace(o, idle=True))
_acted("steps.idle", lambda self, o: replace(o, agent_steps=1))
_acted("steps.idle", lambda self, o: replace(o, success=False, reason="bored") if o.idle else o)
_acted("steps.effects", lambda self, o: replace(o, effects=(Effect("Dock", "open", True),)))
_acted(
    "steps.effects",
    lambda self, o: replace(o, effects=(Effect("Dock", "holder", "Nobody"),) * o.success),
)
_acted(
    "steps.effects", lambda self, o: replace(o, effects=(Effect("Dock", "gone", 1),) * o.success)
)
_acted("steps.effects", lambda self, o: replace(o, effects=("Dock is open",) * o.success))


@breaks("steps.outcomes")
class _NoResult(Warehouse):
    def step(self, joint: Any) -> Any:
        return super().step(joint).observations


@breaks("steps.outcomes")
class _NoOutcomes(Warehouse):
    def step(self, joint: Any) -> Any:
        return StepResult(super().step(joint).observations)


# Actions that nobody can mean.


@breaks("untrusted.raises")
class _Trusting(Warehouse):
    def act(self, agent: str, joint: Any) -> Any:
        {"Carry": 1, "Push": 1, "Patrol": 1, "Idle": 0}[joint[agent].verb]
        return super().act(agent, joint)


@breaks("untrusted.raises")
class _TrustingNames(Warehouse):
    def act(self, agent: str, joint: Any) -> Any:
        if joint[agent].verb == "Carry" and joint[agent].args:
            self.cells[joint[agent].args[0]]
        return super().act(agent, joint)


_acted(
    "untrusted.succeeds",
    lambda self, o: replace(o, success=True, reason="") if o.action.verb == "Levitate" else o,
)


@breaks("untrusted.changes")
class _Wanders(Warehouse):
    def act(self, agent: str, joint: Any) -> Any:
        outcome = super().act(agent, joint)
        if not outcome.success:
            self.cells[agent] = (0, 0)
        return outcome


# Score and data.


def _scored(check: str, change: Callable[[Any, Any], Any]) -> None:
    breaks(check)(
        type("Scored", (Warehouse,), {"score": lambda self: change(self, Warehouse.score(self))})
    )


_scored("score.values", lambda self, s: None)
_scored("score.values", lambda self, s: replace(s, success=None))
_scored("score.values", lambda self, s: replace(s, success=self.time > 0))
_scored("score.values", lambda self, s: Score(True, ("all",), 1, (), (), 1))
_scored("score.values", lambda self, s: replace(s, total=0, completed=()))
_scored("score.values", lambda self, s: replace(s, coverage_total=0, covered=("Dock",)))
_scored("score.values", lambda self, s: replace(s, mentioned=["Dock"]))
_scored("score.values", lambda self, s: replace(s, mentioned=("Dock", "Dock")))
_scored("score.monotone", lambda self, s: replace(s, covered=(f"step {self.time}",)))
_scored("score.monotone", lambda self, s: replace(s, total=s.total + self.time))


@breaks("score.pure")
class _Counting(Warehouse):
    def score(self) -> Any:
        self.asked = getattr(self, "asked", 0) + 1
        score = super().score()
        return replace(score, mentioned=("Dock",) if self.asked % 2 else (), coverage_total=9)


for _truth in (
    {"cells": (1, 2)},
    {"heat": math.nan},
    {1: "one"},
    {"done": {"Box_1"}},
    ["no", "dict"],
):
    breaks("data.json")(type("Told", (Warehouse,), {"snapshot": lambda self, t=_truth: t}))
breaks("data.json")(type("Told", (Warehouse,), {"static": lambda self: {"size": (16, 16)}}))
breaks("data.json")(type("Told", (Warehouse,), {"settings": lambda self: None}))
breaks("examination.stopped")(type("Told", (Warehouse,), {"settings": lambda self: None}))


@breaks("data.fixed")
class _Whispers(Warehouse):
    def see(self, agent: str, outcome: Any) -> Any:
        self.briefing = Briefing(f"Carry the boxes; {len(self.done)} are done.")
        return super().see(agent, outcome)


@breaks("data.fixed")
class _StaticTime(Warehouse):
    def static(self) -> Any:
        return {"time": self.time}
