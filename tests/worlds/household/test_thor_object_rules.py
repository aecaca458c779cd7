"""Rules of AI2-THOR on objects that the other files do not reach, in the notes' order.

"Section N" in a docstring is the section of the AI2-THOR notes that the simulator follows.
"""

from __future__ import annotations

import numpy as np
import pytest

from mosaic_planner.worlds.household.thor.controller import InvalidCall

from .built import at, controller, entry, error, holding, room, the, thing

# Section 7: carrying.


@pytest.mark.parametrize(
    "call",
    [
        {"action": "DropHeldObject"},
        {"action": "DropHandObject"},
        {"action": "ThrowObject", "moveMagnitude": 10},
        {"action": "MoveHeldObject", "ahead": 0.1},
        {"action": "RotateHeldObject", "yaw": 90},
        {"action": "ResetHand"},
    ],
)
def test_hand_actions_need_something_in_the_hand(call):
    assert "nothing in hand" in error(controller().step(call)).lower()


def test_force_reaches_what_is_hidden_and_far():
    """Section 6: forceAction skips visibility."""
    c = controller()
    at(c, 1.5, -1.0, 180.0)
    assert "visibility" in error(c.step("PickupObject", objectId=the(c, "Knife")))
    assert c.step("PickupObject", objectId=the(c, "Knife"), forceAction=True)
    assert c.step("OpenObject", objectId=the(c, "Fridge"), forceAction=True)
    assert entry(c, "Knife")["isPickedUp"]


# Section 7: state changes.


def test_what_cannot_be_opened_is_said_before_how_far():
    """Section 7: not openable; then openness outside 0..1; then on; then blocked."""
    c = controller()
    apple, microwave = the(c, "Apple"), the(c, "Microwave")
    at(c, -0.5, 0.25, 0.0)
    assert "is not an Openable object" in error(c.step("OpenObject", objectId=apple, openness=2))
    c.step("ToggleObjectOn", objectId=microwave)
    assert "openness" in error(c.step("OpenObject", objectId=microwave, openness=-0.1))
    assert "must be OFF" in error(c.step("OpenObject", objectId=microwave))
    assert "must be OFF" in error(c.step("CloseObject", objectId=microwave))
    assert c.step("ToggleObjectOff", objectId=microwave)
    assert c.step("OpenObject", objectId=microwave, openness=0.0)
    assert not entry(c, "Microwave")["isOpen"]
    assert c.step("OpenObject", objectId=microwave, openness=0.25)
    assert (entry(c, "Microwave")["isOpen"], entry(c, "Microwave")["openness"]) == (True, 0.25)


def test_a_door_that_is_blocked_goes_back():
    c = controller(2)
    at(c, -1.5, 0.75, 0.0, agent=1)
    at(c, -0.75, 0.25, 0.0, agent=0)
    fridge = the(c, "Fridge")
    assert c.step("OpenObject", objectId=fridge, openness=0.0, agentId=0)
    assert "Agent 1" in error(c.step("OpenObject", objectId=fridge, agentId=0))
    assert entry(c, "Fridge")["openness"] == 0.0


def test_what_is_broken_cannot_be_toggled():
    c = controller()
    at(c, 0.0, -1.0, 180.0, 30.0)
    laptop = the(c, "Laptop")
    assert c.step("BreakObject", objectId=laptop)
    assert "broken" in error(c.step("ToggleObjectOn", objectId=laptop))


def test_liquids_in_order():
    """Section 7: cannot hold liquid; already filled; unknown liquid (water, coffee, wine only)."""
    c = controller()
    apple, mug = the(c, "Apple"), the(c, "Mug")
    assert "cannot be filled" in error(
        c.step("FillObjectWithLiquid", objectId=apple, fillLiquid="milk")
    )
    assert "valid liquid" in error(c.step("FillObjectWithLiquid", objectId=mug, fillLiquid="milk"))
    for liquid in ("water", "coffee", "wine"):
        assert c.step("FillObjectWithLiquid", objectId=mug, fillLiquid=liquid)
        assert entry(c, "Mug")["fillLiquid"] == liquid
        assert "already filled" in error(
            c.step("FillObjectWithLiquid", objectId=mug, fillLiquid="water")
        )
        assert c.step("EmptyLiquidFromObject", objectId=mug)
        assert entry(c, "Mug")["fillLiquid"] is None
    assert "already empty" in error(c.step("EmptyLiquidFromObject", objectId=mug))


