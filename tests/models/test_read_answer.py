"""The ladder from any text to the asked fields (llamar_architecture R14 to R16, R27)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mosaic_planner.models.reading import RUNGS, as_text, as_texts, read_answer, read_choices

KEYS = ("failure reason", "memory", "reason", "subtask", "Alice's action", "Bob's action")
NEEDED = ("Alice's action", "Bob's action")
GOOD = {
    "failure reason": "",
    "memory": "It's near {the} fire",
    "reason": "because",
    "subtask": ["put out RedFire"],
    "Alice's action": "Explore()",
    "Bob's action": "Idle",
}
TEXT = json.dumps(GOOD)
PYTHON = repr(GOOD)


@pytest.mark.parametrize(
    ("text", "rung"),
    [
        (TEXT, "json"),
        (json.dumps(TEXT), "json"),
        ("\ufeff" + TEXT, "json"),
        (f'{{"answer": {TEXT}}}', "json"),
        (f"Sure!\n```json\n{TEXT}\n```\nGood luck", "fence"),
        (f"```\n{TEXT}", "fence"),
        (f"Here's my {{plan}} for Alice.\n{TEXT} That's it.", "last_object"),
        (f"<think>maybe {{x: 1}}</think>{TEXT}", "last_object"),
        (f"{{{TEXT}}}", "last_object"),
        (f"Outdict: {PYTHON}", "python_literal"),
        (TEXT[:-1] + ",}", "repaired"),
        (TEXT.replace('"reason"', '// why\n"reason"'), "repaired"),
        (TEXT.replace('"reason"', '/* why */ "reason"'), "repaired"),
        (TEXT.replace("', ", "', # why\n"), "json"),
        (TEXT.replace('"', "\u201c"), "repaired"),
        (TEXT.replace(', "', ' \n"'), "repaired"),
    ],
)
def test_rungs(text: str, rung: str) -> None:
    found = read_answer(text, KEYS, required=NEEDED)
    assert (found.rung, found.problem) == (rung, "")
    assert found.fields == GOOD
    assert list(found.fields) == list(KEYS)


def test_unescaped_quotes_inside_a_text() -> None:
    text = '{"reason": "Bob said "go, now" twice", "Alice\'s action": "Explore()"}'
    found = read_answer(text, ("reason", "Alice's action"), required=("Alice's action",))
    assert found.fields == {"reason": 'Bob said "go, now" twice', "Alice's action": "Explore()"}
    assert found.rung == "repaired"


def test_bare_words() -> None:
    found = read_answer("{Alice: DropOff(A, B), Bob: Idle}", ("Alice", "Bob"))
    assert found.fields == {"Alice": "DropOff(A, B)", "Bob": "Idle"}


def test_the_last_object_with_the_required_keys_counts() -> None:
    other = TEXT.replace("Explore()", "Done")
    assert read_answer(f"{TEXT}\n{other}", KEYS, required=NEEDED).fields["Alice's action"] == "Done"
    half = '{"reason": "only a remark"}'
    found = read_answer(f"{TEXT}\nNote: {half}", KEYS, required=NEEDED)
    assert found.fields["Alice's action"] == "Explore()"


def test_objects_that_complete_each_other() -> None:
    found = read_answer('{"Alice": "Explore()"}\n{"Bob": "Idle"}', NEEDED, required=NEEDED)
    assert (found.rung, found.problem) == ("merged", "")
    assert found.fields == {"Alice's action": "Explore()", "Bob's action": "Idle"}


@pytest.mark.parametrize(
    "text",
    [
        '{"Alice": "Explore()", "Bob": "Idle"}',
        '{"alice_action": "Explore()", "bobAction": "Idle"}',
        '{"Alice\u2019s action": "Explore()", "Bob\u2019s Actions": "Idle"}',
        '{"Action": {"Alice": "Explore()", "Bob": "Idle"}}',
        '{"actions": [{"agent": "Alice", "action": "Explore()"},'
        ' {"agent": "Bob", "action": "Idle"}]}',
        "**Alice's action**: Explore()\n- Bob's action: Idle",
        "Alice: Explore()\nBob: Idle",
    ],
)
def test_keys_in_other_spellings(text: str) -> None:
    found = read_answer(text, NEEDED, required=NEEDED)
    assert found.problem == ""
    assert {k: found.fields[k] for k in NEEDED} == {
        "Alice's action": "Explore()",
        "Bob's action": "Idle",
    }


def test_reason_is_not_failure_reason() -> None:
    text = '{"reasoning": "so", "failure_reason": "too far"}'
    found = read_answer(text, ("failure reason", "reason"))
    assert found.fields == {"failure reason": "too far", "reason": "so"}
    alone = read_answer('{"failure reason": "x"}', ("reason",), required=("reason",))
    assert "reason" not in alone.fields


def test_react_with_its_keys_on_lines() -> None:
    text = 'Think: Bob is far.\nAction: {"Alice": "Explore()", "Bob": "Idle"}'
    found = read_answer(text, ("Think", "Action"), required=("Think", "Action"))
    assert found.fields["Action"] == {"Alice": "Explore()", "Bob": "Idle"}
    assert found.fields["Think"] == "Bob is far."


def test_react_whose_actions_stand_at_the_top() -> None:
    text = '{"Think": "x", "Alice": "Explore()", "Bob": "Idle"}'
    found = read_answer(text, ("Think", "Action"), required=("Action",))
    assert found.fields["Action"] == {"Alice": "Explore()", "Bob": "Idle"}


def test_bare_lists_and_texts() -> None:
    plan = read_answer('["a", "b"]', ("reason", "plan"), required=("plan",))
    assert (plan.fields, plan.rung) == ({"plan": ["a", "b"]}, "bare")
    prose = read_answer("The plan is ['a', 'b'] then.", ("reason", "plan"), required=("plan",))
    assert prose.fields == {"plan": ["a", "b"]}
    lines = read_answer("Plan:\n1. a\n2. b", ("reason", "plan"), required=("plan",))
    assert as_texts(lines.fields["plan"]) == ("a", "b")
    message = read_answer("I go to the fire.", ("message",), required=("message",))
    assert message.fields == {"message": "I go to the fire."}


@pytest.mark.parametrize("end", [10, 60, len(TEXT) - 30, len(TEXT) - 18, len(TEXT) - 4])
def test_what_was_complete_before_the_cut_is_kept(end: int) -> None:
    found = read_answer(TEXT[:end], KEYS, required=NEEDED)
    assert found.rung in ("truncated", "none")
    assert "Bob's action" in found.problem
    for key, value in found.fields.items():
        assert GOOD[key] == value or str(GOOD[key]).startswith(str(value))
    assert "Bob's action" not in found.fields


def test_half_an_action_is_no_action() -> None:
    text = '{"reason": "x", "Alice\'s action": "NavigateTo(RedFire_Region_1'
    found = read_answer(text, ("reason", "Alice's action"), required=("Alice's action",))
    assert "Alice's action" not in found.fields
    assert found.cut == "Alice's action"
    assert "cut off" in found.problem


def test_a_wrong_agents_name_goes_to_nobody() -> None:
    text = '{"Alice\'s action": "Explore()", "Robert\'s action": "Done"}'
    found = read_answer(text, NEEDED, required=NEEDED)
    assert "Bob's action" in found.problem
    choices = read_choices(found.fields, ("Alice", "Bob"))
    assert choices.texts == {"Alice": ("Explore()",), "Bob": ()}
    assert choices.strangers == ("Robert's action",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "empty"),
        ("   \n", "empty"),
        ("I cannot help with that.", "no JSON object"),
        ("go " * 20_000, "repeats itself"),
        ("{" * 20_000, "no JSON object"),
        ("null", "no JSON object"),
        ("42", "no JSON object"),
    ],
)
def test_nothing_usable_is_said_plainly(text: str, said: str) -> None:
    found = read_answer(text, KEYS, required=NEEDED)
    assert (found.fields, found.rung) == ({}, "none")
    assert said in found.problem


def test_numbers_and_texts_that_no_file_could_hold() -> None:
    found = read_answer(
        '{"a": NaN, "b": 1e999, "c": "\\ud800", "d": Infinity}', ("a", "b", "c", "d")
    )
    assert found.fields == {"a": None, "b": None, "c": "\ufffd", "d": None}
    long_number = read_answer('{"a": ' + "9" * 5000 + ', "b": "x"}', ("a", "b"))
    assert long_number.fields["b"] == "x"


def test_deep_nesting_is_given_up() -> None:
    assert read_answer('{"a":' * 5000, ("a",), required=("a",)).fields.get("a") != 1
    assert read_answer("[" * 200_000 + "]" * 200_000, ("a",), required=("a",)).rung == "none"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("  x ", "x"),
        (None, ""),
        ("None", ""),
        ([], ""),
        (["a", None, "b"], "a; b"),
        ({"a": 1, "b": None}, "a: 1"),
        (3, "3"),
        ("x" * 5000, "x" * 3999 + "\u2026"),
        ("a\ud800b", "a\ufffdb"),
    ],
)
def test_text_where_something_else_came(value: object, text: str) -> None:
    assert as_text(value) == text


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (["a", "b", "a"], ("a", "b")),
        ("1. a\n2. b", ("a", "b")),
        ("1. find Zoe 2. put out RedFire_Region_1", ("find Zoe", "put out RedFire_Region_1")),
        ("- a\n- b", ("a", "b")),
        ("just one", ("just one",)),
        (None, ()),
        ("None", ()),
        ([], ()),
        ({"1": "a", "2": "b"}, ("a", "b")),
    ],
)
def test_lists_where_something_else_came(value: object, texts: tuple[str, ...]) -> None:
    assert as_texts(value) == texts


@pytest.mark.parametrize(
    ("value", "texts"),
    [
        (["Explore()", "Idle"], ("Explore()", "Idle")),
        ("Explore()", ("Explore()",)),
        ("1. Explore()\n2. Idle", ("Explore()", "Idle")),
        ([{"action": "Carry", "args": ["Zoe"]}, "Idle"], ("Carry(Zoe)", "Idle")),
        ([{"rank": 1, "action": "Explore()", "reason": "r"}], ("Explore()",)),
        ({"name": "DropOff", "arguments": {"deposit": "D", "person": "P"}}, ("DropOff(D, P)",)),
        (["a", "b", "c", "d"], ("a", "b", "c")),
        (None, ()),
        ("None", ()),
    ],
)
def test_ranked_choices_of_an_agent(value: object, texts: tuple[str, ...]) -> None:
    assert read_choices({"Alice's actions": value}, ("Alice",), k=3).texts == {"Alice": texts}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(JSON, st.text(max_size=30))
def test_a_strict_object_is_read_exactly_whatever_stands_around_it(value, around: str) -> None:
    around = around.replace("{", "").replace("[", "").replace("`", "")
    text = f"{around} {json.dumps({'asked': value})} {around}"
    found = read_answer(text, ("asked",), required=("asked",))
    assert found.problem == ""
    assert found.fields["asked"] == json.loads(json.dumps(value).replace("\\ud", "\\ud"))


@given(JSON)
def test_a_python_literal_is_read_as_python_would(value) -> None:
    found = read_answer(f"Out: {{'asked': {value!r}}}", ("asked",), required=("asked",))
    if isinstance(value, dict | list) or "\\" not in repr(value):
        assert found.problem == ""


@given(st.text(st.sampled_from(list("{}[]()\"':,\\/#* \nabc\u201c\u2019`=1-")), max_size=120))
def test_no_text_raises_and_the_rung_is_named(text: str) -> None:
    found = read_answer(text, ("a", "b"), required=("a",))
    assert found.rung in RUNGS
    assert bool(found.problem) == ("a" not in found.fields)
    json.dumps(found.fields, ensure_ascii=False, allow_nan=False).encode()
