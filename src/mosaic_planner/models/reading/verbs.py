"""The verbs of a vocabulary as a model may write them: call names, phrases, aliases, waits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from mosaic_planner.core.action import ActionSchema, Vocabulary
from mosaic_planner.models.reading.words import Word, normal, split_words

__all__ = ["WAIT", "Lexicon", "lexicon"]

WAIT = "(wait)"
"""Marks a verb that means to do nothing, in vocabularies that have an idle action."""

_SLOT = re.compile(r"\{(\w+)\}")
_WAITS = (
    "wait",
    "stay",
    "standby",
    "stand by",
    "stand still",
    "stay put",
    "hold position",
    "hold on",
    "hold",
    "remain",
    "pause",
    "rest",
    "do nothing",
    "no action",
    "noop",
    "no op",
    "no operation",
    "idle",
    "be idle",
    "await",
    "keep waiting",
    "nothing",
    "do not move",
    "be on standby",
    "on standby",
    "stay idle",
    "remain idle",
    "does nothing",
    "don t move",
    "no action needed",
    "no action required",
    "not applicable",
)
_GOES = ("head", "proceed", "travel", "walk", "approach", "return", "run", "reach")
_VOWELS = "aeiou"


def _inflected(word: str) -> tuple[str, ...]:
    """The word, its third person and its -ing forms."""
    stem = word[:-1] if word.endswith("e") and not word.endswith("ee") else word
    forms = [word, f"{word}s", f"{word}es", f"{stem}ing"]
    if len(word) > 2 and word[-1] not in _VOWELS + "wxy" and word[-2] in _VOWELS:
        forms.append(f"{word}{word[-1]}ing")
    if word.endswith("y"):
        forms.append(f"{word[:-1]}ies")
    return tuple(forms)


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What starts an action: a verb by its words, longest first.

    `calls`: verb by the normal form of its name (`navigateto`). `openings`: verb by the opening
    words of its phrases. `choices`: fixed choice by normal form, aliases included. `nouns`: words
    that may stand before a name and say only what kind of thing it is. `orders`: for each verb
    and argument count, the order in which its phrases name the parameters. `goes`: the verb that
    "go to" stands for ("" if none). `sorts`: kind by the words that name it.
    """

    calls: dict[str, str]
    openings: dict[tuple[str, ...], str]
    longest: int
    choices: dict[str, str]
    nouns: frozenset[str]
    orders: dict[tuple[str, int], tuple[tuple[int, ...], ...]]
    idle: str
    done: str
    goes: str
    sorts: dict[str, str]

    def opening(self, words: Sequence[Word], at: int) -> tuple[str, int]:
        """The verb that starts at word `at` and the index behind it; ("", at) if none does."""
        key: list[str] = []
        best = ("", at)
        for end in range(at, min(at + self.longest, len(words))):
            if words[end].mark:
                break
            key.append(words[end].low)
            if end + 1 < len(words) and words[end + 1].chunk == words[end].chunk:
                continue  # inside a name: "deposit" of `DepositFacility` opens nothing
            verb = self.openings.get(tuple(key))
            if verb is not None:
                best = (verb, end + 1)
        return best

    def call(self, words: Sequence[Word], at: int) -> tuple[str, int]:
        """The verb of a call form `Verb(` that starts at `at`, and the index of its bracket."""
        key = ""
        for end in range(at, min(at + 6, len(words))):
            if words[end].raw == "(":
                return (self.calls.get(key, ""), end) if key in self.calls else ("", at)
            if words[end].mark:
                break
            key += words[end].low
        return "", at


def _phrase_opening(phrase: str) -> tuple[str, ...]:
    head = _SLOT.split(phrase, maxsplit=1)[0]
    return tuple(w.low for w in split_words(head) if w.low)


@lru_cache(maxsize=16)
def lexicon(vocabulary: Vocabulary) -> Lexicon:
    """Derive the lexicon of a vocabulary."""
    aliases = [(tuple(w.low for w in split_words(a)), to) for a, to in vocabulary.aliases]
    verbs = set(vocabulary.verbs)
    calls = {normal(v): v for v in vocabulary.verbs}
    nouns = {k.name for k in vocabulary.kinds} | {k.named_as for k in vocabulary.kinds}
    nouns |= {p.name for s in vocabulary.schemas for p in s.parameters}
    nouns |= {"object", "target", "location", "position", "item"}
    noun_words = {w.low for n in nouns for w in split_words(n) if w.low}

    openings: dict[tuple[str, ...], str] = {}

    def add(words: tuple[str, ...], verb: str) -> None:
        if not words:
            return
        for first in _inflected(words[0]):
            openings.setdefault((first, *words[1:]), verb)

    for schema in vocabulary.schemas:
        spelled = tuple(w.low for w in split_words(schema.verb) if w.low)
        add(spelled, schema.verb)
        for phrase in schema.phrases:
            opening = _phrase_opening(phrase)
            add(opening, schema.verb)
            while len(opening) > 1 and opening[-1] in noun_words:
                opening = opening[:-1]  # "navigate to X" beside "navigate to object X"
                add(opening, schema.verb)
    for schema in vocabulary.schemas:
        spelled = tuple(w.low for w in split_words(schema.verb) if w.low)
        while len(spelled) > 1 and spelled[-1] in noun_words | {"to", "at", "on", "in"}:
            spelled = spelled[:-1]
            add(spelled, schema.verb)
    for words, to in aliases:
        if to in verbs:
            add(words, to)
            calls.setdefault("".join(words), to)
    goes = openings.get(("go", "to")) or openings.get(("go",), "")
    if goes:
        for word in _GOES:
            add((word,), goes)
            add((word, "to"), goes)

    idle = next((s.verb for s in vocabulary.schemas if s.idle and s.verb == "Idle"), "")
    idle = idle or next((s.verb for s in vocabulary.schemas if s.idle and not s.parameters), "")
    done = next((s.verb for s in vocabulary.schemas if s.ends and not s.parameters), "")
    if idle:
        for wait in _WAITS:
            add(tuple(wait.split()), WAIT)

    choices = {normal(c): c for s in vocabulary.schemas for p in s.parameters for c in p.choices}
    choices |= {"".join(words): to for words, to in aliases if to not in verbs and "".join(words)}
    return Lexicon(
        calls,
        openings,
        max((len(k) for k in openings), default=1),
        choices,
        frozenset(noun_words),
        _orders(vocabulary.schemas),
        idle,
        done,
        goes,
        {normal(w): k.name for k in vocabulary.kinds for w in (k.named_as, k.name) if w},
    )


def _orders(schemas: Sequence[ActionSchema]) -> dict[tuple[str, int], tuple[tuple[int, ...], ...]]:
    result: dict[tuple[str, int], tuple[tuple[int, ...], ...]] = {}
    for schema in schemas:
        names = [p.name for p in schema.parameters]
        for phrase in schema.phrases:
            slots = [s for s in _SLOT.findall(phrase) if s in names]
            if sorted(slots) == sorted(names) and names:
                key = (schema.verb, len(names))
                order = tuple(names.index(s) for s in slots)
                if order not in result.get(key, ()):
                    result[key] = (*result.get(key, ()), order)
    return result
