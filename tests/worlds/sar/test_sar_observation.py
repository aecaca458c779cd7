"""Observations (section J): layout, offsets, names, state, feedback; and the briefing."""

from __future__ import annotations

import re
from typing import Any

import pytest

from mosaic_planner.core.geometry import Offset, Pose
from mosaic_planner.core.observation import Observation
from mosaic_planner.worlds.sar import make
from mosaic_planner.worlds.sar.vocabulary import SAR_VOCABULARY

START = """\
Around: Up empty; Down empty; Left empty; Right empty; Center empty
Visible:
- CaldorFire (fire, chemical): average intensity Low
- CaldorFire_Region_1 (region of CaldorFire, chemical): intensity Low
- CaldorFire_Region_2 (region of CaldorFire, chemical): intensity Low
- GreatFire (fire, non-chemical): average intensity Low
- GreatFire_Region_1 (region of GreatFire, non-chemical): intensity Low
- ReservoirUtah (reservoir): gives Sand
- ReservoirYork (reservoir): gives Water
- DepositFacility (deposit): Sand 0, Water 0, persons 0
- Charlie (robot): Sand 0, Water 0, Person 0
Names: CaldorFire_Region_1, CaldorFire_Region_2, GreatFire_Region_1, ReservoirUtah, \
ReservoirYork, DepositFacility, Charlie"""


def test_the_layout_at_the_start() -> None:
    world = make(1, 3)
    seen = world.reset(0)["Bob"]
    assert seen.text == START
    assert seen.state_text == "position (17, 14, 0); inventory Sand 0, Water 0, Person 0"
    assert seen.feedback == "nothing has been done yet"
    assert seen.failures_text == "none"
    assert seen.pose == Pose(17.0, -14.0)
    assert seen.inventory == (("Sand", 0), ("Water", 0), ("Person", 0))
    assert seen.step == 0
    assert seen.image is None


def test_names_have_the_fires_too_in_the_order_of_the_lines() -> None:
    seen = make(1, 3).reset(0)["Bob"]
    lines = [line for line in seen.text.splitlines() if line.startswith("- ")]
    assert [line.split(" ")[1] for line in lines] == list(seen.names)
    assert [s.name for s in seen.sightings] == list(seen.names)
    in_text = seen.text.splitlines()[-1].removeprefix("Names: ").split(", ")
    assert in_text == [n for n in seen.names if n not in ("CaldorFire", "GreatFire")]


def test_offsets_are_right_and_up() -> None:
    seen = make(1, 3).reset(0)["Bob"]
    offsets = {s.name: s.offset for s in seen.sightings}
    assert offsets["ReservoirUtah"] == Offset(-2.0, 9.0)
    assert offsets["GreatFire"] == Offset(5.0, -4.0)
    assert offsets["Charlie"] == Offset(-1.0, -1.0)
    assert offsets["CaldorFire"] == offsets["CaldorFire_Region_2"]  # the anchor at seed 0


def true_cell(m: Any, name: str) -> tuple[int, int]:
    return m.state.grid.cells[m.state.place(m.state.entities[name])]


def check_offsets(m: Any) -> None:
    for seen in m.seen.values():
        for s in seen.sightings:
            x, z = seen.pose.to_world(s.offset)
            assert (x, -z) == true_cell(m, s.name), (seen.agent, s.name)


@pytest.mark.parametrize("number", [1, 2, 3, 4, 5])
def test_sightings_agree_with_the_true_state_at_every_step(mission: Any, number: int) -> None:
    """Against caching: all offsets, attributes and lines are rebuilt here from the state."""
    import random

    m = mission(number, 5, seed=number, faithful=False)
    rng = random.Random(number)
    actions = [str(a) for a in m.world.ground_actions()]
    useful = [a for a in actions if a.startswith(("NavigateTo", "GetSupply", "Use", "Carry"))]
    for _ in range(60):
        m.do(*[rng.choice(useful if rng.random() < 0.7 else actions) for _ in range(5)])
        check_offsets(m)
        state = m.state
        for i, name in enumerate(m.world.agents):
            seen: Observation = m.seen[name]
            visible = [e.name for e in state.entities.values() if state.visible(i, e)]
            assert sorted(seen.names) == sorted(visible)
            for s in seen.sightings:
                entity = state.entities[s.name]
                told = dict(s.attributes)
                if s.kind == "region":
                    level = state.fires[entity.fire].shown[entity.index]
                    assert told["intensity"] == ("None", "Low", "Medium", "High")[level]
                    line = f"- {s.name} (region of {told['fire']}, {told['type']}): "
                    assert f"{line}intensity {told['intensity']}\n" in seen.text
                elif s.kind == "fire":
                    level = state.fires[entity.index].average
                    assert told["intensity"] == ("None", "Low", "Medium", "High")[level]
                    assert told["reach"] == state.fires[entity.index].reach
                elif s.kind == "deposit":
                    assert list(told.values()) == state.stores[entity.index]
                    sand, water, persons = told.values()
                    held = f"Sand {sand}, Water {water}, persons {persons}"
                    assert f"- {s.name} (deposit): {held}\n" in seen.text
                elif s.kind == "agent":
                    assert tuple(told.values()) == state.inventory(entity.index)
                elif s.kind == "person":
                    person = state.persons[entity.index]
                    assert told == {"load": 2, "grabbed": person.grabbed, "reach": person.reach}
                    first = state.agents[person.carriers[0]] if person.grabbed else ""
                    assert s.holder == first
            assert seen.inventory == tuple(
                zip(("Sand", "Water", "Person"), state.inventory(i), strict=True)
            )


