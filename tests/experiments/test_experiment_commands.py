"""The commands as a user types them."""

from __future__ import annotations

import json
import re
import shutil
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote

import pytest
import typer
from typer.testing import CliRunner

from mosaic_planner import replay
from mosaic_planner.cli import experiments
from mosaic_planner.core.errors import TraceError, UnknownNameError, UsageError
from mosaic_planner.experiments import tasks

SUITE = """
name = "mine"
title = "Mine"
episodes = 2
[settings]
model = "standin:careful"
steps = 3
agents = 2
[[worlds]]
world = "sar"
tasks = [1, 2]
[[rows]]
label = "LLaMAR"
planner = "llamar"
[[rows]]
label = "LLaMAR + Mosaic"
base = "LLaMAR"
planner = "llamar+mosaic"
"""


@pytest.fixture(scope="module")
def app() -> typer.Typer:
    found = typer.Typer()
    experiments.register(found)
    return found


@pytest.fixture(scope="module")
def suite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("suites") / "mine.toml"
    path.write_text(SUITE)
    return path


@pytest.fixture(scope="module")
def swept(app: typer.Typer, suite_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("out") / "sweep"
    done = CliRunner().invoke(
        app, ["sweep", str(suite_file), "--out", str(out), "--engine", "async", "--jobs", "1"]
    )
    assert done.exit_code == 0, done.output
    assert "LLaMAR + Mosaic" in done.output
    assert "STAND-IN" in done.output
    assert "8 of 8 episodes finished" in done.output
    return out


def call(app: typer.Typer, *words: str) -> str:
    done = CliRunner().invoke(app, list(words), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_suites_are_listed_and_shown(app: typer.Typer) -> None:
    listed = call(app, "suites")
    assert "table2" in listed
    assert "sar-effect" in listed
    assert json.loads(call(app, "suites", "table9"))["vary"] == {"k": [1, 2, 3, 4, 5]}


def test_a_sweep_leaves_its_files(swept: Path) -> None:
    names = {path.name for path in swept.iterdir()}
    assert {"manifest.json", "results.csv", "results.parquet", "summary.csv", "tables"} <= names
    assert (swept / "tables" / "mine-sar.tex").exists()
    assert (swept / "figures" / "mine-sar-trends.png").exists()


def test_the_same_again_as_json(app: typer.Typer, suite_file: Path, swept: Path) -> None:
    printed = call(app, "sweep", str(suite_file), "--out", str(swept), "--json")
    assert json.loads(printed) == {
        "folder": str(swept),
        "episodes": 8,
        "finished": 8,
        "reused": 8,
        "crashed": 0,
        "unreachable": 0,
        "missing_worlds": [],
        "stopped": "",
    }


def test_a_dry_run_leaves_nothing(app: typer.Typer, suite_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "none"
    words = ["sweep", str(suite_file), "--out", str(out), "--model", "openai:gpt-4o", "--dry-run"]
    assert "USD" in call(app, *words)
    found = json.loads(call(app, *words, "--json"))
    assert found["episodes"] == 8
    assert found["cost_usd"][1] > 0
    assert not out.exists()


def test_a_sweep_has_a_folder_of_its_own(
    app: typer.Typer, suite_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["sweep", str(suite_file), "--engine", "async", "--jobs", "1", "--limit", "1"]
    call(app, *words)
    assert (tmp_path / "runs" / "mine" / "manifest.json").is_file()


def test_compare_and_report(app: typer.Typer, swept: Path) -> None:
    rows = ["--row-a", "LLaMAR + Mosaic", "--row-b", "LLaMAR"]
    said = call(app, "compare", str(swept), *rows)
    assert "A = LLaMAR + Mosaic   B = LLaMAR   world sar" in said
    found = json.loads(call(app, "compare", str(swept), *rows, "--json"))
    assert found["comparisons"][0]["pairs"] == 4
    assert "report:" in call(app, "report", str(swept), "--replays", "none")
    page = (swept / "report.html").read_text()
    assert "mosaic sweep mine --out sweep" in page
    assert ">replay</a>" not in page
    assert not (swept / "replays").exists()


def test_a_report_links_replays_of_chosen_episodes(
    app: typer.Typer, swept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Best, median and worst of each row by default; links lead there from wherever the page is."""
    call(app, "report", str(swept))
    chosen = sorted(path.name for path in (swept / "replays").iterdir())
    assert 4 <= len(chosen) < 8
    assert all(name.endswith(".html") for name in chosen)
    elsewhere = tmp_path / "pages" / "report.html"
    call(app, "report", str(swept), "--replays", "all", "--out", str(elsewhere))
    assert len(list((swept / "replays").iterdir())) == 8
    assert set(chosen) <= {path.name for path in (swept / "replays").iterdir()}
    for page in (swept / "report.html", elsewhere):
        links = re.findall(r'<a href="([^"]+)">replay</a>', page.read_text())
        assert len(links) == len(chosen)
        for link in links:
            shown = page.parent / unquote(link)
            assert "<html" in shown.read_text()
            assert not link.startswith("/")
    call(app, "report", str(swept), "--replays", "3")
    pages = sorted((swept / "replays").iterdir())
    for page in pages:
        page.unlink()

    def refuse(*args: object, **options: object) -> None:
        raise TraceError("a step has no outcome")

    monkeypatch.setattr(replay, "write_replay", refuse)
    done = CliRunner().invoke(app, ["report", str(swept)])
    assert done.exit_code == 0
    assert "no replay of sar-scene_1" in done.stderr
    assert "pages in" not in done.stdout
    assert not list((swept / "replays").iterdir())
    with pytest.raises(UsageError, match="say chosen, all, none or a number"):
        CliRunner().invoke(app, ["report", str(swept), "--replays", "some"], catch_exceptions=False)


def test_reproduce_a_figure_of_the_papers_own_world(app: typer.Typer, tmp_path: Path) -> None:
    words = ["reproduce", "table3", "--quick", "--out", str(tmp_path), "--set", "steps=2"]
    words += ["--vary", "agents=3", "--engine", "async", "--jobs", "1"]
    printed = call(app, *words)
    assert "Table 3" in printed
    assert "0.63" in printed  # the paper's success of LLaMAR with three agents
    assert len(list(tmp_path.glob("table3-quick-*/tables/table3-sar.csv"))) == 1


def test_a_dry_run_counts_shared_episodes_once(app: typer.Typer, tmp_path: Path) -> None:
    words = ["reproduce", "fig5", "table13", "--quick", "--dry-run", "--out", str(tmp_path)]
    words += ["--row", "Act", "--row", "ReAct"]
    said = call(app, *words)
    assert said.count("episodes  8 ") == 1
    assert "the episodes of table2, counted above" in said
    assert json.loads(call(app, *words, "--json").splitlines()[-1])["episodes"] == 8
    words[1:3] = ["fig5", "table3"]
    words[-4:] = ["--row", "LLaMAR"]
    with pytest.raises(UsageError, match="has no label"):
        CliRunner().invoke(app, [*words, "--row", "Act"], catch_exceptions=False)
    found = json.loads(call(app, *words, "--json").splitlines()[-1])["sweeps"]
    assert [part["episodes"] for part in found] == [4, 4]
    assert not list(tmp_path.iterdir())


def test_mistakes_are_one_line(app: typer.Typer, tmp_path: Path, swept: Path) -> None:
    def fails(kind: type[Exception], words: list[str]) -> str:
        with pytest.raises(kind) as caught:
            CliRunner().invoke(app, words, catch_exceptions=False)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    out = ["--out", str(tmp_path)]
    assert "did you mean 'table2'" in fails(UnknownNameError, ["reproduce", "tabel2", *out])
    assert "known: " in fails(UnknownNameError, ["sweep", "nothing", *out])
    assert "KEY=V1,V2" in fails(UsageError, ["sweep", "table9", "--vary", "k", *out])
    assert "--vary k=" in fails(UsageError, ["sweep", "table9", "--set", "k=2", *out])
    assert "it has sar" in fails(UsageError, ["reproduce", "table3", "--world", "household", *out])
    assert "nothing to run" in fails(UsageError, ["reproduce", "all", "--world", "moon", *out])
    assert "needs --row-a and --row-b" in fails(UsageError, ["compare", str(swept)])
    assert "holds no sweep" in fails(UsageError, ["report", str(tmp_path)])
    assert "--mlflow ADDRESS or --otel" in fails(UsageError, ["export", str(swept)])


def test_spans_count_as_sent_only_when_the_collector_took_them(
    app: typer.Typer, swept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, got = [200], []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(status[0])
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    try:
        done = CliRunner().invoke(app, ["export", str(swept), "--otel"], catch_exceptions=False)
        assert re.search(r"[1-9]\d* spans sent", done.output)
        assert sum(body.count(b"invoke_agent llamar") for body in got) >= 8
        status[0] = 400  # not one that is tried again
        with pytest.raises(UsageError, match=r"took 0 of \d+ spans; see that it runs"):
            CliRunner().invoke(app, ["export", str(swept), "--otel"], catch_exceptions=False)
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.slow  # needs the MLflow extra
def test_an_mlflow_that_is_not_there_is_one_line_without_the_password(
    app: typer.Typer, swept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_HTTP_REQUEST_MAX_RETRIES", "0")
    words = ["export", str(swept), "--mlflow", "http://ann:s3cret@127.0.0.1:1"]
    with pytest.raises(UsageError, match=r"MLflow at http://127\.0\.0\.1:1: ") as caught:
        CliRunner().invoke(app, words, catch_exceptions=False)
    assert "\n" not in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_a_sweep_in_a_folder_that_may_only_be_read_is_compared(
    app: typer.Typer, swept: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = tmp_path / "theirs"
    shutil.copytree(swept, theirs)
    (theirs / "rows.jsonl").unlink()
    opened = Path.open

    def closed(path: Path, mode: str = "r", *rest: Any, **more: Any) -> Any:
        if path.is_relative_to(theirs) and mode != "r" and "b" not in mode:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, mode, *rest, **more)

    monkeypatch.setattr(Path, "open", closed)
    words = ["compare", str(theirs), "--row-a", "LLaMAR + Mosaic", "--row-b", "LLaMAR"]
    done = CliRunner().invoke(app, words, catch_exceptions=False)
    assert done.exit_code == 0
    assert "Success rate" in done.output
    assert not (theirs / "rows.jsonl").exists()


def test_what_needs_a_missing_world_says_so(
    app: typer.Typer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "world_names", lambda: ("sar",))
    with pytest.raises(UsageError, match=r"table9 needs the household world.*--world sar"):
        CliRunner().invoke(app, ["reproduce", "table9"], catch_exceptions=False)
