"""The coordinator as a whole: merging, switches (FC, CFM), safe candidates, first choices."""

from __future__ import annotations

import random

import pytest
from coordination_fakes import TableRules, path, random_step, wants

from mosaic_planner.coordination import (
    ActionProfile,
    BareBeliefs,
    Coordinator,
    FirstChoice,
    JointNeed,
    MosaicCoordinator,
    Status,
)
from mosaic_planner.core.action import IDLE, Action, ActionSchema, Kind, Parameter, Vocabulary
from mosaic_planner.core.candidate import Candidate
from mosaic_planner.core.errors import UnknownNameError
from mosaic_planner.core.history import Attempt, History

A, B, C = Action("a"), Action("b"), Action("c")
WORK = ActionProfile(progress=0.5)


def chosen(result: object) -> dict[str, str]:
    return {a: str(c.candidate.action) for a, c in result.chosen.items()}  # type: ignore[attr-defined]


def test_equal_candidates_are_merged_at_the_best_rank_and_counted() -> None:
    rules = TableRules({("R", A): WORK, ("R", B): WORK})
    listed = [
        Candidate("R", A, 2),
        Candidate("R", B, 1),
        Candidate("R", A, 0),
        Candidate("R", B, 3),
    ]
    result = MosaicCoordinator(rules).select({"R": listed})
    assert result.merged == 2
    assert result.chosen["R"].candidate == Candidate("R", A, 0)
    merged = [x for x in result.losers if x.verdict == "merged"]
    assert [(str(x.candidate.action), x.candidate.rank) for x in merged] == [("a()", 2), ("b()", 3)]
    assert merged[0].detail == "the same action as the candidate ranked 0"


def test_every_agent_of_the_team_acts() -> None:
    rules = TableRules({("R", A): WORK})
    result = MosaicCoordinator(rules).select(
        {"R": wants("R", A), "S": ()}, BareBeliefs(("R", "S", "T"))
    )
    assert chosen(result) == {"R": "a()", "S": "Idle", "T": "Idle"}
    assert result.chosen["T"].candidate.source == "safe"


def test_fc_takes_the_first_joint_action_in_ranking_order() -> None:
    """No costs at all (notes 2.13): repeated failures and distance do not matter."""
    claim = ActionProfile(claims=("tool",), steps=500.0)
    rules = TableRules(
        {("R", A): claim, ("R", B): WORK, ("S", A): claim, ("S", B): claim, ("S", C): WORK}
    )
    failed = tuple(Attempt(t, A, False) for t in range(5))
    result = MosaicCoordinator(rules, minimise=False).select(
        {"R": wants("R", A, B), "S": wants("S", A, B, C)}, None, History({"R": failed, "S": failed})
    )
    assert chosen(result) == {"R": "a()", "S": "c()"}
    assert result.status is Status.PASSED
    optimised = MosaicCoordinator(rules).select(
        {"R": wants("R", A, B), "S": wants("S", A, B, C)}, None, History({"R": failed, "S": failed})
    )
    assert chosen(optimised) == {"R": "b()", "S": "c()"}


KINDS = (Kind("thing"),)
VOCABULARY = Vocabulary(
    (
        ActionSchema("Take", (Parameter("what", ("thing",)),)),
        ActionSchema("Idle", idle=True),
    ),
    KINDS,
)


def test_cfm_minimises_costs_and_checks_only_that_verb_and_object_exist() -> None:
    class Beliefs(BareBeliefs):
        @property
        def entities(self):  # type: ignore[no-untyped-def]
            class Thing:
                kind = "thing"

            return {"Cup": Thing()}

    cup = ActionProfile(claims=("Cup",), progress=0.9)
    beyond = ActionProfile(eligible=False, reason="out of reach", progress=1.0)
    take, ghost, fly = Action("Take", ("Cup",)), Action("Take", ("Ghost",)), Action("Fly")
    rules = TableRules(
        {("R", take): cup, ("S", take): cup, ("R", ghost): beyond, ("S", fly): beyond}
    )
    cfm = MosaicCoordinator(rules, VOCABULARY, constraints=False)
    result = cfm.select(
        {"R": wants("R", ghost, take), "S": wants("S", fly, take)}, Beliefs(("R", "S"))
    )
    assert chosen(result) == {"R": "Take(Cup)", "S": "Take(Cup)"}  # both: no constraint is checked
    said = {str(x.candidate.action): x for x in result.losers}
    assert said["Take(Ghost)"].verdict == "ineligible"
    assert "nothing called 'Ghost'" in said["Take(Ghost)"].detail
    assert "no action 'Fly'" in said["Fly()"].detail
    full = MosaicCoordinator(rules, VOCABULARY).select(
        {"R": wants("R", take), "S": wants("S", take)}, Beliefs(("R", "S"))
    )
    assert sorted(chosen(full).values()) == ["Idle", "Take(Cup)"]


