"""Scene files and the generator."""

from __future__ import annotations

import copy
import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic_planner.core.errors import SceneError, UsageError
from mosaic_planner.worlds.sar import make
from mosaic_planner.worlds.sar.fire import disc_cells
from mosaic_planner.worlds.sar.generator import agent_names, generate, write_scene
from mosaic_planner.worlds.sar.grid import Grid
from mosaic_planner.worlds.sar.scene import Scene, load_scene, scene_from_data, scene_to_data

SECTION_L: dict[int, dict[str, Any]] = {
    1: {
        "sites": {
            "ReservoirUtah": ((15, 5), "A"),
            "ReservoirYork": ((18, 8), "B"),
            "DepositFacility": ((23, 12), ""),
        },
        "persons": {"LostPersonTimmy": ((8, 22), 9.1241)},
        "agents": [(9, 7), (17, 14), (16, 15), (24, 3), (25, 2), (25, 25)],
    },
    2: {
        "sites": {
            "ReservoirOmaha": ((5, 19), "A"),
            "ReservoirWhosville": ((9, 18), "B"),
            "DepositFacility": ((12, 27), ""),
        },
        "persons": {"LostPersonJeremy": ((26, 4), 12.6243)},
        "agents": [(17, 14), (9, 7), (3, 24), (2, 25), (25, 25), (16, 15)],
    },
    3: {
        "sites": {
            "ReservoirTaj": ((6, 20), "A"),
            "ReservoirLibre": ((10, 17), "B"),
            "DepositFacility": ((13, 25), ""),
        },
        "persons": {"LostPersonThomas": ((25, 6), 11.8897)},
        "agents": [(9, 7), (3, 24), (2, 25), (17, 25), (16, 26), (25, 25)],
    },
    4: {
        "sites": {
            "ReservoirTaj": ((21, 6), "A"),
            "ReservoirLibre": ((22, 9), "B"),
            "DepositFacility": ((24, 14), ""),
        },
        "persons": {"LostPersonThomas": ((6, 23), 11.3844)},
        "agents": [(7, 9), (24, 3), (25, 4), (25, 16), (25, 14), (25, 25)],
    },
    5: {
        "sites": {
            "ReservoirUtah": ((6, 16), "A"),
            "ReservoirYork": ((9, 19), "B"),
            "DepositFacility": ((12, 24), ""),
        },
        "persons": {"LostPersonJacob": ((18, 4), 9.2418), "LostPersonZoe": ((24, 6), 9.9725)},
        "agents": [(7, 10), (14, 18), (15, 15), (4, 24), (2, 24), (26, 26)],
    },
}


@pytest.mark.parametrize("number", SECTION_L)
def test_scenes_are_those_of_section_l(number: int) -> None:
    scene, expected = load_scene(number), SECTION_L[number]
    assert scene.grid == (30, 30)
    sites = {s.name: (s.at, s.type) for s in (*scene.reservoirs, *scene.deposits)}
    assert sites == expected["sites"]
    assert [a.at for a in scene.agents if not a.extension] == expected["agents"]
    assert [a.extension for a in scene.agents] == [False] * 6 + [True] * 2
    for person in make(number, 1).state.persons:
        cell, radius = expected["persons"][person.name]
        assert make(number, 1).state.grid.cells[person.cell] == cell
        assert person.radius == pytest.approx(radius, abs=5e-5)
        assert person.load == 2


def test_scene_files_round_trip(tmp_path: Path) -> None:
    scene = generate(40, 3, 4, 11)
    path = tmp_path / "deep" / "scene.json"
    write_scene(scene, path)
    assert load_scene(path) == scene
    assert scene_from_data(scene_to_data(scene)) == scene
    assert make(str(path), 3).scene == scene


