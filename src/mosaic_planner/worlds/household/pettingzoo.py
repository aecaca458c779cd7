"""The world as a PettingZoo `ParallelEnv`, named `household-v1` like the world itself.

Needs the extra `pettingzoo`. An action is a pair: which verb form, and which name (the k-th the
team has seen). Observations are made from what the agent perceives, never from the true state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from mosaic_planner.core.action import IDLE, Action
from mosaic_planner.core.errors import MissingExtraError, UsageError
from mosaic_planner.core.observation import Observation
from mosaic_planner.worlds.household.catalogue import all_types
from mosaic_planner.worlds.household.words import HOUSEHOLD_VOCABULARY
from mosaic_planner.worlds.household.world import HouseholdWorld
from mosaic_planner.worlds.parallel import InvalidAction, Step, TeamEnv, whole

try:
    import numpy as np
    from gymnasium import spaces
except ImportError:
    raise MissingExtraError("pettingzoo", "the PettingZoo environment") from None

__all__ = ["FEATURES", "MOST_NAMES", "HouseholdParallelEnv", "parallel_env"]

MOST_NAMES = 128
"""Names an action can point to; the first ones seen."""

FEATURES = ("known", "in view", "right", "ahead", "open", "on", "sliced", "dirty", "held", "type")
"""Columns of the observation `things`: flags, metres in the agent's frame, index of the type."""

_TYPES = {name: k for k, name in enumerate(all_types())}
_FORMS: tuple[tuple[str, str], ...] = tuple(
    (schema.verb, choice)
    for schema in HOUSEHOLD_VOCABULARY.schemas
    for choice in (schema.parameters[0].choices if schema.parameters else ()) or ("",)
)
_KINDS = {
    schema.verb: frozenset(schema.parameters[0].kinds)
    for schema in HOUSEHOLD_VOCABULARY.schemas
    if schema.parameters and schema.parameters[0].kinds
}
_FARTHEST_M = 30.0


def parallel_env(**options: Any) -> HouseholdParallelEnv:
    """A fresh environment; options as of `HouseholdParallelEnv`."""
    return HouseholdParallelEnv(**options)


