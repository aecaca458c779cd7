"""Persons (F), visibility (G), Explore (H6, H7) and the joint step (I)."""

from __future__ import annotations

from typing import Any

import pytest

from mosaic_planner.worlds.sar import make
from mosaic_planner.worlds.sar.command import read_action_text
from mosaic_planner.worlds.sar.explore import legal_directions, unit_moves
from mosaic_planner.worlds.sar.scene import load_scene

TIMMY = "LostPersonTimmy"
DROP = f"DropOff(DepositFacility, {TIMMY})"


def lifted(mission: Any, agents: int = 2, **options: Any) -> Any:
    """Alice and Bob carry Timmy, Alice being first."""
    m = mission(1, agents, **options)
    m.put(0, (8, 20))
    m.put(1, (8, 24))
    assert m.first(f"Carry({TIMMY})").success
    assert m.do("Idle", f"Carry({TIMMY})")[1].success
    assert m.person().grabbed
    return m


def test_taking_hold_throws_supplies_away_and_fills_the_inventory(mission: Any) -> None:
    m = mission(1, 2)
    m.put(0, (8, 20))
    m.give(0, sand=2, water=1)
    outcome = m.first(f"Carry({TIMMY})")
    assert outcome.success
    assert m.state.inventory(0) == (0, 0, 3)
    assert m.seen["Alice"].state_text == "position (8, 20, 0); inventory Sand 0, Water 0, Person 3"
    assert not m.person().grabbed
    assert outcome.effects == ()  # it stays where it is, so nobody holds it yet


def test_holding_on_works_from_the_range_of_sight(mission: Any) -> None:
    """F3: no need to be adjacent; R is 9."""
    m = mission(1, 2)
    m.put(0, (8, 13))
    assert m.first(f"Carry({TIMMY})").success
    m.put(1, (8, 12))
    outcome = m.do("Idle", f"Carry({TIMMY})")[1]
    assert outcome.error_kind == "not_interactable"


def test_while_carrying_only_moving_and_dropping_is_allowed(mission: Any) -> None:
    m = lifted(mission)
    for text in (
        "StoreSupply(DepositFacility)",
        "UseSupply(CaldorFire, Sand)",
        "GetSupply(ReservoirUtah)",
        "GetSupply(DepositFacility, Sand)",
        "ClearInventory()",
        "UseSupply(CaldorFire_Region_4, Sand)",  # restricted comes before not visible (H1)
    ):
        assert m.first(text).error_kind == "restricted_action", text
    for text in ("Move(Up)", "Explore()", "NavigateTo(ReservoirUtah)", "Idle"):
        assert m.first(text).success, text


def test_a_person_jumps_to_its_first_carrier_however_far(mission: Any) -> None:
    """F6 (odd)."""
    m = lifted(mission)
    m.do("NavigateTo(ReservoirUtah)", "NavigateTo(DepositFacility)")
    assert m.state.grid.cells[m.person().cell] == m.at(0) == (14, 5)
    assert m.seen["Alice"].local[4] == ("Center", "obstacle")  # the person is on its cell
    sighting = next(s for s in m.seen["Bob"].sightings if s.name == TIMMY)
    assert sighting.holder == "Alice"
    m.do("Move(Left)")
    assert m.state.grid.cells[m.person().cell] == (13, 5)


def test_the_person_blocks_its_cell_until_the_world_moves_on(mission: Any) -> None:
    m = lifted(mission, 3)
    m.do("NavigateTo(ReservoirUtah)")
    m.put(2, (14, 4))
    outcomes = m.do("Move(Left)", "Idle", "Move(Down)")
    assert outcomes[0].success
    assert not outcomes[2].success  # Alice has left (14, 5), the person is still there
    assert m.do("Idle", "Idle", "Move(Down)")[2].success


def test_a_grounded_person_stays_though_its_carrier_walks_off(mission: Any) -> None:
    m = mission(1, 2)
    m.put(0, (8, 20))
    m.first(f"Carry({TIMMY})")
    m.first("NavigateTo(ReservoirUtah)")
    m.idle(2)
    assert m.state.grid.cells[m.person().cell] == (8, 22)
    assert m.state.carrying[0] == 0


