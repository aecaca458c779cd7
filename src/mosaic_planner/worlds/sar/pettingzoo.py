"""The world as a PettingZoo `ParallelEnv`, named `sar-v1` like the world itself.

Needs the extra `pettingzoo`. Actions are numbers into one fixed list of written actions, the same
for every agent and episode; regions that an episode does not have are masked out. Observations
are made from what the agent perceives, never from the true state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from mosaic_planner.core.action import IDLE, Action
from mosaic_planner.core.errors import MissingExtraError
from mosaic_planner.core.observation import Observation
from mosaic_planner.worlds.parallel import InvalidAction, Step, TeamEnv, whole
from mosaic_planner.worlds.sar.fire import LEVELS
from mosaic_planner.worlds.sar.legal import possible
from mosaic_planner.worlds.sar.render import legend_lines, map_lines, picture
from mosaic_planner.worlds.sar.state import CAPACITY
from mosaic_planner.worlds.sar.vocabulary import ground_actions
from mosaic_planner.worlds.sar.world import SarWorld

try:
    import numpy as np
    from gymnasium import spaces
except ImportError:
    raise MissingExtraError("pettingzoo", "the PettingZoo environment") from None

__all__ = ["CHANNELS", "SarParallelEnv", "parallel_env"]

CHANNELS = (
    "own cell",
    "other robots",
    "Sand reservoirs",
    "Water reservoirs",
    "deposits",
    "persons",
    "chemical regions, shown intensity",
    "non-chemical regions, shown intensity",
    "flammable cells around, intensity + 1",
    "obstacles around",
)
"""Planes of the observation `map`."""

_STEPS = {"Up": (0, -1), "Down": (0, 1), "Left": (-1, 0), "Right": (1, 0), "Center": (0, 0)}
_PLANE = {"agent": 1, "deposit": 4, "person": 5}


def parallel_env(**options: Any) -> SarParallelEnv:
    """A fresh environment; options as of `SarParallelEnv`."""
    return SarParallelEnv(**options)


class SarParallelEnv(TeamEnv):
    """One joint step per `step`.

    Options: `scene`, `agents` and switches as of `worlds.sar.make`; `render_mode` "ansi" (text),
    "rgb_array" (uint8, height x width x 3) or None.

    Actions: `Discrete(n)`; `written(i)` is the action of number i. Observations: `map`, uint8 of
    shape (channels, height, width), see `CHANNELS`; `state`, float32: own x, y, Sand, Water and
    Person slots, and steps taken. Reward, the same for all: subtasks completed in this step as a
    share of all subtasks. All agents terminate at success (unless `stop_at_success` is off) and
    are truncated at `step_budget`. Infos: `action_mask` (int8, 1 where the action would succeed
    if nobody else did anything, see `legal`), `text`, and after a step `action`, `success`,
    `error_kind`, `reason`.
    """

    render_modes = ("ansi", "rgb_array")
    metadata: ClassVar[dict[str, Any]] = {
        "name": "sar-v1",
        "render_modes": list(render_modes),
        "render_fps": 4,
        "is_parallelizable": True,
    }

    def __init__(
        self,
        scene: Any = 1,
        agents: int = 3,
        *,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        from mosaic_planner.worlds.sar import make

        self.check_render_mode(render_mode)
        self.world: SarWorld = make(scene, agents, **options)
        super().__init__(self.world.agents, render_mode)
        self._completed = 0
        self._written = _all_actions(self.world)
        width, height = self.world.scene.grid
        budget = self.world.switches.step_budget
        most = [width - 1, height - 1, CAPACITY, CAPACITY, CAPACITY, budget]
        # One space object per agent, so that seeding one does not seed the others.
        self.action_spaces = {a: spaces.Discrete(len(self._written)) for a in self.possible_agents}
        self.observation_spaces = {
            a: spaces.Dict(
                {
                    "map": spaces.Box(0, 255, (len(CHANNELS), height, width), np.uint8),
                    "state": spaces.Box(
                        np.zeros(6, np.float32), np.array(most, np.float32), dtype=np.float32
                    ),
                }
            )
            for a in self.possible_agents
        }

    def written(self, number: int) -> Action:
        """The action with that number; `InvalidAction` if there is none."""
        index = whole(number, "an action")
        if not 0 <= index < len(self._written):
            raise InvalidAction(f"no action {index}; actions are 0 to {len(self._written) - 1}")
        return self._written[index]

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start an episode; without a seed the next one of a fixed sequence (first 42).

        `options` are those of other environments; this one has none.
        """
        del options
        seen = self.world.reset(self._begin(seed))
        self._completed = 0
        infos = {
            name: {"action_mask": self._mask(i), "text": seen[name].text}
            for i, name in enumerate(self.agents)
        }
        return {name: self._face(seen[name]) for name in self.agents}, infos

    def step(self, actions: Mapping[str, Any]) -> Step:
        """One joint step; an agent without an action idles. After the end nothing happens.

        Raises `ResetNeeded` before the first `reset` and `InvalidAction` for what is no action of
        an agent of the team; nothing has happened then.
        """
        self._check(actions)
        live = self.agents
        if not live:
            return {}, {}, {}, {}, {}
        joint = {a: self.written(actions[a]) if a in actions else IDLE for a in live}
        result = self.world.step(joint)
        score = self.world.score()
        reward = (len(score.completed) - self._completed) / max(1, score.total)
        self._completed = len(score.completed)
        switches = self.world.switches
        over = score.success and switches.stop_at_success
        late = not over and self.world.step_count >= switches.step_budget
        infos: dict[str, Any] = {}
        for i, name in enumerate(live):
            outcome = result.outcomes[name]
            infos[name] = {
                "action_mask": self._mask(i),
                "text": result.observations[name].text,
                "action": str(outcome.action),
                "success": outcome.success,
                "error_kind": outcome.error_kind,
                "reason": outcome.reason,
            }
        if over or late:
            self.agents = []
        return (
            {name: self._face(result.observations[name]) for name in live},
            dict.fromkeys(live, reward),
            dict.fromkeys(live, over),
            dict.fromkeys(live, late),
            infos,
        )

    def _picture(self) -> Any:
        snapshot, static = self.world.snapshot(), self.world.static()
        if self.render_mode == "ansi":
            lines = [*map_lines(snapshot, static), *legend_lines(snapshot, static)]
            return "\n".join(lines)
        return picture(snapshot, static)

    def close(self) -> None:
        """Nothing to release."""

    def _mask(self, agent: int) -> Any:
        state = self.world.state
        return np.array(
            [possible(state, agent, state.command(a)) for a in self._written], dtype=np.int8
        )

    def _face(self, seen: Observation) -> dict[str, Any]:
        width, height = self.world.scene.grid
        planes = np.zeros((len(CHANNELS), height, width), np.uint8)
        x, y = int(seen.pose.x), int(-seen.pose.z)
        planes[0, y, x] = 1
        for sighting in seen.sightings:
            cx, cy = x + int(sighting.offset.dx), y - int(sighting.offset.dz)
            attributes = dict(sighting.attributes)
            if sighting.kind == "region":
                plane = 6 if attributes["type"] == "chemical" else 7
                planes[plane, cy, cx] = LEVELS.index(str(attributes["intensity"]))
            elif sighting.kind == "reservoir":
                planes[2 if attributes["gives"] == "Sand" else 3, cy, cx] = 1
            elif sighting.kind in _PLANE:
                planes[_PLANE[sighting.kind], cy, cx] = 1
        for direction, value in seen.local:
            if direction not in _STEPS or value == "empty":
                continue
            dx, dy = _STEPS[direction]
            if not (0 <= x + dx < width and 0 <= y + dy < height):
                continue
            if value == "obstacle":
                planes[9, y + dy, x + dx] = 1
            else:
                level = str(value).rpartition(" ")[2]
                planes[8, y + dy, x + dx] = LEVELS.index(level) + 1
        held = [amount for _, amount in seen.inventory]
        state = np.array([x, y, *held, seen.step], dtype=np.float32)
        return {"map": planes, "state": state}


def _all_actions(world: SarWorld) -> tuple[Action, ...]:
    """Every written action over the names that any episode of this scene can have.

    A fire has at most one region per 2 x 2 cells of its box beside its lit cells, since no two of
    the others are neighbours (rule C6).
    """
    scene = world.scene
    regions = [
        f"{f.name}_Region_{n + 1}"
        for f in scene.fires
        for n in range(((f.box + 1) // 2) ** 2 + f.lit)
    ]
    by_kind = {
        "fire": [f.name for f in scene.fires],
        "region": regions,
        "reservoir": [r.name for r in scene.reservoirs],
        "deposit": [d.name for d in scene.deposits],
        "person": [p.name for p in scene.persons],
        "agent": list(world.agents),
    }
    return ground_actions(by_kind)
