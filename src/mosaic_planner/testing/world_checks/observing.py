"""Single observations: types and ranges of everything an episode reads."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mosaic_planner.core.geometry import Offset, Pose
from mosaic_planner.core.observation import Observation, Sighting, View
from mosaic_planner.testing.world_checks.findings import Abandoned, Findings
from mosaic_planner.worlds.registry import PlannableWorld

__all__ = ["observations_fit"]

_PNG = b"\x89PNG\r\n\x1a\n"


def observations_fit(
    findings: Findings,
    world: PlannableWorld,
    observations: Mapping[str, Observation],
    step: int,
    where: str,
) -> None:
    """Types and ranges of everything an episode reads; `Abandoned` if it could not go on."""
    if not isinstance(observations, Mapping) or set(observations) != set(world.agents):
        got = list(observations) if isinstance(observations, Mapping) else type(observations)
        findings.add(
            "observations.agents",
            f"{where}: every agent must be observed, {list(world.agents)}; got {got}",
        )
        raise Abandoned
    problems = [
        f"{where}: {agent}: {problem}"
        for agent, observation in observations.items()
        for problem in _problems(world, agent, observation, step)
    ]
    for problem in problems:
        findings.add("observations.values", problem)
    if problems:
        raise Abandoned


def _problems(world: PlannableWorld, agent: str, seen: Any, step: int) -> Iterator[str]:
    if not isinstance(seen, Observation):
        yield f"must be an Observation, not {type(seen).__name__}"
        return
    if seen.agent != agent:
        yield f"`agent` says {seen.agent!r}"
    if seen.step != step:
        yield f"`step` is {seen.step}, but {step} joint steps were taken since reset"
    pose = seen.pose
    if not isinstance(pose, Pose) or not _finite(pose.x, pose.z, pose.heading_deg):
        yield f"`pose` must be a Pose of finite numbers, not {pose!r}"
    elif not world.geometry.headings and pose.heading_deg != 0.0:
        yield "`pose` has a heading, but geometry.headings is False"
    for pair in _tuple(seen.inventory):
        if not (len(pair) == 2 and isinstance(pair[0], str) and _count(pair[1])):
            yield f"`inventory` holds (item, amount of at least 0) pairs, not {pair!r}"
    if not isinstance(seen.sightings, tuple):
        yield "`sightings` must be a tuple"
    else:
        for sighting in seen.sightings:
            yield from _sighting_problems(world, agent, sighting)
        named = [s.name for s in seen.sightings if s.name != s.kind]
        for name in dict.fromkeys(n for n in named if named.count(n) > 1):
            yield f"`sightings` has {name!r} twice"
    if not isinstance(seen.names, tuple) or not all(isinstance(n, str) for n in seen.names):
        yield "`names` must be a tuple of names"
    elif len(set(seen.names)) != len(seen.names):
        yield "`names` has a name twice"
    texts = (seen.text, seen.state_text, seen.feedback, seen.failures_text)
    if not all(isinstance(t, str) for t in texts):
        yield "`text`, `state_text`, `feedback` and `failures_text` must be texts"
    else:
        for field in ("text", "state_text", *(("feedback",) if step else ())):
            if not getattr(seen, field).strip():
                yield f"`{field}` is empty; prompts consist of it"
    yield from _view_problems(world, seen.view)
    for pair in _tuple(seen.local):
        if not (len(pair) == 2 and isinstance(pair[0], str) and _value(pair[1])):
            yield f"`local` holds (key, JSON value) pairs, not {pair!r}"
    if seen.image is not None and not seen.image.startswith(_PNG):
        yield "`image` must be encoded PNG bytes or None"


def _sighting_problems(world: PlannableWorld, agent: str, sighting: Any) -> Iterator[str]:
    if not isinstance(sighting, Sighting):
        yield f"`sightings` holds a {type(sighting).__name__}, not a Sighting"
        return
    name = sighting.name
    if not isinstance(name, str) or not name:
        yield f"a sighting's name must be a text, not {name!r}"
        return
    if name == agent:
        yield "sights itself; the own place is in `pose`"
    if world.vocabulary.kind(sighting.kind) is None:
        yield f"sights {name} of kind {sighting.kind!r}, which vocabulary.kinds does not have"
    offset = sighting.offset
    if not isinstance(offset, Offset) or not _finite(offset.dx, offset.dz):
        yield f"the offset of {name} must be an Offset of finite numbers"
    for pair in _tuple(sighting.attributes):
        if not (len(pair) == 2 and isinstance(pair[0], str) and _value(pair[1])):
            yield f"attributes of {name} are (key, JSON value) pairs, not {pair!r}"
    holders = sighting.holder.split(", ") if sighting.holder else []
    if any(h not in world.agents for h in holders):
        yield f"{name} is held by {sighting.holder!r}, who is not of the team"


def _view_problems(world: PlannableWorld, view: Any) -> Iterator[str]:
    if view is None:
        return
    if not isinstance(view, View):
        yield f"`view` must be a View or None, not {type(view).__name__}"
    elif not (view.max_range > 0.0 and 0.0 < view.fov_deg <= 360.0):
        yield "`view` needs a range above 0 and an angle in (0, 360]"
    else:
        for kind in view.everywhere:
            if world.vocabulary.kind(kind) is None:
                yield f"`view.everywhere` has {kind!r}, which vocabulary.kinds does not have"


def _tuple(value: Any) -> Iterable[Any]:
    """The entries of a tuple of tuples; anything else as one wrong entry."""
    if isinstance(value, tuple) and all(isinstance(v, tuple) for v in value):
        return value
    return ((value,),)


def _finite(*values: Any) -> bool:
    return all(isinstance(v, int | float) and math.isfinite(v) for v in values)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _value(value: Any) -> bool:
    return isinstance(value, str | bool) or _finite(value)