def test_a_surplus_carry_and_a_second_person_fail(mission: Any) -> None:
    m = lifted(mission, 3)
    m.put(2, (9, 22))
    outcome = m.do("Idle", "Idle", f"Carry({TIMMY})")[2]
    assert (outcome.success, outcome.error_kind) == (False, "")
    assert not m.first(f"Carry({TIMMY})").success
    m = mission(5, 2)
    m.put(0, (20, 5))
    assert m.first("Carry(LostPersonJacob)").success
    outcome = m.first("Carry(LostPersonZoe)")
    assert (outcome.success, outcome.error_kind) == (False, "")


def test_delivery_needs_all_carriers_near_and_dropping(mission: Any) -> None:
    m = lifted(mission, faithful=False)
    outcome = m.first(DROP)
    assert outcome.error_kind == "not_interactable"
    m.do("NavigateTo(DepositFacility)")
    outcome = m.first(DROP)  # near itself, but Bob is not
    assert (outcome.error_kind, outcome.reason) == ("", "not near DepositFacility: Bob")
    assert m.person().dropping == []
    m.do("Idle", "NavigateTo(DepositFacility)")
    outcome = m.first(DROP)
    assert (outcome.success, outcome.reason) == (False, "waiting for Bob to drop off too")
    # `dropping` lasts, even if the agent moves away (F8), but then delivery has to wait.
    m.do("NavigateTo(ReservoirYork)")
    assert not m.do("Idle", DROP)[1].success
    m.do("NavigateTo(DepositFacility)")
    outcome = m.do("Idle", DROP)[1]
    assert outcome.success
    assert [(e.name, e.attribute, e.value) for e in outcome.effects] == [
        (TIMMY, "holder", ""),
        (TIMMY, "gone", True),
    ]
    assert m.state.stores[0] == [0, 0, 1]
    assert m.state.inventory(0) == m.state.inventory(1) == (0, 0, 0)
    assert m.person().delivered
    assert m.state.grid.cells[m.person().cell] == (23, 12)
    assert m.first(f"NavigateTo({TIMMY})").error_kind == "not_visible"


def test_a_lone_carrier_at_the_deposit_drops_for_good_and_waits(mission: Any) -> None:
    """F7, F8: no letting go; its DropOff counts once a second carrier has come."""
    m = mission(1, 2)
    m.put(0, (8, 20))
    m.first(f"Carry({TIMMY})")
    m.do("NavigateTo(DepositFacility)")
    assert not m.first(DROP).success
    assert m.person().dropping == [0]
    m.put(1, (8, 24))
    m.do("Idle", f"Carry({TIMMY})")
    assert m.state.grid.cells[m.person().cell] == m.at(0)
    m.do("Idle", "NavigateTo(DepositFacility)")
    assert m.do("Idle", DROP)[1].success


def test_whoever_does_not_carry_cannot_drop(mission: Any) -> None:
    m = lifted(mission, 3)
    m.do("NavigateTo(DepositFacility)", "NavigateTo(DepositFacility)")
    assert m.do("Idle", "Idle", DROP)[2].error_kind == "not_interactable"
    m.do("Idle", "Idle", "NavigateTo(DepositFacility)")
    outcome = m.do("Idle", "Idle", DROP)[2]
    assert (outcome.success, outcome.error_kind) == (False, "")


def test_drop_promotion_reaches_everybody_who_tried(mission: Any) -> None:
    """Rule I7 (odd): told success, no credit, no remembered failure."""
    m = lifted(mission, 4)
    m.do("NavigateTo(DepositFacility)", "NavigateTo(DepositFacility)")
    other = "DropOff(ReservoirUtah, LostPersonTimmy)"
    outcomes = m.do(DROP, DROP, DROP, other)
    assert [o.success for o in outcomes] == [True] * 4
    assert [o.promoted for o in outcomes] == [True, False, True, True]
    assert [o.error_kind for o in outcomes] == ["", "", "not_visible", "not_visible"]
    assert all(seen.feedback.endswith("succeeded") for seen in m.seen.values())
    assert all(seen.failures_text == "none" for seen in m.seen.values())


def test_a_malformed_drop_is_not_promoted(mission: Any) -> None:
    m = lifted(mission, 3)
    m.do("NavigateTo(DepositFacility)", "NavigateTo(DepositFacility)")
    outcomes = m.do(DROP, DROP, "DropOff(DepositFacility)")
    assert [o.success for o in outcomes] == [True, True, False]


