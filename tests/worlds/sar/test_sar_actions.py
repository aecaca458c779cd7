"""Actions on supplies and cells (sections E and H), and malformed ones (section O)."""

from __future__ import annotations

from typing import Any

import pytest

from mosaic_planner.core.action import DONE, IDLE, Action
from mosaic_planner.core.errors import UsageError
from mosaic_planner.worlds.sar import make


def test_navigating_again_moves_to_another_neighbour(mission: Any) -> None:
    """Q4 and H5: the agent's own cell counts as blocked."""
    m = mission(1, 2)
    for cell in ((14, 5), (15, 4), (14, 5)):
        assert m.first("NavigateTo(ReservoirUtah)").success
        assert m.at(0) == cell
    outcomes = [m.first("GetSupply(ReservoirUtah)") for _ in range(4)]
    assert [o.success for o in outcomes] == [True, True, True, False]
    assert outcomes[3].error_kind == ""


def test_first_choices_around_a_blocking_target(mission: Any) -> None:
    """H5: Left, Up, Down, Right, then the diagonals, then farther."""
    m = mission(1, 6)
    landed = []
    for agent in range(6):
        m.do(*["Idle"] * agent, "NavigateTo(DepositFacility)")
        landed.append(m.at(agent))
    assert landed == [(22, 12), (23, 11), (23, 13), (24, 12), (22, 11), (22, 13)]


def test_regions_are_entered_exactly_and_farther_ones_deflect(mission: Any) -> None:
    m = mission(1, 2)
    m.do("NavigateTo(GreatFire_Region_1)", "NavigateTo(GreatFire_Region_1)")
    assert m.at(0) == (22, 18)
    assert m.at(1) == (21, 18)
    again = m.first("NavigateTo(GreatFire_Region_1)")
    assert again.success
    assert m.at(0) == (22, 18)
    assert again.agent_steps == 0


def test_a_fire_stands_for_its_anchor(mission: Any) -> None:
    m = mission(4, 2, seed=0)
    m.first("NavigateTo(RedFire)")
    assert m.at(0) == (17, 11)


def test_navigation_fails_when_every_cell_near_is_taken(mission: Any) -> None:
    m = mission(1, 2)
    x, y = 22, 18
    for dx in range(-2, 3):
        for dy in range(-2, 3):
            if abs(dx) + abs(dy) <= 2:
                m.state.blocked[m.state.grid.index((x + dx, y + dy))] += 1
    outcome = m.first("NavigateTo(GreatFire_Region_1)")
    assert (outcome.success, outcome.error_kind, outcome.agent_steps) == (False, "", 0)


def test_navigation_keeps_to_half_the_radius_and_to_the_grid(mission: Any) -> None:
    """H4: the window is half the radius, and cells off the grid are none."""
    m = mission(1, 2)
    m.put(1, (0, 0))
    m.put(0, (3, 0))
    m.first("NavigateTo(Bob)")
    assert m.at(0) == (0, 1)


@pytest.mark.parametrize(
    ("direction", "cell"),
    [("Up", (9, 6)), ("Down", (9, 8)), ("Left", (8, 7)), ("Right", (10, 7)), ("Center", (9, 7))],
)
def test_moves(mission: Any, direction: str, cell: tuple[int, int]) -> None:
    m = mission(1, 2)
    outcome = m.first(f"Move({direction})")
    assert outcome.success
    assert outcome.agent_steps == 1
    assert m.at(0) == cell


def test_moves_off_the_grid_and_into_others_fail_with_an_empty_kind(mission: Any) -> None:
    m = mission(1, 3)
    m.put(0, (0, 0))
    for direction in ("Up", "Left"):
        outcome = m.first(f"Move({direction})")
        assert (outcome.success, outcome.error_kind) == (False, "")
    m.put(0, (15, 15))
    assert not m.first("Move(Right)").success  # Charlie
    m.put(0, (14, 5))
    assert not m.first("Move(Right)").success  # the reservoir
    m.put(0, (8, 21))
    assert not m.first("Move(Down)").success  # the person, found or not
    m.put(0, (4, 5))
    assert m.first("Move(Right)").success  # flammable cells never block


def test_move_knows_only_the_five_directions(mission: Any) -> None:
    """H3 (odd) and O1."""
    m = mission(1, 1, faithful=False)
    for text in ("Move(North)", "Move(up)", "Move()"):
        assert m.first(text).error_kind == "not_visible"
    for text in ("Move(UpLeft)", "Move(RightDown)", "Move(Up, Up)"):
        assert m.first(text).error_kind == "malformed"
    assert m.at(0) == (9, 7)


