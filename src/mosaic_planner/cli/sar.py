"""`mosaic sar`: recordings of the reference environment, and scene files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["app"]

app = typer.Typer(
    help="Search and rescue: replay recordings, generate scenes.", no_args_is_help=True
)


@app.command(epilog="Example:  mosaic sar replay RECORDED.json --out OURS.json")
def replay(
    recorded: Annotated[Path, typer.Argument(help="Recording in the trace format 1.")],
    out: Annotated[Path, typer.Option(help="Where to write ours, in the same format.")],
) -> None:
    """Replay a recording's actions in faithful mode and write what our world makes of them."""
    from mosaic_planner.worlds.sar.replay import read_recording, replay, write_recording

    ours = replay(read_recording(recorded))
    write_recording(ours, out)
    typer.echo(f"{len(ours['steps'])} steps replayed: {out}")


@app.command(
    epilog="Example:  mosaic sar generate --size 100 --fires 12 --persons 16 --out big.json"
)
def generate(
    size: Annotated[int, typer.Option(min=12, help="Side of the square grid, cells.")] = 30,
    fires: Annotated[int, typer.Option(min=0, help="Number of fires.")] = 2,
    persons: Annotated[int, typer.Option(min=0, help="Number of lost persons.")] = 1,
    agents: Annotated[int, typer.Option(min=1, help="Start cells to draw.")] = 8,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same scene.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="File to write; default: standard output.")
    ] = None,
) -> None:
    """Write a scene file for a larger (or smaller) mission; `mosaic run --scene FILE` takes it."""
    from mosaic_planner.worlds.sar.generator import generate, write_scene
    from mosaic_planner.worlds.sar.scene import scene_to_data

    scene = generate(size=size, fires=fires, persons=persons, agents=agents, seed=seed)
    if out is None:
        typer.echo(json.dumps(scene_to_data(scene), indent=1))
    else:
        write_scene(scene, out)
        typer.echo(f"scene written: {out}")
