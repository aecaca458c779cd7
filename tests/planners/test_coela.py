"""CoELA: decentralised, two calls per agent, sending is an action (rule R29)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from mosaic_planner.core.action import IDLE, Action
from mosaic_planner.core.observation import Outcome
from mosaic_planner.planners.coela import Coela

AGENTS = ("Ada", "Bo")


def run(planner: Coela, turns: list[Any]) -> list[Any]:
    async def go() -> list[Any]:
        proposals = []
        for turn in turns:
            proposals.append(await planner.propose(turn))
            assert await planner.review(turn) is None
        return proposals

    return asyncio.run(go())


def after(turn: Any, step: int, **actions: Action) -> Any:
    base = turn(AGENTS, step, feedback="did something")
    outcomes = {a: Outcome(a, x, True, idle=x == IDLE) for a, x in actions.items()}
    return replace(base, outcomes=outcomes)


def test_two_calls_per_agent_and_step(scripted: Any, setup_for: Any, turn: Any) -> None:
    ask = scripted({"message": [{"message": "hello"}], "action": [{"choice": "Turn(Left)"}]})
    proposal = run(Coela(setup_for(ask)), [turn(AGENTS, 0)])[0]
    assert ask.modules() == ["message", "action"] * 2
    assert [str(c.action) for c in proposal.candidates["Bo"]] == ["Turn(Left)"]
    statics = {static for module, static, _ in ask.calls if module == "action"}
    assert len(statics) == 1  # the same bytes for every agent


def test_each_sees_only_its_own(scripted: Any, setup_for: Any, turn: Any) -> None:
    ask = scripted({"message": [{"message": "hi"}], "action": [{"choice": "Idle"}]})
    run(Coela(setup_for(ask, asm=True)), [turn(AGENTS, 0)])
    for _, _, state in ask.calls[:2]:
        assert "YOU ARE: Ada" in state
        assert "seen by Ada" in state
        assert "seen by Bo" not in state
        assert "far from Bo" not in state
        assert "far from Ada" in state


def test_options_are_what_is_possible_with_what_is_seen(
    scripted: Any, setup_for: Any, turn: Any
) -> None:
    ask = scripted({"message": [{"message": "hi"}], "action": [{"choice": "2"}]})
    proposal = run(Coela(setup_for(ask)), [turn(AGENTS, 0)])[0]
    options = ask.calls[1][2].partition("OPTIONS:\n")[2].splitlines()
    assert options == [
        '1. send the message "hi"',
        "2. GoTo(Box_1)",  # Box_2 is only remembered, and that needs agent-centric memory
        "3. Turn(Left)",
        "4. Turn(Right)",
        "5. Put(Box_1, Red)",
        "6. Put(Box_1, Blue)",
        "7. Done",
        "8. Idle",
    ]
    assert str(proposal.candidates["Ada"][0].action) == "GoTo(Box_1)"


def test_sending_takes_the_step_and_reaches_the_others_afterwards(
    scripted: Any, setup_for: Any, turn: Any
) -> None:
    ask = scripted(
        {
            "message": [{"message": "I found Box_1"}],
            "action": [{"choice": 'send the message "I found Box_1"'}, {"choice": "Turn(Left)"}],
        }
    )
    planner = Coela(setup_for(ask))
    first, second = run(
        planner,
        [turn(AGENTS, 0), after(turn, 1, Ada=IDLE, Bo=Action("Turn", ("Left",)))],
    )
    assert first.candidates["Ada"][0].action == IDLE
    assert first.messages == ()
    assert second.messages == (("Ada", "I found Box_1"),)
    before = [state for _, _, state in ask.calls[:4]]
    assert all("DIALOGUE: none yet" in state for state in before)
    state_of_bo = ask.calls[7][2]
    assert "DIALOGUE: \n- Ada: I found Box_1" in state_of_bo
    assert "YOUR ACTIONS: \n- did something" in state_of_bo
    assert "YOUR ACTIONS: \n- sent a message" in ask.calls[5][2]


def test_message_is_not_sent_if_the_coordinator_took_another_action(
    scripted: Any, setup_for: Any, turn: Any
) -> None:
    ask = scripted(
        {
            "message": [{"message": "hi"}],
            "action": [{"choices": ["send the message", "Turn(Left)"]}],
        }
    )
    planner = Coela(setup_for(ask, k=2))
    left = Action("Turn", ("Left",))
    first, second = run(planner, [turn(AGENTS, 0), after(turn, 1, Ada=left, Bo=left)])
    assert [c.rank for c in first.candidates["Ada"]] == [0, 1]
    assert second.messages == ()


def test_plain_idle_before_sending_sends_nothing(scripted: Any, setup_for: Any, turn: Any) -> None:
    choices = [{"choices": ["Idle", "send the message"]}]
    ask = scripted({"message": [{"message": "hi"}], "action": choices})
    planner = Coela(setup_for(ask, k=2))
    second = run(planner, [turn(AGENTS, 0), after(turn, 1, Ada=IDLE, Bo=IDLE)])[1]
    assert second.messages == ()


def test_message_as_an_action_of_the_world(scripted: Any, setup_for: Any, turn: Any) -> None:
    # SAR rule I10, the faithful switch of N6
    ask = scripted({"message": [{"message": "hi"}], "action": [{"choice": "1"}]})
    planner = Coela(setup_for(ask, options={"send_as": "SendMessage"}))
    proposal = run(planner, [turn(AGENTS, 0)])[0]
    assert proposal.candidates["Ada"][0].action == Action("SendMessage", ("hi",))


def test_what_matches_nothing_is_rejected_not_random(
    scripted: Any, setup_for: Any, turn: Any
) -> None:
    ask = scripted({"message": ["?"], "action": [{"choice": "fly to the moon"}]})
    proposal = run(Coela(setup_for(ask)), [turn(AGENTS, 0)])[0]
    assert proposal.candidates == {"Ada": (), "Bo": ()}
    assert [r.text for r in proposal.rejections] == ["fly to the moon"] * 2


def test_a_rejection_tells_what_may_have_been_meant(
    scripted: Any, setup_for: Any, turn: Any
) -> None:
    ask = scripted({"message": ["?"], "action": [{"choice": "GoTo(Box 11)"}]})
    proposal = run(Coela(setup_for(ask)), [turn(AGENTS, 0)])[0]
    assert all("did you mean" in r.reason for r in proposal.rejections)
    assert len(proposal.rejections) == 2
