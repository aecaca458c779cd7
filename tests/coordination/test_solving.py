"""The solvers beyond brute force's reach: large teams, ties, limits, groups, missing OR-Tools."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

from mosaic_planner.coordination import (
    ActionProfile,
    Limits,
    MosaicCoordinator,
    Option,
    Problem,
    Row,
    Status,
    Switch,
    solve,
)
from mosaic_planner.coordination.solving import cpsat, engine
from mosaic_planner.coordination.solving.instance import Infeasible, build
from mosaic_planner.coordination.solving.reduction import reduce
from mosaic_planner.coordination.solving.relaxation import relax
from mosaic_planner.coordination.solving.search import search
from mosaic_planner.core.action import Action
from mosaic_planner.core.candidate import Candidate


def team(
    agents: int,
    rows: list[tuple[int, ...]],
    costs: list[int],
    options: int = 3,
    **more: object,
) -> Problem:
    """A problem of equal agents; option k of agent i has index i * options + k."""
    made = tuple(
        Option(
            i * options + k, f"R{i:04}", Candidate(f"R{i:04}", Action(f"do{k}"), k), ActionProfile()
        )
        for i in range(agents)
        for k in range(options)
    )
    return Problem(
        tuple(f"R{i:04}" for i in range(agents)),
        made,
        tuple(Row("row", r) for r in rows),
        tuple(costs),
        (),
        tuple(o.candidate.rank for o in made),
        **more,  # type: ignore[arg-type]
    )


def grid(side: int, seed: int, kinds: int) -> Problem:
    """Agents on every cell of a grid; each option wants a cell nearby, the last one is free."""
    rng = random.Random(seed)
    wanted: dict[tuple[int, int], list[int]] = {}
    costs = []
    for i in range(side * side):
        near = [(i % side + dx, i // side + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
        for k, cell in enumerate(rng.sample(near, 3)):
            wanted.setdefault(cell, []).append(i * 4 + k)
            costs.append(rng.randrange(kinds) * 1_000_000)
        costs.append(20_000_000)
    rows = [tuple(r) for r in wanted.values() if len({o // 4 for o in r}) > 1]
    return team(side * side, rows, costs, 4)


def chain(agents: int, seed: int, kinds: int, reach: int = 2) -> Problem:
    """Agents in a line; options conflict with options of the next few, the last one is free."""
    rng = random.Random(seed)
    rows = [
        (i * 4 + a, j * 4 + b)
        for i in range(agents)
        for j in range(i + 1, min(i + reach + 1, agents))
        for a in range(3)
        for b in range(3)
        if rng.random() < 0.3
    ]
    costs = []
    for _ in range(agents):
        costs += [rng.randrange(kinds) * 1_000_000 for _ in range(3)] + [20_000_000]
    return team(agents, rows, costs, 4)


@pytest.mark.parametrize("kinds", [1, 3, 1000])
@pytest.mark.parametrize("shape", ["grid", "chain"])
def test_large_teams_by_every_road(shape: str, kinds: int) -> None:
    """Proven, nothing violated, and the same choice from solvers that share no code."""
    problem = grid(7, 1, kinds) if shape == "grid" else chain(60, 1, kinds)
    answers = {
        "auto": solve(problem),
        "cpsat": solve(problem, "cpsat", Limits(deterministic_s=60)),
        "relaxation": solve(problem, "auto", Limits(small_groups=0, table_entries=0)),
    }
    for name, answer in answers.items():
        assert answer.proven, name
        assert answer.value == answer.bound
        assert problem.violated(answer.chosen) == ()
        assert answer.chosen == answers["auto"].chosen, name
    assert "cpsat" not in answers["auto"].solver


def test_a_thousand_agents_in_one_part_are_proven() -> None:
    for problem in (chain(1000, 3, 10), grid(32, 3, 10)):
        answer = solve(problem)
        assert answer.proven
        assert problem.violated(answer.chosen) == ()
        assert "cpsat" not in answer.solver


def test_ties_are_broken_agent_by_agent() -> None:
    """Everybody wants the same thing at the same cost: the first agent gets it."""
    names = 5
    rows = [tuple(range(0, names * 2, 2))]
    problem = team(names, rows, [0] * (names * 2), 2)
    for solver in ("exact", "cpsat"):
        assert solve(problem, solver).chosen == (0, 3, 5, 7, 9)  # type: ignore[arg-type]


def test_fewer_ranks_win_before_the_first_agent_does() -> None:
    """R0 could have its first wish, but then both others fall to their last."""
    rows = [(0, 3), (0, 4), (0, 6), (0, 7)]
    problem = team(3, rows, [0] * 9)
    for solver in ("exact", "cpsat"):
        assert solve(problem, solver).chosen == (1, 3, 6)  # type: ignore[arg-type]
    ordered = team(3, rows, [0] * 9, ordered=True)
    for solver in ("exact", "cpsat"):
        assert solve(ordered, solver).chosen == (0, 5, 8)  # type: ignore[arg-type]


def test_a_node_limit_gives_the_best_found_with_its_proven_gap() -> None:
    problem = dense(24, 2)
    short = solve(problem, "exact", Limits(small_groups=0, table_entries=0, deep_nodes=50))
    full = solve(problem, "exact", Limits(small_groups=99, nodes=10_000_000))
    assert full.proven
    assert not short.proven
    assert short.bound <= full.value <= short.value
    assert short.value > full.value or short.bound < short.value
    again = solve(problem, "exact", Limits(small_groups=0, table_entries=0, deep_nodes=50))
    assert again == short


def test_a_deterministic_time_limit_gives_the_best_found_with_its_proven_gap() -> None:
    problem = dense(48, 1)
    answer = solve(problem, "cpsat", Limits(deterministic_s=0.3))
    assert answer.feasible
    assert not answer.proven
    assert answer.bound < answer.value
    assert problem.violated(answer.chosen) == ()
    assert solve(problem, "cpsat", Limits(deterministic_s=0.3)) == answer


def test_no_time_at_all_still_gives_an_answer() -> None:
    """Every solver gives up at once, also within the groups that improve the first answer."""
    nothing = Limits(tries=0, small_groups=0, table_entries=0, deterministic_s=1e-9, nodes=1)
    for problem in (dense(30, 3), dense(60, 3)):
        answer = solve(problem, limits=nothing)
        assert answer.feasible
        assert problem.violated(answer.chosen) == ()
        assert answer.bound <= answer.value


def dense(agents: int, seed: int) -> Problem:
    """Each option in conflict with 8 % of all others; the last option is free."""
    rng = random.Random(seed)
    rows = [
        (i * 4 + a, j * 4 + b)
        for i in range(agents)
        for j in range(i + 1, agents)
        for a in range(3)
        for b in range(3)
        if rng.random() < 0.08
    ]
    costs = []
    for _ in range(agents):
        costs += [rng.randrange(10) * 1_000_000 for _ in range(3)] + [20_000_000]
    return team(agents, rows, costs, 4)


@pytest.mark.parametrize("shape", ["grid", "chain"])
def test_groups_never_violate_and_stay_within_their_stated_gap(shape: str) -> None:
    problem = grid(12, 5, 10) if shape == "grid" else chain(144, 5, 10)
    best = solve(problem)
    assert best.proven
    grouped = solve(problem, limits=Limits(group_size=24))
    assert problem.violated(grouped.chosen) == ()
    assert grouped.bound <= best.value <= grouped.value
    assert grouped.value - best.value <= grouped.value - grouped.bound
    assert solve(problem, limits=Limits(group_size=24)) == grouped
    if shape == "chain":
        assert grouped.value == best.value


def test_groups_keep_joint_tasks_whole() -> None:
    """A task of all eight agents, solved in groups of three."""
    agents = 8
    carry = tuple(range(0, agents * 2, 2))
    row = Row("team size", carry, 0, 0, None, "carry", agents)
    base = team(agents, [], [5, 1] * agents, 2)
    problem = Problem(
        base.agents, base.options, (row,), base.units, (), base.ranks, (Switch("carry", agents, 0),)
    )
    answer = solve(problem, limits=Limits(group_size=3))
    assert problem.violated(answer.chosen, answer.active) == ()


def test_reductions_find_what_follows() -> None:
    """R0's best option harms nobody, which leaves R1 without a rival."""
    instance = build(team(2, [(2, 3)], [0, 1, 2, 0, 5, 5]))
    reduce(instance)
    assert [len(g) for g in instance.groups] == [1, 1]
    with pytest.raises(Infeasible):
        reduce(build(team(2, [(0, 1)], [0, 0], 1)))


