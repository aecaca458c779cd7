"""Observations in plain words, for worlds that need no wording of their own.

A world that builds its observations with `plain_observation` and says::

    word_observation = staticmethod(plain_words)

has texts that fit its values, behind noisy sensors too (`worlds.noise`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mosaic_planner.core.geometry import Pose
from mosaic_planner.core.observation import Observation, Outcome, Sighting, Value, View

__all__ = ["plain_observation", "plain_words"]


def plain_observation(
    agent: str,
    step: int,
    pose: Pose,
    sightings: Sequence[Sighting],
    *,
    inventory: Mapping[str, int] | None = None,
    outcome: Outcome | None = None,
    view: View | None = None,
    local: Mapping[str, Value] | None = None,
    failures: str = "",
) -> Observation:
    """An observation whose texts and names are made from its values.

    `outcome` is that of the agent's last action, None right after a reset. Everything sighted may
    be named. `inventory` maps items to amounts; `local` are facts of the agent's surroundings.
    """
    values = Observation(
        agent=agent,
        step=step,
        pose=pose,
        inventory=() if inventory is None else tuple(inventory.items()),
        sightings=tuple(sightings),
        names=(),
        text="",
        feedback="nothing has been done yet" if outcome is None else _feedback(outcome),
        failures_text=failures,
        view=view,
        local=() if local is None else tuple(local.items()),
    )
    return plain_words(values)


def plain_words(observation: Observation) -> Observation:
    """The same values with `text`, `state_text` and `names` that say exactly them.

    One line `key: value` per local fact and `- NAME (KIND): ...` per sighting; the state is pose
    and inventory.
    """
    pose = observation.pose
    lines = [f"{key}: {value}" for key, value in observation.local]
    lines += [_line(sighting) for sighting in observation.sightings]
    holding = ", ".join(f"{item} {amount}" for item, amount in observation.inventory) or "nothing"
    facing = f", heading {pose.heading_deg:.0f} degrees" if pose.heading_deg else ""
    return replace(
        observation,
        names=tuple(dict.fromkeys(s.name for s in observation.sightings)),
        text="\n".join(lines) or "nothing in sight",
        state_text=f"at ({pose.x:.1f}, {pose.z:.1f}){facing}, holding {holding}",
    )


def _line(sighting: Sighting) -> str:
    said = [f"{key} {value}" for key, value in sighting.attributes]
    if sighting.holder:
        said.append(f"held by {sighting.holder}")
    tail = f": {', '.join(said)}" if said else ""
    return f"- {sighting.name} ({sighting.kind}){tail}"


def _feedback(outcome: Outcome) -> str:
    if outcome.success:
        return f"{outcome.action} succeeded"
    why = outcome.reason or outcome.error_kind
    return f"{outcome.action} failed: {why}" if why else f"{outcome.action} failed"
