"""Names of planners and methods, and the start-up check."""

from __future__ import annotations

from typing import Any

import pytest

from mosaic_planner.core.action import ActionSchema, Parameter, Vocabulary
from mosaic_planner.core.errors import UnknownNameError
from mosaic_planner.planners.check import check_prompts
from mosaic_planner.planners.registry import Method, make_planner, parse_method, planner_names


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("llamar", Method("llamar")),
        ("llamar+asm", Method("llamar", asm=True)),
        ("react+fc", Method("react", constraints=True)),
        ("react+cfm", Method("react", costs=True)),
        ("act+ilp", Method("act", constraints=True, costs=True)),
        ("cot+mosaic", Method("cot", asm=True, constraints=True, costs=True)),
        ("llamar+asm+fc", Method("llamar", asm=True, constraints=True)),
    ],
)
def test_methods(text: str, method: Method) -> None:
    assert parse_method(text) == method
    assert method.name == text
    assert method.coordinated == (method.constraints or method.costs)


def test_equal_methods_have_one_name() -> None:
    assert parse_method("llamar+asm+ilp").name == "llamar+mosaic"
    assert parse_method("llamar+fc+cfm").name == "llamar+ilp"


@pytest.mark.parametrize(
    ("text", "told"),
    [("lamar", "did you mean 'llamar'"), ("llamar+mosiac", "mosaic"), ("llamar+", "known: asm")],
)
def test_unknown_names_list_the_known_ones(text: str, told: str) -> None:
    with pytest.raises(UnknownNameError, match=told):
        parse_method(text)


def test_every_planner_agrees_with_the_world(scripted: Any, setup_for: Any, world: Any) -> None:
    vocabulary, _ = world
    for name in planner_names():
        assert check_prompts(make_planner(name, setup_for(scripted({}))), vocabulary) == ()


def test_disagreement_is_found(scripted: Any, setup_for: Any, world: Any) -> None:
    vocabulary, _ = world
    planner = make_planner("act", setup_for(scripted({})))
    fly = ActionSchema("Fly", (Parameter("box", kinds=("box",)),))
    wider = Vocabulary((*vocabulary.schemas, fly), vocabulary.kinds)
    assert "prompt 'act' does not list Fly(box)" in check_prompts(planner, wider)
    narrower = Vocabulary(vocabulary.schemas[1:], vocabulary.kinds)
    told = check_prompts(planner, narrower)
    assert "prompt 'act' lists GoTo(thing), which the world does not have" in told
