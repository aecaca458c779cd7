"""Reading event by event gives what `read_trace` gives, torn ends and mistakes included."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from mosaic_planner.core.errors import TraceError
from mosaic_planner.core.trace import Trace, TraceWriter, read_trace
from mosaic_planner.replay import replay_page
from mosaic_planner.replay.reading import EventFile, header_and_rest


@pytest.fixture
def file(trace: Trace, tmp_path: Path) -> Path:
    writer = TraceWriter(tmp_path / "trace.jsonl.gz")
    for event in trace.events:
        writer.write(event["event"], **{k: v for k, v in event.items() if k != "event"})
    writer.close()
    return tmp_path / "trace.jsonl.gz"


def test_the_events_are_the_same_and_can_be_read_again(file: Path) -> None:
    source = EventFile(file)
    assert tuple(source) == read_trace(file).events == tuple(source)


def test_an_unpacked_file_is_read_too(file: Path) -> None:
    plain = file.with_suffix("")
    plain.write_bytes(gzip.decompress(file.read_bytes()))
    assert tuple(EventFile(plain)) == read_trace(file).events


def test_every_torn_file_gives_the_same_prefix_as_read_trace(file: Path) -> None:
    data = file.read_bytes()
    for length in range(len(data) // 3, len(data), len(data) // 17):
        file.write_bytes(data[:length])
        assert tuple(EventFile(file)) == read_trace(file).events


def test_the_page_of_a_file_is_the_page_of_the_trace(file: Path, trace: Trace) -> None:
    assert replay_page(EventFile(file)) == replay_page(trace)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello",
        b'{"event":"header","format":99}\n',
        b'{"event":"text"}\n',
        b'{"event":"header","format":1}\nnot json\n{"event":"end"}\n',
        b"[1]\n",
        b"\x1f\x8b\x08\x00broken gzip that is none",
    ],
)
def test_what_is_no_trace_is_one_clear_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "no-trace"
    path.write_bytes(content)
    with pytest.raises(TraceError) as caught:
        list(header_and_rest(EventFile(path))[1])
    assert "\n" not in str(caught.value)
    with pytest.raises(TraceError):
        read_trace(path)


def test_a_missing_file_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="cannot read"):
        header_and_rest(EventFile(tmp_path / "missing"))
