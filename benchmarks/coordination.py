"""Speed of the coordinator, from candidates to the explained joint action.

    python benchmarks/coordination.py [--quick] [--json] [--plot FILE.png]

The instances are described in `coordination_instances.py`. `select` is measured whole, as it is
called: profiles, costs, rows, solving. The explanation (why each other candidate lost) is worked
out when it is first looked at; `explained_ms` has a step with it. Times are one thread's processor
time, so that other programs on the machine do not count (on an idle machine it is the time on the
wall, given beside it as `wall_ms`). The comparison with the paper's way (one CP-SAT model of the
whole step, default settings) is by the wall on both sides, turn by turn, because CP-SAT starts many
workers.

`speedup_vs_one_cpsat_model`: from the problem (costs and rows) to its optimum, the least of the
medians for 3 to 8 agents; `speedup_by_agents` has all. `speedup_whole_step`: one whole `select`
against one in which such a model takes the place of our solvers, all else (profiles, costs, rows)
being the same; `speedup_explained_step`: the same with the explanation on both sides.
`speedup_vs_one_worker` and `speedup_whole_step_one_worker`: the same two against CP-SAT at its best
settings for these models (one worker, `linearization_level` 2), by processor time on both sides, so
that they hold on a busy machine too.
`solve_ms`: median milliseconds per `select` by number of agents; from 16 on the slower of chain and
grid, which `shapes` has apart, with gaps. `proven_optimal`: by number of agents, chain and grid.
`dense`: by number of agents, with proven gaps where the default limits end the search.
`local_1000_ms`: 1,000 agents with local conflicts in one component, and beside it what CP-SAT
alone takes for the same rows at its best settings for them (`cpsat_level_2_ms`).
`groups`: hierarchical mode against the proven optimum, and the gap it states by itself.
`engines_ms`: why branch and bound comes first up to so many agents: medians by solver.
`memory_mib`: peak of the process before and after the largest instances.
With --json the last line printed is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import time
from collections.abc import Callable
from typing import Any

from coordination_instances import SHAPES, Instance
from mosaic_planner.coordination import (
    Assignment,
    Limits,
    MosaicCoordinator,
    Problem,
    Status,
    solve,
)

SIZES = (16, 32, 64, 128, 256, 512, 1000)
SMALL = (3, 4, 5, 6, 7, 8)


def one_cpsat_model(problem: Problem, *, level_2: bool = False) -> int:
    """The paper's way: one model of the whole step, default settings; the optimal value."""
    from ortools.sat.python import cp_model

    model = cp_model.CpModel()
    z = [model.new_bool_var("") for _ in problem.options]
    y = {s.task: model.new_bool_var("") for s in problem.switches}
    for group in problem.by_agent.values():
        model.add_exactly_one([z[o.index] for o in group])
    for row in problem.rows:
        if row.coefficients is None and row.upper == 1 and row.lower is None and not row.task:
            model.add_at_most_one([z[o] for o in row.options])
            continue
        coefficients = row.coefficients or (1,) * len(row.options)
        total: Any = cp_model.LinearExpr.weighted_sum([z[o] for o in row.options], coefficients)
        if row.task:
            total = total - row.size * y[row.task]
        if row.upper is not None:
            model.add(total <= row.upper)
        if row.lower is not None:
            model.add(total >= row.lower)
    rewards = [-s.reward for s in problem.switches]
    model.minimize(cp_model.LinearExpr.weighted_sum([*z, *y.values()], [*problem.units, *rewards]))
    solver = cp_model.CpSolver()
    if level_2:
        solver.parameters.num_workers = 1
        solver.parameters.linearization_level = 2
    if solver.solve(model) != cp_model.OPTIMAL:
        raise RuntimeError("CP-SAT did not prove the optimum")
    return round(solver.objective_value)


def select(instance: Instance, limits: Limits | None = None) -> Assignment:
    coordinator = MosaicCoordinator(instance, limits=limits)
    return coordinator.select(instance.candidates, instance.beliefs, instance.history)


def explained(instance: Instance) -> int:
    result = select(instance)
    return len(result.losers) + len(result.unmet)


def timed(clock: Callable[[], float], work: Callable[..., Any], *args: Any) -> float:
    began = clock()
    work(*args)
    return 1000.0 * (clock() - began)


def best_of(count: int, clock: Callable[[], float], work: Callable[..., Any], *args: Any) -> float:
    return min(timed(clock, work, *args) for _ in range(count))


