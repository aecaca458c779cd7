"""`mosaic effects`: what each row of a sweep changes against its base."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["register"]


def _effects(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a sweep.")],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> None:
    """Print every row's figures and its paired difference to its base, beside the paper's.

    The tables are written below DIR/tables too.
    """
    from mosaic_planner.experiments.effects import effect_tables, effects
    from mosaic_planner.experiments.outputs import Results, write_tables
    from mosaic_planner.experiments.tables import text

    results = Results.of(folder)
    if as_json:
        typer.echo(json.dumps({"effects": [effect.fields() for effect in effects(results)]}))
        return
    tables = effect_tables(results)
    for table in tables:
        typer.echo(text(table))
    written = write_tables(tables, folder)
    typer.echo(f"{len(written)} files in {folder}/tables")


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command(name="effects", epilog="Example:  mosaic effects runs/methods")(_effects)