def test_safe_candidates_help_only_whose_own_are_all_bad() -> None:
    explore = Action("Explore")
    rules = TableRules(
        {("R", B): WORK, ("R", explore): WORK, ("S", explore): WORK},
        {
            "R": [Candidate("R", explore, 0, "safe", "explores")],
            "S": [Candidate("S", explore, 0, "safe", "explores")],
        },
    )
    result = MosaicCoordinator(rules).select({"R": wants("R", A, B), "S": wants("S", A)})
    assert chosen(result) == {"R": "b()", "S": "Explore()"}
    assert result.chosen["S"].candidate.source == "safe"
    assert result.chosen["S"].candidate.why == "explores"
    assert "S does Explore() (a safe candidate of the coordinator: explores)." in result.explain()
    without = MosaicCoordinator(rules, safe_candidates=False).select(
        {"R": wants("R", A, B), "S": wants("S", A)}
    )
    assert chosen(without) == {"R": "b()", "S": "Idle"}


def test_safe_candidates_help_whom_the_others_leave_nothing() -> None:
    """S is eligible for the tool, but R has it: that is all bad as well."""
    explore = Action("Explore")
    tool = ActionProfile(claims=("tool",), progress=1.0)
    rules = TableRules(
        {("R", A): tool, ("S", A): tool, ("S", explore): WORK},
        {"S": [Candidate("S", explore, 0, "safe", "explores")]},
    )
    for wished in (wants("S", A), wants("S", A, IDLE)):
        result = MosaicCoordinator(rules).select({"R": wants("R", A), "S": wished})
        assert chosen(result) == {"R": "a()", "S": "Explore()"}
    prefers_rest = MosaicCoordinator(rules, costs="paper").select(
        {"R": wants("R", A), "S": wants("S", IDLE, A)}
    )
    assert chosen(prefers_rest)["S"] == "Idle"


def test_a_safe_candidate_can_complete_a_joint_task() -> None:
    carry = ActionProfile(joint=JointNeed("carry", 2), progress=0.9)
    rules = TableRules(
        {("R", A): carry, ("S", A): carry},
        {"S": [Candidate("S", A, 0, "safe", "assists R")]},
    )
    result = MosaicCoordinator(rules).select({"R": wants("R", A), "S": wants("S", B)})
    assert chosen(result) == {"R": "a()", "S": "a()"}
    assert result.active == ("carry",)


def test_a_joint_task_that_is_short_of_agents_recruits() -> None:
    """S could help R, says something else, and is asked; U cannot."""
    carry = ActionProfile(joint=JointNeed("carry", 2), progress=0.7)
    rules = TableRules(
        {("R", A): carry, ("S", A): carry, ("S", B): ActionProfile(progress=0.2), ("U", B): WORK},
        {
            "S": [
                Candidate("S", C, 0, "safe", "no place of the task"),
                Candidate("S", A, 1, "safe", "assists R"),
            ]
        },
    )
    wished = {"R": wants("R", A), "S": wants("S", B), "U": wants("U", B)}
    result = MosaicCoordinator(rules).select(wished)
    assert chosen(result) == {"R": "a()", "S": "a()", "U": "b()"}
    assert result.chosen["S"].candidate.why == "assists R"
    assert result.active == ("carry",)
    plain = MosaicCoordinator(rules, safe_candidates=False).select(wished)
    assert chosen(plain) == {"R": "Idle", "S": "b()", "U": "b()"}


