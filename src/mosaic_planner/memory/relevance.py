"""Which entries deserve a line in an agent's prompt, and in what order.

Every entry has a class, from what its name, kind and attribute words share with the open subtasks
(`focus`) and with the task (`Briefing.task_words`)::

    0  held by this agent
    1  named by an open subtask (its name or an identifying part of it)
    2  of a kind, or with a property, that an open subtask mentions
    3  matters for the task
    4  other agents
    5  nothing to do with the task

Classes 0 to 4 are relevant; of class 5 at most a few nearest are shown, if there is room. Where
the cap cuts into a class, it keeps the nearest of each family in turn (a family is a kind and a
name without its number), so that twenty burning cells never crowd out the only reservoir. Shown
order: by class, then in the order in which entries became known, so that a list changes only
where something changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.observation import Value

__all__ = ["HELD", "MATE", "NOTHING", "Relevance", "choose", "family_of", "words_in"]

HELD, NAMED, RELATED, TASK, MATE, NOTHING = range(6)

_WORD = re.compile(r"[A-Za-z0-9_]+")
_PIECE = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_NUMBER = re.compile(r"[_\-]?\d+$")
_COMMON = frozenset(
    """a an and are as at be by each every find for from get go have in into is it its near need
    of on or other out put right left the their them then there to up use with""".split()  # noqa: SIM905
)


def words_in(texts: Iterable[str]) -> frozenset[str]:
    """Lower-case words of texts: whole words, and the pieces of `CamelCase_names_3`."""
    found: set[str] = set()
    for text in texts:
        for word in _WORD.findall(text):
            found.add(word.lower())
            found.update(_pieces(word))
    return frozenset(found - _COMMON)


def _pieces(word: str) -> set[str]:
    parts = {part.lower() for part in word.split("_")}
    parts.update(piece.lower() for piece in _PIECE.findall(word))
    return {part for part in parts if len(part) > 1 and not part.isdigit()}


def _forms(words: Iterable[str]) -> set[str]:
    """The words with and without a plural s."""
    forms = set(words)
    forms.update(word[:-1] for word in words if len(word) > 3 and word.endswith("s"))
    return forms


def family_of(name: str, kind: str) -> str:
    """What entries that differ only by their number share."""
    return f"{kind}:{_NUMBER.sub('', name)}"


class Relevance:
    """Classes of entries, worked out once per entry and change of focus."""

    def __init__(self, task_words: Sequence[str]) -> None:
        self._task = _forms(words_in(task_words))
        self._focus: set[str] = set()
        self._sentences: tuple[str, ...] = ()
        self._known: dict[tuple[str, str, tuple[tuple[str, Value], ...]], int] = {}

    def focus(self, words: Sequence[str]) -> bool:
        """Set the words of the open subtasks; True if that changed anything."""
        sentences = tuple(words)
        if sentences == self._sentences:
            return False
        self._sentences = sentences
        self._focus = _forms(words_in(sentences))
        self._known.clear()
        return True

    def class_of(self, name: str, kind: str, attributes: tuple[tuple[str, Value], ...]) -> int:
        """The class of an entry that is not held by the agent asking."""
        key = (name, kind, attributes)
        known = self._known.get(key)
        if known is None:
            if len(self._known) > 20_000:
                self._known.clear()
            known = self._known[key] = self._class_of(name, kind, attributes)
        return known

    def _class_of(self, name: str, kind: str, attributes: tuple[tuple[str, Value], ...]) -> int:
        of_kind = {kind.lower(), *_pieces(kind)}
        of_name = {name.lower(), *_pieces(name)}
        if self._focus & (of_name - of_kind):
            return NAMED
        words = of_kind | words_in(v for _, v in attributes if isinstance(v, str))
        if self._focus & words:
            return RELATED
        if not self._task or self._task & (of_name | words):
            return TASK
        return NOTHING


def choose(
    classes: NDArray[np.int64],
    distances: NDArray[np.float64],
    families: NDArray[np.int64],
    *,
    cap: int,
    spare: int,
) -> list[int]:
    """The entries to show, at most `cap`, of class `NOTHING` at most `spare`, in shown order.

    All three arrays run over the entries in the order in which they became known; `families`
    are numbers of families.
    """
    chosen: list[int] = []
    for group in sorted(set(classes.tolist())):
        room = cap - len(chosen)
        if group == NOTHING:
            room = min(room, spare)
        if room <= 0:
            break
        members = np.flatnonzero(classes == group)
        if len(members) > room:
            members = np.sort(_in_turn(members, distances[members], families[members])[:room])
        chosen += members.tolist()
    return chosen


def _in_turn(
    members: NDArray[np.int64], distances: NDArray[np.float64], families: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Nearest of every family first, then the second nearest of every family, and so on."""
    by_family = np.lexsort((members, distances, families))
    grouped = families[by_family]
    starts = np.flatnonzero(np.r_[True, grouped[1:] != grouped[:-1]])
    sizes = np.diff(np.r_[starts, len(grouped)])
    turns = np.empty(len(members), dtype=np.int64)
    turns[by_family] = np.arange(len(members)) - np.repeat(starts, sizes)
    return members[np.lexsort((members, distances, turns))]
