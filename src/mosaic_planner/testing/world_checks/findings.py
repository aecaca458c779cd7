"""Problems of a world, and calls into it that may fail without ending the examination."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

__all__ = ["CHECKS", "Abandoned", "Findings", "Problem"]

CHECKS: dict[str, str] = {
    "factory.options": "is called as `mosaic run` calls it and makes a world",
    "factory.world": "what it makes has all parts of a world",
    "factory.team": "makes the asked team; an impossible one is a UsageError",
    "factory.instances": "makes a new world each time",
    "words.vocabulary": "verbs, parameters, kinds and phrases are well-formed and declared",
    "words.aliases": "aliases stand for verbs and choices",
    "words.idle": "there is an `Idle`, and something else to do",
    "words.phrases": "every phrase is read back as its action",
    "words.prompts": "planners' prompts list exactly the vocabulary",
    "words.briefing": "the mission is said; lists are tuples of texts",
    "words.geometry": "unit and directions make sense",
    "words.names": "the world has a version; names of agents and things can be read back",
    "observations.agents": "every agent is observed, after reset and each step",
    "observations.values": "types and ranges of every field",
    "observations.places": "all agents see a thing at one place, team mates where they are",
    "observations.view": "what is in `view` is seen, or memory takes it for gone",
    "observations.names": "only what was sighted is offered to be named",
    "observations.text": "what may be named stands in the text",
    "observations.hidden": "nothing is told of things that nobody has seen",
    "observations.kept": "observations do not change later",
    "steps.raises": "neither reset nor step raises",
    "steps.joint": "the joint action that is handed in stays as it is",
    "steps.outcomes": "one outcome per agent, with a reason if it failed",
    "steps.idle": "idling succeeds, costs nothing and is marked",
    "steps.effects": "effects come from successes and name the team",
    "untrusted.raises": "malformed and hallucinated actions do not raise",
    "untrusted.succeeds": "what does not exist does not succeed",
    "untrusted.changes": "what does not exist changes nothing",
    "score.values": "types and ranges; success means all subtasks; not at the start",
    "score.monotone": "coverage and totals are never taken back",
    "score.pure": "asking twice gives the same",
    "data.json": "snapshot, static and settings are JSON values",
    "data.fixed": "vocabulary, briefing, static and settings stay during an episode",
    "repeat.reset": "a used world, reset, gives the same episode",
    "repeat.instances": "instances share nothing that changes",
    "repeat.settings": "settings() builds an equal world",
    "repeat.processes": "other processes and hash seeds give the same bytes",
    "rules.raises": "profile and fallbacks never raise, whatever is believed",
    "rules.values": "types and ranges of profiles; reasons",
    "rules.hallucinated": "what does not exist is ineligible",
    "rules.eligible": "something is eligible",
    "rules.beliefs": "profiles follow from beliefs alone",
    "rules.fallbacks": "safe candidates are eligible and end with idling",
    "noise.raises": "works behind noisy sensors",
    "noise.words": "texts can follow what noisy sensors see",
    "episode.raises": "whole episodes of several methods run to their end",
    "episode.repeats": "two equal episodes leave equal traces",
    "examination.stopped": "nothing else is so wrong that a check could not be finished",
}
"""All checks: subject and name, and what holds if it finds nothing."""

_MOST_OF_A_KIND = 3
"""More problems of one check are only counted: they usually have one cause."""

P = ParamSpec("P")
T = TypeVar("T")


class Abandoned(Exception):
    """The rest of a check makes no sense any more; why is among the findings."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A broken promise: which check found it ("observations.places"), and what to do about it."""

    check: str
    text: str

    def __str__(self) -> str:
        return f"{self.check}: {self.text}"


class Findings:
    """Collects problems by check, in the order found."""

    def __init__(self) -> None:
        self._texts: dict[str, dict[str, None]] = {}
        self.notes: list[str] = []

    def add(self, check: str, text: str) -> None:
        """One more problem of one of `CHECKS`; the same text counts once."""
        if check not in CHECKS:
            raise KeyError(check)
        self._texts.setdefault(check, {})[text] = None

    def note(self, text: str) -> None:
        """Something that was not checked, and why."""
        if text not in self.notes:
            self.notes.append(text)

    def attempt(
        self, check: str, what: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Call into the world; an exception is a problem of `check`, and raises `Abandoned`."""
        try:
            return function(*args, **kwargs)
        except Exception as error:
            self.add(check, f"{what} raised {_said(error)}")
            raise Abandoned from error

    def stopped(self, what: str, error: Exception) -> None:
        """Something in the world was so wrong that a check broke: a problem too, never silence."""
        self.add("examination.stopped", f"{what} could not be checked to the end: {_said(error)}")

    def problems(self) -> tuple[Problem, ...]:
        """All of them, at most three of each check and how many more there are."""
        found: list[Problem] = []
        for check, texts in self._texts.items():
            found += [Problem(check, text) for text in list(texts)[:_MOST_OF_A_KIND]]
            more = len(texts) - _MOST_OF_A_KIND
            if more > 0:
                found.append(Problem(check, f"... and {more} more like these"))
        return tuple(found)


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
