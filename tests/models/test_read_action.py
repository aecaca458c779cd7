"""Action texts as models write them: sar.md sections O and P, llamar_architecture R14 to R16."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reading_names import ENTITIES, read, text_of

from mosaic_planner.core.action import Action, ActionSchema, Kind, Parameter, Vocabulary
from mosaic_planner.models.reading import ACTION_RUNGS, read_action
from mosaic_planner.models.reading.schema import action_texts
from mosaic_planner.worlds.household.words import HOUSEHOLD_VOCABULARY
from mosaic_planner.worlds.sar.vocabulary import SAR_VOCABULARY


def test_every_canonical_text_is_read_as_itself() -> None:
    texts = list(action_texts(SAR_VOCABULARY, ENTITIES))
    assert len(texts) > 50
    for text in texts:
        found = read_action(text, SAR_VOCABULARY, ENTITIES)
        assert (text_of(found), found.rung, found.reason) == (text, "exact", "")


@pytest.mark.parametrize("change", [str.lower, str.upper, lambda t: t.replace(", ", ",")])
def test_case_and_spaces_do_not_matter(change) -> None:
    for text in action_texts(SAR_VOCABULARY, ENTITIES):
        assert text_of(read_action(change(text), SAR_VOCABULARY, ENTITIES)) == text


def test_every_phrase_of_the_vocabulary_is_read() -> None:
    sample = {
        "object": "RedFire_Region_2",
        "direction": "Left",
        "person": "LostPersonZoe",
        "deposit": "DepositFacility",
        "fire": "RedFire_Region_1",
        "supply": "Water",
        "reservoir": "ReservoirYork",
    }
    for schema in SAR_VOCABULARY.schemas:
        wanted = str(Action(schema.verb, tuple(sample[p.name] for p in schema.parameters)))
        for phrase in schema.phrases:
            text = phrase.format(**sample)
            assert text_of(read_action(text, SAR_VOCABULARY, ENTITIES)) == wanted, text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # lower-case first letter, the word "object" missing
        ("navigate to RedFire_Region_1", "NavigateTo(RedFire_Region_1)"),
        ("navigate to object redfire_region_9", "NavigateTo(RedFire_Region_9)"),
        ("Navigate to RedFire Region 2", "NavigateTo(RedFire_Region_2)"),
        ("navigate to object: ReservoirTaj", "NavigateTo(ReservoirTaj)"),
        ("navigate_to(ReservoirTaj)", "NavigateTo(ReservoirTaj)"),
        ("NavigateTo[ReservoirTaj]", "NavigateTo(ReservoirTaj)"),
        ('NavigateTo("ReservoirTaj")', "NavigateTo(ReservoirTaj)"),
        ("NavigateTo(target=ReservoirTaj)", "NavigateTo(ReservoirTaj)"),
        ("**NavigateTo(ReservoirTaj)**", "NavigateTo(ReservoirTaj)"),
        ("NavigateTo(ReservoirTaj", "NavigateTo(ReservoirTaj)"),
        ("1. NavigateTo(ReservoirTaj)", "NavigateTo(ReservoirTaj)"),
        ("Alice: NavigateTo(ReservoirTaj)", "NavigateTo(ReservoirTaj)"),
        ("Alice should navigate to ReservoirTaj because of it", "NavigateTo(ReservoirTaj)"),
        ("Action: navigate to object ReservoirTaj", "NavigateTo(ReservoirTaj)"),
        ("I think the best action is NavigateTo(ReservoirTaj).", "NavigateTo(ReservoirTaj)"),
        ("Let me see.\nThe fire grows.\nExplore()", "Explore()"),
        ("head to ReservoirTaj", "NavigateTo(ReservoirTaj)"),
        ("continue exploring", "Explore()"),
        ("go ahead and explore", "Explore()"),
        # half call, half sentence
        ("UseSupply(Sand) on RedFire_Region_1", "UseSupply(RedFire_Region_1, Sand)"),
        ("DropOff(LostPersonZoe at DepositFacility)", "DropOff(DepositFacility, LostPersonZoe)"),
        ("Store supply(DepositFacility)", "StoreSupply(DepositFacility)"),
        ("Navigate to object(DepositFacility)", "NavigateTo(DepositFacility)"),
        ("UseSupply RedFire_Region_1 Sand", "UseSupply(RedFire_Region_1, Sand)"),
        # possessives
        ("navigate to Bob's position", "NavigateTo(Bob)"),
        ("NavigateTo(LostPersonTimmy's location)", "NavigateTo(LostPersonTimmy)"),
        ("Carry(Alice's LostPersonTimmy)", "Carry(LostPersonTimmy)"),
        ("navigate to Alice\u2019s RedFire_Region_1", "NavigateTo(RedFire_Region_1)"),
        # supplies and directions
        ("use supply water on greatfire", "UseSupply(GreatFire, Water)"),
        ("extinguish GreatFire with Water", "UseSupply(GreatFire, Water)"),
        ("move Left", "Move(Left)"),
        ("move one cell to the right", "Move(Right)"),
        ("get supply ReservoirYork", "GetSupply(ReservoirYork)"),
        ("get supply Sand from deposit DepositFacility", "GetSupply(DepositFacility, Sand)"),
        ("clear inventory", "ClearInventory()"),
        ("Done.", "Done"),
        ("done with the task", "Done"),
    ],
)
def test_forms_that_are_read(text: str, wanted: str) -> None:
    assert text_of(read(text)) == wanted


@pytest.mark.parametrize(
    ("text", "wanted", "noted"),
    [
        # amounts are not ids (P3), and a reservoir gives what it holds
        ("get 2 Sand from ReservoirTaj", "GetSupply(ReservoirTaj)", "2"),
        ("GetSupply(ReservoirTaj, Sand)", "GetSupply(ReservoirTaj)", "Sand"),
        ("GetSupply(ReservoirTaj, 2)", "GetSupply(ReservoirTaj)", "2"),
        ("Use 1 unit of Sand on RedFire_Region_2", "UseSupply(RedFire_Region_2, Sand)", "1"),
        ("Move(Up, 3)", "Move(Up)", "3"),
        # Explore has no direction
        ("explore Up", "Explore()", "no argument"),
        ("Explore(Left)", "Explore()", "no argument"),
        ("Explore in the north direction", "Explore()", "no argument"),
        # arguments whose kinds tell their places
        (
            "DropOff(LostPersonZoe, DepositFacility)",
            "DropOff(DepositFacility, LostPersonZoe)",
            "order",
        ),
        ("UseSupply(Sand, RedFire_Region_1)", "UseSupply(RedFire_Region_1, Sand)", "order"),
        ("GetSupply(Sand, DepositFacility)", "GetSupply(DepositFacility, Sand)", "order"),
        # the only thing of its kind
        (
            "DropOff(LostPersonZoe)",
            "DropOff(DepositFacility, LostPersonZoe)",
            "only DepositFacility",
        ),
        ("navigate to the deposit", "NavigateTo(DepositFacility)", "only DepositFacility"),
        # several actions: the first
        ("NavigateTo(ReservoirTaj), GetSupply(ReservoirTaj)", "NavigateTo(ReservoirTaj)", "first"),
        ("carry LostPersonZoe and navigate to DepositFacility", "Carry(LostPersonZoe)", "first"),
        ("explore, then carry LostPersonZoe", "Explore()", "first"),
        ("navigate to ReservoirTaj and wait", "NavigateTo(ReservoirTaj)", "first"),
        (
            "navigate to object DepositFacility to drop off LostPersonZoe",
            "NavigateTo(DepositFacility)",
            "first",
        ),
        # names beyond what the action takes
        (
            "navigate to deposit DepositFacility with LostPersonJacob",
            "NavigateTo(DepositFacility)",
            "LostPersonJacob",
        ),
    ],
)
def test_what_is_changed_is_said(text: str, wanted: str, noted: str) -> None:
    found = read(text)
    assert text_of(found) == wanted
    assert noted in found.reason


@pytest.mark.parametrize(
    "text",
    [
        "wait",
        "Wait for Alice",
        "waiting for Bob",
        "Wait for Alice to arrive at DepositFacility before dropping off LostPersonTimmy",
        "Stay at DepositFacility",
        "stay put",
        "hold position",
        "remain idle",
        "stand by",
        "do nothing",
        "Idle",
        "Idle()",
        "idle until Bob arrives",
        "Idle (waiting for Bob)",
        "no action",
    ],
)
def test_a_wait_is_idle_and_nothing_else(text: str) -> None:
    assert text_of(read(text)) == "Idle"


@pytest.mark.parametrize(
    ("text", "reason", "suggestion"),
    [
        # hallucinated names are never exchanged; digits of an id decide
        ("NavigateTo(BlueFire)", "nothing called 'BlueFire'", ""),
        ("navigate to object RedFire_Region_12", "RedFire_Region_12", "RedFire_Region_1"),
        ("navigate to region 9 of RedFire", "region 9", "RedFire_Region_9"),
        ("navigate to object RedFire region 12", "RedFire 12", ""),
        ("Carry(Timmy)", "nothing called 'Timmy'", "Carry(LostPersonTimmy)"),
        ("Carry(LostPersonTim)", "LostPersonTim", "Carry(LostPersonTimmy)"),
        ("DropOff(DepositFacility, LostPersonBob)", "LostPersonBob", "LostPerson"),
        ("navigate to tree near ReservoirTaj", "nothing called 'tree'", ""),
        ("navigate to BlueFire near ReservoirTaj", "BlueFire", ""),
        ("UseSupply(RedFire_Region_7, Sand)", "RedFire_Region_7", "RedFire_Region_1"),
        # wrong kinds
        ("Carry(DepositFacility)", "no person", ""),
        ("StoreSupply(ReservoirTaj)", "no deposit", ""),
        # wrong or missing choices
        ("UseSupply(GreatFire, Foam)", "'Foam' is not a supply; use Sand or Water", ""),
        ("Move(UpLeft)", "UpLeft", ""),
        ("move up left", "one of Up, Left", ""),
        ("UseSupply(RedFire_Region_1)", "needs a supply (Sand or Water)", ""),
        ("GetSupply(Sand)", "GetSupply needs", ""),
        ("NavigateTo()", "needs an object", ""),
        ("navigate to (14, 8)", "needs an object", ""),
        ("NavigateTo(LostPersonZoe, DepositFacility)", "too many arguments", ""),
        # goals and unknown verbs
        ("verify identity of the person in DepositFacility", "no action", ""),
        ("monitor GreatFire for any increase in intensity", "no action", ""),
        ("join Emma to carry LostPersonJeremy", "no action", "Carry(LostPersonJeremy)"),
        ("help Bob with LostPersonZoe", "no action", ""),
        ("Fly(Alice)", "no action", ""),
        ("NavigatTo(ReservoirTaj)", "no action", "NavigateTo"),
        ("hold LostPersonTimmy", "no action", ""),
        # what should not be done
        ("do not carry LostPersonTimmy", "no action", ""),
        ("I cannot NavigateTo(ReservoirTaj) because it is far", "no action", ""),
        ("Done carrying LostPersonTimmy", "does not say that the task is finished", ""),
        # nothing
        ("", "no action is given", ""),
        ("None", "no action is given", ""),
        ("N/A", "no action is given", ""),
        ("[]", "no action is given", ""),
    ],
)
def test_rejections_keep_a_reason(text: str, reason: str, suggestion: str) -> None:
    found = read(text)
    assert found.action is None
    assert found.rung == "none"
    assert reason in found.reason
    if suggestion:
        assert suggestion in found.suggestion
        assert found.suggestion in found.told


def test_an_action_for_another_agent_is_not_taken() -> None:
    assert text_of(read("Bob: Explore()", agent="Bob")) == "Explore()"
    found = read("Bob: Explore()", agent="Alice")
    assert found.action is None
    assert "for Bob, not for Alice" in found.reason
    together = read("Alice and Bob should carry LostPersonZoe", agent="Alice")
    assert text_of(together) == "Carry(LostPersonZoe)"


@pytest.mark.parametrize("text", ["verify the person in DepositFacility", "wait", "monitor it"])
def test_neither_waits_nor_goals_become_moves(text: str) -> None:
    assert text_of(read(text)) in ("", "Idle")


HOME = (
    *((f"{kind}_1", kind) for kind in ("Bread", "Tomato", "Fridge", "CounterTop", "DeskLamp")),
    *((f"{kind}_1", kind) for kind in ("Mug", "LightSwitch", "Sink", "SinkBasin", "Drawer")),
    ("Bread_2", "Bread"),
    ("Drawer_2", "Drawer"),
    ("Alice", "agent"),
)


def test_every_phrase_of_the_household_is_read() -> None:
    for schema in HOUSEHOLD_VOCABULARY.schemas:
        values = [
            p.choices[0] if p.choices else next(n for n, k in HOME if k in p.kinds)
            for p in schema.parameters
        ]
        names = [p.name for p in schema.parameters]
        wanted = str(Action(schema.verb, tuple(values)))
        for phrase in schema.phrases:
            text = phrase.format(**dict(zip(names, values, strict=True)))
            assert text_of(read_action(text, HOUSEHOLD_VOCABULARY, HOME)) == wanted, text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("rotate in Right direction", "Rotate(Right)"),
        ("look Up by angle 30", "LookUp(30)"),
        ("move in Ahead direction", "Move(Ahead)"),
        # what opens alike is told apart by what follows
        ("turn left", "Rotate(Left)"),
        ("turn DeskLamp_1 on", "ToggleObjectOn(DeskLamp_1)"),
        ("turn DeskLamp_1 off", "ToggleObjectOff(DeskLamp_1)"),
        ("switch off the LightSwitch_1", "ToggleObjectOff(LightSwitch_1)"),
        ("toggle LightSwitch_1", ""),
        # an argument stands where the phrases have it
        ("put Tomato_1 in Fridge_1", "PutObject(Fridge_1)"),
        ("place Mug_1 on CounterTop_1", "PutObject(CounterTop_1)"),
        ("PutObject(Mug_1, CounterTop_1)", ""),
        ("clean Mug_1 in Sink_1", "CleanObject(Mug_1)"),
        # two breads, one fridge
        ("pick up the bread", ""),
        ("open the fridge", "OpenObject(Fridge_1)"),
        ("pick up Bread_3", ""),
        ("Wait", "Idle"),
    ],
)
def test_household_actions(text: str, wanted: str) -> None:
    assert text_of(read_action(text, HOUSEHOLD_VOCABULARY, HOME)) == wanted


def test_what_may_mean_two_things_is_not_guessed() -> None:
    thing = (Parameter("object", ("object",)),)
    words = Vocabulary(
        (
            ActionSchema("Lift", thing, phrases=("take {object}",)),
            ActionSchema("Steal", thing, phrases=("take {object}",)),
        ),
        (Kind("object"),),
    )
    found = read_action("take Vase_1", words, (("Vase_1", "object"),))
    assert found.action is None
    assert "Lift(Vase_1) or Steal(Vase_1)" in found.reason


def test_an_ambiguous_normal_form_is_not_guessed() -> None:
    names = (("Mug_1", "object"), ("mug1", "object"))
    words = Vocabulary(
        (
            ActionSchema(
                "PickUp", (Parameter("object", ("object",)),), phrases=("pick up {object}",)
            ),
        ),
        (Kind("object"),),
    )
    assert text_of(read_action("PickUp(mug1)", words, names)) == "PickUp(mug1)"
    assert text_of(read_action("pick up Mug_1", words, names)) == "PickUp(Mug_1)"
    assert read_action("PickUp(MUG 1)", words, names).action is None


def test_arguments_of_the_same_kind_keep_their_places() -> None:
    names = (("Bread_1", "object"), ("Fridge_1", "object"))
    thing = ("object",)
    put = ActionSchema(
        "Put",
        (Parameter("receptacle", thing), Parameter("item", thing)),
        phrases=("put {item} in {receptacle}",),
    )
    words = Vocabulary((put,), (Kind("object"),))
    assert text_of(read_action("Put(Fridge_1, Bread_1)", words, names)) == "Put(Fridge_1, Bread_1)"
    spoken = read_action("put Bread_1 in Fridge_1", words, names)
    assert text_of(spoken) == "Put(Fridge_1, Bread_1)"


PIECES = [*"abNT_ ()[]{},.;:'\"\\\n19’", "navigate to ", "Carry(", "RedFire", "LostPersonZoe"]
NASTY = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@given(NASTY)
def test_any_text_gives_an_action_of_the_vocabulary_or_a_reason(text: str) -> None:
    found = read_action(text, SAR_VOCABULARY, ENTITIES)
    assert found.rung in ACTION_RUNGS
    if found.action is None:
        assert found.reason
    else:
        assert SAR_VOCABULARY.check(found.action, ENTITIES) == ""


@given(st.text(max_size=200))
def test_no_text_raises(text: str) -> None:
    read_action(text, SAR_VOCABULARY, ENTITIES)
    read_action(text, Vocabulary(()), ())
