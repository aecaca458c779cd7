"""Open, toggle, slice, clean, cook, break, fill (section 7) and what follows by itself (9)."""

from __future__ import annotations

import pytest

from mosaic_planner.worlds.household.thor.controller import InvalidCall

from .built import at, controller, entry, holding, the


def error(event) -> str:
    assert not event
    return event.metadata["errorMessage"]


def test_open_and_close():
    c = controller()
    at(c, -1.0, 0.25, 0.0)
    fridge = the(c, "Fridge")
    closed = entry(c, "Fridge")["axisAlignedBoundingBox"]["size"]["z"]
    assert c.step("OpenObject", objectId=fridge, openness=0.5)
    assert entry(c, "Fridge")["openness"] == 0.5
    assert entry(c, "Fridge")["isOpen"]
    assert c.step("OpenObject", objectId=fridge)  # opening what is open is no error
    assert entry(c, "Fridge")["openness"] == 1.0
    # the box follows the door
    assert entry(c, "Fridge")["axisAlignedBoundingBox"]["size"]["z"] > closed + 0.5
    assert c.step("CloseObject", objectId=fridge)
    assert not entry(c, "Fridge")["isOpen"]
    assert entry(c, "Fridge")["axisAlignedBoundingBox"]["size"]["z"] == closed
    assert c.step("CloseObject", objectId=fridge)


def test_open_errors():
    c = controller()
    at(c, -0.5, 0.25, 0.0)
    assert "Openable" in error(c.step("OpenObject", objectId=the(c, "Apple")))
    assert "openness" in error(c.step("OpenObject", objectId=the(c, "Microwave"), openness=1.5))


def test_a_door_does_not_open_into_an_agent():
    c = controller(2)
    at(c, -1.5, 0.75, 0.0)
    at(c, 0.5, -0.5, 0.0, agent=1)
    fridge = the(c, "Fridge")
    assert "Agent 0" in error(c.step("OpenObject", objectId=fridge, agentId=0))
    assert not entry(c, "Fridge")["isOpen"]
    at(c, -1.0, 0.25, 0.0)
    assert c.step("OpenObject", objectId=fridge)


def test_an_open_drawer_carries_its_content_along():
    c = controller()
    at(c, 0.0, 0.25, 0.0, 30.0)
    before = entry(c, "Knife")["position"]["z"]
    c.step("OpenObject", objectId=the(c, "Drawer"))
    assert entry(c, "Knife")["position"]["z"] == pytest.approx(before - 0.8 * 0.66)
    c.step("CloseObject", objectId=the(c, "Drawer"))
    assert entry(c, "Knife")["position"]["z"] == pytest.approx(before)


def test_toggle():
    c = controller()
    at(c, 1.25, 0.0, 90.0)
    switch = the(c, "LightSwitch")
    assert "already on" in error(c.step("ToggleObjectOn", objectId=switch))
    assert c.step("ToggleObjectOff", objectId=switch)
    assert not entry(c, "LightSwitch")["isToggled"]
    assert "already off" in error(c.step("ToggleObjectOff", objectId=switch))
    at(c, 0.0, 0.5, 0.0)
    assert "not toggleable" in error(c.step("ToggleObjectOn", objectId=the(c, "Bread")))


def test_a_stove_knob_controls_its_burner():
    c = controller()
    at(c, 1.5, 0.5, 0.0, 30.0)
    burner, knob = the(c, "StoveBurner"), the(c, "StoveKnob")
    assert entry(c, "StoveKnob")["controlledObjects"] == [burner]
    assert "controlled by" in error(c.step("ToggleObjectOn", objectId=burner))
    assert c.step("ToggleObjectOn", objectId=knob)
    assert entry(c, "StoveBurner")["isToggled"]
    assert c.step("ToggleObjectOff", objectId=knob)
    assert not entry(c, "StoveBurner")["isToggled"]


def test_a_microwave_runs_closed_and_opens_only_when_off():
    c = controller()
    at(c, -0.75, 0.5, 0.0)
    microwave = the(c, "Microwave")
    assert c.step("OpenObject", objectId=microwave)
    assert "closed" in error(c.step("ToggleObjectOn", objectId=microwave))
    assert c.step("CloseObject", objectId=microwave)
    assert c.step("ToggleObjectOn", objectId=microwave)
    assert "OFF" in error(c.step("OpenObject", objectId=microwave))


