"""Beliefs as values for the trace, and what was believed beside what was true."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mosaic_planner.core.belief import Beliefs

__all__ = ["BeliefRow", "beliefs_to_event", "compare"]


def beliefs_to_event(
    beliefs: Beliefs, agents: Sequence[str], lines: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """The fields of a `beliefs` event, as JSON values.

    `entries`: what the team believes, once for all agents, positions in the shared frame;
    `agents`: by name the believed pose [x, z, heading], the inventory and the prompt lines.
    Relative offsets are not stored, they follow from pose and position. Numbers are rounded to
    1e-6.
    """
    entries = []
    for belief in beliefs.entities.values():
        entry: dict[str, Any] = {
            "name": belief.name,
            "kind": belief.kind,
            "x": round(belief.x, 6),
            "z": round(belief.z, 6),
        }
        optional = {
            "attributes": ([list(pair) for pair in belief.attributes], []),
            "holder": (belief.holder, ""),
            "sigma": (round(belief.sigma, 6), 0.0),
            "confidence": (round(belief.confidence, 6), 1.0),
            "age": (belief.age, 0),
            "source": (belief.source, "seen"),
            "lost": (belief.lost, False),
        }
        entry |= {key: value for key, (value, usual) in optional.items() if value != usual}
        entries.append(entry)
    team = {}
    for agent in agents:
        pose = beliefs.pose(agent)
        team[agent] = {
            "pose": None
            if pose is None
            else [round(v, 6) for v in (pose.x, pose.z)] + [round(pose.heading_deg, 6)],
            "inventory": dict(beliefs.inventory(agent)),
            "lines": list(lines.get(agent, ())),
        }
    return {"entries": entries, "agents": team}


@dataclass(frozen=True, slots=True)
class BeliefRow:
    """One entity as believed and as it truly is.

    `believed` and `true`: (x, z) in the shared frame, world units, None if not believed or not
    there. `error`: their distance, None unless both are known. `verdict`: "right" (within half a
    unit of motion), "off", "lost" (believed lost), "false" (believed, not there) or "unknown"
    (there, not believed). `offset`: believed (right, ahead) in the asking agent's frame, and
    `offset_error` its distance from the true one.
    """

    name: str
    kind: str
    believed: tuple[float, float] | None
    true: tuple[float, float] | None
    error: float | None
    verdict: str
    sigma: float = 0.0
    confidence: float = 0.0
    age: int = 0
    holder: str = ""
    offset: tuple[float, float] | None = None
    offset_error: float | None = None


def compare(
    event: Mapping[str, Any],
    truth: Mapping[str, tuple[float, float]],
    *,
    agent: str = "",
    unit: float = 1.0,
) -> tuple[BeliefRow, ...]:
    """What a `beliefs` event says beside the truth, one row per entity and other agent.

    `truth` maps names (agents too) to true (x, z). With `agent`, offsets in its believed frame
    are compared as well: an error of its own pose shows there. Believed entries come first, in
    their order, then agents, then what nobody believes in.
    """
    team: Mapping[str, Any] = event.get("agents", {})
    own = team.get(agent, {}).get("pose") if agent else None
    rows = []
    for entry in event.get("entries", ()):
        rows.append(_row(entry, truth.get(entry["name"]), own, truth.get(agent), unit))
    for name, state in team.items():
        if name == agent or state["pose"] is None:
            continue
        entry = {"name": name, "kind": "agent", "x": state["pose"][0], "z": state["pose"][1]}
        rows.append(_row(entry, truth.get(name), own, truth.get(agent), unit))
    believed = {row.name for row in rows} | {agent}
    rows += [
        BeliefRow(name, "", None, place, None, "unknown")
        for name, place in truth.items()
        if name not in believed
    ]
    return tuple(rows)


def _row(
    entry: Mapping[str, Any],
    true: tuple[float, float] | None,
    own: Sequence[float] | None,
    own_true: tuple[float, float] | None,
    unit: float,
) -> BeliefRow:
    believed = (float(entry["x"]), float(entry["z"]))
    error = None if true is None else math.dist(believed, true)
    if entry.get("lost"):
        verdict = "lost"
    elif error is None:
        verdict = "false"
    else:
        verdict = "right" if error <= unit / 2 else "off"
    offset = offset_error = None
    if own is not None:
        offset = (believed[0] - own[0], believed[1] - own[1])
        if true is not None and own_true is not None:
            offset_error = math.dist(offset, (true[0] - own_true[0], true[1] - own_true[1]))
    return BeliefRow(
        entry["name"],
        entry["kind"],
        believed,
        true,
        error,
        verdict,
        sigma=entry.get("sigma", 0.0),
        confidence=entry.get("confidence", 1.0),
        age=entry.get("age", 0),
        holder=entry.get("holder", ""),
        offset=offset,
        offset_error=offset_error,
    )
