"""The examples in docs/replay.md run, and its pictures are there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from replay_traces import make_trace

from mosaic_planner.core.trace import Trace
from mosaic_planner.replay.payload import episode_payload

PAGE = Path(__file__).resolve().parents[2] / "docs" / "replay.md"


def _examples() -> list[str]:
    return re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


def test_the_first_example_writes_page_film_and_frame(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found: dict[str, Any] = {}
    exec(_examples()[0], found)  # noqa: S102 - our own documentation
    assert (tmp_path / "episode.html").is_file()
    assert (tmp_path / "mission.gif").is_file()
    assert found["html"].startswith("<iframe")


def test_the_world_of_the_second_example_is_drawn() -> None:
    exec(_examples()[1], {})  # noqa: S102 - our own documentation
    trace = make_trace(world_id="corridor-v1")
    trace.header["world"]["static"] = {"length": 6}
    events = []
    for event in trace.events:
        if event["event"] == "snapshot":
            event = event | {"world": {"cells": {"Alice": 1, "Bob": event["step"]}, "open": True}}
        events.append(event)
    payload = episode_payload(Trace(tuple(events)))
    assert payload.steps == 10


def test_every_picture_is_there_and_shown() -> None:
    named = set(re.findall(r"\((images/[\w.-]+)\)", PAGE.read_text("utf-8")))
    there = {f"images/{p.name}" for p in (PAGE.parent / "images").glob("replay-*.png")}
    assert named == there