@pytest.mark.parametrize(
    ("action", "kind"),
    [
        ("ToggleObjectOff", "LightSwitch"),
        ("CleanObject", "Mug"),
        ("DirtyObject", "Plate"),
        ("SliceObject", "Bread"),
        ("BreakObject", "Vase"),
        ("OpenObject", "Fridge"),
    ],
)
def test_force_makes_state_changes_ignore_visibility(action: str, kind: str):
    c = controller()
    at(c, 0.0, -0.5, 90.0)
    assert "visibility" in error(c.step(action, objectId=the(c, kind)))
    assert c.step(action, objectId=the(c, kind), forceAction=True)


def test_nothing_in_the_scenes_can_be_used_up():
    """Section 11: no instance has canBeUsedUp, although the action exists."""
    c = room(thing("SoapBottle", (-0.3, 1.0, 1.4), (0.08, 0.2, 0.08)))
    assert "not canBeUsedUp" in error(c.step("UseUpObject", objectId=the(c, "SoapBottle")))


# Section 7: scene editing.


def test_states_of_a_whole_type_at_once():
    c = controller()
    change = {"objectType": "Plate", "stateChange": "dirtyable", "isDirty": True}
    assert c.step("SetObjectStates", SetObjectStates=change)
    assert entry(c, "Plate")["isDirty"]
    assert not entry(c, "Pan")["isDirty"]
    assert c.step("SetObjectStates", SetObjectStates={"stateChange": "dirtyable", "isDirty": True})
    assert entry(c, "Pan")["isDirty"]
    assert "stateChange" in error(c.step("SetObjectStates", SetObjectStates={"isDirty": True}))
    assert "isOpen" in error(c.step("SetObjectStates", SetObjectStates={"stateChange": "openable"}))
    back = {"stateChange": "sliceable", "isSliced": False}
    assert "taken back" in error(c.step("SetObjectStates", SetObjectStates=back))


def test_poses_of_all_loose_things_at_once():
    c = controller()
    apple, mug = entry(c, "Apple"), entry(c, "Mug")
    holding(c, "Bread")
    poses = [
        {"objectName": apple["name"], "position": {"x": 0.4, "y": 1.2, "z": 1.6}, "rotation": {}},
        {"objectName": mug["name"], "position": mug["position"], "rotation": mug["rotation"]},
    ]
    assert c.step("SetObjectPoses", objectPoses=poses)
    assert entry(c, "Apple")["position"]["x"] == pytest.approx(0.4)
    assert entry(c, "Apple")["parentReceptacles"] == [the(c, "CounterTop")]
    assert entry(c, "Mug")["position"] == pytest.approx(mug["position"], abs=0.01)
    assert not entry(c, "Plate")["visible"]  # not listed, so taken out
    assert c.last_event.metadata["inventoryObjects"] == []
    bad = [{"objectName": "Nothing_00000000", "position": {"x": 0, "y": 1, "z": 0}}]
    assert "Nothing_00000000" in error(c.step("SetObjectPoses", objectPoses=bad))
    with pytest.raises(InvalidCall, match="objectPoses"):
        c.step("SetObjectPoses", objectPoses=[{"position": 3}])


def test_disabled_things_can_come_back():
    c = controller()
    apple = the(c, "Apple")
    assert c.step("DisableObject", objectId=apple)
    assert not entry(c, "Apple")["visible"]
    assert c.step("EnableObject", objectId=apple)
    assert entry(c, "Apple")["visible"]
    assert c.step("RemoveFromScene", objectId=apple)
    assert c.last_event.get_object(apple) is None


def test_random_colours_change_images_only():
    c = controller(renderInstanceSegmentation=True)
    before = c.last_event
    usual = before.frame
    assert c.step("RandomizeMaterials")
    after = c.last_event
    assert not np.array_equal(after.frame, usual)
    assert np.array_equal(before.frame, usual)
    assert np.array_equal(after.instance_segmentation_frame, before.instance_segmentation_frame)
    assert np.array_equal(c.reset().frame, usual)


