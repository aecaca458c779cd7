"""`mosaic standin`: what the stand-in is measured against."""

from __future__ import annotations

import json
import os
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn
from rich.table import Table

__all__ = ["app"]

app = typer.Typer(help="The rule-based stand-in for a language model.", no_args_is_help=True)


@app.callback()
def _root() -> None:
    """The rule-based stand-in for a language model."""


@app.command(epilog="Example:  mosaic standin calibration --seeds 2")
def calibration(
    seeds: Annotated[
        int, typer.Option(min=1, help="Stand-in seeds; 20 make 2,000 episodes, about ten minutes.")
    ] = 20,
    first_seed: Annotated[
        int,
        typer.Option(min=0, help="The first of them; the rates were fitted to none below 5000."),
    ] = 0,
    jobs: Annotated[int, typer.Option(min=1, help="Processes.")] = os.cpu_count() or 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object only.")] = False,
) -> None:
    """Compare plain LLaMAR under standin:gpt4-2024 with the published logs."""
    from mosaic_planner.calibration import SCENES, SEEDS, TEAM_SIZES, calibrate

    total = len(TEAM_SIZES) * len(SCENES) * len(SEEDS) * seeds
    bar = Progress(
        "episodes", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
        console=Console(stderr=True), disable=as_json, transient=True,
    )  # fmt: skip
    with bar:
        task = bar.add_task("episodes", total=total)
        found = calibrate(
            seeds=seeds,
            first_seed=first_seed,
            workers=jobs,
            on_result=lambda _: bar.advance(task),
        )
    if as_json:
        typer.echo(json.dumps(found.fields()))
        return
    table = Table(
        title=f"standin:gpt4-2024 beside the published logs, {found.episodes} episodes",
        title_justify="left",
        box=None,
        padding=(0, 1, 0, 0),
    )
    columns = ("figure", "published", "stand-in", "sampled", "difference", "tolerated", "")
    for column in columns:
        table.add_column(column, justify="left" if column == "figure" else "right", no_wrap=True)
    for row in found.rows:
        table.add_row(
            row.quantity if row.agents is None else f"{row.quantity}, {row.agents} agents",
            f"{row.published:.3f}",
            f"{row.standin:.3f}",
            f"{row.sampled_low:.3f}-{row.sampled_high:.3f}",
            f"{row.standin - row.published:+.3f}",
            f"{row.low:.3f}-{row.high:.3f}",
            "[green]inside[/]" if row.inside else "[red]outside[/]",
        )
    Console().print(table)
    typer.echo(
        "sampled: the stand-in's figure over other seeds of its own (95 %)\n"
        "tolerated: where the published 25 episodes may lie (95 %), or 12 points either way"
    )
    if not found.enough:
        typer.echo(f"{found.seeds} seeds per cell are too few for a verdict; take 20", err=True)
    if found.enough and not found.within_tolerance:
        raise typer.Exit(1)
