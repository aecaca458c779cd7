"""`mosaic memory`: what an agent believes at one step, beside the truth."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mosaic_planner.core.errors import UsageError
from mosaic_planner.core.trace import Event, Trace, read_trace, well_formed

__all__ = ["register"]


def _event(trace: Trace, kind: str, step: int) -> Event:
    last = 0
    for event in trace.of(kind):
        last = int(event["step"])
        if last == step:
            return event
    raise UsageError(f"the episode has steps 0 to {last}, not {step}")


def _place(place: tuple[float, float] | None) -> str:
    return "-" if place is None else f"{round(place[0], 2):g}, {round(place[1], 2):g}"


_COLOURS = {"right": "green", "off": "yellow", "lost": "yellow", "false": "red", "unknown": "dim"}


def _memory(
    trace_file: Annotated[Path, typer.Argument(help="Trace file written by mosaic run.")],
    step: Annotated[int, typer.Option(min=0, help="Planning step; 0 is the start.")],
    agent: Annotated[str | None, typer.Option(help="Whose view; default: the first.")] = None,
) -> None:
    """Show what an agent believes, beside the truth, with the errors."""
    with well_formed(lambda: f"{trace_file}: an event"):
        _show_beliefs(read_trace(trace_file), step, agent)


def _show_beliefs(trace: Trace, step: int, agent: str | None) -> None:
    from mosaic_planner.memory import compare
    from mosaic_planner.worlds.registry import true_positions

    header = trace.header
    agents = header["agents"]
    name = agents[0] if agent is None else agent
    if name not in agents:
        raise UsageError(f"no agent {name!r} in this episode; agents are {', '.join(agents)}")
    beliefs = _event(trace, "beliefs", step)
    truth = true_positions(header, _event(trace, "snapshot", step)["world"])
    console = Console()
    table = Table(title=f"What {name} believes before step {step + 1}", title_justify="left")
    table.add_column("name", no_wrap=True)
    for column in ("kind", "believed x, z", "true x, z", "error", "sure", "age", "verdict"):
        table.add_column(column, overflow="fold")
    for row in compare(beliefs, truth, agent=name, unit=header["world"]["unit"]):
        colour = _COLOURS.get(row.verdict, "")
        table.add_row(
            escape(row.name),
            escape(row.kind),
            _place(row.believed),
            _place(row.true),
            "-" if row.error is None else f"{row.error:.2f}",
            "-" if row.believed is None else f"{row.confidence:.2f}",
            "-" if row.believed is None else str(row.age),
            f"[{colour}]{row.verdict}[/]" if colour else row.verdict,
        )
    console.print(table)
    lines = beliefs["agents"][name]["lines"]
    console.print(
        f"\nIn the prompt ({len(lines)} lines):"
        if lines
        else "\nNo memory lines in the prompt: the method has no agent-centric memory."
    )
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(name="memory", epilog="Example:  mosaic memory TRACE --step 12 --agent Alice")(
        _memory
    )
