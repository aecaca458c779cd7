"""Why: verdicts, unmet tasks, minimal conflicts, the trace event and the words read from it."""

from __future__ import annotations

import json
import pickle
import random

import pytest
from coordination_fakes import TableRules, brute_force, feasible, path, random_step, wants

from mosaic_planner.coordination import (
    ActionProfile,
    Assignment,
    JointNeed,
    MosaicCoordinator,
    assignment_to_event,
    explain_event,
)
from mosaic_planner.coordination.conflicts import minimal_conflict
from mosaic_planner.coordination.problem import Problem
from mosaic_planner.core.action import IDLE, Action

CARRY, GET, LOOK = Action("Carry", ("Timmy",)), Action("Get", ("Sand",)), Action("Look")


@pytest.fixture
def result() -> Assignment:
    """Two could carry where three are needed; both would use one reservoir."""
    need = JointNeed("carry Timmy", 3)
    get = ActionProfile(claims=("Reservoir",), steps=3, progress=0.5)
    look = ActionProfile(steps=1, progress=0.1)
    far = ActionProfile(eligible=False, reason="too far away", joint=need)
    profiles = {("Carol", CARRY): far, ("Carol", LOOK): look}
    for agent in ("Alice", "Bob"):
        profiles[agent, CARRY] = ActionProfile(joint=need, progress=0.9)
        profiles[agent, GET] = get
        profiles[agent, LOOK] = look
    both = {a: wants(a, CARRY, GET, LOOK) for a in ("Alice", "Bob")}
    coordinator = MosaicCoordinator(TableRules(profiles))
    return coordinator.select({**both, "Carol": wants("Carol", CARRY, LOOK)})


def test_every_loser_has_its_verdict(result: Assignment) -> None:
    assert str(result.chosen["Alice"].candidate.action) == "Get(Sand)"
    assert str(result.chosen["Bob"].candidate.action) == "Look()"
    said = {(x.candidate.agent, str(x.candidate.action)): x for x in result.losers}
    assert len(said) == 3 + 3 + 2  # the others and everybody's no-op
    assert said["Alice", "Carry(Timmy)"].verdict == "excluded"
    assert said["Alice", "Carry(Timmy)"].detail == "carry Timmy needs 3, eligible 2"
    assert said["Bob", "Get(Sand)"].by == "Alice"
    assert said["Carol", "Carry(Timmy)"].verdict == "ineligible"
    look = said["Alice", "Look()"]
    assert look.verdict == "costlier"
    assert look.extra_cost == pytest.approx(3 * 0.4 + 0.3 - 0.04)
    assert dict(look.terms) == pytest.approx({"progress": 1.2, "wish": 0.3, "travel": -0.04})
    assert look.detail == (
        "costs 1.46 more than Get(Sand) (progress +1.20, wish +0.30, travel -0.04)"
    )


def test_the_unmet_task_says_who_and_why_not(result: Assignment) -> None:
    (need,) = result.unmet
    assert (need.task, need.size, need.eligible) == ("carry Timmy", 3, 2)
    assert need.detail == (
        "needs 3, eligible 2; Alice chose Get(Sand); Bob chose Look(); Carol cannot: too far away"
    )


def test_feedback_is_one_short_line_per_lost_wish(result: Assignment) -> None:
    lines = [r.line() for r in result.rejections()]
    assert lines == [
        "Alice: 'Carry(Timmy)' was rejected: carry Timmy needs 3, eligible 2",
        "Bob: 'Carry(Timmy)' was rejected: carry Timmy needs 3, eligible 2",
        "Bob: 'Get(Sand)' was rejected: only one agent may use Reservoir, and Alice does Get(Sand)",
        "Carol: 'Carry(Timmy)' was rejected: too far away",
    ]


def test_no_feedback_on_what_ranked_behind() -> None:
    rules = TableRules({("R", a): ActionProfile(progress=0.5) for a in (GET, LOOK)})
    assert MosaicCoordinator(rules).select({"R": wants("R", GET, LOOK)}).rejections() == ()


def test_the_event_is_json_and_says_the_same(result: Assignment) -> None:
    event = json.loads(json.dumps(assignment_to_event(result), allow_nan=False))
    assert event["chosen"]["Alice"]["terms"] == {
        "travel": 0.06,
        "progress": -1.5,
        "wish": 0.3,
    }  # no "plan": Carol's first wish cannot work, so there is no sound plan to keep
    assert event["status"] == "optimal"
    lines = explain_event(event, "Bob")
    assert lines[0] == "Bob does Look() (the model's candidate ranked 3)."
    assert (
        "  Not Get(Sand): excluded by exclusive resource: only one agent may use Reservoir, "
        "and Alice does Get(Sand)." in lines
    )
    assert any(line.startswith("Joint task left: carry Timmy: needs 3") for line in lines)
    assert set(lines) <= set(result.explain().splitlines())
    alone = explain_event(event, "Bob", team=False)
    assert alone == lines[: len(alone)]
    assert not any(line.startswith("Joint task") for line in alone)
    (nobody,) = explain_event(event, "Zoe")
    assert nobody == "Zoe is not in this step; here are Alice, Bob, Carol."


def test_no_words_are_lost_on_random_instances() -> None:
    for seed in range(100):
        rules, *step = random_step(random.Random(seed))
        result = MosaicCoordinator(rules).select(*step)
        event = json.loads(json.dumps(assignment_to_event(result), allow_nan=False))
        for agent, choice in event["chosen"].items():
            lines = explain_event(event, agent)
            assert choice["action"] in lines[0]
            mine = [x for x in event["losers"] if x["agent"] == agent]
            assert sum(line.startswith("  Not ") for line in lines) == len(mine)
            assert all(x["detail"] for x in mine)
        for loser in result.losers:
            assert loser.extra_cost > -1e-9 or loser.verdict != "costlier"
            assert (loser.verdict == "excluded") <= bool(loser.constraint)


