"""Fire geometry (section C), dynamics (section D) and their figures (Q1 to Q3)."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic_planner.worlds.sar.fire import (
    LEVELS,
    Fire,
    FireShape,
    disc_cells,
    disc_radius,
    plan_fire,
)
from mosaic_planner.worlds.sar.grid import Grid
from mosaic_planner.worlds.sar.scene import FireSpec, load_scene

GRID = Grid(30, 30)


def fire_named(name: str, seed: int) -> Fire:
    for number in range(1, 6):
        for spec in load_scene(number).fires:
            if spec.name == name:
                return Fire(plan_fire(spec, random.Random(seed)), FireShape(spec, GRID))
    raise AssertionError(name)


@pytest.mark.parametrize(
    ("box", "radius", "reach", "cells"),
    [(5, 2.5375, 3, 21), (6, 3.0450, 4, 27), (8, 4.0601, 5, 47), (10, 5.0751, 6, 79)],
)
def test_disc_sizes_of_rule_c2(box: int, radius: float, reach: int, cells: int) -> None:
    assert disc_radius(box) == pytest.approx(radius, abs=5e-5)
    assert math.ceil(disc_radius(box)) == reach
    assert len(disc_cells(box, (0, 0))) == cells


def test_even_discs_are_cut_off_at_the_right_and_bottom() -> None:
    cells = set(disc_cells(6, (2, 2)))
    assert (2, 5) in cells
    assert (8, 5) not in cells
    assert (5, 2) in cells
    assert (5, 8) not in cells


@pytest.mark.parametrize(
    ("scene", "fire", "centre", "cells"),
    [
        (1, "CaldorFire", (5, 5), 27),
        (1, "GreatFire", (22, 18), 21),
        (2, "EnglandFire", (6, 14), 47),
        (2, "TownFire", (18, 19), 47),
        (3, "EmberFire", (4, 12), 21),
        (3, "AgniFire", (16, 17), 21),
        (3, "DowntownFire", (25, 22), 21),
        (4, "RedFire", (16, 9), 79),
        (5, "SussexFire", (18, 24), 27),
    ],
)
def test_fires_of_section_l(scene: int, fire: str, centre: tuple[int, int], cells: int) -> None:
    spec = next(f for f in load_scene(scene).fires if f.name == fire)
    assert (spec.at[0] + spec.box // 2, spec.at[1] + spec.box // 2) == centre
    assert len(disc_cells(spec.box, spec.at)) == cells


LAYOUTS = {
    "CaldorFire": {
        0: ([(6, 4), (4, 6)], (4, 6)),
        10: ([(4, 5), (6, 5)], (6, 5)),
        20: ([(6, 4), (4, 6)], (6, 4)),
        30: ([(4, 5), (6, 5)], (6, 5)),
        40: ([(4, 5), (6, 5)], (4, 5)),
        42: ([(4, 4), (6, 6)], (4, 4)),
    },
    "EnglandFire": {
        0: ([(7, 13)], (7, 13)),
        10: ([(5, 14)], (5, 14)),
        20: ([(7, 13)], (7, 13)),
        30: ([(5, 14)], (5, 14)),
        40: ([(5, 14)], (5, 14)),
        42: ([(5, 13)], (5, 13)),
    },
    "TownFire": {
        0: ([(19, 18), (17, 20)], (17, 20)),
        10: ([(17, 19), (19, 19)], (19, 19)),
        20: ([(19, 18), (17, 20)], (19, 18)),
        30: ([(17, 19), (19, 19)], (19, 19)),
        40: ([(17, 19), (19, 19)], (17, 19)),
        42: ([(17, 18), (19, 20)], (17, 18)),
    },
    "RedFire": {
        0: ([(17, 7), (14, 9), (17, 11)], (17, 11)),
        10: ([(14, 8), (18, 8), (16, 11)], (18, 8)),
        20: ([(14, 8), (18, 8), (16, 11)], (14, 8)),
        30: ([(18, 7), (14, 9), (16, 11)], (18, 7)),
        40: ([(16, 7), (14, 9), (18, 11)], (18, 11)),
        42: ([(15, 7), (18, 9), (15, 11)], (15, 7)),
    },
    "SussexFire": {
        0: ([(19, 23)], (19, 23)),
        10: ([(17, 24)], (17, 24)),
        20: ([(19, 23)], (19, 23)),
        30: ([(17, 24)], (17, 24)),
        40: ([(17, 24)], (17, 24)),
        42: ([(17, 23)], (17, 23)),
    },
}


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("seed", [0, 10, 20, 30, 40, 42])
def test_lit_cells_and_anchors_of_q2(name: str, seed: int) -> None:
    lit, anchor = LAYOUTS[name][seed]
    plan = fire_named(name, seed).plan
    assert list(plan.regions[: len(lit)]) == lit
    assert sorted(plan.lit, key=lambda c: (c[1], c[0])) == lit
    assert plan.anchor == anchor


@pytest.mark.parametrize(
    ("name", "centre"), [("GreatFire", (22, 18)), ("AgniFire", (16, 17)), ("EmberFire", (4, 12))]
)
@pytest.mark.parametrize("seed", range(12))
def test_small_fires_start_in_their_centre(name: str, centre: tuple[int, int], seed: int) -> None:
    plan = fire_named(name, seed).plan
    assert plan.lit == (centre,)
    assert plan.anchor == centre


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_regions_cover_the_disc_and_extra_ones_are_apart(number: int, seed: int) -> None:
    """Rule C6."""
    for spec in load_scene(number).fires:
        plan = plan_fire(spec, random.Random(seed))
        covered = {
            (x + dx, y + dy) for x, y in plan.regions for dx in (-1, 0, 1) for dy in (-1, 0, 1)
        }
        assert covered.issuperset(disc_cells(spec.box, spec.at))
        assert len(plan.lit) == spec.lit
        for i, (x, y) in enumerate(plan.regions):
            if i >= spec.lit:
                before = plan.regions[:i]
                assert all(max(abs(x - a), abs(y - b)) > 1 for a, b in before)


def test_region_counts_of_q3_over_other_processes() -> None:
    """N1: shuffling stands in for the reference's memory addresses."""
    ranges = {
        "CaldorFire": (5, 6),
        "GreatFire": (5, 7),
        "EnglandFire": (9, 13),
        "TownFire": (9, 13),
        "EmberFire": (5, 7),
        "RedFire": (16, 20),
        "SussexFire": (5, 8),
    }
    for number in range(1, 6):
        for spec in load_scene(number).fires:
            if spec.name not in ranges:
                continue
            plans = [plan_fire(spec, random.Random(0), shuffle) for shuffle in range(30)]
            counts = [len(p.regions) for p in plans]
            low, high = ranges[spec.name]
            # The figures are of one sample of 30 processes; ours is another, so one more is let.
            assert low - 1 <= min(counts)
            assert max(counts) <= high + 1
            assert len({p.regions for p in plans}) >= 15
            assert {p.anchor for p in plans} == {plans[0].anchor}


