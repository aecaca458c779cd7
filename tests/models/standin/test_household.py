"""What the stand-in does in single situations of a household."""

from __future__ import annotations

from household_prompts import block, view

from mosaic_planner.models.standin.household import DONE, EXPLORE, IDLE, decide
from mosaic_planner.models.standin.household_notes import Notes
from mosaic_planner.models.standin.household_words import (
    subtasks,
    subtasks_done,
    told,
    wanted_things,
)

STORE = "Store the apple and the egg in the fridge and close it."
FOUND = ("- Apple_1 (Apple): on CounterTop_1", "- Egg_1 (Egg): on CounterTop_1",
         "- Fridge_1 (Fridge): closed", "- CounterTop_1 (CounterTop)")  # fmt: skip
NAMES = "Apple_1, Egg_1, Fridge_1, CounterTop_1"


def first(*args: str, memory: str = "None", task: str = STORE) -> dict[str, str]:
    return {n: j.actions[0] for n, j in decide(view(task, *args, memory=memory)).items()}


def test_looks_around_while_things_are_missing():
    assert first(block("Alice"), block("Bob")) == {"Alice": EXPLORE, "Bob": EXPLORE}


def test_two_robots_take_different_things():
    chosen = first(block("Alice", *FOUND, names=NAMES), block("Bob", *FOUND, names=NAMES))
    assert sorted(chosen.values()) == ["PickupObject(Apple_1)", "PickupObject(Egg_1)"]


def test_goes_to_what_it_does_not_see():
    chosen = first(block("Alice", *FOUND, names=NAMES), block("Bob", names=NAMES))
    assert chosen["Bob"].startswith("NavigateTo(")


def test_opens_before_it_puts_and_goes_there_first():
    held = {"holding": "Apple_1", "names": NAMES}
    fridge = "- Fridge_1 (Fridge): closed"
    chosen = first(block("Alice", fridge, **held), block("Bob", names=NAMES))
    assert chosen["Alice"] == "NavigateTo(Fridge_1)"
    came = block("Alice", fridge, previous="NavigateTo(Fridge_1) was successful", **held)
    assert first(came, block("Bob", names=NAMES))["Alice"] == "OpenObject(Fridge_1)"
    opened = block("Alice", "- Fridge_1 (Fridge): open", **held)
    assert first(opened, block("Bob", names=NAMES))["Alice"] == "PutObject(Fridge_1)"


def test_a_fridge_stays_open_while_something_comes_and_is_closed_then():
    open_fridge = "- Fridge_1 (Fridge): open"
    apple = "- Apple_1 (Apple): in Fridge_1"
    waits = first(
        block("Alice", open_fridge, apple, names=NAMES),
        block("Bob", holding="Egg_1", names=NAMES),
    )
    assert waits["Alice"] == IDLE
    closes = first(
        block("Alice", open_fridge, apple, "- Egg_1 (Egg): in Fridge_1", names=NAMES),
        block("Bob", names=NAMES),
    )
    assert "CloseObject(Fridge_1)" in closes.values()


def test_takes_out_of_closed_containers_by_opening_them():
    seen = ("- Mug_1 (Mug): in Cabinet_1", "- Cabinet_1 (Cabinet): closed", "- Sofa_1 (Sofa)")
    names = "Mug_1, Cabinet_1, Sofa_1"
    chosen = first(
        block("Alice", *seen, names=names, previous="NavigateTo(Cabinet_1) was successful"),
        task="Bring the mug to the sofa",
    )
    assert chosen["Alice"] == "OpenObject(Cabinet_1)"


def test_looks_for_food_in_the_fridge_and_looks_into_it():
    names = "Fridge_1, CounterTop_1"
    task = "Slice the apple"
    closed = block("Alice", "- Fridge_1 (Fridge): closed", names=names)
    assert first(closed, task=task)["Alice"] == "NavigateTo(Fridge_1)"
    opened = "OpenObject(Fridge_1) was successful"
    seen = block("Alice", "- Fridge_1 (Fridge): open", names=names, previous=opened)
    assert first(seen, task=task)["Alice"] == "NavigateTo(Fridge_1)"
    nearer = "NavigateTo(Fridge_1) was successful"
    seen = block("Alice", "- Fridge_1 (Fridge): open", names=names, previous=nearer)
    assert first(seen, task=task)["Alice"] == "LookDown(60)"


def test_another_place_after_a_refusal():
    failed = "PutObject(Shelf_1) failed: there is no room for Mug_1 in view on Shelf_1"
    names = "Mug_1, Shelf_1, Shelf_2"
    robot = block("Alice", "- Shelf_1 (Shelf)", holding="Mug_1", names=names, previous=failed)
    memory = "3 steps planned, 1 explored, 0 of them without news, 3 names; Mug_1: held by Alice"
    task = "Put the mug on a shelf"
    assert first(robot, task=task, memory=memory)["Alice"] == "NavigateTo(Shelf_1)"
    never = failed.replace("there is no room for Mug_1 in view on Shelf_1", "Shelf_1 is full")
    robot = block("Alice", "- Shelf_1 (Shelf)", holding="Mug_1", names=names, previous=never)
    assert first(robot, task=task, memory=memory)["Alice"] == "NavigateTo(Shelf_2)"


