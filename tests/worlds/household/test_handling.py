"""Picking up, putting, dropping, throwing (sections 6, 7 and 8)."""

from __future__ import annotations

import pytest

from mosaic_planner.worlds.household.thor.controller import InvalidCall

from .built import at, controller, entry, holding, the


def error(event) -> str:
    assert not event
    return event.metadata["errorMessage"]


def test_addressing_errors_in_order():
    c = controller()
    at(c, 0.0, 0.0, 180.0)
    assert error(c.step("PickupObject", objectId="Apple|9|9|9")).startswith(
        "ArgumentException: objectId: Apple|9|9|9 is not the objectId on any object in the scene!"
    )
    assert error(c.step("PickupObject", objectId=the(c, "Apple"))).startswith(
        "NullReferenceException: Target object not found within the specified visibility."
    )


def test_pick_up_fills_the_hand():
    c = controller()
    event = c.step("PickupObject", objectId=the(c, "Apple"))
    assert event
    assert event.metadata["inventoryObjects"] == [
        {"objectId": the(c, "Apple"), "objectType": "Apple"}
    ]
    found = entry(c, "Apple")
    assert found["isPickedUp"]
    assert found["parentReceptacles"] is None
    assert the(c, "Apple") not in entry(c, "CounterTop")["receptacleObjectIds"]
    assert found["position"] != pytest.approx({"x": -0.1, "y": 0.98, "z": 1.45})


def test_the_id_stays_when_the_object_moves():
    c = controller()
    before = the(c, "Apple")
    holding(c, "Apple")
    at(c, 1.0, -1.0, 180.0)
    assert the(c, "Apple") == before


def test_pick_up_preconditions_in_order():
    c = controller()
    at(c, -0.5, 0.5, 0.0)
    assert "CanPickup" in error(c.step("PickupObject", objectId=the(c, "Microwave")))
    holding(c, "Apple")
    # a thing that cannot be carried is refused before the full hand is
    assert "CanPickup" in error(c.step("PickupObject", objectId=the(c, "Microwave")))
    assert "hand has something in it already" in error(
        c.step("PickupObject", objectId=the(c, "Mug"))
    )


def test_nobody_takes_what_another_agent_holds():
    c = controller(2)
    holding(c, "Apple", agent=1)
    at(c, 0.5, 0.25, 180.0, agent=1)
    event = c.step("PickupObject", objectId=the(c, "Apple"), forceAction=True, agentId=0)
    assert "held by Agent 1" in error(event)


def test_by_screen_coordinates():
    c = controller()
    at(c, 0.0, 0.5, 0.0, 30.0)
    frame = c.last_event
    target = next(o for o in frame.metadata["objects"] if o["objectType"] == "Bread")
    # where the bread's middle projects to
    dx, dy, dz = (target["position"]["x"], target["position"]["y"] - 1.576, 0.95)
    import math

    h = math.radians(30)
    depth = dz * math.cos(h) - dy * math.sin(h)
    up = dz * math.sin(h) + dy * math.cos(h)
    event = c.step("PickupObject", x=0.5 + dx / depth / 2, y=0.5 - up / depth / 2)
    assert event
    assert event.metadata["inventoryObjects"][0]["objectType"] == "Bread"
    with pytest.raises(InvalidCall, match="not both"):
        c.step("PickupObject", objectId=the(c, "Apple"), x=0.5, y=0.5)


def test_put_errors_in_order():
    c = controller()
    at(c, 0.0, 0.5, 0.0)
    counter = the(c, "CounterTop")
    assert "isn't holding anything" in error(c.step("PutObject", objectId=counter))
    holding(c, "Apple")
    assert "not the objectId" in error(c.step("PutObject", objectId="Fridge|0|0|0"))
    at(c, -0.5, 0.25, 0.0, 30.0)
    assert "NOT a receptacle" in error(c.step("PutObject", objectId=the(c, "Bread")))
    assert "CLOSED" in error(c.step("PutObject", objectId=the(c, "Microwave")))
    # the drawer is closed too, although an apple would not be allowed in it either
    assert "CLOSED" in error(c.step("PutObject", objectId=the(c, "Drawer")))
    assert c.step("OpenObject", objectId=the(c, "Drawer"))
    assert "cannot be placed in" in error(c.step("PutObject", objectId=the(c, "Drawer")))


