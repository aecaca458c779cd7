"""The hand-made mission and how to look into a packed page."""

from __future__ import annotations

import base64
import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from replay_traces import make_trace

from mosaic_planner.core.trace import Trace
from mosaic_planner.replay.pack import Chunk


@pytest.fixture
def trace() -> Trace:
    """All nine steps of the hand-made mission."""
    return make_trace()


@pytest.fixture
def unpack() -> Callable[[str], Any]:
    """The JSON value inside packed data, read as the page reads it."""

    def read(data: str) -> Any:
        return json.loads(gzip.decompress(base64.b64decode(data)))

    return read


@pytest.fixture
def moments_of(unpack: Callable[[str], Any]) -> Callable[[tuple[Chunk, ...], str], list[Any]]:
    """All moments of a list of chunks, with `texts` of their chunk; deltas are applied."""

    def read(chunks: tuple[Chunk, ...], parts: str) -> list[Any]:
        found = []
        for chunk in chunks:
            value = unpack(chunk.data)
            whole: dict[str, dict[str, Any]] = {part: {} for part in parts}
            assert len(value["steps"]) == chunk.last - chunk.first + 1
            for step in value["steps"]:
                for part in parts:
                    merged = {**whole[part], **step[part]}
                    whole[part] = {k: v for k, v in merged.items() if v is not None}
                found.append(
                    {**step, **{p: dict(whole[p]) for p in parts}, "texts": value["texts"]}
                )
        return found

    return read