def test_a_verdict_is_true() -> None:
    """Excluded: in its place the joint action breaks a rule. Costlier: it does not."""
    checked = {"excluded": 0, "costlier": 0}
    for seed in range(200):
        rules, *step = random_step(random.Random(seed))
        result = MosaicCoordinator(rules, costs="paper").select(*step)
        assert result.problem is not None
        profile = {id(o.candidate): o.profile for o in result.problem.options}
        for loser in result.losers:
            if loser.verdict not in checked:
                continue
            swapped = [
                profile[id(loser.candidate)] if a == loser.candidate.agent else c.profile
                for a, c in result.chosen.items()
            ]
            assert feasible(swapped) == (loser.verdict == "costlier"), (seed, loser)
            checked[loser.verdict] += 1
    assert min(checked.values()) > 100


def test_conflicts_are_minimal_each_member_proven_necessary() -> None:
    """Against brute force: with all members nothing is possible, without any one something is."""
    found = 0
    for seed in range(400):
        rules, *step = random_step(random.Random(seed))
        result = MosaicCoordinator(rules).select(*step)
        problem = result.problem
        assert problem is not None
        for agent in result.chosen:
            conflict = result.conflict(agent)
            if conflict is None:
                continue
            found += 1
            fixed = [*conflict.wish, *conflict.choices]
            assert not possible(problem, fixed, conflict.rows)
            for gone in conflict.choices:
                rest = [o for o in fixed if o is not gone]
                assert possible(problem, rest, conflict.rows), (seed, agent)
            for row in conflict.rows:
                left = tuple(r for r in conflict.rows if r is not row)
                assert possible(problem, fixed, left), (seed, agent)
    assert found > 100


def possible(problem: Problem, fixed: list, rows: tuple) -> bool:  # type: ignore[type-arg]
    """Whether any joint action with the fixed options keeps these rows, by enumeration."""
    held = {o.agent: o for o in fixed}
    tasks = sorted({r.task for r in rows if r.task})
    touched = {problem.options[i].agent for r in rows for i in r.options} | set(held)
    joints: list[tuple[int, ...]] = [()]
    for agent, group in problem.by_agent.items():
        if agent in touched:
            options = [held[agent]] if agent in held else group
            joints = [(*j, o.index) for j in joints for o in options]
    for joint in joints:
        for bits in range(1 << len(tasks)):
            active = {t for n, t in enumerate(tasks) if bits >> n & 1}
            if all(row.holds(joint, active) for row in rows):
                return True
    return False


def test_a_conflict_in_words() -> None:
    """R wants the corridor that S blocks and the tool that T holds: either alone would do."""
    go = ActionProfile(path=path((0, 0), (1, 0)), claims=("tool",), progress=0.2)
    rules = TableRules(
        {
            ("R", GET): go,
            ("R", IDLE): ActionProfile(idle=True, path=path((0, 0))),
            ("S", LOOK): ActionProfile(path=path((1, 0)), progress=1.0),
            ("T", LOOK): ActionProfile(claims=("tool",), progress=1.0),
        }
    )
    result = MosaicCoordinator(rules).select(
        {"R": wants("R", GET), "S": wants("S", LOOK), "T": wants("T", LOOK)}
    )
    conflict = result.conflict("R")
    assert conflict is not None
    assert len(conflict.choices) == len(conflict.rows) == 1  # minimal: one of the two suffices
    assert conflict.line().startswith("Get(Sand) by R is impossible while ")
    assert conflict.line() + "." in result.explain()
    assert result.conflict("S") is None
    assert result.conflict("nobody") is None
    assert result.problem is not None
    wish = next(o for o in result.problem.options if o.agent == "R")
    assert minimal_conflict(result.problem, [wish]) is None  # alone it could be met


def test_brute_force_itself_prefers_as_stated() -> None:
    """The judge of the other tests, judged: cost, then rank sum, then the first agent."""
    rules = TableRules(
        {(a, x): ActionProfile(claims=("x",) * (x == GET)) for a in "RS" for x in (GET, LOOK)}
    )
    result = MosaicCoordinator(rules, costs="paper").select({a: wants(a, GET, LOOK) for a in "RS"})
    assert result.problem is not None
    best = brute_force(result.problem)
    assert [result.problem.options[i].candidate.action for i in best] == [GET, LOOK]


def test_an_explanation_that_is_worked_out_later_is_the_same_one() -> None:
    """Whoever looks first, and however often; also after a way through another process."""
    near, far = ActionProfile(progress=0.9), ActionProfile(progress=0.1)
    rules = TableRules({("R", LOOK): near, ("R", GET): far, ("S", LOOK): near})
    coordinator = MosaicCoordinator(rules)
    wished = {"R": wants("R", LOOK, GET), "S": wants("S", LOOK)}
    early, late = coordinator.select(wished), coordinator.select(wished)
    said = tuple(early.losers)
    assert len(said) == 3  # Get and two no-ops
    assert early.explain() == late.explain()
    assert early == late
    assert (early.losers, early.unmet) == (said, ())
    assert early.losers[1:] == said[1:]
    again = pickle.loads(pickle.dumps(late))
    assert (again.losers, again.problem) == (said, late.problem)
