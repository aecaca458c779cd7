"""The world `household-v1` as an episode sees it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mosaic_planner.core.action import DONE, IDLE, Action
from mosaic_planner.core.errors import UsageError
from mosaic_planner.worlds.household import find_task, make
from mosaic_planner.worlds.household.backends import Embedded
from mosaic_planner.worlds.household.travelling import pose_of
from mosaic_planner.worlds.household.world import HouseholdWorld

from .built import scene

EXPLORE = Action("Explore")
TO_THE_FRIDGE = (
    "NavigateTo(Bread_1)",
    "PickupObject(Bread_1)",
    "NavigateTo(Fridge_1)",
    "OpenObject(Fridge_1)",
    "PutObject(Fridge_1)",
)


def built(agents: int = 2, task: str | int = 1, start=(0.0, 0.5), yaw: float = 0.0):
    return HouseholdWorld(find_task(task), Embedded(scene(start, yaw)), agents)


def act(world: HouseholdWorld, *actions: str | Action):
    """One joint step from written actions, Idle for the rest."""
    joint = dict.fromkeys(world.agents, IDLE)
    for agent, action in zip(world.agents, actions, strict=False):
        if isinstance(action, str):
            verb, _, rest = action.partition("(")
            args = tuple(a.strip() for a in rest.rstrip(")").split(",") if a.strip())
            action = Action(verb, args)
        joint[agent] = action
    return world.step(joint)


def look_for(name: str, world: HouseholdWorld) -> None:
    for _ in range(8):
        if name in world._stage.names.all():
            return
        world.step(dict.fromkeys(world.agents, EXPLORE))
    raise AssertionError(f"{name} was not found")


def test_identity_and_geometry():
    world = make(agents=3)
    assert world.world_id == "household-v1"
    assert world.agents == ("Alice", "Bob", "Charlie")
    assert world.geometry.unit == 0.25
    assert world.geometry.headings
    json.dumps(world.settings())
    json.dumps(world.static())
    json.dumps(world.snapshot())


def test_the_same_seed_gives_the_same_episode():
    def run(seed: int) -> str:
        world = make(task=3, floorplan=2)
        seen = [world.reset(seed)]
        for _ in range(4):
            seen.append(world.step(dict.fromkeys(world.agents, EXPLORE)).observations)
        return repr(seen)

    assert run(5) == run(5)
    assert run(5) != run(6)


def test_worlds_share_nothing():
    one, two = built(), built()
    before = repr(two.snapshot())
    act(one, EXPLORE, EXPLORE)
    assert repr(two.snapshot()) == before


def test_what_is_seen_is_named_in_order_and_shared():
    world = built()
    first = world.reset(0)
    assert "Apple_1" in first["Alice"].names
    assert first["Alice"].names == first["Bob"].names
    sighted = {s.name for s in first["Alice"].sightings}
    assert sighted <= set(first["Alice"].names) | set(world.agents)
    assert not any(s.kind == "Floor" for s in first["Alice"].sightings)


def test_sightings_are_in_the_agents_frame():
    world = built(agents=1)
    seen = world.reset(0)["Alice"]
    apple = next(s for s in seen.sightings if s.name == "Apple_1")
    # Alice stands at (0, 0.5) facing +z; the apple lies at (-0.1, 1.45)
    assert apple.offset.dx == pytest.approx(-0.1, abs=0.02)
    assert apple.offset.dz == pytest.approx(0.95, abs=0.02)
    assert dict(apple.attributes) == {"sliced": False, "inside": "CounterTop_1"}


def test_text_has_one_line_per_sighting_and_no_positions():
    seen = built(agents=1).reset(0)["Alice"]
    lines = seen.text.splitlines()
    assert lines[0] == "In view:"
    assert "- Apple_1 (Apple): on CounterTop_1" in lines
    assert "- Drawer_1 (Drawer): closed" in lines
    assert lines[-1].startswith("Names: ")
    assert not any(c.isdigit() and "." in line for line in lines[1:-1] for c in line[-5:])
    assert seen.state_text == "Alice is at (0.00, 0.50), facing north, holding nothing"


def test_navigate_ends_where_the_object_can_be_handled():
    world = built()
    result = act(world, "NavigateTo(Apple_1)")
    outcome = result.outcomes["Alice"]
    assert outcome.success
    assert outcome.agent_steps >= 0
    assert act(world, "PickupObject(Apple_1)").outcomes["Alice"].success
    seen = act(world, IDLE).observations["Alice"]
    assert seen.inventory == (("Apple_1", 1),)
    assert next(s for s in seen.sightings if s.name == "Apple_1").holder == "Alice"


def test_every_primitive_counts_as_an_agent_step():
    world = built(agents=1, start=(0.0, -0.5), yaw=180.0)
    steps = []
    original = world._stage.controller.step

    def counted(action=None, **parameters):
        steps.append(action)
        return original(action, **parameters)

    world._stage.controller.step = counted  # type: ignore[method-assign]
    outcome = act(world, EXPLORE).outcomes["Alice"]
    issued = [s for s in steps if not s.startswith("Get")]
    assert outcome.agent_steps == len(issued) > 3


def test_unknown_and_malformed_actions_fail_and_never_raise():
    world = built()
    for text, kind in [
        ("NavigateTo(Banana_1)", "not_seen"),
        ("Fly(Apple_1)", "malformed"),
        ("PickupObject(CounterTop_1)", "malformed"),
        ("Move(Sideways)", "malformed"),
        ("Move()", "malformed"),
        ("LookUp(45)", "malformed"),
    ]:
        outcome = act(world, text).outcomes["Alice"]
        assert not outcome.success
        assert outcome.error_kind == kind, text
        assert outcome.reason
    with pytest.raises(UsageError, match="no action for Bob"):
        world.step({"Alice": IDLE})
    with pytest.raises(UsageError, match="whole number"):
        world.reset(True)


def test_failures_say_what_is_wrong():
    world = built(agents=1)
    expect = [
        ("PutObject(CounterTop_1)", "hand_empty", "holds nothing"),
        ("PickupObject(Apple_1)", "", ""),
        ("PickupObject(Bread_1)", "hand_full", "already holds Apple_1"),
        ("PutObject(Microwave_1)", "wrong_state", "closed; open it first"),
        ("SliceObject(Apple_1)", "wrong_state", "held"),
        ("ToggleObjectOff(Microwave_1)", "wrong_state", "already off"),
        ("CleanObject(Plate_1)", "wrong_state", "already clean"),
        ("LookUp(60)", "", ""),  # as far as it goes
        ("LookUp(30)", "impossible", "cannot be tilted"),
    ]
    for text, kind, words in expect:
        outcome = act(world, text).outcomes["Alice"]
        assert outcome.error_kind == kind, (text, outcome.reason)
        assert words in outcome.reason


def test_feedback_remembers_failures_until_a_success():
    world = built(agents=1)
    seen = act(world, "PutObject(CounterTop_1)").observations["Alice"]
    assert "failed: the robot holds nothing to put" in seen.feedback
    assert "PutObject(CounterTop_1)" in seen.failures_text
    seen = act(world, "PickupObject(Apple_1)").observations["Alice"]
    assert seen.feedback == "Alice's action PickupObject(Apple_1) was successful"
    assert seen.failures_text == ""


def test_agents_act_one_after_another():
    world = built()
    act(world, "NavigateTo(Apple_1)", "NavigateTo(Apple_1)")
    result = act(world, "PickupObject(Apple_1)", "PickupObject(Apple_1)")
    assert result.outcomes["Alice"].success
    assert not result.outcomes["Bob"].success


def test_two_robots_reach_the_same_thing_from_different_places():
    world = built()
    look_for("Fridge_1", world)
    for _ in range(3):
        result = act(world, "NavigateTo(Fridge_1)", "NavigateTo(Fridge_1)")
        if all(o.success for o in result.outcomes.values()):
            break
    assert result.outcomes["Alice"].success
    a, b = (result.observations[n].pose for n in world.agents)
    assert abs(a.x - b.x) + abs(a.z - b.z) >= 0.4


def test_effects_tell_what_the_acting_agent_knows():
    world = built(agents=1)
    effects = act(world, "PickupObject(Apple_1)").outcomes["Alice"].effects
    assert [(e.name, e.attribute, e.value) for e in effects] == [("Apple_1", "holder", "Alice")]
    effects = act(world, "PutObject(CounterTop_1)").outcomes["Alice"].effects
    assert [(e.name, e.attribute, e.value) for e in effects] == [
        ("Apple_1", "holder", ""),
        ("Apple_1", "inside", "CounterTop_1"),
    ]


def test_a_sink_takes_things_into_its_basin():
    """A sink whose own metadata makes it nameable but no receptacle."""
    room = scene()
    sink = next(o for o in room.objects if o.object_type == "Sink")
    basin = next(o for o in room.objects if o.object_type == "SinkBasin")
    renamed = replace(basin, object_id=f"{sink.object_id}|SinkBasin", parents=None)
    kept = [o for o in room.objects if o not in (sink, basin)]
    nameable = replace(sink, affordances=frozenset(("dirtyable",)))
    room = room.with_objects((*kept, nameable, renamed))
    world = HouseholdWorld(find_task(27), Embedded(room), 1)
    assert act(world, "PickupObject(Apple_1)").outcomes["Alice"].success
    for _ in range(4):
        act(world, EXPLORE)
    assert act(world, "NavigateTo(Sink_1)").outcomes["Alice"].success
    assert act(world, "PutObject(Sink_1)").outcomes["Alice"].success
    entry = next(o for o in world._stage.objects() if o["objectType"] == "Apple")
    assert entry["parentReceptacles"] == [renamed.object_id]


def test_opening_and_putting_into_the_fridge_scores():
    world = built(agents=1)
    look_for("Fridge_1", world)
    total = world.score().total
    for text in TO_THE_FRIDGE:
        assert act(world, text).outcomes["Alice"].success, text
    after = world.score()
    bread = next(o["objectId"] for o in world._stage.objects() if o["objectType"] == "Bread")
    assert f"put {bread} Fridge" in after.completed
    assert f"navigate_holding {bread} Fridge" in after.completed
    assert "open Fridge" in after.completed
    assert after.total == total
    assert set(after.covered) >= {"Bread", "Fridge"}
    # a put counts only while the object is there
    assert act(world, "PickupObject(Bread_1)").outcomes["Alice"].success
    assert f"put {bread} Fridge" not in world.score().completed


def test_reference_scoring_never_takes_a_tick_back():
    world = HouseholdWorld(find_task(1), Embedded(scene()), 1, scoring="reference")
    look_for("Fridge_1", world)
    for text in TO_THE_FRIDGE:
        assert act(world, text).outcomes["Alice"].success, text
    ticked = world.reference_score()["transport_rate"]
    assert act(world, "PickupObject(Bread_1)").outcomes["Alice"].success
    assert world.reference_score()["transport_rate"] == ticked > 0.3
    assert not world.score().success


def test_done_and_idle_change_nothing():
    world = built()
    before = world.snapshot()
    result = act(world, DONE, IDLE)
    assert all(o.success and o.idle for o in result.outcomes.values())
    after = world.snapshot()
    assert before["objects"] == after["objects"]
    assert world.vocabulary.ends(DONE)


def test_exploring_sees_the_whole_room_in_the_end():
    world = make(task=1, floorplan=3)
    for _ in range(12):
        world.step(dict.fromkeys(world.agents, EXPLORE))
    named = {n.rpartition("_")[0] for n in world._stage.names.all()}
    assert {"Fridge", "CounterTop", "SinkBasin", "LightSwitch", "GarbageCan", "Bread"} <= named


def test_what_is_seen_on_the_way_is_told():
    world = built(agents=1, start=(1.0, -0.5), yaw=180.0)
    seen = act(world, EXPLORE).observations["Alice"]
    assert "Seen on the way:" in seen.text
    assert len(seen.sightings) > 3


def test_images_are_png_when_wanted():
    world = HouseholdWorld(find_task(1), Embedded(scene()), 1, images=True)
    assert world.reset(0)["Alice"].image.startswith(b"\x89PNG")
    assert built().reset(0)["Alice"].image is None
    assert world.picture().shape[2] == 3


def test_settings_build_the_same_world_again():
    world = make(task=5, floorplan=3, agents=3)
    settings = dict(world.settings())
    assert settings.pop("world") == "household"
    again = make(**settings)
    assert again.settings() == world.settings()
    assert again.reset(4) == world.reset(4)


def test_noise_rewords_the_state():
    from mosaic_planner.worlds.noise import NoisyWorld

    world = NoisyWorld(built(), "high", seed=1)
    seen = world.reset(3)["Alice"]
    assert f"({seen.pose.x:.2f}, {seen.pose.z:.2f})" in seen.state_text


def test_open_doors_are_named_when_there_is_no_way():
    room = scene((1.0, 0.75), 0.0)
    corridor = tuple((ix, 3) for ix in range(-6, 7))  # before the counter, one cell wide
    world = HouseholdWorld(find_task(1), Embedded(replace(room, cells=corridor)), 1)
    world._stage.names.see(next(o for o in world._stage.objects() if o["objectType"] == "Fridge"))
    world._stage.names.see(next(o for o in world._stage.objects() if o["objectType"] == "Drawer"))
    for o in world._stage.objects():
        if o["objectType"] == "Drawer":
            drawer = o["objectId"]
    assert world._stage.do(0, "OpenObject", objectId=drawer, forceAction=True).success
    outcome = act(world, "NavigateTo(Fridge_1)").outcomes["Alice"]
    assert outcome.error_kind == "no_path"
    assert "open and perhaps in the way: Drawer_1" in outcome.reason


def test_a_robot_that_is_hemmed_in_says_who_is_in_the_way():
    room = scene((-1.5, 0.75), 0.0)
    corridor = tuple((ix, 3) for ix in range(-6, 7))
    world = HouseholdWorld(find_task(1), Embedded(replace(room, cells=corridor)), 2)
    assert world._stage.controller.step(
        action="Teleport", position={"x": -1.0, "y": 0.901, "z": 0.75}, agentId=1
    )
    for _ in range(4):
        outcome = act(world, EXPLORE).outcomes["Alice"]
        if not outcome.success:
            break
    assert outcome.error_kind == "blocked"
    assert outcome.reason == "Bob stands in the way of the room"


def test_the_reference_ends_by_done_or_its_own_cap() -> None:
    # map_thor, sections 3 and 5: nothing stops an episode at success
    ours, theirs = make(task=1), make(task=1, faithful=True)
    assert (ours.settings()["stop_at_success"], ours.settings()["step_budget"]) == (True, 100)
    assert (theirs.settings()["stop_at_success"], theirs.settings()["step_budget"]) == (False, 30)
    assert make(task=10, faithful=True).settings()["step_budget"] == 40
    assert make(task=1, faithful=True, step_budget=7).settings()["step_budget"] == 7
    assert make(task=1, faithful=True, stop_at_success=True).settings()["stop_at_success"] is True
    with pytest.raises(UsageError, match="at least 1"):
        make(task=1, step_budget=0)


def test_a_loose_thing_on_the_floor_is_told_so():
    world = make(task="clear_floor_kitchen", floorplan=1)
    told = {}
    for _ in range(8):
        seen = world.step(dict.fromkeys(world.agents, Action("Explore"))).observations
        for observation in seen.values():
            told |= {s.kind: dict(s.attributes) for s in observation.sightings}
            for line in observation.text.splitlines():
                assert ("on the floor" in line) <= line.startswith("- ")
    assert told["Apple"]["on the floor"] is True
    assert "on the floor" not in told["CounterTop"]


def test_an_open_container_is_gone_to_for_what_is_in_it():
    world = make(task="all_food_countertop", floorplan=1)
    both = dict.fromkeys(world.agents, Action("Explore"))
    for _ in range(6):
        names = world.step(both).observations["Alice"].names
        if "Fridge_1" in names:
            break
    for verb in ("NavigateTo", "OpenObject", "NavigateTo"):
        joint = {"Alice": Action(verb, ("Fridge_1",)), "Bob": IDLE}
        assert world.step(joint).outcomes["Alice"].success, verb
    seen = world.step({"Alice": Action("LookDown", ("60",)), "Bob": IDLE}).observations["Alice"]
    inside = {s.kind for s in seen.sightings if dict(s.attributes).get("inside") == "Fridge_1"}
    assert inside & {"Apple", "Tomato", "Lettuce"}


def test_a_tilt_beyond_the_limit_fails_as_a_whole_in_the_reference():
    """Section 10: anything beyond the horizon limit fails; ours tilts as far as it goes."""
    for faithful, works in ((False, True), (True, False)):
        world = make(task=8, floorplan=1, agents=1, faithful=faithful)
        before = pose_of(world._stage, 0)[3]
        done = world.step({"Alice": Action("LookDown", ("180",))}).outcomes["Alice"]
        assert done.success is works
        assert (pose_of(world._stage, 0)[3] > before) is works
        again = world.step({"Alice": Action("LookDown", ("180",))}).outcomes["Alice"]
        assert (again.success, again.error_kind) == (False, "impossible")