def test_a_closed_fridge_must_be_opened_before_putting():
    c = controller()
    holding(c, "Bread")
    at(c, -1.0, 0.25, 0.0)
    fridge = the(c, "Fridge")
    assert "CLOSED" in error(c.step("PutObject", objectId=fridge))
    assert "CLOSED" in error(c.step("PutObject", objectId=fridge, forceAction=True))
    assert c.step("OpenObject", objectId=fridge)
    assert c.step("PutObject", objectId=fridge)
    assert entry(c, "Bread")["parentReceptacles"] == [fridge]
    assert not entry(c, "Bread")["isPickedUp"]
    assert c.last_event.metadata["inventoryObjects"] == []
    assert the(c, "Bread") in entry(c, "Fridge")["receptacleObjectIds"]


def test_force_lifts_the_compatibility_table_only():
    c = controller()
    at(c, 0.0, 0.25, 0.0, 30.0)
    holding(c, "Apple")
    drawer = the(c, "Drawer")
    assert c.step("OpenObject", objectId=drawer)
    assert "cannot be placed" in error(c.step("PutObject", objectId=drawer))
    assert c.step("PutObject", objectId=drawer, forceAction=True)
    assert entry(c, "Apple")["parentReceptacles"] == [drawer]


def test_single_slots():
    c = controller()
    at(c, 1.25, 0.75, 0.0)
    burner = the(c, "StoveBurner")
    holding(c, "Apple")
    assert "not a valid Object Type" in error(
        c.step("PutObject", objectId=burner, forceAction=True)
    )
    c.step("PutObject", objectId=the(c, "CounterTop"), forceAction=True)
    holding(c, "Pan")
    assert c.step("PutObject", objectId=burner)
    assert entry(c, "Pan")["parentReceptacles"] == [burner]
    # the type comes before the free place: a mug would not fit on a free burner either
    holding(c, "Mug")
    assert "not a valid Object Type" in error(c.step("PutObject", objectId=burner))
    assert c.step("DropHeldObject")
    c.simulator.state.things.by_id[the(c, "Plate")].object_type = "Pot"
    assert c.step("PickupObject", objectId=the(c, "Pot"), forceAction=True)
    assert "full right now" in error(c.step("PutObject", objectId=burner))


def test_a_full_surface_has_no_valid_positions():
    c = controller()
    at(c, 0.0, 0.25, 0.0, 30.0)
    drawer = the(c, "Drawer")
    c.step("OpenObject", objectId=drawer)
    holding(c, "Laptop")
    # a laptop with its lid up is higher than the drawer
    assert "No valid positions" in error(c.step("PutObject", objectId=drawer, forceAction=True))


def test_things_are_put_where_nothing_else_is():
    c = controller()
    at(c, 0.25, 0.5, 0.0)
    for kind in ("Vase", "Knife", "Laptop"):
        holding(c, kind)
        assert c.step("PutObject", objectId=the(c, "CounterTop"), forceAction=True), kind
    boxes = {
        t.object_type: t.body
        for t in c.simulator.state.things.children(
            c.simulator.state.things.by_id[the(c, "CounterTop")]
        )
    }
    from mosaic_planner.worlds.household.thor.doors import overlaps

    names = sorted(boxes)
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            assert not overlaps(boxes[a], boxes[b], 0.0), (a, b)


def test_what_is_put_must_be_in_view_unless_forced():
    c = controller()
    holding(c, "Apple")
    at(c, 0.0, 0.5, 0.0, -30.0)
    counter = the(c, "CounterTop")
    first = c.step("PutObject", objectId=counter)
    assert not first  # not seen at all when looking at the ceiling
    assert c.step("PutObject", objectId=counter, forceAction=True)