def test_regions_stand_in_row_major_order_after_their_fire(mission: Any) -> None:
    """J2: by the rows of their cells, not by their numbers."""
    m = mission(4, 1, seed=5, faithful=False)
    m.idle(30)
    names = [s.name for s in m.seen["Alice"].sightings if s.kind == "region"]
    cells = [true_cell(m, n) for n in names]
    assert cells == sorted(cells, key=lambda c: (c[1], c[0]))
    assert names != sorted(names, key=lambda n: int(n.rsplit("_", 1)[1]))


def test_around_shows_cells_fires_and_obstacles(mission: Any) -> None:
    m = mission(1, 2, faithful=False)
    m.put(0, (22, 18))
    m.do()
    assert m.seen["Alice"].text.startswith(
        "Around: Up GreatFire None; Down GreatFire None; Left GreatFire None; "
        "Right GreatFire None; Center GreatFire Low\nVisible:\n"
    )
    m.put(0, (0, 0))
    m.put(1, (1, 0))
    m.do()
    assert m.seen["Alice"].local[:5] == (
        ("Up", "obstacle"),
        ("Down", "empty"),
        ("Left", "obstacle"),
        ("Right", "obstacle"),
        ("Center", "empty"),
    )
    m.put(1, (23, 18))
    m.put(0, (22, 18))
    m.do()
    assert m.seen["Alice"].local[3] == ("Right", "obstacle")  # obstacle wins over flammable


def test_found_persons_and_what_one_carries(mission: Any) -> None:
    m = mission(1, 2, faithful=False)
    m.put(0, (8, 20))
    m.do("Carry(LostPersonTimmy)")
    line = "- LostPersonTimmy (person): needs 2 carriers\nNames: "
    assert line in m.seen["Bob"].text
    assert m.seen["Alice"].local[-2:] == (("carrying", "LostPersonTimmy"), ("dropping", False))
    assert "carrying" not in dict(m.seen["Bob"].local)
    assert m.seen["Bob"].text.endswith(", LostPersonTimmy")


def test_one_carrier_is_worded_in_the_singular() -> None:
    world = make(1, 1, person_load=1)
    world.reset(0)
    for person in world.state.persons:
        person.spotted = True
    from mosaic_planner.core.action import IDLE

    seen = world.step({"Alice": IDLE}).observations["Alice"]
    assert "- LostPersonTimmy (person): needs 1 carrier\n" in seen.text


def test_feedback_gives_reasons_for_known_kinds_only(mission: Any) -> None:
    """Rule J6."""
    m = mission(1, 2)
    for text, feedback in (
        ("NavigateTo(ReservoirUtah)", "NavigateTo(ReservoirUtah) succeeded"),
        ("Carry(LostPersonTimmy)", "Carry(LostPersonTimmy) failed: not visible"),
        ("UseSupply(CaldorFire, Sand)", "UseSupply(CaldorFire, Sand) failed: not close enough"),
        ("Carry(ReservoirUtah)", "Carry(ReservoirUtah) failed"),
        ("Idle", "Idle succeeded"),
        ("NoOp()", "NoOp() succeeded"),
    ):
        m.first(text)
        assert m.seen["Alice"].feedback == feedback
    m.put(0, (8, 20))
    m.first("Carry(LostPersonTimmy)")
    m.first("ClearInventory()")
    assert m.seen["Alice"].feedback == "ClearInventory() failed: already holding a person"


def test_finer_reasons_stay_out_of_what_is_seen_and_out_of_faithful_mode(mission: Any) -> None:
    """N11."""
    text = "GetSupply(ReservoirUtah)"
    ours, theirs = mission(1, 1, faithful=False), mission(1, 1)
    assert ours.first(text).reason == "not close enough to ReservoirUtah: distance 6.3, reach 4"
    assert theirs.first(text).reason == ""
    assert theirs.last[0].error_kind == ours.last[0].error_kind == "not_interactable"
    assert ours.seen["Alice"].text == theirs.seen["Alice"].text
    assert "6.3" not in ours.seen["Alice"].feedback


def test_names_offered_at_reset(mission: Any) -> None:
    """P2, P4: fixed at reset, with regions burning then, all agents and even unseen persons."""
    m = mission(1, 2)
    expected = (
        *("CaldorFire", "CaldorFire_Region_1", "CaldorFire_Region_2"),
        *("GreatFire", "GreatFire_Region_1"),
        *("ReservoirUtah", "ReservoirYork", "DepositFacility", "Alice", "Bob"),
        "LostPersonTimmy",
    )
    assert m.seen["Alice"].names == expected
    m.idle(20)
    assert m.seen["Bob"].names == expected
    assert "CaldorFire_Region_3" in m.seen["Bob"].text


