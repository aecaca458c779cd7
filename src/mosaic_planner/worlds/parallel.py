"""What the PettingZoo faces of our worlds share: order of calls, agents, seeds, whole numbers.

Needs the extra `pettingzoo`. A mistake of the caller is a `UsageError` that is also the error of
Gymnasium for that mistake (`ResetNeeded`, `InvalidAction`).
"""

from __future__ import annotations

import operator
import random
from collections.abc import Mapping
from typing import Any

from mosaic_planner.core.errors import MissingExtraError, UsageError

try:
    from gymnasium import error, logger
    from pettingzoo import ParallelEnv
except ImportError:
    raise MissingExtraError("pettingzoo", "the PettingZoo environment") from None

__all__ = ["InvalidAction", "ResetNeeded", "TeamEnv", "whole"]

_DEFAULT_SEED = 42  # SAR rule M5

Step = tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]
"""Observations, rewards, terminations, truncations and infos, each by agent."""


# Untyped, or of other types, by the version installed: hence the ignores.
class ResetNeeded(UsageError, error.ResetNeeded):  # type: ignore[misc, unused-ignore]
    """`step` or `render` was called before the first `reset`."""


class InvalidAction(UsageError, error.InvalidAction):  # type: ignore[misc, unused-ignore]
    """An action is not of the agent's action space, or is given to an agent that there is not."""


def whole(value: Any, what: str, kind: type[UsageError] = InvalidAction) -> int:
    """A whole number of any library's integer type; raises `kind` for anything else."""
    try:
        if isinstance(value, bool):
            raise TypeError
        return operator.index(value)
    except TypeError:
        raise kind(f"{what} is a whole number, not {value!r}") from None


class TeamEnv(ParallelEnv):  # type: ignore[type-arg, misc, unused-ignore]
    """A `ParallelEnv` of a world with a fixed team; subclasses make the spaces and play."""

    render_modes: tuple[str, ...] = ()

    def __init__(self, team: tuple[str, ...], render_mode: str | None) -> None:
        self.render_mode = render_mode
        self.possible_agents = list(team)
        self.agents: list[str] = []
        self.action_spaces: dict[str, Any] = {}
        self.observation_spaces: dict[str, Any] = {}
        self._seeds = random.Random(_DEFAULT_SEED)
        self._started = False

    @classmethod
    def check_render_mode(cls, mode: str | None) -> None:
        """Raise `UsageError` for a mode that is none of the environment's."""
        if mode is not None and mode not in cls.render_modes:
            raise UsageError(f"render_mode {mode!r} is none of {', '.join(cls.render_modes)}")

    def action_space(self, agent: str) -> Any:
        """The agent's space of actions; always the same object."""
        return self.action_spaces[self._member(agent)]

    def observation_space(self, agent: str) -> Any:
        """The agent's observation space; always the same object."""
        return self.observation_spaces[self._member(agent)]

    def _member(self, agent: str) -> str:
        if agent not in self.possible_agents:
            team = ", ".join(self.possible_agents)
            raise InvalidAction(f"no agent {agent!r} in this environment; agents are {team}")
        return agent

    def _begin(self, seed: int | None) -> int:
        """The seed of the episode that begins: the given one, or the next of a fixed sequence."""
        if seed is not None:
            first = whole(seed, "a seed", UsageError)
            self._seeds = random.Random(first)
        else:
            first = self._seeds.randrange(2**31) if self._started else _DEFAULT_SEED
        self._started = True
        self.agents = list(self.possible_agents)
        return first

    def _check(self, actions: Mapping[str, Any]) -> None:
        """Raise before anything is done if this is no joint action of a running environment."""
        if not self._started:
            raise ResetNeeded("reset() needs to be called before step()")
        if not isinstance(actions, Mapping):
            raise InvalidAction(f"step() takes actions by agent, a mapping, not {actions!r}")
        for agent in actions:
            self._member(agent)

    def render(self) -> Any:
        """The true state, by `render_mode`; None, with Gymnasium's warning, without one."""
        if not self._started:
            raise ResetNeeded("reset() needs to be called before render()")
        if self.render_mode is None:
            modes = " or ".join(repr(mode) for mode in self.render_modes)
            logger.warn(f"render() shows nothing without a render_mode; make it with {modes}")
            return None
        return self._picture()

    def _picture(self) -> Any:
        raise TypeError(f"{type(self).__name__} has render modes but draws nothing")
