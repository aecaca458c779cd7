"""Walking, turning, looking, teleporting (section 7) and how agents get in each other's way."""

from __future__ import annotations

import pytest

from mosaic_planner.worlds.household.thor.controller import InvalidCall

from .built import at, controller, holding, the


def position(event, agent: int = 0) -> tuple[float, float, float]:
    p = event.events[agent].metadata["agent"]["position"]
    return (p["x"], p["y"], p["z"])


@pytest.mark.parametrize(
    ("action", "yaw", "moved"),
    [
        ("MoveAhead", 0, (0.0, 0.25)),
        ("MoveAhead", 90, (0.25, 0.0)),
        ("MoveBack", 90, (-0.25, 0.0)),
        ("MoveRight", 0, (0.25, 0.0)),
        ("MoveLeft", 0, (-0.25, 0.0)),
        ("MoveLeft", 180, (0.25, 0.0)),
    ],
)
def test_moves_are_relative_to_the_yaw(action, yaw, moved):
    c = controller()
    at(c, 0.0, 0.0, yaw)
    event = c.step(action)
    assert event
    assert position(event) == pytest.approx((moved[0], 0.901, moved[1]))


def test_a_blocked_move_names_what_blocks_and_changes_nothing():
    c = controller()
    at(c, 0.0, 1.0, 0.0)
    before = position(c.last_event)
    event = c.step("MoveAhead")
    assert not event
    message = event.metadata["errorMessage"]
    assert message.endswith("is blocking Agent 0 from moving by (0.0000, 0.0000, 0.2500).")
    assert message.split()[0].split("_")[0] in ("Drawer", "CounterTop", "Cabinet")
    assert position(event) == before
    assert event.metadata["collided"]
    assert event.metadata["collidedObjects"] == [message.split()[0]]


def test_magnitudes_must_be_positive():
    c = controller()
    for wrong in (0, 0.0, -0.25):
        event = c.step("MoveAhead", moveMagnitude=wrong)
        assert not event
        assert "greater than 0" in event.metadata["errorMessage"]
    assert not c.step("GetReachablePositions", gridSize=0)


def test_nobody_leaves_the_scene_bounds():
    c = controller()
    at(c, 1.75, 0.0, 90.0)
    event = c.step("MoveAhead", moveMagnitude=1.0)
    assert not event
    assert "bounds" in event.metadata["errorMessage"].lower()


def test_agents_are_solid_to_each_other():
    c = controller(2)
    at(c, 0.0, -0.5, 0.0, agent=1)
    at(c, 0.0, 0.0, 180.0)
    event = c.step("MoveAhead")
    assert not event
    assert event.metadata["errorMessage"] == (
        "Agent 1 is blocking Agent 0 from moving by (0.0000, 0.0000, -0.2500)."
    )


def test_neighbouring_cells_are_too_near_for_two_agents():
    """Radius 0.2 on a 0.25 m grid: diagonal neighbours (0.354 m) collide, two cells do not."""
    c = controller(2)
    at(c, 0.5, 0.0, 0.0, agent=1)
    at(c, 0.0, 0.0, 90.0)
    assert not c.step("MoveAhead")
    assert c.step("MoveLeft")  # (0, 0.25): 0.56 m away
    assert not c.step("MoveAhead")  # (0.25, 0.25) would be 0.354 m away


def test_nobody_walks_through_another_agent_in_one_long_step():
    c = controller(2)
    at(c, 0.0, -0.5, 0.0, agent=1)
    at(c, 0.0, 0.0, 180.0)
    assert not c.step("MoveAhead", moveMagnitude=1.25)


def test_teleporting_onto_another_agent_fails_even_when_forced():
    c = controller(2)
    at(c, 0.5, 0.0, 0.0, agent=1)
    event = c.step(
        "Teleport", position={"x": 0.5, "y": 0.901, "z": 0.25}, forceAction=True, agentId=0
    )
    assert not event
    assert "Agent 1" in event.metadata["errorMessage"]


def test_turns_and_their_default():
    c = controller()
    assert c.step("RotateRight").metadata["agent"]["rotation"]["y"] == 90.0
    assert c.step("RotateLeft", degrees=180).metadata["agent"]["rotation"]["y"] == 270.0
    assert not c.step("RotateLeft", degrees=0)


