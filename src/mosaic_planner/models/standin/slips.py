"""How mistakes get into a careful answer, whatever the world.

A careful answer is drawn up first; then every candidate of every robot passes the world's
mechanisms in order, and the first that strikes and applies replaces it. All chance comes from
(seed, messages). Further candidates of one robot share the draws of its first one with the
probability `correlation`: a shared mistake is repeated in a further candidate in its own form
where the mechanism applies to it, otherwise the first candidate is simply repeated.
"""

from __future__ import annotations

import hashlib
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, Generic, Protocol, TypeVar

from mosaic_planner.models.standin.action_text import action_args, action_verb
from mosaic_planner.models.standin.jobs import IDLE, Job
from mosaic_planner.models.standin.rates import Rates
from mosaic_planner.models.standin.told_results import SeenRobot

__all__ = ["AnswerSlips", "Case", "SeenTeam", "drawn", "idling", "repeat_failed"]


class SeenTeam(Protocol):
    """What the prompts of every world tell: the robots by name, each a `SeenRobot` of the world."""

    robots: dict[str, Any]


V = TypeVar("V", bound=SeenTeam)
R = TypeVar("R", bound=SeenRobot)


def drawn(*parts: object) -> random.Random:
    """A generator that depends on the parts alone, the same in every process."""
    text = "\x1f".join(map(str, parts))
    return random.Random(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big"))


@dataclass(frozen=True, slots=True)
class Case(Generic[V, R]):
    """What a mechanism may look at: the same the robot's careful action came from."""

    view: V
    robot: R
    job: Job
    jobs: Mapping[str, Job]
    action: str
    rng: random.Random

    @property
    def verb(self) -> str:
        """What the careful action does."""
        return action_verb(self.action)

    @property
    def args(self) -> list[str]:
        """The careful action's arguments."""
        return action_args(self.action)

    @property
    def target(self) -> str:
        """The careful action's first argument, "" for none."""
        return next(iter(self.args), "")


def repeat_failed(case: Case[V, R]) -> str:
    """Does what has just failed once more."""
    if case.robot.previous is None or case.robot.previous[2]:
        return ""
    verb, args, _ = case.robot.previous
    return f"{verb}({', '.join(args)})"


def idling(case: Case[V, R]) -> str:
    """Waits without a reason."""
    return IDLE


@dataclass(frozen=True, slots=True)
class AnswerSlips(ABC, Generic[V, R]):
    """The mistakes of one answer; a world adds its mechanisms and what befalls the whole team."""

    rates: Rates
    correlation: float
    key: str

    def actions(self, view: V, jobs: Mapping[str, Job], count: int) -> dict[str, list[str]]:
        """`count` >= 1 actions per robot, with this answer's mistakes in them."""
        if self.rates.flawless:
            return {name: job.actions[:count] for name, job in jobs.items()}
        team = self._team(view, jobs)
        if team:
            return {name: [team[name]] * count for name in jobs}
        return {
            name: self._robot(view, view.robots[name], job, jobs, count)
            for name, job in jobs.items()
        }

    def line(
        self, view: V, robot: R, job: Job, jobs: Mapping[str, Job], action: str, number: int
    ) -> str:
        """One action of a program written in advance, with this answer's mistakes in it."""
        if self.rates.flawless:
            return action
        return self._slip(view, robot, job, jobs, action, 1000 + number)[0]

    @property
    @abstractmethod
    def _mechanisms(self) -> Mapping[str, Callable[[Case[V, R]], str]]:
        """By the name of the rate, in the order in which they are tried; "": does not apply."""

    @abstractmethod
    def _team(self, view: V, jobs: Mapping[str, Job]) -> dict[str, str]:
        """Mistakes that concern everybody: what each does instead, empty for none."""

    def _robot(self, view: V, robot: R, job: Job, jobs: Mapping[str, Job], count: int) -> list[str]:
        careful = job.actions[:count]
        first, struck = self._slip(view, robot, job, jobs, careful[0], 0)
        result = [first]
        for rank, action in enumerate(careful[1:], start=1):
            shares = drawn(self.key, robot.name, rank, "shares").random() < self.correlation
            if not shares:
                result.append(self._slip(view, robot, job, jobs, action, rank)[0])
            elif not struck:
                result.append(action)
            else:
                own = self._apply(struck, view, robot, job, jobs, action, 0)
                result.append(own or first)
        return result

    def _slip(
        self, view: V, robot: R, job: Job, jobs: Mapping[str, Job], action: str, rank: int
    ) -> tuple[str, str]:
        """The action after the mechanisms, and which one struck ("" for none)."""
        rng = drawn(self.key, robot.name, rank)
        draws = {field.name: rng.random() for field in fields(self.rates)}
        for kind in self._mechanisms:
            if draws[kind] < getattr(self.rates, kind):
                wrong = self._apply(kind, view, robot, job, jobs, action, rank)
                if wrong:
                    return wrong, kind
        return action, ""

    def _apply(
        self,
        kind: str,
        view: V,
        robot: R,
        job: Job,
        jobs: Mapping[str, Job],
        action: str,
        rank: int,
    ) -> str:
        rng = drawn(self.key, robot.name, rank, kind)
        return self._mechanisms[kind](Case(view, robot, job, jobs, action, rng))