def test_what_brings_nobody_further_makes_room_for_safe_candidates() -> None:
    stroll, visit = Action("Stroll"), Action("Visit")
    rules = TableRules(
        {
            ("R", stroll): ActionProfile(progress=0.03),
            ("S", stroll): ActionProfile(progress=0.03),
            ("R", visit): ActionProfile(progress=0.6),
        },
        {"R": [Candidate("R", visit, 0, "safe", "nobody has been there")]},
    )
    wished = {"R": wants("R", stroll), "S": wants("S", stroll)}
    result = MosaicCoordinator(rules).select(wished)
    assert chosen(result) == {"R": "Visit()", "S": "Stroll()"}
    rules.profiles = {**rules.profiles, ("S", stroll): WORK}  # somebody gets on: all as wished
    assert chosen(MosaicCoordinator(rules).select(wished))["R"] == "Stroll()"


def test_somebody_always_has_something_feasible() -> None:
    """Even if the rules call idling impossible."""
    broken = TableRules({("R", IDLE): ActionProfile(eligible=False, reason="never")})
    result = MosaicCoordinator(broken).select({"R": wants("R", A, IDLE)})
    assert chosen(result) == {"R": "Idle"}
    assert result.status is Status.OPTIMAL


def test_nobody_is_nothing() -> None:
    result = MosaicCoordinator(TableRules({})).select({})
    assert dict(result.chosen) == {}
    assert result.status is Status.OPTIMAL
    assert FirstChoice().select({}).chosen == {}


def test_first_choice_takes_rank_zero_or_idles() -> None:
    plain = FirstChoice(Vocabulary((ActionSchema("Rest", idle=True),)))
    result = plain.select(
        {"R": (Candidate("R", B, 1), Candidate("R", A, 0)), "S": ()}, BareBeliefs(("R", "S"))
    )
    assert chosen(result) == {"R": "a()", "S": "Rest()"}
    assert result.status is Status.PASSED
    assert result.chosen["S"].profile.idle
    assert not result.chosen["R"].profile.idle
    assert "nothing was optimised" in result.explain()
    shown = FirstChoice(rules=TableRules({("R", A): WORK})).select({"R": wants("R", A)})
    assert shown.chosen["R"].profile is WORK


def test_both_keep_the_protocol() -> None:
    coordinators: list[Coordinator] = [FirstChoice(), MosaicCoordinator(TableRules({}))]
    for coordinator in coordinators:
        result = coordinator.select(
            {"R": wants("R", A)}, BareBeliefs(("R",)), History.empty(("R",))
        )
        assert set(result.chosen) == {"R"}


def test_an_unknown_solver_is_a_clear_error() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'cpsat'"):
        MosaicCoordinator(TableRules({}), solver="cpsta")  # type: ignore[arg-type]


def test_candidates_listed_under_another_name_belong_to_the_key() -> None:
    rules = TableRules({("R", A): WORK})
    result = MosaicCoordinator(rules).select({"R": wants("S", A)})
    assert result.chosen["R"].candidate.agent == "R"


def test_nothing_is_kept_between_steps() -> None:
    rng = random.Random(7)
    steps = [random_step(rng) for _ in range(10)]
    fresh = [MosaicCoordinator(s[0]).select(*s[1:]) for s in steps]
    for (rules, *step), expected in zip(steps, fresh, strict=True):
        coordinator = MosaicCoordinator(rules)
        coordinator.select(*step)
        assert coordinator.select(*step) == expected


def test_idling_is_a_cell_too() -> None:
    """Nobody drives through an agent that has nothing else to do than stand there."""
    rules = TableRules(
        {
            ("R", A): ActionProfile(path=path((0, 0), (1, 0)), progress=1.0),
            ("S", IDLE): ActionProfile(idle=True, path=path((1, 0))),
        }
    )
    result = MosaicCoordinator(rules).select({"R": wants("R", A), "S": ()})
    assert chosen(result) == {"R": "Idle", "S": "Idle"}
    lost = next(x for x in result.losers if x.candidate.action == A)
    assert lost.detail == "S will be on cell (1, 0) (S does Idle)"
