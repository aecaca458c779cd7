"""The same seed is the same episode: again, beside other instances, rebuilt, in other processes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from inspect import Parameter, signature
from typing import Any

from mosaic_planner.coordination.coordinator import idle_action
from mosaic_planner.core.observation import StepResult
from mosaic_planner.testing.world_checks.digest import address_of, digest_here, digest_in_process
from mosaic_planner.testing.world_checks.findings import Findings
from mosaic_planner.testing.world_checks.subject import Run, Subject, difference, frame_record
from mosaic_planner.worlds.registry import PlannableWorld

__all__ = ["check_processes", "check_repeating", "check_settings"]

_READ = ("step_budget", "stop_at_success")


def _recorded(run: Run) -> list[dict[str, Any]]:
    return [
        frame_record(run.world, f.observations, f.outcomes, f.score, f.snapshot) for f in run.frames
    ]


def _now(world: PlannableWorld, result: StepResult) -> dict[str, Any]:
    return frame_record(
        world, result.observations, result.outcomes, world.score(), world.snapshot()
    )


def check_repeating(findings: Findings, subject: Subject, runs: list[Run]) -> None:
    """Fresh instances step interleaved with a third; the used one is reset and runs again."""
    for run in runs:
        expected = _recorded(run)
        if not expected:
            continue
        agents = len(run.world.agents)
        one, other, stranger = (subject.make(agents) for _ in range(3))
        if one is other:
            findings.add("factory.instances", "the factory returned one world twice")
            return
        # `one` never shows its truth on the way, so that looking at it must not matter either.
        stranger.reset(run.seed + 1)
        seen = StepResult(one.reset(run.seed))
        twin = _now(other, StepResult(other.reset(run.seed)))
        _compare(findings, "repeat.instances", expected[0], twin, 0)
        idle = dict.fromkeys(run.world.agents, idle_action(run.world.vocabulary))
        for number, frame in enumerate(run.steps, start=1):
            seen = one.step(frame.joint)
            stranger.step(idle if number % 2 else frame.joint)
            twin = _now(other, other.step(frame.joint))
            _compare(findings, "repeat.instances", expected[number], twin, number)
        _compare(findings, "repeat.instances", expected[-1], _now(one, seen), len(expected) - 1)
        again = _now(run.world, StepResult(run.world.reset(run.seed)))
        _compare(findings, "repeat.reset", expected[0], again, 0)
        for number, frame in enumerate(run.steps, start=1):
            again = _now(run.world, run.world.step(frame.joint))
            _compare(findings, "repeat.reset", expected[number], again, number)


def _compare(findings: Findings, check: str, one: Any, other: Any, step: int) -> None:
    where = difference(one, other)
    if where:
        why = {
            "repeat.reset": "reset() must forget the last episode and all its random draws",
            "repeat.instances": "share nothing between instances, draw from one generator seeded "
            "in reset()",
            "repeat.settings": "settings() must hold every option that makes a difference",
        }[check]
        findings.add(check, f"step {step}, same seed and actions: {where} differs; {why}")


def check_settings(findings: Findings, subject: Subject, runs: list[Run]) -> None:
    """What `settings()` says builds an equal world."""
    parameters = signature(subject.factory).parameters
    # What `assembly` reads from the settings; a world need not have them as options.
    read = () if any(p.kind is Parameter.VAR_KEYWORD for p in parameters.values()) else _READ
    known = {"world", *subject.facts, *(key for key in read if key not in parameters)}
    for run in runs[:1]:
        settings = json.loads(json.dumps(dict(run.world.settings()), default=str))
        options = {key: value for key, value in settings.items() if key not in known}
        what = f"the factory, called with settings() = {options},"
        rebuilt = findings.attempt("repeat.settings", what, subject.factory, **options)
        if rebuilt.agents != run.world.agents:
            findings.add("repeat.settings", "settings() lead to another team; include `agents`")
            return
        if rebuilt.settings() != run.world.settings():
            where = difference(dict(run.world.settings()), dict(rebuilt.settings()))
            findings.add("repeat.settings", f"the rebuilt world has another setting {where}")
        expected = _recorded(run)
        found = _now(rebuilt, StepResult(rebuilt.reset(run.seed)))
        _compare(findings, "repeat.settings", expected[0], found, 0)
        for number, frame in enumerate(run.steps, start=1):
            found = _now(rebuilt, rebuilt.step(frame.joint))
            _compare(findings, "repeat.settings", expected[number], found, number)


def check_processes(
    findings: Findings, subject: Subject, runs: list[Run], hash_seeds: Sequence[int]
) -> None:
    """Other processes, whose sets have another order, give the same bytes."""
    if not hash_seeds:
        return
    if not address_of(subject.factory, subject.name):
        findings.note(
            "other processes were not tried: the factory is no plain function of a module"
        )
        return
    run = runs[-1]
    here = digest_here(subject, run)
    for hash_seed in hash_seeds:
        there = digest_in_process(subject, run, hash_seed)
        if there != here:
            said = there if len(there) != len(here) else "it gives another episode"
            findings.add(
                "repeat.processes",
                f"in a process with PYTHONHASHSEED={hash_seed}: {said}; never let the order of a "
                "set, an id() or a hash() reach the result",
            )
