"""Problems of a world, and calls into it that may fail without ending the examination."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

__all__ = ["Abandoned", "Findings", "Problem"]

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
        """One more problem; the same text counts once."""
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
            said = " ".join(str(error).split())[:200]
            self.add(check, f"{what} raised {type(error).__name__}: {said}")
            raise Abandoned from error

    def problems(self) -> tuple[Problem, ...]:
        """All of them, at most three of each check and how many more there are."""
        found: list[Problem] = []
        for check, texts in self._texts.items():
            found += [Problem(check, text) for text in list(texts)[:_MOST_OF_A_KIND]]
            more = len(texts) - _MOST_OF_A_KIND
            if more > 0:
                found.append(Problem(check, f"... and {more} more like these"))
        return tuple(found)
