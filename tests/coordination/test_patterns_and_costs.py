"""Table 7's patterns, Eq. 1 to 3, and the decided traps of the paper notes, section 2."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from coordination_fakes import TableRules, path, wants

from mosaic_planner.coordination import (
    DEFAULT,
    PAPER,
    TABLE_8,
    ActionProfile,
    BareBeliefs,
    MosaicCoordinator,
    Option,
    Scene,
    Term,
    Weighted,
    cost_profile,
)
from mosaic_planner.coordination.patterns import backtracks, cycle, failures, oscillations
from mosaic_planner.core.action import IDLE, Action
from mosaic_planner.core.candidate import Candidate
from mosaic_planner.core.errors import UnknownNameError, UsageError
from mosaic_planner.core.history import Attempt, History

A, B, C = Action("a"), Action("b"), Action("c")


def tried(*actions: Action, success: bool = True) -> tuple[Attempt, ...]:
    return tuple(Attempt(t, a, success) for t, a in enumerate(actions))


@pytest.mark.parametrize(
    ("past", "candidate", "expected"),
    [
        ("", "a", 0),
        ("ab", "a", 0),  # one occurrence and a beginning
        ("aba", "b", 2),  # ab ab: l = 2, once repeated
        ("abab", "a", 2),  # still one complete repetition
        ("ababa", "b", 4),  # ab ab ab: l = 2, twice repeated
        ("abcab", "c", 3),
        ("abcabcab", "c", 6),
        ("aaa", "a", 0),  # one action over and over is work, failure or stagnation
        ("abab", "c", 0),  # leaving the circle
        ("caba", "b", 2),
        ("aabaab", "a", 3),  # aab aab a
    ],
)
def test_cyclic_is_length_times_repetitions(past: str, candidate: str, expected: int) -> None:
    assert cycle(list(past), candidate) == expected


def test_failure_counts_the_last_failures_in_a_row_of_this_very_action() -> None:
    failed = tried(A, A, success=False)
    assert failures(failed, A) == 2
    assert failures(failed, B) == 0  # choosing something else does not extend the pattern
    assert failures((*failed, *tried(B)), A) == 0
    assert failures((*tried(A), *failed), A) == 2


def test_oscillation_and_backtracking_never_count_one_return_twice() -> None:
    u, v, w = (0, 0), (1, 0), (2, 0)
    assert oscillations([u, v], u) == 1
    assert oscillations([u, v, u], v) == 2
    assert oscillations([u, v, w], u) == 0
    assert oscillations([u, v], v) == 0  # staying is no return
    assert oscillations([u, v], None) == 0
    assert backtracks([u, v], u) == 0  # an immediate return is oscillation
    assert backtracks([u, v, w], u) == 1
    assert backtracks([u, v, u, w, v], u) == 2
    assert backtracks([u, v, w], (9, 9)) == 0
    assert backtracks([u, *[v, w] * 6], u) == 0  # beyond the window


def option(agent: str, action: Action, **profile: object) -> Option:
    return Option(0, agent, Candidate(agent, action, 0), ActionProfile(**profile))  # type: ignore[arg-type]


def scene(**attempts: tuple[Attempt, ...]) -> Scene:
    agents = tuple(attempts)
    return Scene(BareBeliefs(agents), History(attempts), agents)


def terms(profile_name: str, candidate: Option, where: Scene) -> dict[str, float]:
    return dict(cost_profile(profile_name).costs([candidate], where).terms(0))


def test_load_is_equation_3_and_finite_at_zero_by_zero() -> None:
    idle, act = option("R", IDLE, idle=True), option("R", A)
    nobody = scene(R=(), S=())
    assert terms("paper", idle, nobody) == {}
    assert terms("paper", act, nobody) == {}
    busy = scene(R=(), S=tried(A, B, C, A))  # mean ActionCount 2
    assert terms("paper", act, busy) == {"load": pytest.approx(0.5 * 2 / 1)}
    assert terms("paper", idle, busy)["load"] == pytest.approx(0.5 * 2 / 0.5)  # where Eq. 3 has 0
    assert terms("paper", option("S", A), busy) == {"load": pytest.approx(0.5 * 2 / 5)}
    assert terms("paper", option("S", IDLE, idle=True), busy) == {
        "load": pytest.approx(0.5 * 2 / 4)
    }


def test_stagnation_counts_against_idling_only() -> None:
    rested = tuple(Attempt(t, IDLE, True, idle=True) for t in range(3))
    where = scene(R=rested)
    assert terms("paper", option("R", IDLE, idle=True), where) == {"stagnation": 2.0 * 3}
    assert terms("paper", option("R", A), where) == {}


def test_a_pattern_counts_only_if_the_candidate_would_extend_it() -> None:
    where = scene(R=tried(A, A, A, success=False))
    assert terms("paper", option("R", A), where)["failure"] == 2.0 * 3
    assert "failure" not in terms("paper", option("R", B), where)


def test_the_weights_are_those_of_table_7_and_8() -> None:
    weights = {w.term.name: w.weight for w in PAPER.terms}
    assert weights == {
        "cyclic": 2,
        "failure": 2,
        "oscillation": 1,
        "backtracking": 1,
        "stagnation": 2,
        "load": 0.5,
    }
    dominant = {w.term.name: w.weight for w in TABLE_8["failure-dominant"].terms}
    assert dominant == weights | {"failure": 4, "oscillation": 2, "stagnation": 1}
    assert TABLE_8["efficiency-balanced"].terms == PAPER.terms


def test_default_forgets_patterns_after_real_work() -> None:
    there, here = (0, 0), (1, 0)
    go = Attempt(0, A, True, start=there, end=here)
    work = Attempt(1, B, True, start=here, end=here)
    back = option("R", Action("go back"), path=path(here, there))
    assert terms("default", back, scene(R=(go,)))["oscillation"] == 1.0
    assert "oscillation" not in terms("default", back, scene(R=(go, work)))
    assert terms("paper", back, scene(R=(go, work)))["oscillation"] == 1.0


def test_default_remembers_a_failure_across_idling() -> None:
    past = (*tried(A, success=False), Attempt(1, IDLE, True, idle=True))
    assert terms("default", option("R", A), scene(R=past))["failure"] == 2.0
    assert "failure" not in terms("paper", option("R", A), scene(R=past))


def test_default_adds_travel_risk_progress_and_wish() -> None:
    candidate = option("R", A, steps=10.0, failure=0.5, progress=0.25)
    assert terms("default", candidate, scene(R=())) == pytest.approx(
        {"travel": 0.2, "risk": 1.5, "progress": -0.75}
    )


def test_default_keeps_to_what_the_model_ranked_first_while_that_gets_on() -> None:
    """The first candidates of all agents are one plan; a little more progress does not break it."""
    rates = {A: ActionProfile(progress=0.3), B: ActionProfile(progress=0.6)}
    rules = TableRules({("R", a): rated for a, rated in rates.items()})
    kept = MosaicCoordinator(rules).select({"R": wants("R", A, B)})
    assert kept.chosen["R"].candidate.action == A
    (lost,) = [x for x in kept.losers if x.candidate.action == B]
    assert dict(lost.terms)["plan"] == 0.8
    rules.profiles = {**rules.profiles, ("R", A): ActionProfile(progress=0.05)}  # gets nowhere
    left = MosaicCoordinator(rules).select({"R": wants("R", A, B)})
    assert left.chosen["R"].candidate.action == B
    assert "plan" not in dict(left.chosen["R"].terms)


def test_a_plan_with_a_hole_is_no_plan() -> None:
    """A model that lost sight of one agent has not made the others' actions fit either."""
    profiles = {("R", A): ActionProfile(progress=0.3), ("R", B): ActionProfile(progress=0.5)}
    wished = {"R": wants("R", A, B), "S": wants("S", C)}
    for progress, kept in ((0.5, A), (0.0, B)):
        profiles["S", C] = ActionProfile(progress=progress)
        result = MosaicCoordinator(TableRules(profiles)).select(wished)
        assert result.chosen["R"].candidate.action == kept


