"""The trace: append-only JSON lines, one header, then events; everything shown later reads it.

On disk a trace is a gzip file of JSON lines, flushed after every model call and joint step, so that
a killed run leaves a readable prefix: a torn last line or compressed tail is tolerated. Wall-clock
readings stand only under the key `wall` of an event, so that two runs of the same command are
equal once `wall` is taken out (`canonical`).

Events (key `event`; all have `step` and `t`, simulated seconds, except the header)::

    header       format, version, world, planner, model, seed, agents, settings, ...
    text         id, text: a static prompt part, stored once
    observation  agents: name -> observation
    beliefs      agents: name -> {pose, inventory, entries, lines}
    call         module, messages (text or static id), reply, usage, latency_s, attempts, failure
    proposal     candidates, rejections, subtasks, reason, subtask, memory, messages
    assignment   chosen, losers, unmet, status, objective, gap, solver
    outcome      agents: name -> outcome
    subtasks     open, completed (after review)
    score        true score, read by metrics only
    snapshot     true state, read by replay and memory comparison only
    note         text: something a reader should know (a degraded answer, a lost agent)
    end          reason: success | step_budget | model_budget | done | no_subtasks | no_progress |
                 infrastructure | interrupted | crash; clock: shares of the runtime
"""

from __future__ import annotations

import contextlib
import json
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mosaic_planner.core.errors import StorageError, TraceError
from mosaic_planner.core.files import json_bytes

__all__ = [
    "TRACE_FORMAT",
    "Event",
    "Trace",
    "TraceWriter",
    "canonical",
    "read_trace",
    "well_formed",
]

TRACE_FORMAT = 1

_HEADER = ("world", "planner", "model", "seed", "agents", "briefing")
_UNPLACED = frozenset({"header", "text"})
_FLUSHED = frozenset({"header", "call", "score", "end"})

Event = dict[str, Any]
"""One JSON object with the key `event`."""


@dataclass(slots=True)
class TraceWriter:
    """Collects events and, if `path` is given, appends each to disk as soon as it is written.

    A file that cannot be written (no permission, a full disk) raises `StorageError` once; events
    after that are kept in memory only, so that a run can still end in order. `on_event` is called
    with every event after it is stored (live views); its failure would end the run, so it must not
    raise.
    """

    path: Path | None = None
    on_event: Callable[[Event], None] | None = None
    events: list[Event] = field(default_factory=list, repr=False)
    _file: Any = None
    _packer: Any = None
    _broken: bool = False
    _texts: dict[str, str] = field(default_factory=dict)

    def write(self, event: str, **fields: Any) -> Event:
        """Append one event; `fields` must be JSON values. Raises `StorageError`, but only once."""
        record: Event = {"event": event, **fields}
        line = json_bytes(record)
        self.events.append(record)
        if self.path is not None and not self._broken:
            self._store(self.path, event, line)
        if self.on_event is not None:
            self.on_event(record)
        return record

    def _store(self, path: Path, event: str, line: bytes) -> None:
        try:
            if self._file is None:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._file = path.open("wb")
                self._packer = zlib.compressobj(6, zlib.DEFLATED, 31)
            data = self._packer.compress(line + b"\n")
            if event in _FLUSHED:
                data += self._packer.flush(zlib.Z_SYNC_FLUSH)
            self._file.write(data)
            if event in _FLUSHED:
                self._file.flush()
        except OSError as error:
            raise self._broke(path, error) from None

    def _broke(self, path: Path, error: OSError) -> StorageError:
        file, self._file, self._broken = self._file, None, True
        if file is not None:
            with contextlib.suppress(OSError):  # it tries to write what is left, in vain
                file.close()
        return StorageError(path, error)

    def text(self, text: str) -> str:
        """Store a static text once; returns its id ("t0", "t1", ...)."""
        known = self._texts.get(text)
        if known is None:
            known = f"t{len(self._texts)}"
            self._texts[text] = known
            self.write("text", id=known, text=text)
        return known

    def close(self) -> None:
        """Finish the compressed stream; safe to call twice. Raises `StorageError`."""
        if self._file is None or self.path is None:
            return
        try:
            self._file.write(self._packer.flush(zlib.Z_FINISH))
            self._file.close()
            self._file = None
        except OSError as error:
            raise self._broke(self.path, error) from None


@dataclass(frozen=True, slots=True)
class Trace:
    """A read or finished trace. `complete` is False if it has no `end` event (killed run)."""

    events: tuple[Event, ...] = field(repr=False)
    path: Path | None = None

    @property
    def header(self) -> Event:
        """The header event."""
        return self.events[0]

    @property
    def complete(self) -> bool:
        """Whether the episode came to its end."""
        return bool(self.events) and self.events[-1].get("event") == "end"

    def of(self, event: str) -> Iterator[Event]:
        """All events of one kind, in order."""
        return (e for e in self.events if e["event"] == event)

    def texts(self) -> dict[str, str]:
        """Static prompt parts by id."""
        return {e["id"]: e["text"] for e in self.of("text")}


def _unpack(data: bytes) -> bytes:
    if data[:2] != b"\x1f\x8b":
        return data  # a trace somebody unpacked by hand
    try:
        return zlib.decompressobj(31).decompress(data)
    except zlib.error as error:
        raise TraceError(f"not a trace: damaged compressed data ({error})") from None


def read_trace(path: str | Path) -> Trace:
    """Read a trace file, compressed or plain.

    A torn last line is dropped. Raises `TraceError` if the file is missing, is no trace, is of
    another format, or is damaged before its last line.
    """
    path = Path(path)
    try:
        raw = _unpack(path.read_bytes())
    except OSError as error:
        raise TraceError(f"cannot read {path}: {error.strerror}") from None
    lines = raw.split(b"\n")
    events: list[Event] = []
    for number, line in enumerate(lines, start=1):
        if not line:
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            if number == len(lines):
                break
            raise TraceError(f"{path}: line {number} is not JSON") from None
        if not isinstance(event, dict) or "event" not in event:
            raise TraceError(f"{path}: line {number} is not a trace event")
        events.append(event)
    if not events or events[0]["event"] != "header":
        raise TraceError(f"{path}: not a Mosaic trace (no header)")
    missing = [key for key in _HEADER if key not in events[0]]
    if events[0].get("format") == TRACE_FORMAT and missing:
        raise TraceError(f"{path}: the header lacks {missing[0]!r}")
    unplaced = next((e for e in events if "step" not in e and e["event"] not in _UNPLACED), None)
    if unplaced is not None:
        raise TraceError(f"{path}: an event {unplaced['event']!r} has no step")
    if events[0].get("format") != TRACE_FORMAT:
        raise TraceError(
            f"{path}: trace format {events[0].get('format')!r}, this version reads {TRACE_FORMAT}"
        )
    return Trace(tuple(events), path)


@contextlib.contextmanager
def well_formed(where: Callable[[], str]) -> Iterator[None]:
    """What goes through events trusts their shape: in here, what is not of it is a `TraceError`.

    `where` says what was being read when it is asked. For borders only, where files come from
    anywhere: within a run such an error is a defect and stays what it is.
    """
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        what = f"{type(error).__name__}: {error}"
        raise TraceError(f"not a Mosaic trace: {where()} is malformed ({what})") from None


def canonical(trace: Trace) -> str:
    """The trace as JSON lines without wall-clock fields; equal for equal runs."""
    lines = (json_bytes({k: v for k, v in e.items() if k != "wall"}) for e in trace.events)
    return "".join(f"{line.decode()}\n" for line in lines)
