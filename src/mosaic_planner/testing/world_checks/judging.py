"""Score and the values that go into a trace."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from mosaic_planner.core.world import Score
from mosaic_planner.testing.world_checks.findings import Findings
from mosaic_planner.testing.world_checks.subject import Run, Subject, difference

__all__ = ["check_data", "check_score", "not_json"]


def check_score(findings: Findings, subject: Subject, runs: list[Run]) -> None:
    """Ranges, what never shrinks, and that judging changes nothing."""
    for run in runs:
        before: Score | None = None
        for number, frame in enumerate(run.frames):
            score = frame.score
            for problem in _score_problems(score, first=number == 0):
                findings.add("score.values", f"after step {number}: {problem}")
            if isinstance(before, Score) and isinstance(score, Score):
                for field in ("covered", "mentioned"):
                    lost = [n for n in getattr(before, field) if n not in getattr(score, field)]
                    if lost:
                        findings.add("score.monotone", f"`{field}` forgot {lost[0]!r}")
                if (before.total, before.coverage_total) != (score.total, score.coverage_total):
                    findings.add("score.monotone", "totals changed during the episode")
            before = score
    world = subject.make(subject.teams[0])
    world.reset(subject.seeds[0])
    first = (world.score(), world.snapshot())
    again = (world.score(), world.snapshot())
    if first[0] != again[0] or difference(first[1], again[1]):
        findings.add("score.pure", "score() or snapshot() gives another value when asked again")


def _score_problems(score: Any, *, first: bool) -> Iterator[str]:
    if not isinstance(score, Score):
        yield f"score() must return a Score, not {type(score).__name__}"
        return
    if not isinstance(score.success, bool):
        yield "`success` must be True or False"
    for field in ("completed", "covered", "mentioned"):
        names = getattr(score, field)
        if not isinstance(names, tuple) or not all(isinstance(n, str) for n in names):
            yield f"`{field}` must be a tuple of texts"
            return
        if len(set(names)) != len(names):
            yield f"`{field}` counts a thing twice"
        total = score.total if field == "completed" else score.coverage_total
        if len(names) > total:
            yield f"`{field}` has {len(names)} of {total}"
    if score.total < 1:
        yield "`total` must be at least 1; a mission without subtasks cannot be measured"
    if score.success and len(score.completed) < score.total:
        yield f"`success` with {len(score.completed)} of {score.total} subtasks completed"
    if score.success and first:
        yield "the mission is accomplished before anybody has acted"


def check_data(findings: Findings, subject: Subject, runs: list[Run]) -> None:
    """Snapshot, static and settings are JSON; what is fixed stays fixed."""
    for run in runs:
        world = run.world
        for number, frame in enumerate(run.frames):
            for path in _problems_of(frame.snapshot, "snapshot()"):
                findings.add("data.json", f"step {number}: {path}")
        values: dict[str, Mapping[str, Any]] = {
            "static()": findings.attempt("data.json", "static()", world.static),
            "settings()": findings.attempt("data.json", "settings()", world.settings),
        }
        for name, value in values.items():
            for path in _problems_of(value, name):
                findings.add("data.json", path)
    for agents in subject.teams:
        world = subject.make(agents)
        world.reset(subject.seeds[0])
        fixed = _fixed(world)
        same_team = (r for r in runs if len(r.world.agents) == agents)
        for frame in (f for run in list(same_team)[:1] for f in run.steps):
            world.step(frame.joint)
        for name, value in _fixed(world).items():
            if value != fixed[name]:
                findings.add("data.fixed", f"`{name}` changed during an episode")


def _fixed(world: Any) -> dict[str, Any]:
    return {
        "world_id": world.world_id,
        "agents": world.agents,
        "vocabulary": world.vocabulary,
        "briefing": world.briefing,
        "geometry": world.geometry,
        "settings()": world.settings(),
        "static()": world.static(),
    }


def _problems_of(value: Any, name: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{name} must be a dict, not a {type(value).__name__}"
    else:
        yield from not_json(value, name)


def not_json(value: Any, path: str) -> Iterator[str]:
    """Where a value is not what JSON gives back unchanged, and what to use instead."""
    if value is None or isinstance(value, str | bool | int):
        return
    if isinstance(value, float):
        if not math.isfinite(value):
            yield f"{path} is {value}; JSON has no such number"
    elif isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                yield f"{path} has the key {key!r}; keys are texts"
            else:
                yield from not_json(inner, f"{path}[{key!r}]")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from not_json(inner, f"{path}[{index}]")
    else:
        yield f"{path} is a {type(value).__name__}; use a list, a dict or a plain value"