def test_content_travels_with_its_container():
    c = controller()
    at(c, 0.25, 0.5, 0.0, 30.0)
    holding(c, "Apple")
    plate = the(c, "Plate")
    assert c.step("PutObject", objectId=plate)
    assert c.step("PickupObject", objectId=plate)
    assert entry(c, "Apple")["parentReceptacles"] == [plate]
    at(c, 0.0, -1.0, 180.0)
    here = entry(c, "Apple")["position"]
    assert abs(here["z"] - (-1.38)) < 0.1
    assert entry(c, "Apple")["visible"]
    # nobody can put a thing into itself or into what it carries
    assert not c.step("PutObject", objectId=plate, forceAction=True)


def test_drop_falls_on_what_is_below():
    c = controller()
    at(c, 0.0, 1.0, 0.0)
    holding(c, "Apple")
    assert c.step("DropHeldObject")
    assert entry(c, "Apple")["parentReceptacles"] == [the(c, "CounterTop")]
    at(c, 0.0, 0.0, 0.0)
    holding(c, "Apple")
    assert c.step("DropHandObject")  # the old name
    found = entry(c, "Apple")
    assert found["parentReceptacles"] == [the(c, "Floor")]
    assert found["position"]["y"] == pytest.approx(0.05, abs=0.01)
    assert "nothing in hand to drop" in error(c.step("DropHeldObject")).lower()


def test_breakables_break_on_hard_falls():
    c = controller()
    at(c, 0.0, 0.0, 0.0)
    holding(c, "Vase")
    c.step("DropHeldObject")
    assert entry(c, "Vase")["isBroken"]
    holding(c, "Apple")
    c.step("ThrowObject", moveMagnitude=50)
    assert not entry(c, "Apple")["isBroken"]
    assert entry(c, "Apple")["position"]["z"] > 0.5


def test_the_hand_can_be_moved_within_reach():
    c = controller()
    at(c, 0.0, 0.0, 0.0)
    assert "nothing in hand" in error(c.step("MoveHeldObject", ahead=0.1)).lower()
    holding(c, "Apple")
    event = c.step("MoveHeldObject", ahead=0.1, right=0.2, up=0.05)
    local = event.metadata["heldObjectPose"]["localPosition"]
    assert local == pytest.approx({"x": 0.2, "y": -0.11, "z": 0.48})
    assert not c.step("MoveHeldObject", ahead=5.0)
    assert c.step("RotateHeldObject", yaw=90)
    event = c.step("ResetHand")
    assert event.metadata["heldObjectPose"]["localPosition"] == pytest.approx(
        {"x": 0.0, "y": -0.16, "z": 0.38}
    )


def test_place_object_at_point_lets_it_fall():
    c = controller()
    apple = the(c, "Apple")
    event = c.step("PlaceObjectAtPoint", objectId=apple, position={"x": 0.0, "y": 1.3, "z": -1.0})
    assert event
    assert entry(c, "Apple")["parentReceptacles"] == [the(c, "Floor")]
    event = c.step("PlaceObjectAtPoint", objectId=apple, position={"x": 0.3, "y": 1.5, "z": 1.6})
    assert entry(c, "Apple")["parentReceptacles"] == [the(c, "CounterTop")]
    assert "bounds" in error(
        c.step("PlaceObjectAtPoint", objectId=apple, position={"x": 30, "y": 1, "z": 0})
    )
    assert "not clear" in error(
        c.step("PlaceObjectAtPoint", objectId=apple, position={"x": 0.2, "y": 0.98, "z": 1.45})
    )
    assert not c.step("PlaceObjectAtPoint", objectId="No|1|2|3", position={"x": 0, "y": 1, "z": 0})


def test_push_and_pull_slide_things_until_something_is_in_the_way():
    c = controller()
    at(c, 0.0, -1.0, 180.0, 30.0)
    table = the(c, "SideTable")
    before = entry(c, "SideTable")["position"]["z"]
    assert c.step("PullObject", objectId=table, moveMagnitude=10000)
    moved = entry(c, "SideTable")["position"]["z"]
    assert before < moved < -1.0 - 0.2  # towards the agent, not into it
    assert entry(c, "Laptop")["position"]["z"] != 0.0
    assert not c.step("PushObject", objectId=the(c, "Floor"))
    with pytest.raises(InvalidCall):
        c.step("PushObject", objectId=table, moveMagnitude="hard")
