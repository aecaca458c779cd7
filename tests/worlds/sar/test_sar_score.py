"""Subtasks, coverage, transport and success (section K)."""

from __future__ import annotations

from typing import Any

import pytest

from mosaic_planner.worlds.sar import make
from mosaic_planner.worlds.sar.scene import load_scene, scene_to_data


@pytest.mark.parametrize(
    ("number", "subtasks", "entries"), [(1, 15, 6), (2, 15, 6), (3, 18, 7), (4, 10, 4), (5, 14, 5)]
)
def test_sizes_of_section_l(number: int, subtasks: int, entries: int) -> None:
    world = make(number, 2)
    score = world.score()
    assert (score.total, score.coverage_total) == (subtasks, entries)
    assert (score.completed, score.covered, score.mentioned) == ((), (), ())
    assert len(world.static()["subtasks"]) == subtasks
    assert len(world.static()["coverage"]) == entries


def test_unneeded_reservoirs_are_in_neither_list() -> None:
    for number, name in ((4, "ReservoirLibre"), (5, "ReservoirUtah")):
        static = make(number, 2).static()
        assert not [t for t in (*static["subtasks"], *static["coverage"]) if name in t]
        assert name in static["reservoirs"]


def test_only_navigation_counts_as_reaching(mission: Any) -> None:
    """Rule K10."""
    m = mission(1, 1)
    m.put(0, (14, 5))
    m.first("GetSupply(ReservoirUtah)")
    assert m.done() == {"GetSupply(ReservoirUtah)"}
    m.first("NavigateTo(ReservoirUtah)")
    assert m.done() == {"GetSupply(ReservoirUtah)", "NavigateTo(ReservoirUtah)"}


def test_region_numbers_are_cut_and_failures_earn_nothing(mission: Any) -> None:
    m = mission(1, 1)
    m.first("UseSupply(CaldorFire_Region_1, Sand)")
    assert m.done() == set()
    m.first("NavigateTo(CaldorFire_Region_1)")
    assert m.done() == {"NavigateTo(CaldorFire)"}
    m.give(0, sand=1)
    m.first("UseSupply(CaldorFire_Region_1, Sand)")
    assert "UseSupply(CaldorFire, Sand)" in m.done()


def test_coverage_by_mention_and_by_success(mission: Any) -> None:
    """Rule K4 and N4."""
    m = mission(1, 1)
    m.first("Carry(LostPersonTimmy)")
    m.first("UseSupply(GreatFire_Region_7, Water)")
    m.first("NavigateTo(DepositFacility)")
    score = m.world.score()
    assert score.mentioned == ("DepositFacility", "GreatFire", "LostPersonTimmy")
    assert score.covered == ("DepositFacility",)
    assert m.world.snapshot()["metrics"]["coverage"] == 0.5
    ours = mission(1, 1, faithful=False)
    ours.first("Carry(LostPersonTimmy)")
    ours.first("NavigateTo(DepositFacility)")
    metrics = ours.world.snapshot()["metrics"]
    assert metrics["coverage"] == round(1 / 6, 6)
    assert metrics["new_cov"] == ["DepositFacility"]


def test_a_promoted_drop_earns_no_credit(mission: Any) -> None:
    """K2 uses the unpromoted flag."""
    m = mission(5, 4)
    cells = ((17, 4), (18, 3), (23, 6), (24, 5))
    for agent, cell in enumerate(cells):
        m.put(agent, cell)
    jacob, zoe = "LostPersonJacob", "LostPersonZoe"
    m.do(f"Carry({jacob})", f"Carry({jacob})", f"Carry({zoe})", f"Carry({zoe})")
    m.do(*["NavigateTo(DepositFacility)"] * 4)
    drop = "DropOff(DepositFacility, {})"
    outcomes = m.do(drop.format(jacob), drop.format(jacob), drop.format(zoe))
    assert [o.success for o in outcomes[:3]] == [True] * 3
    assert drop.format(jacob) in m.done()
    assert drop.format(zoe) not in m.done()
    assert m.state.carrying[2] == 1


def test_success_is_all_subtasks(mission: Any) -> None:
    m = mission(4, 2, seed=0)
    scorer = m.world._scorer
    for text in scorer.subtasks[:-1]:
        scorer.completed[text] = None
    assert not m.world.score().success
    scorer.completed[scorer.subtasks[-1]] = None
    assert m.world.score().success
    assert m.world.snapshot()["metrics"]["transport"] == 1.0


def test_several_sites_of_one_kind_stand_for_each_other() -> None:
    data = scene_to_data(load_scene(4))
    data["reservoirs"].append({"name": "ReservoirSecond", "type": "A", "at": [1, 1]})
    data["deposits"].append({"name": "DepositSecond", "at": [2, 28]})
    world = make(data, 2)
    assert world.score().total == 10
    state = world.state
    from mosaic_planner.worlds.sar.command import read_action_text

    def both(text: str) -> None:
        world.step(dict.fromkeys(world.agents, read_action_text(text)))

    both("NavigateTo(ReservoirSecond)")
    both("GetSupply(ReservoirSecond)")
    assert world.score().completed == ("GetSupply(ReservoirTaj)", "NavigateTo(ReservoirTaj)")
    assert world.score().covered == ("ReservoirTaj",)
    for person in state.persons:
        person.spotted = True
    both("NavigateTo(LostPersonThomas)")
    both("Carry(LostPersonThomas)")
    both("NavigateTo(DepositSecond)")
    both("DropOff(DepositSecond, LostPersonThomas)")
    assert "DropOff(DepositFacility, LostPersonThomas)" in world.score().completed
    assert state.stores == [[0, 0, 0], [0, 0, 1]]