def test_the_relaxation_bounds_from_below() -> None:
    for seed in range(20):
        part = build(dense(8, seed))
        reduce(part)
        relaxation = relax(part)
        if relaxation is None:
            continue
        best = search(part, 1_000_000)
        assert best.proven
        assert best.choice is not None
        assert relaxation.slack(best.choice) >= 0
        assert relaxation.weight_bound(part) <= sum(part.weight[v] for v in best.choice)


def test_without_or_tools_small_teams_are_served_and_large_ones_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "available", lambda: False)
    small = solve(dense(8, 1))
    assert small.proven
    assert small.hint == ""
    limits = Limits(deep_nodes=100, table_entries=1000)
    large = solve(dense(40, 1), limits=limits)
    assert large.feasible
    assert not large.proven
    assert large.hint.endswith("pip install 'mosaic-planner[cpsat]'")
    huge = solve(dense(60, 1))
    assert huge.feasible
    assert "groups" in huge.solver
    assert huge.bound <= huge.value
    assert solve(dense(8, 1), "cpsat").hint.endswith("pip install 'mosaic-planner[cpsat]'")


def test_importing_the_room_imports_no_solver() -> None:
    code = (
        "import sys, mosaic_planner.coordination as c\n"
        "from mosaic_planner.core.candidate import Candidate\n"
        "from mosaic_planner.core.action import Action\n"
        "class R:\n"
        "    def profile(self, *a): return c.ActionProfile(claims=('x',))\n"
        "    def fallbacks(self, *a): return ()\n"
        "m = c.MosaicCoordinator(R())\n"
        "m.select({a: [Candidate(a, Action('go'), 0)] for a in 'AB'})\n"
        "print([m for m in sys.modules if m.split('.')[0] in ('ortools', 'numpy', 'pandas')])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert cpsat.available()


def test_limits_show_in_the_assignment() -> None:
    class Rules:
        def profile(self, agent, action, beliefs):  # type: ignore[no-untyped-def]
            number = int(agent[1:])
            claims = {f"{min(number, o)}-{max(number, o)}" for o in range(40) if o != number}
            return ActionProfile(claims=tuple(sorted(claims)) if action.args else (), idle=False)

        def fallbacks(self, agent, beliefs):  # type: ignore[no-untyped-def]
            return ()

    names = [f"R{i}" for i in range(40)]
    candidates = {
        a: (Candidate(a, Action("go", ("x",)), 0), Candidate(a, Action("go"), 1)) for a in names
    }
    coordinator = MosaicCoordinator(
        Rules(), solver="exact", limits=Limits(small_groups=0, table_entries=0, deep_nodes=1)
    )
    result = coordinator.select(candidates)
    assert result.status is Status.LIMIT
    assert result.gap >= 0.0
    assert "within the limits" in result.explain()
