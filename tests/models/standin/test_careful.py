"""The careful stand-in: what it reads from a prompt, what it decides, and in which form."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from typing import Any

import pytest

from mosaic_planner.core.errors import UnknownNameError
from mosaic_planner.models.protocol import ChatRequest, Message
from mosaic_planner.models.standin import make_standin
from mosaic_planner.models.standin.prompt import read_asked, read_situation

RULES = """You choose the next action of a team of 2 robots: Alice and Bob. They work together.

How this world works:
- Sand puts out chemical fires; Water puts out non-chemical fires.

Actions, one per robot and step:
- NavigateTo(object): Go next to an object.
- GetSupply(reservoir): Take one unit.
- UseSupply(fire, supply): Use one unit; supply is one of Sand, Water
- Explore(): Look around.

Answer with one JSON object and nothing else, with these keys:
"""
ACTOR = '- "failure reason": why\n- "memory": notes\n- "reason": why\n- "subtask": what\n'
SINGLE = ACTOR + '- "Alice\'s action": the action\n- "Bob\'s action": the action\n'
RANKED = ACTOR + "".join(
    f'- "{a}\'s actions": a list of 3 different actions {a} could take\n' for a in ("Alice", "Bob")
)
VISIBLE = """- CaldorFire (fire, chemical): average intensity Low
- CaldorFire_Region_1 (region of CaldorFire, chemical): intensity Low
- CaldorFire_Region_2 (region of CaldorFire, chemical): intensity Medium
- ReservoirUtah (reservoir): gives Sand
- ReservoirYork (reservoir): gives Water
- DepositFacility (deposit): Sand 0, Water 0, persons 0"""
PERSON = "\n- LostPersonTimmy (person): needs 2 carriers"


def block(
    name: str,
    load: str = "Sand 0, Water 0, Person 0",
    previous: str = "nothing has been done yet",
    visible: str = VISIBLE,
    places: str = "",
) -> str:
    text = (
        f"[{name}]\nSTATE: position (9, 7, 0); inventory {load}\nPREVIOUS ACTION: {previous}\n"
        "PREVIOUS FAILURES: none\nOBSERVATION:\n"
        "Around: Up empty; Down CaldorFire Low; Left obstacle; Right empty; Center empty\n"
        f"Visible:\n{visible}\nNames: CaldorFire_Region_1"
    )
    return f"{text}\nKNOWN PLACES:\n{places}" if places else text


def state(*blocks: str, memory: str = "None") -> str:
    task = "Put out CaldorFire (chemical); find LostPersonTimmy and carry it to DepositFacility."
    return "\n".join(
        [f"TASK: {task}", "OPEN SUBTASKS: None", "COMPLETED SUBTASKS: None", f"MEMORY: {memory}",
         "REJECTED: none", *blocks]
    )  # fmt: skip


def ask(user: str, keys: str = SINGLE, model: Any = None, rules: str = RULES) -> dict[str, Any]:
    model = model or make_standin("careful")
    request = ChatRequest((Message("system", rules + keys), Message("user", user)))
    reply = asyncio.run(model.complete(request))
    value = json.loads(reply.text)
    assert isinstance(value, dict)
    return value


def test_reads_what_is_asked_and_offered() -> None:
    asked = read_asked(RULES + RANKED)
    assert asked.keys[-1] == "Bob's actions"
    assert (asked.several, asked.count) == (True, 3)
    assert ("UseSupply", ("fire", "supply")) in asked.offered
    assert asked.offers("Explore")
    assert not asked.offers("Fly")
    assert asked.team == ("Alice", "Bob")


def test_reads_the_situation() -> None:
    text = state(block("Alice", places="- X (fire): here"), block("Bob"), memory="12 steps planned")
    found = read_situation(text)
    assert [b.agent for b in found.blocks] == ["Alice", "Bob"]
    assert found.blocks[0].places == "- X (fire): here"
    assert found.blocks[0].failures == "none"
    assert found.memory == "12 steps planned"


def test_fetches_the_supply_the_rules_name() -> None:
    got = ask(state(block("Alice"), block("Bob")))
    assert got["Alice's action"] == got["Bob's action"] == "NavigateTo(ReservoirUtah)"
    other = RULES.replace("Sand puts out chemical", "Water puts out chemical").replace(
        "Water puts out non-chemical", "Sand puts out non-chemical"
    )
    got = ask(state(block("Alice"), block("Bob")), rules=other)
    assert got["Alice's action"] == "NavigateTo(ReservoirYork)"


def test_knows_where_it_stands_only_from_feedback_and_notes() -> None:
    at_source = block("Alice", previous="NavigateTo(ReservoirUtah) succeeded")
    got = ask(state(at_source, block("Bob")))
    assert got["Alice's action"] == "GetSupply(ReservoirUtah)"
    assert "Alice is at ReservoirUtah" in got["memory"]
    # the note comes back one step later, when the feedback speaks of something else
    later = block("Alice", "Sand 1, Water 0, Person 0", "GetSupply(ReservoirUtah) succeeded")
    got = ask(state(later, block("Bob"), memory=got["memory"]))
    assert got["Alice's action"] == "GetSupply(ReservoirUtah)"
    # without the note it does not know, and goes for the fire with what it has
    got = ask(state(later, block("Bob")))
    assert got["Alice's action"].startswith("NavigateTo(CaldorFire_Region")


def test_distances_are_used_where_memory_lines_give_them() -> None:
    near = "- CaldorFire_Region_1 (region): right 1; 1 move, just ahead; intensity Low"
    far = "- CaldorFire_Region_2 (region): right 20; 20 moves, far; intensity Medium"
    load = "Sand 3, Water 0, Person 0"
    low = VISIBLE.replace("intensity Medium", "intensity Low")
    blocks = [
        block("Alice", load, visible=low, places=f"{far.replace('20', '2')}\n{near}"),
        block("Bob", load, visible=low, places=f"{near}\n{far}"),
    ]
    got = ask(state(*blocks))
    targets = {got["Alice's action"], got["Bob's action"]}
    assert targets == {"NavigateTo(CaldorFire_Region_1)", "NavigateTo(CaldorFire_Region_2)"}
    assert got["Alice's action"] == "NavigateTo(CaldorFire_Region_1)"


def test_people_are_carried_by_as_many_as_needed_and_dropped_together() -> None:
    calm = VISIBLE.split("\n", 3)[3].join(
        ["- CaldorFire (fire, chemical): average intensity None\n", PERSON]
    )
    got = ask(state(block("Alice", visible=calm), block("Bob", visible=calm)))
    assert got["Alice's action"] == got["Bob's action"] == "NavigateTo(LostPersonTimmy)"
    there = "NavigateTo(LostPersonTimmy) succeeded"
    got = ask(state(block("Alice", previous=there, visible=calm), block("Bob", visible=calm)))
    assert got["Alice's action"] == "Idle"  # waits for the other
    both = [block(a, previous=there, visible=calm) for a in ("Alice", "Bob")]
    assert ask(state(*both))["Bob's action"] == "Carry(LostPersonTimmy)"
    load = "Sand 0, Water 0, Person 3"
    carried = "Carry(LostPersonTimmy) succeeded"
    both = [block(a, load, carried, calm) for a in ("Alice", "Bob")]
    got = ask(state(*both))
    assert got["Bob's action"] == "NavigateTo(DepositFacility)"
    arrived = "NavigateTo(DepositFacility) succeeded"
    both = [block(a, load, arrived, calm) for a in ("Alice", "Bob")]
    got = ask(state(*both, memory=got["memory"]))
    drop = "DropOff(DepositFacility, LostPersonTimmy)"
    assert got["Alice's action"] == got["Bob's action"] == drop
    late = [both[0], block("Bob", load, carried, calm)]
    assert ask(state(*late, memory="Alice carries LostPersonTimmy"))["Alice's action"] == "Idle"


def test_done_only_when_nothing_is_left() -> None:
    calm = "- CaldorFire (fire, chemical): average intensity None"
    got = ask(state(block("Alice", visible=calm), block("Bob", visible=calm)))
    assert got["Alice's action"] == "Explore()"  # the person is still missing
    delivered = "3 steps planned; seen so far: LostPersonTimmy"
    got = ask(state(block("Alice", visible=calm), block("Bob", visible=calm), memory=delivered))
    assert got["Alice's action"] == "Done"


def test_ranked_lists_are_different_sensible_actions() -> None:
    got = ask(state(block("Alice"), block("Bob")), keys=RANKED)
    for agent in ("Alice", "Bob"):
        ranked = got[f"{agent}'s actions"]
        assert len(ranked) == len(set(ranked)) == 3
        assert ranked[0] == "NavigateTo(ReservoirUtah)"


def test_unknown_words_do_not_break_it() -> None:
    got = ask("TASK: dance\n[Alice]\nOBSERVATION:\nnothing\n[Bob]\nOBSERVATION:\n- ( : x")
    assert set(got) >= {"Alice's action", "Bob's action"}
    assert asyncio.run(make_standin("careful").complete(ChatRequest(()))).text


def test_latency_is_simulated_from_tokens() -> None:
    model = make_standin("careful")
    request = ChatRequest(
        (Message("system", RULES + SINGLE), Message("user", state(block("Alice"))))
    )
    reply = asyncio.run(model.complete(request))
    assert model.simulated
    assert model.name == "standin:careful"
    expected = model.latency.call_s(reply.usage.input_tokens, reply.usage.output_tokens)
    assert reply.latency_s == expected > 0
    assert reply.usage.output_tokens > 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"strength": "gpt5"}, "gpt4-2024"),
        ({"strength": "careful", "latency": "slow"}, "hosted-2024"),
        ({"strength": "careful", "correlation": "some"}, "half-shared"),
    ],
)
def test_unknown_names_are_told(arguments: dict[str, str], told: str) -> None:
    with pytest.raises(UnknownNameError, match=told):
        make_standin(**arguments)


def test_no_world_no_scene_no_seed_in_the_source() -> None:
    """What the prompt lacks it does not know: nothing of any scene is written down in it."""
    code = (
        "import sys; import mosaic_planner.models.standin; "
        "print([m for m in sys.modules if m.startswith('mosaic_planner.worlds')])"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert loaded.stdout.strip() == "[]"
    from importlib.resources import files

    names = re.compile("Caldor|Utah|York|Timmy|Jeremy|Sussex|RedFire|Taj|Facility|scene", re.I)
    for path in files("mosaic_planner.models.standin").iterdir():
        if path.name.endswith(".py"):
            code = re.sub(r'"""(?:.|\n)*?"""|#[^\n]*', "", path.read_text("utf-8"))
            assert not names.search(code), path.name