def test_a_laptop_that_runs_cannot_be_closed():
    c = controller()
    at(c, 0.0, -1.0, 180.0, 30.0)
    laptop = the(c, "Laptop")
    assert c.step("ToggleObjectOn", objectId=laptop)
    assert "OFF" in error(c.step("CloseObject", objectId=laptop))
    assert c.step("ToggleObjectOff", objectId=laptop)
    assert c.step("CloseObject", objectId=laptop)


def test_slicing_needs_no_knife_and_leaves_pieces():
    c = controller()
    bread = the(c, "Bread")
    assert c.step("SliceObject", objectId=bread)
    found = entry(c, "Bread")
    assert found["isSliced"]
    assert not found["visible"]  # its body is gone, its entry stays
    pieces = c.last_event.objects_by_type("BreadSliced")
    assert [p["objectId"] for p in pieces] == [f"{bread}|BreadSliced_{k}" for k in range(6)]
    assert all(p["parentReceptacles"] == [the(c, "CounterTop")] for p in pieces)
    assert all(p["pickupable"] and p["cookable"] and p["visible"] for p in pieces)
    assert c.step("SliceObject", objectId=bread)  # again: silently succeeds
    assert len(c.last_event.objects_by_type("BreadSliced")) == 6
    assert c.step("PickupObject", objectId=pieces[0]["objectId"])


def test_slice_errors():
    c = controller()
    assert "CanBeSliced" in error(c.step("SliceObject", objectId=the(c, "Mug")))
    holding(c, "Apple")
    assert "held" in error(c.step("SliceObject", objectId=the(c, "Apple")))
    assert not c.last_event.objects_by_type("AppleSliced")


def test_an_egg_cracks_whether_sliced_or_broken():
    for action in ("SliceObject", "BreakObject"):
        c = controller()
        assert c.step(action, objectId=the(c, "Egg"))
        assert [o["objectId"] for o in c.last_event.objects_by_type("EggCracked")] == [
            f"{the(c, 'Egg')}|EggCracked_0"
        ]
        assert entry(c, "Egg")["isSliced"] or entry(c, "Egg")["isBroken"]


def test_clean_and_dirty_need_no_water():
    c = controller()
    mug = the(c, "Mug")
    assert "already dirty" in error(c.step("DirtyObject", objectId=mug))
    assert c.step("CleanObject", objectId=mug)
    assert not entry(c, "Mug")["isDirty"]
    assert "already clean" in error(c.step("CleanObject", objectId=mug))
    assert "not dirtyable" in error(c.step("CleanObject", objectId=the(c, "Apple")))


def test_cook_break_and_use_up():
    c = controller()
    c.step("SliceObject", objectId=the(c, "Bread"))
    piece = f"{the(c, 'Bread')}|BreadSliced_0"
    assert c.step("CookObject", objectId=piece)
    assert c.last_event.get_object(piece)["isCooked"]
    assert "already cooked" in error(c.step("CookObject", objectId=piece))
    assert "not cookable" in error(c.step("CookObject", objectId=the(c, "Apple")))
    assert c.step("BreakObject", objectId=the(c, "Plate"))
    assert entry(c, "Plate")["isBroken"]
    assert "already broken" in error(
        c.step("BreakObject", objectId=the(c, "Plate"), forceAction=True)
    )
    assert "not breakable" in error(c.step("BreakObject", objectId=the(c, "Apple")))
    assert "not canBeUsedUp" in error(c.step("UseUpObject", objectId=the(c, "Apple")))


def test_what_lay_on_a_broken_plate_stays():
    c = controller()
    at(c, 0.25, 0.5, 0.0, 30.0)
    holding(c, "Apple")
    assert c.step("PutObject", objectId=the(c, "Plate"))
    assert c.step("BreakObject", objectId=the(c, "Plate"))
    assert entry(c, "Apple")["parentReceptacles"] == [the(c, "CounterTop")]
    assert entry(c, "Apple")["visible"]