def small_teams(seeds: int) -> dict[str, Any]:
    """Ours against one CP-SAT model per step, turn by turn on the same steps."""
    wall, cpu = time.perf_counter, time.process_time
    one_cpsat_model(_problem(SHAPES["small"](3, 0)))
    found: dict[str, dict[str, float]] = {
        name: {}
        for name in (
            *("speedup", "whole", "explained", "one_worker", "whole_one_worker"),
            *("solve_ms", "explained_ms", "wall_ms"),
        )
    }
    for agents in SMALL:
        figures: dict[str, list[float]] = {name: [] for name in found}
        for seed in range(seeds):
            instance = SHAPES["small"](agents, seed)
            problem = _problem(instance)
            if one_cpsat_model(problem) != solve(problem).value:
                raise RuntimeError("the two ways disagree")
            ours = best_of(3, wall, solve, problem)
            step = best_of(5, wall, select, instance)
            told = best_of(5, wall, explained, instance)
            theirs = best_of(3, wall, one_cpsat_model, problem)
            figures["speedup"].append(theirs / ours)
            figures["whole"].append((step - ours + theirs) / step)
            figures["explained"].append((told - ours + theirs) / told)
            figures["wall_ms"].append(step)
            step = best_of(5, cpu, select, instance)
            ours = best_of(3, cpu, solve, problem)
            theirs = best_of(3, cpu, _level_2, problem)
            figures["solve_ms"].append(step)
            figures["explained_ms"].append(best_of(5, cpu, explained, instance))
            figures["one_worker"].append(theirs / ours)
            figures["whole_one_worker"].append((step - ours + theirs) / step)
        for name, values in figures.items():
            found[name][str(agents)] = round(statistics.median(values), 3)
    return found


def _problem(instance: Instance) -> Problem:
    result = select(instance)
    if result.problem is None or result.status is not Status.OPTIMAL:
        raise RuntimeError("not solved to proven optimality")
    return result.problem


def measure(shape: str, agents: int, seeds: int, limits: Limits | None = None) -> dict[str, Any]:
    """One shape and size: medians over seeds, whether all were proven, the largest gap."""
    cpu, wall, proven, gaps, solvers = [], [], True, [], set()
    for seed in range(seeds):
        instance = SHAPES[shape](agents, seed)
        began, began_wall = time.process_time(), time.perf_counter()
        result = select(instance, limits)
        cpu.append(1000.0 * (time.process_time() - began))
        wall.append(1000.0 * (time.perf_counter() - began_wall))
        proven = proven and result.status is Status.OPTIMAL
        gaps.append(result.gap)
        solvers.add(result.solver)
    return {
        "ms": round(statistics.median(cpu), 2),
        "wall_ms": round(statistics.median(wall), 2),
        "proven": proven,
        "gap": round(max(gaps), 4),
        "solver": sorted(solvers),
    }


def in_groups(shape: str, agents: int, size: int) -> dict[str, Any]:
    """Hierarchical mode: time, distance to the proven optimum, and the gap it states."""
    instance = SHAPES[shape](agents, 0)
    best = select(instance)
    began = time.process_time()
    grouped = select(instance, Limits(group_size=size))
    spent = 1000.0 * (time.process_time() - began)
    return {
        "ms": round(spent, 1),
        "above_optimum": round(
            (grouped.objective - best.objective) / max(abs(best.objective), 1.0), 4
        ),
        "stated_gap": round(grouped.gap, 4),
    }


def engines(seeds: int) -> dict[str, dict[str, float]]:
    """Medians of one part solved by each solver, by number of agents (dense conflicts)."""
    from mosaic_planner.coordination.solving.cpsat import CpSat
    from mosaic_planner.coordination.solving.elimination import eliminate, elimination_order
    from mosaic_planner.coordination.solving.instance import build
    from mosaic_planner.coordination.solving.reduction import reduce
    from mosaic_planner.coordination.solving.search import search

    def by_cpsat(part: Any) -> None:
        model = CpSat(part, 60.0)
        model.optimum()
        model.break_ties()

    cpu = time.process_time
    found: dict[str, dict[str, float]] = {}
    for agents in (8, 12, 16, 20, 24, 28):
        times: dict[str, list[float]] = {"search": [], "elimination": [], "cpsat": []}
        for seed in range(seeds):
            whole = build(_problem(SHAPES["dense"](agents, seed)))
            reduce(whole)
            part = max(whole.parts(), key=lambda p: len(p.groups))
            if len(part.groups) < 2:
                continue
            times["search"].append(timed(cpu, search, part, 100_000))
            order = elimination_order(part, 300_000)
            if order is not None:
                times["elimination"].append(timed(cpu, eliminate, part, order))
            times["cpsat"].append(timed(cpu, by_cpsat, part))
        found[str(agents)] = {k: round(statistics.median(v), 2) for k, v in times.items() if v}
    return found


