"""Rules of AI2-THOR that the other files of this folder do not reach, in the notes' order.

"Section N" in a docstring is the section of the AI2-THOR notes that the simulator follows.
"""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from mosaic_planner.worlds.household.scenes.scene import object_id
from mosaic_planner.worlds.household.scenes.stocking import OneScene
from mosaic_planner.worlds.household.thor.controller import Controller, FailedAction

from .built import at, controller, entry, error, holding, scene, the

# Section 1: world and agents.


@pytest.mark.parametrize(
    ("yaw", "x", "z"), [(0, 0.0, 0.25), (90, 0.25, 0.0), (180, 0.0, -0.25), (270, -0.25, 0.0)]
)
def test_yaw_is_clockwise_from_z(yaw: int, x: float, z: float):
    c = controller()
    at(c, 0.0, 0.0, yaw)
    position = c.step("MoveAhead").metadata["agent"]["position"]
    assert (position["x"], position["z"]) == (x, z)


def test_the_camera_is_above_the_pivot_and_lower_when_crouching():
    """Section 1: 0.675 m above the pivot, lower by the same amount when crouching."""
    c = controller()
    metadata = c.last_event.metadata
    y = metadata["agent"]["position"]["y"]
    assert metadata["cameraPosition"]["y"] == pytest.approx(y + 0.675)
    metadata = c.step("Crouch").metadata
    assert metadata["cameraPosition"]["y"] == pytest.approx(y)
    assert not metadata["agent"]["isStanding"]
    assert metadata["agent"]["position"]["y"] == y


def test_all_agents_start_as_agent_0_does():
    c = Controller(scene(yaw=270.0), scenes=OneScene(scene(yaw=270.0)), agentCount=4)
    poses = [e.metadata["agent"] for e in c.last_event.events]
    assert {p["rotation"]["y"] for p in poses} == {270.0}
    assert {p["cameraHorizon"] for p in poses} == {0.0}


@pytest.mark.parametrize("grid", [0.0, -0.25, 5.5, float("nan")])
def test_grid_size_is_limited(grid: float):
    with pytest.raises(FailedAction, match="gridSize"):
        controller(gridSize=grid)
    assert controller(gridSize=0.5).step("MoveBack").metadata["agent"]["position"]["z"] == 0.0


def test_defaults_of_initialize():
    metadata = controller().last_event.metadata
    assert metadata["fov"] == 90.0
    assert (metadata["screenWidth"], metadata["screenHeight"]) == (300, 300)
    assert metadata["lastAction"] == "Initialize"
    assert metadata["lastActionSuccess"]
    assert set(metadata["actionReturn"]) == {"cameraNearPlane", "cameraFarPlane"}


# Section 2: the controller's surface.


def test_settings_that_cannot_be_raise_what_the_client_raises():
    with pytest.raises(RuntimeError, match="agentCount"):
        controller(7)
    c = controller()
    with pytest.raises(RuntimeError, match="already off"):
        c.step("ToggleObjectOff", objectId=the(c, "Faucet"), forceAction=True,
               raise_for_failure=True)  # fmt: skip


def test_without_a_scene_the_alphabetically_first_is_taken():
    assert Controller().last_event.metadata["sceneName"] == "FloorPlan10_physics"
    assert Controller("FloorPlan2").scene == "FloorPlan2_physics"


def test_a_call_may_be_a_mapping_and_hold_numpy_values():
    c = controller()
    call = {"action": "RotateRight", "degrees": np.float32(90)}
    assert c.step(call)
    assert call == {"action": "RotateRight", "degrees": np.float32(90)}  # the caller's own
    place = dict(zip("xyz", np.array([0.5, 0.901, 0.0]), strict=True))
    assert c.step({"action": "Teleport"}, position=place, rotation={"x": 0, "y": 90, "z": 0})
    assert c.last_event.metadata["agent"]["rotation"]["y"] == 90.0
    assert c.step("MoveAhead", agentId=np.int64(0))