GROWTH = {
    "CaldorFire": ((2, "Low"), (17, "Low"), (25, "Medium"), (27, "High"), (27, "High")),
    "GreatFire": ((1, "Low"), (9, "Low"), (21, "Low"), (21, "High"), (21, "High")),
    "EnglandFire": ((1, "Low"), (9, "Low"), (24, "Low"), (36, "Medium"), (46, "Medium")),
    "TownFire": ((2, "Low"), (17, "Low"), (39, "Low"), (47, "High"), (47, "High")),
    "EmberFire": ((1, "Low"), (9, "Low"), (21, "Low"), (21, "High"), (21, "High")),
    "AgniFire": ((1, "Low"), (9, "Low"), (21, "Low"), (21, "High"), (21, "High")),
    "DowntownFire": ((1, "Low"), (9, "Low"), (21, "Low"), (21, "High"), (21, "High")),
    "RedFire": ((3, "Low"), (27, "Low"), (60, "Low"), (77, "Medium"), (79, "High")),
    "SussexFire": ((1, "Low"), (9, "Low"), (17, "Low"), (26, "Medium"), (27, "High")),
}
AT_40 = {"EnglandFire": (46, "High")}


@pytest.mark.parametrize("name", GROWTH)
def test_idle_growth_of_q1(name: str) -> None:
    fire = fire_named(name, 0)
    seen = {}
    for step in range(1, 41):
        if step % 2 == 0:  # rule D2
            fire.tick()
        seen[step] = (sum(level > 0 for level in fire.levels), LEVELS[fire.average])
    for step, expected in zip((8, 10, 20, 30, 35), GROWTH[name], strict=True):
        assert seen[step] == expected, step
    assert seen[40] == AT_40.get(name, GROWTH[name][-1])


def test_an_untouched_cell_grows_as_rule_d5_says() -> None:
    fire = fire_named("GreatFire", 0)
    centre = fire.where[fire.anchor]
    levels = []
    for _ in range(12):
        fire.tick()
        levels.append(fire.levels[centre])
    assert levels == [1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 3, 3]


def test_cells_lit_in_a_pass_do_not_spread_in_it() -> None:
    fire = fire_named("GreatFire", 0)
    for _ in range(5):
        fire.tick()
    assert sum(level > 0 for level in fire.levels) == 9
    spread_at = 5
    for tick in range(spread_at + 1, spread_at + 4):
        fire.tick()
        assert sum(level > 0 for level in fire.levels) == 9, tick
    fire.tick()
    assert sum(level > 0 for level in fire.levels) == 21


