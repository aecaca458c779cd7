"""What the coordinator is taught: profiles from beliefs alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pytest

from mosaic_planner.coordination.profile import STAYS
from mosaic_planner.core.action import DONE, IDLE, Action
from mosaic_planner.core.belief import Belief, RelativeBelief
from mosaic_planner.core.geometry import Pose
from mosaic_planner.worlds.household.rules import HouseholdRules

FREE = frozenset((x, z) for x in range(-8, 9) for z in range(-8, 9))


@dataclass(frozen=True)
class Known:
    """Beliefs written down by hand."""

    poses: Mapping[str, Pose]
    things: Sequence[Belief]
    hands: Mapping[str, str] = field(default_factory=dict)
    step: int = 1

    @property
    def agents(self) -> tuple[str, ...]:
        return tuple(self.poses)

    @property
    def entities(self) -> Mapping[str, Belief]:
        return {b.name: b for b in self.things}

    def pose(self, agent: str) -> Pose | None:
        return self.poses.get(agent)

    def inventory(self, agent: str) -> Mapping[str, int]:
        return {self.hands[agent]: 1} if self.hands.get(agent) else {}

    def relative(self, agent: str, name: str) -> RelativeBelief | None:
        return None

    def names(self, agent: str) -> Sequence[str]:
        return tuple(self.entities)

    def local(self, agent: str) -> Mapping[str, object]:
        return {}


def thing(name: str, x: float, z: float, **attributes) -> Belief:
    holder = attributes.pop("holder", "")
    age = attributes.pop("age", 0)
    return Belief(
        name,
        name.rpartition("_")[0],
        x,
        z,
        tuple(attributes.items()),
        holder=holder,
        age=age,
    )


ROOM = (
    thing("Apple_1", 0.0, 0.8),
    thing("Bread_1", 1.5, -1.0, inside="Fridge_1", age=3),
    thing("Fridge_1", 1.5, -1.0, open=False, age=3),
    thing("CounterTop_1", 0.0, 1.0),
    thing("StoveBurner_1", 0.2, 0.9),
    thing("Pan_1", 0.2, 0.9, inside="StoveBurner_1", dirty=False),
    thing("LightSwitch_1", 0.1, 0.7, on=True),
    thing("Mug_1", -0.1, 0.7, dirty=True, holder="Bob"),
    thing("Drawer_1", 0.0, 0.9, open=False),
)


def beliefs(things=ROOM, **hands: str) -> Known:
    return Known({"Alice": Pose(0.0, 0.0, 0.0), "Bob": Pose(-1.0, 0.0, 0.0)}, things, hands)


def rules(*wanted: str) -> HouseholdRules:
    made = HouseholdRules(wanted)
    made.begin(FREE)
    return made


def profile(text: str, known: Known | None = None, agent: str = "Alice", wanted=("Apple",)):
    verb, _, rest = text.partition("(")
    args = tuple(a for a in rest.rstrip(")").split(", ") if a)
    return rules(*wanted).profile(agent, Action(verb, args), known or beliefs())


def test_idle_and_done_do_nothing_and_stay():
    for action in (IDLE, DONE):
        found = rules().profile("Alice", action, beliefs())
        assert found.idle
        assert found.eligible
        assert found.path[0].leave == STAYS


@pytest.mark.parametrize(
    ("text", "hands", "reason"),
    [
        ("PickupObject(Apple_1)", {"Alice": "Egg_1"}, "already holds Egg_1"),
        ("PickupObject(Mug_1)", {}, "Bob holds Mug_1"),
        ("PickupObject(Bread_1)", {}, "not in view"),
        ("PickupObject(Tomato_1)", {}, "nothing called 'Tomato_1'"),
        ("PutObject(CounterTop_1)", {}, "holds nothing to put"),
        ("PutObject(Drawer_1)", {"Alice": "Apple_1"}, "is closed"),
        ("PutObject(StoveBurner_1)", {"Alice": "Apple_1"}, "does not take"),
        ("PutObject(StoveBurner_1)", {"Alice": "Pot_1"}, "is full: Pan_1"),
        ("NavigateTo(Bread_1)", {}, "is in Fridge_1, which is closed"),
        ("NavigateTo(Mug_1)", {}, "Bob holds Mug_1"),
        ("ToggleObjectOn(LightSwitch_1)", {}, "already on"),
        ("CloseObject(Drawer_1)", {}, "already closed"),
        ("CleanObject(Pan_1)", {}, "already clean"),
        ("Move(Sideways)", {}, "is not a direction"),
    ],
)
def test_what_cannot_work_is_ineligible_with_the_reason(text, hands, reason):
    found = profile(text, beliefs(**hands))
    assert not found.eligible
    assert reason in found.reason


@pytest.mark.parametrize(
    ("text", "hands"),
    [
        ("PickupObject(Apple_1)", {}),
        ("PutObject(CounterTop_1)", {"Alice": "Apple_1"}),
        ("OpenObject(Drawer_1)", {}),
        ("ToggleObjectOff(LightSwitch_1)", {}),
        ("SliceObject(Apple_1)", {}),
        ("NavigateTo(Fridge_1)", {}),
        ("Explore()", {}),
        ("Move(Ahead)", {}),
    ],
)
def test_what_can_work_is_eligible(text, hands):
    found = profile(text, beliefs(**hands))
    assert found.eligible, found.reason
    assert 0.0 <= found.failure < 0.5
    assert 0.0 <= found.progress <= 1.0


def test_two_robots_cannot_claim_the_same_loose_thing():
    apple = profile("PickupObject(Apple_1)")
    assert "Apple_1" in apple.claims
    assert "Apple_1" in profile("NavigateTo(Apple_1)").claims
    assert profile("NavigateTo(CounterTop_1)").claims == ()
    assert (
        "StoveBurner_1"
        in profile(
            "PutObject(StoveBurner_1)",
            beliefs([b for b in ROOM if b.name != "Pan_1"], Alice="Pot_1"),
        ).claims
    )


def test_the_way_is_counted_and_other_robots_stand_in_it():
    far = profile("NavigateTo(Fridge_1)")
    assert far.steps > 2
    wall = frozenset((x, 0) for x in range(-8, 9))
    narrow = HouseholdRules(("Fridge",))
    narrow.begin(wall)
    known = Known(
        {"Alice": Pose(-1.5, 0.0, 90.0), "Bob": Pose(-0.5, 0.0, 0.0)},
        (thing("Fridge_1", 2.5, 0.0, open=False),),
    )
    found = narrow.profile("Alice", Action("NavigateTo", ("Fridge_1",)), known)
    assert not found.eligible
    assert "no free way" in found.reason


def test_moves_need_free_floor_and_distance_to_the_others():
    known = Known({"Alice": Pose(0.0, 0.0, 0.0), "Bob": Pose(0.0, 0.5, 0.0)}, ROOM)
    blocked = profile("Move(Ahead)", known)
    assert not blocked.eligible
    assert "Bob is in the way" in blocked.reason
    assert profile("Move(Back)", known).eligible
    edge = Known({"Alice": Pose(2.0, 0.0, 90.0)}, ROOM)
    assert "no free floor" in profile("Move(Ahead)", edge).reason
    path = profile("Move(Right)").path
    assert [v.cell for v in path] == [(0, 0), (1, 0)]


def test_what_the_task_names_is_worth_more():
    assert (
        profile("PickupObject(Apple_1)").progress
        > profile("PickupObject(Apple_1)", wanted=("Bread",)).progress
    )


def test_fallbacks_end_with_idle():
    found = rules().fallbacks("Alice", beliefs())
    assert found[0].action == Action("Explore")
    assert found[-1].action == IDLE
    assert [c.rank for c in found] == list(range(len(found)))
    assert all(c.source == "safe" for c in found)


def test_unknown_poses_are_no_error():
    known = Known({"Alice": Pose(0, 0, 0)}, ROOM)
    found = rules("Apple").profile("Bob", Action("PickupObject", ("Apple_1",)), known)
    assert found.eligible
    assert found.failure > 0.3


def test_profiles_are_right_in_the_world_they_are_about():
    """Played with the real memory: eligible object actions mostly work, ineligible ones do not."""
    from random import Random

    from mosaic_planner.memory import AgentCentricMemory
    from mosaic_planner.worlds.household import make

    world = make(task=16, floorplan=1)
    rng = Random(2)
    right = wrong = 0
    memory = AgentCentricMemory(
        agents=world.agents,
        geometry=world.geometry,
        briefing=world.briefing,
        vocabulary=world.vocabulary,
    )
    observations, outcomes = world.reset(0), {}
    for _ in range(60):
        memory.update(observations, outcomes)
        known = memory.beliefs()
        names = list(known.entities)
        chosen: dict[str, Action] = {}
        for agent in world.agents:
            verb = rng.choice(("NavigateTo", "PickupObject", "OpenObject", "PutObject", "Explore"))
            bare = verb == "Explore" or not names
            chosen[agent] = Action("Explore") if bare else Action(verb, (rng.choice(names),))
        told = {a: world.rules.profile(a, x, known) for a, x in chosen.items()}
        result = world.step(chosen)
        observations, outcomes = result.observations, result.outcomes
        first = world.agents[0]  # nobody acts before it, so its beliefs still hold
        if outcomes[first].success == told[first].eligible:
            right += 1
        else:
            wrong += 1
    assert right / (right + wrong) >= 0.85