def change(path: str, value: Any) -> dict[str, Any]:
    """Scene 5 with one field changed; `value` ... takes it out."""
    data: dict[str, Any] = copy.deepcopy(scene_to_data(load_scene(5)))
    *road, last = path.split("/")
    place: Any = data
    for part in road:
        place = place[int(part) if part.isdecimal() else part]
    if value is ...:
        del place[last]
    elif isinstance(place, list) and last == "+":
        place.append(value)
    else:
        place[int(last) if last.isdecimal() else last] = value
    return data


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("format", 2, "format: input should be 1"),
        ("format", True, "format: input should be a valid integer"),
        ("grid", ..., "grid: field required"),
        ("fires/0", 3, r"fires\[0\]: must be a JSON object"),
        ("persons", {}, r"persons: input should be a valid tuple"),
        ("persons/0/find_factor", True, r"find_factor: input should be a valid number"),
        ("agents/0/extension", 1, r"agents\[0\].extension: input should be a valid boolean"),
        ("fires/0/at", [15.0, True], r"fires\[0\].at\[0\]: input should be a valid integer"),
        ("grid", [True, 30], r"grid\[0\]: input should be a valid integer"),
        ("grid", [3, 30], r"grid\[0\]: input should be greater than or equal to 5"),
        ("grid", "big", "grid: "),
        ("fires/0/type", "C", r"fires\[0\].type: input should be 'A' or 'B'"),
        ("fires/0/box", 2, r"fires\[0\].box: "),
        ("fires/0/lit", 0, r"fires\[0\].lit: "),
        ("fires/0/lit", "1", r"fires\[0\].lit: "),
        ("fires/0/at", [15], r"fires\[0\].at\[1\]: field required"),
        ("fires/0/at", [28, 28], r"fires\[0\].at: SussexFire leaves the 30 x 30 grid"),
        ("fires/0/name", "Sussex", r"fires\[0\].name: 'Sussex' must have the form ...Fire"),
        ("fires/0/wind", 3, r"fires\[0\].wind: extra inputs"),
        (
            "fires/+",
            {"name": "OtherFire", "type": "B", "lit": 1, "box": 5, "at": [16, 22]},
            r"fires\[1\].at: OtherFire overlaps SussexFire",
        ),
        ("persons/0/at", [30, 4], r"persons\[0\].at: \[30, 4\] is off the 30 x 30 grid"),
        ("persons/0/at", [12, 24], r"persons\[0\].at: LostPersonJacob stands on the cell of Dep"),
        ("persons/0/find_factor", 0, r"persons\[0\].find_factor: "),
        ("persons/0/load", 0, r"persons\[0\].load: "),
        ("persons/0/name", "LostPersonZoe", "names must differ: 'LostPersonZoe'"),
        ("persons/0/name", "LostPersonZoeAnn", "no name may contain another"),
        ("persons/0/name", "LostPerson Zoe", r"persons\[0\].name: "),
        ("persons/0/name", "Zoe", r"persons\[0\].name: 'Zoe' must have the form LostPerson..."),
        ("deposits", [], "deposits: persons need a deposit"),
        ("reservoirs/1/type", "A", r"fires\[0\].type: no reservoir gives Water for SussexFire"),
        ("agents", [], "agents: "),
        ("agents/1/at", [7, 10], r"agents\[1\].at: Bob stands on the cell of Alice"),
    ],
)
def test_bad_scenes_name_the_field_in_one_line(path: str, value: Any, message: str) -> None:
    with pytest.raises(SceneError, match=message) as caught:
        scene_from_data(change(path, value), "my.json")
    assert str(caught.value).startswith("my.json: ")
    assert "\n" not in str(caught.value)


def test_a_mission_needs_something_to_do() -> None:
    data = change("fires", [])
    data["persons"] = []
    with pytest.raises(SceneError, match="at least one fire or person"):
        scene_from_data(data)


