"""Words of an action text, and the entities and choices that it names.

A name is matched exactly or in normal form (case, spaces, underscores and CamelCase do not
matter, the digits of an id do); nothing here matches by likeness.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

__all__ = [
    "OWNS",
    "Entities",
    "Mention",
    "Word",
    "entities_index",
    "find_mentions",
    "normal",
    "split_words",
]

_CHUNK = re.compile(
    r"[A-Za-z0-9_\u00c0-\u1fff\u2c00-\uffff]+(?:-\d+(?![\d.]))?|[().,;:!?&+/\n\u2019]|->|=>"
)
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[\u00c0-\u1fff\u2c00-\uffff]+")
_APOSTROPHE = re.compile(r"(?<=\w)['\u2019\u2018](?:s\b|(?=\s|$))")
_NOT_NORMAL = re.compile(r"[^a-z0-9\u00c0-\u1fff\u2c00-\uffff]")


OWNS = "\u2019"
"""The mark that stands for a possessive ending."""


def normal(name: str) -> str:
    """The normal form of a name: lower case, letters and digits only."""
    return _NOT_NORMAL.sub("", name.lower())


@dataclass(frozen=True, slots=True)
class Word:
    """One piece of a text. `raw` as written; `low` its normal form ("" for punctuation).

    `chunk` numbers the unbroken runs of letters, digits and underscores: the pieces "Caldor",
    "Fire" and "1" of `CaldorFire_1` share one. `whole` is the run itself.
    """

    raw: str
    low: str
    chunk: int
    whole: str

    @property
    def mark(self) -> bool:
        """Whether it is punctuation."""
        return not self.low

    @property
    def name_like(self) -> bool:
        """Whether its run is written as a name is: with an underscore, a digit or CamelCase."""
        run = self.whole
        return "_" in run or any(c.isdigit() for c in run) or any(c.isupper() for c in run[1:])


@lru_cache(maxsize=4096)
def split_words(text: str) -> tuple[Word, ...]:
    """The words and punctuation marks of a text; a possessive ending becomes one mark."""
    words: list[Word] = []
    for number, found in enumerate(_CHUNK.finditer(_APOSTROPHE.sub(f" {OWNS} ", text))):
        run = found.group()
        pieces = _PIECE.findall(run)
        if not pieces:
            words.append(Word(run, "", number, run))
        words.extend(Word(p, p.lower(), number, run) for p in pieces)
    return tuple(words)


@dataclass(frozen=True, slots=True)
class Entities:
    """Names by normal form; a normal form that two names share maps to both."""

    kinds: dict[str, str]
    by_normal: dict[str, tuple[str, ...]]
    longest: int
    fragments: frozenset[str]

    def of_kinds(self, kinds: Sequence[str]) -> tuple[str, ...]:
        """Names of those kinds (all names if `kinds` is empty), in order."""
        return tuple(n for n, k in self.kinds.items() if not kinds or k in kinds)


@lru_cache(maxsize=64)
def entities_index(entities: tuple[tuple[str, str], ...]) -> Entities:
    """Index (name, kind) pairs; a later kind of the same name replaces the earlier one."""
    kinds = dict(entities)
    by_normal: dict[str, tuple[str, ...]] = {}
    fragments: set[str] = set()
    for name in kinds:
        key = normal(name)
        if key:
            by_normal[key] = (*by_normal.get(key, ()), name)
        fragments.update(w.low for w in split_words(name) if w.low and not w.low.isdigit())
    longest = max((len(n) for n in by_normal), default=0)
    return Entities(kinds, by_normal, longest, frozenset(fragments))


@dataclass(frozen=True, slots=True)
class Mention:
    """Words `start:end` name something: an entity (`kind` set) or a fixed choice (`kind` "")."""

    start: int
    end: int
    name: str
    kind: str = ""


def find_mentions(
    words: Sequence[Word], entities: Entities, choices: dict[str, str]
) -> tuple[Mention, ...]:
    """Every entity and choice named, longest match first, left to right.

    A match covers whole runs of characters only: `CaldorFire` is not named by
    `CaldorFire_Region_7`, nor by "CaldorFire region 7". `choices` maps normal forms to choices.
    """
    result: list[Mention] = []
    at = 0
    while at < len(words):
        if at and words[at - 1].chunk == words[at].chunk:
            at += 1
            continue
        found = _longest(words, at, entities, choices)
        if found is None:
            at += 1
        else:
            if result and result[-1].end == at - 1 and words[at - 1].raw == OWNS:
                result.pop()  # "Alice's DepositFacility" names the facility
            result.append(found)
            at = found.end
    return tuple(result)


def _longest(
    words: Sequence[Word], at: int, entities: Entities, choices: dict[str, str]
) -> Mention | None:
    key, best = "", None
    limit = max(entities.longest, 24)
    for end in range(at, len(words)):
        if words[end].mark:
            break
        key += words[end].low
        if len(key) > limit:
            break
        if end + 1 < len(words) and words[end + 1].chunk == words[end].chunk:
            continue
        names = entities.by_normal.get(key, ())
        exact = [n for n in names if n == words[at].whole]
        if len(names) == 1 or exact:
            name = exact[0] if exact else names[0]
            best = Mention(at, end + 1, name, entities.kinds[name])
        elif key in choices:
            best = Mention(at, end + 1, choices[key])
    if best is not None and best.kind and _longer_id(words, best.end, entities):
        return None
    return best


_AMOUNTS = frozenset({"time", "times", "unit", "units", "x", "step", "steps"})


def _longer_id(words: Sequence[Word], at: int, entities: Entities) -> bool:
    """Whether a number follows that makes the name another one ("RedFire region 9")."""
    while at < len(words) and words[at].low in entities.fragments and not words[at].name_like:
        if at + 1 >= len(words):
            return False
        at += 1
    if at >= len(words) or not words[at].low.isdigit():
        return False
    return at + 1 >= len(words) or words[at + 1].low not in _AMOUNTS
