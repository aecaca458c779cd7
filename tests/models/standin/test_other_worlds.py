"""A world whose words the stand-in does not know: right form, nothing pretended, no crash."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mosaic_planner.core.action import ActionSchema, Kind, Parameter, Vocabulary
from mosaic_planner.core.geometry import Offset, Pose
from mosaic_planner.core.observation import Observation, Sighting
from mosaic_planner.core.world import Briefing, Geometry
from mosaic_planner.memory import make_memory
from mosaic_planner.models.protocol import ChatReply, ChatRequest, Message
from mosaic_planner.models.standin import make_standin
from mosaic_planner.planners.protocol import PlannerSetup, Turn
from mosaic_planner.planners.registry import make_planner, planner_names

AGENTS = ("Ada", "Bo")
VOCABULARY = Vocabulary(
    (
        ActionSchema("Pick", (Parameter("apple", kinds=("apple",)),), "Pick an apple."),
        ActionSchema("Whistle", (), "Whistle a tune."),
        ActionSchema("Done", ends=True),
        ActionSchema("Idle", idle=True),
    ),
    (Kind("apple"),),
)
BRIEFING = Briefing("Pick all apples.", ("Apples hang high.",), agent_noun="gardener")


def play(name: str, k: int, strength: str) -> list[str]:
    model = make_standin(strength)

    async def ask(module: str, static: str, state: str, **_: Any) -> ChatReply:
        messages = (Message("system", static), Message("user", state))
        return await model.complete(ChatRequest(messages))

    setup = PlannerSetup(AGENTS, VOCABULARY, BRIEFING, ask, k=k)
    planner = make_planner(name, setup)
    memory = make_memory(
        "current", agents=AGENTS, geometry=Geometry(), briefing=BRIEFING, vocabulary=VOCABULARY
    )
    seen = {
        a: Observation(
            agent=a,
            step=0,
            pose=Pose(0, 0),
            inventory=(),
            sightings=(Sighting("Apple_1", "apple", Offset(0, 1)),),
            names=("Apple_1",),
            text="Apple_1 is here",
            state_text="on a ladder",
        )
        for a in AGENTS
    }
    memory.update(seen, {})

    async def go() -> list[str]:
        turn = Turn(0, seen, memory.beliefs())
        proposal = await planner.propose(turn)
        await planner.review(turn)
        return [str(c.action) for c in proposal.candidates["Ada"]]

    return asyncio.run(go())


@pytest.mark.parametrize("name", sorted({"act", "coela", "cot", "llamar", "react", "smartllm"}))
def test_every_planner_gets_a_legal_action(name: str) -> None:
    assert name in planner_names()
    assert play(name, 1, "careful") == ["Whistle()"]
    if name != "smartllm":
        assert play(name, 3, "careful") == ["Whistle()", "Idle"]
