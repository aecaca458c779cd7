"""From the words of an instruction to goals: what has to be where, and what has to be how.

A goal names kinds of things by lower-case words without blanks, as `household_sense` does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from mosaic_planner.models.standin.household_sense import ANYTHING, CATEGORIES, LIGHTS, SYNONYMS

__all__ = ["Chore", "matches", "read_chores"]

_MOVES = "put|store|bring|set|gather|carry|move|place|sort|pack|stow|take"
_VERBS = rf"{_MOVES}|slice|cut|chop|crack|clean|wash|rinse|open|close|shut|turn|switch|toggle"
_VERB = re.compile(rf"(?<!light )\b({_VERBS})\b")  # a light switch is no order to switch
_TIDY = re.compile(r"\b(?:tidy|clear)(?: up)? (?:the |a )?([\w ]+?)(?: by\b|:|,|\.|$)(.*)")
_FILTER = re.compile(rf"\b(?:{_MOVES}) (.+?) (?:where|in|into|at|to)\b")
_ALL_FROM = re.compile(
    r"\b(?:everything|all things|all items)(?: that is| which is)? (?:on|in|from) (?:the |a )?"
    r"([\w ]+?) (?:over )?(?:to|onto|into|on|in) (?:the |a )?([\w ]+)"
)
_SWITCHED = re.compile(r"\b(?:sure that|sure|that) (.+?) (?:is|are) (on|off|open|closed|clean)\b")
_TO = re.compile(r"^(.*) (?:over to|into|onto|in|on|to) (.+)$")
_DETERMINER = re.compile(
    r"^(?:(?:all|every|each|both|any|some|the|a|an|of|appropriate|central|dirty|kitchen)\s+)+"
)
_EVERY = re.compile(r"\b(?:all|every|each|everything|both)\b")
_STATES = {
    "slice": "sliced", "cut": "sliced", "chop": "sliced", "crack": "sliced", "clean": "clean",
    "wash": "clean", "rinse": "clean", "open": "open", "close": "closed", "shut": "closed",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Chore:
    """One goal.

    `kinds`: what it is about (`ANYTHING` for whatever is there). `state`: the word that must be
    true of it ("sliced", "clean", "open", "closed", "on", "off"), "" for a matter of place.
    `places`: kinds of receptacles to bring it to; () means where each thing belongs. `source`:
    only what lies on these kinds. `every`: all of them, else one of each kind.
    """

    kinds: tuple[str, ...]
    state: str = ""
    places: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    every: bool = False


def matches(kind: str, kinds: tuple[str, ...]) -> bool:
    """Whether a kind is among `kinds`; "*table" stands for every kind that ends so."""
    return any(k in (kind, ANYTHING) or (k.startswith("*") and kind.endswith(k[1:])) for k in kinds)


def read_chores(instruction: str) -> tuple[Chore, ...]:
    """The goals of an instruction, in its order; empty if nothing in it is understood."""
    text = " ".join(instruction.lower().replace("-", " ").split())
    tidy = _TIDY.search(text)
    if tidy is not None:
        named = _FILTER.search(tidy[2])
        kinds = _kinds(named[1])[0] if named else ()
        known = all(k in _KNOWN for k in kinds)
        return (Chore(kinds if kinds and known else (ANYTHING,), "", (), _noun(tidy[1])[0], True),)
    moved = _ALL_FROM.search(text)
    if moved is not None:
        return (Chore((ANYTHING,), "", _noun(moved[2])[0], _noun(moved[1])[0], True),)
    if re.search(r"\bdark\b|\bno lights?\b", text):
        return (Chore(LIGHTS, "off", every=True),)
    chores: list[Chore] = []
    for kinds, state in _SWITCHED.findall(text):
        chores.append(Chore(_kinds(kinds)[0], state, every=True))
    if chores:
        return tuple(chores)
    for verb, rest in _clauses(text):
        chores += _clause(verb, rest, chores)
    return tuple(chores)


_KNOWN = frozenset(k for kinds in CATEGORIES.values() for k in kinds)


def _clauses(text: str) -> list[tuple[str, str]]:
    """Every (verb, what follows up to the next verb)."""
    found = list(_VERB.finditer(text))
    ends = [*(m.start() for m in found[1:]), len(text)][: len(found)]
    return [(m[1], text[m.end() : end]) for m, end in zip(found, ends, strict=True)]


def _clause(verb: str, rest: str, before: list[Chore]) -> list[Chore]:
    rest = re.split(r"[.;]| by | if | so that ", rest)[0]
    rest = re.sub(r"(?:,|\band\b|\s)+$", "", rest).strip()
    if verb in ("turn", "switch", "toggle"):
        state = "off" if re.search(r"\boff\b", rest) else "on"
        kinds, _ = _kinds(re.sub(r"\b(?:on|off)\b", " ", rest).strip())
        return [Chore(kinds, state, every=True)] if kinds else []
    if verb in _STATES:
        if rest in ("it", "them"):
            places = before[-1].places if before else ()
            return [Chore(places, "closed", every=True)] if _STATES[verb] == "closed" else []
        kinds, every = _kinds(rest)
        every = every or verb not in ("slice", "cut", "chop", "crack")
        return [Chore(kinds, _STATES[verb], every=every)] if kinds else []
    parts = _TO.match(rest)
    if parts is None:
        return []
    kinds, every = _kinds(parts[1])
    places, _ = _noun(parts[2])
    return [Chore(kinds, "", places, every=every)] if kinds else []


def _kinds(text: str) -> tuple[tuple[str, ...], bool]:
    """The kinds that a list of nouns names, and whether all of each are meant."""
    found: dict[str, None] = {}
    every = _EVERY.search(text) is not None
    for part in re.split(r",| and |&", text):
        kinds, several = _noun(part)
        found.update(dict.fromkeys(kinds))
        every = every or several
    return tuple(found), every


def _noun(text: str) -> tuple[tuple[str, ...], bool]:
    """Kinds of one noun phrase, and whether it means several kinds at once."""
    text = re.sub(r"^(?:and|with)\s+", "", text.strip(" .,:;"))
    if "sliced" in text or "sliceable" in text:
        return CATEGORIES["sliceable"], True
    text = _DETERMINER.sub("", text + " ").strip()
    text = re.sub(r" (?:items?|objects?|things?)$", "", text)
    if not text or text in ("it", "them"):
        return (), False
    if text == "lights":
        return LIGHTS, True
    words = text.split()
    word = "".join([*words[:-1], _singular(words[-1])])
    if word in CATEGORIES:
        return CATEGORIES[word], True
    return SYNONYMS.get(word, (word,)), False


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("oes", "ches", "shes", "xes")):
        return word[:-2]
    if word.endswith("knives"):
        return word[:-3] + "fe"
    if word.endswith("shelves"):
        return word[:-3] + "f"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word
