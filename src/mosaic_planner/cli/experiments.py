"""`mosaic suites`, `sweep` and `reproduce`: run suites and the paper's experiments."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table as RichTable

from mosaic_planner.cli import results
from mosaic_planner.cli.sweeping import announce, progress_of, run_sweep, show_estimate, summary
from mosaic_planner.config import parse_override
from mosaic_planner.core.errors import UsageError

if TYPE_CHECKING:
    from mosaic_planner.experiments.estimate import Estimate
    from mosaic_planner.experiments.suite import Suite

__all__ = ["register"]

_SWEEP_EXAMPLES = """Examples:

mosaic sweep sar-effect --out runs/effect --jobs 2

mosaic sweep table9 --out runs/k --world sar --vary k=1,2,8 --limit 50

mosaic sweep mine.toml --out runs/mine --model openai:gpt-4o --dry-run

mosaic sweep sar-effect --out runs/effect --engine ray --address auto
"""
_REPRODUCE_EXAMPLES = """Examples:

mosaic reproduce table2 --quick     (minutes, with the stand-in)

mosaic reproduce all --quick --out runs/quick

mosaic reproduce table9 --vary k=1,2,8 --model openai:gpt-4o --dry-run

mosaic reproduce table5 --world sar
"""

_Overrides = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Any setting of `mosaic run`; repeatable."),
]
_Vary = Annotated[
    list[str] | None,
    typer.Option(metavar="KEY=V1,V2", help="Run at each of these values, e.g. k=1,2,4."),
]
_Worlds = Annotated[list[str] | None, typer.Option("--world", help="Only this world; repeatable.")]
_Rows = Annotated[list[str] | None, typer.Option("--row", help="Only this row; repeatable.")]
_Model = Annotated[str | None, typer.Option(help="Model for every episode, e.g. openai:gpt-4o.")]
_Episodes = Annotated[int | None, typer.Option(min=1, help="Episodes per task.")]
_Quick = Annotated[bool, typer.Option("--quick", help="A small version that takes minutes.")]
_Jobs = Annotated[int | None, typer.Option(min=1, help="Episodes at a time.")]
_Limit = Annotated[int | None, typer.Option(min=1, help="At most this many episodes now.")]
_DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Only say what it would run, spend and cost.")
]
_Engine = Annotated[
    Literal["auto", "process", "async", "ray"], typer.Option(help="How episodes are run.")
]
_Address = Annotated[str | None, typer.Option(help="Ray cluster: auto or host:port.")]
_MaxCalls = Annotated[int | None, typer.Option(min=1, help="Model calls of the whole sweep.")]
_MaxTokens = Annotated[int | None, typer.Option(min=1, help="Tokens of the whole sweep.")]
_MaxCost = Annotated[float | None, typer.Option(min=0, help="USD of the whole sweep.")]
_MaxTime = Annotated[
    float | None, typer.Option(min=0, help="Seconds of model time of the whole sweep.")
]
_Accept = Annotated[
    bool, typer.Option("--accept-versions", help="Go on although versions differ; it is noted.")
]
_Timeout = Annotated[
    float | None, typer.Option(min=1, help="Seconds after which an episode counts as hanging.")
]
_AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object at the end only.")]


def _axes(texts: list[str] | None) -> dict[str, list[Any]]:
    """`k=1,2,4` as values; JSON or TOML lists and tables are taken whole."""
    axes: dict[str, list[Any]] = {}
    for text in texts or ():
        key, equals, raw = text.partition("=")
        if not equals or not raw:
            raise UsageError(f"--vary {text!r} is not KEY=V1,V2, e.g. agents=2,3")
        whole = parse_override(text)[1]
        if isinstance(whole, list):
            axes[key.strip()] = whole
        elif isinstance(whole, dict):
            axes.setdefault(key.strip(), []).append(whole)
        else:
            axes[key.strip()] = [parse_override(f"{key}={part}")[1] for part in raw.split(",")]
    return axes


def _settings(overrides: list[str] | None, model: str | None) -> dict[str, Any]:
    settings = dict(parse_override(text) for text in overrides or ())
    return settings if model is None else {"model": model, **settings}


def _adjusted(
    suite: Suite,
    *,
    overrides: list[str] | None,
    model: str | None,
    vary: list[str] | None,
    rows: list[str] | None,
    episodes: int | None,
    quick: bool,
    worlds: list[str] | None = None,
) -> Suite:
    axes = _axes(vary)
    if model is not None and "model" in suite.vary and "model" not in axes:
        axes["model"], model = [model], None
    return suite.adjusted(
        settings=_settings(overrides, model),
        vary=axes,
        rows=rows,
        episodes=episodes,
        quick=quick,
        worlds=worlds,
    )


def _suites(
    name: Annotated[str | None, typer.Argument(help="Show this suite only, in full.")] = None,
) -> None:
    """List the suites, or print one."""
    from mosaic_planner.experiments.catalogue import find_suite, suite_names

    if name is not None:
        suite = find_suite(name)
        typer.echo(json.dumps(suite.model_dump(mode="json", exclude_defaults=True), indent=1))
        return
    table = RichTable("suite", "what", "rows", "worlds", "episodes here", title_justify="left")
    for known in suite_names():
        suite = find_suite(known)
        missing = suite.missing_worlds
        worlds = ", ".join(
            f"{part.world} (not installed)" if part.world in missing else part.world
            for part in suite.worlds
        )
        title = f"{suite.source}: {suite.title}" if suite.source else suite.title
        table.add_row(
            known, escape(title), str(len(suite.rows)), worlds, str(len(suite.plan().cells))
        )
    Console().print(table)
    typer.echo(
        "Run one:  mosaic sweep NAME --out DIR     or a file of your own: mosaic sweep a.toml"
    )


def _sweep(
    suite: Annotated[str, typer.Argument(help="Name of a suite, or a TOML file.")],
    out: Annotated[
        Path | None,
        typer.Option(help="Folder of the results; the same goes on. Default: runs/NAME."),
    ] = None,
    overrides: _Overrides = None,
    vary: _Vary = None,
    model: _Model = None,
    world: _Worlds = None,
    row: _Rows = None,
    episodes: _Episodes = None,
    quick: _Quick = False,
    jobs: _Jobs = None,
    limit: _Limit = None,
    dry_run: _DryRun = False,
    engine: _Engine = "auto",
    address: _Address = None,
    max_calls: _MaxCalls = None,
    max_tokens: _MaxTokens = None,
    max_cost: _MaxCost = None,
    max_time: _MaxTime = None,
    accept_versions: _Accept = False,
    episode_timeout: _Timeout = None,
    as_json: _AsJson = False,
) -> None:
    """Run a suite; killed at any moment, the same command goes on."""
    from mosaic_planner.experiments.catalogue import find_suite
    from mosaic_planner.experiments.outputs import Results, build_outputs, write_outputs
    from mosaic_planner.experiments.runner import SpendingLimits
    from mosaic_planner.experiments.tables import text

    chosen = _adjusted(
        find_suite(suite),
        overrides=overrides,
        model=model,
        vary=vary,
        rows=row,
        episodes=episodes,
        quick=quick,
        worlds=world,
    )
    console = Console(stderr=as_json)
    plan = chosen.plan()
    if out is None:
        out = Path("runs") / (chosen.name + ("-quick" if quick else ""))
    announce(console, plan)
    if dry_run:
        found = show_estimate(console, plan, out)
        if as_json:
            typer.echo(json.dumps(asdict(found)))
        return
    result = run_sweep(
        console,
        plan,
        out,
        engine=engine,
        jobs=jobs,
        address=address,
        episode_timeout_s=episode_timeout,
        limit=limit,
        limits=SpendingLimits(max_calls, max_tokens, max_cost, max_time),
        accept_versions=accept_versions,
    )
    if result.finished and not result.disk_full:
        outputs = build_outputs(Results.of(out))
        written, notes = write_outputs(outputs, out)
        if not as_json:
            for table in outputs.tables:
                console.print(text(table), markup=False, highlight=False, soft_wrap=True)
            console.print(f"{len(written)} files in {out}/tables and {out}/figures", soft_wrap=True)
            for note in notes:
                console.print(note, markup=False, soft_wrap=True)
    _finish(console, [result], as_json=as_json)


def _reproduce(
    names: Annotated[list[str], typer.Argument(help="table2 ... table13, fig3 ... fig8, or all.")],
    out: Annotated[Path, typer.Option(help="Folder; one inside per suite.")] = Path(
        "runs/reproduce"
    ),
    overrides: _Overrides = None,
    vary: _Vary = None,
    model: _Model = None,
    world: _Worlds = None,
    row: _Rows = None,
    episodes: _Episodes = None,
    quick: _Quick = False,
    jobs: _Jobs = None,
    limit: _Limit = None,
    dry_run: _DryRun = False,
    engine: _Engine = "auto",
    address: _Address = None,
    max_calls: _MaxCalls = None,
    max_tokens: _MaxTokens = None,
    max_cost: _MaxCost = None,
    max_time: _MaxTime = None,
    accept_versions: _Accept = False,
    episode_timeout: _Timeout = None,
    as_json: _AsJson = False,
) -> None:
    """Reproduce tables and figures of the paper, each beside the paper's own values."""
    from mosaic_planner.experiments.catalogue import find_suite
    from mosaic_planner.experiments.outputs import Results, build_outputs, write_outputs
    from mosaic_planner.experiments.paper.experiments import EXPERIMENTS, find_experiment
    from mosaic_planner.experiments.runner import SpendingLimits
    from mosaic_planner.experiments.tables import text
    from mosaic_planner.experiments.tasks import have_world

    wanted = list(EXPERIMENTS) if names == ["all"] else names
    experiments = [find_experiment(name) for name in wanted]
    console = Console(stderr=as_json)
    changed = bool(overrides or vary or model or row or episodes)
    sweeps = []
    estimates: list[Estimate] = []
    counted: set[tuple[Path, str]] = set()
    skipped = 0
    for experiment in experiments:
        found = find_suite(experiment.suite)
        has = [part.world for part in found.worlds]
        worlds = [name for name in world if name in has] if world else list(experiment.worlds)
        present = [name for name in worlds if have_world(name)]
        missing = [name for name in worlds if name not in present]
        if not present:
            line = (
                f"{experiment.name} needs the {' and '.join(missing)} world, which is not part of "
                "this installation; --world sar runs the same rows in search and rescue instead"
                if missing
                else f"{experiment.name} is not run in world {' or '.join(world or ())}; "
                f"it has {' and '.join(has)}"
            )
            if len(experiments) == 1:
                raise UsageError(line)
            console.print(f"[yellow]skipped:[/] {escape(line)}", soft_wrap=True)
            skipped += 1
            continue
        suite = _adjusted(
            found,
            overrides=overrides,
            model=model,
            vary=vary,
            rows=row,
            episodes=episodes,
            quick=quick,
        )
        plan = suite.plan()
        folder = out / (suite.name + ("-quick" if quick else ""))
        if changed:
            folder = folder.with_name(f"{folder.name}-{plan.digest[:8]}")
        console.rule(f"{experiment.name}: {escape(experiment.title)}", align="left")
        if missing:
            console.print(
                f"[yellow]without {' and '.join(missing)}: that world is not installed[/]"
            )
        if dry_run:
            new = [name for name in present if (folder, name) not in counted]
            counted.update((folder, name) for name in new)
            if new:
                estimates.append(show_estimate(console, plan, folder, worlds=new))
            else:
                console.print(f"the episodes of {suite.name}, counted above")
            continue
        result = run_sweep(
            console,
            plan,
            folder,
            engine=engine,
            jobs=jobs,
            address=address,
            episode_timeout_s=episode_timeout,
            limit=limit,
            limits=SpendingLimits(max_calls, max_tokens, max_cost, max_time),
            accept_versions=accept_versions,
            worlds=present,
        )
        sweeps.append(result)
        if not result.finished or result.disk_full:
            continue
        outputs = build_outputs(Results.of(folder), experiment, present)
        written, notes = write_outputs(outputs, folder)
        if not as_json:
            for table in outputs.tables:
                console.print(text(table), markup=False, highlight=False, soft_wrap=True)
            for path in written:
                console.print(f"  {path}", markup=False, highlight=False, soft_wrap=True)
            for note in notes:
                console.print(note, markup=False, soft_wrap=True)
    if skipped == len(experiments):
        raise UsageError("nothing to run: no table or figure is run in the world asked for")
    if as_json and dry_run:
        values = [asdict(estimate) for estimate in estimates]
        typer.echo(json.dumps(values[0] if len(values) == 1 else {"sweeps": values}))
    elif len(estimates) > 1:
        runs = sum(found.episodes - found.finished for found in estimates)
        calls = [sum(found.calls[i] for found in estimates) for i in (0, 1)]
        console.print(f"in all: {runs} episodes to run, {calls[0]:,} to {calls[1]:,} calls")
    if sweeps:
        _finish(console, sweeps, as_json=as_json, skipped=skipped)


def _finish(console: Console, sweeps: list[Any], *, as_json: bool, skipped: int = 0) -> None:
    """Say how it went; exit code 1 if an episode is missing that should be there."""
    if as_json:
        values = [summary(result) for result in sweeps]
        typer.echo(json.dumps(values[0] if len(values) == 1 else {"sweeps": values}))
    else:
        for result in sweeps:
            progress_of(console, result)
        if skipped:
            console.print(f"{skipped} skipped: not in the world asked for, or it is not installed")
    if any(result.failures or result.unreachable or result.stopped for result in sweeps):
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add the commands to the application, with those that read results."""
    app.command(name="suites", epilog="Example:  mosaic suites table9")(_suites)
    app.command(name="sweep", epilog=_SWEEP_EXAMPLES)(_sweep)
    app.command(name="reproduce", epilog=_REPRODUCE_EXAMPLES)(_reproduce)
    results.register(app)
