"""`mosaic replay` and `mosaic video`: an episode as a page or as a film."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from mosaic_planner.core.errors import UsageError

__all__ = ["page_path", "register"]

_TraceFile = Annotated[Path, typer.Argument(help="Trace file written by mosaic run.")]


def page_path(trace_file: Path, other: Path | None = None) -> Path:
    """Where the page of a trace, or of two, goes by default: beside the first, ending in .html."""
    names = []
    for path in (trace_file, other):
        name = "" if path is None else path.name
        for ending in (".gz", ".jsonl", ".json"):
            name = name.removesuffix(ending)
        names.append(name)
    return trace_file.with_name("-and-".join(name for name in names if name) + ".html")


def _replay(
    trace_file: _TraceFile,
    other: Annotated[
        Path | None, typer.Argument(help="Another trace of the same mission, to compare.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Page to write; default: beside the trace.")
    ] = None,
    details: Annotated[
        bool,
        typer.Option(
            "--details/--no-details",
            help="Beliefs, candidates, prompts and answers; without them the page is small.",
        ),
    ] = True,
) -> None:
    """Write one self-contained page that shows an episode, or two side by side."""
    from mosaic_planner.replay import EventFile, write_replay

    trace = EventFile(trace_file)
    second = None if other is None else EventFile(other)
    target = page_path(trace_file, other) if out is None else out
    if target.resolve() in {p.resolve() for p in (trace_file, other) if p is not None}:
        raise UsageError(f"--out {target} would overwrite a trace")
    page = write_replay(target, trace, second, details=details)
    typer.echo(f"page written: {page} ({page.stat().st_size / 1e6:.1f} MB); open it in a browser")


def _steps(text: str | None) -> tuple[int | None, int | None]:
    """`3:9`, `3:` or `:9` as first and last step."""
    if text is None:
        return None, None
    low, colon, high = text.partition(":")
    if not colon or any(part and not part.isdecimal() for part in (low, high)):
        raise UsageError(f"--steps {text}: write FIRST:LAST, e.g. 3:9, 3: or :9")
    return (int(low) if low else None), (int(high) if high else None)


def _video(
    trace_file: _TraceFile,
    out: Annotated[Path, typer.Option(help="Film to write, .gif or .mp4.")],
    speed: Annotated[float, typer.Option(min=0.1, help="Planning steps per second.")] = 2.0,
    smooth: Annotated[int, typer.Option(min=1, max=30, help="Pictures per step.")] = 5,
    height: Annotated[int, typer.Option(min=120, max=2160, help="Height in pixels.")] = 540,
    theme: Annotated[str, typer.Option(help="light or dark.")] = "light",
    steps: Annotated[str | None, typer.Option(help="Only these steps, e.g. 3:9.")] = None,
) -> None:
    """Write an episode as an animated GIF or an MP4 film."""
    from mosaic_planner.replay import EventFile, FilmOptions, write_film

    if theme not in ("light", "dark"):
        raise UsageError(f"--theme {theme}: themes are light and dark")
    chosen: Literal["light", "dark"] = "dark" if theme == "dark" else "light"
    first, last = _steps(steps)
    options = FilmOptions(
        steps_per_s=speed,
        pictures_per_step=smooth,
        height_px=height,
        theme=chosen,
        first=first,
        last=last,
    )
    count = write_film(out, EventFile(trace_file), options)
    seconds = count / options.fps
    size = out.stat().st_size / 1e6
    typer.echo(f"film written: {out} ({seconds:.1f} s, {size:.1f} MB)")


def register(app: typer.Typer) -> None:
    """Add the commands to the application."""
    app.command(
        name="replay",
        epilog="Example:  mosaic replay A.jsonl.gz B.jsonl.gz --out compared.html",
    )(_replay)
    app.command(name="video", epilog="Example:  mosaic video A.jsonl.gz --out mission.gif")(_video)
