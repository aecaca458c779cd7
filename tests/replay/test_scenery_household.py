"""Households as drawings: names from the first sight on, furniture to scale, what is held."""

from __future__ import annotations

from typing import Any

import pytest

from mosaic_planner.replay.believing import belief_rows
from mosaic_planner.replay.scenery import scenery_for
from mosaic_planner.replay.scenery.household import HouseholdScenery

FRIDGE, MUG, KNOB = (
    "Fridge|-00.50|+00.00|+01.00",
    "Mug|+01.00|+00.90|+00.50",
    "StoveKnob|+00|+00|+0",
)


def _header() -> dict[str, Any]:
    return {
        "agents": ["Alice"],
        "world": {
            "id": "household-v1",
            "unit": 0.25,
            "headings": True,
            "static": {
                "cells": [[0, 0], [1, 0], [0, 1]],
                "bounds": {"center": [0.0, 1.0, 0.0], "size": [4.0, 2.0, 6.0]},
                "objects": {
                    FRIDGE: {"type": "Fridge", "size": [0.8, 1.8, 0.6], "fixed": True},
                    MUG: {"type": "Mug", "size": [0.1, 0.1, 0.08], "fixed": False},
                    KNOB: {"type": "StoveKnob", "size": [0.05, 0.05, 0.05], "fixed": True},
                },
            },
        },
    }


def _snapshot(*, named: bool = True, held: bool = False) -> dict[str, Any]:
    mug = "Mug_1" if named else ""
    return {
        "step": 1,
        "agents": [
            {"name": "Alice", "x": 0.25, "z": -0.5, "heading": 90.0, "holds": mug if held else ""}
        ],
        "objects": {
            MUG: {
                "name": mug,
                "at": [1.0, 0.9, 0.5],
                "in": [] if held else [FRIDGE],
                "states": ["isDirty"],
            },
            KNOB: {"name": "StoveKnob_1", "at": [0.0, 0.0, 0.0], "in": [], "states": []},
            FRIDGE: {
                "name": "Fridge_1" if named else "",
                "at": [-0.5, 0.9, 1.0],
                "in": [],
                "states": ["isOpen"],
            },
            "Floor|+00|+00|+00": {"name": "", "at": [0.0, 0.0, 0.0], "in": [], "states": []},
        },
    }


@pytest.fixture
def scenery() -> HouseholdScenery:
    found = scenery_for(_header())
    assert isinstance(found, HouseholdScenery)
    return found


def test_the_floor_plan_is_to_scale(scenery: HouseholdScenery) -> None:
    frame = scenery.frame(_snapshot(), None)
    scene = scenery.scene()
    assert scene.bounds == pytest.approx((-2.3, -3.3, 2.3, 3.3))
    assert scene.areas[0].cells == ((0.0, 0.0), (0.25, 0.0), (0.0, 0.25))
    assert (scene.sight.range, scene.sight.fov_deg) == (1.5, 90.0)
    props = {p.name: p for p in scene.props}
    assert next(iter(props)) == "Fridge_1"  # the largest first
    assert (props["Fridge_1"].symbol, props["Fridge_1"].w, props["Fridge_1"].h) == ("box", 0.8, 0.6)
    assert props["Mug_1"].symbol == "circle"
    assert props["Mug_1"].label
    assert not props["StoveKnob_1"].label
    assert "Floor|+00|+00|+00" not in frame.places


def test_robots_things_and_states(scenery: HouseholdScenery) -> None:
    frame = scenery.frame(_snapshot(), None)
    assert frame.agents["Alice"].heading_deg == 90.0
    assert (frame.places["Fridge_1"].x, frame.places["Fridge_1"].z) == (-0.5, 1.0)
    assert dict(frame.places["Fridge_1"].attributes)["open"] is True
    mug = frame.places["Mug_1"]
    assert mug.kind == "Mug"
    assert dict(mug.attributes) | {"dirty": True, "inside": "Fridge_1"} == dict(mug.attributes)
    assert mug.holder == ""
    held = scenery.frame(_snapshot(held=True), None)
    assert held.places["Mug_1"].holder == "Alice"
    assert held.agents["Alice"].holds == (("Mug_1", 1),)


def test_a_thing_has_its_id_until_somebody_has_seen_it(scenery: HouseholdScenery) -> None:
    before = scenery.frame(_snapshot(named=False), None)
    assert MUG in before.places
    after = scenery.frame(_snapshot(), None)
    assert MUG not in after.places
    names = {p.name for p in scenery.scene().props}
    assert {MUG, "Mug_1", FRIDGE, "Fridge_1"} <= names
    assert not next(p for p in scenery.scene().props if p.name == MUG).label


def test_a_slice_is_of_its_own_kind(scenery: HouseholdScenery) -> None:
    snapshot = _snapshot()
    piece = {"name": "AppleSliced_1", "at": [0.0, 0.9, 0.0], "in": [], "states": []}
    snapshot["objects"]["Apple|+00.00|+00.90|+00.00|AppleSliced_3"] = piece
    assert scenery.frame(snapshot, None).places["AppleSliced_1"].kind == "AppleSliced"


def test_the_largest_is_drawn_first(scenery: HouseholdScenery) -> None:
    assert next(iter(scenery.frame(_snapshot(), None).places)) == "Fridge_1"


def test_path_cells_are_quarters_of_a_metre(scenery: HouseholdScenery) -> None:
    assert scenery.point((4, -2)) == (1.0, -0.5)


def test_without_bounds_the_floor_decides() -> None:
    header = _header()
    del header["world"]["static"]["bounds"]
    assert HouseholdScenery(header).scene().bounds == pytest.approx((-0.3, -0.3, 0.55, 0.55))
    header["world"]["static"] = {}
    assert HouseholdScenery(header).scene().bounds == (0.0, 0.0, 0.0, 0.0)


def test_wrong_states_and_kinds_are_told_in_words(scenery: HouseholdScenery) -> None:
    frame = scenery.frame(_snapshot(held=True), None)
    fridge = {"name": "Fridge_1", "kind": "Fridge", "x": -0.5, "z": 1.0}
    mug = {"name": "Mug_1", "kind": "Cup", "x": 1.0, "z": 0.5}
    event = {
        "entries": [
            fridge | {"attributes": [["open", False]]},
            mug | {"attributes": [["inside", "Fridge_1"]]},
        ],
        "agents": {},
    }
    rows = belief_rows(event, frame, scenery.scene(), 0.25)
    assert rows["Fridge_1"][9] == ["open is truly yes"]
    assert rows["Mug_1"][9] == [
        "is a Mug, not a Cup",
        "inside is truly nothing",
        "is held by Alice",
    ]
    assert rows["StoveKnob_1"][3] == "unknown"
