"""Cost terms: raw figures for options, which a cost profile weighs and adds up.

A term of your own is any object with a `name` and a method `cost(option, scene)`, or a `Term` made
from a function. Each must look at one option only, because the cost of a joint action is the sum
over its options (Eq. 1). The terms that come with the room are each a `Column`: they figure out
all options in one go, which is several times as fast.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from mosaic_planner.coordination.patterns import (
    Recent,
    backtracks,
    cycle,
    failures,
    oscillations,
)
from mosaic_planner.coordination.problem import Option
from mosaic_planner.core.belief import Beliefs
from mosaic_planner.core.geometry import Cell
from mosaic_planner.core.history import History

__all__ = ["DEFAULT_TERMS", "PAPER_TERMS", "Column", "CostTerm", "Scene", "Term"]


@dataclass(slots=True)
class Scene:
    """What a cost term may look at besides the option: beliefs, history, and digests of it."""

    beliefs: Beliefs
    history: History
    agents: tuple[str, ...]
    _whole: dict[str, Recent] = field(default_factory=dict)
    _fresh: dict[str, Recent] = field(default_factory=dict)
    _acted: dict[str, int] = field(default_factory=dict)

    @property
    def whole(self) -> dict[str, Recent]:
        """By agent, a digest of its whole past."""
        if not self._whole:
            self._whole.update({a: Recent.of(self.history.of(a)) for a in self.agents})
        return self._whole

    @property
    def fresh(self) -> dict[str, Recent]:
        """By agent, a digest of its past since its last real work."""
        if not self._fresh:
            of, past = Recent.of, self.history.of
            self._fresh.update({a: of(past(a), since_work=True) for a in self.agents})
        return self._fresh

    @property
    def acted(self) -> dict[str, int]:
        """ActionCount of Eq. 3: by agent, how many actions that were not idle it has executed."""
        if not self._acted:
            past = self.history.of
            self._acted.update({a: sum([not x.idle for x in past(a)]) for a in self.agents})
        return self._acted


class CostTerm(Protocol):
    """One summand of an option's cost."""

    @property
    def name(self) -> str:
        """Short name, shown in explanations and traces."""
        ...

    def cost(self, option: Option, scene: Scene) -> float:
        """The raw figure, finite; the profile's weight multiplies it."""
        ...


@dataclass(frozen=True, slots=True)
class Term:
    """A cost term made from a plain function."""

    name: str
    figure: Callable[[Option, Scene], float]

    def cost(self, option: Option, scene: Scene) -> float:
        """The function's value."""
        return self.figure(option, scene)


@dataclass(frozen=True, slots=True)
class Column:
    """A cost term that figures out many options at once."""

    name: str
    figures: Callable[[Sequence[Option], Scene], Sequence[float]]

    def cost(self, option: Option, scene: Scene) -> float:
        """The figure of one option."""
        return self.figures((option,), scene)[0]


_Past = dict[str, Recent]


def _end(option: Option) -> Cell | None:
    path = option.profile.path
    return path[-1].cell if path else None


def _cyclic(options: Sequence[Option], past: _Past) -> Sequence[float]:
    return [
        cycle(r.actions, code)
        if (code := (r := past[o.agent]).number.get(o.candidate.action, -1)) >= 0
        else 0
        for o in options
    ]


def _failure(options: Sequence[Option], past: _Past) -> Sequence[float]:
    return [
        failures(r.attempts, a) if (a := o.candidate.action) in (r := past[o.agent]).number else 0
        for o in options
    ]


def _stale_failure(options: Sequence[Option], past: _Past) -> Sequence[float]:
    """Failures of this very action since the agent last worked, in a row or not."""
    failed = {
        a: [n for n, x in zip(r.actions, r.attempts, strict=True) if not x.success]
        for a, r in past.items()
    }
    return [
        numbers.count(past[o.agent].number.get(o.candidate.action, -1))
        if (numbers := failed[o.agent])
        else 0
        for o in options
    ]


def _oscillation(options: Sequence[Option], past: _Past) -> Sequence[float]:
    return [
        oscillations(places, _end(o)) if (places := past[o.agent].places) else 0 for o in options
    ]


def _backtracking(options: Sequence[Option], past: _Past) -> Sequence[float]:
    return [backtracks(places, _end(o)) if (places := past[o.agent].places) else 0 for o in options]


def _stagnation(options: Sequence[Option], past: _Past) -> Sequence[float]:
    return [past[o.agent].stagnant if o.profile.idle else 0 for o in options]


def _stagnation_unless_done(options: Sequence[Option], past: _Past) -> Sequence[float]:
    return [past[o.agent].stagnant if o.profile.idle and not o.profile.done else 0 for o in options]


def _load(options: Sequence[Option], scene: Scene) -> Sequence[float]:
    """C_load of Eq. 3.

    Its denominator is 0 when an agent that has never acted idles. One half stands in for 0 there
    (notes 2.3): the term stays finite, is 0 when nobody has acted yet, and idling still costs an
    untried agent more (2 * mean) than acting does (1 * mean).
    """
    acted = scene.acted
    mean = sum(acted.values()) / max(len(acted), 1)
    if not mean:
        return [0.0] * len(options)
    return [mean / (acted[o.agent] + (not o.profile.idle) or 0.5) for o in options]


def _travel(options: Sequence[Option], scene: Scene) -> Sequence[float]:
    return [o.profile.steps for o in options]


def _risk(options: Sequence[Option], scene: Scene) -> Sequence[float]:
    return [o.profile.failure for o in options]


def _progress(options: Sequence[Option], scene: Scene) -> Sequence[float]:
    return [-o.profile.progress for o in options]


def _idling(options: Sequence[Option], scene: Scene) -> Sequence[float]:
    return [1 if o.profile.idle and not o.profile.done else 0 for o in options]


def _wish(options: Sequence[Option], scene: Scene) -> Sequence[float]:
    """The model's rank; a safe candidate counts as ranked behind three of the model's."""
    return [3 if o.candidate.source == "safe" else min(o.candidate.rank, 10) for o in options]


def _of_whole(name: str, figures: Callable[[Sequence[Option], _Past], Sequence[float]]) -> Column:
    return Column(name, lambda options, scene: figures(options, scene.whole))


def _of_fresh(name: str, figures: Callable[[Sequence[Option], _Past], Sequence[float]]) -> Column:
    return Column(name, lambda options, scene: figures(options, scene.fresh))


PAPER_TERMS: dict[str, CostTerm] = {
    "cyclic": _of_whole("cyclic", _cyclic),
    "failure": _of_whole("failure", _failure),
    "oscillation": _of_whole("oscillation", _oscillation),
    "backtracking": _of_whole("backtracking", _backtracking),
    "stagnation": _of_whole("stagnation", _stagnation),
    "load": Column("load", _load),
}
"""The patterns of Table 7 over the whole past, and Eq. 3."""

DEFAULT_TERMS: dict[str, CostTerm] = {
    "cyclic": _of_fresh("cyclic", _cyclic),
    "failure": _of_fresh("failure", _stale_failure),
    "oscillation": _of_fresh("oscillation", _oscillation),
    "backtracking": _of_fresh("backtracking", _backtracking),
    "stagnation": _of_fresh("stagnation", _stagnation_unless_done),
    "load": Column("load", _load),
    "travel": Column("travel", _travel),
    "risk": Column("risk", _risk),
    "progress": Column("progress", _progress),
    "idling": Column("idling", _idling),
    "wish": Column("wish", _wish),
}
"""The same, forgetting patterns after real work, and what the paper's objective lacks."""
