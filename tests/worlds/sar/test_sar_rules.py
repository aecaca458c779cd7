"""Action profiles and safe actions from beliefs, measured against the real simulator."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from sar_beliefs import TIMMY, beliefs_of, look, play, profile

from mosaic_planner.coordination.profile import STAYS, JointNeed
from mosaic_planner.core.action import Action
from mosaic_planner.core.observation import Outcome
from mosaic_planner.memory.asm import AgentCentricMemory
from mosaic_planner.memory.current import CurrentObservationMemory
from mosaic_planner.worlds.sar.belief_map import chance_beyond
from mosaic_planner.worlds.sar.command import read_action_text


def joining(m: Any, action: Action) -> list[str]:
    """What the others do meanwhile: a person's carriers drop it off together."""
    carriers: list[int] = []
    if action.verb == "DropOff" and action.args[-1] in m.state.entities:
        carriers = m.person(m.state.entities[action.args[-1]].index).carriers
    if 0 not in carriers:
        carriers = []
    return [str(action) if i in carriers else "Idle" for i in range(len(m.state.agents))]


@pytest.mark.parametrize("remember", [False, True])
def test_eligibility_predicts_success_when_others_do_nothing(mission: Any, remember: bool) -> None:
    """On random reachable states with exact beliefs.

    Two exceptions are meant: a use on a fire that is out "succeeds" (H9) and is called
    impossible, because it only wastes a unit; and where a cell of the fire touches a robot's block
    only diagonally, nobody can see it (J1), so such a use may succeed unexpectedly.
    """
    counts: Counter[tuple[bool, bool]] = Counter()
    wasted = corners = 0
    for number in (1, 2, 3, 4, 5):
        m = mission(number, 3, seed=number, faithful=False)
        w = m.world
        memory_type = AgentCentricMemory if remember else CurrentObservationMemory
        memory = memory_type(w.agents, w.geometry, w.briefing, w.vocabulary)
        memory.update(m.seen, {})
        rng = random.Random(number)
        actions = list(w.ground_actions())
        for _ in range(45):
            beliefs = memory.beliefs()
            # Mostly actions on things, for moves and idling are easily right.
            sample = [rng.choice(actions) for _ in range(6)]
            sample += [c.action for c in w.rules.fallbacks(w.agents[0], beliefs)]
            for action in sample:
                verb = action.verb
                found = w.rules.profile(w.agents[0], action, beliefs)
                if found.idle or verb == "Explore":
                    continue
                act = m.alone(0, str(action), *joining(m, action))
                if verb == "UseSupply" and found.reason.endswith(" is out"):
                    wasted += act.success
                    continue
                if verb == "UseSupply" and act.success and not found.eligible:
                    corners += 1
                    assert "is next to" in found.reason
                    continue
                counts[found.eligible, act.success] += 1
                assert found.eligible == act.success, (number, str(action), found, act.reason)
            outcomes = m.do(*play(m, rng, actions, beliefs))
            told: dict[str, Outcome] = {o.agent: o for o in outcomes}
            memory.update(m.seen, told)
    assert counts[True, True] > 300
    assert counts[False, False] > 300
    assert corners <= 3


def test_eligibility_predicts_success_in_joint_steps(mission: Any) -> None:
    """Everybody acting at once, without a coordinator: only what others do may spoil it."""
    counts: Counter[tuple[bool, bool]] = Counter()
    for number in (1, 2, 3, 4, 5):
        m = mission(number, 4, seed=number, faithful=False)
        rng = random.Random(number)
        actions = list(m.world.ground_actions())
        for _ in range(90):
            beliefs = beliefs_of(m)
            texts = play(m, rng, actions, beliefs)
            found = [
                m.world.rules.profile(a, read_action_text(t), beliefs)
                for a, t in zip(m.world.agents, texts, strict=True)
            ]
            for outcome, told in zip(m.do(*texts), found, strict=True):
                if not told.idle:
                    counts[told.eligible, outcome.success] += 1
    eligible = counts[True, True] + counts[True, False]
    succeeded = counts[True, True] + counts[False, True]
    assert eligible > 500
    assert counts[True, True] / eligible > 0.96, counts  # precision
    assert counts[True, True] / succeeded > 0.99, counts  # recall


