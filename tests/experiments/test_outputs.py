"""Comparison in words, estimates, the report's page, exports."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest
from experiments_fakes import InProcess, make_figures, make_suite

from mosaic_planner.core.errors import UsageError
from mosaic_planner.core.trace import read_trace
from mosaic_planner.experiments.comparison import compare, comparison_text
from mosaic_planner.experiments.estimate import estimate
from mosaic_planner.experiments.manifest import Manifest
from mosaic_planner.experiments.outputs import Results, build_outputs, standin_label
from mosaic_planner.experiments.report import notable_episodes, replay_path, report_page
from mosaic_planner.experiments.runner import sweep
from mosaic_planner.experiments.store import Store


def results(row: str, shift: float, noise: float = 1.0, seeds: int = 4) -> Results:
    r = np.random.default_rng(0)
    suite = make_suite(rows=[{"label": row, "planner": "llamar"}])
    lines = [
        make_figures(
            row=row,
            task=f"scene {scene}",
            seed=seed,
            success=scene + shift / 10 > 3,
            runtime_s=100 + 5 * scene + shift + noise * float(r.normal()),
        )
        for scene in range(1, 6)
        for seed in range(seeds)
    ]
    return Results(Path("none"), Manifest(suite, (), "d", {}), lines)


def test_a_clear_difference_is_said_plainly() -> None:
    found = compare(results("A", -40.0, 5.0), results("B", 0.0, 3.0))[0]
    runtime = next(f for f in found.findings if f.column.name == "runtime_s")
    assert runtime.verdict == "better"
    assert runtime.difference.difference == pytest.approx(-40.0, abs=5)
    text = comparison_text(found)
    assert "20 pairs of episodes (same task and seed), 5 tasks." in text
    assert re.search(r"Runtime \(s\): .* A is better\.", text)
    assert text.startswith("STAND-IN")


def test_an_open_difference_says_what_it_takes() -> None:
    # opposite effects per task: more seeds cannot help, more tasks can
    a, b = results("A", 0.0, 0.0), results("B", 0.0, 0.0)
    for line in a.lines:
        line["runtime_s"] += 20 * (int(line["task"][-1]) % 2) - 7
    found = compare(a, b)[0]
    runtime = next(f for f in found.findings if f.column.name == "runtime_s")
    assert runtime.verdict == "open"
    assert runtime.needed is not None
    assert runtime.needed.repeats is None
    text = comparison_text(found)
    assert "more tasks at as many seeds. No number of seeds on these tasks alone" in text
    assert re.search(r"\d+ more tasks at as many seeds", text)


def test_equal_is_said_and_partners_are_needed() -> None:
    found = compare(results("A", 0.0, 0.0), results("B", 0.0, 0.0))[0]
    assert {f.verdict for f in found.findings} <= {"same", "open"}
    assert "Equal in every pair." in comparison_text(found)
    stranger = results("B", 0.0)
    for line in stranger.lines:
        line["seed"] += 1000
    with pytest.raises(UsageError, match="no episode of 'A' has a partner"):
        compare(results("A", 0.0), stranger)
    with pytest.raises(UsageError, match="has no row 'C'; it has A"):
        compare(results("A", 0.0), results("B", 0.0), row_a="C")


def test_episodes_without_a_partner_are_counted() -> None:
    found = compare(results("A", 0.0, seeds=4), results("B", 0.0, seeds=3))[0]
    assert (found.pairs, found.alone) == (15, 5)
    assert "5 episodes have no partner" in comparison_text(found)


def test_estimates_need_no_sweep_and_shrink_with_what_is_done(tmp_path: Path) -> None:
    suite = make_suite(settings={"model": "openai:gpt-4o", "steps": 50, "agents": 2})
    plan = suite.plan()
    found = estimate(plan, {})
    assert (found.episodes, found.finished) == (4, 0)
    # LLaMAR: one call at the start and three per step (rules R1, R2)
    assert found.calls[1] == pytest.approx(4 * (1 + 3 * 50), rel=0.06)
    assert found.calls[0] < found.calls[1]
    assert found.cost_usd is not None
    assert 0 < found.cost_usd[0] < found.cost_usd[1]
    assert found.models == ("openai:gpt-4o",)
    unpriced = make_suite(settings={"model": "http://x/v1#y", "steps": 5, "agents": 2})
    assert estimate(unpriced.plan(), {}).cost_usd is None

    tiny = make_suite()
    sweep(tiny.plan(), tmp_path, InProcess(), limit=2)
    store = Store(tmp_path)
    done = store.rows(sorted(store.finished(cell.key for cell in tiny.plan().cells)))
    rest = estimate(tiny.plan(), done)
    assert rest.finished == 2
    assert rest.calls[1] < estimate(tiny.plan(), {}).calls[1]


HOSTILE = "</script><script>alert(1)</script> & <b>"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("sweep")
    suite = make_suite(
        title=HOSTILE,
        rows=[
            {"label": HOSTILE, "planner": "llamar"},
            {"label": "LLaMAR + Mosaic", "planner": "llamar+mosaic", "base": HOSTILE},
        ],
    )
    sweep(suite.plan(), folder, InProcess())
    return Results.of(folder)


def test_the_report_is_one_safe_page(hostile: Results) -> None:
    page = report_page(hostile, build_outputs(hostile), ["mosaic sweep x --out y"])
    assert "alert(1)</script>" not in page
    assert "<script>alert" not in page
    assert page.count("<script") == page.count("</script>") == 3
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", page)
    assert "{{" not in page
    assert "STAND-IN" in page
    assert "mosaic sweep x --out y" in page
    charts = json.loads(re.search(r'id="chart-data">(.*?)</script>', page, re.S)[1])
    assert charts[0]["panels"][0]["series"][0]["label"] == HOSTILE
    rows = json.loads(re.search(r'id="episode-data">(.*?)</script>', page, re.S)[1])
    assert len(rows) == 4
    for row in rows:
        assert (hostile.folder / unquote(row[12])).exists()


@pytest.mark.slow
def test_the_page_works_in_a_browser(hostile: Results, tmp_path: Path) -> None:
    """Plots and list are drawn, and nothing of the hostile names runs. Needs Chromium."""
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("no chromium on this machine")
    page = report_page(hostile, build_outputs(hostile))
    path = tmp_path / "report.html"
    path.write_text(page.replace("alert(1)", "document.title='HACKED'"))
    done = subprocess.run(
        [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", path.as_uri()],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    dom = done.stdout
    assert "<title>HACKED" not in dom
    assert dom.count('<svg viewBox="0 0 460 300"') == 3  # transport, balance, coverage
    assert dom.count('aria-pressed="true"') == 2
    assert dom.count(">trace</a>") == 8  # to look at first, and all
    assert "4 of 4" in dom


def test_replays_are_linked_where_they_are(hostile: Results) -> None:
    key = hostile.lines[0]["key"]
    target = replay_path(hostile.folder, key)
    target.parent.mkdir()
    target.write_text("")
    page = report_page(hostile, build_outputs(hostile))
    assert f'<a href="replays/{key}.html">replay</a>' in page
    assert page.count(">replay</a>") == 1
    away = report_page(hostile, build_outputs(hostile), folder=hostile.folder / "a" / "b")
    assert f'<a href="../../replays/{key}.html">replay</a>' in away


def test_hostile_names_of_folders_stay_inside_their_links(hostile: Results, tmp_path: Path) -> None:
    folder = tmp_path / 'a" onclick="x\' #?%<b>'
    shutil.copytree(hostile.folder, folder)
    moved = Results.of(folder)
    page = report_page(moved, build_outputs(moved), folder=tmp_path)
    links = re.findall(r'<a href="([^"]+)">', page)
    traces = [link for link in links if link.endswith(".jsonl.gz")]
    assert len(traces) == 4
    for link in traces:
        assert not set(link) & set("\"'<># ?")
        assert (tmp_path / unquote(link)).exists()


def test_episodes_to_look_at_first() -> None:
    def line(key: str, success: bool, transport: float, runtime: float, **more: Any) -> Any:
        return make_figures(
            key=key, success=success, transport_rate=transport, runtime_s=runtime, **more
        )

    lines = [
        line("slow", True, 1.0, 300.0),
        line("fast", True, 1.0, 100.0),
        line("near", False, 0.8, 400.0),
        line("liar", False, 0.2, 400.0, claimed=True),
        line("none", False, 0.0, 400.0),
        line("alone", True, 1.0, 50.0, row="ReAct"),
        line("other", False, 0.5, 50.0, world="household"),
    ]
    found = {item.key: item.why for item in notable_episodes(lines)}
    assert found == {
        "fast": "best",
        "near": "median; failed, nearest to success",
        "none": "worst",
        "liar": "claims success falsely",
        "alone": "best",
        "other": "best; failed, nearest to success",
    }
    twice = notable_episodes([*lines, *lines])  # one episode in two places of a table
    assert {item.key: item.why for item in twice} == found


def test_the_stand_in_is_named_whatever_names_it() -> None:
    assert "standin:careful" in standin_label(make_suite(settings={}))
    hosted = make_suite(settings={"model": "openai:gpt-4o"})
    assert standin_label(hosted) == ""
    mixed = make_suite(vary={"model": ["openai:gpt-4o", "standin:weak"]})
    assert "standin:weak" in standin_label(mixed)
    assert "gpt-4o" not in standin_label(mixed)


def test_spans_follow_the_genai_names(hostile: Results) -> None:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from mosaic_planner.experiments.export.otel import export_spans

    memory = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(memory))
    path = Store(hostile.folder).trace(hostile.lines[0]["key"])
    trace = read_trace(path)
    count = export_spans(trace, provider.get_tracer("test"), start_s=1000.0)
    spans = memory.get_finished_spans()
    calls = list(trace.of("call"))
    assert count == len(spans) == 1 + hostile.lines[0]["planning_steps"] + len(calls)
    chats = [span for span in spans if span.name == "chat standin:careful"]
    assert len(chats) == len(calls)
    attributes: Any = chats[0].attributes
    assert attributes["gen_ai.operation.name"] == "chat"
    assert attributes["gen_ai.request.model"] == "standin:careful"
    assert attributes["gen_ai.usage.input_tokens"] == calls[0]["usage"]["input_tokens"]
    assert not any("content" in name or "prompt" in name for name in attributes)
    root = next(span for span in spans if span.parent is None)
    assert root.name == "invoke_agent llamar"
    assert root.start_time == 1_000_000_000_000
    assert all(span.end_time >= span.start_time for span in spans)


@pytest.mark.slow
def test_a_sweep_goes_to_mlflow(
    hostile: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # a server needs more than the client
    from mlflow.tracking import MlflowClient

    from mosaic_planner.experiments.export.mlflow import export_mlflow

    uri = (tmp_path / "store").as_uri()
    assert export_mlflow(hostile, uri) == 2
    client = MlflowClient(tracking_uri=uri)
    found = client.get_experiment_by_name("mosaic/tiny")
    assert found is not None
    runs = client.search_runs([found.experiment_id])
    assert {run.data.params["planner"] for run in runs} == {"llamar", "llamar+mosaic"}
    assert all("STAND-IN" in run.data.tags["mosaic.standin"] for run in runs)
    assert all(0 <= run.data.metrics["failure_rate"] <= 1 for run in runs)
