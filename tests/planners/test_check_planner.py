"""The conformance kit for planners, and the example planner that it is shown on."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from mosaic_planner.core.action import Action
from mosaic_planner.core.candidate import Candidate, Proposal
from mosaic_planner.core.errors import ConfigError, ConformanceError
from mosaic_planner.planners import registry
from mosaic_planner.planners.llamar import Llamar
from mosaic_planner.planners.registry import make_planner, parse_method, planner_names
from mosaic_planner.testing.check_planner import check_planner, examine_planner

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "own_planner.py"


def load_example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("own_planner", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["act", "coela", "cot", "llamar", "react", "smartllm"])
def test_own_planners_keep_the_contract(name: str) -> None:
    assert name in planner_names()
    check_planner(lambda setup: make_planner(name, setup))


def test_example_is_short_and_keeps_the_contract() -> None:
    assert len(EXAMPLE.read_text("utf-8").splitlines()) < 60
    check_planner(load_example().Rota)


def test_planners_by_entry_point(monkeypatch: pytest.MonkeyPatch, setup_for: Any) -> None:
    points = [
        EntryPoint("rota", "json:JSONDecoder", registry.ENTRY_POINT_GROUP),
        EntryPoint("broken", "no_such_module:Planner", registry.ENTRY_POINT_GROUP),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: points)
    assert "rota" in planner_names()
    assert parse_method("rota+mosaic").planner == "rota"
    with pytest.raises(ConfigError, match="broken"):
        make_planner("broken", setup_for(None))


class Broken(Llamar):
    """LLaMAR with one thing wrong."""

    async def propose(self, turn: Any) -> Any:
        return self.spoil(await super().propose(turn))

    def spoil(self, proposal: Proposal) -> Any:
        return proposal


class Raises(Broken):
    def spoil(self, proposal: Proposal) -> Any:
        raise KeyError("Alice's action")


class ForgetsAgents(Broken):
    def spoil(self, proposal: Proposal) -> Any:
        return replace(proposal, candidates={})


class InventsActions(Broken):
    def spoil(self, proposal: Proposal) -> Any:
        made_up = {a: (Candidate(a, Action("Fly"), 0),) for a in proposal.candidates}
        return replace(proposal, candidates=made_up)


class TooMany(Broken):
    def spoil(self, proposal: Proposal) -> Any:
        twice = {a: c + tuple(replace(x, rank=9 + x.rank) for x in c) for a, c in
                 proposal.candidates.items()}  # fmt: skip
        return replace(proposal, candidates=twice)


class NotAProposal(Broken):
    def spoil(self, proposal: Proposal) -> Any:
        return dict(proposal.candidates)


class Deaf(Llamar):
    async def propose(self, turn: Any) -> Any:
        return await super().propose(replace(turn, feedback=()))


class Drifts(Llamar):
    async def propose(self, turn: Any) -> Any:
        self._actor = replace(self._actor, static=f"{self._actor.static}\nStep {turn.step}")
        return await super().propose(turn)


class NotAsync:
    def __init__(self, setup: Any) -> None:
        pass

    def propose(self, turn: Any) -> Any:
        return None


@pytest.mark.parametrize(
    ("planner", "told"),
    [
        (Raises, "raised KeyError"),
        (ForgetsAgents, "no entry for 'Alice'"),
        (InventsActions, "no action of this world"),
        (TooMany, "but k is 1"),
        (NotAProposal, "not a Proposal"),
        (Deaf, "`Turn.feedback` must reach the model"),
        (Drifts, "the static text must be the same"),
        (NotAsync, "must be an async method"),
    ],
)
def test_broken_planners_are_told_what_is_wrong(planner: Any, told: str) -> None:
    problems = examine_planner(planner)
    assert any(told in problem for problem in problems), problems
    with pytest.raises(ConformanceError, match="breaks the contract of planners"):
        check_planner(planner)