def test_old_metadata_names_still_work():
    c = controller()
    event = c.step("GetReachablePositions")
    assert event.metadata["reachablePositions"] is event.metadata["actionReturn"]
    assert event.metadata["hand"] == event.metadata["heldObjectPose"]
    event = c.step("Pass")
    with pytest.raises(IndexError):
        event.metadata["reachablePositions"]
    with pytest.raises(KeyError):
        event.metadata["nothing"]


def test_headless_means_no_images():
    event = controller(2, headless=True).last_event
    assert event.frame is None
    assert event.events[1].cv2img is None
    assert len(event.metadata["objects"]) > 20


def test_class_masks_join_the_masks_of_a_type():
    c = controller(renderInstanceSegmentation=True)
    event = c.last_event
    kinds = {event.get_object(k)["objectType"] for k in event.instance_masks}
    assert set(event.class_masks) == kinds
    assert (event.class_masks["Apple"] == event.instance_masks[the(c, "Apple")]).all()
    assert controller().last_event.class_masks == {}
    assert event.objects_by_type("Apple") == [event.get_object(the(c, "Apple"))]


def test_initialize_is_an_action_too():
    """As older programs call it: settings change, the scene stays as it is."""
    c = controller(3)
    holding(c, "Apple", agent=2)
    c.step("SliceObject", objectId=the(c, "Bread"), forceAction=True)
    event = c.step({"action": "Initialize", "gridSize": 0.5, "agentCount": 2})
    assert event
    assert len(event.events) == 2
    assert entry(c, "Bread")["isSliced"]
    assert not entry(c, "Apple")["isPickedUp"]  # its holder has left
    assert entry(c, "Apple")["parentReceptacles"]
    assert not c.step("Initialize", gridSize=7.0)
    assert len(c.last_event.events) == 2
    assert (
        "FloorPlan1_physics"
        in Controller("FloorPlan1").step("GetScenesInBuild").metadata["actionReturn"]
    )
    assert c.step("ChangeResolution", x=320, y=240).events[1].frame.shape == (240, 320, 3)
    assert not c.step("ChangeResolution", x=0, y=240)


@pytest.mark.parametrize(
    "call",
    [
        {"action": "NoSuchAction"},
        {"action": "OpenObject"},
        {"action": "OpenObject", "objectId": "A", "x": 0.5, "y": 0.5},
        {"action": "RotateLeft", "speed": 1},
        {"action": "TeleportFull", "position": {"x": 0, "y": 0.9, "z": 0}},
        {"action": "GetInteractablePoses"},
    ],
)
def test_only_four_codes_raise_value_error(call):
    with pytest.raises(ValueError, match=r"\w"):
        controller().step(call)


# Section 3: event metadata.


def test_collisions_are_told_and_forgotten():
    c = controller()
    at(c, 0.0, 1.0, 0.0)
    metadata = c.step("MoveAhead").metadata
    assert metadata["collided"]
    assert len(metadata["collidedObjects"]) == 1
    metadata = c.step("Pass").metadata
    assert not metadata["collided"]
    assert metadata["collidedObjects"] == []


def test_the_hand_rests_before_the_camera_even_when_empty():
    c = controller()
    pose = c.last_event.metadata["heldObjectPose"]
    assert pose["localPosition"] == {"x": 0.0, "y": -0.16, "z": 0.38}
    camera = c.last_event.metadata["cameraPosition"]
    assert pose["position"]["y"] == pytest.approx(camera["y"] - 0.16)
    assert pose["position"]["z"] == pytest.approx(camera["z"] + 0.38)


def test_legacy_slots_and_outcome():
    c = controller()
    metadata = c.step("MoveAhead").metadata
    assert (metadata["actionIntReturn"], metadata["actionFloatReturn"]) == (0, 0.0)
    for key in ("actionStringsReturn", "actionFloatsReturn", "actionVector3sReturn", "arm",
                "visibleRange", "colors", "actionReturn", "errorCode"):  # fmt: skip
        assert metadata[key] is None, key
    assert metadata["errorMessage"] == ""
    for key in ("flatSurfacesOnGrid", "distances", "normals", "isOpenableGrid",
                "segmentedObjectIds", "objectIdsInBox", "thirdPartyCameras"):  # fmt: skip
        assert metadata[key] == [], key
    assert metadata["depthFormat"] == "Meters"
    assert metadata["isSceneAtRest"]
    later = c.step("Pass").metadata["currentTime"]
    assert later > metadata["currentTime"]


