"""An episode as a film: animated GIF or MP4, drawn from the trace alone, without a browser."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mosaic_planner.core.errors import MissingExtraError, UsageError
from mosaic_planner.core.trace import well_formed
from mosaic_planner.replay.caption import Caption
from mosaic_planner.replay.decisions import outcome_code
from mosaic_planner.replay.drawing import Frame, Point, Scene, reaching
from mosaic_planner.replay.moments import Moment, moments
from mosaic_planner.replay.moves import planned_moves
from mosaic_planner.replay.palette import Theme
from mosaic_planner.replay.raster import Painter
from mosaic_planner.replay.reading import Events, header_and_rest
from mosaic_planner.replay.scenery import scenery_for

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["FilmOptions", "film_pictures", "write_film"]

_HOLD_S = 1.5
"""How long the first and the last picture stand."""


@dataclass(frozen=True, slots=True)
class FilmOptions:
    """`steps_per_s`: speed. `pictures_per_step`: 1 jumps, more let the agents glide.

    `first`, `last`: planning steps shown; None: from the start, to the end.
    """

    steps_per_s: float = 2.0
    pictures_per_step: int = 5
    height_px: int = 540
    theme: Theme = "light"
    first: int | None = None
    last: int | None = None

    @property
    def fps(self) -> float:
        """Pictures per second."""
        return self.steps_per_s * self.pictures_per_step


@dataclass(frozen=True, slots=True)
class _Scene:
    """One moment ready to be painted; `moves` are those decided in it, from the one before."""

    step: int
    frame: Frame
    caption: Caption
    moves: Mapping[str, Sequence[Point]]


def _scenes(source: Events) -> tuple[tuple[str, ...], Scene, list[_Scene]]:
    header, events = header_and_rest(source)
    scenery = scenery_for(header)
    frame = Frame()
    found: list[_Scene] = []
    mission = str(header["briefing"]["instruction"])
    title = f"{header['planner']}, {header['model']}"
    score: Mapping[str, Any] = {"completed": [], "total": 0}
    for moment in moments(events):
        moves = {
            agent: [(x, z) for x, z in points]
            for agent, (_, points) in planned_moves(moment.assignment, frame, scenery).items()
        }
        if moment.snapshot is not None or moment.observation is not None:
            frame = scenery.frame(
                (moment.snapshot or {}).get("world"), (moment.observation or {}).get("agents")
            )
        score = moment.score or score
        done, total = len(score["completed"]), int(score["total"])
        where = f"step {moment.step}, {moment.t:.1f} s"
        caption = Caption(title, mission, where, done, total, _rows(moment, header["agents"]))
        found.append(_Scene(moment.step, frame, caption, moves))
    agents = tuple(str(name) for name in header["agents"])
    return agents, reaching(scenery.scene(), [s.frame for s in found]), found


def _rows(moment: Moment, agents: Sequence[str]) -> tuple[tuple[str, str, str], ...]:
    results = (moment.outcome or {}).get("agents", {})
    rows = []
    for agent in agents:
        outcome = results.get(agent)
        if outcome is None:
            rows.append((agent, "", "."))
        else:
            rows.append((agent, str(outcome["action"]), outcome_code(outcome)))
    return tuple(rows)


def film_pictures(source: Events, options: FilmOptions) -> Iterator[Image.Image]:
    """All pictures of the film in order, at `options.fps`.

    Raises `TraceError` for broken events, `UsageError` if no step is in range, and
    `MissingExtraError` without Pillow.
    """
    with well_formed(lambda: "an event"):
        agents, scene, scenes = _scenes(source)
    first = 0 if options.first is None else options.first
    last = max((s.step for s in scenes), default=0) if options.last is None else options.last
    chosen = [i for i, s in enumerate(scenes) if first <= s.step <= last]
    if not chosen:
        raise UsageError(f"the episode has no step from {first} to {last}")
    painter = Painter(scene, agents, height_px=options.height_px, theme=options.theme)
    hold = max(1, round(_HOLD_S * options.fps))
    trails: dict[str, list[Point]] = {name: [] for name in agents}
    for position, i in enumerate(chosen):
        now = scenes[i]
        before = scenes[i - 1].frame if position else None
        ahead = scenes[i + 1].moves if i + 1 < len(scenes) else {}
        glides = range(1, options.pictures_per_step) if before is not None else ()
        for k in glides:
            part = k / options.pictures_per_step
            rest = {agent: _still_ahead(way, part) for agent, way in now.moves.items()}
            yield painter.paint(
                now.frame, now.caption, before=before, part=part, trails=trails, moves=rest
            )
        still = painter.paint(now.frame, now.caption, trails=trails, moves=ahead)
        for _ in range(hold if position in (0, len(chosen) - 1) else 1):
            yield still
        for name, body in now.frame.agents.items():
            trails[name].append((body.x, body.z))


def _still_ahead(way: Sequence[Point], part: float) -> Sequence[Point]:
    """The points of a way that are not behind an agent that has gone `part` of it."""
    return way[min(len(way) - 2, int(part * (len(way) - 1))) :]


def write_film(path: str | Path, source: Events, options: FilmOptions | None = None) -> int:
    """Write a GIF or an MP4, as the name's ending says; returns the number of pictures.

    Raises `UsageError` for another ending, impossible options or a file that cannot be written,
    and `MissingExtraError` without the extra `video`.
    """
    target = Path(path)
    chosen = options or FilmOptions()
    if chosen.steps_per_s <= 0 or chosen.pictures_per_step < 1 or chosen.height_px < 120:
        raise UsageError("a film needs a speed above 0, a picture per step and 120 pixels or more")
    writers = {".gif": _write_gif, ".mp4": _write_mp4}
    writer = writers.get(target.suffix.lower())
    if writer is None:
        raise UsageError(f"{target.name}: films are written as .gif or .mp4")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        return writer(target, film_pictures(source, chosen), chosen)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror or error}") from None


def _write_gif(target: Path, pictures: Iterator[Image.Image], options: FilmOptions) -> int:
    first = next(pictures)  # says so if there is no Pillow
    from PIL import Image

    # One palette for the whole film keeps it small: colours are few and known.
    table = first.quantize(128, dither=Image.Dither.NONE)
    frames = [table]
    frames += [p.quantize(palette=table, dither=Image.Dither.NONE) for p in pictures]
    hundredths = max(2, round(100 / options.fps))
    frames[0].save(
        target,
        save_all=True,
        append_images=frames[1:],
        duration=hundredths * 10,
        loop=0,
        optimize=False,
        disposal=1,
    )
    return len(frames)


def _write_mp4(target: Path, pictures: Iterator[Image.Image], options: FilmOptions) -> int:
    try:
        write_frames = import_module("imageio_ffmpeg").write_frames  # it has no type hints
    except ImportError:
        raise MissingExtraError("video", "writing an MP4 film") from None
    count = 0
    film: Any = None
    try:
        for picture in pictures:
            if film is None:
                film = write_frames(
                    str(target),
                    picture.size,
                    fps=options.fps,
                    codec="libx264",
                    quality=7,
                    macro_block_size=2,
                    output_params=["-movflags", "+faststart"],
                )
                film.send(None)
            film.send(picture.tobytes())
            count += 1
    finally:
        if film is not None:
            film.close()
    return count
