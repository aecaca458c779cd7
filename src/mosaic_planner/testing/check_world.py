"""Whether a world of your own keeps the contract, in one call::

    from mosaic_planner.testing import check_world

    def test_my_world():
        check_world(make)

`make` is what an entry point of the group `mosaic_planner.worlds` would name. The kit builds many
worlds, drives them by safe, random and odd joint actions, and looks at everything an episode, a
memory, a coordinator, a trace and a noisy sensor rely on. `docs/own-world.md` lists the checks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mosaic_planner.core.errors import ConformanceError, UsageError
from mosaic_planner.planners.registry import parse_method
from mosaic_planner.testing.world_checks.acting import check_untrusted
from mosaic_planner.testing.world_checks.driving import drive
from mosaic_planner.testing.world_checks.findings import CHECKS, Abandoned, Findings, Problem
from mosaic_planner.testing.world_checks.judging import check_data, check_score
from mosaic_planner.testing.world_checks.perceiving import check_perceiving
from mosaic_planner.testing.world_checks.playing import Played, check_episodes, check_noise
from mosaic_planner.testing.world_checks.repeating import (
    check_processes,
    check_repeating,
    check_settings,
)
from mosaic_planner.testing.world_checks.subject import Run, Subject
from mosaic_planner.testing.world_checks.teaching import Precision, check_rules, precision_of
from mosaic_planner.testing.world_checks.words import check_reading, check_words
from mosaic_planner.worlds.registry import PlannableWorld, missing_parts, world_factory

__all__ = ["CHECKS", "PLANNERS", "WorldReport", "check_world", "examine_world"]

PLANNERS = ("react", "react+mosaic", "llamar+mosaic")
"""Methods that play an episode unless others are asked for."""


@dataclass(frozen=True, slots=True)
class WorldReport:
    """What was found.

    `precision`: how right the rules were about single actions; `played`: what each method reached
    with a model that names random legal actions. `notes`: what could not be checked, and why.
    """

    world_id: str
    problems: tuple[Problem, ...]
    precision: Precision = field(default_factory=Precision)
    played: tuple[Played, ...] = ()
    notes: tuple[str, ...] = ()
    steps: int = 0

    def lines(self) -> list[str]:
        """The report as text."""
        found = [f"{self.world_id}: {len(self.problems)} problems in {self.steps} joint steps"]
        found += [f"- {problem}" for problem in self.problems]
        found += self.precision.lines()
        for one in self.played:
            m = one.metrics
            found.append(
                f"{one.planner}, {one.agents} agents, random model: {m.transport_rate:.0%} done in "
                f"{m.planning_steps} steps, {m.failure_rate:.0%} of actions failed"
            )
        return [*found, *(f"not checked: {note}" for note in self.notes)]


def check_world(
    factory: Callable[..., PlannableWorld] | str,
    *,
    seeds: Sequence[int] = (0, 1),
    steps: int = 18,
    agents: Sequence[int] = (2, 3),
    options: Mapping[str, Any] | None = None,
    planners: Sequence[str] = PLANNERS,
    facts: Sequence[str] = (),
    hash_seeds: Sequence[int] = (1, 2),
) -> WorldReport:
    """Examine a world and raise `ConformanceError`, one line per problem, if it has any.

    `factory`: called with `agents`, `scene` (1), `faithful` (False) and `options`, which may
    replace the latter two; or the name of a registered world. `seeds`, `steps` per episode and
    team sizes `agents` say how much is tried. `planners` play episodes. `facts`: entries of
    `settings()` that are no options of the factory. `hash_seeds`: values of `PYTHONHASHSEED` of
    processes that must give the same bytes; none are started if empty. Raises `UsageError` if
    there is nothing to try, and for unknown names.
    """
    report = examine_world(
        factory,
        seeds=seeds,
        steps=steps,
        agents=agents,
        options=options,
        planners=planners,
        facts=facts,
        hash_seeds=hash_seeds,
    )
    if report.problems:
        lines = "\n".join(f"- {problem}" for problem in report.problems)
        raise ConformanceError(f"{report.world_id} breaks the contract of worlds:\n{lines}")
    return report


def examine_world(
    factory: Callable[..., PlannableWorld] | str,
    *,
    seeds: Sequence[int] = (0, 1),
    steps: int = 18,
    agents: Sequence[int] = (2, 3),
    options: Mapping[str, Any] | None = None,
    planners: Sequence[str] = PLANNERS,
    facts: Sequence[str] = (),
    hash_seeds: Sequence[int] = (1, 2),
) -> WorldReport:
    """As `check_world`, but problems are only reported, never raised."""
    if not seeds or not agents or steps < 1:
        raise UsageError("check_world needs at least one seed, one step and one team size")
    for planner in planners:
        parse_method(planner)
    subject = Subject(
        world_factory(factory) if isinstance(factory, str) else factory,
        {"scene": 1, "faithful": False, **(options or {})},
        tuple(agents),
        tuple(seeds),
        steps,
        frozenset(facts),
        factory if isinstance(factory, str) else "",
    )
    return _Examination(subject, tuple(planners), tuple(hash_seeds)).report()


class _Examination:
    """One examination: first the words, then runs, then everything that reads runs."""

    def __init__(
        self, subject: Subject, planners: tuple[str, ...], hash_seeds: tuple[int, ...]
    ) -> None:
        self.subject = subject
        self.planners = planners
        self.hash_seeds = hash_seeds
        self.findings = Findings()
        self.runs: list[Run] = []
        self.played: list[Played] = []
        self.world_id = "the world"

    def report(self) -> WorldReport:
        findings, subject = self.findings, self.subject
        runs = self.runs
        self._look("building it", self._build)
        if not runs or any(not run.frames for run in runs):
            return self._reported()
        self._look("reading", lambda: check_reading(findings, runs, self.planners))
        self._look("observations", lambda: check_perceiving(findings, runs))
        self._look("untrusted", lambda: check_untrusted(findings, subject, runs))
        self._look("score", lambda: check_score(findings, subject, runs))
        self._look("data", lambda: check_data(findings, subject, runs))
        self._look("rules", lambda: check_rules(findings, runs))
        self._look("repeat", lambda: check_repeating(findings, subject, runs))
        self._look("settings", lambda: check_settings(findings, subject, runs))
        self._look("processes", lambda: check_processes(findings, subject, runs, self.hash_seeds))
        self._look("noise", lambda: check_noise(findings, subject, runs))
        self._look("episode", self._play)
        return self._reported()

    def _build(self) -> None:
        """Worlds of every team size, their words, and a run of each."""
        findings, subject = self.findings, self.subject
        for agents in subject.teams:
            for seed in subject.seeds:
                said = ", ".join(f"{k}={v!r}" for k, v in subject.options.items())
                what = f"the factory, called as by `mosaic run` with agents={agents}, {said},"
                world = findings.attempt("factory.options", what, subject.make, agents)
                missing = missing_parts(world)
                if missing:
                    findings.add("factory.world", f"what it makes lacks {', '.join(missing)}")
                    raise Abandoned
                self.world_id = str(world.world_id)
                check_words(findings, world)
                if len(world.agents) != agents:
                    findings.add(
                        "factory.team", f"asked for {agents} agents, made {len(world.agents)}"
                    )
                self.runs.append(drive(findings, world, seed, subject.steps))
        try:
            subject.make(0)
        except UsageError:
            pass
        except Exception as error:
            findings.add(
                "factory.team",
                f"a team of 0 is a user's mistake: raise UsageError, not {type(error).__name__}",
            )
        else:
            findings.add("factory.team", "a team of 0 must raise UsageError")

    def _play(self) -> None:
        self.played = check_episodes(self.findings, self.subject, self.runs, self.planners)

    def _look(self, name: str, check: Callable[[], None]) -> None:
        """Carry out one check; what it cannot cope with is a problem too, never silence."""
        try:
            check()
        except Abandoned:
            pass
        except Exception as error:
            self.findings.stopped(name, error)

    def _reported(self) -> WorldReport:
        return WorldReport(
            self.world_id,
            self.findings.problems(),
            precision_of(self.runs),
            tuple(self.played),
            tuple(self.findings.notes),
            sum(max(0, len(run.frames) - 1) for run in self.runs),
        )