def test_a_cell_that_goes_out_keeps_its_clock_and_burns_up_sooner() -> None:
    """Rule D6 (odd)."""
    fire = fire_named("GreatFire", 0)
    centre = fire.where[fire.anchor]
    corner = fire.where[GRID.index((21, 17))]
    for _ in range(7):
        fire.tick()
    assert (fire.levels[corner], fire.clocks[corner]) == (1, 3)
    fire.reduce([corner])
    assert (fire.levels[corner], fire.clocks[corner]) == (0, 3)
    fire.reduce([corner])
    assert (fire.levels[corner], fire.clocks[corner]) == (0, 3)
    fire.tick()  # relit by its neighbour, and Medium in the same tick
    assert fire.levels[corner] == 2
    assert fire.levels[centre] == 3


def test_reduced_cells_start_again_with_clock_zero() -> None:
    """Rules D6 and D7: 7 ticks from Medium to High, 4 from Low to Medium."""
    fire = fire_named("GreatFire", 0)
    centre = fire.where[fire.anchor]
    for _ in range(7):
        fire.tick()
    fire.reduce([centre])
    assert (fire.levels[centre], fire.clocks[centre]) == (2, 0)
    grown = [tick for tick in range(1, 9) if (fire.tick(), fire.levels[centre])[1] == 3]
    assert grown[0] == 7
    fire.reduce([centre])
    fire.reduce([centre])
    assert (fire.levels[centre], fire.clocks[centre]) == (1, 0)
    grown = [tick for tick in range(1, 9) if (fire.tick(), fire.levels[centre])[1] == 2]
    assert grown[0] == 4


def test_a_fire_that_is_out_stays_out() -> None:
    """Rule D8."""
    fire = fire_named("RedFire", 0)
    fire.reduce(list(range(len(fire.cells))))
    assert fire.average == 0
    for _ in range(20):
        fire.tick()
    assert not any(fire.levels)
    assert fire.shown == (0,) * len(fire.shown)


class PlainFire:
    """Section D cell by cell, as slow and as literal as it is written."""

    def __init__(self, fire: Fire) -> None:
        self.cells = [GRID.cells[c] for c in fire.cells]
        self.level = {c: int(level) for c, level in zip(self.cells, fire.levels, strict=True)}
        self.clock = dict.fromkeys(self.cells, 0)

    def near(self, cell: tuple[int, int]) -> list[tuple[int, int]]:
        x, y = cell
        around = [(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
        return [c for c in around if c in self.level]

    def tick(self) -> None:
        for cell in [c for c in self.cells if self.level[c] >= 2]:
            for other in self.near(cell):
                if self.level[other] == 0:
                    self.level[other] = 1
        for cell in self.cells:
            if self.level[cell] == 1 and self.clock[cell] == 3:
                self.level[cell] = 2
            if self.level[cell] == 2 and self.clock[cell] == 6:
                self.level[cell] = 3
            if self.level[cell]:
                self.clock[cell] += 1

    def reduce(self, cell: tuple[int, int]) -> None:
        if self.level[cell]:
            self.level[cell] -= 1
            if self.level[cell]:
                self.clock[cell] = 0

    def average(self) -> int:
        codes = [1 + self.level[c] for c in self.cells]
        mean = round(sum(codes) / len(codes))
        return max(mean, 2) - 1 if any(self.level.values()) else mean - 1

    def shown(self, cell: tuple[int, int]) -> int:
        return max(self.level[c] for c in [cell, *self.near(cell)])


@settings(max_examples=40, deadline=None)
@given(
    box=st.sampled_from([5, 6, 8, 10]),
    lit=st.integers(1, 3),
    seed=st.integers(0, 1000),
    hits=st.lists(st.tuples(st.integers(0, 29), st.integers(0, 200)), max_size=40),
)
def test_fast_fires_equal_plain_ones(
    box: int, lit: int, seed: int, hits: list[tuple[int, int]]
) -> None:
    spec = FireSpec("TestFire", "A", lit, box, (4, 7))
    fire = Fire(plan_fire(spec, random.Random(seed)), FireShape(spec, GRID))
    plain = PlainFire(fire)
    for tick in range(30):
        for _, pick in [h for h in hits if h[0] == tick]:
            i = pick % len(fire.cells)
            block = [i, *[fire.where[GRID.index(c)] for c in plain.near(plain.cells[i])]]
            fire.reduce(block)
            for j in block:
                plain.reduce(plain.cells[j])
        fire.tick()
        plain.tick()
        assert list(fire.levels) == [plain.level[c] for c in plain.cells]
        assert list(fire.clocks) == [plain.clock[c] for c in plain.cells]
        assert fire.average == plain.average()
        assert list(fire.shown) == [plain.shown(GRID.cells[c]) for c in fire.region_cells]


def test_one_burning_cell_makes_the_fire_at_least_low() -> None:
    fire = fire_named("RedFire", 0)
    assert sum(fire.levels) == 3
    assert LEVELS[fire.average] == "Low"