def test_supplies_mix_up_to_three_units(mission: Any) -> None:
    m = mission(1, 1)
    m.put(0, (16, 7))  # within 4 of both reservoirs
    for text, success, held in (
        ("GetSupply(ReservoirUtah)", True, (1, 0, 0)),
        ("GetSupply(ReservoirYork)", True, (1, 1, 0)),
        ("GetSupply(ReservoirYork)", True, (1, 2, 0)),
        ("GetSupply(ReservoirUtah)", False, (1, 2, 0)),
        ("ClearInventory()", True, (0, 0, 0)),
        ("ClearInventory()", True, (0, 0, 0)),
    ):
        assert m.first(text).success is success
        assert m.state.inventory(0) == held


def test_range_of_four_is_euclidean(mission: Any) -> None:
    m = mission(1, 1)
    m.put(0, (15, 9))
    assert m.first("GetSupply(ReservoirUtah)").success
    m.put(0, (12, 8))
    outcome = m.first("GetSupply(ReservoirUtah)")
    assert outcome.error_kind == "not_interactable"


def test_deposits_store_and_give_what_fits(mission: Any) -> None:
    m = mission(1, 2)
    for agent, cell in ((0, (23, 10)), (1, (24, 10))):
        m.put(agent, cell)
        m.give(agent, sand=2, water=1)
    assert m.first("StoreSupply(DepositFacility)").success
    assert m.do("Idle", "StoreSupply(DepositFacility)")[1].success
    assert m.first("StoreSupply(DepositFacility)").success  # nothing to store is fine (H10)
    assert m.state.stores[0] == [4, 2, 0]
    m.give(0, water=1)
    assert m.first("GetSupply(DepositFacility, Sand)").success
    assert m.state.inventory(0) == (2, 1, 0)
    full = m.first("GetSupply(DepositFacility, Water)")
    assert (full.success, full.error_kind) == (False, "")
    assert m.do("Idle", "GetSupply(DepositFacility, water)")[1].success  # lower case works (O1)
    assert m.state.inventory(1) == (0, 2, 0)
    empty = m.do("Idle", "GetSupply(DepositFacility, Water)")[1]
    assert (empty.success, empty.error_kind) == (False, "")
    m.put(0, (9, 7))
    for text in ("StoreSupply(DepositFacility)", "GetSupply(DepositFacility, Sand)"):
        assert m.first(text).error_kind == "not_interactable"


def burning(m: Any, fire: int = 0) -> int:
    return sum(level > 0 for level in m.state.fires[fire].levels)


def test_a_use_hits_the_block_around_the_agent_not_the_named_region(mission: Any) -> None:
    m = mission(4, 1, seed=5)
    fire = m.state.fires[0]
    lit = [m.state.grid.cells[c] for c in fire.region_cells[:3]]
    m.put(0, lit[0])
    m.give(0, sand=3)
    assert m.first("UseSupply(RedFire_Region_3, Sand)").success
    assert m.state.inventory(0) == (2, 0, 0)
    assert burning(m) == 2
    assert fire.shown[0] == 0
    # Its region is out and cannot be named any more, the fire can; and no cell need burn.
    assert m.first("UseSupply(RedFire_Region_1, Sand)").error_kind == "not_visible"
    assert m.first("UseSupply(RedFire, Sand)").success
    assert m.state.inventory(0) == (1, 0, 0)
    assert burning(m) == 2


def test_two_sources_can_be_hit_from_between_them(mission: Any) -> None:
    """Q1: CaldorFire's sources at seed 0 are (6, 4) and (4, 6); (5, 5) touches both."""
    m = mission(1, 1)
    m.put(0, (5, 5))
    m.give(0, sand=1)
    assert m.first("UseSupply(CaldorFire, Sand)").success
    assert burning(m) == 0
    assert "EndFire(CaldorFire)" in m.done()


def test_a_source_is_low_until_step_eight_and_medium_from_step_nine(mission: Any) -> None:
    for idle, left in ((7, 0), (8, 1)):
        m = mission(1, 1)
        m.put(0, (22, 18))
        m.give(0, water=3)
        m.idle(idle)
        m.first("UseSupply(GreatFire, Water)")
        assert burning(m, 1) == left
    m.first("UseSupply(GreatFire, Water)")  # the second hit, in step 10, prevents the spread
    m.idle(30)
    assert burning(m, 1) == 0


def test_one_hit_by_step_ten_prevents_the_first_spread(mission: Any) -> None:
    m = mission(1, 1)
    m.put(0, (22, 18))
    m.give(0, water=3)
    m.idle(9)
    m.first("UseSupply(GreatFire, Water)")
    assert burning(m, 1) == 1


