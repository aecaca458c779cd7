"""Events one after the other, so that a trace larger than memory can be shown.

`core.trace.read_trace` holds a whole trace; a team of a hundred over a thousand steps writes
several gigabytes of events, of which a page keeps little.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mosaic_planner.core.errors import TraceError
from mosaic_planner.core.trace import TRACE_FORMAT, Event, Trace

__all__ = ["EventFile", "Events", "events_of", "header_and_rest"]

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class EventFile:
    """A trace file as events; every iteration reads it again.

    Tolerates a torn end and raises `TraceError` exactly as `core.trace.read_trace` does.
    """

    path: Path

    def __iter__(self) -> Iterator[Event]:
        torn = False
        for number, line in enumerate(_lines(self.path), start=1):
            if torn:
                raise TraceError(f"{self.path}: line {number - 1} is not JSON")
            if not line:
                continue
            try:
                event = json.loads(line)
            except ValueError:
                torn = True  # forgiven if nothing follows
                continue
            if not isinstance(event, dict) or "event" not in event:
                raise TraceError(f"{self.path}: line {number} is not a trace event")
            yield event


Events = Trace | EventFile | Iterable[Event]
"""A trace in memory, a trace file, or events that can be gone through more than once."""


def events_of(source: Events) -> Iterable[Event]:
    """The events of a source, header first."""
    return source.events if isinstance(source, Trace) else source


def header_and_rest(source: Events) -> tuple[Event, Iterator[Event]]:
    """The header and what comes after it. Raises `TraceError` if it has none of this format."""
    events = iter(events_of(source))
    header = next(events, None)
    where = f"{source.path}: " if isinstance(source, EventFile) else ""
    if header is None or header["event"] != "header":
        raise TraceError(f"{where}not a Mosaic trace (no header)")
    if header.get("format") != TRACE_FORMAT:
        found = header.get("format")
        raise TraceError(f"{where}trace format {found!r}, this version reads {TRACE_FORMAT}")
    return header, events


def _blocks(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            first = file.read(2)
            unpacker = zlib.decompressobj(31) if first == b"\x1f\x8b" else None
            block = first + file.read(_BLOCK)
            while block:
                yield block if unpacker is None else unpacker.decompress(block)
                block = file.read(_BLOCK)
    except OSError as error:
        raise TraceError(f"cannot read {path}: {error.strerror}") from None
    except zlib.error as error:
        raise TraceError(f"not a trace: damaged compressed data ({error})") from None


def _lines(path: Path) -> Iterator[bytes]:
    """Lines without their ends; what follows the last line end comes last."""
    parts: list[bytes] = []
    for block in _blocks(path):
        *whole, rest = block.split(b"\n")
        for line in whole:
            parts.append(line)
            yield b"".join(parts)
            parts = []
        parts.append(rest)
    last = b"".join(parts)
    if last:
        yield last
