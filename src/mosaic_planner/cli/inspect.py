"""Commands that read traces: `show`, `metrics`, `why`, `memory`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mosaic_planner.cli.live import action_rows
from mosaic_planner.cli.tables import STAND_IN_NOTE, metrics_table
from mosaic_planner.core.errors import UsageError
from mosaic_planner.core.trace import Event, Trace, read_trace, well_formed
from mosaic_planner.metrics import Metrics, measure
from mosaic_planner.worlds.registry import draw

__all__ = ["register"]

_TraceFile = Annotated[Path, typer.Argument(help="Trace file written by mosaic run.")]
_StepNumber = Annotated[int, typer.Option(min=0, help="Planning step, from 1; 0 is the start.")]


def _at(trace: Trace, kind: str, step: int) -> Event | None:
    return next((e for e in trace.of(kind) if e["step"] == step), None)


def _last_step(trace: Trace) -> int:
    return max((int(e["step"]) for e in trace.of("score")), default=0)


def _show(
    trace_file: _TraceFile,
    step: Annotated[int | None, typer.Option(min=0, help="Only this step.")] = None,
    prompts: Annotated[bool, typer.Option("--prompts", help="Prompts and answers too.")] = False,
    maps: Annotated[bool, typer.Option("--maps/--no-maps", help="The map at each step.")] = True,
) -> None:
    """Print an episode step by step."""
    with well_formed(lambda: f"{trace_file}: an event"):
        _show_trace(read_trace(trace_file), step, prompts=prompts, maps=maps)


def _show_trace(trace: Trace, step: int | None, *, prompts: bool, maps: bool) -> None:
    header = trace.header
    console = Console()
    if step is not None and step > _last_step(trace):
        raise UsageError(f"the episode has steps 0 to {_last_step(trace)}, not {step}")
    console.print(
        f"[bold]{escape(header['world']['id'])}[/] {escape(header['planner'])} "
        f"{escape(header['model'])} seed {header['seed']}, "
        f"agents {escape(', '.join(header['agents']))}",
        highlight=False,
        soft_wrap=True,
    )
    console.print(header["briefing"]["instruction"], markup=False, soft_wrap=True)
    steps = range(_last_step(trace) + 1) if step is None else [step]
    for number in steps:
        _show_step(console, trace, number, prompts=prompts, maps=maps)
    if step is None:
        if not trace.complete:
            console.print("[yellow]the trace is torn: the run did not come to its end[/]")
        console.print(metrics_table([measure(trace)], titles=["value"]))
        if header["simulated"]:
            console.print(STAND_IN_NOTE, style="dim")


def _show_step(console: Console, trace: Trace, number: int, *, prompts: bool, maps: bool) -> None:
    score = _at(trace, "score", number)
    time_s = f"{score['t']:.1f} s" if score else "unfinished"
    console.rule(f"step {number}  {time_s}", align="left")
    if prompts:
        _show_calls(console, trace, number)
    proposal = _at(trace, "proposal", number)
    if proposal:
        for rejection in proposal["rejections"]:
            line = f"rejected: {rejection['agent']}: {rejection['text']!r}: {rejection['reason']}"
            console.print(line, markup=False, highlight=False, soft_wrap=True)
    rows = action_rows(_at(trace, "assignment", number), _at(trace, "outcome", number))
    if rows:
        table = Table()
        for column in ("agent", "action", "why", "result"):
            table.add_column(column, overflow="fold")
        for row in rows:
            table.add_row(*(escape(cell) for cell in row))
        console.print(table)
    subtasks = _at(trace, "subtasks", number)
    if subtasks:
        console.print("open: " + "; ".join(subtasks["open"]), markup=False, soft_wrap=True)
    if score:
        done = ", ".join(score["completed"])
        console.print(
            f"truly done {len(score['completed'])}/{score['total']}: {done}",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
    snapshot = _at(trace, "snapshot", number)
    if maps and snapshot:
        for line in draw(trace.header, snapshot["world"]):
            console.print(line, markup=False, highlight=False)


def _show_calls(console: Console, trace: Trace, number: int) -> None:
    texts = trace.texts()
    for call in trace.of("call"):
        if call["step"] != number:
            continue
        console.print(f"[bold]call: {escape(call['module'])}[/]  {call['latency_s']:.2f} s")
        for message in call["messages"]:
            text = texts.get(message.get("text_id", ""), message.get("text", ""))
            console.print(f"--- {message['role']}", markup=False)
            console.print(text, markup=False, highlight=False, soft_wrap=True)
        console.print("--- answer", markup=False)
        console.print(call["reply"], markup=False, highlight=False, soft_wrap=True)


def _metrics(
    traces: Annotated[list[Path], typer.Argument(help="Trace files.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per trace.")] = False,
) -> None:
    """Recompute the metrics of one or several traces."""
    read = [_measured(path) for path in traces]
    if as_json:
        for path, (metrics, whose) in zip(traces, read, strict=True):
            typer.echo(json.dumps(metrics.as_dict() | {"trace": str(path)} | whose))
        return
    titles = ["value"] if len(traces) == 1 else [path.name for path in traces]
    console = Console()
    console.print(metrics_table([metrics for metrics, _ in read], titles))
    if any(whose["simulated"] for _, whose in read):
        console.print(STAND_IN_NOTE, style="dim")


def _measured(path: Path) -> tuple[Metrics, dict[str, Any]]:
    """The metrics of a trace, and whose they are."""
    with well_formed(lambda: f"{path}: an event"):
        trace = read_trace(path)
        return measure(trace), {key: trace.header[key] for key in ("model", "simulated")}


def _why(
    trace_file: _TraceFile,
    step: _StepNumber,
    agent: Annotated[str | None, typer.Option(help="Only this agent.")] = None,
) -> None:
    """Say why the coordinator chose what it chose, in plain words."""
    with well_formed(lambda: f"{trace_file}: an event"):
        _why_trace(read_trace(trace_file), step, agent)


def _why_trace(trace: Trace, step: int, agent: str | None) -> None:
    from mosaic_planner.coordination import explain_event

    agents = trace.header["agents"]
    if agent is not None and agent not in agents:
        raise UsageError(f"no agent {agent!r} in this episode; agents are {', '.join(agents)}")
    event = _at(trace, "assignment", step)
    if event is None:
        last = _last_step(trace)
        there = f"steps are 1 to {last}" if last else "the trace ends before the first step"
        raise UsageError(f"no joint action was chosen in step {step}; {there}")
    asked = agents if agent is None else [agent]
    for name in asked:
        for line in explain_event(event, name, team=name == asked[-1]):
            typer.echo(line)


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command(name="show", epilog="Example:  mosaic show runs/demo/*.jsonl.gz --step 3")(_show)
    app.command(name="metrics", epilog="Example:  mosaic metrics runs/*.jsonl.gz")(_metrics)
    app.command(name="why", epilog="Example:  mosaic why TRACE --step 7 --agent Bob")(_why)
