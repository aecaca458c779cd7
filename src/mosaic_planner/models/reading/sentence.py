"""Where things stand in an action text: verbs, names, the end of an action, unknown words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from mosaic_planner.models.reading.english import BREAKS, LEAD, LINKS, SMALL
from mosaic_planner.models.reading.verbs import Lexicon
from mosaic_planner.models.reading.words import OWNS, Entities, Mention, Word, find_mentions

__all__ = ["Sentence", "Span"]

Span = tuple[int, int]
"""Word indices, the end excluded."""

_NEGATIONS = frozenset({"not", "never", "don", "avoid", "cannot", "can", "instead", "without"})


@dataclass(frozen=True, slots=True)
class Sentence:
    """The words of an action text with what is needed to recognise verbs and names in them."""

    words: tuple[Word, ...]
    lexicon: Lexicon
    index: Entities

    def starts_run(self, at: int) -> bool:
        """Whether the word begins an unbroken run, so that it is no part of a name."""
        return at == 0 or self.words[at - 1].chunk != self.words[at].chunk

    def line_starts(self) -> list[int]:
        """Word indices at which later lines begin."""
        marks = [k + 1 for k, w in enumerate(self.words) if w.raw == "\n"]
        return [k for k in marks if k < len(self.words) and not self.words[k].mark] or [-1]

    def start(self, agent: str) -> tuple[int, str]:
        """Where the action begins, behind numbering, addresses and small words.

        Also the agent that the text addresses, if it is another one than `agent` ("" is any).
        """
        at = 0
        for_agent = not agent
        while at < len(self.words):
            word = self.words[at]
            if [w.low for w in self.words[at : at + 3]] == ["go", "ahead", "and"]:
                at += 3
                continue
            if self.verb(at)[0]:
                break
            named = find_mentions(self.words[at : at + 8], self.index, {})
            if named and named[0].start == 0:
                after = at + named[0].end
                follows = self.words[after].raw.lower() if after < len(self.words) else ""
                if follows not in LEAD | {":", ","}:
                    break
                for_agent = for_agent or named[0].name == agent
                if not for_agent and follows not in (",", "and"):
                    return at, named[0].name
                at = after
            elif word.mark or word.low.isdigit() or word.low in LEAD:
                at += 1
            else:
                break
        return at, ""

    def first_call(self) -> Span | None:
        """The first call form anywhere that is not denied: its first word and its bracket."""
        for k in range(len(self.words)):
            verb, bracket = self.lexicon.call(self.words, k)
            if verb and self.starts_run(k):
                before = {w.low for w in self.words[max(k - 5, 0) : k]}
                if not before & _NEGATIONS:
                    return k, bracket
        return None

    @property
    def negated(self) -> bool:
        """Whether the text says what not to do."""
        return any(w.low in ("not", "never", "don", "avoid") for w in self.words)

    def brackets(self, opening: int) -> Span:
        """What stands inside the bracket that opens there (to the end if it does not close)."""
        depth, close = 1, opening + 1
        while close < len(self.words) and depth:
            depth += {"(": 1, ")": -1}.get(self.words[close].raw, 0)
            close += 1
        return opening + 1, close - 1 if not depth else close

    def verb(self, at: int) -> tuple[str, int, bool]:
        """The likeliest of `verbs` ("" if there is none)."""
        verbs, after, called = self.verbs(at)
        return (verbs[0] if verbs else ""), after, called

    def verbs(self, at: int) -> tuple[tuple[str, ...], int, bool]:
        """What may start at `at`, the index behind it, and whether arguments in brackets follow."""
        if at < 0 or at >= len(self.words):
            return (), at, False
        verb, bracket = self.lexicon.call(self.words, at)
        if verb:
            return (verb,), bracket, True
        verbs, after = self.lexicon.opening(self.words, at)
        called = bool(verbs) and after < len(self.words) and self.words[after].raw == "("
        return verbs, after, called

    def boundary(self, start: int, verb: str) -> int:
        """The first word at or behind `start` that no longer belongs to an action of `verb`."""
        for k in range(start, len(self.words)):
            word = self.words[k]
            if word.raw == ":" and k == start:
                continue  # "navigate to object: X"
            if word.raw in (";", "\n", ".", "!", "?", "->", "=>", ":") or word.low in BREAKS:
                return k
            low = word.low or word.raw
            follows = k + 1
            while follows < len(self.words) and (
                self.words[follows].low or self.words[follows].raw
            ) in LINKS | {"then"}:
                follows += 1
            next_verb = self.verb(follows)[0] if low in LINKS else ""
            same = low == "to" and next_verb == verb  # "use Water to extinguish GreatFire"
            if next_verb and not same and self.starts_run(follows):
                return k
            if k > start and self.starts_run(k) and self.lexicon.call(self.words, k)[0]:
                return k
        return len(self.words)

    def mentions(self, span: Span) -> list[Mention]:
        """The names and choices among those words."""
        found = find_mentions(self.words[span[0] : span[1]], self.index, self.lexicon.choices)
        return [Mention(m.start + span[0], m.end + span[0], m.name, m.kind) for m in found]

    def only_of_sort(self, *spans: Span) -> Mention | None:
        """The only known thing of the one kind that the text names ("the deposit")."""
        words = [w.low for a, b in spans for w in self.words[a:b]]
        # An opening may have taken the word for the kind ("navigate to deposit").
        words += [w.low for w in self.words[max(spans[0][0] - 1, 0) : spans[0][0]]]
        kinds = {self.lexicon.sorts[w] for w in words if w in self.lexicon.sorts}
        names = self.index.of_kinds(tuple(kinds)) if len(kinds) == 1 else ()
        if len(names) != 1:
            return None
        return Mention(len(self.words), len(self.words), names[0], next(iter(kinds)))

    def expected_first(self, verb: str, mentions: Sequence[Mention]) -> list[Mention]:
        """Mentions with those first that stand where the verb's phrases have their argument.

        So "place Mug_1 on Plate_1" is about the plate, though both could be put something on.
        """
        words = self.lexicon.before.get(verb, frozenset())

        def misplaced(mention: Mention) -> bool:
            at = mention.start - 1
            while at > 0 and self.words[at].low in self.lexicon.nouns | {"the", "a", "an"}:
                if self.words[at].low in words - {"the", "a", "an"}:
                    return False
                at -= 1
            return at < 0 or self.words[at].low not in words

        return sorted(mentions, key=misplaced)

    def commas(self, inside: Span) -> bool:
        """Whether arguments are separated there."""
        return any(w.raw == "," for w in self.words[inside[0] : inside[1]])

    def is_small(self, at: int) -> bool:
        """Whether the word is a mark or names nothing."""
        word = self.words[at]
        return word.mark or word.low in SMALL or word.low in self.lexicon.nouns

    def unknown_before(self, span: Span, mentions: Sequence[Mention]) -> str:
        """The first word of a sentence, up to its last mention, that is no small word."""
        end = max((m.end for m in mentions), default=span[1])
        first = min((m.start for m in mentions), default=span[1])
        for k in range(span[0], end):
            if any(m.start <= k < m.end for m in mentions) or self.owns(k):
                continue
            word = self.words[k]
            number = word.low.isdigit()
            after_noun = k > 0 and (
                self.words[k - 1].low in self.lexicon.nouns
                or self.words[k - 1].low in self.index.fragments
            )
            if number and not after_noun:
                continue
            if number or not self.is_small(k):
                if k > first and not word.name_like:
                    return ""  # behind the first name ordinary words only explain
                if number:
                    together = self.words[k - 1].chunk == word.chunk
                    return word.whole if together else f"{self.words[k - 1].raw} {word.raw}"
                return self.run(k)
        return ""

    def owns(self, at: int) -> bool:
        """Whether the word is an owner's name: `Alice` of "Alice's DepositFacility"."""
        k = at + 1
        while k < len(self.words) and self.words[k].chunk == self.words[at].chunk:
            k += 1
        return k < len(self.words) and self.words[k].raw == OWNS

    def run(self, at: int) -> str:
        """The unbroken run at `at`, with a number that follows it."""
        whole = self.words[at].whole
        k = at + 1
        while k < len(self.words) and (
            self.words[k].low in self.lexicon.nouns or self.words[k].low.isdigit()
        ):
            if self.words[k].low.isdigit() and self.words[k].chunk != self.words[at].chunk:
                return f"{whole} {self.words[k].raw}"
            k += 1
        return whole

    def unknown_in_call(self, inside: Span, mentions: Sequence[Mention]) -> str:
        """The first argument that names nothing known."""
        start = inside[0]
        for k in range(inside[0], inside[1] + 1):
            if k < inside[1] and self.words[k].raw != ",":
                continue
            part = range(start, k)
            start = k + 1
            free = [i for i in part if not any(m.start <= i < m.end for m in mentions)]
            named = len(free) < len(part)
            odd = [
                i
                for i in free
                if not self.is_small(i)
                and not self.words[i].low.isdigit()
                and (not named or self.words[i].name_like)
            ]
            if odd:
                return self.run(odd[0])
            plain = [self.words[i] for i in free if not self.words[i].mark]
            if not named and any(
                a.low in self.lexicon.nouns and b.low.isdigit() for a, b in pairwise(plain)
            ):
                return " ".join(w.raw for w in plain)  # "fire 3"
        return ""
