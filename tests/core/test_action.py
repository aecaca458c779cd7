"""Canonical action texts and basic validity."""

from __future__ import annotations

import pytest

from mosaic_planner.core.action import (
    DONE,
    IDLE,
    Action,
    ActionSchema,
    Kind,
    Parameter,
    Vocabulary,
)

VOCABULARY = Vocabulary(
    schemas=(
        ActionSchema("GetSupply", (Parameter("reservoir", kinds=("reservoir",)),)),
        ActionSchema(
            "GetSupply",
            (
                Parameter("deposit", kinds=("deposit",)),
                Parameter("supply", choices=("Sand", "Water")),
            ),
        ),
        ActionSchema("Idle", idle=True),
        ActionSchema("Done", ends=True),
    ),
    kinds=(Kind("reservoir"), Kind("deposit")),
)
ENTITIES = [("Utah", "reservoir"), ("Depot", "deposit")]


def test_canonical_text() -> None:
    assert str(Action("DropOff", ("Depot", "Tim"))) == "DropOff(Depot, Tim)"
    assert str(Action("Explore")) == "Explore()"
    assert (str(IDLE), str(DONE)) == ("Idle", "Done")


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        (Action("GetSupply", ("Utah",)), ""),
        (Action("GetSupply", ("Depot", "Sand")), ""),
        (IDLE, ""),
        (Action("GetSupply", ("Depot", "sand")), "'sand' is not a supply; use Sand, Water"),
        (Action("GetSupply", ("Depot",)), "Depot is a deposit, not a reservoir"),
        (Action("GetSupply", ("Ohio",)), "nothing called 'Ohio' is known"),
        (Action("Fly"), "no action 'Fly'; actions are GetSupply, Idle, Done"),
        (
            Action("GetSupply"),
            "GetSupply takes other arguments: GetSupply(reservoir) or GetSupply(deposit, supply)",
        ),
    ],
)
def test_basic_validity_says_what_is_wrong(action: Action, reason: str) -> None:
    assert VOCABULARY.check(action, ENTITIES) == reason


def test_done_is_idle_and_ends() -> None:
    assert VOCABULARY.is_idle(DONE)
    assert VOCABULARY.ends(DONE)
    assert VOCABULARY.is_idle(IDLE)
    assert not VOCABULARY.ends(IDLE)