def test_landing_and_steps_are_predicted(mission: Any) -> None:
    rng = random.Random(3)
    m = mission(3, 3, seed=3, faithful=False)
    m.spot()
    look(m)
    checked = 0
    for _ in range(80):
        names = list(m.seen["Alice"].names)
        name = rng.choice(names)
        text = f"NavigateTo({name})"
        known = m.world.rules._read(beliefs_of(m))
        landing = known.landings("Alice", name)
        found = profile(m, "Alice", text)
        act = m.do(text, rng.choice(["Move(Up)", "Idle"]), "Explore()")[0]
        assert act.success is found.eligible
        if act.success:
            assert m.at(0) == landing[0]
            assert act.agent_steps == found.steps
            checked += 1
    assert checked > 60


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Fly()", "no action 'Fly'"),
        ("NavigateTo(Atlantis)", "nothing called 'Atlantis' is known"),
        (f"NavigateTo({TIMMY})", f"nothing called '{TIMMY}' is known"),
        ("NavigateTo(CaldorFire_Region_3)", "is known"),
        ("NavigateTo(Bob)", "Bob is not visible to Alice now"),
        ("Carry(ReservoirUtah)", "ReservoirUtah is a reservoir, not a person"),
        ("GetSupply(ReservoirUtah)", "Alice is too far from ReservoirUtah"),
        ("GetSupply(DepositFacility, Sand)", "Alice is too far from DepositFacility"),
        ("StoreSupply(DepositFacility)", "Alice is too far from DepositFacility"),
        ("UseSupply(CaldorFire, Water)", "CaldorFire is chemical: Water does not put it out"),
        ("UseSupply(CaldorFire, Sand)", "Alice holds no Sand"),
        ("UseSupply(CaldorFire, Foam)", "'Foam' is not a supply"),
        ("Move(North)", "'North' is not a direction"),
        (f"DropOff(DepositFacility, {TIMMY})", "nothing called"),
    ],
)
def test_reasons_in_plain_words(mission: Any, text: str, reason: str) -> None:
    found = profile(mission(1, 2, faithful=False), "Alice", text)
    assert not found.eligible
    assert reason in found.reason


def test_more_reasons(mission: Any) -> None:
    m = mission(1, 2, faithful=False)
    m.give(0, sand=3)
    m.put(0, (14, 5))
    look(m)
    assert profile(m, "Alice", "GetSupply(ReservoirUtah)").reason == (
        "the inventory of Alice is full"
    )
    assert "too far from CaldorFire" in profile(m, "Alice", "UseSupply(CaldorFire, Sand)").reason
    assert profile(m, "Alice", "Move(Right)").reason == (
        "ReservoirUtah is on the cell Right of Alice"
    )
    m.put(0, (0, 0))
    look(m)
    assert profile(m, "Alice", "Move(Up)").reason == "the grid ends Up of Alice"
    m.put(0, (23, 11))
    m.give(0)
    look(m)
    assert profile(m, "Alice", "GetSupply(DepositFacility, Sand)").reason == (
        "DepositFacility holds no Sand"
    )
    m.put(0, (4, 10))
    m.give(0, sand=1)
    look(m)
    assert profile(m, "Alice", "UseSupply(CaldorFire, Sand)").reason == (
        "no cell of CaldorFire is next to Alice"
    )
    m.put(0, (22, 18))
    m.give(0, water=3)
    m.do("UseSupply(GreatFire, Water)")
    assert profile(m, "Alice", "UseSupply(GreatFire, Water)").reason == "GreatFire is out"


def test_carrying_restricts_and_needs_a_team(mission: Any) -> None:
    m = mission(1, 3, faithful=False)
    m.put(0, (8, 20))
    look(m)
    found = profile(m, "Alice", f"Carry({TIMMY})")
    assert found.joint == JointNeed(f"carry {TIMMY}", 2)
    m.do(f"Carry({TIMMY})")
    m.put(1, (8, 24))
    look(m)
    assert profile(m, "Bob", f"Carry({TIMMY})").joint == JointNeed(f"carry {TIMMY}", 1)
    for text in ("ClearInventory()", "GetSupply(ReservoirUtah)"):
        assert profile(m, "Alice", text).reason == "Alice is carrying a person"
    assert "needs 1 more" in profile(m, "Alice", f"DropOff(DepositFacility, {TIMMY})").reason
    m.do("Idle", f"Carry({TIMMY})")
    m.put(2, (9, 22))
    look(m)
    assert profile(m, "Charlie", f"Carry({TIMMY})").reason == f"{TIMMY} is carried already"


