"""`mosaic replay` and `mosaic video`."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from replay_traces import make_trace
from typer.testing import CliRunner

from mosaic_planner.cli.replay import page_path, register
from mosaic_planner.core.errors import UsageError
from mosaic_planner.core.trace import Trace, TraceWriter

RUNNER = CliRunner()
APP = typer.Typer()
register(APP)


def _saved(trace: Trace, path: Path) -> Path:
    writer = TraceWriter(path)
    for event in trace.events:
        writer.write(event["event"], **{k: v for k, v in event.items() if k != "event"})
    writer.close()
    return path


@pytest.fixture
def saved(trace: Trace, tmp_path: Path) -> Path:
    return _saved(trace, tmp_path / "one.jsonl.gz")


def test_the_page_goes_beside_the_trace(saved: Path) -> None:
    result = RUNNER.invoke(APP, ["replay", str(saved)])
    assert result.exit_code == 0, result.output
    assert "page written" in result.output
    assert saved.with_name("one.html").is_file()
    assert page_path(Path("a/b.json")) == Path("a/b.html")


def test_two_traces_make_one_page(saved: Path, tmp_path: Path) -> None:
    other = _saved(make_trace(change_at=5), tmp_path / "two.jsonl.gz")
    out = tmp_path / "both.html"
    result = RUNNER.invoke(APP, ["replay", str(saved), str(other), "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert 'id="e1-core"' in out.read_text("utf-8")
    RUNNER.invoke(APP, ["replay", str(saved), str(other)])  # does not replace the page of one
    assert (tmp_path / "one-and-two.html").is_file()
    assert not (tmp_path / "one.html").exists()


def test_no_details_makes_a_smaller_page(saved: Path, tmp_path: Path) -> None:
    out = tmp_path / "small.html"
    assert (
        RUNNER.invoke(APP, ["replay", str(saved), "--no-details", "--out", str(out)]).exit_code == 0
    )
    assert 'id="e0-d0"' not in out.read_text("utf-8")


def test_a_trace_is_never_overwritten(saved: Path) -> None:
    before = saved.read_bytes()
    result = RUNNER.invoke(APP, ["replay", str(saved), "--out", str(saved)])
    assert isinstance(result.exception, UsageError)
    assert saved.read_bytes() == before


def test_a_film_is_written(saved: Path, tmp_path: Path) -> None:
    out = tmp_path / "film.gif"
    args = ["video", str(saved), "--out", str(out), "--height", "120", "--smooth", "1"]
    result = RUNNER.invoke(APP, [*args, "--steps", "3:5", "--theme", "dark"])
    assert result.exit_code == 0, result.output
    assert out.read_bytes()[:6] == b"GIF89a"


@pytest.mark.parametrize(
    ("option", "value"), [("--theme", "pink"), ("--steps", "abc"), ("--steps", "7")]
)
def test_wrong_options_are_one_clear_line(
    saved: Path, tmp_path: Path, option: str, value: str
) -> None:
    args = ["video", str(saved), "--out", str(tmp_path / "film.gif"), option, value]
    result = RUNNER.invoke(APP, args)
    assert isinstance(result.exception, UsageError)
    assert value in str(result.exception)
