"""The surface: events, metadata, wrong calls, reset, images."""

from __future__ import annotations

import pytest

from mosaic_planner.core.errors import UsageError
from mosaic_planner.worlds.household.catalogue import AFFORDANCES, STATES
from mosaic_planner.worlds.household.scenes.recorded import SceneFolder, write_scene
from mosaic_planner.worlds.household.thor.controller import Controller, InvalidCall

from .built import at, controller, entry, holding, the

OBJECT_KEYS = tuple(
    """
    objectId name objectType assetId position rotation visible isInteractable distance receptacle
    toggleable breakable canFillWithLiquid dirtyable canBeUsedUp cookable sliceable openable
    pickupable moveable isHeatSource isColdSource isToggled isBroken isFilledWithLiquid isDirty
    isUsedUp isCooked isSliced isOpen isPickedUp isMoving fillLiquid openness temperature mass
    salientMaterials parentReceptacles receptacleObjectIds controlledObjects
    axisAlignedBoundingBox objectOrientedBoundingBox
    """.split()  # noqa: SIM905 - the section's own list, readable as one
)

EVENT_KEYS = tuple(
    """
    objects agent heldObjectPose arm inventoryObjects agentId sceneName lastAction
    lastActionSuccess errorMessage errorCode actionReturn actionIntReturn actionFloatReturn
    actionStringsReturn actionFloatsReturn actionVector3sReturn collided collidedObjects
    isSceneAtRest cameraPosition fov cameraOrthSize screenWidth screenHeight depthFormat colors
    visibleRange currentTime sceneBounds thirdPartyCameras flatSurfacesOnGrid distances normals
    isOpenableGrid segmentedObjectIds objectIdsInBox
    """.split()  # noqa: SIM905 - the section's own list, readable as one
)


def test_all_keys_are_there():
    metadata = controller().last_event.metadata
    assert set(metadata) == set(EVENT_KEYS)
    assert len(OBJECT_KEYS) == 42
    for found in metadata["objects"]:
        assert set(found) == set(OBJECT_KEYS)
    assert len(metadata["sceneBounds"]["cornerPoints"]) == 8
    assert len(metadata["objects"][0]["axisAlignedBoundingBox"]["cornerPoints"]) == 8


def test_nullable_entries():
    c = controller()
    assert entry(c, "Apple")["receptacleObjectIds"] is None
    assert entry(c, "Box")["receptacleObjectIds"] == []
    assert entry(c, "Apple")["controlledObjects"] is None
    assert entry(c, "Microwave")["controlledObjects"] == []
    assert entry(c, "Fridge")["objectOrientedBoundingBox"] is None
    assert len(entry(c, "Apple")["objectOrientedBoundingBox"]["cornerPoints"]) == 8
    assert entry(c, "Fridge")["parentReceptacles"] is None


def test_one_agent_gives_a_plain_event_several_give_one_each():
    event = controller().last_event
    assert event.events == [event]
    c = controller(3)
    event = c.step("RotateRight", agentId=2)
    assert len(event.events) == 3
    assert event.metadata["agentId"] == 2
    assert event.metadata is event.events[2].metadata
    assert event.events[0].metadata["agent"]["rotation"]["y"] == 0.0


def test_who_did_not_act_keeps_its_last_action():
    c = controller(2)
    c.step("RotateRight", agentId=1)
    event = c.step("MoveAhead", agentId=0, moveMagnitude=9.0)
    assert not event
    assert event.events[1].metadata["lastAction"] == "RotateRight"
    assert event.events[1].metadata["lastActionSuccess"]
    assert event.events[0].metadata["lastAction"] == "MoveAhead"


def test_events_do_not_change_afterwards():
    c = controller()
    first = c.last_event
    before = [dict(o) for o in first.metadata["objects"]]
    c.step("PickupObject", objectId=the(c, "Apple"))
    c.step("SliceObject", objectId=the(c, "Bread"))
    c.step("RotateRight")
    assert first.metadata["objects"] == before
    assert first.metadata["agent"]["rotation"]["y"] == 0.0


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ({"action": "Fly"}, "InvalidAction"),
        ({"action": "MoveAhead", "speed": 3}, "InvalidArgument"),
        ({"action": "MoveAhead", "moveMagnitude": "far"}, "InvalidArgument"),
        ({"action": "MoveAhead", "moveMagnitude": float("nan")}, "InvalidArgument"),
        ({"action": "PickupObject"}, "MissingArguments"),
        ({"action": "PickupObject", "objectId": 7}, "InvalidArgument"),
        ({"action": "PickupObject", "objectId": "A", "x": 0.5, "y": 0.5}, "AmbiguousAction"),
        ({"action": "PlaceObjectAtPoint", "objectId": "A"}, "MissingArguments"),
        ({"action": "PlaceObjectAtPoint", "objectId": "A", "position": 3}, "InvalidArgument"),
        ({"action": "Teleport", "rotation": "north"}, "InvalidArgument"),
    ],
)
def test_wrong_calls_raise_value_error_and_change_nothing(call, code):
    c = controller()
    before = c.last_event.metadata["agent"]
    with pytest.raises(ValueError, match=r"\w"):
        c.step(call)
    assert c.last_event.metadata["errorCode"] == code
    assert not c.last_event
    assert c.last_event.metadata["agent"] == before
    assert c.step("Pass")
    assert c.last_event.metadata["errorCode"] is None


