"""Replaying a recorded episode: the same actions in faithful mode, written in the same format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mosaic_planner.core.errors import UsageError
from mosaic_planner.core.files import json_bytes, read_json, write_file
from mosaic_planner.worlds.sar.scene import load_scene
from mosaic_planner.worlds.sar.switches import SarSwitches
from mosaic_planner.worlds.sar.world import SarWorld

__all__ = ["RECORDING_FORMAT", "differences", "read_recording", "replay", "write_recording"]

RECORDING_FORMAT = 1
_LETTERS = frozenset("UDLR")


def read_recording(path: str | Path) -> dict[str, Any]:
    """A recording from a file; raises `UsageError` with one line if it is none."""
    data = read_json(path, "recording")
    problem = _problem(data)
    if problem:
        raise UsageError(f"{path} is not a recording: {problem}")
    checked: dict[str, Any] = data
    return checked


def write_recording(recording: dict[str, Any], path: str | Path) -> None:
    """Write a recording as the recorded ones are: one line of JSON with sorted keys."""
    write_file(path, json_bytes(recording, sort_keys=True))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _problem(data: Any) -> str:
    """What is missing of the fields that a replay reads; "" if nothing is."""
    if not isinstance(data, dict):
        return "it is not a JSON object"
    if not _is_count(data.get("format")) or data["format"] != RECORDING_FORMAT:
        return f"format is {data.get('format')!r}, this version reads {RECORDING_FORMAT}"
    for key in ("scene", "agents", "seed"):
        if not _is_count(data.get(key)):
            return f"{key} must be a whole number"
    steps = data.get("steps")
    if not isinstance(steps, list):
        return "steps must be a list"
    for n, step in enumerate(steps):
        entries = step.get("agents") if isinstance(step, dict) else None
        if not isinstance(entries, list) or len(entries) != data["agents"]:
            return f"steps[{n}].agents must list {data['agents']} agents"
        for i, entry in enumerate(entries):
            place = f"steps[{n}].agents[{i}]"
            if not isinstance(entry, dict) or not isinstance(entry.get("act"), str):
                return f"{place}.act must be a text"
            moves = entry.get("moves", "")
            if not isinstance(moves, str) or not _LETTERS.issuperset(moves):
                return f"{place}.moves must consist of U, D, L and R"
    return ""


def replay(recorded: dict[str, Any], *, force: bool = True) -> dict[str, Any]:
    """Our recording of the same actions, Explore's unit moves forced where the recording has them.

    Without `force` Explore draws its own directions as the reference does, which is possible as
    long as no region was picked otherwise than by rule M3.

    Settings of the recording (`scene`, `agents`, `seed`, and notes about its policy) are taken
    over; everything else is computed. Raises `UsageError` if `recorded` is not a recording.
    """
    problem = _problem(recorded)
    if problem:
        raise UsageError(f"not a recording: {problem}")
    switches = SarSwitches.faithful()
    world = SarWorld(load_scene(recorded["scene"]), recorded["agents"], switches=switches)
    world.reset(recorded["seed"])
    ours: dict[str, Any] = {
        key: value
        for key, value in recorded.items()
        if key not in ("static", "initial", "steps", "names")
    }
    ours["names"] = list(world.agents)
    ours["static"] = dict(world.static())
    ours["initial"] = dict(world.snapshot())
    steps: list[dict[str, Any]] = []
    for step in recorded["steps"]:
        entries = step["agents"]
        moves = {i: e["moves"] for i, e in enumerate(entries) if "moves" in e} if force else None
        world.replay_step([e["act"] for e in entries], moves)
        steps.append(dict(world.snapshot()))
    ours["steps"] = steps
    return ours


def differences(theirs: Any, ours: Any, place: str = "", limit: int = 20) -> list[str]:
    """Where two recordings differ, field by field, at most `limit` lines."""
    found: list[str] = []
    _compare(theirs, ours, place, found, limit)
    return found


def _compare(theirs: Any, ours: Any, place: str, found: list[str], limit: int) -> None:
    if len(found) >= limit:
        return
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in sorted(theirs.keys() | ours.keys()):
            inside = f"{place}.{key}" if place else str(key)
            if key not in theirs:
                found.append(f"{inside}: only in ours: {ours[key]!r}")
            elif key not in ours:
                found.append(f"{inside}: only in theirs: {theirs[key]!r}")
            else:
                _compare(theirs[key], ours[key], inside, found, limit)
    elif isinstance(theirs, list) and isinstance(ours, list) and len(theirs) == len(ours):
        for i, (a, b) in enumerate(zip(theirs, ours, strict=True)):
            _compare(a, b, f"{place}[{i}]", found, limit)
    elif type(theirs) is not type(ours) or theirs != ours:
        found.append(f"{place}: theirs {theirs!r}, ours {ours!r}")