def test_view_says_what_is_seen_at_any_distance() -> None:
    view = make(1, 1).reset(0)["Alice"].view
    assert view is not None
    assert view.max_range == 4
    assert view.fov_deg == 360
    assert set(view.everywhere) == {"fire", "region", "reservoir", "deposit", "person"}


def test_kinds_in_sightings_are_those_of_the_vocabulary(mission: Any) -> None:
    m = mission(5, 3, faithful=False)
    m.spot()
    m.do()
    known = {k.name for k in SAR_VOCABULARY.kinds}
    assert {s.kind for seen in m.seen.values() for s in seen.sightings} <= known
    kinds = [(s.name, s.kind) for s in m.seen["Bob"].sightings]
    for name in m.seen["Bob"].names:
        assert name in dict(kinds)


# Vocabulary.


def test_every_ground_action_is_of_the_vocabulary_and_of_the_grammar(mission: Any) -> None:
    m = mission(1, 3, faithful=False)
    actions = m.world.ground_actions()
    entities = [(name, entity.sort.name.lower()) for name, entity in m.state.entities.items()]
    assert len(set(actions)) == len(actions)
    for action in actions:
        assert SAR_VOCABULARY.check(action, entities) == ""
        command = m.state.command(action)
        assert command.error != "malformed", action


def test_phrases_have_the_slots_of_their_schema() -> None:
    for schema in SAR_VOCABULARY.schemas:
        slots = {p.name for p in schema.parameters}
        for phrase in schema.phrases:
            assert set(re.findall(r"{(\w+)}", phrase)) == slots, phrase
    every = [(s.verb, p) for s in SAR_VOCABULARY.schemas for p in s.phrases]
    assert len(every) == len(set(every))


def test_no_phrase_of_one_action_is_a_phrase_of_another() -> None:
    seen: dict[str, str] = {}
    for schema in SAR_VOCABULARY.schemas:
        for phrase in schema.phrases:
            shape = re.sub(r"{\w+}", "{}", phrase)
            if shape in ("move to {}", "go to {}"):
                continue
            assert seen.setdefault(shape, schema.verb) == schema.verb, phrase


def test_aliases_lead_to_verbs_and_choices() -> None:
    choices = {c for s in SAR_VOCABULARY.schemas for p in s.parameters for c in p.choices}
    for alias, target in SAR_VOCABULARY.aliases:
        assert alias == alias.lower()
        assert target in SAR_VOCABULARY.verbs or target in choices
    assert not [a for a, target in SAR_VOCABULARY.aliases if target == "Done"]


# Briefing.


def test_the_instruction_names_fires_with_types_and_persons() -> None:
    """Rule J10."""
    assert make(5, 2).briefing.instruction == (
        "Put out SussexFire (non-chemical) with the right supplies; find LostPersonJacob and "
        "LostPersonZoe, and nobody else, carry them to the deposit DepositFacility and drop them "
        "off there."
    )


def test_the_rules_say_what_a_text_only_model_needs() -> None:
    rules = make(1, 3).briefing.rules
    text = "\n".join(rules)
    assert "Sand puts out chemical fires; Water puts out non-chemical fires." in rules
    assert "30 x 30" in text
    assert "carried by exactly 2 robots" in text
    assert "A robot holds 3 units" in text
    assert "<fire>_Region_<number>" in text
    assert "the robot's own cell and the 8 cells around it" in text
    assert "within 4 cells of the deposit" in text
    assert "Alice, Bob and Charlie" in text
    assert make(1, 2, faithful=True).briefing.rules[0].count("3 x 3") == 1  # N10
    assert "carried by exactly 1 robot:" in "\n".join(make(1, 1, person_load=1).briefing.rules)


def test_task_words_leave_out_what_the_task_does_not_need() -> None:
    words = make(4, 2).briefing.task_words
    assert "RedFire" in words
    assert "ReservoirTaj" in words
    assert "ReservoirLibre" not in words


def test_every_phrase_reads_back_as_its_action(mission: Any) -> None:
    """By the reader that model answers go through."""
    from mosaic_planner.models.reading.action import read_action

    m = mission(5, 2, faithful=False)
    entities = [(n, e.sort.name.lower()) for n, e in m.state.entities.items()]
    read = 0
    for action in m.world.ground_actions():
        for schema in SAR_VOCABULARY.forms(action.verb):
            if len(schema.parameters) != len(action.args):
                continue
            slots = {p.name: v for p, v in zip(schema.parameters, action.args, strict=True)}
            for phrase in schema.phrases:
                text = phrase.format(**slots)
                for written in (text, text[0].upper() + text[1:], str(action)):
                    assert read_action(written, SAR_VOCABULARY, entities).action == action, written
                    read += 1
    assert read > 1000
