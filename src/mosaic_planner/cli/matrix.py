"""`mosaic matrix`: every planner with every set of Mosaic parts, in every world."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table

from mosaic_planner.core.errors import UnknownNameError

if TYPE_CHECKING:
    from mosaic_planner.experiments.matrix import MatrixCell

__all__ = ["register"]


def _matrix(
    world: Annotated[list[str] | None, typer.Option(help="Only this world; repeatable.")] = None,
    planner: Annotated[
        list[str] | None, typer.Option(help="Only this planner; repeatable. Yours too.")
    ] = None,
    agents: Annotated[
        list[int] | None, typer.Option(min=1, help="Only this team size; repeatable.")
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Planning steps of each episode.")] = 10,
    model: Annotated[str, typer.Option(help="Model of every episode.")] = "standin:gpt4-2024",
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = os.cpu_count() or 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object only.")] = False,
) -> None:
    """Run planners x {plain, +asm, +ilp, +mosaic} x worlds x 2 to 5 agents; count their calls.

    Exit code 1 if an episode crashes or calls its model more or less often than documented.
    """
    from mosaic_planner.experiments.matrix import (
        PLANNERS,
        TEAM_SIZES,
        WORLDS,
        matrix_configs,
        run_matrix,
    )
    from mosaic_planner.planners.registry import parse_method
    from mosaic_planner.worlds.registry import world_names

    for name in planner or ():
        parse_method(name)
    for name in world or ():
        if name not in world_names():
            raise UnknownNameError("world", name, world_names())
    sizes = agents or TEAM_SIZES
    configs = matrix_configs(
        planners=planner or PLANNERS,
        worlds=world or WORLDS,
        team_sizes=sizes,
        model=model,
        steps=steps,
    )
    bar = Progress(
        "episodes", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        console=Console(stderr=True), disable=as_json, transient=True,
    )  # fmt: skip
    with bar:
        task = bar.add_task("episodes", total=len(configs))
        cells = run_matrix(configs, jobs=jobs, on_cell=lambda _: bar.advance(task))
    good = all(cell.good for cell in cells)
    if as_json:
        fields = [cell.fields() for cell in cells]
        typer.echo(json.dumps({"model": model, "steps": steps, "good": good, "episodes": fields}))
    else:
        _show(cells, sizes, model, steps)
    if not good:
        raise typer.Exit(1)


def _show(cells: Sequence[MatrixCell], sizes: Sequence[int], model: str, steps: int) -> None:
    from mosaic_planner.experiments.matrix import documented

    console = Console()
    console.print(f"{len(cells)} episodes of at most {steps} steps, {escape(model)}")
    for world, inside in itertools.groupby(cells, key=lambda c: c.world):
        table = Table(title=f"Calls per step, {escape(world)}", title_justify="left")
        table.add_column("method", no_wrap=True)
        table.add_column("no crash", justify="right")
        for size in sizes:
            table.add_column(f"{size}", justify="right")
        table.add_column("documented", no_wrap=True)
        for (planner, parts), group in itertools.groupby(
            inside, key=lambda c: (c.planner, c.parts)
        ):
            row = list(group)
            table.add_row(
                escape(planner + parts),
                f"{sum(not cell.error for cell in row)} of {len(row)}",
                *map(_figure, row),
                documented(planner) or "-",
                end_section=parts == "+mosaic",
            )
        console.print(table)
    reasons: dict[str, list[str]] = {}
    for cell in cells:
        if not cell.good:
            counts = f"{cell.first} calls in {cell.steps} steps, documented are {cell.expected}"
            where = f"{cell.method}, {cell.world}, {cell.agents} agents"
            reasons.setdefault(cell.error or counts, []).append(where)
    for reason, places in reasons.items():
        more = f" and {len(places) - 1} more" if len(places) > 1 else ""
        console.print(f"[red]{escape(places[0])}{more}:[/] {escape(reason)}", soft_wrap=True)
    crashed = sum(bool(cell.error) for cell in cells)
    console.print(
        f"{len(cells) - crashed} of {len(cells)} episodes without a crash; "
        f"{sum(cell.good for cell in cells)} with as many calls as documented "
        "(calls per step leave out what was asked again, and LLaMAR's one call at the start)",
        soft_wrap=True,
        highlight=False,
    )


def _figure(cell: MatrixCell) -> str:
    if cell.error:
        return "[red]crash[/]"
    return f"{cell.per_step:.2f}" if cell.as_documented else f"[red]{cell.per_step:.2f}[/]"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(name="matrix", epilog="Example:  mosaic matrix --world sar --agents 3")(_matrix)
