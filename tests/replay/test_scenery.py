"""Worlds as drawings: search and rescue agrees with its own account of the truth; any other
world is drawn from what its agents perceive."""

from __future__ import annotations

import pytest
from replay_traces import DEPOSIT, FIRE, PERSON, REGION, RESERVOIR, make_trace

from mosaic_planner.core.trace import Trace
from mosaic_planner.replay.drawing import Body, Frame, Place, Scene, reaching, scene_value
from mosaic_planner.replay.scenery import Scenery, register, scenery_for
from mosaic_planner.replay.scenery.plain import PlainScenery
from mosaic_planner.replay.scenery.sar import SarScenery
from mosaic_planner.worlds.sar.truth import true_positions


def _frame(trace: Trace, step: int) -> Frame:
    snapshot = next(e for e in trace.of("snapshot") if e["step"] == step)
    return SarScenery(trace.header).frame(snapshot["world"], None)


def test_everything_stands_where_the_world_says_it_is(trace: Trace) -> None:
    static = trace.header["world"]["static"]
    for event in trace.of("snapshot"):
        frame = _frame(trace, event["step"])
        ours = {name: (b.x, b.z) for name, b in frame.agents.items()}
        ours |= {n: (p.x, p.z) for n, p in frame.places.items() if not p.gone}
        for name, place in true_positions(event["world"], static).items():
            assert ours[name] == place


def test_the_scene_is_the_grid_to_scale(trace: Trace) -> None:
    scene = SarScenery(trace.header).scene()
    assert scene.bounds == (-0.5, -4.5, 5.5, 0.5)
    assert scene.grid == 1.0
    assert scene.sight.range == 4.0
    assert scene.truthful
    (area,) = scene.areas
    assert (area.name, area.cells[0], area.letter) == (FIRE, (3.0, -1.0), "S")
    props = {p.name: p for p in scene.props}
    assert props[RESERVOIR].letter == "S"
    assert props[DEPOSIT].letter == "D"
    assert props[REGION].kind == "region"
    assert props[PERSON].symbol == "person"


def test_levels_inventories_and_persons_follow_the_snapshot(trace: Trace) -> None:
    assert _frame(trace, 5).levels == {FIRE: "332"}
    assert _frame(trace, 0).places[PERSON].faint
    assert not _frame(trace, 3).places[PERSON].faint
    held = _frame(trace, 8)
    assert held.places[PERSON].holder == "Alice"
    assert dict(held.agents["Bob"].holds) == {"Sand": 0, "Water": 0, "Person": 3}
    assert ("intensity", "High") in _frame(trace, 5).places[FIRE].attributes


def test_a_delivered_person_is_gone(trace: Trace) -> None:
    snapshot = next(e for e in trace.of("snapshot") if e["step"] == 8)["world"]
    snapshot["world"]["persons"][PERSON]["deposited"] = True
    place = SarScenery(trace.header).frame(snapshot, None).places[PERSON]
    assert place.gone
    assert place.holder == ""


def test_path_cells_count_rows_downwards(trace: Trace) -> None:
    assert SarScenery(trace.header).point((3, 2)) == (3.0, -2.0)


def test_an_unknown_world_is_drawn_from_what_its_agents_perceive() -> None:
    trace = make_trace(world_id="their-world-v1")
    scenery = scenery_for(trace.header)
    assert isinstance(scenery, PlainScenery)
    assert not scenery.scene().truthful
    for event in trace.of("observation"):
        frame = scenery.frame(None, event["agents"])
    assert frame.agents["Alice"] == Body(
        1.0, -2.0, None, (("Sand", 0), ("Water", 0), ("Person", 3))
    )
    assert frame.places[FIRE] == Place(3.0, -1.0, (("intensity", "None"),))
    assert frame.places[PERSON].x == 1.0


def test_headings_turn_what_is_seen() -> None:
    header = {"agents": ["A"], "world": {"unit": 0.25, "headings": True}}
    seen = {
        "pose": [1.0, 1.0, 90.0],
        "inventory": [],
        "sightings": [
            {"name": "Mug", "kind": "mug", "offset": [0.0, 2.0], "attributes": [], "holder": ""}
        ],
    }
    frame = PlainScenery(header).frame(None, {"A": seen})
    assert (frame.places["Mug"].x, frame.places["Mug"].z) == pytest.approx((3.0, 1.0))
    assert frame.agents["A"].heading_deg == 90.0


def test_a_scene_without_bounds_reaches_as_far_as_its_frames() -> None:
    frames = [Frame({"A": Body(0.0, 0.0)}), Frame({"A": Body(10.0, -4.0)})]
    low_x, low_z, high_x, high_z = reaching(Scene((0, 0, 0, 0), grid=1.0), frames).bounds
    assert low_x < 0.0
    assert low_z < -4.0
    assert high_x > 10.0
    assert high_z > 0.0
    fixed = Scene((0.0, 0.0, 1.0, 1.0))
    assert reaching(fixed, frames) is fixed


def test_a_world_of_another_package_can_bring_its_own_drawing() -> None:
    class Mine(PlainScenery):
        def scene(self) -> Scene:
            return Scene((0.0, 0.0, 7.0, 7.0))

    def factory(header: object) -> Scenery:
        return Mine({"agents": [], "world": {}})

    register("mine-v1", factory)
    trace = make_trace(world_id="mine-v1")
    assert scenery_for(trace.header).scene().bounds == (0.0, 0.0, 7.0, 7.0)


def test_scene_values_have_whole_numbers_where_they_are_whole(trace: Trace) -> None:
    value = scene_value(SarScenery(trace.header).scene())
    assert value["areas"][0]["cells"][0] == [3, -1]
    assert value["bounds"] == [-0.5, -4.5, 5.5, 0.5]
