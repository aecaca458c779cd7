"""SmartLLM: three calls per plan, a program that is never executed, replanning (rule R30)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from mosaic_planner.core.action import Action
from mosaic_planner.core.observation import Outcome
from mosaic_planner.planners.smartllm import SmartLlm

AGENTS = ("Ada", "Bo")
PROGRAM = """
with parallel():
    with robot("Ada"):
        GoTo("Box_1")
        Put("Box_1", "Red")
    with robot("Bo"):
        if sees("Box_1"):
            Turn("Left")
"""


def replies(*programs: Any) -> dict[str, list[Any]]:
    return {
        "decompose": [{"reason": "", "subtasks": ["put Box_1 away"]}],
        "allocate": [{"reason": "", "allocation": ["Ada: put Box_1 away"]}],
        "program": [p if isinstance(p, dict) else {"program": p} for p in programs],
    }


def play(planner: SmartLlm, turn: Any, steps: int, failing: tuple[str, ...] = ()) -> list[Any]:
    """Carry out the first candidate of everybody; actions in `failing` fail."""

    async def go() -> list[Any]:
        outcomes: dict[str, Outcome] = {}
        proposals = []
        for step in range(steps):
            now = replace(turn(AGENTS, step), outcomes=outcomes)
            proposal = await planner.propose(now)
            assert await planner.review(now) is None
            proposals.append(proposal)
            taken = {a: c[0].action for a, c in proposal.candidates.items() if c}
            outcomes = {
                a: Outcome(a, x := taken.get(a, Action("Idle")), str(x) not in failing)
                for a in AGENTS
            }
        return proposals

    return asyncio.run(go())


def actions(proposals: list[Any]) -> list[dict[str, str]]:
    return [{a: str(c[0].action) for a, c in p.candidates.items() if c} for p in proposals]


def test_three_calls_then_the_program_runs(scripted: Any, setup_for: Any, turn: Any) -> None:
    ask = scripted(replies(PROGRAM))
    done = actions(play(SmartLlm(setup_for(ask)), turn, 2))
    assert ask.modules() == ["decompose", "allocate", "program"]
    assert done == [{"Ada": "GoTo(Box_1)", "Bo": "Turn(Left)"}, {"Ada": "Put(Box_1, Red)"}]
    assert [s["temperature"] for s in ask.settings] == [0.0, 0.0, 0.0]
    assert [s["max_output_tokens"] for s in ask.settings] == [1300, 400, 1400]
    assert 'SUBTASKS: ["put Box_1 away"]' in ask.calls[1][2]
    assert 'ALLOCATION: ["Ada: put Box_1 away"]' in ask.calls[2][2]


def test_failure_and_end_lead_to_a_new_plan(scripted: Any, setup_for: Any, turn: Any) -> None:
    ask = scripted(replies(PROGRAM, 'with robot("Bo"):\n    Turn("Right")'))
    done = actions(play(SmartLlm(setup_for(ask)), turn, 3, failing=("GoTo(Box_1)",)))
    assert done[1] == {"Bo": "Turn(Right)"}
    assert ask.modules() == ["decompose", "allocate", "program"] * 3
    assert "WHAT HAPPENED: Ada: GoTo(Box_1) failed; worked so far: Bo Turn(Left)" in ask.calls[3][2]
    assert "WHAT HAPPENED: the program ended, the task is not finished" in ask.calls[6][2]


def test_replanning_is_bounded(scripted: Any, setup_for: Any, turn: Any) -> None:
    ask = scripted(replies(PROGRAM))
    planner = SmartLlm(setup_for(ask, options={"replans": 2}))
    proposals = play(planner, turn, 6, failing=("GoTo(Box_1)",))
    assert len(ask.calls) == 9
    assert actions(proposals)[3:] == [{}, {}, {}]


HARMFUL = [
    "import os\nos.system('echo')",
    "while True:\n    pass",
    "open('secret.txt', 'w')",
    "().__class__",
    "exec('import os')",
    "def f():\n    f()\nf()",
]


@pytest.mark.parametrize("program", HARMFUL)
def test_harmful_programs_become_feedback(
    program: str, scripted: Any, setup_for: Any, turn: Any, tmp_path: Any, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    ask = scripted(replies(program, program, PROGRAM))
    proposals = play(SmartLlm(setup_for(ask)), turn, 3)
    assert actions(proposals)[-1] or actions(proposals)[-2]  # the episode goes on
    told = "\n".join(state for _, _, state in ask.calls[3:])
    assert (
        "not allowed" in told
        or "rounds" in told
        or "no skill" in told
        or "deeply" in told
        or ("plain names" in told)
    )
    assert list(tmp_path.iterdir()) == []


def test_unknown_names_stop_the_program(scripted: Any, setup_for: Any, turn: Any) -> None:
    ask = scripted(replies('with robot("Ada"):\n    GoTo("Box_9")', PROGRAM))
    proposals = play(SmartLlm(setup_for(ask)), turn, 2)
    assert proposals[0].candidates["Ada"] == ()
    assert "nothing called 'Box_9' is known" in proposals[0].rejections[0].reason
    assert "Box_9" in ask.calls[3][2]
    assert actions(proposals)[1]["Ada"] == "GoTo(Box_1)"


def test_a_robot_that_only_waits_gets_a_new_program(
    scripted: Any, setup_for: Any, turn: Any
) -> None:
    loop = 'with robot("Ada"):\n    while True:\n        Idle()'
    ask = scripted(replies(loop, PROGRAM))
    done = actions(play(SmartLlm(setup_for(ask)), turn, 6))
    assert done[3] == {"Ada": "Idle"}
    assert done[4] == {"Ada": "GoTo(Box_1)", "Bo": "Turn(Left)"}
    assert "Ada did Idle 4 times on end" in ask.calls[3][2]


def test_nothing_to_do_is_an_outcome_at_the_start_only(
    scripted: Any, setup_for: Any, turn: Any
) -> None:
    nothing = {"reason": "", "subtasks": []}
    ask = scripted({**replies(PROGRAM), "decompose": [nothing]})
    proposal = play(SmartLlm(setup_for(ask)), turn, 1)[0]
    assert proposal.empty_plan
    assert ask.modules() == ["decompose"]
    some = {"reason": "", "subtasks": ["put Box_1 away"]}
    ask = scripted({**replies('with robot("Bo"):\n    Turn("Left")'), "decompose": [some, nothing]})
    assert not any(p.empty_plan for p in play(SmartLlm(setup_for(ask)), turn, 3))
    ask = scripted({**replies(PROGRAM), "decompose": ["hm"]})  # unreadable is not empty
    assert not play(SmartLlm(setup_for(ask)), turn, 1)[0].empty_plan


def test_prose_for_ever(scripted: Any, setup_for: Any, turn: Any) -> None:
    ask = scripted({"decompose": ["hm"], "allocate": ["hm"], "program": ["I cannot {do} that"]})
    proposals = play(SmartLlm(setup_for(ask, options={"replans": 1})), turn, 4)
    assert actions(proposals) == [{}, {}, {}, {}]


def test_a_robot_that_is_kept_from_its_program_gets_a_new_one(
    scripted: Any, setup_for: Any, turn: Any
) -> None:
    ask = scripted(replies('with robot("Ada"):\n    GoTo("Box_1")', PROGRAM))
    planner = SmartLlm(setup_for(ask))

    async def go() -> None:
        outcomes: dict[str, Outcome] = {}
        for step in range(4):
            now = replace(turn(AGENTS, step), outcomes=outcomes)
            proposal = await planner.propose(now)
            assert str(proposal.candidates["Ada"][0].action) == "GoTo(Box_1)"
            outcomes = {"Ada": Outcome("Ada", Action("Idle"), True, idle=True)}

    asyncio.run(go())
    assert len(ask.calls) == 6
    assert "Ada could not do GoTo(Box_1) for 3 steps" in ask.calls[3][2]


def test_a_loop_that_gets_nowhere_is_given_up(scripted: Any, setup_for: Any, turn: Any) -> None:
    loop = 'with robot("Ada"):\n    while True:\n        GoTo("Box_1")'
    ask = scripted(replies(loop, PROGRAM))
    done = actions(play(SmartLlm(setup_for(ask)), turn, 12))
    assert done[9] == {"Ada": "GoTo(Box_1)"}
    assert "Ada did GoTo(Box_1) 10 times on end" in ask.calls[3][2]
    assert done[11] == {"Ada": "Put(Box_1, Red)"}
