"""Sweeps: resumed, broken, retried, limited; what is finished stays byte for byte."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import time
from multiprocessing import active_children
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from experiments_fakes import InProcess, make_suite, texts, trace_bytes

from mosaic_planner import episode as episode_module
from mosaic_planner.core.errors import UsageError
from mosaic_planner.core.trace import TraceWriter, canonical, read_trace
from mosaic_planner.experiments import manifest as manifest_module
from mosaic_planner.experiments.engines import Report, make_engine
from mosaic_planner.experiments.engines.process import ProcessEngine
from mosaic_planner.experiments.outputs import Results, build_outputs
from mosaic_planner.experiments.runner import (
    Progress,
    load_results,
    sweep,
    write_results,
)
from mosaic_planner.experiments.store import Store
from mosaic_planner.experiments.suite import Suite
from mosaic_planner.experiments.tables import COLUMNS, table_csv

RESULTS = ["results.csv"]


def run(suite: Suite, folder: Path, **options: Any) -> Any:
    return sweep(suite.plan(), folder, options.pop("engine", None) or InProcess(), **options)


def test_a_sweep_leaves_traces_and_results(tiny: Suite, tmp_path: Path) -> None:
    seen: list[tuple[Report, int]] = []

    def note(report: Report, progress: Progress) -> None:
        seen.append((report, progress.left))

    result = run(tiny, tmp_path, on_report=note)
    assert (result.finished, result.total, result.reused) == (4, 4, 0)
    assert result.complete
    assert [left for _, left in seen] == [3, 2, 1, 0]
    lines = (tmp_path / "results.csv").read_text().splitlines()
    assert lines[0].startswith("row,world,task,variant,seed,key,attempts,success,")
    assert len(lines) == 5
    assert (tmp_path / "results.parquet").read_bytes()[:4] == b"PAR1"
    assert not list((tmp_path / "partial").iterdir())
    for path in (tmp_path / "traces").iterdir():
        assert read_trace(path).complete


def test_the_same_call_again_runs_nothing_and_changes_nothing(tiny: Suite, tmp_path: Path) -> None:
    run(tiny, tmp_path)
    before, results = trace_bytes(tmp_path), texts(tmp_path, RESULTS)
    engine = InProcess()
    result = run(tiny, tmp_path, engine=engine)
    assert engine.taken == []
    assert (result.reused, result.finished) == (4, 4)
    assert trace_bytes(tmp_path) == before
    assert texts(tmp_path, RESULTS) == results


def test_a_limited_sweep_goes_on(tiny: Suite, tmp_path: Path) -> None:
    first = run(tiny, tmp_path / "a", limit=1)
    assert (first.finished, first.total, first.complete) == (1, 4, False)
    kept = trace_bytes(tmp_path / "a")
    run(tiny, tmp_path / "a")
    run(tiny, tmp_path / "b")
    assert kept.items() <= trace_bytes(tmp_path / "a").items()
    assert texts(tmp_path / "a", RESULTS) == texts(tmp_path / "b", RESULTS)


def test_results_come_from_the_traces_alone(tiny: Suite, tmp_path: Path) -> None:
    run(tiny, tmp_path)
    before = texts(tmp_path, RESULTS)
    for name in ("rows.jsonl", "results.csv", "results.parquet", "timings.csv"):
        (tmp_path / name).unlink()
    manifest, lines = load_results(tmp_path)
    assert len(lines) == 4
    write_results(Store(tmp_path), manifest)
    assert texts(tmp_path, RESULTS) == before


def test_a_torn_row_and_a_damaged_trace_are_done_again(tiny: Suite, tmp_path: Path) -> None:
    run(tiny, tmp_path)
    before = texts(tmp_path, RESULTS)
    with (tmp_path / "rows.jsonl").open("a") as file:
        file.write('["torn", [1')
    victim = sorted((tmp_path / "traces").iterdir())[0]
    victim.write_bytes(b"\x1f\x8bnonsense")
    engine = InProcess()
    result = run(tiny, tmp_path, engine=engine)
    assert engine.taken == [victim.name.removesuffix(".jsonl.gz")]
    assert result.complete
    assert texts(tmp_path, RESULTS) == before


def test_a_crash_is_noted_and_the_rest_goes_on(
    tiny: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, bad = episode_module.arun_episode, tiny.plan().cells[1]

    async def sometimes(config: Any, **options: Any) -> Any:
        if config == bad.config:
            raise RuntimeError("a defect; key sk-abcdefghijklmnopqrstuvwxyz123456 inside")
        return await real(config, **options)

    monkeypatch.setattr(episode_module, "arun_episode", sometimes)
    result = run(tiny, tmp_path)
    assert (result.finished, list(result.failures)) == (3, [bad.key])
    record = json.loads((tmp_path / "failures" / f"{bad.key}.json").read_text())
    assert "RuntimeError: a defect" in record["error"]
    assert "sometimes" in record["traceback"]
    assert "sk-abcdefghijkl" not in json.dumps(record)
    monkeypatch.undo()
    again = run(tiny, tmp_path)
    assert (again.finished, again.reused, dict(again.failures)) == (4, 3, {})
    assert not list((tmp_path / "failures").iterdir())


def test_a_failing_model_server_is_tried_again_and_counted(
    tiny: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, bad = episode_module.arun_episode, tiny.plan().cells[0]
    left = [1]

    async def sometimes(config: Any, **options: Any) -> Any:
        if config == bad.config and left[0]:
            left[0] -= 1
            config = config.model_copy(update={"steps": 1})
            found = await real(config, **options)
            writer = TraceWriter(options["path"])
            for event in found.trace.events[:-1]:
                writer.write(**event)
            end = {**found.trace.events[-1], "reason": "infrastructure"}
            writer.write(**end)
            writer.close()
            object.__setattr__(
                found,
                "metrics",
                found.metrics.__class__(**{**found.metrics.as_dict(), "end": "infrastructure"}),
            )
            return found
        return await real(config, **options)

    monkeypatch.setattr(episode_module, "arun_episode", sometimes)
    result = run(tiny, tmp_path)
    assert result.complete
    attempts = list((tmp_path / "attempts").iterdir())
    assert [path.name for path in attempts] == [f"{bad.key}.1.jsonl.gz"]
    _, lines = load_results(tmp_path)
    assert [line["attempts"] for line in lines if line["key"] == bad.key] == [2]
    assert sum(line["attempts"] for line in lines) == 5

    left[0] = 99
    other = tmp_path / "other"
    given_up = run(tiny, other)
    assert given_up.unreachable == (bad.key,)
    assert given_up.finished == 3
    left[0] = 0
    assert run(tiny, other).complete


def test_a_full_disk_stops_with_a_clear_word_and_the_same_call_goes_on(
    tiny: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, events = TraceWriter.write, [0]

    def write(self: TraceWriter, event: str, **fields: Any) -> Any:
        events[0] += 1
        if events[0] > 60:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(self, event, **fields)

    monkeypatch.setattr(TraceWriter, "write", write)
    result = run(tiny, tmp_path)
    assert "disk is full" in result.stopped
    assert 0 < result.finished < 4
    assert not result.failures
    assert not list((tmp_path / "partial").iterdir())
    monkeypatch.undo()
    run(tiny, tmp_path)
    run(tiny, tmp_path / "whole")
    assert texts(tmp_path, RESULTS) == texts(tmp_path / "whole", RESULTS)


def test_other_settings_are_refused_with_what_differs(tiny: Suite, tmp_path: Path) -> None:
    run(tiny, tmp_path, limit=1)
    with pytest.raises(
        UsageError, match=r"other settings \(settings: .*\"steps\": 3.*\"steps\": 4"
    ):
        run(make_suite(settings={**tiny.settings, "steps": 4}), tmp_path)
    with pytest.raises(UsageError, match="another --out"):
        run(make_suite(name="other"), tmp_path) if False else run(make_suite(episodes=2), tmp_path)


def test_other_versions_are_refused_unless_accepted_and_then_noted(
    tiny: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tiny, tmp_path, limit=1)
    now = {**manifest_module.environment(), "numpy": "99.0"}
    monkeypatch.setattr(manifest_module, "environment", lambda: now)
    with pytest.raises(UsageError, match=r"numpy \S+ -> 99.0.*--accept-versions"):
        run(tiny, tmp_path)
    assert run(tiny, tmp_path, accept_versions=True).complete
    stored = json.loads((tmp_path / "manifest.json").read_text())
    assert [v["numpy"] for v in stored["accepted"]] == ["99.0"]
    assert run(tiny, tmp_path).complete  # accepted once, accepted for good


def test_a_world_installed_later_extends_the_sweep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import mosaic_planner.experiments.suite as suite_module

    both = make_suite(
        worlds=[{"world": "sar", "tasks": [1]}, {"world": "elsewhere", "tasks": [{"scene": 2}]}]
    )
    first = run(both, tmp_path)
    assert (first.missing_worlds, first.finished) == (("elsewhere",), 2)
    monkeypatch.setattr(suite_module, "have_world", lambda world: True)
    result = run(both, tmp_path)  # that world cannot really be built, but its episodes are planned
    assert (result.total, result.reused) == (4, 2)
    assert all("elsewhere" in error for error in result.failures.values())


def test_a_folder_in_use_a_file_and_a_stranger(tiny: Suite, tmp_path: Path) -> None:
    from mosaic_planner.experiments.files import locked

    with locked(tmp_path / "busy"), pytest.raises(UsageError, match="another sweep is running"):
        run(tiny, tmp_path / "busy")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="is a file"):
        run(tiny, tmp_path / "file")
    with pytest.raises(UsageError, match="holds no sweep"):
        load_results(tmp_path)
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(UsageError, match="no manifest of this version"):
        load_results(tmp_path)
    with pytest.raises(UsageError, match="needs the moonbase world"):
        run(make_suite(worlds=[{"world": "moonbase"}]), tmp_path / "moon")


def test_what_dead_processes_left_is_removed_and_the_living_are_left_alone(
    tiny: Suite, tmp_path: Path
) -> None:
    store = Store(tmp_path)
    mine = store.partial("mine")
    mine.parent.mkdir(parents=True)
    mine.write_bytes(b"x")
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    stale = mine.with_name(mine.name.replace(str(os.getpid()), str(dead.pid)))
    stale.write_bytes(b"x")
    store.tidy()
    assert (mine.exists(), stale.exists()) == (True, False)


def test_engines_agree(tiny: Suite, tmp_path: Path) -> None:
    folders = {
        "here": InProcess(),
        "together": InProcess(jobs=4),
        "one": ProcessEngine(jobs=1, recycle=2),
        "two": ProcessEngine(jobs=2),
    }
    for name, engine in folders.items():
        assert run(tiny, tmp_path / name, engine=engine).complete
    found = [texts(tmp_path / name, RESULTS) for name in folders]
    assert all(text == found[0] for text in found)
    traces = [
        [canonical(read_trace(path)) for path in sorted((tmp_path / name / "traces").iterdir())]
        for name in folders
    ]
    assert all(trace == traces[0] for trace in traces)


def test_a_killed_worker_loses_its_episode_only(tmp_path: Path) -> None:
    suite = make_suite(settings={"model": "standin:careful", "steps": 40, "agents": 3})
    plan = suite.plan()
    killed: list[int] = []
    engine = ProcessEngine(jobs=1)
    real = engine._start

    def start(folder: Path, budget: Any) -> Any:
        worker = real(folder, budget)
        if not killed:
            os.kill(worker.process.pid, signal.SIGKILL)
            killed.append(worker.process.pid)
        return worker

    engine._start = start  # the first process dies at once
    result = sweep(plan, tmp_path, engine)
    assert list(result.failures.values()) == ["its process was ended by SIGKILL"]
    assert result.finished == len(plan.cells) - 1
    assert sweep(plan, tmp_path, ProcessEngine(jobs=1)).complete


def test_ctrl_c_while_a_process_starts_leaves_it_alone(tmp_path: Path) -> None:
    worker = ProcessEngine(jobs=1)._start(tmp_path, None)
    assert worker.process.pid is not None
    os.kill(worker.process.pid, signal.SIGINT)  # the terminal sends it to the whole group
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, set())
    worker.pipe.close()
    worker.process.join(60)
    assert worker.process.exitcode == 0


def test_a_hanging_episode_is_ended(tmp_path: Path) -> None:
    suite = make_suite(settings={"model": "standin:careful", "steps": 100, "agents": 5})
    engine = ProcessEngine(jobs=1, episode_timeout_s=0.05)
    result = sweep(suite.plan(), tmp_path, engine, limit=1)
    assert list(result.failures.values()) == ["its process took longer than 0.05 s"]


def test_auto_engine_by_model() -> None:
    assert make_engine("auto", models=("standin:careful",)).name == "process"
    assert make_engine("auto", models=("standin:careful", "openai:gpt-4o")).name == "async"


SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from experiments_fakes import make_suite
from mosaic_planner.experiments.engines.process import ProcessEngine
from mosaic_planner.experiments.runner import sweep
if __name__ == "__main__":
    sweep(make_suite(episodes=int(sys.argv[3]), settings={"model": "standin:careful", "steps": 8,
          "agents": 2}).plan(), Path(sys.argv[2]), ProcessEngine(jobs=2), accept_versions=True)
"""


