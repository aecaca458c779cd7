"""Recording many scenes: names, round trips through every backend but Unity itself, clouds."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from mosaic_planner.core.errors import SceneError, UsageError
from mosaic_planner.worlds.household import archive
from mosaic_planner.worlds.household.archive import (
    Recorded,
    named_scenes,
    record_scenes,
    recorded_names,
    simulator,
)
from mosaic_planner.worlds.household.recording import ply, tour
from mosaic_planner.worlds.household.scenes.generated import GeneratedScenes
from mosaic_planner.worlds.household.scenes.recorded import SceneFolder
from mosaic_planner.worlds.household.scenes.scene import Scene
from mosaic_planner.worlds.household.stage import SimulatorLost
from mosaic_planner.worlds.household.thor.controller import Controller

from .built import controller


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["FloorPlan1"], ["FloorPlan1"]),
        (["1", "FloorPlan1_physics"], ["FloorPlan1"]),
        (["3-5"], ["FloorPlan3", "FloorPlan4", "FloorPlan5"]),
        (["FloorPlan30-201"], ["FloorPlan30", "FloorPlan201"]),
        (["FloorPlan429-FloorPlan430"], ["FloorPlan429", "FloorPlan430"]),
        (["2, 1"], ["FloorPlan2", "FloorPlan1"]),
        (["bedroom"], [f"FloorPlan{n}" for n in range(301, 331)]),
    ],
)
def test_what_a_user_writes_names_scenes(texts: list[str], expected: list[str]):
    assert list(named_scenes(texts)) == expected


def test_all_scenes_by_one_word():
    assert set(named_scenes(["all"])) == set(GeneratedScenes().names())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("FloorPlan31", "no scene FloorPlan31: kitchens are 1 to 30"),
        ("100-150", "no scene 100-150"),
        ("attic", "neither a name"),
        ("5-3", "no scene 5-3"),
        ("", "neither a name"),
        ("1-30-40", "neither a name"),
    ],
)
def test_names_that_mean_nothing(text: str, words: str):
    with pytest.raises(UsageError, match=words) as caught:
        named_scenes([text])
    assert "\n" not in str(caught.value)


def same_scene(ours: Scene, source: Scene) -> None:
    """Equal, but for four decimals and where it says it is from."""
    assert (ours.name, ours.room, ours.cells) == (source.name, source.room, source.cells)
    assert ours.source == "recorded"
    assert ours.start.position == pytest.approx(source.start.position, abs=1e-4)
    assert (ours.start.yaw, ours.start.horizon) == (source.start.yaw, source.start.horizon)
    assert ours.bounds.size == pytest.approx(source.bounds.size, abs=1e-4)
    assert ours.bounds.center == pytest.approx(source.bounds.center, abs=1e-4)
    for new, old in zip(ours.objects, source.objects, strict=True):
        exact = ("object_id", "name", "object_type", "asset_id", "affordances", "states",
                 "fill_liquid", "temperature", "contents", "controlled")  # fmt: skip
        for field in exact:
            assert getattr(new, field) == getattr(old, field), (old.object_id, field)
        assert (new.parents or ()) == (old.parents or ())
        for field in ("position", "rotation"):
            assert getattr(new, field) == pytest.approx(getattr(old, field), abs=1e-4)
        assert new.mass == pytest.approx(old.mass, abs=1e-4)
        assert new.openness == old.openness
        assert new.box.center == pytest.approx(old.box.center, abs=1e-4)
        assert new.box.size == pytest.approx(old.box.size, abs=1e-4)
        assert (new.corners is None) == (old.corners is None)
        if old.corners is not None:
            assert np.allclose(new.corners, old.corners, atol=1e-4)


def test_a_recording_of_a_generated_scene_is_that_scene(tmp_path: Path):
    told: list[Recorded] = []
    names = ["FloorPlan7", "FloorPlan401"]
    with simulator("embedded", names[0]) as c:
        done = record_scenes(c, names, tmp_path, on_scene=told.append)
    assert [one.scene for one in done] == names == [one.scene for one in told]
    assert recorded_names(tmp_path) == tuple(names)
    for one in done:
        source = GeneratedScenes().load(one.scene)
        same_scene(SceneFolder(tmp_path).load(one.scene), source)
        assert (one.objects, one.cells) == (len(source.objects), len(source.cells))


@pytest.mark.slow
@pytest.mark.parametrize("recorded_source", [False, True])
def test_a_recording_through_the_real_client_is_that_scene(
    recorded_source: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
):
    """The unmodified client drives the player; what is recorded through it equals the source."""
    pytest.importorskip("ai2thor")
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = None
    if recorded_source:
        folder = request.getfixturevalue("shared_data") / "thor_scenes"
    names = ["FloorPlan5", "FloorPlan214"]
    out = tmp_path / "again"
    with simulator("player", names[0], scenes=folder, headless=True) as c:
        record_scenes(c, names, out)
    source = GeneratedScenes() if folder is None else SceneFolder(folder)
    for name in names:
        same_scene(SceneFolder(out).load(name), source.load(name))
    if folder is None:
        return
    for name in names:  # and the files say the same, key for key
        theirs = json.loads((folder / "scenes" / f"{name}.json").read_text())
        ours = json.loads((out / "scenes" / f"{name}.json").read_text())
        assert ours == theirs
        grid = json.loads((folder / "grids.json").read_text())[name]
        mine = json.loads((out / "grids.json").read_text())[name]
        assert mine["reachable"] == sorted(grid["reachable"])
        assert mine["start"] == grid["start"]
        frame = json.loads((folder / "frames.json").read_text())[name]
        ours_frame = json.loads((out / "frames.json").read_text())[name]
        assert ours_frame["agent"] == frame["agent"]
        assert ours_frame["sceneBounds"] == frame["sceneBounds"]


def test_what_was_recorded_before_an_end_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    names = ["FloorPlan1", "FloorPlan2"]
    plain = archive.record_scene

    def lost(c: object, scene: str, folder: object, **options: object) -> Path:
        if scene == "FloorPlan2":
            raise SimulatorLost("the simulator stopped answering (it was killed)")
        return plain(c, scene, folder, **options)  # type: ignore[arg-type]  # handed on as it came

    monkeypatch.setattr(archive, "record_scene", lost)
    with (
        simulator("embedded", names[0]) as c,
        pytest.raises(UsageError, match=r"FloorPlan2 was not recorded: .*; 1 of 2 scenes are kept"),
    ):
        record_scenes(c, names, tmp_path)
    assert recorded_names(tmp_path) == ("FloorPlan1",)


def test_a_torn_recording_spoils_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Files are written whole; a scene counts once its cells are there, which come last."""
    with simulator("embedded", "FloorPlan1") as c:
        record_scenes(c, ["FloorPlan1"], tmp_path)
        before = (tmp_path / "grids.json").read_bytes()
        plain = Path.write_text

        def torn(self: Path, text: str, *rest: object) -> int:
            if "grids" in self.name:
                plain(self, text[:40], "utf-8")
                raise KeyboardInterrupt
            return plain(self, text, "utf-8")

        monkeypatch.setattr(Path, "write_text", torn)
        with pytest.raises(KeyboardInterrupt):
            record_scenes(c, ["FloorPlan2"], tmp_path)
    monkeypatch.undo()
    assert (tmp_path / "grids.json").read_bytes() == before
    assert recorded_names(tmp_path) == ("FloorPlan1",)
    assert SceneFolder(tmp_path).load("FloorPlan1").objects


