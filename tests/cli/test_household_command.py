"""`mosaic household`: recording, listing, exporting; one clear line per mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from test_commands import mosaic

from mosaic_planner.worlds.household import SceneFolder, archive


def test_record_list_run(tmp_path: Path):
    first = mosaic("household", "record", "--scene", "FloorPlan1", "--scene", "401-402",
                   "--backend", "embedded", "--out", "rec", cwd=tmp_path)  # fmt: skip
    assert first.returncode == 0, first.stderr
    assert "FloorPlan401" in first.stdout
    written = json.loads((tmp_path / "rec" / "scenes" / "FloorPlan1.json").read_text())
    assert written["engine"].startswith("mosaic ")
    assert written["engine"].endswith("(embedded)")
    assert "(3 of 3)" in first.stdout
    assert SceneFolder(tmp_path / "rec").names() == ("FloorPlan1", "FloorPlan401", "FloorPlan402")
    again = mosaic("household", "record", "--scene", "1,2", "--backend", "embedded",
                   "--out", "rec", cwd=tmp_path)  # fmt: skip
    assert "FloorPlan1: already in rec (--force records it again)" in again.stdout
    assert "FloorPlan2:" in again.stdout
    assert "(1 of 1)" in again.stdout
    listed = mosaic("household", "scenes", "--scenes", "rec", "--details", "--json", cwd=tmp_path)
    rows = json.loads(listed.stdout)
    assert [r["scene"] for r in rows] == [
        "FloorPlan1",
        "FloorPlan2",
        "FloorPlan401",
        "FloorPlan402",
    ]
    assert all(r["objects"] > 10 and r["cells"] > 10 for r in rows)
    assert "bread_lettuce_tomato_fridge" in rows[0]["tasks"]
    ran = mosaic("run", "--world", "household", "--task", "8", "--scenes", "rec", "--scene",
                 "FloorPlan1", "--steps", "2", "--agents", "2", "--json", cwd=tmp_path)  # fmt: skip
    assert ran.returncode == 0, ran.stderr


def test_force_records_again(tmp_path: Path):
    call = ("household", "record", "--scene", "1", "--backend", "embedded", "--out", "rec")
    mosaic(*call, cwd=tmp_path)
    file = tmp_path / "rec" / "scenes" / "FloorPlan1.json"
    whole = file.read_text()
    file.write_text("{}")
    assert "already" in mosaic(*call, cwd=tmp_path).stdout
    assert file.read_text() == "{}"
    mosaic(*call, "--force", cwd=tmp_path)
    assert file.read_text() == whole


def test_the_command_to_go_on_with_can_be_pasted(tmp_path: Path):
    call = ("household", "record", "--scene", "1", "--backend", "embedded", "--out", "my rooms")
    done = mosaic(*call, cwd=tmp_path)
    assert done.stdout.endswith("mosaic run --world household --scenes 'my rooms'\n")


def test_ctrl_c_keeps_finished_scenes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    plain = archive.record_scene

    def record(controller, scene, folder, **options):
        if scene == "FloorPlan2":
            raise KeyboardInterrupt
        return plain(controller, scene, folder, **options)

    monkeypatch.setattr(archive, "record_scene", record)
    done = mosaic("household", "record", "--scene", "1-3", "--backend", "embedded", "--out", "rec",
                  cwd=tmp_path)  # fmt: skip
    assert done.returncode == 130
    assert "what was finished is kept" in done.stderr
    assert SceneFolder(tmp_path / "rec").names() == ("FloorPlan1",)


def test_scenes_are_listed_by_room():
    listed = mosaic("household", "scenes", "--room", "bedroom")
    assert "30 scenes, generated" in listed.stdout
    assert "FloorPlan330" in listed.stdout
    assert "FloorPlan1 " not in listed.stdout


def test_points_are_exported(tmp_path: Path):
    done = mosaic("household", "points", "--scene", "FloorPlan402", "--stops", "1", "--grain",
                  "0.1", cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    data = (tmp_path / "FloorPlan402.ply").read_bytes()
    count = int(data.split(b"element vertex ")[1].split()[0])
    assert f"{count} points of FloorPlan402" in done.stdout
    assert len(data.partition(b"end_header\n")[2]) == 15 * count


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (("record", "--scene", "31", "--backend", "embedded"), "there is no scene 31"),
        (("record", "--scene", "x"), "neither a name"),
        (("record", "--scene", "1", "--backend", "godot"), "unknown backend 'godot'"),
        (("record", "--scene", "1", "--scenes", "."), "unity has its own scenes"),
        (("record", "--scene", "1", "--backend", "embedded", "--scenes", "none"), "no folder"),
        (("points", "--scene", "1-3"), "names one scene here, not 3"),
        (("scenes", "--room", "attic"), "unknown room 'attic'"),
        (("scenes", "--scenes", "none"), "no folder 'scenes'"),
    ],
)
def test_mistakes_are_one_line(call: tuple[str, ...], words: str, tmp_path: Path):
    done = mosaic("household", *call, cwd=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "thor_scenes").exists()


def test_without_the_client_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(__import__("sys").modules, "ai2thor.controller", None)
    monkeypatch.setenv("HOME", str(tmp_path))
    done = mosaic("household", "record", "--scene", "1", cwd=tmp_path)
    assert done.returncode == 2
    assert "pip install 'mosaic-planner[thor]'" in done.stderr
    assert "downloads about 1 GB" in done.stdout


def test_doctor_tells_every_way_to_start_ai2thor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("DISPLAY", raising=False)
    told = mosaic("doctor").stdout
    for words in ("AI2-THOR (unity)", "AI2-THOR (unity, cloud)", "AI2-THOR (unity, headless)"):
        assert words in told
    assert "DISPLAY is not set" in told
    assert "not downloaded yet" in told