class HouseholdParallelEnv(TeamEnv):
    """One joint step per `step`.

    Options: as of `worlds.household.make`; `steps` (budget of joint steps, default 100);
    `render_mode` "rgb_array" (the room from above, uint8) or None.

    Actions: `MultiDiscrete([forms, names])`; `written(agent, action)` is the action. The name
    counts only for verbs that take an object. Observations: `things`, float32 (names, features),
    see `FEATURES`; `self`, float32: x, z, heading / 360, horizon / 90, holding, steps taken.
    Reward, the same for all: subtasks completed in this step as a share of all. All terminate at
    success and are truncated at the budget. Infos: `text`, `names`, `form_mask` and `name_mask`
    (int8; which forms can be written now, which names are known), and after a step `action`,
    `success`, `error_kind`, `reason`.
    """

    render_modes = ("rgb_array",)
    metadata: ClassVar[dict[str, Any]] = {
        "name": "household-v1",
        "render_modes": list(render_modes),
        "render_fps": 4,
        "is_parallelizable": True,
    }

    def __init__(self, *, steps: int = 100, render_mode: str | None = None, **options: Any) -> None:
        from mosaic_planner.worlds.household import make

        self.check_render_mode(render_mode)
        if steps < 1:
            raise UsageError(f"steps must be at least 1, not {steps}")
        self.world: HouseholdWorld = make(**options)
        super().__init__(self.world.agents, render_mode)
        self._budget = steps
        self._steps = 0
        self._completed = 0
        self._known: dict[str, Observation] = {}
        low = np.full((MOST_NAMES, len(FEATURES)), -_FARTHEST_M, np.float32)
        high = np.full((MOST_NAMES, len(FEATURES)), float(len(_TYPES)), np.float32)
        own = np.array([100.0, 100.0, 1.0, 1.0, 1.0, float(steps)], np.float32)
        # One space object per agent, so that seeding one does not seed the others.
        self.action_spaces = {
            a: spaces.MultiDiscrete([len(_FORMS), MOST_NAMES]) for a in self.possible_agents
        }
        self.observation_spaces = {
            a: spaces.Dict(
                {
                    "things": spaces.Box(low, high, dtype=np.float32),
                    "self": spaces.Box(-own, own, dtype=np.float32),
                }
            )
            for a in self.possible_agents
        }

    def written(self, agent: str, action: Any) -> Action:
        """The written action of a pair of numbers; an unknown name stays as it is and fails.

        Raises `InvalidAction` for what is no such pair.
        """
        try:
            form, name = action
        except (TypeError, ValueError):
            raise InvalidAction(f"an action is a pair of whole numbers, not {action!r}") from None
        form, name = whole(form, "a verb form"), whole(name, "a name")
        if not (0 <= form < len(_FORMS) and 0 <= name < MOST_NAMES):
            most = f"forms are 0 to {len(_FORMS) - 1}, names 0 to {MOST_NAMES - 1}"
            raise InvalidAction(f"no action {(form, name)}; {most}")
        verb, choice = _FORMS[form]
        if choice:
            return Action(verb, (choice,))
        if verb not in _KINDS:
            return Action(verb)
        names = self._known[agent].names if agent in self._known else ()
        return Action(verb, (names[name] if name < len(names) else f"Nothing_{name}",))

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Start an episode; without a seed the next one of a fixed sequence (first 42).

        `options` are those of other environments; this one has none.
        """
        del options
        self._known = dict(self.world.reset(self._begin(seed)))
        self._steps = 0
        self._completed = len(self.world.score().completed)
        return (
            {a: self._face(a) for a in self.agents},
            {a: self._info(a) for a in self.agents},
        )

    def step(self, actions: Mapping[str, Any]) -> Step:
        """One joint step; an agent without an action idles. After the end nothing happens.

        Raises `ResetNeeded` before the first `reset` and `InvalidAction` for what is no action of
        an agent of the team; nothing has happened then.
        """
        self._check(actions)
        if not self.agents:
            return {}, {}, {}, {}, {}
        joint = {
            a: self.written(a, actions[a]) if a in actions else IDLE for a in self.possible_agents
        }
        result = self.world.step(joint)
        self._known = dict(result.observations)
        self._steps += 1
        score = self.world.score()
        gained = (len(score.completed) - self._completed) / max(1, score.total)
        self._completed = len(score.completed)
        ended = score.success
        cut = not ended and self._steps >= self._budget
        team = list(self.agents)
        infos = {}
        for a in team:
            outcome = result.outcomes[a]
            infos[a] = {
                **self._info(a),
                "action": str(outcome.action),
                "success": outcome.success,
                "error_kind": outcome.error_kind,
                "reason": outcome.reason,
            }
        faces = {a: self._face(a) for a in team}
        if ended or cut:
            self.agents = []
        return (
            faces,
            dict.fromkeys(team, gained),
            dict.fromkeys(team, ended),
            dict.fromkeys(team, cut),
            infos,
        )

    def _face(self, agent: str) -> dict[str, Any]:
        seen = self._known[agent]
        things = np.zeros((MOST_NAMES, len(FEATURES)), np.float32)
        sighted = {s.name: s for s in seen.sightings}
        held = {name for name, _ in seen.inventory}
        for k, name in enumerate(seen.names[:MOST_NAMES]):
            kind = name.rpartition("_")[0]
            row = things[k]
            row[0], row[8], row[9] = 1.0, name in held, _TYPES.get(kind, 0)
            sighting = sighted.get(name)
            if sighting is not None:
                facts = dict(sighting.attributes)
                row[1] = 1.0
                row[2] = np.clip(sighting.offset.dx, -_FARTHEST_M, _FARTHEST_M)
                row[3] = np.clip(sighting.offset.dz, -_FARTHEST_M, _FARTHEST_M)
                row[4:8] = [bool(facts.get(f)) for f in ("open", "on", "sliced", "dirty")]
        horizon = float(dict(seen.local).get("horizon", 0.0))
        own = np.array(
            [
                seen.pose.x,
                seen.pose.z,
                (seen.pose.heading_deg % 360.0) / 360.0,
                horizon / 90.0,
                float(bool(seen.inventory)),
                float(self._steps),
            ],
            np.float32,
        )
        return {"things": things, "self": own}

    def _info(self, agent: str) -> dict[str, Any]:
        seen = self._known[agent]
        kinds = {name.rpartition("_")[0] for name in seen.names[:MOST_NAMES]}
        forms = np.array(
            [verb not in _KINDS or bool(_KINDS[verb] & kinds) for verb, _ in _FORMS], np.int8
        )
        names = np.zeros(MOST_NAMES, np.int8)
        names[: min(MOST_NAMES, len(seen.names))] = 1
        return {"text": seen.text, "names": seen.names, "form_mask": forms, "name_mask": names}

    def _picture(self) -> Any:
        return self.world.picture()

    def close(self) -> None:
        """Stop whatever the backend runs."""
        self.world.close()
