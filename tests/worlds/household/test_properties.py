"""What no sequence of actions may break."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mosaic_planner.worlds.household.thor.controller import Controller

from .built import controller

MOTION = ("MoveAhead", "MoveBack", "MoveLeft", "MoveRight", "RotateLeft", "RotateRight",
          "LookUp", "LookDown", "Crouch", "Stand")  # fmt: skip
ON_OBJECTS = ("PickupObject", "PutObject", "OpenObject", "CloseObject", "ToggleObjectOn",
              "ToggleObjectOff", "SliceObject", "CleanObject", "DirtyObject", "BreakObject",
              "PushObject", "PullObject", "CookObject")  # fmt: skip
OTHERS = ("DropHeldObject", "ThrowObject", "Pass")


def check(c: Controller, ids: set[str]) -> None:
    state = c.simulator.state
    for i, a in enumerate(state.bodies):
        for b in state.bodies[i + 1 :]:
            assert math.hypot(a.x - b.x, a.z - b.z) >= 0.4 - 1e-5
        held = [t for t in state.things if t.holder == a.index]
        assert len(held) <= 1
        assert a.held == (held[0].object_id if held else None)
    by_id = state.things.by_id
    assert ids <= set(by_id)
    for thing in state.things:
        assert len(set(thing.contents)) == len(thing.contents)
        for key in thing.contents:
            assert thing.object_id in by_id[key].parents
        for key in thing.parents:
            assert thing.object_id in by_id[key].contents
        if thing.holder is not None or thing.gone:
            assert not thing.parents  # in the hand or in pieces: nowhere else
        if thing.has("pickupable") and not thing.gone and thing.holder is None:
            assert len(thing.parents) <= 1 or not thing.moved
        assert thing not in state.things.ancestors(thing)
        assert all(math.isfinite(v) for v in (*thing.position, *thing.body.center))
    for event in c.last_event.events:
        agent = event.metadata["agentId"]
        for found in event.metadata["objects"]:
            thing = by_id[found["objectId"]]
            if state.things.hidden(thing) and thing.holder != agent:
                assert not found["visible"], found["objectId"]
            if found["isInteractable"]:
                assert found["visible"]


def play(c: Controller, rng: random.Random, steps: int) -> None:
    ids = set(c.simulator.state.things.by_id)
    count = len(c.simulator.state.bodies)
    for _ in range(steps):
        agent = rng.randrange(count)
        kind = rng.random()
        if kind < 0.4:
            c.step(rng.choice(MOTION), agentId=agent)
        elif kind < 0.92:
            things = list(c.simulator.state.things.by_id)
            seen = [
                o["objectId"]
                for o in c.last_event.events[agent].metadata["objects"]
                if o["visible"]
            ]
            target = rng.choice(seen if seen and rng.random() < 0.7 else things)
            force = rng.random() < 0.3
            c.step(rng.choice(ON_OBJECTS), objectId=target, agentId=agent, forceAction=force)
        else:
            c.step(rng.choice(OTHERS), agentId=agent)
        check(c, ids)


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32), agents=st.integers(1, 6))
def test_random_actions_in_the_built_room(seed, agents):
    play(controller(agents), random.Random(seed), 80)


@pytest.mark.parametrize("scene", ["FloorPlan3", "FloorPlan203", "FloorPlan402"])
def test_random_actions_in_generated_rooms(scene):
    play(Controller(scene, agentCount=3), random.Random(7), 150)


@settings(max_examples=30, deadline=None)
@given(
    name=st.sampled_from((*MOTION, *ON_OBJECTS, "Teleport", "PlaceObjectAtPoint", "Nonsense")),
    params=st.dictionaries(
        st.sampled_from(
            ("objectId", "moveMagnitude", "degrees", "position", "rotation", "horizon", "x", "y",
             "agentId", "openness", "standing", "forceAction")
        ),
        st.one_of(
            st.none(), st.booleans(), st.integers(-3, 9), st.floats(), st.text(max_size=4),
            st.dictionaries(st.sampled_from("xyz"), st.floats(), max_size=3),
        ),
        max_size=4,
    ),
)  # fmt: skip
def test_no_call_however_odd_breaks_the_simulator(name, params):
    c = controller(2)
    ids = set(c.simulator.state.things.by_id)
    c.simulator.handle({"action": name, **params})
    c.step("Pass")
    check(c, ids)


def test_the_same_actions_give_the_same_metadata():
    def run() -> list[object]:
        c = Controller("FloorPlan5", agentCount=2)
        rng = random.Random(3)
        seen = []
        for k in range(60):
            event = c.step(rng.choice(MOTION), agentId=k % 2)
            seen.append([e.metadata for e in event.events])
        return seen

    assert run() == run()
