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
_LOOK_AHEAD = 12  # words behind an opening in which the rest of a phrase is looked for


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
class _Opening:
    """A verb, and the words that must follow if other verbs open alike."""

    verb: str
    tail: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What starts an action: a verb by its words, longest first.

    `calls`: verb by the normal form of its name (`navigateto`). `openings`: verbs by the opening
    words of their phrases. `choices`: fixed choice by normal form, aliases included. `nouns`: words
    that may stand before a name and say only what kind of thing it is. `orders`: for each verb
    and argument count, the order in which its phrases name the parameters. `before`: for a verb
    with one argument, the words that stand right before it ("on", "in"). `goes`: the verb that
    "go to" stands for ("" if none). `sorts`: kind by the words that name it.
    """

    calls: dict[str, str]
    openings: dict[tuple[str, ...], tuple[_Opening, ...]]
    longest: int
    choices: dict[str, str]
    nouns: frozenset[str]
    orders: dict[tuple[str, int], tuple[tuple[int, ...], ...]]
    before: dict[str, frozenset[str]]
    idle: str
    done: str
    goes: str
    sorts: dict[str, str]

    def opening(self, words: Sequence[Word], at: int) -> tuple[tuple[str, ...], int]:
        """The verbs that may start at word `at` and the index behind it; ((), at) if none does.

        Several verbs can open alike ("turn X on", "turn X off", "turn left"): those stay whose
        further words follow, the ones with most such words first and alone.
        """
        key: list[str] = []
        best: tuple[tuple[_Opening, ...], int] = ((), at)
        for end in range(at, min(at + self.longest, len(words))):
            if words[end].mark:
                break
            key.append(words[end].low)
            if end + 1 < len(words) and words[end + 1].chunk == words[end].chunk:
                continue  # inside a name: "deposit" of `DepositFacility` opens nothing
            found = self.openings.get(tuple(key))
            if found is not None:
                best = (found, end + 1)
        openings, after = best
        if len({o.verb for o in openings}) > 1:
            following = {w.low for w in words[after : after + _LOOK_AHEAD]}
            openings = tuple(o for o in openings if following.issuperset(o.tail))
            most = max((len(o.tail) for o in openings), default=0)
            openings = tuple(o for o in openings if len(o.tail) == most)
        verbs = tuple(dict.fromkeys(o.verb for o in openings))
        return (verbs, after) if verbs else ((), at)

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


def _phrase_parts(phrase: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words before the first slot of a phrase, and all words behind it."""
    head, *rest = _SLOT.split(phrase)
    tail = " ".join(rest[1::2])  # every other piece is a slot's name
    return _low(head), _low(tail)


def _low(text: str) -> tuple[str, ...]:
    return tuple(w.low for w in split_words(text) if w.low)


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

    openings: dict[tuple[str, ...], dict[_Opening, None]] = {}

    def add(words: tuple[str, ...], verb: str, tail: tuple[str, ...] = ()) -> None:
        if not words:
            return
        for first in _inflected(words[0]):
            openings.setdefault((first, *words[1:]), {}).setdefault(_Opening(verb, tail))

    for schema in vocabulary.schemas:
        spelled = tuple(w.low for w in split_words(schema.verb) if w.low)
        add(spelled, schema.verb)
        add((normal(schema.verb),), schema.verb)  # "navigateto X"
        for phrase in schema.phrases:
            opening, tail = _phrase_parts(phrase)
            add(opening, schema.verb, tail)
            while len(opening) > 1 and opening[-1] in noun_words:
                opening = opening[:-1]  # "navigate to X" beside "navigate to object X"
                add(opening, schema.verb, tail)
    for schema in vocabulary.schemas:
        spelled = tuple(w.low for w in split_words(schema.verb) if w.low)
        while len(spelled) > 1 and spelled[-1] in noun_words | {"to"}:
            spelled = spelled[:-1]
            add(spelled, schema.verb)
    for words, to in aliases:
        if to in verbs:
            add(words, to)
            calls.setdefault("".join(words), to)
    going = openings.get(("go", "to")) or openings.get(("go",)) or {}
    goes = next((o.verb for o in going), "")
    if goes:
        for word in _GOES:
            add((word,), goes)
            add((word, "to"), goes)

    idle = next((s.verb for s in vocabulary.schemas if s.idle and s.verb == "Idle"), "")
    idle = idle or next((s.verb for s in vocabulary.schemas if s.idle and not s.parameters), "")
    done = next((s.verb for s in vocabulary.schemas if s.ends and not s.parameters), "")
    idles = {s.verb for s in vocabulary.schemas if s.idle}
    for wait in _WAITS if idle else ():
        words = tuple(wait.split())
        if not any(o.verb in idles for o in openings.get(words, ())):
            add(words, WAIT)

    choices = {normal(c): c for s in vocabulary.schemas for p in s.parameters for c in p.choices}
    choices |= {"".join(words): to for words, to in aliases if to not in verbs and "".join(words)}
    return Lexicon(
        calls,
        {words: tuple(found) for words, found in openings.items()},
        max((len(k) for k in openings), default=1),
        choices,
        frozenset(noun_words),
        _orders(vocabulary.schemas),
        _before(vocabulary.schemas),
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


def _before(schemas: Sequence[ActionSchema]) -> dict[str, frozenset[str]]:
    result: dict[str, frozenset[str]] = {}
    for schema in schemas:
        if len(schema.parameters) == 1:
            heads = [_phrase_parts(phrase)[0] for phrase in schema.phrases]
            words = frozenset(head[-1] for head in heads if head)
            result[schema.verb] = result.get(schema.verb, frozenset()) | words
    return result