def test_liquids():
    c = controller()
    mug = the(c, "Mug")
    assert "already empty" in error(c.step("EmptyLiquidFromObject", objectId=mug))
    assert "not a valid liquid" in error(
        c.step("FillObjectWithLiquid", objectId=mug, fillLiquid="tea")
    )
    assert c.step("FillObjectWithLiquid", objectId=mug, fillLiquid="wine")
    assert entry(c, "Mug")["fillLiquid"] == "wine"
    assert "already filled" in error(
        c.step("FillObjectWithLiquid", objectId=mug, fillLiquid="water")
    )
    assert c.step("EmptyLiquidFromObject", objectId=mug)
    assert entry(c, "Mug")["fillLiquid"] is None
    with pytest.raises(InvalidCall, match="fillLiquid"):
        c.step("FillObjectWithLiquid", objectId=mug)
    assert "cannot be filled" in error(
        c.step("FillObjectWithLiquid", objectId=the(c, "Apple"), fillLiquid="water")
    )


def test_a_running_faucet_cleans_and_fills():
    c = controller()
    at(c, -1.25, -1.0, 180.0)
    holding(c, "Mug")
    assert c.step("PutObject", objectId=the(c, "SinkBasin"))
    assert entry(c, "Mug")["isDirty"]
    assert c.step("ToggleObjectOn", objectId=the(c, "Faucet"), forceAction=True)
    assert not entry(c, "Mug")["isDirty"]
    assert entry(c, "Mug")["fillLiquid"] == "water"


def test_coffee():
    c = controller()
    at(c, -0.25, 0.75, 0.0)
    machine = the(c, "CoffeeMachine")
    holding(c, "Mug")
    assert c.step("PutObject", objectId=machine)
    assert c.step("ToggleObjectOn", objectId=machine)
    assert entry(c, "Mug")["fillLiquid"] == "coffee"
    assert entry(c, "Mug")["temperature"] == "Hot"


def test_heat_and_cold_come_and_go():
    c = controller()
    at(c, -0.75, 0.5, 0.0)
    microwave = the(c, "Microwave")
    holding(c, "Apple")
    c.step("OpenObject", objectId=microwave)
    assert c.step("PutObject", objectId=microwave)
    c.step("CloseObject", objectId=microwave)
    c.step("ToggleObjectOn", objectId=microwave)
    assert entry(c, "Apple")["temperature"] == "Hot"
    c.step("ToggleObjectOff", objectId=microwave)
    for _ in range(30):
        c.step("Pass")
    assert entry(c, "Apple")["temperature"] == "RoomTemp"
    c.step("OpenObject", objectId=microwave)
    holding(c, "Apple")
    at(c, -1.0, 0.25, 0.0)
    c.step("OpenObject", objectId=the(c, "Fridge"))
    assert c.step("PutObject", objectId=the(c, "Fridge"))
    c.step("Pass")
    assert entry(c, "Apple")["temperature"] == "Cold"


def test_a_burner_cooks_what_is_in_the_pan_on_it():
    c = controller()
    at(c, 1.25, 0.5, 0.0)
    c.step("SliceObject", objectId=the(c, "Egg"), forceAction=True)
    egg = f"{the(c, 'Egg')}|EggCracked_0"
    assert c.step("PickupObject", objectId=egg, forceAction=True)
    assert c.step("PutObject", objectId=the(c, "Pan"), forceAction=True)
    holding(c, "Pan")
    assert c.step("PutObject", objectId=the(c, "StoveBurner"))
    assert not c.last_event.get_object(egg)["isCooked"]
    assert c.step("ToggleObjectOn", objectId=the(c, "StoveKnob"), forceAction=True)
    assert c.last_event.get_object(egg)["isCooked"]
    assert entry(c, "Pan")["temperature"] == "Hot"


def test_a_toaster_toasts_bread_slices_only():
    c = controller()
    at(c, 0.75, 0.5, 0.0)
    toaster = the(c, "Toaster")
    holding(c, "Bread")
    assert "not a valid Object Type" in error(c.step("PutObject", objectId=toaster))
    c.step("PutObject", objectId=the(c, "CounterTop"), forceAction=True)
    c.step("SliceObject", objectId=the(c, "Bread"), forceAction=True)
    piece = f"{the(c, 'Bread')}|BreadSliced_0"
    c.step("PickupObject", objectId=piece, forceAction=True)
    assert c.step("PutObject", objectId=toaster)
    assert c.step("ToggleObjectOn", objectId=toaster)
    assert c.last_event.get_object(piece)["isCooked"]
