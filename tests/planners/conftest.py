"""A small made-up world (not SAR, not a household) and a scripted model behind `ask`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from mosaic_planner.core.action import Action, ActionSchema, Kind, Parameter, Vocabulary
from mosaic_planner.core.belief import Belief, RelativeBelief
from mosaic_planner.core.geometry import Offset, Pose
from mosaic_planner.core.observation import Observation, Outcome, Sighting
from mosaic_planner.core.world import Briefing
from mosaic_planner.models.protocol import ChatReply, Usage
from mosaic_planner.planners.protocol import PlannerSetup, Turn

VOCABULARY = Vocabulary(
    schemas=(
        ActionSchema("GoTo", (Parameter("thing", kinds=("box", "agent")),), "Go to a thing."),
        ActionSchema("Turn", (Parameter("side", choices=("Left", "Right")),), "Turn."),
        ActionSchema(
            "Put", (Parameter("box", kinds=("box",)), Parameter("color", choices=("Red", "Blue")))
        ),
        ActionSchema("Done", ends=True),
        ActionSchema("Idle", idle=True),
    ),
    kinds=(Kind("box"), Kind("agent", mobile=True)),
)

BRIEFING = Briefing(
    "Put both boxes away.",
    rules=("Boxes are heavy.",),
    hints=("Go to a box first.",),
    failure_causes=("too far away",),
    agent_noun="porter",
)


class StubBeliefs:
    """Beliefs that know two boxes, one of them out of sight, and the team."""

    step = 0

    def __init__(self, agents: tuple[str, ...]) -> None:
        self.agents = agents
        self.entities = {
            "Box_1": Belief("Box_1", "box", 0, 0),
            "Box_2": Belief("Box_2", "box", 5, 0, age=3),
        }

    def pose(self, agent: str) -> Pose | None:
        return Pose(0, 0)

    def inventory(self, agent: str) -> Mapping[str, int]:
        return {}

    def relative(self, agent: str, name: str) -> RelativeBelief | None:
        if name not in self.agents:
            return None
        return RelativeBelief(Belief(name, "agent", 0, 0), Offset(0, 0), 0, 0, "here", "")

    def names(self, agent: str) -> tuple[str, ...]:
        return tuple(self.entities)

    def local(self, agent: str) -> Mapping[str, Any]:
        return {}


def observe(agent: str, step: int, feedback: str) -> Observation:
    return Observation(
        agent=agent,
        step=step,
        pose=Pose(0, 0),
        inventory=(),
        sightings=(Sighting("Box_1", "box", Offset(0, 0)),),
        names=("Box_1",),
        text=f"Visible:\n- Box_1 (box): seen by {agent} in step {step}",
        state_text=f"standing, step {step}",
        feedback=feedback,
        failures_text="Put(Box_1, Red)" if step else "none",
    )


def make_turn(
    agents: tuple[str, ...],
    step: int = 0,
    *,
    feedback: str = "nothing has been done yet",
    rejected: tuple[str, ...] = (),
    done: tuple[str, ...] = (),
) -> Turn:
    outcomes = {}
    if step:
        outcomes = {a: Outcome(a, Action("GoTo", ("Box_1",)), a in done) for a in agents}
    return Turn(
        step=step,
        observations={a: observe(a, step, feedback) for a in agents},
        beliefs=StubBeliefs(agents),
        outcomes=outcomes,
        memory_lines={a: (f"- Box_2 (box): far from {a}",) for a in agents},
        feedback=rejected,
    )


@dataclass
class Scripted:
    """An `Ask` that answers from a dict of module to texts (the last one repeats)."""

    replies: Mapping[str, list[Any]]
    calls: list[tuple[str, str, str]] = field(default_factory=list)
    settings: list[dict[str, Any]] = field(default_factory=list)

    async def __call__(self, module: str, static: str, state: str, **settings: Any) -> ChatReply:
        self.calls.append((module, static, state))
        self.settings.append(settings)
        texts = self.replies[module]
        number = sum(1 for m, _, _ in self.calls if m == module) - 1
        reply = texts[min(number, len(texts) - 1)]
        text = reply if isinstance(reply, str) else json.dumps(reply)
        return ChatReply(text, usage=Usage(10, 0, 5))

    def modules(self) -> list[str]:
        return [module for module, _, _ in self.calls]


@pytest.fixture
def world() -> Any:
    """The made-up world's parts."""
    return VOCABULARY, BRIEFING


@pytest.fixture
def setup_for() -> Any:
    """Build a PlannerSetup around a scripted model."""

    def build(
        ask: Scripted, agents: tuple[str, ...] = ("Ada", "Bo"), **changes: Any
    ) -> PlannerSetup:
        return PlannerSetup(agents, VOCABULARY, BRIEFING, ask, **changes)

    return build


@pytest.fixture
def scripted() -> type[Scripted]:
    """The scripted model."""
    return Scripted


@pytest.fixture
def turn() -> Any:
    """Build a Turn of the made-up world."""
    return make_turn
