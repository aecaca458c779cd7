"""Films: as many pictures as steps ask for, agents gliding in between, one line per mistake."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from replay_traces import make_trace

from mosaic_planner.core.errors import MissingExtraError, TraceError, UsageError
from mosaic_planner.core.trace import Trace
from mosaic_planner.replay import FilmOptions, film_pictures, write_film
from mosaic_planner.replay.palette import palette

SMALL = FilmOptions(steps_per_s=4, pictures_per_step=3, height_px=180)


def test_both_themes_have_the_same_colours_by_name() -> None:
    light, dark = palette("light"), palette("dark")
    assert set(light) == set(dark)
    assert light["bg"] != dark["bg"]
    assert len(light) > 30


def test_a_film_has_every_step_and_holds_its_ends(trace: Trace) -> None:
    pictures = list(film_pictures(trace, SMALL))
    hold = round(1.5 * SMALL.fps)
    assert len(pictures) == 2 * hold + 8 + 9 * 2
    assert {p.size for p in pictures} == {(320, 180)}
    assert pictures[0].tobytes() == pictures[hold - 1].tobytes()


def test_agents_glide_between_two_steps(trace: Trace) -> None:
    options = FilmOptions(pictures_per_step=4, height_px=180, first=4, last=5)
    pictures = list(film_pictures(trace, options))
    hold = round(1.5 * options.fps)
    glide = [p.tobytes() for p in pictures[hold : hold + 4]]
    assert len(set(glide)) == 4  # Bob crosses the map in step 5


def test_a_failed_action_is_drawn(trace: Trace) -> None:
    other = make_trace()
    for event in other.of("outcome"):
        if event["step"] == 5:
            event["agents"]["Alice"]["success"] = True
    options = FilmOptions(pictures_per_step=1, height_px=180, first=5, last=5)
    assert (
        next(film_pictures(trace, options)).tobytes()
        != next(film_pictures(other, options)).tobytes()
    )


def test_a_gif_can_be_read_back(trace: Trace, tmp_path: Path) -> None:
    from PIL import Image

    path = tmp_path / "mission.gif"
    count = write_film(path, trace, SMALL)
    with Image.open(path) as film:
        assert film.size == (320, 180)
        assert film.info["loop"] == 0
        assert 1 < film.n_frames <= count  # equal pictures are merged into longer ones
        total_ms = 0
        for k in range(film.n_frames):
            film.seek(k)
            total_ms += film.info["duration"]
    assert total_ms == count * 80


def test_equal_traces_give_equal_gifs(trace: Trace, tmp_path: Path) -> None:
    options = FilmOptions(pictures_per_step=1, height_px=120, theme="dark")
    write_film(tmp_path / "a.gif", trace, options)
    write_film(tmp_path / "b.gif", make_trace(), options)
    assert (tmp_path / "a.gif").read_bytes() == (tmp_path / "b.gif").read_bytes()


def test_an_mp4_has_every_picture(trace: Trace, tmp_path: Path) -> None:
    import imageio_ffmpeg

    path = tmp_path / "films" / "mission.mp4"
    count = write_film(path, trace, SMALL)
    frames, seconds = imageio_ffmpeg.count_frames_and_secs(str(path))
    assert frames == count
    assert seconds == pytest.approx(count / SMALL.fps, abs=0.2)


def test_any_world_can_be_filmed() -> None:
    options = FilmOptions(pictures_per_step=1, height_px=120, first=8)
    assert list(film_pictures(make_trace(world_id="their-world-v1"), options))


def test_a_large_team_fits(tmp_path: Path) -> None:
    trace = make_trace(agents=("Alice with a very long name that goes on", "B"), says="x")
    assert list(film_pictures(trace, FilmOptions(height_px=120, pictures_per_step=1)))


def test_mistakes_are_one_clear_line(trace: Trace, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.gif or \.mp4"):
        write_film(tmp_path / "film.avi", trace)
    with pytest.raises(UsageError, match="no step from 50"):
        write_film(tmp_path / "film.gif", trace, FilmOptions(first=50))
    with pytest.raises(UsageError, match="speed above 0"):
        write_film(tmp_path / "film.gif", trace, FilmOptions(steps_per_s=0))
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="cannot write"):
        write_film(tmp_path / "file" / "film.gif", trace, SMALL)
    broken = make_trace()
    del next(broken.of("snapshot"))["world"]["agents"]
    with pytest.raises(TraceError, match="malformed"):
        write_film(tmp_path / "film.gif", broken, SMALL)


@pytest.mark.parametrize(("module", "ending"), [("PIL", "gif"), ("imageio_ffmpeg", "mp4")])
def test_a_missing_extra_says_how_to_install_it(
    trace: Trace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, ending: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'mosaic-planner\[video\]'"):
        write_film(tmp_path / f"film.{ending}", trace, SMALL)
