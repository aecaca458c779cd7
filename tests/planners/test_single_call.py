"""Act, CoT and ReAct (rules R25 to R28)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from mosaic_planner.planners.act import Act
from mosaic_planner.planners.cot import Cot
from mosaic_planner.planners.react import React
from mosaic_planner.planners.single_call import SingleCallPlanner

AGENTS = ("Ada", "Bo")
FLAT = {"Ada": "GoTo(Box_1)", "Bo": "Idle"}
CASES: list[tuple[type[SingleCallPlanner], dict[str, Any]]] = [
    (Act, FLAT),
    (Cot, {"reason": "because", **FLAT}),
    (React, {"Think": "because", "Action": FLAT}),
]


@pytest.mark.parametrize(("method", "reply"), CASES)
def test_one_call_per_step_and_a_growing_history(
    method: type[SingleCallPlanner], reply: dict[str, Any], scripted: Any, setup_for: Any, turn: Any
) -> None:
    ask = scripted({method.name: [reply]})
    planner = method(setup_for(ask, asm=True))

    async def go() -> None:
        for step in range(3):
            feedback = "GoTo(Box_1) succeeded" if step else "nothing has been done yet"
            proposal = await planner.propose(turn(AGENTS, step, feedback=feedback))
            assert [str(c.action) for c in proposal.candidates["Ada"]] == ["GoTo(Box_1)"]
            assert proposal.reason == ("because" if method is not Act else "")
            assert await planner.review(turn(AGENTS, step + 1)) is None

    asyncio.run(go())
    assert ask.modules() == [method.name] * 3
    assert len({static for _, static, _ in ask.calls}) == 1
    first, second, third = (state for _, _, state in ask.calls)
    assert "HISTORY:\nnone yet" in first
    assert "Step 1\n- Ada: saw Box_1; GoTo(Box_1) succeeded\n" in second
    # the executed action differs from the chosen one where a coordinator decides
    assert "- Bo: saw Box_1; you chose Idle; GoTo(Box_1) succeeded" in second
    assert "Step 2" not in second
    assert "Step 2" in third
    assert "because" not in third  # rule R26: reasoning is never fed back
    # append-only: the older prompt is a prefix up to the end of its history
    assert third.startswith(second[: second.index("\nREJECTED")])
    assert "KNOWN PLACES:\n- Box_2 (box): far from Ada" in third


def test_asked_keys(scripted: Any, setup_for: Any) -> None:
    ask = scripted({})
    act, cot, react = (m(setup_for(ask, k=2)).static_prompts[m.name] for m in (Act, Cot, React))
    assert '"reason"' not in act
    assert cot.index('"reason"') < cot.index('"Ada"')
    assert react.index('"Think"') < react.index('"Action"') < react.index('"Ada"')
    assert "a list of 2 different actions" in act


def test_summaries_are_calls_and_bring_no_new_names(
    scripted: Any, setup_for: Any, turn: Any
) -> None:
    ask = scripted({"act": [FLAT], "summariser": [{"summary": ["Box_1", "Invented"]}]})
    planner = Act(setup_for(ask, options={"summariser": True}))

    async def go() -> None:
        await planner.propose(turn(AGENTS, 0))
        await planner.propose(turn(AGENTS, 1))

    asyncio.run(go())
    assert ask.modules() == ["summariser", "summariser", "act"] * 2  # rule R25: 1 + n
    assert "saw Box_1;" in ask.calls[-1][2]
    assert "Invented" not in ask.calls[-1][2]
    assert ask.settings[0]["temperature"] == 0.0


def test_unreadable_answer_gives_no_candidates(scripted: Any, setup_for: Any, turn: Any) -> None:
    ask = scripted({"react": ["hm"]})
    proposal = asyncio.run(React(setup_for(ask)).propose(turn(AGENTS, 0)))
    assert proposal.candidates == {"Ada": (), "Bo": ()}
    assert len(proposal.rejections) == 2
