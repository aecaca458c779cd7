"""Beliefs that rules must cope with: full, current, poor, wrong and empty ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from mosaic_planner.coordination import BareBeliefs
from mosaic_planner.core.belief import Belief, Beliefs, RelativeBelief
from mosaic_planner.core.geometry import Pose
from mosaic_planner.core.observation import Value
from mosaic_planner.memory import make_memory
from mosaic_planner.testing.world_checks.subject import Frame
from mosaic_planner.worlds.registry import PlannableWorld

__all__ = ["EditedBeliefs", "variants"]


@dataclass(frozen=True, slots=True)
class EditedBeliefs:
    """Other beliefs with their entities exchanged, and without the team's poses if `blind`."""

    base: Beliefs
    entities: Mapping[str, Belief]
    blind: bool = False

    @property
    def step(self) -> int:
        """The planning step of the beliefs behind."""
        return self.base.step

    @property
    def agents(self) -> tuple[str, ...]:
        """The whole team."""
        return self.base.agents

    def pose(self, agent: str) -> Pose | None:
        """Unknown if `blind`."""
        return None if self.blind else self.base.pose(agent)

    def inventory(self, agent: str) -> Mapping[str, int]:
        """Unknown if `blind`."""
        return {} if self.blind else self.base.inventory(agent)

    def relative(self, agent: str, name: str) -> RelativeBelief | None:
        """Unknown if `blind`, and for what is not believed in any more."""
        if self.blind or (name not in self.entities and name not in self.agents):
            return None
        found = self.base.relative(agent, name)
        if found is None or name not in self.entities:
            return found
        return replace(found, belief=self.entities[name])

    def names(self, agent: str) -> Sequence[str]:
        """All entities and the other agents."""
        return (*self.entities, *(a for a in self.agents if a != agent))

    def local(self, agent: str) -> Mapping[str, Value]:
        """Unknown if `blind`."""
        return {} if self.blind else self.base.local(agent)


def variants(world: PlannableWorld, frame: Frame) -> Iterator[tuple[str, Beliefs]]:
    """Named beliefs for one moment of an episode; the first are the right ones."""
    full = frame.beliefs
    yield "the team's beliefs", full
    current = make_memory(
        "current",
        agents=world.agents,
        geometry=world.geometry,
        briefing=world.briefing,
        vocabulary=world.vocabulary,
    )
    current.update(frame.observations, frame.outcomes)
    yield "the current observations only", current.beliefs()
    entities = dict(full.entities)
    bare = {n: replace(b, attributes=(), holder="") for n, b in entities.items()}
    yield "beliefs without attributes", EditedBeliefs(full, bare)
    lost = {n: replace(b, lost=True, confidence=0.3, age=9) for n, b in entities.items()}
    yield "beliefs in which everything is lost", EditedBeliefs(full, lost)
    strange = {
        n: replace(b, attributes=tuple((k, "?") for k, _ in b.attributes), sigma=3.0)
        for n, b in entities.items()
    }
    yield "beliefs with other attribute values", EditedBeliefs(full, strange)
    kinds = [k.name for k in world.vocabulary.kinds]
    taken = {
        n: replace(b, kind=kinds[(kinds.index(b.kind) + 1) % len(kinds)] if b.kind in kinds else "")
        for n, b in entities.items()
    }
    yield "beliefs with wrong kinds", EditedBeliefs(full, taken)
    yield "beliefs without poses", EditedBeliefs(full, entities, blind=True)
    poses = {a: p for a in world.agents if (p := full.pose(a)) is not None}
    yield "beliefs with poses only", BareBeliefs(world.agents, full.step, poses)
    yield "empty beliefs", BareBeliefs(world.agents)