def test_dropping_needs_everybody_who_has_not_yet(mission: Any) -> None:
    drop = f"DropOff(DepositFacility, {TIMMY})"
    m = mission(1, 3, faithful=False)
    m.put(0, (8, 20))
    m.put(1, (8, 24))
    m.do(f"Carry({TIMMY})", f"Carry({TIMMY})")
    assert profile(m, "Charlie", drop).reason == f"Charlie does not carry {TIMMY}"
    assert profile(m, "Alice", drop).reason == "not near DepositFacility: Alice, Bob"
    m.do("NavigateTo(DepositFacility)")
    assert profile(m, "Alice", drop).reason == "not near DepositFacility: Bob"
    m.do("Idle", "NavigateTo(DepositFacility)")
    both = JointNeed(f"drop off {TIMMY}", 2)
    assert profile(m, "Alice", drop).joint == profile(m, "Bob", drop).joint == both
    m.do(drop)
    assert profile(m, "Bob", drop).joint == JointNeed(f"drop off {TIMMY}", 1)
    assert profile(m, "Alice", drop).reason == "Alice waits for Bob to drop off too"
    assert m.do("Idle", drop)[1].success


def test_regions_are_exclusive_and_reservoirs_are_not(mission: Any) -> None:
    m = mission(1, 2, faithful=False)
    region = profile(m, "Alice", "NavigateTo(GreatFire_Region_1)")
    assert "GreatFire_Region_1" in region.claims
    assert "cell 22,18" in region.claims
    assert region.path[-1] == ((22, 18), 1, STAYS)
    # The fire's anchor is the same cell, so the claim is shared.
    assert "cell 22,18" in profile(m, "Bob", "NavigateTo(GreatFire)").claims
    site = profile(m, "Alice", "NavigateTo(ReservoirUtah)")
    assert site.claims == ()
    assert site.path == (((9, 7), 0, 1),)
    assert site.steps == 7


def test_a_use_that_may_end_a_region_claims_it(mission: Any) -> None:
    """Otherwise somebody who names the region later in the step fails as not_visible."""
    m = mission(1, 2, faithful=False)
    m.put(0, (22, 18))
    m.give(0, water=3)
    look(m)
    assert profile(m, "Alice", "UseSupply(GreatFire, Water)").claims == ("GreatFire_Region_1",)
    m.idle(8)
    assert profile(m, "Alice", "UseSupply(GreatFire, Water)").claims == ()


def test_small_stocks_are_exclusive(mission: Any) -> None:
    m = mission(1, 2, faithful=False)
    m.put(0, (23, 11))
    take = "GetSupply(DepositFacility, Sand)"
    for stock, claims in ((3, ("Sand in DepositFacility",)), (4, ())):
        m.state.stores[0] = [stock, 0, 0]
        look(m)
        assert profile(m, "Alice", take).claims == claims


def test_idle_actions_are_idle_and_stay(mission: Any) -> None:
    m = mission(1, 1)
    for text in ("Idle", "NoOp()", "Done"):
        found = profile(m, "Alice", text)
        assert (found.eligible, found.idle, found.steps, found.progress) == (True, True, 0, 0)
        assert found.path == (((9, 7), 0, STAYS),)


def test_explores_chance_to_fail_is_that_of_the_draw(mission: Any) -> None:
    m = mission(1, 2, faithful=False)
    m.put(0, (0, 0))
    m.put(1, (1, 0))
    look(m)
    assert profile(m, "Alice", "Explore()").failure == pytest.approx(1 / 3)
    failed = 0
    for seed in range(300):
        other = mission(1, 2, seed=seed, faithful=False)
        other.put(0, (0, 0))
        other.put(1, (1, 0))
        failed += not other.first("Explore()").success
    assert failed / 300 == pytest.approx(1 / 3, abs=0.1)


def test_unsure_positions_give_chances_not_verdicts() -> None:
    assert chance_beyond(4.0, 4.0, 0.0) == 0.0
    assert chance_beyond(4.1, 4.0, 0.0) == 1.0
    assert chance_beyond(4.0, 4.0, 0.5) == pytest.approx(0.5)
    assert chance_beyond(2.0, 4.0, 0.5) < 0.001
    assert chance_beyond(6.0, 4.0, 0.5) > 0.999