def test_what_puts_a_part_out_of_reach_makes_room_for_safe_candidates() -> None:
    rules = TableRules(
        {("R", A): ActionProfile(progress=-0.6), ("R", B): ActionProfile(progress=0.5)},
        {"R": [Candidate("R", B, 0, "safe", "first things first")]},
    )
    wished = {"R": wants("R", A)}
    assert MosaicCoordinator(rules).select(wished).chosen["R"].candidate.action == B
    unaided = MosaicCoordinator(rules, safe_candidates=False).select(wished)
    assert unaided.chosen["R"].candidate.action == A


def test_who_is_done_may_rest() -> None:
    rested = tuple(Attempt(t, IDLE, True, idle=True) for t in range(3))
    done = option("R", IDLE, idle=True, done=True)
    assert terms("default", done, scene(R=rested)) == {}
    assert terms("paper", done, scene(R=rested)) == {"stagnation": 6.0}  # the paper knows no such


@pytest.mark.parametrize("costs", ["paper", "default"])
def test_all_idle_histories_leave_idling_by_step_4(costs: str) -> None:
    agents = ("R", "S")
    table = {(a, A): ActionProfile(steps=300.0, failure=0.9) for a in agents}
    history = History.empty(agents)
    coordinator = MosaicCoordinator(TableRules(table), costs=costs)
    candidates = {a: wants(a, IDLE, A) for a in agents}
    for step in range(1, 5):
        chosen = coordinator.select(candidates, BareBeliefs(agents, step), history).chosen
        if any(not c.profile.idle for c in chosen.values()):
            break
        idle = {a: Attempt(step, IDLE, True, idle=True) for a in agents}
        history = history.extended(idle)
    else:
        pytest.fail("everybody idled for four steps")


