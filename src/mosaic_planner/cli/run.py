"""`mosaic run`: one episode, live, with a metrics table at the end."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from mosaic_planner.cli.live import LiveView
from mosaic_planner.cli.tables import STAND_IN_NOTE, metrics_table, settings_table
from mosaic_planner.config import RunConfig, load_config, parse_override
from mosaic_planner.core.errors import UsageError
from mosaic_planner.metrics import PAPER_METRICS

__all__ = ["register"]

_JSON_KEYS = (*PAPER_METRICS, "planning_steps")

_EXAMPLES = """
Examples:

  mosaic run --scene 1 --agents 3 --planner llamar+mosaic

  mosaic run --planner react --model openai:gpt-4o --scene 4 limits.calls=200

  mosaic run --config run.toml --seed 7 --json
"""


def _trace_path(config: RunConfig, folder: Path) -> Path:
    scene = Path(str(config.scene)).stem if not isinstance(config.scene, dict) else "scene"
    options = config.world_options
    if "task" in options:
        scene = f"{options['task']}-{options.get('floorplan', scene)}"
    name = f"{config.world}-{scene}-a{config.agents}-{config.planner}-s{config.seed}"
    stem = re.sub(r"[^A-Za-z0-9+._-]", "_", name)[:200]  # names of files end at 255 bytes
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for number in itertools.count(1):
            path = folder / (f"{stem}.jsonl.gz" if number == 1 else f"{stem}-{number}.jsonl.gz")
            try:
                path.touch(exist_ok=False)  # taken at once, so that two runs never share a file
            except FileExistsError:
                continue
            return path
    except OSError as error:
        raise UsageError(f"cannot write to --out {folder}: {error.strerror}") from None
    raise AssertionError("counting does not end")


@contextmanager
def _taken(config: RunConfig, folder: Path) -> Iterator[Path]:
    """A trace file of this run alone; a mistake found before anything ran leaves no empty file."""
    fresh = not folder.exists()
    path = _trace_path(config, folder)
    try:
        yield path
    finally:
        with suppress(OSError):  # it may be gone by now, with its folder
            if path.is_file() and path.stat().st_size == 0:
                path.unlink()
                if fresh:
                    folder.rmdir()


def _run(
    overrides: Annotated[
        list[str] | None,
        typer.Argument(metavar="[KEY=VALUE]...", help="Any setting, e.g. limits.calls=200."),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="Settings from a TOML file.")] = None,
    world: Annotated[str | None, typer.Option(help="World: sar, household.")] = None,
    scene: Annotated[str | None, typer.Option(help="Scene number, or a scene file.")] = None,
    task: Annotated[
        str | None, typer.Option(help="Household task by id or number (mosaic tasks).")
    ] = None,
    floorplan: Annotated[
        int | None, typer.Option(help="Household: 1 to 5 among the task's floor plans.")
    ] = None,
    backend: Annotated[
        str | None, typer.Option(help="Household simulator: embedded, player or unity.")
    ] = None,
    scenes: Annotated[
        Path | None, typer.Option(help="Household: folder of recorded scenes.")
    ] = None,
    tasks: Annotated[
        Path | None, typer.Option(help="Household: file with the benchmark's own start states.")
    ] = None,
    agents: Annotated[int | None, typer.Option(help="Team size.")] = None,
    planner: Annotated[
        str | None, typer.Option(help="Method: llamar, react, ... with +asm, +ilp, +mosaic, ...")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Model: standin:careful, openai:...")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed of the episode.")] = None,
    steps: Annotated[int | None, typer.Option(help="Budget of planning steps.")] = None,
    k: Annotated[int | None, typer.Option("-k", help="Candidates per agent, 1 to 8.")] = None,
    candidates: Annotated[str | None, typer.Option(help="per-agent or global.")] = None,
    pool: Annotated[int | None, typer.Option(help="Size of the global pool.")] = None,
    costs: Annotated[str | None, typer.Option(help="Cost profile: default or paper.")] = None,
    safe_candidates: Annotated[
        bool | None,
        typer.Option(
            "--safe-candidates/--no-safe-candidates",
            help="Whether the coordinator adds candidates of its own.",
        ),
    ] = None,
    noise: Annotated[str | None, typer.Option(help="Sensor noise: none to high.")] = None,
    faithful: Annotated[
        bool | None, typer.Option("--faithful", help="The reference's rules, no deviations.")
    ] = None,
    record: Annotated[
        str | None, typer.Option(help="File to record every model exchange to (cassette:FILE).")
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for the trace.")] = Path("runs"),
    replay: Annotated[
        bool, typer.Option("--replay", help="Also write a page that shows the episode.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object with the metrics only.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only the result.")] = False,
) -> None:
    """Run one episode: a team, a mission, a planner and a model."""
    options: dict[str, Any] = {
        "world": world,
        "scene": int(scene) if scene and scene.isdecimal() and len(scene) < 9 else scene,
        "agents": agents,
        "planner": planner,
        "model": model,
        "seed": seed,
        "steps": steps,
        "k": k,
        "candidates": candidates,
        "pool": pool,
        "costs": costs,
        "safe_candidates": safe_candidates,
        "noise": noise,
        "faithful": faithful or None,
        "record": record,
    }
    own = {
        "task": task,
        "floorplan": floorplan,
        "backend": backend,
        "scenes": str(scenes) if scenes else None,
        "tasks": str(tasks) if tasks else None,
    }
    changes = {f"world_options.{k}": v for k, v in own.items() if v is not None}
    changes |= dict(parse_override(text) for text in overrides or ())
    settings = load_config(config, options, changes)
    if settings.world == "sar":
        for name, value in own.items():
            if value is not None:
                raise UsageError(f"--{name} is for households; add --world household")
    try:
        if out.exists() and not out.is_dir():
            raise UsageError(f"--out {out} is a file; name a folder")
    except OSError as error:
        raise UsageError(f"--out {out}: {error.strerror}") from None
    with _taken(settings, out) as path:
        _play(settings, path, as_json=as_json, quiet=quiet, replay=replay)


def _play(settings: RunConfig, path: Path, *, as_json: bool, quiet: bool, replay: bool) -> None:
    from mosaic_planner.episode import run_episode  # heavy, and not needed for --help

    if as_json:
        episode = run_episode(settings, out=path)
        metrics, header = episode.metrics.as_dict(), episode.trace.header
        if replay:
            _page(path)
        result = {key: metrics[key] for key in _JSON_KEYS}
        result |= {"trace": str(path), "model": header["model"], "simulated": header["simulated"]}
        typer.echo(json.dumps(result))
        return
    console = Console()
    if quiet:
        episode = run_episode(settings, out=path)
    else:
        with LiveView(console, settings_table(settings)) as view:
            episode = run_episode(settings, out=path, on_event=view.event)
    console.print(metrics_table([episode.metrics], titles=["value"]))
    if episode.trace.header["simulated"]:
        console.print(STAND_IN_NOTE, style="dim")
    console.print(f"trace: {path}", soft_wrap=True, highlight=False, markup=False)
    if replay:
        console.print(f"replay: {_page(path)}", soft_wrap=True, highlight=False, markup=False)


def _page(trace: Path) -> Path:
    from mosaic_planner.cli.replay import page_path
    from mosaic_planner.replay import EventFile, write_replay

    page = page_path(trace)
    write_replay(page, EventFile(trace))
    return page


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(name="run", epilog=_EXAMPLES)(_run)
