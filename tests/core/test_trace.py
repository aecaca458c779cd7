"""Traces survive a killed run and refuse what is none."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest

from mosaic_planner.core.errors import MosaicError, StorageError, TraceError
from mosaic_planner.core.trace import Trace, TraceWriter, canonical, read_trace

HEADER = {
    "world": {"id": "w"},
    "planner": "act",
    "model": "m",
    "seed": 0,
    "agents": ["Alice"],
    "briefing": {},
}


_HEADER_LINE = json.dumps({"event": "header", "format": 1, **HEADER}).encode() + b"\n"


def _written(path: Path, close: bool = True) -> TraceWriter:
    writer = TraceWriter(path)
    writer.write("header", format=1, **HEADER)
    for step in range(50):
        writer.write("score", step=step, t=0.1 * step, text="ü" * step, wall={"x": step})
    if close:
        writer.write("end", step=50, t=5.0, reason="step_budget")
        writer.close()
    return writer


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    writer = _written(path)
    trace = read_trace(path)
    assert list(trace.events) == writer.events
    assert trace.complete


def test_every_event_is_readable_before_the_run_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    writer = _written(path, close=False)
    trace = read_trace(path)
    assert list(trace.events) == writer.events
    assert not trace.complete
    writer.close()


def test_any_cut_leaves_a_readable_prefix(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    writer = _written(path)
    data = path.read_bytes()
    for cut in range(200, len(data), 37):
        path.write_bytes(data[:cut])
        events = list(read_trace(path).events)
        assert events == writer.events[: len(events)]
        assert events


def test_canonical_drops_only_the_wall_clock() -> None:
    a = Trace(({"event": "header", "x": 1, "wall": {"s": 1.0}},))
    b = Trace(({"event": "header", "x": 1, "wall": {"s": 2.0}},))
    assert canonical(a) == canonical(b) == '{"event":"header","x":1}\n'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no header"),
        (b"hello\n", "line 1 is not JSON"),
        (b"[1]\n", "line 1 is not a trace event"),
        (b'{"event":"score"}\n', "no header"),
        (b'{"event":"header","format":99}\n', "trace format 99"),
        (b'{"event":"header","format":1}\nxx\n{"event":"end"}\n', "line 2"),
        (b'{"event":"header","format":1}\n', "header lacks 'world'"),
        (_HEADER_LINE + b'{"event":"score"}\n', "an event 'score' has no step"),
        (b"\x1f\x8b\x08garbage", "trace"),
    ],
)
def test_what_is_no_trace_is_refused(tmp_path: Path, content: bytes, words: str) -> None:
    path = tmp_path / "a"
    path.write_bytes(content)
    with pytest.raises(TraceError, match=words):
        read_trace(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="cannot read"):
        read_trace(tmp_path / "none")


def test_static_texts_are_stored_once() -> None:
    writer = TraceWriter()
    writer.write("header", format=1)
    assert writer.text("long") == writer.text("long") == "t0"
    assert writer.text("other") == "t1"
    assert [e["event"] for e in writer.events] == ["header", "text", "text"]


def test_a_line_nested_beyond_reading_is_a_damaged_line(tmp_path: Path) -> None:
    path = tmp_path / "deep.jsonl"
    path.write_text('{"event":"header","format":1}\n' + "[" * 100_000 + "\n{}\n")
    with pytest.raises(TraceError, match="line 2"):
        read_trace(path)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_said_once_and_the_run_can_still_end() -> None:
    writer = TraceWriter(Path("/dev/full"))
    with pytest.raises(
        StorageError, match=r"^cannot write /dev/full: No space left on device$"
    ) as e:
        writer.write("header", format=1, **HEADER)
    assert e.value.errno == errno.ENOSPC
    assert isinstance(e.value, MosaicError)
    writer.write("end", step=0, t=0.0, reason="crash")
    writer.close()
    assert [event["event"] for event in writer.events] == ["header", "end"]


def test_a_place_that_takes_no_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "file" / "a.jsonl.gz"):
        with pytest.raises(StorageError, match=r"^cannot write .*: [A-Z][a-z ]+$"):
            TraceWriter(path).write("header", format=1, **HEADER)