@pytest.mark.parametrize("text", ["", "[]", "{", "7", "[" * 100_000, '{"format": 1}'])
def test_files_that_are_no_scene(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text, "utf-8")
    with pytest.raises(SceneError) as caught:
        make(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_list_is_no_scene_and_a_mark_in_front_does_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "scene.json"
    path.write_text("[1]")
    with pytest.raises(SceneError, match=r"scene.json: the file: must be a JSON object$"):
        make(path)
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(change("name", "marked")).encode())
    assert make(path).scene.name == "marked"


@pytest.mark.parametrize("name", ["", " ", "\n"])
def test_an_empty_name_is_no_file(name: str) -> None:
    with pytest.raises(SceneError, match="no scene is named: give 1 to 5 or the path"):
        make(name)


def test_missing_and_binary_files(tmp_path: Path) -> None:
    with pytest.raises(SceneError, match="cannot read scene file"):
        make(tmp_path / "none.json")
    with pytest.raises(SceneError, match="cannot read scene file"):
        make(tmp_path)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SceneError, match="not UTF-8"):
        make(tmp_path / "binary")


@pytest.mark.parametrize(
    ("group", "name", "message"),
    [
        ("agents", "CaldorFire_Region_1", "must not contain '_Region_'"),
        ("agents", "BigReservoirYork", "'ReservoirYork' is part of 'BigReservoirYork'"),
        ("persons", "LostPersonSendMessage", "must not contain 'SendMessage'"),
    ],
)
def test_no_name_is_taken_for_a_region_a_message_or_another(
    group: str, name: str, message: str
) -> None:
    data = scene_to_data(load_scene(1))
    data[group][0]["name"] = name
    with pytest.raises(SceneError, match=message):
        scene_from_data(data)


# The generator.


def check_solvable(scene: Scene) -> None:
    grid = Grid(*scene.grid)
    burning = [c for f in scene.fires for c in disc_cells(f.box, f.at)]
    assert len(set(burning)) == len(burning)
    for fire in scene.fires:
        assert any(r.type == fire.type for r in scene.reservoirs)
    assert scene.deposits
    blockers = [s.at for s in (*scene.reservoirs, *scene.deposits, *scene.persons)]
    assert not set(blockers) & set(burning)
    assert len({*blockers, *(a.at for a in scene.agents)}) == len(blockers) + len(scene.agents)
    for site in (*scene.reservoirs, *scene.deposits):
        free = [(site.at[0] + dx, site.at[1] + dy) for dx in range(-2, 3) for dy in range(-2, 3)]
        assert not [c for c in free if c != site.at and c in blockers]
        assert all(grid.holds(*c) for c in free)
    for person in scene.persons:
        sight = math.floor(person.find_factor * grid.farthest_corner(person.at))
        assert sight >= 2
        assert all(math.dist(person.at, a.at) > sight for a in scene.agents)
        assert person.load <= len(scene.agents)


@settings(max_examples=30, deadline=None)
@given(
    size=st.integers(30, 80),
    fires=st.integers(0, 5),
    persons=st.integers(1, 6),
    seed=st.integers(0, 10_000),
    agents=st.integers(2, 10),
)
def test_generated_scenes_are_solvable(
    size: int, fires: int, persons: int, seed: int, agents: int
) -> None:
    scene = generate(size, fires, persons, seed, agents=agents)
    check_solvable(scene)
    assert (len(scene.fires), len(scene.persons)) == (fires, persons)
    world = make(scene_to_data(scene), agents)
    world.reset(seed)
    assert not any(p.spotted for p in world.state.persons)
    for fire in world.state.fires:
        assert sum(fire.levels) == len(fire.plan.lit) >= 1


def test_the_large_example() -> None:
    scene = generate(100, 12, 16, 7)
    check_solvable(scene)
    assert scene == generate(100, 12, 16, 7)
    assert scene != generate(100, 12, 16, 8)
    assert {f.type for f in scene.fires} == {"A", "B"}


