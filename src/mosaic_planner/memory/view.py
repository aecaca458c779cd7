"""The beliefs view: an immutable snapshot that builds belief values only when asked for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Self

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.belief import Belief, RelativeBelief
from mosaic_planner.core.geometry import Pose
from mosaic_planner.core.observation import Value
from mosaic_planner.core.world import Geometry
from mosaic_planner.memory.frames import offsets_of
from mosaic_planner.memory.table import EntryTable
from mosaic_planner.memory.wording import parts_of, parts_words, tier_of

__all__ = ["AgentState", "BeliefView", "Columns", "relative_belief"]

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class AgentState:
    """What is known of one agent of the team: `pose` None if nobody knows it.

    `sigma` and `age` as in `Belief`. `names` are those its last observation offered, `text` is
    that observation in words.
    """

    pose: Pose | None = None
    inventory: tuple[tuple[str, int], ...] = ()
    names: tuple[str, ...] = ()
    text: str = ""
    local: tuple[tuple[str, Value], ...] = ()
    attributes: tuple[tuple[str, Value], ...] = ()
    sigma: float = 0.0
    age: int = 0


@dataclass(frozen=True, slots=True)
class Columns:
    """All entries of one step in stable order; nobody writes to them.

    `sigma`: world units; `confidence`: probability; `age`: planning steps; `seers`: (agents,
    entries), which agents of the team perceived the entry last.
    """

    names: Sequence[str]
    kinds: Sequence[str]
    attributes: Sequence[tuple[tuple[str, Value], ...]]
    holders: Sequence[str]
    sources: Sequence[str]
    x: Array
    z: Array
    sigma: Array
    confidence: Array
    age: NDArray[np.int64]
    lost: NDArray[np.bool_]
    seers: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        table: EntryTable,
        *,
        sigma: Array,
        confidence: Array,
        age: NDArray[np.int64],
        lost: NDArray[np.bool_],
        seers: NDArray[np.bool_],
    ) -> Self:
        """The entries of a table, which may change afterwards, with what is made of them."""
        return cls(
            tuple(table.names),
            tuple(table.kinds),
            tuple(table.attributes),
            tuple(table.holders),
            tuple(table.sources),
            table.x.copy(),
            table.z.copy(),
            sigma,
            confidence,
            age,
            lost,
            seers,
        )

    def without(self, rows: NDArray[np.int64]) -> Columns:
        """The same without some entries."""
        mask = np.ones(len(self.names), dtype=bool)
        mask[rows] = False
        left = mask.tolist()
        return Columns(
            tuple(compress(self.names, left)),
            tuple(compress(self.kinds, left)),
            tuple(compress(self.attributes, left)),
            tuple(compress(self.holders, left)),
            tuple(compress(self.sources, left)),
            self.x[mask],
            self.z[mask],
            self.sigma[mask],
            self.confidence[mask],
            self.age[mask],
            self.lost[mask],
            self.seers[:, mask],
        )


class _Entities(Mapping[str, Belief]):
    """Beliefs by name, built at first look."""

    __slots__ = ("_built", "_columns", "_index")

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._index = dict(zip(columns.names, range(len(columns.names)), strict=True))
        self._built: dict[str, Belief] = {}

    @property
    def rows(self) -> Mapping[str, int]:
        return self._index

    def __getitem__(self, name: str) -> Belief:
        known = self._built.get(name)
        if known is None:
            columns, row = self._columns, self._index[name]
            known = self._built[name] = Belief(
                name=name,
                kind=columns.kinds[row],
                x=float(columns.x[row]),
                z=float(columns.z[row]),
                attributes=columns.attributes[row],
                holder=columns.holders[row],
                sigma=float(columns.sigma[row]),
                confidence=float(columns.confidence[row]),
                age=int(columns.age[row]),
                source=columns.sources[row],
                lost=bool(columns.lost[row]),
            )
        return known

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns.names)

    def __len__(self) -> int:
        return len(self._columns.names)

    def __contains__(self, name: object) -> bool:
        return name in self._index


class BeliefView:
    """Implements `core.belief.Beliefs`; safe to keep, later updates do not change it."""

    __slots__ = (
        "_agents",
        "_cache",
        "_entities",
        "_mates",
        "_names",
        "_offered",
        "_offsets",
        "_told",
        "agent_kind",
        "columns",
        "geometry",
        "step",
        "team",
    )

    def __init__(
        self,
        step: int,
        team: Mapping[str, AgentState],
        columns: Columns,
        geometry: Geometry,
        *,
        agent_kind: str = "agent",
        offered: Callable[[BeliefView, str], tuple[str, ...]] | None = None,
    ) -> None:
        """`offered` works out the names an action of an agent may use; default: those it saw."""
        self.step = step
        self.team = team
        self.columns = columns
        self.geometry = geometry
        self.agent_kind = agent_kind
        self._offered = offered
        self._entities = _Entities(columns)
        self._agents = tuple(team)
        self._told: dict[str, Belief] = {}
        self._cache: dict[tuple[str, str], RelativeBelief] = {}
        self._names: dict[str, tuple[str, ...]] = {}
        self._offsets: tuple[Array, Array] | None = None
        self._mates: tuple[Array, Array] | None = None

    @property
    def agents(self) -> tuple[str, ...]:
        """All agents, in team order."""
        return self._agents

    @property
    def entities(self) -> Mapping[str, Belief]:
        """Everything believed to exist, in the order it became known."""
        return self._entities

    @property
    def rows(self) -> Mapping[str, int]:
        """Row of every entity in `columns`, by name."""
        return self._entities.rows

    def pose(self, agent: str) -> Pose | None:
        """The believed pose of an agent."""
        state = self.team.get(agent)
        return None if state is None else state.pose

    def inventory(self, agent: str) -> Mapping[str, int]:
        """What an agent is believed to hold."""
        state = self.team.get(agent)
        return {} if state is None else dict(state.inventory)

    def local(self, agent: str) -> Mapping[str, Value]:
        """Facts of the agent's own surroundings."""
        state = self.team.get(agent)
        return {} if state is None else dict(state.local)

    def names(self, agent: str) -> Sequence[str]:
        """What an action of this agent may name now."""
        known = self._names.get(agent)
        if known is None:
            state = self.team.get(agent)
            if state is None:
                return ()
            known = state.names if self._offered is None else self._offered(self, agent)
            self._names[agent] = known
        return known

    def relative(self, agent: str, name: str) -> RelativeBelief | None:
        """An entity or other agent in the frame of `agent`.

        Its `belief.source` is "told" if only team mates perceived it last.
        """
        known = self._cache.get((agent, name))
        if known is None:
            pose = self.pose(agent)
            belief = self._seen_by(agent, name)
            if pose is None or belief is None:
                return None
            known = self._cache[agent, name] = relative_belief(belief, pose, self.geometry)
        return known

    def offsets(self) -> tuple[Array, Array]:
        """Offsets dx, dz of every entry in the frame of every agent, (agents, entries).

        Rows of agents whose pose is unknown are not a number.
        """
        if self._offsets is None:
            self._offsets = offsets_of(self._poses(), self.columns.x, self.columns.z)
        return self._offsets

    def mate_offsets(self) -> tuple[Array, Array]:
        """Offsets dx, dz of every agent in the frame of every agent, (agents, agents)."""
        if self._mates is None:
            poses = self._poses()
            self._mates = offsets_of(poses, poses[:, 0], poses[:, 1])
        return self._mates

    def _poses(self) -> Array:
        unknown = (np.nan, np.nan, 0.0)
        return np.array(
            [
                unknown if s.pose is None else (s.pose.x, s.pose.z, s.pose.heading_deg)
                for s in self.team.values()
            ],
            dtype=float,
        ).reshape(-1, 3)

    def _seen_by(self, agent: str, name: str) -> Belief | None:
        mate = self.team.get(name)
        if mate is not None:
            if name == agent or mate.pose is None:
                return None
            known = self._told.get(name)
            if known is None:
                known = self._told[name] = Belief(
                    name,
                    self.agent_kind,
                    mate.pose.x,
                    mate.pose.z,
                    mate.attributes,
                    sigma=mate.sigma,
                    age=mate.age,
                    source="told",
                )
            return known
        row = self.rows.get(name)
        if row is None:
            return None
        belief = self._entities[name]
        if belief.source == "seen" and not self.columns.seers[self._agents.index(agent), row]:
            told = self._told.get(name)
            if told is None:
                told = self._told[name] = replace(belief, source="told")
            return told
        return belief


def relative_belief(belief: Belief, pose: Pose, geometry: Geometry) -> RelativeBelief:
    """A belief in the frame of `pose`; words and tier only for prompts."""
    offset = pose.to_frame(belief.x, belief.z)
    bearing_deg = offset.bearing_deg
    right, ahead = parts_of(offset, geometry.unit)
    return RelativeBelief(
        belief,
        offset,
        offset.steps(geometry.unit),
        bearing_deg,
        tier_of(abs(right) + abs(ahead)),
        parts_words(right, ahead, bearing_deg, geometry),
    )
