"""Cost terms: raw figures for options, which a cost profile weighs and adds up.

A term of your own is any object with a `name` and a method `cost(option, scene)`, or a `Term` made
from a function. Each must look at one option only, because the cost of a joint action is the sum
over its options (Eq. 1). The terms that come with the room are each a `Column`: they figure out
all options in one go, which is several times as fast. One of them, `plan`, needs them all:
whether the model's plan is sound is one fact of the whole step, the same for every joint action.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from mosaic_planner.coordination.patterns import (
    PLACES_WINDOW,
    Recent,
    cycles,
    failures,
    oscillations,
)
from mosaic_planner.coordination.problem import Option
from mosaic_planner.coordination.profile import FRUITLESS
from mosaic_planner.core.belief import Beliefs
from mosaic_planner.core.geometry import Cell
from mosaic_planner.core.history import History

__all__ = ["DEFAULT_TERMS", "PAPER_TERMS", "Column", "CostTerm", "Scene", "Term"]


_Behind = tuple[Cell | None, Cell | None, tuple[Cell, ...]]


@dataclass(slots=True)
class Past:
    """Digests of everybody's past, and what several terms ask about one list of options."""

    of: dict[str, Recent]
    _asked: Sequence[Option] = ()
    _codes: list[int] = field(default_factory=list)
    _cycles: dict[str, dict[object, int]] = field(default_factory=dict)
    _behind: dict[str, _Behind] = field(default_factory=dict)

    def codes(self, options: Sequence[Option]) -> list[int]:
        """For each option the number of its action in its agent's past, -1 if it has none."""
        if options is not self._asked:
            of = self.of
            self._asked = options
            self._codes = [
                of[o.agent].number.get(((a := o.candidate.action).verb, a.args), -1)
                for o in options
            ]
        return self._codes

    @property
    def cycles(self) -> dict[str, dict[object, int]]:
        """By agent, which actions would go on with a cycle and how much that counts."""
        if not self._cycles:
            self._cycles.update({a: cycles(r.actions) for a, r in self.of.items()})
        return self._cycles

    @property
    def behind(self) -> dict[str, _Behind]:
        """By agent, the present place, the one before, and those before that which still count."""
        if not self._behind:
            for agent, digest in self.of.items():
                places = digest.places
                count = len(places)
                self._behind[agent] = (
                    places[-1] if count else None,
                    places[-2] if count > 1 else None,
                    places[-1 - PLACES_WINDOW : -2] if count > 2 else (),
                )
        return self._behind


@dataclass(slots=True)
class Scene:
    """What a cost term may look at besides the option: beliefs, history, and digests of it."""

    beliefs: Beliefs
    history: History
    agents: tuple[str, ...]
    _whole: Past | None = None
    _fresh: Past | None = None
    _acted: dict[str, int] = field(default_factory=dict)

    @property
    def whole(self) -> Past:
        """By agent, a digest of its whole past."""
        if self._whole is None:
            self._whole = Past({a: Recent.of(self.history.of(a)) for a in self.agents})
        return self._whole

    @property
    def fresh(self) -> Past:
        """By agent, a digest of its past since its last real work."""
        if self._fresh is None:
            of, past = Recent.of, self.history.of
            self._fresh = Past({a: of(past(a), since_work=True) for a in self.agents})
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
    """A cost term that figures out many options at once; no figures at all mean all are 0."""

    name: str
    figures: Callable[[Sequence[Option], Scene], Sequence[float]]

    def cost(self, option: Option, scene: Scene) -> float:
        """The figure of one option."""
        figures = self.figures((option,), scene)
        return figures[0] if figures else 0.0


def _cyclic(options: Sequence[Option], past: Past) -> Sequence[float]:
    cycles = past.cycles
    if not any(cycles.values()):
        return ()
    return [
        cycles[o.agent].get(code, 0) for o, code in zip(options, past.codes(options), strict=True)
    ]


def _failure(options: Sequence[Option], past: Past) -> Sequence[float]:
    return [
        failures(past.of[o.agent].attempts, o.candidate.action) if code >= 0 else 0
        for o, code in zip(options, past.codes(options), strict=True)
    ]


def _stale_failure(options: Sequence[Option], past: Past) -> Sequence[float]:
    """Failures of this very action since the agent last worked, in a row or not."""
    of = past.of
    return [
        of[o.agent].failed.count(code) if code >= 0 else 0
        for o, code in zip(options, past.codes(options), strict=True)
    ]


def _oscillation(options: Sequence[Option], past: Past) -> Sequence[float]:
    behind, of = past.behind, past.of
    return [
        oscillations(of[o.agent].places, path[-1][0])
        if (path := o.profile.path) and path[-1][0] == behind[o.agent][1]
        else 0
        for o in options
    ]


def _backtracking(options: Sequence[Option], past: Past) -> Sequence[float]:
    """`patterns.backtracks`, all at once."""
    found: list[float] = []
    behind = past.behind
    for o in options:
        last, before, earlier = behind[o.agent]
        path = o.profile.path
        if not earlier or not path or (end := path[-1][0]) == last or end == before:
            found.append(0)
        else:
            found.append(earlier.count(end))
    return found


def _stagnation(options: Sequence[Option], past: Past) -> Sequence[float]:
    return [past.of[o.agent].stagnant if o.profile.idle else 0 for o in options]


def _stagnation_unless_done(options: Sequence[Option], past: Past) -> Sequence[float]:
    of = past.of
    return [of[o.agent].stagnant if o.profile.idle and not o.profile.done else 0 for o in options]


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


def _plan(options: Sequence[Option], scene: Scene) -> Sequence[float]:
    """1 for whatever leaves the plan of the model, if that plan is sound.

    The plan is the first candidate of every agent. A model makes them fit together, and what it
    ranks behind them fits less often. It is sound if every agent's first candidate can work at all
    and brings the mission nearer, or idles where nothing is left to do; a model that lost sight of
    one agent has not made the others' actions fit either.
    """
    kept = [
        not o.candidate.rank
        and o.candidate.source == "model"
        and (o.profile.progress >= FRUITLESS or o.profile.done)
        for o in options
    ]
    sound = len({o.agent for o, keep in zip(options, kept, strict=True) if keep})
    return [not keep for keep in kept] if sound == len(scene.agents) else ()


def _of_whole(name: str, figures: Callable[[Sequence[Option], Past], Sequence[float]]) -> Column:
    return Column(name, lambda options, scene: figures(options, scene.whole))


def _of_fresh(name: str, figures: Callable[[Sequence[Option], Past], Sequence[float]]) -> Column:
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
    "plan": Column("plan", _plan),
}
"""The same, forgetting patterns after real work, and what the paper's objective lacks."""