def test_a_large_mission_is_really_solved(mission: Any) -> None:
    """By a team that knows everything: fires put out, persons delivered, all subtasks done."""
    scene = generate(60, 4, 4, 3)
    m = mission(scene_to_data(scene), 8, faithful=False)
    m.spot()
    m.do()
    for person in scene.persons:
        deposit = scene.deposits[0].name
        for text in (
            f"NavigateTo({person.name})",
            f"Carry({person.name})",
            f"NavigateTo({deposit})",
            f"DropOff({deposit}, {person.name})",
        ):
            outcomes = m.do(text, text)
            assert all(o.success for o in outcomes), text
    for number, fire in enumerate(scene.fires):
        site = next(r for r in scene.reservoirs if r.type == fire.type)
        supply = "Sand" if fire.type == "A" else "Water"
        m.do(*[f"NavigateTo({site.name})"] * 8)
        m.do(*[f"NavigateTo({fire.name})"] * 8)
        for _ in range(60):
            state = m.state.fires[number]
            if not state.average:
                break
            for agent in range(8):  # a team of giants: refilled and placed by the test
                m.give(agent, **{supply.lower(): 3})
                cells = [
                    c
                    for c, level in zip(state.cells, state.levels, strict=True)
                    if level
                    and not m.state.blocked[c]
                    and m.state.distance2(c, state.anchor) <= state.reach**2
                ]
                if cells:
                    m.state.go(agent, cells[(agent * 7) % len(cells)])
            m.do(*[f"UseSupply({fire.name}, {supply})"] * 8)
        assert not m.state.fires[number].average
    for site in scene.reservoirs:
        m.do(*["ClearInventory()"] * 8)
        m.do(f"NavigateTo({site.name})")
        assert m.first(f"GetSupply({site.name})").success
    m.do(f"NavigateTo({scene.deposits[0].name})")
    assert m.world.score().success, set(m.world.static()["subtasks"]) - m.done()


def test_teams_larger_than_listed_get_further_places() -> None:
    data = scene_to_data(generate(40, 2, 2, 5, agents=3))
    world = make(data, 30)
    assert len(set(world.agents)) == 30
    starts = [tuple(c) for c in world.static()["agents"].values()]
    assert len(set(starts)) == 30
    assert make(data, 30).agents == world.agents
    assert [tuple(c) for c in make(data, 5).static()["agents"].values()] == starts[:5]
    world.reset(0)
    assert not any(p.spotted for p in world.state.persons)
    assert len(make(data, 100).agents) == 100
    with pytest.raises(UsageError, match="no room for more agents"):
        make(data, 1600)


def test_names_go_on_without_end() -> None:
    names = agent_names(64)
    assert names[:8] == ("Alice", "Bob", "Charlie", "David", "Emma", "Finn", "Grace", "Henry")
    assert len(set(names)) == 64
    many = generate(150, 40, 60, 1)
    assert len({*many.names()}) == len(list(many.names()))


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((8, 1, 1, 0), {}, "size must be a whole number from 12 to 500"),
        ((30, -1, 1, 0), {}, "fires must be"),
        ((30, 1, 1, 0), {"load": 9}, "load must be a whole number from 1 to 8"),
        ((30, 0, 0, 0), {}, "at least one fire or person"),
        ((30, 50, 1, 0), {}, "no room for 50 fires on a 30 x 30 grid"),
        ((30, 1, 1.5, 0), {}, "persons must be a whole number"),
    ],
)
def test_impossible_wishes_are_refused(
    arguments: tuple[Any, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        generate(*arguments, **options)


def test_an_unwritable_place_is_a_user_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write scene file"):
        write_scene(generate(30, 1, 1, 0), tmp_path / "file" / "scene.json")


def test_packaged_scenes_are_data_in_the_scene_file_format() -> None:
    from importlib.resources import files

    for number in range(1, 6):
        text = files("mosaic_planner.worlds.sar").joinpath("scenes", f"scene{number}.json")
        data = json.loads(text.read_text("utf-8"))
        assert scene_to_data(load_scene(number)) == data
