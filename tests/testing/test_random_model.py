"""The model that draws legal answers."""

from __future__ import annotations

import asyncio
import json
import re

import pytest

from mosaic_planner.core.action import ActionSchema, Kind, Parameter, Vocabulary
from mosaic_planner.models.protocol import ChatRequest, Message
from mosaic_planner.models.reading import answer_schema, read_action
from mosaic_planner.testing import RandomModel, check_model, make_random_model

VOCABULARY = Vocabulary(
    (
        ActionSchema("Go", (Parameter("box", ("box",)), Parameter("to", ("box",)))),
        ActionSchema("Turn", (Parameter("side", (), ("Left", "Right")),)),
        ActionSchema("Idle", idle=True),
    ),
    (Kind("box"),),
)
FEW = [(f"Box_{n}", "box") for n in range(3)]
MANY = [(f"Box-{n} (old)", "box") for n in range(30)]


def ask(schema: object, *, seed: int = 0, state: str = "STATE", request_seed: int = 1) -> object:
    messages = (Message("system", "Answer."), Message("user", state))
    request = ChatRequest(messages, schema, seed=request_seed)  # type: ignore[arg-type]
    return json.loads(asyncio.run(RandomModel(seed).complete(request)).text)


def test_it_keeps_the_contract_of_models() -> None:
    check_model(lambda: make_random_model("", seed=3))


@pytest.mark.parametrize("entities", [FEW, MANY])
def test_every_action_is_legal(entities: list[tuple[str, str]]) -> None:
    """By enumeration and by pattern."""
    fields = {"reason": "text", "plan": "texts", "Action": {"Ann": "action"}, "Ben": "actions"}
    schema = answer_schema(fields, VOCABULARY, entities, k=3)  # type: ignore[arg-type]
    form = schema["$defs"]["action"]
    verbs = set()
    for seed in range(40):
        answer = ask(schema, seed=seed)
        assert list(answer) == list(fields)
        assert len(set(answer["Ben"])) == 3
        for text in (answer["Action"]["Ann"], *answer["Ben"]):
            verbs.add(text.partition("(")[0])
            if "enum" in form:
                assert text in form["enum"]
                assert str(read_action(text, VOCABULARY, entities).action) == text
            else:
                assert re.fullmatch(form["pattern"], text)
    assert verbs == {"Go", "Turn", "Idle"}


def test_more_values_than_there_are_repeat() -> None:
    items = {"type": "array", "items": {"enum": ["Idle"]}, "minItems": 3, "maxItems": 3}
    assert ask(items) == ["Idle"] * 3


def test_numbered_options_are_taken() -> None:
    state = "OPTIONS:\n1. Go(Box_1, Box_2)\n2. Idle\n3. Turn(Left)"
    schema = answer_schema({"choice": "text"})
    taken = {ask(schema, seed=n, state=state)["choice"] for n in range(30)}
    assert taken == {"Go(Box_1, Box_2)", "Idle", "Turn(Left)"}


def test_equal_requests_get_equal_answers_and_others_do_not() -> None:
    schema = answer_schema({"a": "actions"}, VOCABULARY, FEW, k=3)
    assert ask(schema) == ask(schema)
    answers = [ask(schema, seed=n) for n in range(8)]
    answers += [ask(schema, request_seed=n) for n in range(2, 8)]
    answers += [ask(schema, state=f"STEP {n}") for n in range(8)]
    assert len({json.dumps(a) for a in answers}) > 10


@pytest.mark.parametrize(
    ("schema", "answer"),
    [
        (None, {}),
        ({"type": "integer"}, 0),
        ({"type": "boolean"}, False),
        ({"const": "yes"}, "yes"),
        ({"anyOf": [{"const": 1}, {"const": 2}]}, 1),
        ({"type": "array", "items": {"const": "x"}}, ["x"]),
    ],
)
def test_other_schemas(schema: object, answer: object) -> None:
    assert ask(schema) == answer