def test_use_fails_for_the_reasons_of_h9_in_order(mission: Any) -> None:
    m = mission(1, 1, faithful=False)
    outcome = m.first("UseSupply(CaldorFire, Sand)")
    assert outcome.error_kind == "not_interactable"
    assert outcome.reason.startswith("not close enough to the anchor of CaldorFire: distance")
    m.put(0, (5, 5))
    outcome = m.first("UseSupply(CaldorFire, Sand)")
    assert (outcome.error_kind, outcome.reason) == ("", "it holds no Sand")
    m.give(0, water=2)
    outcome = m.first("UseSupply(CaldorFire, Water)")
    assert (outcome.success, outcome.error_kind) == (False, "")
    assert "the unit is lost" in outcome.reason
    assert m.state.inventory(0) == (0, 1, 0)
    # In range of the anchor (4, 6), but no cell of the fire within reach: the unit is lost too.
    m.give(0, sand=2)
    m.put(0, (4, 10))
    assert not m.first("UseSupply(CaldorFire, Sand)").success
    assert m.state.inventory(0) == (1, 0, 0)
    # A corner that touches the fire only diagonally is enough.
    m.put(0, (8, 8))
    outcome = m.first("UseSupply(CaldorFire, Sand)")
    assert outcome.error_kind == "not_interactable"


def test_some_cells_of_a_large_fire_are_out_of_range(mission: Any) -> None:
    """Section N: 9 to 17 of 79 in scene 4, 0 to 1 of 47, 0 to 2 of 27."""
    counts: dict[int, set[int]] = {27: set(), 47: set(), 79: set()}
    for number in (1, 2, 4, 5):
        for seed in (0, 10, 20, 30, 40, 42):  # rule M5
            state = mission(number, 1, seed=seed).state
            for fire in state.fires:
                far = sum(state.distance2(c, fire.anchor) > fire.reach**2 for c in fire.cells)
                if len(fire.cells) in counts:
                    counts[len(fire.cells)].add(far)
    assert (min(counts[79]), max(counts[79])) == (9, 17)
    assert (min(counts[47]), max(counts[47])) == (0, 1)
    assert (min(counts[27]), max(counts[27])) == (0, 2)


def test_wrong_kinds_of_visible_objects_fail_with_an_empty_kind(mission: Any) -> None:
    """Rule H14."""
    m = mission(1, 2)
    m.spot()
    m.put(1, (9, 8))
    for text in (
        "Carry(ReservoirUtah)",
        "Carry(Bob)",
        "Carry(CaldorFire_Region_1)",
        "UseSupply(DepositFacility, Water)",
        "UseSupply(Bob, Sand)",
        "StoreSupply(ReservoirUtah)",
        "StoreSupply(CaldorFire)",
        "DropOff(ReservoirUtah, LostPersonTimmy)",
        "DropOff(DepositFacility, ReservoirUtah)",
        "DropOff(LostPersonTimmy, DepositFacility)",
    ):
        outcome = m.first(text)
        assert (outcome.success, outcome.error_kind) == (False, ""), text


def test_what_is_not_visible_cannot_be_named(mission: Any) -> None:
    m = mission(1, 2)
    for text in (
        "NavigateTo(LostPersonTimmy)",
        "Carry(LostPersonTimmy)",
        "DropOff(DepositFacility, LostPersonTimmy)",
        "DropOff(LostPersonTimmy, DepositFacility)",
        "NavigateTo(CaldorFire_Region_4)",
        "UseSupply(CaldorFire_Region_4, Sand)",
        "NavigateTo(Bob)",
        "NavigateTo(Alice)",
        "GetSupply(LostPersonTimmy)",
    ):
        assert m.first(text).error_kind == "not_visible", text


MALFORMED = [
    "",
    "wait",
    "Fly(ReservoirUtah)",
    "navigateto(ReservoirUtah)",
    "Idle()",
    "Done()",
    "Explore(Left)",
    "ClearInventory(Sand)",
    "NoOp(1)",
    "NavigateTo()",
    "NavigateTo(ReservoirUtah, ReservoirYork)",
    "NavigateTo(ReservoirUtah",
    "Carry()",
    "DropOff(DepositFacility)",
    "StoreSupply()",
    "StoreSupply(DepositFacility, Sand)",
    "UseSupply(CaldorFire)",
    "UseSupply(Sand)",
    "UseSupply(CaldorFire,Sand)",
    "UseSupply(CaldorFire, Foam)",
    "GetSupply()",
    "GetSupply(DepositFacility)",
    "GetSupply(DepositFacility, Foam)",
    "GetSupply(ReservoirUtah, Sand)",
    "GetSupply(CaldorFire)",
    "GetSupply(CaldorFire, Sand)",
    "Move(UpRight)",
    "__import__('os')",
    "NavigateTo(" * 50,
]


