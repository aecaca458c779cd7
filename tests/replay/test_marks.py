"""What goes wrong on the way is found: each pattern in an episode made to have it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from mosaic_planner.core.trace import Trace
from mosaic_planner.replay.marks import KINDS, Mark, MarkFinder
from mosaic_planner.replay.moments import Moment, moments

# One agent's step: (action, success, position after it, whether the world changed)
Step = tuple[str, bool, tuple[float, float], bool]


def _find(*teams: Sequence[Step], success: bool = False, unit: float = 1.0) -> list[Mark]:
    """Marks of agents A, B, ... who start at the origin and take these steps."""
    agents = [chr(ord("A") + i) for i in range(len(teams))]
    finder = MarkFinder(agents, unit)

    def seen(step: int) -> dict[str, Any]:
        places = {}
        for agent, steps in zip(agents, teams, strict=True):
            x, z = steps[step - 1][2] if step else (0.0, 0.0)
            places[agent] = {"pose": [x, z, 0.0], "inventory": []}
        return {"agents": places}

    finder.take(Moment(0, observation=seen(0)))
    for number in range(1, len(teams[0]) + 1):
        results = {}
        for agent, steps in zip(agents, teams, strict=True):
            action, ok, _, changed = steps[number - 1]
            results[agent] = {
                "action": action,
                "success": ok,
                "idle": action in ("Idle", "Done"),
                "ends": action == "Done",
                "effects": [["Thing", "state", number]] if changed else [],
            }
        finder.take(
            Moment(
                number,
                outcome={"agents": results},
                observation=seen(number),
                score={"success": success},
            )
        )
    return list(finder.finish())


def _kinds(marks: list[Mark]) -> list[str]:
    return [mark.kind for mark in marks]


HERE = (0.0, 0.0)


def test_a_quiet_episode_has_no_marks() -> None:
    way: list[Step] = [(f"NavigateTo({k})", True, (float(k), 0.0), False) for k in range(1, 9)]
    assert _find(way) == []


def test_a_repeated_failure_is_one_mark_from_its_first_attempt_on() -> None:
    steps: list[Step] = [("Explore()", True, (1.0, 0.0), False)]
    steps += [("Carry(T)", False, (1.0, 0.0), False)] * 3
    (mark,) = [m for m in _find(steps) if m.kind == "failure"]
    assert (mark.agent, mark.first, mark.last, mark.count) == ("A", 2, 4, 3)
    assert mark.text == "A tries Carry(T) 3 times in a row and fails (steps 2-4)"


def test_a_single_failure_and_two_different_failures_are_not_marked() -> None:
    steps: list[Step] = [("Carry(T)", False, HERE, False), ("Carry(S)", False, HERE, False)]
    assert "failure" not in _kinds(_find(steps))


def test_the_same_failure_again_after_another_is_a_new_mark() -> None:
    steps: list[Step] = [("Carry(T)", False, HERE, False)] * 2
    steps += [("Carry(S)", False, HERE, False)] * 2
    marks = [m for m in _find(steps) if m.kind == "failure"]
    assert [(m.action, m.first, m.last) for m in marks] == [("Carry(T)", 1, 2), ("Carry(S)", 3, 4)]


def test_a_cycle_of_actions_without_work_is_marked() -> None:
    spin: list[Step] = [
        ("NavigateTo(P)", True, (1.0, 0.0), False),
        ("NavigateTo(Q)", True, (2.0, 0.0), False),
        ("NavigateTo(R)", True, (3.0, 0.0), False),
    ] * 3
    (mark,) = [m for m in _find(spin) if m.kind == "cycle"]
    assert (mark.first, mark.last, mark.count) == (6, 9, 6)


def test_fetching_and_using_again_and_again_is_work_not_a_cycle() -> None:
    trips: list[Step] = [
        ("NavigateTo(R)", True, (1.0, 0.0), False),
        ("GetSupply(R)", True, (1.0, 0.0), True),
        ("NavigateTo(F)", True, (5.0, 0.0), False),
        ("UseSupply(F, Sand)", True, (5.0, 0.0), True),
    ] * 4
    assert _find(trips) == []


def test_going_back_and_forth_is_marked() -> None:
    steps: list[Step] = [
        ("Move(Right)", True, (1.0, 0.0), False),
        ("Move(Left)", True, (0.0, 0.0), False),
        ("Move(Right)", True, (1.0, 0.0), False),
        ("Move(Left)", True, (0.0, 0.0), False),
    ]
    (mark,) = [m for m in _find(steps) if m.kind == "oscillation"]
    assert (mark.first, mark.last, mark.count) == (2, 4, 3)


def test_coming_back_to_places_left_before_is_marked() -> None:
    places = [(1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0), (1.0, 0.0)]
    steps: list[Step] = [(f"NavigateTo({k})", True, p, False) for k, p in enumerate(places)]
    (mark,) = [m for m in _find(steps) if m.kind == "backtracking"]
    assert (mark.first, mark.last, mark.count) == (4, 5, 2)


def test_places_are_counted_in_units_of_motion() -> None:
    places = [(0.25, 0.0), (0.0, 0.0), (0.25, 0.0), (0.0, 0.0)]
    steps: list[Step] = [("MoveAhead()", True, p, False) for p in places]
    assert "oscillation" in _kinds(_find(steps, unit=0.25))


def test_idling_is_marked_from_three_steps_on() -> None:
    assert "idle" not in _kinds(_find([("Idle", True, HERE, False)] * 2))
    (mark,) = [m for m in _find([("Idle", True, HERE, False)] * 3) if m.kind == "idle"]
    assert (mark.first, mark.last, mark.count) == (1, 3, 3)


def test_the_team_stagnates_only_if_nobody_gets_anything_done() -> None:
    lazy: list[Step] = [("Idle", True, HERE, False)] * 6
    busy: list[Step] = [(f"NavigateTo({k})", True, (float(k + 1), 0.0), False) for k in range(6)]
    (mark,) = [m for m in _find(lazy, lazy) if m.kind == "stagnation"]
    assert (mark.agent, mark.first, mark.last) == ("", 1, 6)
    assert "stagnation" not in _kinds(_find(lazy, busy))
    failing: list[Step] = [(f"Carry({k})", False, HERE, False) for k in range(6)]
    assert "stagnation" in _kinds(_find(lazy, failing))


def test_a_false_claim_to_be_done_is_marked_and_a_true_one_is_not() -> None:
    claim: list[Step] = [("Done", True, HERE, False)]
    assert _kinds(_find(claim)) == ["false done"]
    assert _kinds(_find(claim, success=True)) == []


def test_the_hand_made_mission_has_the_marks_it_was_made_for(trace: Trace) -> None:
    finder = MarkFinder(trace.header["agents"], 1.0)
    for moment in moments(trace.events):
        finder.take(moment)
    found = [(m.kind, m.agent, m.first, m.last) for m in finder.finish()]
    assert found == [
        ("idle", "Bob", 1, 4),
        ("oscillation", "Alice", 2, 3),
        ("failure", "Alice", 5, 7),
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_its_words(kind: str) -> None:
    assert Mark(kind, "A", 1, 2, 2, "Carry(T)").text.startswith("A ")
    assert "step 3" in Mark(kind, "", 3, 3, 1).text
