"""JSON schemas generated from the vocabulary."""

from __future__ import annotations

import json
import re

import pytest
from reading_names import ENTITIES

from mosaic_planner.models.providers.structured import bounded
from mosaic_planner.models.reading import action_schema, answer_schema, read_action
from mosaic_planner.worlds.sar.vocabulary import SAR_VOCABULARY


def test_an_enumeration_names_only_legal_actions() -> None:
    schema = action_schema(SAR_VOCABULARY, ENTITIES)
    assert "NavigateTo(RedFire_Region_2)" in schema["enum"]
    assert "GetSupply(DepositFacility, Water)" in schema["enum"]
    assert len(schema["enum"]) == len(set(schema["enum"]))
    for text in schema["enum"]:
        assert read_action(text, SAR_VOCABULARY, ENTITIES).rung == "exact"


def test_many_names_become_a_pattern_of_the_same_actions() -> None:
    texts = action_schema(SAR_VOCABULARY, ENTITIES)["enum"]
    schema = action_schema(SAR_VOCABULARY, ENTITIES, most=10)
    pattern = re.compile(schema["pattern"])
    assert all(pattern.search(t) for t in texts)
    for wrong in ("Fly(Alice)", "NavigateTo(BlueFire)", "Explore", "UseSupply(RedFire, Foam)"):
        assert not pattern.search(wrong)


def test_a_kind_that_nobody_has_seen_has_no_actions() -> None:
    seen = [(n, k) for n, k in ENTITIES if k != "person"]
    assert not any(t.startswith("Carry") for t in action_schema(SAR_VOCABULARY, seen)["enum"])
    assert "Carry" not in action_schema(SAR_VOCABULARY, seen, most=1)["pattern"]


def test_an_answer_schema_is_closed_ordered_and_strict() -> None:
    schema = answer_schema(
        {"reason": "text", "plan": "texts", "Alice's actions": "actions"},
        SAR_VOCABULARY,
        ENTITIES,
        k=3,
    )
    assert schema["required"] == list(schema["properties"]) == ["reason", "plan", "Alice's actions"]
    assert schema["additionalProperties"] is False
    ranked = schema["properties"]["Alice's actions"]
    assert (ranked["minItems"], ranked["maxItems"]) == (3, 3)
    assert ranked["items"] == {"$ref": "#/$defs/action"}
    json.dumps(schema)


def test_nested_fields_are_objects() -> None:
    schema = answer_schema(
        {"Think": "text", "Action": {"Alice": "action"}}, SAR_VOCABULARY, ENTITIES
    )
    inner = schema["properties"]["Action"]
    assert inner["properties"] == {"Alice": {"$ref": "#/$defs/action"}}
    assert inner["required"] == ["Alice"]


def test_an_action_needs_a_vocabulary() -> None:
    assert "$defs" not in answer_schema({"reason": "text"})
    with pytest.raises(ValueError, match="vocabulary"):
        answer_schema({"Alice": "action"})


def test_a_bounded_schema_leaves_room_for_every_key() -> None:
    fields = {"failure reason": "text", "memory": "text", "plan": "texts", "Alice": "actions"}
    schema = answer_schema(fields, SAR_VOCABULARY, ENTITIES, k=3)
    short = bounded(schema, 128)
    longest = short["properties"]["memory"]["maxLength"]
    assert 20 < longest < 128 * 4 / 5
    assert short["properties"]["plan"]["items"]["maxLength"] == longest
    assert short["properties"]["plan"]["maxItems"] == 3
    assert short["properties"]["Alice"] == schema["properties"]["Alice"]
    assert short["$defs"] == schema["$defs"]
    assert "maxLength" not in schema["properties"]["memory"]  # the asked one is left as it was
    nested = bounded(answer_schema({"Think": "text", "Action": {"Alice": "text"}}), 50)
    assert nested["properties"]["Action"]["properties"]["Alice"]["maxLength"] >= 20
    assert bounded(answer_schema({"message": "text"}), 1000)["properties"]["message"] == {
        "type": "string",
        "maxLength": 2485,
    }