def test_agents_act_in_order_each_seeing_the_earlier_ones(mission: Any) -> None:
    m = mission(1, 2)
    m.put(0, (5, 5))
    m.put(1, (7, 7))
    m.give(0, sand=1)
    outcomes = m.do("UseSupply(CaldorFire, Sand)", "NavigateTo(CaldorFire_Region_1)")
    assert [o.success for o in outcomes] == [True, False]
    assert outcomes[1].error_kind == "not_visible"
    m = mission(1, 2)
    m.put(0, (10, 10))
    m.put(1, (11, 10))
    assert not m.do("Move(Right)", "Move(Right)")[0].success
    assert m.do("Move(Up)", "Move(Left)")[1].success


def test_failures_are_remembered_until_the_same_action_succeeds(mission: Any) -> None:
    m = mission(1, 1)
    m.first("GetSupply(ReservoirUtah)")
    m.first("Move(North)")
    assert m.seen["Alice"].failures_text == "GetSupply(ReservoirUtah); Move(North)"
    m.first("NavigateTo(ReservoirUtah)")
    m.first("GetSupply(ReservoirUtah)")
    assert m.seen["Alice"].failures_text == "Move(North)"


def test_last_agents_metrics_come_after_the_world_update(mission: Any) -> None:
    """Rule I3: a person carried into sight counts the same; the order shows in what is seen."""
    m = mission(1, 2)
    calls = []

    def after(agent: int, act: Any) -> None:
        calls.append((agent, m.state.updates))

    commands = [m.state.command(read_action_text("Idle"))] * 2
    m.state.step(commands, after)
    assert calls == [(0, 0), (1, 1)]


MESSAGE = "SendMessage(Bob, hello)"


def test_messages_do_not_stop_our_world_but_the_references(mission: Any) -> None:
    """Rules I4, I10, N6."""
    m = mission(1, 2, faithful=False)
    assert m.do(MESSAGE, "Idle")[0].success
    assert m.state.updates == 1
    m = mission(1, 2)
    m.do(MESSAGE, "Idle")
    m.do(MESSAGE, "Idle")
    assert m.state.updates == 0
    m.do("Idle", MESSAGE)
    assert m.state.updates == 1  # Alice has acted now, Bob had before
    m.do("Idle", MESSAGE)
    assert m.state.updates == 1
    m.do(MESSAGE, "Idle")
    assert m.state.updates == 2


def test_a_message_naming_things_counts_as_mention_only(mission: Any) -> None:
    m = mission(1, 2, faithful=False)
    m.do("SendMessage(Bob, go to CaldorFire_Region_1)")
    score = m.world.score()
    assert score.mentioned == ("CaldorFire",)
    assert score.covered == ()


def test_persons_are_spotted_within_range_for_ever(mission: Any) -> None:
    m = mission(1, 2, faithful=False)
    assert TIMMY not in m.seen["Bob"].names
    m.put(0, (8, 12))
    assert not m.person().spotted
    m.do("Move(Down)")
    assert m.at(0) == (8, 13)
    assert TIMMY in m.seen["Bob"].names
    assert f"Spot({TIMMY})" in m.done()
    m.do("NavigateTo(ReservoirUtah)")
    assert TIMMY in m.seen["Alice"].names


def test_explore_spots_on_the_way(mission: Any) -> None:
    m = mission(1, 1)
    m.put(0, (8, 5))
    world = m.world
    world.replay_step(["Explore()"], {0: "D" * 10 + "U" * 10})
    assert m.at(0) == (8, 5)
    assert m.person().spotted


def test_agents_see_each_other_within_four(mission: Any) -> None:
    m = mission(1, 2, faithful=False)
    for cell, visible in (((13, 14), True), ((12, 14), False), ((14, 11), False), ((15, 11), True)):
        m.put(0, cell)
        m.do()
        assert ("Bob" in m.seen["Alice"].names) is visible, cell
        assert ("Alice" in m.seen["Bob"].names) is visible, cell
        assert m.first("NavigateTo(Bob)").success is visible