def test_raise_for_failure():
    c = controller()
    with pytest.raises(InvalidCall, match="PutObject failed"):
        c.step("PutObject", objectId=the(c, "Box"), raise_for_failure=True)


def test_an_agent_that_is_not_there():
    c = controller(2)
    event = c.step("MoveAhead", agentId=2)
    assert not event
    assert "no agent 2" in event.metadata["errorMessage"]


def test_up_to_six_agents_apart_from_each_other():
    c = controller(6)
    places = [
        (m["x"], m["z"]) for m in (e.metadata["agent"]["position"] for e in c.last_event.events)
    ]
    assert len(set(places)) == 6
    for i, a in enumerate(places):
        for b in places[i + 1 :]:
            assert ((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5 >= 0.4
    with pytest.raises(InvalidCall, match="agentCount"):
        controller(7)


def test_further_agents_start_where_the_engine_puts_them(recorded: SceneFolder):
    """Agent i is on entry i + 4 of the reachable positions on a 0.5 m grid (section 1)."""
    c = Controller("FloorPlan28", scenes=recorded, agentCount=3)
    coarse = c.step("GetReachablePositions", gridSize=0.5).metadata["actionReturn"]
    for i in (1, 2):
        at_ = c.last_event.events[i].metadata["agent"]["position"]
        assert (at_["x"], at_["z"]) == (coarse[i + 4]["x"], coarse[i + 4]["z"])


def test_reset_brings_everything_back():
    c = controller(2)
    first = c.last_event.events[0].metadata
    holding(c, "Apple")
    c.step("MoveAhead")
    event = c.reset()
    assert event.events[0].metadata == first
    event = c.reset(agentCount=3)
    assert len(event.events) == 3


def test_scenes_by_name():
    with Controller("FloorPlan1") as c:
        assert c.last_event.metadata["sceneName"] == "FloorPlan1_physics"
        assert c.reset("FloorPlan401_physics").metadata["sceneName"] == "FloorPlan401_physics"
        with pytest.raises(ValueError, match="FloorPlan1"):
            c.reset("FloorPlan31")
        assert "FloorPlan201_physics" in c.scenes_in_build


def test_images_are_drawn_when_asked_for():
    c = controller(2, renderDepthImage=True, renderInstanceSegmentation=True, width=320, height=240)
    event = c.last_event.events[0]
    assert event.frame.shape == (240, 320, 3)
    assert event.depth_frame.shape == (240, 320)
    assert event.instance_segmentation_frame.shape == (240, 320, 3)
    assert event.cv2img.shape == (240, 320, 3)
    # the counter front is 0.8 m ahead of the camera
    apple = the(c, "Apple")
    mask = event.instance_masks[apple]
    assert 0.85 < event.depth_frame[mask].mean() < 1.0
    left, top, right, bottom = event.instance_detections2D[apple]
    assert mask[top : bottom + 1, left : right + 1].sum() == mask.sum()
    colour = tuple(int(v) for v in event.instance_segmentation_frame[mask][0])
    assert event.color_to_object_id[colour] == apple


def test_without_asking_there_is_no_depth_and_no_masks():
    event = controller(renderImage=False).last_event
    assert event.frame is None
    assert event.depth_frame is None
    assert event.instance_masks == {}
    assert event.instance_segmentation_frame is None


def test_a_picture_shows_the_moment_of_its_event():
    c = controller()
    before = c.last_event
    c.step("PickupObject", objectId=the(c, "Apple"))
    at(c, 0.0, 0.0, 180.0)
    late = before.frame
    assert (late == controller().last_event.frame).all()
    assert not (late == c.last_event.frame).all()


def test_pose_attributes():
    c = controller()
    at(c, 0.5, -0.25, 90.0, 30.0)
    event = c.last_event
    assert event.pose == (500, -250, 90000, 30000)
    assert event.pose_discrete == (2, -1, 1, 30)


def test_reachable_positions_are_the_free_cells(recorded: SceneFolder):
    c = Controller("FloorPlan28", scenes=recorded)
    event = c.step("GetReachablePositions")
    cells = {(round(p["x"] * 4), round(p["z"] * 4)) for p in event.metadata["actionReturn"]}
    assert cells == set(recorded.load("FloorPlan28").cells)
    assert 100 <= len(cells) <= 125  # the engine's own test


def test_interactable_poses_are_what_they_say():
    c = controller()
    event = c.step("GetInteractablePoses", objectId=the(c, "Apple"))
    poses = event.metadata["actionReturn"]
    assert len(poses) > 20
    for pose in poses[::7]:
        place = {k: pose[k] for k in ("x", "y", "z")}
        assert c.step(
            "Teleport",
            position=place,
            rotation=pose["rotation"],
            horizon=pose["horizon"],
            standing=pose["standing"],
        )
        assert entry(c, "Apple")["isInteractable"]
    at(c, 0.0, 0.5, 0.0)
    c.step("Stand")
    few = c.step("GetInteractablePoses", objectId=the(c, "Apple"), maxPoses=3)
    assert few.metadata["actionReturn"] == poses[:3]
    level = c.step("GetInteractablePoses", objectId=the(c, "Apple"), horizons=[0], standings=[True])
    assert {p["horizon"] for p in level.metadata["actionReturn"]} == {0.0}
    assert not c.step("GetInteractablePoses", objectId="Apple|0|0|0")


def test_a_recorded_folder_can_be_written_and_read_back(tmp_path):
    c = controller()
    m = c.last_event.metadata
    write_scene(
        tmp_path,
        "FloorPlan7",
        m["objects"],
        c.simulator.state.scene.cells,
        m["agent"],
        m["sceneBounds"],
        m["cameraPosition"],
    )
    folder = SceneFolder(tmp_path)
    assert folder.names() == ("FloorPlan7",)
    again = Controller("FloorPlan7", scenes=folder)
    for old, new in zip(m["objects"], again.last_event.metadata["objects"], strict=True):
        for key in OBJECT_KEYS:
            if key not in ("axisAlignedBoundingBox", "objectOrientedBoundingBox", "position",
                           "distance"):  # fmt: skip
                assert old[key] == new[key], (old["objectId"], key)
        assert new["position"] == pytest.approx(old["position"], abs=1e-4)


def test_a_broken_folder_gives_one_clear_line(tmp_path):
    with pytest.raises(UsageError, match="holds no recorded scenes"):
        SceneFolder(tmp_path)
    (tmp_path / "scenes").mkdir()
    (tmp_path / "grids.json").write_text('{"FloorPlan1": {"y": 0.9, "reachable": [[0, 0]]}}')
    (tmp_path / "scenes" / "FloorPlan1.json").write_text('{"scene": "FloorPlan1", "objects": [{}]}')
    with pytest.raises(UsageError, match=r"scene FloorPlan1: objects\.0\.objectId") as caught:
        SceneFolder(tmp_path).load("FloorPlan1")
    assert "\n" not in str(caught.value)
    with pytest.raises(UsageError, match="FloorPlan2"):
        SceneFolder(tmp_path).load("FloorPlan2")


@pytest.mark.parametrize("name", ["FloorPlan22", "FloorPlan206", "FloorPlan310", "FloorPlan428"])
def test_metadata_is_what_was_recorded(recorded: SceneFolder, name: str):
    """Key for key (section 4); of openness, `isOpen` decides where a recording disagrees."""
    source = recorded.load(name)
    c = Controller(name, scenes=recorded)
    found = c.last_event.metadata["objects"]
    assert [o["objectId"] for o in found] == [o.object_id for o in source.objects]
    for old, new in zip(source.objects, found, strict=True):
        assert {a for a in AFFORDANCES if new[a]} == old.affordances
        assert {s for s in STATES if new[s]} == old.states
        assert new["isOpen"] == (new["openness"] > 0.0)
        assert (new["name"], new["assetId"]) == (old.name, old.asset_id)
        for key, value in (("position", old.position), ("rotation", old.rotation)):
            assert tuple(new[key].values()) == value
        box = new["axisAlignedBoundingBox"]
        assert tuple(box["size"].values()) == old.box.size
        assert tuple(box["center"].values()) == old.box.center
        assert new["parentReceptacles"] == (list(old.parents) if old.parents else None)
        for key, ids in (("receptacleObjectIds", old.contents),
                         ("controlledObjects", old.controlled)):  # fmt: skip
            assert new[key] == (None if ids is None else list(ids))
        assert (new["objectOrientedBoundingBox"] is None) == (old.corners is None)


def test_every_recorded_scene_loads_and_runs(recorded: SceneFolder):
    names = recorded.names()
    assert len(names) == 120
    for name in names[::10]:
        c = Controller(name, scenes=recorded, agentCount=2)
        assert c.step("RotateRight", agentId=1)
        assert all(e.metadata["objects"] for e in c.last_event.events)