@pytest.mark.parametrize("faithful", [False, True])
@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_actions_fail_and_cost_the_step(mission: Any, text: str, faithful: bool) -> None:
    """Rule O2."""
    m = mission(1, 2, faithful=faithful)
    before = m.state.updates
    outcome = m.first(text)
    assert (outcome.success, outcome.error_kind, outcome.idle) == (False, "malformed", False)
    assert m.state.updates == before + 1
    assert m.seen["Alice"].failures_text == str(outcome.action)
    assert m.seen["Alice"].feedback.endswith("failed: not a known action")


@pytest.mark.parametrize(
    "text",
    [
        "NavigateTo(Atlantis)",
        "NavigateTo(reservoirutah)",
        "Carry(LostPersonNobody)",
        "StoreSupply(DepositNowhere)",
        "UseSupply(CaldorFire_Region_99, Sand)",
        "GetSupply(ReservoirNone)",
        "DropOff(DepositNowhere, LostPersonTimmy)",
        "DropOff(DepositFacility, LostPersonNobody)",
    ],
)
def test_unknown_objects_are_not_visible(mission: Any, text: str) -> None:
    m = mission(1, 2, faithful=False)
    m.spot()
    outcome = m.first(text)
    assert (outcome.success, outcome.error_kind) == (False, "not_visible")
    assert "nothing called" in outcome.reason


def test_the_reference_lets_an_unknown_person_be_dropped_with_an_empty_kind(mission: Any) -> None:
    """Rule O1, switch `reference_errors`."""
    m = mission(1, 2, faithful=False, reference_errors=True)
    assert m.first("DropOff(DepositFacility, LostPersonNobody)").error_kind == ""
    assert m.first("DropOff(DepositNowhere, LostPersonNobody)").error_kind == "not_visible"


def test_a_person_is_no_supply(mission: Any) -> None:
    """O1: an assertion in the reference, but only in range."""
    m = mission(1, 1)
    for text in ("UseSupply(CaldorFire, Person)", "GetSupply(DepositFacility, Person)"):
        assert m.first(text).error_kind == "not_interactable"
    m.put(0, (5, 5))
    assert m.first("UseSupply(CaldorFire, Person)").error_kind == "malformed"
    m.put(0, (23, 11))
    assert m.first("GetSupply(DepositFacility, Person)").error_kind == "malformed"


def test_lower_case_supplies_work_without_credit(mission: Any) -> None:
    m = mission(1, 1)
    m.put(0, (5, 5))
    m.give(0, sand=2)
    assert m.first("UseSupply(CaldorFire, sand)").success
    assert "UseSupply(CaldorFire, Sand)" not in m.done()
    assert m.first("UseSupply(CaldorFire, Sand)").success
    assert "UseSupply(CaldorFire, Sand)" in m.done()


def test_idle_noop_and_done_always_succeed_and_count_as_idle(mission: Any) -> None:
    m = mission(1, 3)
    for outcome in m.do("Idle", "NoOp()", "Done"):
        assert outcome.success
        assert outcome.idle
        assert outcome.agent_steps == 0


def test_agent_steps_of_rule_k9(mission: Any) -> None:
    m = mission(1, 1, faithful=False)
    for text, steps in (
        ("NavigateTo(ReservoirUtah)", 7),  # (9, 7) to (14, 5)
        ("GetSupply(ReservoirUtah)", 1),
        ("GetSupply(DepositFacility, Sand)", 1),  # failed
        ("NavigateTo(LostPersonTimmy)", 0),  # not visible: nothing moved
        ("Explore()", 20),
        ("Move(Center)", 1),
        ("Idle", 0),
        ("Fly()", 1),
    ):
        assert m.first(text).agent_steps == steps, text


def test_a_step_needs_an_action_for_every_agent() -> None:
    world = make(1, 2)
    with pytest.raises(UsageError, match="no action for Bob"):
        world.step({"Alice": IDLE})


def test_actions_made_up_by_models_never_raise() -> None:
    world = make(1, 2)
    for action in (
        Action("NavigateTo", ("",)),
        Action("", ()),
        Action("UseSupply", ("CaldorFire", "SAND")),
        Action("DropOff", ("a", "b", "c")),
        Action("Carry", ("LostPersonTimmy; DROP TABLE",)),
        Action("Move", ("\n",)),
        Action("SendMessage", ("Bob", "the CaldorFire burns")),
    ):
        world.step({"Alice": action, "Bob": DONE})