# Section 8: placing.


def test_putting_in_order():
    """Section 8: held; target; receptacle; open; single slot; table; free place."""
    c = room(
        thing("Safe", (-0.55, 1.03, 1.45), (0.2, 0.2, 0.2)),
        thing("HandTowelHolder", (0.3, 1.2, 1.98), (0.1, 0.2, 0.04)),
    )
    at(c, 0.0, 0.5, 0.0)
    knob = the(c, "StoveKnob")
    assert "isn't holding" in error(c.step("PutObject", objectId=knob))
    holding(c, "Bread")
    assert "NOT a receptacle" in error(c.step("PutObject", objectId=knob, forceAction=True))
    holder = the(c, "HandTowelHolder")
    assert "not a valid Object Type to be placed in" in error(
        c.step("PutObject", objectId=holder, forceAction=True)
    )
    # a safe hides its content, yet is not among those that must be open
    message = error(c.step("PutObject", objectId=the(c, "Safe"), forceAction=True))
    assert message == "No valid positions to place object found"
    assert c.last_event.metadata["inventoryObjects"][0]["objectType"] == "Bread"


@pytest.mark.parametrize("kind", ["Drawer", "Cabinet", "Fridge", "Microwave", "Box"])
def test_what_must_be_open_to_put_into(kind: str):
    c = controller()
    c.step("CloseObject", objectId=the(c, kind), forceAction=True)
    holding(c, "Apple")
    message = error(c.step("PutObject", objectId=the(c, kind), forceAction=True))
    assert message.startswith("Target openable Receptacle is CLOSED")


def test_the_whole_receptacle_serves_for_small_vessels():
    """Section 8: for Pot, Pan, Plate, Box, ... any point serves, seen or not."""
    c = controller()
    holding(c, "Apple")
    at(c, 0.25, 0.5, 0.0, 30.0)
    assert c.step("PutObject", objectId=the(c, "Plate"))
    assert entry(c, "Apple")["parentReceptacles"] == [the(c, "Plate")]


# Section 9: automatic changes.


def test_a_burner_lights_a_candle():
    c = room()
    candle = thing("Candle", (1.5, 1.0, 1.7), (0.05, 0.1, 0.05), the(c, "StoveBurner"))
    c = room(candle)
    assert not entry(c, "Candle")["isToggled"]
    assert c.step("ToggleObjectOn", objectId=the(c, "StoveKnob"), forceAction=True)
    assert entry(c, "Candle")["isToggled"]


def test_a_fridge_cools_and_the_cold_fades():
    c = controller()
    holding(c, "Apple")
    assert c.step("OpenObject", objectId=the(c, "Fridge"), forceAction=True)
    assert c.step("PutObject", objectId=the(c, "Fridge"), forceAction=True)
    assert entry(c, "Apple")["temperature"] == "Cold"
    holding(c, "Apple")
    assert entry(c, "Apple")["temperature"] == "Cold"
    for _ in range(30):
        c.step("Pass")
    assert entry(c, "Apple")["temperature"] == "RoomTemp"


def test_lamps_and_switches_change_nothing_but_themselves():
    c = controller()
    at(c, 1.25, 0.0, 90.0)
    before = {o["objectId"]: o for o in c.last_event.metadata["objects"]}
    assert c.step("ToggleObjectOff", objectId=the(c, "LightSwitch"))
    changed = [
        o["objectId"] for o in c.last_event.metadata["objects"] if o != before[o["objectId"]]
    ]
    assert changed == [the(c, "LightSwitch")]


def test_an_idle_faucet_does_nothing():
    c = controller()
    basin = the(c, "SinkBasin")
    holding(c, "Mug")
    at(c, -1.25, -1.0, 180.0, 30.0)
    assert c.step("PutObject", objectId=basin, forceAction=True)
    assert entry(c, "Mug")["isDirty"]
    assert not entry(c, "Mug")["isFilledWithLiquid"]
    assert c.step("ToggleObjectOn", objectId=the(c, "Faucet"), forceAction=True)
    assert not entry(c, "Mug")["isDirty"]
    assert entry(c, "Mug")["fillLiquid"] == "water"