def test_colours_are_listed_with_segmentation_on():
    metadata = controller(renderInstanceSegmentation=True).last_event.metadata
    names = [c["name"] for c in metadata["colors"]]
    assert len(names) == len(set(names))
    assert {o["objectId"] for o in metadata["objects"]} <= set(names)
    assert len({tuple(c["color"]) for c in metadata["colors"]}) == len(names)


# Section 4: object metadata.


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ((-1.5, 0.9, 1.65), "Mug|-01.50|+00.90|+01.65"),
        ((0.0, 0.0, 0.0), "Mug|00.00|00.00|00.00"),
        ((12.346, -0.001, 123.0), "Mug|+12.35|-00.00|+123.00"),
    ],
)
def test_object_ids(place, words: str):
    """Section 4: two decimals, two integer digits, sign shown but for an exact zero."""
    assert object_id("Mug", place) == words


def test_names_are_a_type_and_eight_hex_digits():
    names = [o["name"] for o in controller().last_event.metadata["objects"]]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[A-Za-z]+_[0-9a-f]{8}", name) for name in names)


def test_pieces_have_all_keys_too():
    c = controller()
    c.step("SliceObject", objectId=the(c, "Apple"))
    whole = entry(c, "Apple")
    pieces = c.last_event.objects_by_type("AppleSliced")
    assert [p["objectId"] for p in pieces] == [
        f"{whole['objectId']}|AppleSliced_{k}" for k in range(6)
    ]
    assert all(set(p) == set(whole) for p in pieces)


# Section 6: addressing.


def test_an_unknown_id_is_named_before_anything_else():
    c = controller()
    holding(c, "Apple")
    for action in ("PickupObject", "PutObject", "OpenObject", "ToggleObjectOn", "SliceObject",
                   "CleanObject", "PushObject", "BreakObject"):  # fmt: skip
        for force in (False, True):
            message = error(c.step(action, objectId="Pot|1|2|3", forceAction=force))
            assert message == (
                "ArgumentException: objectId: Pot|1|2|3 is not the objectId on any object in the "
                "scene!"
            ), action


def test_screen_coordinates_are_in_0_to_1():
    c = controller()
    assert "[0, 1]" in error(c.step("OpenObject", x=1.5, y=0.5))
    at(c, 0.0, -1.0, 0.0)
    assert "within the specified visibility" in error(c.step("OpenObject", x=0.5, y=0.5))


# Section 7: motion.


@pytest.mark.parametrize("action", ["MoveAhead", "MoveBack", "MoveLeft", "MoveRight"])
@pytest.mark.parametrize("magnitude", [0.0, -0.25])
def test_moves_need_a_positive_magnitude(action: str, magnitude: float):
    c = controller()
    before = c.last_event.metadata["agent"]["position"]
    error(c.step(action, moveMagnitude=magnitude))
    assert c.last_event.metadata["agent"]["position"] == before


def test_texts_of_blocked_moves():
    """Section 7: `NAME is blocking Agent I from moving by (DX, DY, DZ).`, four decimals each."""
    c = controller(2)
    at(c, 0.0, 1.0, 0.0, agent=1)
    message = error(c.step("MoveAhead", agentId=1))
    number = r"-?\d+\.\d{4}"
    assert re.fullmatch(
        rf"\w+ is blocking Agent 1 from moving by \({number}, {number}, {number}\)\.", message
    )
    at(c, 0.0, 0.5, 0.0, agent=0)
    message = error(c.step("MoveAhead", agentId=0))
    assert message == "Agent 1 is blocking Agent 0 from moving by (0.0000, 0.0000, 0.2500)."
    assert c.last_event.metadata["collidedObjects"] == ["Agent 1"]


