"""`mosaic compare`, `report` and `export`: what finished sweeps say."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mosaic_planner.core.errors import TraceError, UsageError

if TYPE_CHECKING:
    from mosaic_planner.experiments.comparison import Comparison
    from mosaic_planner.experiments.outputs import Results

__all__ = ["register"]

_COMPARE_EXAMPLES = """Examples:

mosaic compare runs/effect --row-a "LLaMAR + Mosaic" --row-b LLaMAR

mosaic compare runs/a runs/b
"""
_REPORT_EXAMPLES = """Examples:

mosaic report runs/effect

mosaic report runs/effect --replays all

mosaic report runs/reproduce/table2 --paper table2 --paper fig4
"""
_EXPORT_EXAMPLES = """Examples:

mosaic export runs/effect --mlflow http://localhost:5000

OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 mosaic export runs/effect --otel
"""


def _compare(
    dir_a: Annotated[Path, typer.Argument(help="Folder of sweep A.")],
    dir_b: Annotated[
        Path | None, typer.Argument(help="Folder of sweep B; default: A itself.")
    ] = None,
    row_a: Annotated[str | None, typer.Option(help="Row of A, by its label.")] = None,
    row_b: Annotated[str | None, typer.Option(help="Row of B, by its label.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Say whether A is better than B, by how much, and what it would take to know."""
    from mosaic_planner.experiments.comparison import compare, comparison_text
    from mosaic_planner.experiments.outputs import Results

    if dir_b is None and (row_a is None or row_b is None):
        raise UsageError("comparing inside one sweep needs --row-a and --row-b")
    a = Results.of(dir_a)
    b = a if dir_b is None else Results.of(dir_b)
    comparisons = compare(a, b, row_a=row_a, row_b=row_b)
    if as_json:
        typer.echo(json.dumps({"comparisons": [_values(c) for c in comparisons]}))
        return
    for comparison in comparisons:
        typer.echo(comparison_text(comparison))


def _values(comparison: Comparison) -> dict[str, Any]:
    figures = {}
    for finding in comparison.findings:
        d, needed = finding.difference, finding.needed
        figures[finding.column.name] = {
            "a": d.mean_a,
            "b": d.mean_b,
            "difference": d.difference,
            "low": d.interval.low if d.interval.known else None,
            "high": d.interval.high if d.interval.known else None,
            "verdict": finding.verdict,
            "needed_seeds_per_task": needed.repeats if needed else None,
            "needed_tasks": needed.tasks if needed else None,
        }
    return {
        "a": comparison.a,
        "b": comparison.b,
        "world": comparison.world,
        "pairs": comparison.pairs,
        "tasks": comparison.tasks,
        "figures": figures,
    }


def _report(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a sweep.")],
    out: Annotated[
        Path | None, typer.Option(help="Page to write; default DIR/report.html.")
    ] = None,
    paper: Annotated[
        list[str] | None,
        typer.Option(help="Lay out as this table or figure of the paper; repeatable."),
    ] = None,
    replays: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help="Replay pages to write and link: chosen (best, median, worst and failed episodes "
            "of each row), all, none, or a number.",
        ),
    ] = "chosen",
) -> None:
    """Write one self-contained HTML page about a sweep."""
    from mosaic_planner.experiments.outputs import Outputs, Results, build_outputs
    from mosaic_planner.experiments.paper.experiments import EXPERIMENTS, find_experiment
    from mosaic_planner.experiments.report import report_page, write_report

    results = Results.of(folder)
    target = out if out is not None else folder / "report.html"
    pages = _write_replays(results, replays)
    finished = sorted({line["world"] for line in results.lines})
    if paper:
        layouts = [find_experiment(name) for name in paper]
    else:
        layouts = [e for e in EXPERIMENTS.values() if e.suite == results.suite.name]
        fitting = [e for e in layouts if set(e.worlds) & set(finished)]
        layouts = fitting or layouts
    parts = [
        build_outputs(results, e, [w for w in finished if w in e.worlds] or finished)
        for e in layouts
    ]
    parts.append(build_outputs(results, None, finished))
    outputs = Outputs(
        tuple(table for part in parts for table in part.tables),
        tuple(chart for part in parts for chart in part.charts),
    )
    command = f"mosaic sweep {shlex.quote(results.suite.name)} --out {shlex.quote(folder.name)}"
    commands = [command, f"mosaic report {shlex.quote(folder.name)}"]
    page = report_page(results, outputs, commands, folder=target.parent)
    write_report(page, target)
    if pages:
        typer.echo(f"replays: {pages} pages in {folder / 'replays'}")
    typer.echo(f"report: {target} ({len(page) / 1e6:.1f} MB); open it in a browser")


