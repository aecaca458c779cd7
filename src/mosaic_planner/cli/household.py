"""`mosaic household`: record AI2-THOR's scenes, list scenes, export rooms as point clouds."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import typer
from rich.console import Console
from rich.table import Table

from mosaic_planner._version import version
from mosaic_planner.core.errors import UnknownNameError, UsageError

__all__ = ["app"]

app = typer.Typer(
    help="Households: record AI2-THOR scenes, list scenes, export rooms in 3-D.",
    no_args_is_help=True,
)

Backend = Literal["embedded", "player", "unity"]

_Scene = Annotated[
    list[str],
    typer.Option(
        "--scene",
        help="FloorPlan1, 1-30, a room kind (kitchen, ...) or all; may be given several times.",
    ),
]
_Backend = Annotated[str, typer.Option(help="Simulator: unity, player or embedded.")]
_Source = Annotated[
    Path | None,
    typer.Option("--scenes", help="Folder with the rooms of player and embedded."),
]
_Headless = Annotated[
    bool, typer.Option("--headless/--display", help="unity: no images, so no display is needed.")
]
_Cloud = Annotated[
    bool, typer.Option("--cloud", help="unity: the off-screen renderer, which needs Vulkan.")
]
_StartTimeout = Annotated[
    float | None, typer.Option(min=0.1, help="Seconds until the simulator has to answer.")
]
_StepTimeout = Annotated[float | None, typer.Option(min=0.1, help="Seconds one action may take.")]


def _backend(name: str, source: Path | None) -> Backend:
    known = ("embedded", "player", "unity")
    if name not in known:
        raise UnknownNameError("backend", name, known)
    if source is not None and name == "unity":
        raise UsageError("--scenes goes with player and embedded; unity has its own scenes")
    return cast(Backend, name)


def _options(backend: Backend, **given: Any) -> dict[str, Any]:
    """What of the options the backend understands."""
    takes = {"embedded": (), "player": ("start_timeout_s", "step_timeout_s")}.get(backend)
    return {k: v for k, v in given.items() if v and (takes is None or k in takes)}


@app.command(epilog="Example:  mosaic household record --scene FloorPlan1 --scene 201-205")
def record(
    scene: _Scene,
    out: Annotated[Path, typer.Option(help="Folder to record into.")] = Path("thor_scenes"),
    backend: _Backend = "unity",
    scenes: _Source = None,
    force: Annotated[
        bool, typer.Option("--force", help="Record scenes again that the folder has already.")
    ] = False,
    headless: _Headless = True,
    cloud: _Cloud = False,
    start_timeout: _StartTimeout = None,
    step_timeout: _StepTimeout = None,
) -> None:
    """Record scenes of AI2-THOR into a folder that `mosaic run --scenes` reads."""
    from mosaic_planner.worlds.household.archive import (
        Recorded,
        named_scenes,
        record_scenes,
        recorded_names,
        simulator,
    )

    kind = _backend(backend, scenes)
    names = named_scenes(scene)
    there = () if force else recorded_names(out)
    todo = [name for name in names if name not in there]
    for name in names:
        if name in there:
            typer.echo(f"{name}: already in {out} (--force records it again)")
    if not todo:
        return
    _warn(kind)

    def told(one: Recorded) -> None:
        done = todo.index(one.scene) + 1
        figures = f"{one.objects} objects, {one.cells} cells"
        typer.echo(f"{one.scene}: {figures} ({done} of {len(todo)}): {one.path}")

    options = _options(
        kind,
        headless=headless and not cloud,
        cloud=cloud,
        start_timeout_s=start_timeout,
        step_timeout_s=step_timeout,
    )
    with simulator(kind, todo[0], scenes=scenes, **options) as controller:
        engine = "AI2-THOR 5.0.0" if kind == "unity" else f"mosaic {version()} ({kind})"
        record_scenes(controller, todo, out, engine=engine, on_scene=told)
    count = "1 scene" if len(todo) == 1 else f"{len(todo)} scenes"
    use = f"mosaic run --world household --scenes {shlex.quote(str(out))}"
    typer.echo(f"{count} recorded; to use: {use}")


def _warn(backend: Backend) -> None:
    """Say beforehand that a long download is coming."""
    from mosaic_planner.worlds.household.remote import build_is_there

    if backend == "unity" and not build_is_there():
        typer.echo("AI2-THOR's build is not here yet; its client downloads about 1 GB first")


@app.command(name="scenes", epilog="Example:  mosaic household scenes --room kitchen --details")
def list_scenes(
    scenes: Annotated[
        Path | None, typer.Option(help="Folder of recorded scenes; default: the generated ones.")
    ] = None,
    room: Annotated[str, typer.Option(help="Only this room kind: kitchen, bedroom, ...")] = "",
    details: Annotated[
        bool, typer.Option("--details", help="Also count objects and free cells.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON instead of a table.")] = False,
) -> None:
    """List scenes: those that are generated, or those of a recorded folder."""
    from mosaic_planner.worlds.household import GeneratedScenes, SceneFolder, all_tasks
    from mosaic_planner.worlds.household.catalogue import ROOMS, room_of_floorplan

    if room and room not in ROOMS:
        raise UnknownNameError("room", room, ROOMS)
    source = GeneratedScenes() if scenes is None else SceneFolder(scenes)
    rows = []
    for name in source.names():
        kind = room_of_floorplan(name)
        if room and kind != room:
            continue
        tasks = [t.task_id for t in all_tasks() if name in t.floor_plans]
        row: dict[str, Any] = {"scene": name, "room": kind, "tasks": tasks}
        if details:
            loaded = source.load(name)
            row |= {"objects": len(loaded.objects), "cells": len(loaded.cells)}
        rows.append(row)
    if as_json:
        typer.echo(json.dumps(rows))
        return
    where = "generated" if scenes is None else f"recorded in {scenes}"
    table = Table(title=f"{len(rows)} scenes, {where}", title_justify="left")
    for column in ("scene", "room", "tasks", *(("objects", "free cells") if details else ())):
        table.add_column(column, no_wrap=column == "scene")
    for row in rows:
        counts = [str(row["objects"]), str(row["cells"])] if details else []
        table.add_row(row["scene"], row["room"], str(len(row["tasks"])), *counts)
    Console().print(table)


@app.command(epilog="Example:  mosaic household points --scene FloorPlan1 --out kitchen.ply")
def points(
    scene: Annotated[str, typer.Option(help="One scene, e.g. FloorPlan1.")],
    out: Annotated[Path | None, typer.Option(help="PLY file; default: named by the scene.")] = None,
    backend: _Backend = "embedded",
    scenes: _Source = None,
    stops: Annotated[int, typer.Option(min=1, max=50, help="Places to look round at.")] = 4,
    grain: Annotated[float, typer.Option(min=0.001, help="Metres between points.")] = 0.02,
    cloud: _Cloud = False,
    start_timeout: _StartTimeout = None,
    step_timeout: _StepTimeout = None,
) -> None:
    """Export a room as a coloured point cloud (PLY), made of depth frames from a tour of it."""
    from mosaic_planner.worlds.household.archive import named_scenes, simulator
    from mosaic_planner.worlds.household.recording import ply, tour
    from mosaic_planner.worlds.household.stage import SimulatorLost

    kind = _backend(backend, scenes)
    names = named_scenes([scene])
    if len(names) != 1:
        raise UsageError(f"--scene names one scene here, not {len(names)}")
    _warn(kind)
    options = _options(
        kind, cloud=cloud, start_timeout_s=start_timeout, step_timeout_s=step_timeout
    )
    with simulator(kind, names[0], scenes=scenes, renderDepthImage=True, **options) as controller:
        try:
            xyz, rgb = tour(controller, stops=stops, grain_m=grain)
        except SimulatorLost as lost:
            raise UsageError(f"{names[0]} was not toured: {lost}") from None
    path = out if out is not None else Path(f"{names[0]}.ply")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(ply(xyz, rgb))
    typer.echo(f"{len(xyz)} points of {names[0]}: {path}")