def test_one_burner_for_one_pot():
    seen = ("- StoveBurner_1 (StoveBurner): off", "- StoveBurner_2 (StoveBurner): off",
            "- Pan_1 (Pan): on StoveBurner_1")  # fmt: skip
    names = "StoveBurner_1, StoveBurner_2, Pan_1, Pot_1"
    chosen = first(
        block("Alice", *seen, holding="Pot_1", names=names),
        task="Set the pot and the pan on stove burners",
    )
    assert chosen["Alice"] == "PutObject(StoveBurner_2)"


def test_states_that_are_right_are_left_alone():
    seen = ("- Faucet_1 (Faucet): on", "- LightSwitch_1 (LightSwitch): off")
    chosen = first(
        block("Alice", *seen, names="Faucet_1, LightSwitch_1"),
        block("Bob", names="Faucet_1, LightSwitch_1"),
        task="Turn off the faucet and the light",
    )
    assert chosen["Alice"] == "ToggleObjectOff(Faucet_1)"
    assert "LightSwitch" not in chosen["Bob"]


def test_tidies_a_floor_but_leaves_the_counter():
    seen = ("- Apple_1 (Apple): on the floor", "- Bread_1 (Bread): on CounterTop_1",
            "- CounterTop_1 (CounterTop)", "- Fridge_1 (Fridge): closed")  # fmt: skip
    names = "Apple_1, Bread_1, CounterTop_1, Fridge_1"
    work = subtasks(view("Tidy the floor", block("Alice", *seen, names=names)))
    assert work[0] == "bring Apple_1 to a fridge"
    assert not any("Bread_1" in text for text in work)


def test_says_done_once_and_looks_again_if_that_was_wrong():
    seen = ("- Apple_1 (Apple): in Fridge_1", "- Egg_1 (Egg): in Fridge_1",
            "- Fridge_1 (Fridge): closed")  # fmt: skip
    blocks = (block("Alice", *seen, names=NAMES), block("Bob", names=NAMES))
    scene = view(STORE, *blocks)
    assert {j.actions[0] for j in decide(scene).values()} == {DONE}
    notes = scene.notes.text(wanted_things(scene))
    assert DONE not in first(*blocks, memory=notes).values()


def test_whoever_stands_in_the_way_and_has_nothing_to_do_moves():
    why = "Bob stands where Fridge_1 would open and has to move away"
    failed = f"OpenObject(Fridge_1) failed: {why}"
    chosen = first(
        block("Alice", *FOUND, holding="Apple_1", names=NAMES, previous=failed),
        block("Bob", names="Apple_1, Fridge_1"),
        task="Store the apple in the fridge",
    )
    assert chosen["Bob"] not in (IDLE, DONE)


def test_candidates_differ():
    for job in decide(view(STORE, block("Alice", *FOUND, names=NAMES), block("Bob"))).values():
        assert len(job.actions) >= 8
        assert len(set(job.actions)) == len(job.actions)


def test_notes_survive_their_own_text():
    scene = view(
        STORE,
        block("Alice", *FOUND, names=NAMES, previous="NavigateTo(Apple_1) was successful"),
        block("Bob", names=NAMES, previous="PutObject(Fridge_1) failed: Fridge_1 is closed"),
        memory="4 steps planned, 2 explored, 1 of them without news, 4 names; "
        "looked into: Drawer_1; Egg_2: sliced, held by Bob; "
        "Mug_1 did not go into Shelf_1 2 times; Bob did not get to Egg_1 1 time",
    )
    read = Notes.read(scene.notes.text(scene.things))
    assert read.steps == 5
    assert read.at == {"Alice": "Apple_1"}
    assert read.refused[("Mug_1", "Shelf_1")] == 2
    assert read.missed[("Bob", "Egg_1")] == 1
    assert read.fruitless == {"Bob": 1}
    assert list(read.looked_into) == ["Drawer_1"]
    assert read.things["Apple_1"].where == "CounterTop_1"
    assert read.things["Apple_1"].near == (1.0, -0.5)
    assert read.things["Fridge_1"].states["open"] is False


def test_subtasks_are_done_when_it_shows():
    scene = view(
        STORE,
        block("Alice", "- Apple_1 (Apple): in Fridge_1", "- Fridge_1 (Fridge): open", names=NAMES),
        block("Bob", holding="Egg_1", names=NAMES),
    )
    texts = ["bring Apple_1 to a fridge", "bring Egg_1 to a fridge", "close Fridge_1", "find a egg"]
    assert subtasks_done(scene, texts) == ["bring Apple_1 to a fridge", "find a egg"]


def test_what_others_said_they_do():
    dialogue = "\n- Bob: I take care of Egg_1.\n- Bob: I hold Apple_1 and bring it to Fridge_1."
    assert told(dialogue, "Alice") == {"Apple_1": "Bob"}
    assert told(dialogue, "Bob") == {}
