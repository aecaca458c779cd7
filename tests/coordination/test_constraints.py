"""Each constraint of Table 1 by itself, all forms of collision, and constraints of one's own."""

from __future__ import annotations

import pytest
from coordination_fakes import TableRules, path, wants

from mosaic_planner.coordination import (
    TABLE_1,
    ActionProfile,
    Collision,
    JointNeed,
    MosaicCoordinator,
    Option,
    Row,
    Status,
    Term,
    forbid,
)
from mosaic_planner.coordination.collisions import collision_rows, meeting
from mosaic_planner.coordination.profile import STAYS, CellVisit
from mosaic_planner.core.action import IDLE, Action
from mosaic_planner.core.candidate import Candidate

A, B, C = Action("a"), Action("b"), Action("c")
WORK = ActionProfile(progress=0.5)


def chosen(result: object) -> dict[str, str]:
    return {a: str(c.candidate.action) for a, c in result.chosen.items()}  # type: ignore[attr-defined]


def clash(p: tuple[CellVisit, ...], q: tuple[CellVisit, ...], following: str = "allowed") -> str:
    """What collides, in words; "" if nothing does. Rows and words must agree."""
    options = [
        Option(i, agent, Candidate(agent, A, 0), ActionProfile(path=way))
        for i, (agent, way) in enumerate((("R", p), ("S", q)))
    ]
    rows = list(collision_rows(options, following))  # type: ignore[arg-type]
    words = meeting(p, q, "S", following)  # type: ignore[arg-type]
    assert bool(rows) == bool(words), (rows, words)
    return words


def test_same_cell() -> None:
    assert clash(path((0, 0), (1, 0)), path((2, 0), (1, 0))) == "S will be on cell (1, 0)"


def test_swap_along_an_edge() -> None:
    assert "swap" in clash(path((0, 0), (1, 0)), path((1, 0), (0, 0)))


def test_crossing_in_time() -> None:
    through = path((0, 1), (1, 1), (2, 1))
    assert "cross S's path on cell (1, 1)" in clash(through, path((1, 0), (1, 1), (1, 2)))
    later = path((1, -1), (1, 0), (1, 1), (1, 2))
    assert clash(through, later) == ""


def test_diagonal_crossing() -> None:
    assert "diagonal" in clash(path((0, 0), (1, 1)), path((1, 0), (0, 1)))
    assert clash(path((0, 0), (1, 1)), path((5, 0), (4, 1))) == ""


def test_blocked_path() -> None:
    walk, stay = path((0, 0), (1, 0), (2, 0)), path((1, 0))
    assert clash(walk, stay) == "the path is blocked on cell (1, 0) by S"
    assert clash(stay, walk) == "S has to pass cell (1, 0)"


def test_the_following_rule_has_a_name() -> None:
    ahead, behind = path((1, 0), (2, 0)), path((0, 0), (1, 0))
    assert clash(behind, ahead) == ""
    assert "follow S onto cell (1, 0) too closely" in clash(behind, ahead, "forbidden")


def test_a_shared_start_is_nobodys_fault() -> None:
    """Two agents believed on one cell (noise): standing still must stay possible."""
    here = path((0, 0))
    assert clash(here, here) == ""
    assert clash(path((0, 0), (1, 0)), path((0, 0), (1, 0))) != ""
    waits = (CellVisit((0, 0), 0, 2), CellVisit((1, 0), 2, STAYS))
    assert clash(waits, here) == ""


def test_eligibility_names_the_reason() -> None:
    rules = TableRules({("R", A): ActionProfile(eligible=False, reason="too far"), ("R", B): WORK})
    result = MosaicCoordinator(rules).select({"R": wants("R", A, B)})
    assert chosen(result) == {"R": "b()"}
    lost = result.losers[0]
    assert (lost.verdict, lost.constraint, lost.detail) == ("ineligible", "eligibility", "too far")


@pytest.mark.parametrize("present", [2, 3, 4])
def test_a_joint_task_gets_all_its_agents_or_none(present: int) -> None:
    carry = ActionProfile(joint=JointNeed("carry Timmy", 3), progress=0.9)
    agents = [f"R{i}" for i in range(present)]
    rules = TableRules({(a, x): carry if x == A else WORK for a in agents for x in (A, B)})
    for costs in ("default", "paper"):
        result = MosaicCoordinator(rules, costs=costs).select({a: wants(a, A, B) for a in agents})
        carrying = [a for a, c in result.chosen.items() if c.candidate.action == A]
        assert result.status is Status.OPTIMAL
        assert len(carrying) == (0 if present < 3 else 3)
        if present < 3:
            (need,) = result.unmet
            assert (need.size, need.eligible) == (3, 2)
            assert need.detail.startswith("needs 3, eligible 2")
            assert "needs 3, eligible 2" in result.explain()
        else:
            assert result.active == ("carry Timmy",)
            assert result.unmet == ()


def test_an_ineligible_partner_is_named() -> None:
    carry = JointNeed("carry Timmy", 2)
    rules = TableRules(
        {
            ("R", A): ActionProfile(joint=carry),
            ("S", A): ActionProfile(joint=carry, eligible=False, reason="its hands are full"),
            ("T", B): WORK,
        }
    )
    both = {"R": wants("R", A), "S": wants("S", A), "T": wants("T", B)}
    (need,) = MosaicCoordinator(rules).select(both).unmet
    assert need.detail == (
        "needs 2, eligible 1; R chose Idle; S cannot: its hands are full; not proposed by T"
    )