def test_folders_that_are_none(tmp_path: Path):
    assert recorded_names(tmp_path / "nothing") == ()
    (tmp_path / "file").write_text("x")
    with pytest.raises(SceneError, match="is a file"):
        recorded_names(tmp_path / "file")


def test_a_tour_sees_the_whole_room():
    c = controller(renderDepthImage=True)
    xyz, rgb = tour(c, stops=3, grain_m=0.05)
    assert xyz.shape == (len(rgb), 3)
    bounds = c.simulator.state.scene.bounds
    low, high = np.array(bounds.low) - 0.1, np.array(bounds.high) + 0.1
    assert ((xyz >= low) & (xyz <= high)).all()
    # pictures are cast for every fourth pixel, so edges are off by a few centimetres
    assert np.allclose(xyz.min(axis=0)[[0, 2]], (-2.0, -2.0), atol=0.1)
    assert np.allclose(xyz.max(axis=0)[[0, 2]], (2.0, 2.0), atol=0.1)
    cubes = np.floor(xyz / 0.05).astype(int)
    assert len(np.unique(cubes, axis=0)) == len(xyz)  # one point of each
    assert len(ply(xyz, rgb)) > 15 * len(xyz)
    with pytest.raises(UsageError, match="renderDepthImage"):
        tour(controller(), stops=1)
    with pytest.raises(UsageError, match="at least one stop"):
        tour(c, stops=0)


def test_a_simulator_is_stopped_when_the_context_ends():
    with simulator("embedded", "FloorPlan402") as c:
        assert isinstance(c, Controller)
        assert c.step("Pass")
    with pytest.raises(UsageError, match="FloorPlan31"), simulator("embedded", "FloorPlan31"):
        pass
