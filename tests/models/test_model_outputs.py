"""Recorded outputs of real models (shared data, not in the repository)."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from reading_names import AGENTS

from mosaic_planner.core.action import ActionSchema, Kind, Parameter, Vocabulary
from mosaic_planner.models.reading import read_action, read_answer
from mosaic_planner.worlds.sar.vocabulary import SAR_VOCABULARY

_NAME = re.compile(
    r"\b(?:[A-Z]\w*Fire(?:_Region_\d+)?|Reservoir\w+|DepositFacility|LostPerson\w+)\b"
)
_KINDS = {"Reservoir": "reservoir", "Deposit": "deposit", "LostPerson": "person"}


def _entities(record: object) -> list[tuple[str, str]]:
    """Names that the record's own texts mention (what its world would have shown)."""
    names = dict.fromkeys(_NAME.findall(json.dumps(record)))
    pairs = [(n, next((k for p, k in _KINDS.items() if n.startswith(p)), "")) for n in names]
    pairs = [(n, k or ("region" if "_Region_" in n else "fire")) for n, k in pairs]
    return [*pairs, *((a, "agent") for a in AGENTS)]


def _folder(shared_data: Path) -> tuple[Path, dict]:
    folder = shared_data / "model_outputs"
    return folder, json.loads((folder / "expected.json").read_text("utf-8"))


def _allowed(text: str, reason: str, wanted: object) -> bool:
    if isinstance(wanted, str):
        return text == wanted
    if "reject" in wanted:
        return not text and bool(reason)
    options = wanted.get("any_of", [])
    return any(_allowed(text, reason, option) for option in options)


@pytest.mark.parametrize("name", ["09_half_call_half_text.json", "13_goal_instead_of_action.json"])
def test_search_and_rescue_actions(shared_data: Path, name: str) -> None:
    folder, expected = _folder(shared_data)
    records = json.loads((folder / name).read_text("utf-8"))
    seen = 0
    for record, wanted in zip(records, expected[name], strict=True):
        entities = _entities(record)
        for agent, expectation in wanted.items():
            found = read_action(record["actions"][agent], SAR_VOCABULARY, entities, agent=agent)
            text = "" if found.action is None else str(found.action)
            assert _allowed(text, found.reason, expectation), (record["actions"][agent], text)
            if isinstance(expectation, dict) and "never" in expectation:
                assert not text.startswith(expectation["never"])
            seen += 1
    assert seen >= 10


def test_python_dictionaries(shared_data: Path) -> None:
    folder, expected = _folder(shared_data)
    name = "03_cot_python_dict.txt"
    lines = [t for t in (folder / name).read_text("utf-8").splitlines() if t.strip()]
    for line, wanted in zip(lines, expected[name], strict=True):
        keys = (*wanted["present"], *wanted["fields"])
        found = read_answer(line, keys, required=keys)
        assert (found.rung, found.problem) == ("python_literal", "")
        assert {k: found.fields[k] for k in wanted["fields"]} == wanted["fields"]
    whole = read_answer("\n".join(lines), keys, required=keys)
    assert {k: whole.fields[k] for k in wanted["fields"]} == wanted["fields"]  # the last counts


def test_a_bare_action(shared_data: Path) -> None:
    folder, expected = _folder(shared_data)
    name = "05_coela_bare_action.txt"
    go = ActionSchema(
        "NavigateTo", (Parameter("object", ("object",)),), phrases=("navigate to {object}",)
    )
    words = Vocabulary((go,), (Kind("object"),))
    text = (folder / name).read_text("utf-8")
    assert (
        str(read_action(text, words, [("Tomato_1", "object")]).action) == expected[name]["action"]
    )