def test_activation_is_preferred_and_worth_a_stated_amount() -> None:
    """Two agents may carry or do something slightly better each."""
    carry = ActionProfile(joint=JointNeed("carry", 2), progress=0.2)
    rules = TableRules(
        {(a, x): carry if x == A else ActionProfile(progress=0.4) for a in "RS" for x in (A, B)}
    )
    candidates = {a: wants(a, B, A) for a in "RS"}
    assert set(chosen(MosaicCoordinator(rules).select(candidates)).values()) == {"a()"}
    better = TableRules(
        {(a, x): carry if x == A else ActionProfile(progress=0.9) for a in "RS" for x in (A, B)}
    )
    assert set(chosen(MosaicCoordinator(better).select(candidates)).values()) == {"b()"}
    paper = MosaicCoordinator(better, costs="paper").select(candidates)
    assert set(chosen(paper).values()) == {"a()"}  # Table 1 wants joint tasks staffed


def test_exclusive_resources() -> None:
    get = ActionProfile(claims=("Reservoir",), progress=0.5)
    rules = TableRules({(a, x): get if x == A else WORK for a in "RST" for x in (A, B)})
    result = MosaicCoordinator(rules).select({a: wants(a, A, B) for a in "RST"})
    assert sorted(chosen(result).values()) == ["a()", "b()", "b()"]
    lost = next(x for x in result.losers if x.candidate.action == A)
    assert (lost.verdict, lost.constraint, lost.by) == ("excluded", "exclusive resource", "R")
    assert lost.detail == "only one agent may use Reservoir, and R does a()"


class KeepOut:
    """Documented example: keep one agent out of a cell."""

    name = "keep out"

    def __init__(self, agent: str, cell: tuple[int, int]) -> None:
        self.agent, self.cell = agent, cell

    def rows(self, options):  # type: ignore[no-untyped-def]
        for option in options:
            if option.agent == self.agent and any(v.cell == self.cell for v in option.profile.path):
                yield forbid(option, self.name, f"{self.agent} must keep out of {self.cell}")


def test_a_constraint_of_ones_own() -> None:
    east = ActionProfile(path=path((0, 0), (1, 0)), progress=0.5)
    north = ActionProfile(path=path((0, 0), (0, 1)), progress=0.4)
    rules = TableRules({("R", A): east, ("R", B): north})
    result = MosaicCoordinator(rules, constraints_extra=[KeepOut("R", (1, 0))]).select(
        {"R": wants("R", A, B)}
    )
    assert chosen(result) == {"R": "b()"}
    assert "Not a(): excluded by keep out: R must keep out of (1, 0)." in result.explain()
    assert result.rejections()[0].line() == "R: 'a()' was rejected: R must keep out of (1, 0)"


class AtMostTwo:
    """A row with coefficients: heavy actions weigh 2, and only 3 may be chosen together."""

    name = "weight"

    def rows(self, options):  # type: ignore[no-untyped-def]
        busy = [o for o in options if not o.profile.idle]
        weights = tuple(2 if o.candidate.action == A else 1 for o in busy)
        yield Row(self.name, tuple(o.index for o in busy), 3, 1, weights, detail="too heavy")


@pytest.mark.parametrize("solver", ["exact", "cpsat"])
def test_rows_with_coefficients_and_lower_bounds(solver: str) -> None:
    rules = TableRules({(a, x): WORK for a in "RST" for x in (A, B)})
    extra = [AtMostTwo()]
    candidates = {a: wants(a, A, B) for a in "RST"}
    result = MosaicCoordinator(rules, constraints_extra=extra, solver=solver).select(candidates)
    assert chosen(result) == {"R": "b()", "S": "b()", "T": "b()"}
    lost = next(x for x in result.losers if x.candidate.action == A)
    assert (lost.verdict, lost.detail.split(",")[0]) == ("excluded", "too heavy")
    lazy = Term("lazy", lambda o, s: 0.0 if o.profile.idle else 99.0)
    result = MosaicCoordinator(
        rules, constraints_extra=extra, solver=solver, costs="paper", terms_extra=[lazy]
    ).select(candidates)
    assert sorted(chosen(result).values()) == ["Idle", "Idle", "a()"]  # somebody must: lower bound


class Never:
    """A user's constraint that forbids one agent even to idle."""

    name = "never"

    def rows(self, options):  # type: ignore[no-untyped-def]
        return [forbid(o, self.name, "R may do nothing at all") for o in options if o.agent == "R"]


def test_impossible_constraints_are_a_value_and_stop_only_whom_they_concern() -> None:
    rules = TableRules({(a, A): WORK for a in "RS"})
    result = MosaicCoordinator(rules, constraints_extra=[Never()]).select(
        {a: wants(a, A) for a in "RS"}
    )
    assert result.status is Status.INFEASIBLE
    assert chosen(result) == {"R": "Idle", "S": "a()"}
    assert "leave no joint action" in result.explain()


def test_the_following_rule_can_be_chosen() -> None:
    moves = {
        ("R", A): ActionProfile(path=path((0, 0), (1, 0)), progress=0.5),
        ("S", A): ActionProfile(path=path((1, 0), (2, 0)), progress=0.5),
        ("R", IDLE): ActionProfile(idle=True, path=path((0, 0))),
        ("S", IDLE): ActionProfile(idle=True, path=path((1, 0))),
    }
    candidates = {a: wants(a, A) for a in "RS"}
    assert chosen(MosaicCoordinator(TableRules(moves)).select(candidates)) == {
        "R": "a()",
        "S": "a()",
    }
    strict = (*TABLE_1[:3], Collision("forbidden"))
    result = MosaicCoordinator(TableRules(moves), constraints=strict).select(candidates)
    assert chosen(result) == {"R": "Idle", "S": "a()"}
    assert "too closely" in result.losers[0].detail
