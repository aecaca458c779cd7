"""The mistake model: each mechanism, sharing among candidates, determinism."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from dataclasses import fields, replace
from typing import Any

import pytest

from mosaic_planner.core.clock import LATENCY_PROFILES
from mosaic_planner.models.protocol import ChatRequest, Message
from mosaic_planner.models.standin import RATES, MistakeRates, StandIn, make_standin
from mosaic_planner.models.standin.mistakes import make_slips
from mosaic_planner.models.standin.sar import decide
from mosaic_planner.models.standin.sar_view import Fire, Notes, Robot, View

FREE = {"Sand": 0, "Water": 0, "Person": 0}
FULL = {"Sand": 3, "Water": 0, "Person": 0}
HOLDS = {"Sand": 0, "Water": 0, "Person": 3}


def view(**changes: Any) -> View:
    robots = {n: Robot(n, load=dict(FREE)) for n in ("Alice", "Bob", "Charlie")}
    base = View(
        robots=robots,
        fires={"F": Fire("F", "Sand", 1, {"F_Region_1": 1, "F_Region_2": 1})},
        reservoirs={"Dune": "Sand", "Lake": "Water"},
        deposits={"Base": {}},
        persons={},
        missing=("LostPersonX",),
        notes=Notes(),
    )
    return replace(base, **changes)


def only(kind: str, of: View, count: int = 1, correlation: float = 1.0) -> dict[str, list[str]]:
    """The answer in which that one mechanism strikes wherever it can."""
    slips = make_slips(MistakeRates(**{kind: 1.0}), correlation, 0, "static", "state")
    return slips.actions(of, decide(of), count)


def at_fire(load: dict[str, int]) -> View:
    scene = view()
    for number, name in enumerate(("Alice", "Bob"), start=1):
        scene.robots[name].place = f"F_Region_{number}"
        scene.robots[name].load = dict(load)
    return scene


def carrying(place: str) -> View:
    scene = view(fires={}, persons={"LostPersonX": 2}, missing=())
    for name in ("Alice", "Bob"):
        robot = scene.robots[name]
        robot.load, robot.carries = dict(HOLDS), "LostPersonX"
    scene.robots["Alice"].place = place
    return scene


def waiting_person() -> View:
    return view(fires={}, persons={"LostPersonX": 2}, missing=())


def failed(scene: View) -> View:
    scene.robots["Alice"].previous = ("UseSupply", ("F", "Sand"), False)
    return scene


def done(scene: View) -> View:
    return replace(scene, fires={"F": Fire("F", "Sand", 0)}, missing=("LostPersonX",))


CASES = [
    ("repeat_failed", failed(view()), "UseSupply(F, Sand)"),
    ("idling", view(), "Idle"),
    ("renavigate", at_fire(FULL), "NavigateTo(F_Region_1)"),
    ("too_far_get", view(), "GetSupply(Dune)"),
    ("too_far_use", view(robots={"Alice": Robot("Alice", load=dict(FULL))}),
     "UseSupply(F_Region_1, Sand)"),
    ("too_far_carry", waiting_person(), "Carry(LostPersonX)"),
    ("too_far_drop", carrying(""), "DropOff(Base, LostPersonX)"),
    ("wrong_source", view(), "NavigateTo(Lake)"),
    ("wrong_supply", at_fire(FULL), "UseSupply(F_Region_1, Water)"),
    ("empty_handed", at_fire(FREE), "UseSupply(F_Region_1, Sand)"),
    ("full_inventory",
     view(robots={"Alice": Robot("Alice", load=dict(FULL), place="Dune")}), "GetSupply(Dune)"),
    ("early_drop", carrying("Base"), "DropOff(Base, LostPersonX)"),
    ("crowding_fire", view(robots={n: Robot(n, load=dict(FULL)) for n in ("Alice", "Bob")}),
     "NavigateTo(F_Region_2)"),
    ("premature_done", done(view()), "Done"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "scene", "expected"), CASES, ids=[c[0] for c in CASES])
def test_each_mechanism(kind: str, scene: View, expected: str) -> None:
    careful = decide(scene)["Alice"].actions[0]
    assert careful != expected
    assert only(kind, scene)["Alice"] == [expected]


def test_other_mechanisms() -> None:
    crowd = only("crowding_person", carrying(""))
    assert crowd["Charlie"][0] == "NavigateTo(Base)"
    invented = only("invented_name", view(fires={}))
    assert set(map(tuple, invented.values())) == {("NavigateTo(LostPersonX)",)}
    region = only("invented_name", at_fire(FULL))["Alice"][0]
    assert region.startswith("UseSupply(F_Region_")
    assert only("malformed_action", view())["Alice"][0] != decide(view())["Alice"].actions[0]
    finished = view(fires={"F": Fire("F", "Sand", 0)}, missing=())
    assert decide(finished)["Alice"].actions[0] == "Done"
    assert only("late_done", finished)["Alice"] != ["Done"]


def test_every_mechanism_is_tested_and_has_a_rate() -> None:
    tested = {c[0] for c in CASES} | {
        "crowding_person", "invented_name", "malformed_action", "late_done", "malformed_answer"
    }  # fmt: skip
    assert tested == {f.name for f in fields(MistakeRates)}
    assert all(0 < getattr(RATES["gpt4-2024"], f.name) < 1 for f in fields(MistakeRates))
    assert all(getattr(RATES["careful"], f.name) == 0 for f in fields(MistakeRates))
    for f in fields(MistakeRates):
        assert getattr(RATES["weak"], f.name) >= min(0.6, getattr(RATES["gpt4-2024"], f.name))


def agreement(correlation: float) -> float:
    """How often the second candidate is mistaken too, given that the first one is."""
    scene = view()
    careful = decide(scene)
    rates = MistakeRates(too_far_get=0.3, idling=0.2)
    first = together = 0
    for seed in range(400):
        slips = make_slips(rates, correlation, seed, "static", "state")
        for name, actions in slips.actions(scene, careful, 2).items():
            wrong = [a != c for a, c in zip(actions, careful[name].actions, strict=False)]
            first += wrong[0]
            together += all(wrong)
    return together / first


def test_sharing_of_mistakes_among_candidates() -> None:
    identical, half, independent = agreement(1.0), agreement(0.5), agreement(0.0)
    assert identical == 1.0
    assert independent < half < identical
    assert 0.1 < independent < 0.4  # only idling applies to Explore, at its own rate


def test_first_candidate_does_not_depend_on_sharing_or_number() -> None:
    """No mistake parameter depends on how many candidates are asked for."""
    scene = view()
    for seed in range(50):
        firsts = {
            tuple(a[0] for a in make_slips(RATES["weak"], c, seed, "s", "t")
                  .actions(scene, decide(scene), k).values())
            for c in (0.0, 0.5, 1.0)
            for k in (1, 3, 8)
        }  # fmt: skip
        assert len(firsts) == 1


def test_broken_answers() -> None:
    text = '{"plan": ["a"]}'
    slips = [make_slips(MistakeRates(malformed_answer=1.0), 0.5, s, "x") for s in range(40)]
    forms = {s.wrap(text) for s in slips}
    assert text not in forms
    assert any(f.startswith("```json") for f in forms)
    assert any(len(f) < len(text) for f in forms)
    assert make_slips(MistakeRates(), 0.5, 0, "x").wrap(text) == text


def test_same_messages_same_answer_in_any_process() -> None:
    code = (
        "import asyncio\n"
        "from mosaic_planner.models.protocol import ChatRequest, Message\n"
        "from mosaic_planner.models.standin import make_standin\n"
        "m = make_standin('weak', seed=3)\n"
        'static = \'- "memory": x\\n- "Alice\\\'s action": y\\n\'\n'
        "for i in range(20):\n"
        "    r = ChatRequest((Message('system', static), Message('user', f'TASK: LostPersonX {i}"
        "\\n[Alice]\\nSTATE: position (1, 2, 0); inventory Sand 0, Water 0, Person 0')))\n"
        "    print(asyncio.run(m.complete(r)).text)\n"
    )
    outputs = set()
    for seed in ("0", "1", "77"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert len(set(outputs.pop().splitlines())) > 1


def test_seed_and_messages_decide() -> None:
    latency = LATENCY_PROFILES["hosted-2024"]
    rates = MistakeRates(idling=0.5)
    static = 'Sand puts out chemical fires.\n- "memory": x\n- "Alice\'s action": y\n'
    user = "TASK: find LostPersonX\n[Alice]\nSTATE: position (1, 2, 0); inventory Sand 0"
    request = ChatRequest((Message("system", static), Message("user", user)))
    texts = [
        asyncio.run(StandIn("x", rates, latency, seed=s).complete(request)).text for s in range(30)
    ]
    assert len(set(texts)) == 2
    again = asyncio.run(StandIn("x", rates, latency, seed=0).complete(request)).text
    assert again == texts[0]
    assert make_standin("gpt4-2024", correlation="identical").correlation == 1.0
