"""What there is to choose from, and whether it works here: `planners`, `models`, `doctor`."""

from __future__ import annotations

import asyncio
import json
import platform
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from mosaic_planner._version import version
from mosaic_planner.core.errors import UnknownNameError

__all__ = ["register"]

_AsJson = Annotated[bool, typer.Option("--json", help="JSON instead of a table.")]


def _planners() -> None:
    """List planners, worlds, and what the suffixes of a method add."""
    from mosaic_planner.planners.registry import planner_names
    from mosaic_planner.worlds.registry import world_names

    typer.echo("planners: " + ", ".join(planner_names()))
    typer.echo("worlds:   " + ", ".join(world_names()))
    typer.echo(
        "suffixes: +asm (memory)  +fc (constraints)  +cfm (costs)  +ilp (both)  +mosaic (all)"
    )


def _models(as_json: _AsJson = False) -> None:
    """List the forms of model names, and models with a known price."""
    from mosaic_planner.models.catalogue import model_rows

    rows = model_rows()
    if as_json:
        typer.echo(json.dumps([row.as_dict() for row in rows]))
        return
    table = Table(title="Models", title_justify="left")
    table.add_column("name", no_wrap=True)
    for column in ("extra", "key", "USD per million in / cached / out", "note"):
        table.add_column(column, overflow="fold")
    for row in rows:
        cells = (row.name, row.extra, row.key, row.price, row.note)
        table.add_row(*(escape(cell) for cell in cells))
    Console().print(table)


def _tasks(
    room: Annotated[str, typer.Option(help="Only this room: kitchen, living_room, ...")] = "",
    type_: Annotated[
        int | None, typer.Option("--type", min=1, max=4, help="Only tasks of this type.")
    ] = None,
    text: Annotated[str, typer.Option(help="Only tasks with this in id or instruction.")] = "",
    as_json: _AsJson = False,
) -> None:
    """List the household tasks."""
    from mosaic_planner.worlds.household import all_tasks, list_tasks

    rooms = sorted({t.room for t in all_tasks()})
    if room and room not in rooms:
        raise UnknownNameError("room", room, rooms)
    found = list_tasks(room=room, type=type_, text=text)
    if as_json:
        rows = [
            {
                "id": t.task_id,
                "number": t.number,
                "type": t.type,
                "room": t.room,
                "instruction": t.instruction,
                "floor_plans": list(t.floor_plans),
            }
            for t in found
        ]
        typer.echo(json.dumps(rows))
        return
    table = Table(title=f"{len(found)} household tasks", title_justify="left")
    table.add_column("no.", justify="right")
    table.add_column("task", no_wrap=True)
    for column in ("type", "room", "instruction", "floor plans"):
        table.add_column(column, overflow="fold")
    for t in found:
        plans = ", ".join(t.floor_plans)
        row = (str(t.number), escape(t.task_id), str(t.type), t.room, escape(t.instruction), plans)
        table.add_row(*row)
    Console().print(table)


_MARKS = {"ok": "[green]ok[/]", "absent": "[yellow]absent[/]", "failed": "[red]failed[/]"}


def _doctor(
    model: Annotated[
        str | None,
        typer.Option(help="Also ask this model one small question (a hosted model bills it)."),
    ] = None,
) -> None:
    """Check keys, extras and, if named, a model's server; say what to do."""
    from mosaic_planner.models.doctor import (
        Check,
        check_keys,
        check_model_name,
        check_packages,
    )
    from mosaic_planner.worlds.household.remote import unity_problems

    ways = {
        "AI2-THOR (unity)": unity_problems(),
        "AI2-THOR (unity, cloud)": unity_problems(cloud=True),
        "AI2-THOR (unity, headless)": unity_problems(headless=True),
    }
    checks = [*check_packages(), *check_keys()]
    for way, problems in ways.items():
        checks += [Check(way, "absent", problem) for problem in problems]
        if not problems:
            checks.append(Check(way, "ok", "ready to start"))
    if model is not None:
        checks += asyncio.run(check_model_name(model))
    table = Table(
        title=f"mosaic {version()}, Python {platform.python_version()}", title_justify="left"
    )
    for column in ("what", "state", "detail", "what to do"):
        table.add_column(column, overflow="fold")
    for check in checks:
        table.add_row(
            escape(check.what), _MARKS[check.status], escape(check.detail), escape(check.advice)
        )
    Console().print(table)
    if any(check.status == "failed" for check in checks):
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command(name="planners", epilog="Example:  mosaic planners")(_planners)
    app.command(name="tasks", epilog="Example:  mosaic tasks --room kitchen --type 1")(_tasks)
    app.command(name="models", epilog="Example:  mosaic models --json")(_models)
    app.command(name="doctor", epilog="Example:  mosaic doctor --model openai:gpt-4o")(_doctor)