@pytest.mark.parametrize("action", ["RotateLeft", "RotateRight"])
def test_turns_need_positive_degrees(action: str):
    c = controller()
    error(c.step(action, degrees=0))
    error(c.step(action, degrees=-90))
    assert c.step(action, degrees=180)
    assert c.last_event.metadata["agent"]["rotation"]["y"] == 180.0


def test_looking_beyond_the_limits_fails_and_stays():
    """Section 7: horizon -30 .. 60, positive down, 30 degrees by default, multiples of 0.1."""
    c = controller()
    for expected in (30.0, 60.0):
        assert c.step("LookDown").metadata["agent"]["cameraHorizon"] == expected
    error(c.step("LookDown"))
    assert c.last_event.metadata["agent"]["cameraHorizon"] == 60.0
    assert c.step("LookUp", degrees=90)
    error(c.step("LookUp", degrees=0.1))
    assert c.last_event.metadata["agent"]["cameraHorizon"] == -30.0
    assert c.step("LookDown", degrees=0.1)
    assert "0.1" in error(c.step("LookDown", degrees=0.25))
    assert c.step("LookDown", degrees=0)
    error(c.step("LookUp", degrees=-1))


def test_teleports_snap_to_the_floor():
    """Section 7: at most 0.05 m off the floor; y is then snapped."""
    c = controller()
    y = c.last_event.metadata["agent"]["position"]["y"]
    assert c.step("Teleport", position={"x": 0.5, "y": y + 0.04, "z": 0.0})
    assert c.last_event.metadata["agent"]["position"]["y"] == y
    assert "floor" in error(c.step("Teleport", position={"x": 0.5, "y": y + 0.06, "z": 0.0}))
    assert "floor" in error(c.step("Teleport", position={"x": 0.5, "y": 0.0, "z": 0.0}))
    assert c.step("Teleport", x=0.25, z=-0.5)
    where = c.last_event.metadata["agent"]["position"]
    assert (where["x"], where["z"]) == (0.25, -0.5)


def test_reachable_positions_take_a_grid_and_come_breadth_first():
    """Section 7: 4-connected; section 1: neighbours in the order +x, +z, -x, -z."""
    c = controller()
    found = c.step("GetReachablePositions", gridSize=0.5).metadata["actionReturn"]
    assert [(p["x"], p["z"]) for p in found[:4]] == [
        (0.0, 0.5),
        (0.5, 0.5),
        (0.0, 1.0),
        (-0.5, 0.5),
    ]
    steps = [abs(p["x"]) + abs(p["z"] - 0.5) for p in found]
    assert steps == sorted(steps)
    assert all(set(p) == {"x", "y", "z"} for p in found)
    assert len({(p["x"], p["z"]) for p in found}) == len(found)
    assert "gridSize" in error(c.step("GetReachablePositions", gridSize=0))


def test_interactable_poses_can_be_narrowed():
    c = controller()
    apple = the(c, "Apple")
    poses = c.step(
        "GetInteractablePoses", objectId=apple, positions=[{"x": 0.0, "y": 0.901, "z": 0.75}],
        rotations=[0.0, 180.0], horizons=[0.0, 30.0], standings=[True],
    ).metadata["actionReturn"]  # fmt: skip
    assert {p["rotation"] for p in poses} == {0.0}
    assert {(p["x"], p["z"], p["standing"]) for p in poses} == {(0.0, 0.75, True)}
    near = c.step("GetInteractablePoses", objectId=apple, maxDistance=0.8).metadata["actionReturn"]
    assert near
    assert all(math.hypot(p["x"] + 0.1, p["z"] - 1.45) <= 0.8 + 1e-9 for p in near)
    assert "not the objectId" in error(c.step("GetInteractablePoses", objectId="Mug|1|2|3"))


def test_pass_and_done_always_succeed_and_change_nothing_but_time():
    c = controller()
    before = c.last_event.metadata
    for action in ("Pass", "Done"):
        after = c.step(action).metadata
        assert after["lastActionSuccess"]
        assert after["agent"] == before["agent"]
        assert after["objects"] == before["objects"]
