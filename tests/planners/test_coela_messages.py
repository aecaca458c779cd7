"""CoELA's messages in a real world: the faithful switch N6 of search and rescue (rule I10)."""

from __future__ import annotations

import asyncio
import json

import pytest

from mosaic_planner.assembly import build
from mosaic_planner.config import load_config
from mosaic_planner.core.trace import TraceWriter
from mosaic_planner.episode import play
from mosaic_planner.models.protocol import ChatReply, ChatRequest


class Talker:
    """Writes a message whenever it may, and always chooses to send it."""

    name = "talker"
    simulated = True

    async def complete(self, request: ChatRequest) -> ChatReply:
        if '"message"' in request.messages[0].content:
            return ChatReply(json.dumps({"message": "I go to CaldorFire, then (perhaps) back"}))
        choice = "send the message"
        several = '"choices"' in request.messages[0].content
        answer = {"reason": "talk", "choices": [choice]} if several else {"choice": choice}
        return ChatReply(json.dumps(answer))


def actions(method: str, **settings: object) -> list[tuple[str, bool]]:
    fixed = {"world": "sar", "scene": 1, "agents": 2, "planner": method, "steps": 3}
    config, writer = load_config(options=fixed | settings), TraceWriter()
    episode = asyncio.run(play(config, build(config, writer, model=Talker()), writer))
    return [
        (outcome["action"].partition("(")[0], outcome["success"])
        for event in episode.trace.of("outcome")
        for outcome in event["agents"].values()
    ]


@pytest.mark.parametrize("method", ["coela", "coela+fc"])
def test_the_faithful_world_gets_messages_as_actions(method: str) -> None:
    assert actions(method, faithful=True) == [("SendMessage", True)] * 6


@pytest.mark.parametrize("method", ["coela", "coela+fc"])
def test_our_world_gets_idle(method: str) -> None:
    assert actions(method) == [("Idle", True)] * 6


def test_one_switch_alone_is_enough_and_the_user_has_the_last_word() -> None:
    switch = {"messages_stop_world": True}
    assert actions("coela", world_options=switch)[0] == ("SendMessage", True)
    idle = {"send_as": "Idle"}
    assert actions("coela", faithful=True, planner_options=idle)[0] == ("Idle", True)