def _level_2(problem: Problem) -> int:
    return one_cpsat_model(problem, level_2=True)


def peak_mib() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def run(quick: bool, say: Callable[[str], None]) -> dict[str, Any]:
    small = small_teams(8 if quick else 40)
    result: dict[str, Any] = {
        "speedup_vs_one_cpsat_model": min(small["speedup"].values()),
        "speedup_by_agents": small["speedup"],
        "speedup_whole_step": small["whole"],
        "speedup_explained_step": small["explained"],
        "speedup_vs_one_worker": small["one_worker"],
        "speedup_whole_step_one_worker": small["whole_one_worker"],
        "solve_ms": small["solve_ms"],
        "explained_ms": small["explained_ms"],
        "wall_ms": small["wall_ms"],
        "proven_optimal": {str(n): True for n in SMALL},
        "shapes": {"chain": {}, "grid": {}},
        "dense": {},
    }
    for n in SMALL:
        say(
            f"{n:5} agents: {small['solve_ms'][str(n)]:9.2f} ms, "
            f"explained {small['explained_ms'][str(n)]:.2f} ms, "
            f"{small['speedup'][str(n)]} times as fast as one CP-SAT model "
            f"(whole step {small['whole'][str(n)]})"
        )
    before = peak_mib()
    seeds = 1 if quick else 5
    for n in SIZES:
        for shape in ("chain", "grid"):
            figures = result["shapes"][shape][str(n)] = measure(shape, n, seeds)
            say(f"{n:5} agents, {shape}: {figures}")
        both = [result["shapes"][shape][str(n)] for shape in ("chain", "grid")]
        result["solve_ms"][str(n)] = max(f["ms"] for f in both)
        result["wall_ms"][str(n)] = max(f["wall_ms"] for f in both)
        result["proven_optimal"][str(n)] = all(f["proven"] for f in both)
    local = measure("local", 1000, max(seeds, 3))
    alone = _problem(SHAPES["local"](1000, 0))
    local["cpsat_level_2_ms"] = round(timed(time.process_time, _level_2, alone), 1)
    result["local_1000_ms"], result["local_1000"] = local["ms"], local
    say(f" 1000 agents, local: {local}")
    result["memory_mib"] = {"before": before, "after": peak_mib()}
    for n in (8, 16, 24, 32) if quick else (8, 16, 24, 32, 48, 64):
        result["dense"][str(n)] = measure("dense", n, 1 if quick or n > 32 else 3)
        say(f"{n:5} agents, dense: {result['dense'][str(n)]}")
    result["groups"] = {}
    for shape in ("chain", "grid", "local"):
        result["groups"][shape] = in_groups(shape, 256 if quick else 1000, 48)
        say(f"groups of 48, {shape}: {result['groups'][shape]}")
    result["engines_ms"] = engines(2 if quick else 10)
    say(f"by solver, dense: {result['engines_ms']}")
    result["cpus"], result["load"] = os.cpu_count(), round(os.getloadavg()[0], 2)
    return result


def plot(result: dict[str, Any], path: str) -> None:
    """The growth curve: milliseconds over agents, both axes logarithmic."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.2), layout="constrained")
    axes = figure.subplots()
    curves = {shape: result["shapes"][shape] for shape in ("chain", "grid")}
    curves["dense"] = {n: f for n, f in result["dense"].items() if f["proven"]}
    for name, points in curves.items():
        axes.plot([int(n) for n in points], [f["ms"] for f in points.values()], "o-", label=name)
    few = [str(n) for n in SMALL]
    axes.plot([int(n) for n in few], [result["solve_ms"][n] for n in few], "o-", label="small")
    axes.plot([1000], [result["local_1000_ms"]], "s", label="local, one component")
    axes.set(xscale="log", yscale="log", xlabel="agents, three candidates each")
    axes.set_ylabel("milliseconds per step, proven optimal")
    axes.grid(visible=True, which="both", alpha=0.25)
    axes.legend()
    figure.savefig(path, dpi=144)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="fewer seeds")
    parser.add_argument("--json", action="store_true", help="one JSON object as the last line")
    parser.add_argument("--plot", metavar="FILE", help="draw the growth curve (needs matplotlib)")
    options = parser.parse_args()
    result = run(options.quick, (lambda line: None) if options.json else print)
    if options.plot:
        plot(result, options.plot)
    if options.json:
        print(json.dumps(result))
    else:
        print(f"memory: {result['memory_mib']} MiB; load {result['load']} on {result['cpus']}")


if __name__ == "__main__":
    main()
