"""What the team believes beside what is true, one row per thing, errors in words.

Positions are judged by `memory.compare`; here attributes, holders and kinds are compared as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mosaic_planner.core.observation import Value
from mosaic_planner.memory import compare
from mosaic_planner.replay.drawing import Frame, Scene

__all__ = ["VERDICTS", "belief_rows"]

VERDICTS = ("right", "off", "lost", "false", "unknown", "wrong")
"""`memory.compare`'s verdicts on a place, and "wrong": right place, but something else is not."""


def belief_rows(
    event: Mapping[str, Any] | None, frame: Frame, scene: Scene, unit: float
) -> dict[str, list[Any]]:
    """By name [kind, x, z, verdict, distance, age, confidence, holder, words, errors].

    `x`, `z` are None for what nobody believes in, `distance` (world units) where one of the two
    places is missing. `words` are the believed attributes, `errors` what is wrong in plain words.
    Empty without a beliefs event; without the truth every verdict is "".
    """
    if event is None:
        return {}
    kinds = {prop.name: prop.kind for prop in scene.props}
    kinds |= {name: place.kind for name, place in frame.places.items() if place.kind}
    truth = {name: (body.x, body.z) for name, body in frame.agents.items()}
    truth |= {name: (p.x, p.z) for name, p in frame.places.items() if not p.gone}
    entries = {entry["name"]: entry for entry in event["entries"]}
    rows: dict[str, list[Any]] = {}
    for row in compare(event, truth if scene.truthful else {}, unit=unit):
        entry = entries.get(row.name, {})
        errors: list[str] = []
        verdict = row.verdict if scene.truthful else ""
        if scene.truthful:
            errors = _errors(row.name, entry, frame, kinds)
            verdict = "wrong" if errors and verdict == "right" else verdict
        if verdict == "unknown" and not _worth_knowing(row.name, frame):
            continue
        at = (None, None) if row.believed is None else row.believed
        rows[row.name] = [
            row.kind or kinds.get(row.name, ""),
            _rounded(at[0]),
            _rounded(at[1]),
            verdict,
            _rounded(row.error),
            row.age,
            row.confidence,
            row.holder,
            _words(entry.get("attributes", ())),
            errors,
        ]
    return rows


def _worth_knowing(name: str, frame: Frame) -> bool:
    """A burnt-out region is nothing that an agent fails to know of."""
    place = frame.places.get(name)
    return place is None or ("intensity", "None") not in place.attributes


def _errors(
    name: str, entry: Mapping[str, Any], frame: Frame, kinds: Mapping[str, str]
) -> list[str]:
    place = frame.places.get(name)
    if place is None or not entry:
        return []
    if place.gone:
        return ["is not there any more"]
    found = []
    kind = kinds.get(name, "")
    if kind and entry["kind"] != kind:
        found.append(f"is a {kind}, not a {entry['kind']}")
    true = dict(place.attributes)
    for key, value in entry.get("attributes", ()):
        if key in true and true[key] != value:
            found.append(f"{key} is truly {_word(true[key])}")
    believed = str(entry.get("holder", ""))
    if place.holder not in believed.split(", ") and (place.holder or believed):
        held = f"is held by {place.holder}" if place.holder else "is held by nobody"
        found.append(held)
    return found


def _words(attributes: Any) -> str:
    return ", ".join(f"{key} {_word(value)}" for key, value in attributes if value != "")


def _word(value: Value) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value == "":
        return "nothing"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 3)