def _write_replays(results: Results, which: str) -> int:
    """Replay pages that are asked for and not there yet; returns how many there are of those.

    A trace never changes, so neither does its page. A trace that cannot be shown is named.
    """
    from mosaic_planner.experiments.report import notable_episodes, replay_path
    from mosaic_planner.experiments.store import Store
    from mosaic_planner.replay import EventFile, write_replay

    every = dict.fromkeys(line["key"] for line in results.lines)
    chosen = dict.fromkeys(item.key for item in notable_episodes(results.lines))
    if which.isdecimal():
        keys = list(chosen | every)[: int(which)]
    elif which in ("all", "chosen", "none"):
        keys = {"all": list(every), "chosen": list(chosen), "none": []}[which]
    else:
        raise UsageError(f"--replays {which}: say chosen, all, none or a number")
    store = Store(results.folder)
    for key in keys:
        target = replay_path(results.folder, key)
        if not target.exists():
            half = target.with_suffix(".part")
            try:
                write_replay(half, EventFile(store.trace(key)), None, details=True)
                half.replace(target)
            except TraceError as error:
                print(f"no replay of {key}: {error}", file=sys.stderr)
            finally:
                half.unlink(missing_ok=True)
    return sum(replay_path(results.folder, key).exists() for key in keys)


def _export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a sweep.")],
    mlflow: Annotated[str | None, typer.Option(help="MLflow tracking address.")] = None,
    otel: Annotated[
        bool, typer.Option("--otel", help="Send spans to the OTLP collector of OTEL_* variables.")
    ] = False,
) -> None:
    """Send a sweep to MLflow or, as spans, to OpenTelemetry."""
    from mosaic_planner.experiments.outputs import Results

    if mlflow is None and not otel:
        raise UsageError("say where to: --mlflow ADDRESS or --otel")
    results = Results.of(folder)
    if mlflow is not None:
        from mosaic_planner.experiments.export.mlflow import address_without_login, export_mlflow

        runs = export_mlflow(results, mlflow)
        typer.echo(f"{runs} runs written to {address_without_login(mlflow)}")
    if otel:
        from mosaic_planner.core.trace import read_trace
        from mosaic_planner.experiments.export.otel import export_spans, otlp_tracer
        from mosaic_planner.experiments.store import Store

        tracer, provider, delivery = otlp_tracer()
        store = Store(results.folder)
        made = 0
        for key in dict.fromkeys(line["key"] for line in results.lines):
            path = store.trace(key)
            trace = read_trace(path)
            end = float(trace.events[-1].get("t", 0.0))
            made += export_spans(trace, tracer, start_s=path.stat().st_mtime - end)
            provider.force_flush()  # an episode at a time: what does not fit its queue is dropped
            if delivery.lost:
                break
        provider.shutdown()
        if delivery.sent < made:
            raise UsageError(
                f"the collector took {delivery.sent} of {made} spans; "
                "see that it runs and that OTEL_EXPORTER_OTLP_ENDPOINT names it"
            )
        print(f"{delivery.sent} spans sent", file=sys.stderr)


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command(name="compare", epilog=_COMPARE_EXAMPLES)(_compare)
    app.command(name="report", epilog=_REPORT_EXAMPLES)(_report)
    app.command(name="export", epilog=_EXPORT_EXAMPLES)(_export)