def test_the_horizon_is_limited():
    c = controller()
    assert c.step("LookDown").metadata["agent"]["cameraHorizon"] == 30.0
    assert c.step("LookDown").metadata["agent"]["cameraHorizon"] == 60.0
    event = c.step("LookDown")
    assert not event
    assert event.metadata["agent"]["cameraHorizon"] == 60.0
    assert c.step("LookUp", degrees=90)
    assert not c.step("LookUp", degrees=0.1)
    assert not c.step("LookUp", degrees=0.05)
    assert not c.step("LookUp", degrees=-30)


def test_teleport_checks_floor_height_bounds_and_room():
    c = controller()
    assert not c.step("Teleport", position={"x": 0.0, "y": 1.2, "z": 0.0})
    assert not c.step("Teleport", position={"x": 9.0, "y": 0.901, "z": 0.0})
    event = c.step("Teleport", position={"x": 0.0, "y": 0.901, "z": 1.6})
    assert not event
    assert "Collided with" in event.metadata["errorMessage"]
    assert not c.step("Teleport", horizon=61)
    event = c.step("Teleport", position={"x": 0.0, "y": 0.93, "z": 0.0}, rotation={"y": 450.0})
    assert event
    assert position(event) == (0.0, 0.901, 0.0)  # y is snapped to the floor
    assert event.metadata["agent"]["rotation"]["y"] == 90.0


def test_teleport_full_needs_everything():
    c = controller()
    with pytest.raises(InvalidCall, match="standing"):
        c.step("TeleportFull", position={"x": 0, "y": 0.9, "z": 0}, rotation=0, horizon=0)
    assert c.step(
        "TeleportFull", position={"x": 0, "y": 0.9, "z": 0}, rotation=0, horizon=0, standing=False
    )
    assert not c.last_event.metadata["agent"]["isStanding"]


def test_crouching_lowers_the_camera():
    c = controller()
    high = c.last_event.metadata["cameraPosition"]["y"]
    event = c.step("Crouch")
    assert event.metadata["cameraPosition"]["y"] == pytest.approx(high - 0.675)
    assert not c.step("Crouch")
    assert c.step("Stand")
    assert not c.step("Stand")


def test_without_snapping_any_distance_and_angle_works():
    c = controller(snapToGrid=False, rotateStepDegrees=45)
    at(c, 0.0, 0.0, 0.0)
    c.step("RotateRight")
    event = c.step("MoveAhead", moveMagnitude=0.1)
    assert position(event) == pytest.approx((0.0707, 0.901, 0.0707), abs=1e-3)


def test_snapping_needs_right_angles():
    with pytest.raises(InvalidCall, match="snapToGrid"):
        controller(rotateStepDegrees=45)


def test_the_held_object_must_fit_too():
    """The hand is 0.38 m ahead; the fridge's front is at z = 1.3."""
    c = controller()
    holding(c, "Apple")
    at(c, -1.5, 0.75, 0.0)
    event = c.step("MoveAhead")
    assert not event
    message = event.metadata["errorMessage"]
    assert message.startswith("Fridge")
    assert "Apple" in message
    assert position(event)[2] == 0.75
    assert event.metadata["heldObjectPose"]["position"]["z"] == pytest.approx(1.13)
    at(c, -1.5, 1.0, 180.0)
    event = c.step("RotateRight", degrees=180)
    assert not event
    assert event.metadata["agent"]["rotation"]["y"] == 180.0
    assert c.step("DropHeldObject")
    assert c.step("RotateRight", degrees=180)


def test_what_was_dropped_on_the_floor_is_in_the_way():
    c = controller()
    at(c, 0.0, 0.0, 180.0)
    holding(c, "Bread")
    assert c.step("DropHeldObject")
    at(c, 0.0, -1.0, 0.0)
    assert c.step("MoveAhead")
    event = c.step("MoveAhead")
    assert not event
    assert event.metadata["errorMessage"].startswith("Bread")


def test_an_open_drawer_is_in_the_way():
    c = controller()
    at(c, 0.0, 0.25, 0.0, 30.0)
    assert c.step("OpenObject", objectId=the(c, "Drawer"))
    assert c.step("MoveAhead")
    event = c.step("MoveAhead")
    assert not event
    assert event.metadata["errorMessage"].startswith("Drawer")
    assert c.step("CloseObject", objectId=the(c, "Drawer"))
    assert c.step("MoveAhead")