def _final(folder: Path) -> list[str]:
    """What is shown in the end, without what was measured on this machine."""
    outputs = build_outputs(Results.of(folder))
    told = [line for line in outputs.summary if not COLUMNS[line["figure"]].measured]
    main = [table_csv(table) for table in outputs.tables if not table.name.endswith("-time")]
    assert told
    assert main
    return [*texts(folder, RESULTS), *main, json.dumps(told)]


def _start(script: Path, folder: Path, episodes: int) -> subprocess.Popen[bytes]:
    here = str(Path(__file__).parent)
    command = [sys.executable, str(script), here, str(folder), str(episodes)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def _wait_for_traces(folder: Path, count: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if len(list((folder / "traces").glob("*"))) >= count:
            return
        time.sleep(0.01)


def test_a_killed_sweep_goes_on_as_if_nothing_had_been(tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(SCRIPT)
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    process = _start(script, broken, 3)
    _wait_for_traces(broken, 2, process)
    process.kill()
    process.wait(timeout=60)
    time.sleep(0.3)  # a worker may just be publishing its episode
    kept = trace_bytes(broken)
    assert kept
    suite = make_suite(episodes=3, settings={"model": "standin:careful", "steps": 8, "agents": 2})
    assert run(suite, broken, accept_versions=True).complete
    run(suite, whole)
    assert kept.items() <= trace_bytes(broken).items()
    assert _final(broken) == _final(whole)
    assert not list((broken / "partial").iterdir())


def test_ctrl_c_leaves_what_is_finished_and_nothing_half(tmp_path: Path) -> None:
    script = tmp_path / "run.py"
    script.write_text(SCRIPT)
    process = _start(script, tmp_path / "out", 12)
    _wait_for_traces(tmp_path / "out", 1, process)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) != 0
    traces = list((tmp_path / "out" / "traces").iterdir())
    assert 0 < len(traces) < 48
    assert all(read_trace(path).complete for path in traces)
    Store(tmp_path / "out").tidy()
    assert not list((tmp_path / "out" / "partial").iterdir())


@pytest.mark.slow
def test_five_random_kills_change_nothing(tmp_path: Path) -> None:
    import random

    moments = random.Random(7)
    script = tmp_path / "run.py"
    script.write_text(SCRIPT)
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    for _ in range(5):
        process = _start(script, broken, 12)
        killer = Timer(moments.uniform(1.0, 4.0), process.kill)
        killer.start()
        process.wait(timeout=120)
        killer.cancel()
    assert _start(script, broken, 12).wait(timeout=300) == 0
    assert _start(script, whole, 12).wait(timeout=300) == 0
    assert _final(broken) == _final(whole)


@pytest.mark.slow
def test_memory_stays_flat_over_a_thousand_episodes(tmp_path: Path) -> None:
    """Resident memory of this process and of its workers, sampled after every episode."""
    suite = make_suite(episodes=250, settings={"model": "standin:careful", "steps": 2, "agents": 2})
    resident: list[int] = []

    def note(report: Report, progress: Progress) -> None:
        total = 0
        for pid in [os.getpid(), *(child.pid for child in active_children())]:
            try:
                pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
            except (OSError, IndexError):
                continue
            total = max(total, pages * os.sysconf("SC_PAGE_SIZE"))
        resident.append(total)

    result = sweep(suite.plan(), tmp_path, ProcessEngine(jobs=2, recycle=250), on_report=note)
    assert result.finished == 1000
    early, late = max(resident[100:300]), max(resident[-200:])
    assert late < early + 40 * 2**20


@pytest.mark.slow
def test_ray_with_a_node_killed_gives_the_same(tmp_path: Path) -> None:
    import ray
    from ray.cluster_utils import Cluster

    from mosaic_planner.experiments.engines.ray import RayEngine

    suite = make_suite(episodes=3, settings={"model": "standin:careful", "steps": 12, "agents": 2})
    run(suite, tmp_path / "here")
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    second = cluster.add_node(num_cpus=1)
    try:
        cluster.wait_for_nodes()
        ray.init(address=cluster.address, log_to_driver=False)
        killed: list[bool] = []

        def note(report: Report, progress: Progress) -> None:
            if progress.done == 3 and not killed:
                killed.append(True)
                cluster.remove_node(second, allow_graceful=False)

        result = run(suite, tmp_path / "ray", engine=RayEngine(), on_report=note)
        assert killed, result.failures
        assert result.complete
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert texts(tmp_path / "ray", RESULTS) == texts(tmp_path / "here", RESULTS)


def test_a_password_in_a_models_address_is_not_in_the_manifest(tmp_path: Path) -> None:
    model = "http://ann:opensesame@127.0.0.1:9/v1#m"
    plan = make_suite(settings={"model": model, "steps": 3, "agents": 2}).plan()
    manifest_module.Manifest.of(plan).write(tmp_path)
    assert "opensesame" not in (tmp_path / "manifest.json").read_text()
    stored = manifest_module.read_manifest(tmp_path)
    assert stored is not None
    assert stored.agree(plan, tmp_path, accept_versions=False).digest == plan.digest
