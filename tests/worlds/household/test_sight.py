"""Visibility (section 5), against the recorded flags of the real engine and by cases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mosaic_planner.worlds.household.scenes.recorded import SceneFolder
from mosaic_planner.worlds.household.thor.simulator import Simulator

from .built import at, controller, entry, holding, the


def flags(simulator: Simulator) -> dict[str, tuple[bool, bool]]:
    view = simulator.sight.view(simulator.state.bodies[0])
    return {
        t.object_id: (v, i)
        for t, v, i in zip(simulator.state.things, view.visible, view.interactable, strict=True)
    }


@pytest.mark.parametrize("with_floor", [True, False])
def test_precision_and_recall_on_recorded_scenes(
    recorded: SceneFolder, shared_data: Path, with_floor: bool
):
    """At least 0.88 and 0.93 on the visible class (issue); measured 0.907/0.951 with the floor."""
    truth = json.loads((shared_data / "thor_scenes" / "visible_at_start.json").read_text())
    hit = wrong = missed = 0
    for name, seen in truth.items():
        simulator = Simulator(recorded)
        simulator.load(name)
        for key, (visible, _) in flags(simulator).items():
            if not with_floor and key.startswith("Floor"):
                continue
            real = key in seen["visible"]
            hit += visible and real
            wrong += visible and not real
            missed += real and not visible
    assert hit / (hit + wrong) >= 0.88
    assert hit / (hit + missed) >= 0.93


def visible(c, object_type: str) -> bool:
    return bool(entry(c, object_type)["visible"])


def test_beyond_a_metre_and_a_half_nothing_is_visible():
    c = controller()
    at(c, 0.0, 0.0, 0.0)  # the apple is 1.45 m ahead
    assert visible(c, "Apple")
    at(c, 0.0, -0.25, 0.0)
    assert not visible(c, "Apple")


def test_the_visibility_distance_can_be_set():
    c = controller(visibilityDistance=4.0)
    at(c, 0.0, -0.75, 0.0)
    assert visible(c, "Apple")


def test_what_is_outside_the_image_is_not_visible():
    c = controller()
    at(c, 0.0, 0.5, 0.0)
    assert visible(c, "Apple")
    at(c, 0.0, 0.5, 90.0)
    assert not visible(c, "Apple")


def test_pitch_counts():
    """The drawer front is 0.8 m below the eye: at 0.55 m distance one has to look down."""
    c = controller()
    at(c, 0.0, 1.0, 0.0)
    assert not visible(c, "Drawer")
    at(c, 0.0, 1.0, 0.0, 30.0)
    assert visible(c, "Drawer")


def test_a_drawer_is_seen_from_its_front_only():
    c = controller()
    drawer = c.simulator.state.things.of_type("Drawer")[0]
    assert drawer.front == (0.0, -1.0)
    at(c, 0.0, 0.5, 0.0, 30.0)
    assert visible(c, "Drawer")
    drawer.front = (0.0, 1.0)  # as if it opened to the wall
    c.simulator.state.things.reboxed(drawer)
    drawer.samples = None
    c.step("Pass")
    assert not visible(c, "Drawer")


def test_what_was_opened_can_be_closed_from_the_same_place():
    """An open drawer may end right below the eye: then it is its inside that is seen."""
    c = controller()
    drawer = the(c, "Drawer")
    for z, horizon in ((0.5, 0.0), (0.5, 30.0), (0.25, 0.0), (0.25, 30.0)):
        at(c, 0.0, z, 0.0, horizon)
        if not c.step("OpenObject", objectId=drawer):
            continue  # it would slide into the agent, or is not in the image
        assert visible(c, "Drawer")
        assert c.step("CloseObject", objectId=drawer), (z, horizon)
    at(c, 0.0, 0.25, 0.0, 30.0)
    assert c.step("OpenObject", objectId=drawer)


def test_closed_containers_hide_their_content():
    c = controller()
    at(c, 0.0, 0.25, 0.0, 30.0)
    assert not visible(c, "Knife")
    assert c.step("OpenObject", objectId=the(c, "Drawer"))
    assert visible(c, "Knife")
    assert c.step("CloseObject", objectId=the(c, "Drawer"))
    assert not visible(c, "Knife")


def test_a_closed_container_in_a_closed_container_still_hides():
    c = controller()
    at(c, -0.75, 0.5, 0.0)
    holding(c, "Egg")
    assert c.step("OpenObject", objectId=the(c, "Microwave"))
    assert c.step("PutObject", objectId=the(c, "Microwave"))
    assert visible(c, "Egg")
    assert c.step("CloseObject", objectId=the(c, "Microwave"))
    assert not visible(c, "Egg")


def test_other_agents_hide_things_but_not_oneself():
    c = controller(2)
    at(c, 0.0, 0.0, 0.0)
    assert visible(c, "Apple")
    at(c, 0.0, 0.75, 0.0, agent=1)
    event = c.last_event
    apple = the(c, "Apple")
    assert not event.events[0].get_object(apple)["visible"]
    assert event.events[1].get_object(apple)["visible"]


def test_held_things_are_visible_to_their_holder():
    c = controller()
    holding(c, "Apple")
    at(c, 0.0, 0.0, 180.0, -30.0)
    found = entry(c, "Apple")
    assert found["visible"]
    assert found["isInteractable"]
    assert found["isPickedUp"]


def test_what_lies_on_the_floor_is_seen_by_looking_down():
    c = controller()
    at(c, 0.0, 0.0, 0.0)
    holding(c, "Knife")
    c.step("DropHeldObject")
    assert not visible(c, "Knife")
    at(c, 0.0, 0.0, 0.0, 60.0)
    assert visible(c, "Knife")


def test_glass_lets_see_but_not_touch():
    from dataclasses import replace

    from mosaic_planner.worlds.household.scenes.stocking import OneScene
    from mosaic_planner.worlds.household.thor.controller import Controller

    from .built import scene, thing

    room = scene()
    pane = thing("ShowerGlass", (0.0, 1.2, 1.0), (3.0, 2.4, 0.02))
    room = replace(room, objects=(*room.objects, pane))
    c = Controller(room, scenes=OneScene(room))
    found = entry(c, "Apple")
    assert found["visible"]
    assert not found["isInteractable"]
    event = c.step("PickupObject", objectId=the(c, "Apple"))
    assert not event
    assert "visible but not interactable" in event.metadata["errorMessage"]
    assert c.step("PickupObject", objectId=the(c, "Apple"), forceAction=True)


def test_distance_is_from_pivot_to_pivot():
    c = controller()
    at(c, 0.0, 0.0, 0.0)
    assert entry(c, "Apple")["distance"] == pytest.approx(
        (0.1**2 + (0.901 - 0.98) ** 2 + 1.45**2) ** 0.5
    )
