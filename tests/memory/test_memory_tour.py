"""The measured claims, on tours short enough for a test: bounded error, no ghosts, no doubles."""

from __future__ import annotations

import pytest

from memory_tour import rms, tour

SEEDS = range(4)


@pytest.fixture(scope="module")
def tours() -> list:
    return [tour(seed) for seed in SEEDS]


def test_position_errors_are_at_least_three_times_smaller_than_overwriting(tours: list) -> None:
    belief = rms([e for t in tours for e in t.belief])
    overwriting = rms([e for t in tours for e in t.overwriting])
    assert sum(len(t.belief) for t in tours) > 50
    assert overwriting >= 3.0 * belief
    for t in tours:  # and in each tour by itself
        assert rms(t.overwriting) >= 3.0 * rms(t.belief)


def test_position_errors_stay_bounded_over_two_hundred_steps(tours: list) -> None:
    """About half a move (0.25 m) at the worst, and not growing."""
    curve = {
        step: rms([e for t in tours for e in t.by_step[step]]) for step in (100, 125, 150, 175, 200)
    }
    assert max(curve.values()) < 0.15
    assert curve[200] <= curve[100]
    assert max(e for t in tours for e in t.belief) < 0.4


def test_false_things_are_dropped_and_doubles_are_rare(tours: list) -> None:
    seen = sum(t.seen for t in tours)
    assert sum(len(t.doubles) for t in tours) < 0.05 * seen
    assert sum(len(t.false) for t in tours) < 0.05 * seen
    assert sum(t.overwriting_false for t in tours) > 0.3 * seen  # they were there to be believed
    assert sum(t.unknown for t in tours) == 0


def test_the_same_tour_gives_the_same_beliefs() -> None:
    first, second = tour(7, steps=60), tour(7, steps=60)
    assert first == second