def test_regions_are_visible_while_they_show_fire(mission: Any) -> None:
    """G2, D10: the maximum over the cell and its neighbours."""
    m = mission(1, 1, faithful=False)
    m.idle(10)
    shown = m.state.fires[1].shown
    assert max(shown) == 2
    assert min(shown) == 1
    names = [n for n in m.seen["Alice"].names if n.startswith("GreatFire_Region")]
    assert len(names) == len(shown)


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_no_person_is_in_sight_at_the_start(number: int) -> None:
    world = make(number, 8)
    for seed in range(3):
        world.reset(seed)
        assert not any(p.spotted for p in world.state.persons)


# Explore.


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ((0, 0), {(1, 0), (0, 1), (1, 1)}),
        ((29, 29), {(-1, 0), (0, -1), (-1, -1)}),
        # Clipping at 30, not 29: from x = 15 both ways have room, and from 16 only Left.
        (
            (15, 15),
            {(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)},
        ),
        ((16, 0), {(-1, 0), (0, 1), (-1, 1), (1, 1)}),
        ((16, 29), {(-1, 0), (0, -1), (-1, -1), (1, -1)}),
    ],
)
def test_room_test_of_h7(cell: tuple[int, int], expected: set[tuple[int, int]]) -> None:
    assert set(legal_directions(*cell, 30, 30)) == expected


def test_every_cell_has_a_direction_on_any_grid() -> None:
    for width, height in ((30, 30), (5, 5), (5, 40), (100, 100)):
        for x in range(width):
            for y in range(height):
                assert legal_directions(x, y, width, height)


def test_unit_moves() -> None:
    assert unit_moves(1, 0) == "R" * 20
    assert unit_moves(0, -1) == "U" * 20
    assert unit_moves(-1, 1) == "LD" * 10


def test_blocked_moves_are_skipped_and_the_rest_still_tried(mission: Any) -> None:
    m = mission(1, 2)
    m.put(0, (2, 15))
    m.put(1, (3, 16))
    m.world.replay_step(["Explore()", "Idle"], {0: "RD" * 10})
    entry = m.world.snapshot()["agents"][0]
    # Bob is in the way of the first move down, and of no later one.
    assert entry["moved"] == "10" + "1" * 18
    assert m.at(0) == (12, 24)
    assert entry["ok"]


def test_explore_fails_only_if_no_unit_move_worked(mission: Any) -> None:
    m = mission(1, 2)
    m.put(0, (0, 0))
    m.put(1, (1, 0))
    m.world.replay_step(["Explore()", "Idle"], {0: "R" * 20})
    entry = m.world.snapshot()["agents"][0]
    assert (entry["ok"], entry["err"], entry["moved"]) == (False, "", "0" * 20)
    m.world.replay_step(["Explore()", "Idle"], {0: "R" * 19 + "D"})
    assert m.world.snapshot()["agents"][0]["ok"]


def test_explore_never_stands_on_its_own_start_in_vain(mission: Any) -> None:
    """Forced moves may come back: the own start cell is free meanwhile."""
    m = mission(1, 1)
    m.world.replay_step(["Explore()"], {0: "LRLR"})
    assert m.world.snapshot()["agents"][0]["moved"] == "1111"
    assert m.at(0) == (9, 7)
    assert m.state.blocked[m.state.grid.index((9, 7))] == 1
    assert m.state.blocked[m.state.grid.index((8, 7))] == 0


def test_explore_directions_follow_the_seed_and_reach_every_way(mission: Any) -> None:
    ways = set()
    for seed in range(60):
        ends = []
        for _ in range(2):
            m = mission(1, 1, seed=seed, faithful=False)
            m.put(0, (15, 15))
            m.first("Explore()")
            ends.append(m.at(0))
        assert ends[0] == ends[1]
        ways.add(ends[0])
    assert len(ways) == 8


def test_person_load_one_is_a_marked_variant() -> None:
    world = make(1, 1, person_load=1)
    assert world.settings()["person_load"] == 1
    world.reset(0)
    state = world.state
    state.go(0, state.grid.index((8, 20)))
    state.spot(state.grid.index((8, 20)))
    for text in (f"Carry({TIMMY})", "NavigateTo(DepositFacility)", DROP):
        outcome = world.step({"Alice": read_action_text(text)}).outcomes["Alice"]
        assert outcome.success, text
    assert DROP in world.score().completed
    assert load_scene(1).persons[0].load == 2
