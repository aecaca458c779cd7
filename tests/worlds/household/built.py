"""A small room whose every centimetre is known, for tests of behaviour.

4 x 4 m around the origin. Along the north wall (z = +2), from west to east: fridge, counter with
things on it, stove. The agent starts at (0, 0.5) facing north (yaw 0).
"""

from __future__ import annotations

from typing import Any

from mosaic_planner.worlds.household.catalogue import AFFORDANCES, facts
from mosaic_planner.worlds.household.scenes.scene import (
    Box,
    Scene,
    SceneObject,
    Start,
    Vec,
    box_corners,
    object_id,
    short_name,
)
from mosaic_planner.worlds.household.scenes.stocking import OneScene
from mosaic_planner.worlds.household.thor.controller import Controller

FREE = tuple(sorted((ix, iz) for ix in range(-7, 8) for iz in range(-5, 5)))


def thing(
    object_type: str,
    center: Vec,
    size: Vec,
    parent: str | None = None,
    states: tuple[str, ...] = (),
    controlled: tuple[str, ...] | None = None,
    without: tuple[str, ...] = (),
) -> SceneObject:
    figures = facts(object_type)
    affordances = frozenset(a for a in AFFORDANCES if figures.has(a) and a not in without)
    if controlled is None and "toggleable" in affordances:
        controlled = ()
    box = Box(center, size)
    loose = bool({"pickupable", "moveable"} & affordances)
    key = object_id(object_type, center)
    return SceneObject(
        object_id=key,
        name=short_name(object_type, "Built", key),
        object_type=object_type,
        position=center,
        rotation=(0.0, 0.0, 0.0),
        box=box,
        affordances=affordances,
        states=frozenset(states),
        openness=1.0 if "isOpen" in states else 0.0,
        mass=figures.mass,
        materials=figures.materials,
        parents=None if parent is None else (parent,),
        contents=() if "receptacle" in affordances else None,
        controlled=controlled,
        corners=box_corners(box) if loose else None,
    )


def objects() -> tuple[SceneObject, ...]:
    floor = thing("Floor", (0.0, -0.05, 0.0), (4.0, 0.1, 4.0))
    fridge = thing("Fridge", (-1.5, 0.9, 1.65), (0.8, 1.8, 0.7))
    counter = thing("CounterTop", (0.0, 0.92, 1.65), (2.0, 0.02, 0.7))
    drawer = thing("Drawer", (0.0, 0.75, 1.65), (0.5, 0.2, 0.66))
    cabinet = thing("Cabinet", (0.7, 0.4, 1.65), (0.5, 0.6, 0.66))
    microwave = thing("Microwave", (-0.75, 1.08, 1.75), (0.45, 0.3, 0.4), counter.object_id)
    coffee = thing("CoffeeMachine", (-0.35, 1.08, 1.75), (0.2, 0.3, 0.3), counter.object_id)
    toaster = thing("Toaster", (0.85, 1.03, 1.8), (0.25, 0.2, 0.2), counter.object_id)
    burner = thing("StoveBurner", (1.5, 0.93, 1.7), (0.22, 0.01, 0.22))
    knob = thing("StoveKnob", (1.5, 0.85, 1.32), (0.05, 0.05, 0.04),
                 controlled=(burner.object_id,))  # fmt: skip
    on = counter.object_id
    apple = thing("Apple", (-0.1, 0.98, 1.45), (0.1, 0.1, 0.1), on)
    bread = thing("Bread", (0.2, 0.98, 1.45), (0.2, 0.1, 0.12), on)
    egg = thing("Egg", (0.5, 0.96, 1.45), (0.05, 0.06, 0.05), on)
    mug = thing("Mug", (-0.05, 0.98, 1.75), (0.1, 0.1, 0.1), on, states=("isDirty",))
    plate = thing("Plate", (0.45, 0.94, 1.75), (0.2, 0.02, 0.2), on)
    pan = thing("Pan", (0.15, 0.95, 1.8), (0.2, 0.05, 0.2), on)
    knife = thing("Knife", (0.0, 0.70, 1.65), (0.2, 0.02, 0.03), drawer.object_id)
    sink = thing("Sink", (-1.5, 0.9, -1.7), (0.6, 0.2, 0.5), without=("receptacle",))
    basin = thing("SinkBasin", (-1.5, 0.9, -1.7), (0.5, 0.18, 0.4), sink.object_id)
    faucet = thing("Faucet", (-1.5, 1.1, -1.92), (0.1, 0.3, 0.1))
    laptop = thing("Laptop", (0.0, 0.6, -1.8), (0.35, 0.3, 0.3), states=("isOpen",))
    table = thing("SideTable", (0.0, 0.22, -1.8), (0.6, 0.45, 0.4))
    box = thing("Box", (1.5, 0.15, -1.8), (0.5, 0.3, 0.4), floor.object_id, states=("isOpen",))
    lamp = thing("LightSwitch", (1.97, 1.2, 0.0), (0.03, 0.12, 0.1), states=("isToggled",))
    vase = thing("Vase", (0.2, 0.6, -1.8), (0.1, 0.25, 0.1), table.object_id)
    return (
        floor, fridge, counter, drawer, cabinet, microwave, coffee, toaster, burner, knob, apple,
        bread, egg, mug, plate, pan, knife, sink, basin, faucet, laptop, table, box, lamp, vase,
    )  # fmt: skip


def scene(start: tuple[float, float] = (0.0, 0.5), yaw: float = 0.0) -> Scene:
    return Scene(
        "Built",
        objects(),
        FREE,
        Start((start[0], 0.901, start[1]), yaw),
        Box((0.0, 1.25, 0.0), (4.0, 2.7, 4.0)),
        "generated",
        "kitchen",
    )


def controller(agents: int = 1, **settings: object) -> Controller:
    room = scene()
    return Controller(room, scenes=OneScene(room), agentCount=agents, **settings)


def the(c: Controller, object_type: str) -> str:
    """The id of the only object of a type."""
    found = [t.object_id for t in c.simulator.state.things.of_type(object_type)]
    assert len(found) == 1, (object_type, found)
    return found[0]


def entry(c: Controller, object_type: str) -> dict[str, Any]:
    found = c.last_event.get_object(the(c, object_type))
    assert found is not None
    return found


def at(c: Controller, x: float, z: float, yaw: float, horizon: float = 0.0, agent: int = 0) -> None:
    """Teleport; the pose must be allowed."""
    event = c.step("Teleport", position={"x": x, "y": 0.901, "z": z}, rotation=yaw,
                   horizon=horizon, agentId=agent)  # fmt: skip
    assert event, event.metadata["errorMessage"]


def holding(c: Controller, object_type: str, agent: int = 0) -> None:
    event = c.step("PickupObject", objectId=the(c, object_type), forceAction=True, agentId=agent)
    assert event, event.metadata["errorMessage"]


def error(event: Any) -> str:
    """The message of a failed action."""
    assert not event
    message = event.metadata["errorMessage"]
    assert message
    return message


def room(*more: SceneObject) -> Controller:
    """The built room with more objects in it."""
    built = scene()
    built = type(built)(
        built.name, (*built.objects, *more), built.cells, built.start, built.bounds, "generated",
        built.room,
    )  # fmt: skip
    return Controller(built, scenes=OneScene(built))
