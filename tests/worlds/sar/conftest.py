"""A small driver: write actions as text, look at the true state."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from mosaic_planner.core.observation import Observation, Outcome
from mosaic_planner.worlds.sar import SarWorld, make
from mosaic_planner.worlds.sar.command import read_action_text

Cell = tuple[int, int]


class Mission:
    """A world whose joint steps are written as texts in agent order."""

    def __init__(self, scene: Any = 1, agents: int = 2, seed: int = 0, **options: Any) -> None:
        options.setdefault("faithful", True)
        self.world: SarWorld = make(scene, agents, **options)
        self.state = self.world.state
        self.seen: dict[str, Observation] = dict(self.world.reset(seed))
        self.last: list[Outcome] = []

    def do(self, *texts: str) -> list[Outcome]:
        """One joint step; agents without a text idle."""
        wanted = [*texts, *["Idle"] * (len(self.world.agents) - len(texts))]
        joint = {a: read_action_text(t) for a, t in zip(self.world.agents, wanted, strict=True)}
        result = self.world.step(joint)
        self.seen = dict(result.observations)
        self.last = [result.outcomes[a] for a in self.world.agents]
        return self.last

    def first(self, text: str) -> Outcome:
        """The first agent does this, all others idle."""
        return self.do(text)[0]

    def idle(self, steps: int) -> None:
        for _ in range(steps):
            self.do()

    def at(self, agent: int) -> Cell:
        return self.state.grid.cells[self.state.positions[agent]]

    def put(self, agent: int, cell: Cell) -> None:
        """Place an agent on a free cell."""
        index = self.state.grid.index(cell)
        assert not self.state.blocked[index], f"{cell} is not free"
        self.state.go(agent, index)
        self.state.spot(index)

    def give(self, agent: int, sand: int = 0, water: int = 0) -> None:
        self.state.held[agent] = [sand, water]

    def person(self, number: int = 0) -> Any:
        return self.state.persons[number]

    def spot(self) -> None:
        """Let every person have been seen."""
        for person in self.state.persons:
            person.spotted = True

    def done(self) -> set[str]:
        return set(self.world.score().completed)

    def alone(self, agent: int, text: str, *others: str) -> Any:
        """What the action would do on a copy of the state; the others idle or do `others`."""
        state = self.state
        copied = copy.copy(state)
        for name in ("positions", "held", "carrying", "failures", "stores", "waiting"):
            value = getattr(state, name)
            items = [copy.copy(v) if isinstance(v, list | dict) else v for v in value]
            setattr(copied, name, items)
        copied.blocked = bytearray(state.blocked)
        copied.explore_generator = copy.copy(state.explore_generator)
        copied.persons = [copy.copy(p) for p in state.persons]
        for person in copied.persons:
            person.carriers, person.dropping = [*person.carriers], [*person.dropping]
        copied.fires = tuple(copy.copy(f) for f in state.fires)
        for fire in copied.fires:
            fire._state = bytearray(fire._state)
        texts = [*others, *["Idle"] * (len(state.agents) - len(others))]
        texts[agent] = text
        commands = [copied.command(read_action_text(t)) for t in texts]
        return copied.step(commands, lambda number, act: None)[agent]


@pytest.fixture
def mission() -> Callable[..., Mission]:
    return Mission
