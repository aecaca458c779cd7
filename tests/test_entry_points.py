"""Worlds, planners and models that another distribution registers are found by their names.

A made-up distribution (its metadata and the example files) is put on the path of fresh processes,
as an installed package would be.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

ENTRY_POINTS = """
[mosaic_planner.worlds]
warehouse = own_world:Warehouse
nowhere = no_such_module:make
blank = own_model:EchoModel
hollow = hollow:make

[mosaic_planner.traces]
warehouse-v1 = warehouse_view
depot-v1 = no_such_module

[mosaic_planner.planners]
rota = own_planner:Rota
nobody = own_planner:NoSuchPlanner

[mosaic_planner.models]
echo = own_model:make_echo
random = mosaic_planner.testing:make_random_model
nothing = no_such_module:make
"""


VIEW = """
from mosaic_planner.replay.scenery.plain import PlainScenery

def map_lines(snapshot, static, *, colour=False):
    rows = [["."] * static["size"] for _ in range(static["size"])]
    for name, (x, z) in snapshot["cells"].items():
        rows[z][x] = name[0]
    return ["".join(row) for row in rows]

def true_positions(snapshot, static):
    return {name: tuple(map(float, cell)) for name, cell in snapshot["cells"].items()}

def scenery(header):
    print("drawn by", __name__)
    return PlainScenery(header)
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that looks like one where a distribution was installed."""
    folder = tmp_path_factory.mktemp("site")
    info = folder / "own_parts-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: own-parts\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    (folder / "hollow.py").write_text("def make(**options):\n    return object()\n")
    (folder / "warehouse_view.py").write_text(VIEW)
    for name in ("own_world", "own_planner", "own_model"):
        (folder / f"{name}.py").write_text((EXAMPLES / f"{name}.py").read_text("utf-8"), "utf-8")
    return folder


def run(site: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *args],
        capture_output=True,
        text=True,
        check=False,
        cwd=site,
        env=os.environ | {"PYTHONPATH": str(site)},
    )


def mosaic(site: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return run(site, "-c", "from mosaic_planner.cli.app import main; main()", *args)


_MAKE = """
from mosaic_planner.models.registry import make_model
from mosaic_planner.planners.protocol import PlannerSetup
from mosaic_planner.planners.registry import make_planner, parse_method, planner_names
from mosaic_planner.worlds.registry import make_world, world_names

world = make_world("warehouse", scene=2, agents=3)
setup = PlannerSetup(world.agents, world.vocabulary, world.briefing, None)
print(type(world).__module__, world.world_id, world.settings()["scene"], *world.agents)
print(type(make_planner("rota", setup)).__module__, parse_method("rota+mosaic").name)
print(make_model("echo:loud", seed=3).name, make_model("random", seed=3).seed)
print("warehouse" in world_names(), "rota" in planner_names())
print(make_world("warehouse") is make_world("warehouse"))
"""


def test_all_three_kinds_are_made_by_name(site: Path) -> None:
    done = run(site, "-c", _MAKE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "own_world warehouse-v1 2 Ann Ben Cem",
        "own_planner rota+mosaic",
        "echo:loud 3",
        "True True",
        "False",
    ]


def test_without_the_distribution_nothing_of_it_is_there(tmp_path: Path) -> None:
    done = run(tmp_path, "-c", _MAKE)
    assert "unknown world 'warehouse'" in done.stderr


def test_the_command_plays_an_own_world_with_an_own_planner_and_model(site: Path) -> None:
    args = ("run", "--world", "warehouse", "--scene", "4", "--agents", "3", "--steps", "40")
    done = mosaic(site, *args, "--planner", "rota+mosaic", "--model", "random", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["success"] is True
    assert result["transport_rate"] == 1.0
    assert result["llm_calls"] == 3 * result["planning_steps"]  # rota asks once per agent
    shown = mosaic(site, "show", result["trace"], "--step", "1")
    assert shown.returncode == 0, shown.stderr
    assert "Ann" in shown.stdout


def test_the_live_view_needs_no_map(site: Path) -> None:
    args = ("run", "--world", "warehouse", "--agents", "2", "--steps", "3", "--planner", "react")
    done = mosaic(site, *args, "--model", "random")
    assert done.returncode == 0, done.stderr
    assert "trace:" in done.stdout


def test_an_own_world_brings_what_reads_its_traces(site: Path) -> None:
    args = ("run", "--world", "warehouse", "--agents", "2", "--steps", "2", "--planner", "react")
    done = mosaic(site, *args, "--model", "random", "--json")
    trace = json.loads(done.stdout)["trace"]
    shown = mosaic(site, "show", trace, "--step", "0")
    rows = [line for line in shown.stdout.splitlines() if set(line) <= set(".ABCD") and line]
    assert [len(row) for row in rows] == [16] * 16, shown.stdout
    assert "".join(rows).count("A") == 1
    memory = mosaic(site, "memory", trace, "--step", "0", "--agent", "Ann")
    assert "right" in memory.stdout  # believed and true positions agree
    page = mosaic(site, "replay", trace)
    assert page.returncode == 0, page.stderr
    assert "drawn by warehouse_view" in page.stdout


def test_what_reads_traces_is_found_by_the_id_of_the_world(site: Path) -> None:
    code = (
        "from mosaic_planner.worlds.registry import draw, legend, trace_reader, true_positions\n"
        "header = {'world': {'id': 'warehouse-v1', 'static': {'size': 1}}}\n"
        "snapshot = {'cells': {'Dock': [0, 0]}}\n"
        "print(trace_reader('warehouse-v1').__name__, trace_reader('other-v1'))\n"
        "print(*(read(header, snapshot) for read in (draw, legend, true_positions)))\n"
        "header['world']['id'] = 'other-v1'\n"
        "print(*(read(header, snapshot) for read in (draw, legend, true_positions)))\n"
        "trace_reader('depot-v1')"
    )
    done = run(site, "-c", code)
    assert done.stdout.splitlines() == [
        "warehouse_view None",
        "['D'] [] {'Dock': (0.0, 0.0)}",
        "[] [] {}",
    ]
    assert "ConfigError: what reads traces of 'depot-v1' cannot be loaded: No module" in done.stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--world", "warehuose"), "did you mean 'warehouse'"),
        (("--world", "nowhere"), "world 'nowhere' cannot be loaded"),
        (("--world", "blank"), "does not take these options"),
        (("--world", "hollow"), "world 'hollow' lacks world_id, agents"),
        (("--planner", "nobody"), "planner 'nobody' cannot be loaded"),
        (("--model", "nothing"), "model 'nothing' cannot be loaded"),
        (("--world", "warehouse", "world_options.gravity=1"), "does not take these options"),
        (("--world", "warehouse", "--agents", "9"), "1 to 6 robots"),
    ],
)
def test_mistakes_give_one_clear_line(site: Path, args: tuple[str, ...], words: str) -> None:
    done = mosaic(site, "run", *args, "--steps", "1", "--json")
    assert done.returncode == 2
    assert words in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_kit_examines_a_world_by_its_name(site: Path) -> None:
    code = (
        "from mosaic_planner.testing import check_world\n"
        "r = check_world('warehouse', seeds=(0,), agents=(2,), steps=6, planners=('react',))\n"
        "print(r.world_id, len(r.problems), r.notes)"
    )
    done = run(site, "-c", code)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "warehouse-v1 0 ()"
