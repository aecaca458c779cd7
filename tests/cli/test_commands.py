"""The command line as a user meets it: output, exit codes, one clear line per mistake."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest
from rich.console import Console
from rich.text import Text

from mosaic_planner import run_episode
from mosaic_planner.cli.app import main
from mosaic_planner.cli.live import LiveView
from mosaic_planner.cli.run import _trace_path
from mosaic_planner.config import RunConfig
from mosaic_planner.core.trace import read_trace
from mosaic_planner.worlds.registry import draw

KEYS = {
    "success",
    "transport_rate",
    "coverage",
    "balance",
    "failure_rate",
    "agent_steps",
    "runtime_s",
    "llm_calls",
    "prompt_tokens",
    "planning_steps",
    "trace",
}


@dataclass(frozen=True)
class Ran:
    returncode: int
    stdout: str
    stderr: str


def mosaic(*args: str, cwd: Path | None = None) -> Ran:
    """Run the command in this process, from its entry point on."""
    out, err = io.StringIO(), io.StringIO()
    before = Path.cwd()
    code: int | str | None = 0
    with (
        mock.patch.object(sys, "argv", ["mosaic", *args]),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            os.chdir(cwd or before)
            main()
        except SystemExit as exit_:
            code = exit_.code
        finally:
            os.chdir(before)
    return Ran(
        code if isinstance(code, int) else 0 if code is None else 1, out.getvalue(), err.getvalue()
    )


def test_the_installed_command_runs() -> None:
    command = [str(Path(sys.executable).parent / "mosaic"), "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("mosaic ")


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("runs")
    done = mosaic("run", "--scene", "1", "--agents", "3", "--json", "--out", str(out))
    assert done.returncode == 0, done.stderr
    return str(json.loads(done.stdout)["trace"])


def test_json_is_one_object_with_these_keys(tmp_path: Path) -> None:
    done = mosaic("run", "--json", "--seed", "1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert set(result) == KEYS | {"model", "simulated"}
    assert (result["model"], result["simulated"]) == ("standin:careful", True)
    assert result["success"] is True
    assert (tmp_path / result["trace"]).is_file()


def test_a_second_run_does_not_overwrite_the_first(tmp_path: Path) -> None:
    paths = [
        json.loads(mosaic("run", "--json", "--steps", "2", cwd=tmp_path).stdout)["trace"]
        for _ in range(2)
    ]
    assert len(set(paths)) == 2


def test_a_run_shows_settings_progress_metrics_and_trace(tmp_path: Path) -> None:
    done = mosaic("run", "--steps", "3", "--out", str(tmp_path), "limits.calls=50")
    assert done.returncode == 0, done.stderr
    for words in ("Settings", "mission:", "step   1", "Alice", "success", "model calls", "trace:"):
        assert words in done.stdout
    assert "stand-in" in done.stdout  # a stand-in's figures are labelled as such


def test_quiet_prints_only_the_result(tmp_path: Path) -> None:
    done = mosaic("run", "--steps", "2", "--quiet", "--out", str(tmp_path))
    assert done.returncode == 0
    assert "step   1" not in done.stdout
    assert "success" in done.stdout


def test_config_file_and_overrides(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text('planner = "react"\nagents = 2\nsteps = 3\n')
    done = mosaic("run", "--config", str(file), "steps=2", "--json", "--out", str(tmp_path))
    result = json.loads(done.stdout)
    assert result["planning_steps"] == 2
    assert result["llm_calls"] == 2
    assert "-a2-react-" in result["trace"]


def test_show_why_metrics_and_memory_read_the_trace(trace: str) -> None:
    shown = mosaic("show", trace, "--step", "2", "--prompts")
    assert shown.returncode == 0, shown.stderr
    for words in ("step 2", "Alice", "call: actor", "--- answer"):
        assert words in shown.stdout
    why = mosaic("why", trace, "--step", "2", "--agent", "Bob")
    assert why.returncode == 0, why.stderr
    assert "Bob" in why.stdout
    everybody = mosaic("why", trace, "--step", "2").stdout.splitlines()
    about_all = [line for line in why.stdout.splitlines() if line.startswith("No joint action")]
    assert about_all
    assert everybody[-1] == about_all[0]
    assert everybody.count(about_all[0]) == 1  # said once, behind what concerns each agent
    metrics = mosaic("metrics", trace, "--json")
    assert json.loads(metrics.stdout)["success"] is True
    memory = mosaic("memory", trace, "--step", "2", "--agent", "Alice")
    assert memory.returncode == 0, memory.stderr
    assert "ReservoirUtah" in memory.stdout


def test_sar_generate_run_and_replay(tmp_path: Path, shared_data: Path) -> None:
    scene = tmp_path / "scene.json"
    made = mosaic(
        "sar", "generate", "--size", "40", "--fires", "2", "--persons", "2", "--out", str(scene)
    )
    assert made.returncode == 0, made.stderr
    done = mosaic(
        "run",
        "--scene",
        str(scene),
        "--agents",
        "12",
        "--steps",
        "3",
        "--json",
        "--out",
        str(tmp_path),
    )
    assert done.returncode == 0, done.stderr
    recorded = shared_data / "sar_traces" / "s1_a2_seed0_scripted.json"
    ours = tmp_path / "ours.json"
    replayed = mosaic("sar", "replay", str(recorded), "--out", str(ours))
    assert replayed.returncode == 0, replayed.stderr
    assert json.loads(ours.read_text()) == json.loads(recorded.read_text())


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["run", "--planner", "llama"], "unknown planner"),
        (["run", "--scene", "1", "--agents", "9"], "1 to 8 agents"),
        (["run", "--scene", "nowhere.json"], "nowhere.json"),
        (["run", "--scene", "7"], "scene"),
        (["run", "--model", "standin:genius"], "genius"),
        (["run", "steps"], "key=value"),
        (["run", "speed=3"], "unknown setting"),
        (["run", "limits.foo=3"], "settings of 'limits' are calls, tokens, cost_usd, time_s"),
        (["run", "scene=true"], "setting 'scene'"),
        (["run", "--scene", ""], "setting 'scene': Input should not be empty"),
        (["run", "agents=true"], "setting 'agents'"),
        (["run", "-k", "0"], "k"),
        (["run", "--noise", "loud"], "noise"),
        (["run", "--config", "none.toml"], "none.toml"),
        (["run", "--out", "file.txt", "--steps", "1"], "file.txt"),
        (["show", "none.jsonl.gz"], "none.jsonl.gz"),
        (["show", "file.txt"], "file.txt"),
        (["metrics", "file.txt"], "file.txt"),
        (["sar", "replay", "file.txt", "--out", "o.json"], "file.txt"),
        (["sar", "generate", "--size", "12", "--fires", "90"], "fire"),
        (["run", "--frobnicate"], "--frobnicate"),
        (["fly"], "fly"),
        (["tasks", "--room", "attic"], "unknown room"),
        (["run", "--task", "3"], "--task is for households; add --world household"),
        (["run", "--world", "household", "--task", "nap"], "unknown household task"),
        (["run", "--world", "household", "--task", "3", "--floorplan", "9"], "floor plans 1 to 5"),
    ],
)
def test_mistakes_give_one_clear_line_and_code_2(
    tmp_path: Path, args: list[str], words: str
) -> None:
    (tmp_path / "file.txt").write_text("not a trace\n")
    done = mosaic(*args, cwd=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert words in done.stderr
    assert not done.stdout
    assert done.stderr.startswith("mosaic: ")
    assert len(done.stderr.strip().splitlines()) == 1


def test_why_names_the_choices_when_asked_wrongly(trace: str) -> None:
    assert "Alice, Bob, Charlie" in mosaic("why", trace, "--step", "1", "--agent", "Zed").stderr
    assert "steps are" in mosaic("why", trace, "--step", "999").stderr


@pytest.mark.parametrize("command", ["run", "show", "metrics", "why", "memory"])
def test_help_has_an_example(command: str) -> None:
    done = mosaic(command, "--help")
    assert done.returncode == 0
    assert "mosaic " + command in done.stdout
    assert "Example" in done.stdout


def test_run_can_write_the_page_too(tmp_path: Path) -> None:
    done = mosaic("run", "--steps", "2", "--quiet", "--replay", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr
    page = next(tmp_path.glob("*.html"))
    assert str(page) in done.stdout
    assert "<html" in page.read_text(encoding="utf-8")


def test_tasks_are_listed_and_run(tmp_path: Path) -> None:
    rows = json.loads(mosaic("tasks", "--json").stdout)
    assert len(rows) == 36
    done = mosaic(
        "run", "--world", "household", "--task", rows[0]["id"], "--floorplan", "2", "--agents", "2",
        "--steps", "2", "--json", "--out", str(tmp_path),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["planning_steps"] == 2
    memory = mosaic("memory", result["trace"], "--step", "1", "--agent", "Bob")
    assert memory.returncode == 0, memory.stderr


def test_ctrl_c_ends_a_run_at_once_and_keeps_the_trace(tmp_path: Path) -> None:
    # One agent alone cannot carry a person, so this run would go on for its whole budget.
    command = [sys.executable, "-m", "mosaic_planner.cli.app", "run", "--agents", "1"]
    run = subprocess.Popen(
        [*command, "--steps", "100000", "--out", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None
    assert any(line.startswith("step   3") for line in run.stdout)
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=60)
    assert run.returncode == 130
    assert errors == "mosaic: interrupted; what was finished is kept\n"
    (kept,) = tmp_path.iterdir()
    assert [e["reason"] for e in read_trace(kept).of("end")] == ["interrupted"]


def test_the_printed_path_is_the_trace_whatever_the_folder_is_called(tmp_path: Path) -> None:
    out = tmp_path / "my runs [red] ü"
    done = mosaic("run", "--steps", "1", "--quiet", "--out", str(out))
    printed = done.stdout.strip().splitlines()[-1].removeprefix("trace: ")
    assert Path(printed).is_file()


def test_a_run_never_writes_into_the_file_of_another(tmp_path: Path) -> None:
    # The other run has its file but has written nothing yet.
    taken = [_trace_path(RunConfig(steps=1), tmp_path) for _ in range(3)]
    assert len(set(taken)) == 3


def test_a_mistake_leaves_no_file_behind(tmp_path: Path) -> None:
    assert mosaic("run", "--planner", "nope", cwd=tmp_path).returncode == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--agents", "many"], "--agents"),
        (["--frobnicate"], "--frobnicate"),
        (["--scene", "²"], "²"),
        (["--scene", "1" * 5000], "scene"),
        (["--out", "file.txt/runs"], "file.txt/runs"),
        (["--out", "o" * 300], "File name too long"),
        (["--record", "file.txt/tape"], "file.txt/tape"),
        (["limits.time_s=inf"], "limits.time_s"),
        (["--scene", "red\x1b[31m\nname.json"], "red\\x1b[31m\\nname.json"),
    ],
)
def test_odd_arguments_give_one_line_too(tmp_path: Path, args: list[str], words: str) -> None:
    (tmp_path / "file.txt").write_text("not a folder\n")
    done = mosaic("run", "--steps", "1", *args, cwd=tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert words in done.stderr
    assert done.stderr.startswith("mosaic: ")
    assert len(done.stderr.strip().splitlines()) == 1


def test_long_names_still_get_a_trace(tmp_path: Path) -> None:
    done = mosaic("run", "--steps", "1", "--seed", "1" * 300, "--json", "--out", str(tmp_path))
    assert done.returncode == 0, done.stderr


def test_the_live_view_on_a_terminal_loses_no_line() -> None:
    console = Console(file=io.StringIO(), width=140, height=60, force_terminal=True)
    with LiveView(console, "") as view:
        episode = run_episode(steps=1, on_event=view.event)
    assert isinstance(console.file, io.StringIO)
    screen = Text.from_ansi(console.file.getvalue()).plain
    # The last redrawing: every row of the map, and the panel's title, on lines of their own.
    (snapshot,) = [e for e in episode.trace.of("snapshot") if e["step"] == 1]
    rows = draw(episode.trace.header, snapshot["world"])
    last = screen[screen.rindex("step 1/1") :].splitlines()
    assert [line[: len(rows[0])] for line in last[2 : 2 + len(rows)]] == rows
    assert any(line.count("─ open subtasks ─") for line in last)


def test_calibration_prints_its_table_as_json() -> None:
    done = mosaic("standin", "calibration", "--seeds", "1", "--jobs", "1", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["episodes"] == 100
    assert len(found["rows"]) == 12
    assert found["within_tolerance"] == all(row["inside"] for row in found["rows"])


def test_narrow_terminals_break_no_line_of_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    done = mosaic("run", "--steps", "1", "--out", str(tmp_path))
    assert "step   1      6.0 s  subtasks 2/15  calls 2" in done.stdout
    shown = mosaic("show", str(next(tmp_path.glob("*.gz"))), "--step", "1", "--no-maps").stdout
    assert "…" not in shown


def test_terminals_without_arrows_and_frames_get_what_they_can_show(tmp_path: Path) -> None:
    odd = os.fsdecode(b"ru\xffns")  # a folder whose name is no text
    done = subprocess.run(
        [sys.executable, "-m", "mosaic_planner.cli.app", "run", "--steps", "1", "--out", odd],
        capture_output=True,
        check=False,
        cwd=tmp_path,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0, done.stderr
    assert b"success ?" in done.stdout
    assert b"trace: ru?ns" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of the system")
@pytest.mark.parametrize("how", ["--quiet", "--json", "--replay"])
def test_a_disk_that_fills_up_on_the_way_is_one_line(tmp_path: Path, how: str) -> None:
    limited = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000));"
        "from mosaic_planner.cli.app import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", limited, "run", "--steps", "20", how],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 2
    (kept,) = (tmp_path / "runs").iterdir()
    assert done.stderr == f"mosaic: cannot write runs/{kept.name}: File too large\n"
    steps = max(event["step"] for event in read_trace(kept).of("score"))
    assert 0 < steps < 20  # what was written by then is readable


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("header", {"agents": 3}),
        ("outcome", {"agents": 3}),
        ("score", {"t": {}}),
        ("score", {"step": [1]}),
        ("assignment", {"chosen": [None]}),
        ("beliefs", {"agents": None}),
        ("snapshot", {"world": []}),
    ],
)
def test_a_trace_with_a_malformed_event_is_one_line(
    trace: str, tmp_path: Path, kind: str, change: dict[str, object]
) -> None:
    events = [e for e in read_trace(trace).events if e.get("step", 0) <= 1]
    bad = tmp_path / "bad.jsonl"
    lines = [json.dumps({**e, **(change if e["event"] == kind else {})}) for e in events]
    bad.write_text("\n".join(lines) + "\n")
    refused = 0
    for command in (
        ["metrics", str(bad), "--json"],
        ["show", str(bad)],
        ["why", str(bad), "--step", "1"],
        ["memory", str(bad), "--step", "1"],
        ["replay", str(bad), "--out", str(tmp_path / "page.html")],
    ):
        done = mosaic(*command)
        assert done.returncode in (0, 2), done.stderr
        if done.returncode == 2:
            refused += 1
            assert "not a Mosaic trace: " in done.stderr or "the episode has steps" in done.stderr
            assert len(done.stderr.splitlines()) == 1
    assert refused