def test_default_never_lets_everybody_idle_while_there_is_work() -> None:
    """Even when the work is so unlikely and so far that idling costs less (notes 2.7)."""
    hopeless = ActionProfile(steps=900.0, failure=1.0, progress=0.1)
    rules = TableRules({("R", A): hopeless, ("S", A): hopeless})
    candidates = {a: wants(a, IDLE, A) for a in ("R", "S")}
    working = MosaicCoordinator(rules).select(candidates)
    assert [c.profile.idle for c in working.chosen.values()] == [True, False]  # one is enough
    resting = MosaicCoordinator(rules, costs="paper").select(candidates)
    assert all(c.profile.idle for c in resting.chosen.values())


def test_ties_go_to_the_models_ranking() -> None:
    rules = TableRules({("R", a): ActionProfile() for a in (A, B, C)})
    for order in ((B, A, C), (C, B, A)):
        result = MosaicCoordinator(rules, costs="paper").select({"R": wants("R", *order)})
        assert result.chosen["R"].candidate.action == order[0]


def test_profiles_can_be_weighed_and_extended() -> None:
    assert {w.term.name: w.weight for w in DEFAULT.weigh(travel=7).terms}["travel"] == 7
    with pytest.raises(UnknownNameError, match="did you mean 'travel'"):
        DEFAULT.weigh(travle=1)
    with pytest.raises(UnknownNameError, match="unknown cost profile"):
        cost_profile("papre")
    rules = TableRules({("R", A): ActionProfile(), ("R", B): ActionProfile()})
    dislikes_a = Term("dislike", lambda o, s: float(o.candidate.action == A))
    for extra in (dislikes_a, Weighted(dislikes_a, 0.5)):
        result = MosaicCoordinator(rules, terms_extra=[extra]).select({"R": wants("R", A, B)})
        assert result.chosen["R"].candidate.action == B


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 1e12])
def test_costs_that_are_no_costs_are_a_clear_error(bad: float) -> None:
    rules = TableRules({("R", A): ActionProfile()})
    coordinator = MosaicCoordinator(rules, terms_extra=[Term("bad", lambda o, s: bad)])
    with pytest.raises(UsageError, match=r"the cost of a\(\) must be a finite number"):
        coordinator.select({"R": wants("R", A)})
    with pytest.raises(UsageError, match="activation must be"):
        replace(DEFAULT, activation=bad)
