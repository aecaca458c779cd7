"""Observations of a whole run: one geometry, and nothing in them that was not seen."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any

from mosaic_planner.core.geometry import Pose
from mosaic_planner.core.observation import Observation, View
from mosaic_planner.testing.world_checks.findings import Findings
from mosaic_planner.testing.world_checks.subject import Frame, Run, observation_record
from mosaic_planner.worlds.registry import PlannableWorld

__all__ = ["check_perceiving", "names_in", "told_text"]

_NEAR = 1e-6
"""Tolerance of positions, in moves."""
_ENOUGH = 10
"""Cases from which on a share says something."""
_SEEN_AT_LEAST = 0.8
"""Share of what is in view that is seen; memory reckons with 15 % that something hides."""


def check_perceiving(findings: Findings, runs: list[Run]) -> None:
    """What only a whole run shows."""
    all_names: dict[str, None] = {}
    for run in runs:
        all_names.update(dict.fromkeys(run.entities()))
    for run in runs:
        _same_places(findings, run)
        _offered_names(findings, run)
        _unchanged(findings, run)
        _nothing_hidden(findings, run, all_names)
    _view_kept(findings, runs)


def _same_places(findings: Findings, run: Run) -> None:
    """All agents see one thing at one place, and team mates where they say they are."""
    unit = run.world.geometry.unit
    for frame in run.frames:
        placed = {a: (o.pose.x, o.pose.z, a) for a, o in frame.observations.items()}
        for agent, observation in frame.observations.items():
            for sighting in observation.sightings:
                if sighting.name == sighting.kind:
                    continue
                x, z = observation.pose.to_world(sighting.offset)
                known = placed.setdefault(sighting.name, (x, z, agent))
                if math.hypot(x - known[0], z - known[1]) > _NEAR * unit:
                    findings.add(
                        "observations.places",
                        f"{agent} sees {sighting.name} at ({x:g}, {z:g}), {known[2]} says "
                        f"({known[0]:g}, {known[1]:g}); make offsets by own pose.to_frame(x, z)",
                    )


def _view_kept(findings: Findings, runs: list[Run]) -> None:
    """A `view` that promises more than is seen would make memory believe that things are gone."""
    promised = seen = 0
    for run in runs:
        for frame in run.frames:
            placed = _placed(frame)
            for agent, observation in frame.observations.items():
                view = observation.view
                if view is None:
                    continue
                sighted = {s.name for s in observation.sightings}
                for name, (kind, x, z) in placed.items():
                    if name == agent:
                        continue
                    if kind in view.everywhere and name not in sighted:
                        findings.add(
                            "observations.view",
                            f"{agent} does not see {name}, though its `view` has the kind {kind!r} "
                            "everywhere and a team mate sees it",
                        )
                    elif kind not in view.everywhere and _inside(view, observation.pose, x, z):
                        promised += 1
                        seen += name in sighted
    if promised >= _ENOUGH and seen < promised * _SEEN_AT_LEAST:
        findings.add(
            "observations.view",
            f"of {promised} things inside the `view` of an agent it saw {seen}; memory takes what "
            "is in view and not seen for gone, so make `view` smaller",
        )


def _placed(frame: Frame) -> dict[str, tuple[str, float, float]]:
    """Kind and place of everything with a name of its own that somebody sees and nobody holds."""
    found: dict[str, tuple[str, float, float]] = {}
    for observation in frame.observations.values():
        for s in observation.sightings:
            if s.name != s.kind and not s.holder:
                found.setdefault(s.name, (s.kind, *observation.pose.to_world(s.offset)))
    return found


def _inside(view: View, pose: Pose, x: float, z: float) -> bool:
    offset = pose.to_frame(x, z)
    return offset.length <= view.max_range and abs(offset.bearing_deg) <= view.fov_deg / 2


def _offered_names(findings: Findings, run: Run) -> None:
    """A model can name only what a prompt has, and a planner reads only what somebody sighted."""
    sighted = dict.fromkeys(run.world.agents)
    for frame in run.frames:
        for observation in frame.observations.values():
            sighted.update(dict.fromkeys(s.name for s in observation.sightings))
        for agent, observation in frame.observations.items():
            for name in observation.names:
                if name not in sighted:
                    findings.add(
                        "observations.names",
                        f"{agent} may name {name!r}, which nobody has sighted; planners would "
                        "refuse every action on it",
                    )
            shown = set(names_in(observation.text, observation.names))
            for name in observation.names:
                if name not in shown and name in sighted:
                    findings.add(
                        "observations.text",
                        f"{agent} may name {name!r}, but `text` does not show it to the model",
                    )


def _unchanged(findings: Findings, run: Run) -> None:
    for frame in run.frames:
        now = json.dumps({a: observation_record(o) for a, o in frame.observations.items()})
        if now != frame.kept:
            findings.add(
                "observations.kept",
                "an observation changed after it was handed out; build a new one each step",
            )
            return


def _nothing_hidden(findings: Findings, run: Run, all_names: Iterable[str]) -> None:
    """No text or local fact names a thing that nobody of the team has seen, named or been told.

    Only names can be checked like this; they are what a model could act on.
    """
    world = run.world
    words = [w for s in world.vocabulary.schemas for w in (s.verb, *_choices(s))]
    words += [k.name for k in world.vocabulary.kinds]
    open_to_all = {*world.agents, *words, *names_in(told_text(world), all_names)}
    secret = [name for name in all_names if name not in open_to_all]
    known: set[str] = set()
    for number, frame in enumerate(run.frames):
        for observation in frame.observations.values():
            known |= {s.name for s in observation.sightings}
        for action in frame.joint.values():
            known |= set(action.args)
        for agent, observation in frame.observations.items():
            for name in names_in(_said(observation), secret):
                if name not in known:
                    findings.add(
                        "observations.hidden",
                        f"{agent} is told of {name!r} in step {number}, which nobody of the team "
                        "has ever seen; an observation holds what is perceived, nothing else",
                    )


def told_text(world: PlannableWorld) -> str:
    """Everything that everybody is told before the first step."""
    b = world.briefing
    return "\n".join((b.instruction, *b.rules, *b.hints, *b.failure_causes, *b.task_words))


def _said(observation: Observation) -> str:
    facts = (f"{key} {value}" for key, value in observation.local)
    texts = (observation.text, observation.state_text, observation.feedback)
    return "\n".join((*texts, observation.failures_text, *observation.names, *facts))


def names_in(text: str, names: Iterable[str]) -> list[str]:
    """Those of `names` that stand in the text as whole words."""
    return [n for n in names if n in text and re.search(rf"(?<!\w){re.escape(n)}(?!\w)", text)]


def _choices(schema: Any) -> list[str]:
    return [choice for p in schema.parameters for choice in p.choices]
