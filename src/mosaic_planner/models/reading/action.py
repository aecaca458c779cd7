"""From an action text to an action of the vocabulary, or to a rejection with its reason.

Accepts call forms, the vocabulary's sentence forms, mixtures of both, and waits. A text that names
something unknown, a goal instead of an action, or too little is rejected: nothing is taken for
the nearest thing. Whatever was left out, completed or put in order is said in `reason`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from mosaic_planner.core.action import Action, Vocabulary
from mosaic_planner.models.reading.arguments import Fit, fit_form
from mosaic_planner.models.reading.english import BREAKS, DONE_WORDS, LEAD, LINKS, SMALL
from mosaic_planner.models.reading.keys import clean_text
from mosaic_planner.models.reading.suggest import missing_reason, suggest_action, suggest_name
from mosaic_planner.models.reading.verbs import WAIT, Lexicon, lexicon
from mosaic_planner.models.reading.words import (
    Entities,
    Mention,
    Word,
    entities_index,
    find_mentions,
    split_words,
)

__all__ = ["ACTION_RUNGS", "ReadAction", "read_action"]

ACTION_RUNGS = ("exact", "call", "sentence", "wait", "none")

_HEAD, _TAIL = 2000, 800  # characters of a longer text that are read
_CANONICAL = re.compile(r"([A-Za-z]\w*)(?:\(([^()]*)\))?\Z")
_NOTHING = frozenset({"", "none", "null", "n/a", "na", "nil", "{}", "[]", "...", "-", "()"})
_WRAPPERS = " \t\r\n`\"'*_\u201c\u201d\u2018\u2019[]{}<>"
_MARKER = re.compile(
    r"(?:^|[\s*_`\"'{])(?:final |next |chosen |my )?(?:action|answer)[*_`\"']*\s*[:=]", re.I
)


@dataclass(frozen=True, slots=True)
class ReadAction:
    """An action, or None with the reason.

    `reason`: with an action, what was left out, completed or put in order ("" if nothing); without
    one, why. `suggestion`: a likely action or name to tell the model, never taken by itself.
    `rung`: one of `ACTION_RUNGS`.
    """

    action: Action | None
    reason: str = ""
    suggestion: str = ""
    rung: str = "none"

    @property
    def told(self) -> str:
        """The reason with the suggestion, as the next prompt should tell it."""
        hint = f"; did you mean {self.suggestion}?" if self.suggestion else ""
        return f"{self.reason}{hint}"


def _quote(text: str) -> str:
    text = " ".join(text.split())
    return repr(text if len(text) <= 60 else text[:59] + "\u2026")


def _reject(reason: str, suggestion: str = "") -> ReadAction:
    return ReadAction(None, reason, suggestion)


def _exact(text: str, vocabulary: Vocabulary, entities: Sequence[tuple[str, str]]) -> Action | None:
    found = _CANONICAL.match(text)
    if not found:
        return None
    inner = found.group(2) or ""
    args = tuple(a.strip() for a in inner.split(",")) if inner.strip() else ()
    action = Action(found.group(1), args)
    return action if str(action) == text and not vocabulary.check(action, entities) else None


def read_action(
    text: str,
    vocabulary: Vocabulary,
    entities: Sequence[tuple[str, str]],
    *,
    agent: str = "",
) -> ReadAction:
    """Read one action text; never raises and never evaluates anything.

    `entities`: (name, kind) pairs that may be named. `agent`: whose action it is; a text that
    addresses another agent is then rejected. Several actions in one text: the first is read.
    """
    text = clean_text(text if isinstance(text, str) else str(text))
    if len(text) > _HEAD + _TAIL:
        text = f"{text[:_HEAD]}\n{text[-_TAIL:]}"
    text = text.strip(_WRAPPERS)
    if text.lower() in _NOTHING:
        return _reject("no action is given")
    action = _exact(text, vocabulary, entities)
    if action is not None:
        return ReadAction(action, rung="exact")
    marks = list(_MARKER.finditer(text))
    if marks and text[marks[-1].end() :].strip(_WRAPPERS):
        text = text[marks[-1].end() :].strip(_WRAPPERS)
    reader = _ActionReader(
        text,
        split_words(text),
        vocabulary,
        lexicon(vocabulary),
        entities_index(tuple(entities)),
        tuple(entities),
        agent,
    )
    return reader.read()


@dataclass(slots=True)
class _ActionReader:
    text: str
    words: tuple[Word, ...]
    vocabulary: Vocabulary
    lexicon: Lexicon
    index: Entities
    entities: tuple[tuple[str, str], ...]
    agent: str

    def read(self) -> ReadAction:
        at, stranger = self.start()
        if stranger:
            return _reject(f"{_quote(self.text)} is for {stranger}, not for {self.agent}")
        verb, after, called = self.verb(at)
        if verb:
            return self.action(verb, after, called)
        for start in self.line_starts():
            verb, after, called = self.verb(start)
            if verb and (called or start == self.line_starts()[-1]):
                return self.action(verb, after, called)
        calls = [(k, *self.lexicon.call(self.words, k)) for k in range(len(self.words))]
        calls = [c for c in calls if c[1] and self.starts_run(c[0])]
        if calls:
            _, verb, bracket = calls[0]
            return self.action(verb, bracket, True)
        return self.no_verb(at)

    def starts_run(self, at: int) -> bool:
        return at == 0 or self.words[at - 1].chunk != self.words[at].chunk

    def line_starts(self) -> list[int]:
        """Word indices at which later lines begin."""
        marks = [k + 1 for k, w in enumerate(self.words) if w.raw == "\n"]
        return [k for k in marks if k < len(self.words) and not self.words[k].mark] or [-1]

    def start(self) -> tuple[int, str]:
        """Where the action begins, behind numbering, addresses and small words."""
        at = 0
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
                if self.agent and follows != "," and named[0].name != self.agent:
                    return at, named[0].name
                at = after
            elif word.mark or word.low.isdigit() or word.low in LEAD:
                at += 1
            else:
                break
        return at, ""

    def verb(self, at: int) -> tuple[str, int, bool]:
        """The verb at `at`, the index behind it, and whether a bracket with arguments follows."""
        if at < 0 or at >= len(self.words):
            return "", at, False
        verb, bracket = self.lexicon.call(self.words, at)
        if verb:
            return verb, bracket, True
        verb, after = self.lexicon.opening(self.words, at)
        if (
            verb
            and after < len(self.words)
            and self.words[after].chunk == self.words[after - 1].chunk
        ):
            return "", at, False  # "Exploration", "CarryOn": another word
        called = bool(verb) and after < len(self.words) and self.words[after].raw == "("
        return verb, after, called

    def boundary(self, start: int) -> int:
        """The first word at or behind `start` that no longer belongs to this action."""
        for k in range(start, len(self.words)):
            word = self.words[k]
            if word.raw in (";", "\n", ".", "!", "?", "->", "=>", ":") or word.low in BREAKS:
                return k
            low = word.low or word.raw
            follows = k + 1
            while follows < len(self.words) and (
                self.words[follows].low or self.words[follows].raw
            ) in LINKS | {"then"}:
                follows += 1
            if low in LINKS and self.verb(follows)[0] and self.starts_run(follows):
                return k
            if k > start and self.starts_run(k) and self.lexicon.call(self.words, k)[0]:
                return k
        return len(self.words)

    def action(self, verb: str, after: int, called: bool) -> ReadAction:
        if called:
            depth, close = 1, after + 1
            while close < len(self.words) and depth:
                depth += {"(": 1, ")": -1}.get(self.words[close].raw, 0)
                close += 1
            inside = (after + 1, close - 1 if not depth else close)
            end = self.boundary(close)
            tail = (close, end)
        else:
            inside, end = (after, after), self.boundary(after)
            tail = (after, end)
        more = any(self.verb(k)[0] for k in range(end, len(self.words)) if self.starts_run(k))
        notes = ["only the first of several actions is read"] if more else []
        forms = self.vocabulary.forms(verb)
        if verb == WAIT or any(f.idle and not f.parameters for f in forms):
            return self.wait(verb, tail, called)
        if any(f.ends for f in forms):
            rest = {w.low for w in self.words[tail[0] :] if w.low}
            if rest - DONE_WORDS:
                return _reject(f"{_quote(self.text)} does not say that the task is finished")
            return ReadAction(Action(verb), rung="call" if called else "sentence")
        if all(not f.parameters for f in forms):
            left = [w for w in self.words[inside[0] : inside[1]] if w.low]
            named = find_mentions(self.words[tail[0] : tail[1]], self.index, self.lexicon.choices)
            if left or named:
                notes.append(f"{verb} takes no argument, what stood with it is left out")
            return ReadAction(Action(verb), "; ".join(notes), rung="call" if called else "sentence")
        return self.with_arguments(verb, inside, tail, called, notes)

    def wait(self, verb: str, tail: tuple[int, int], called: bool) -> ReadAction:
        named = self.mentions(tail)
        if named and named[0].start == tail[0] and not called:
            return self.no_verb(0)
        target = verb if verb != WAIT else self.lexicon.idle
        plain = len(self.words) <= 4 and verb != WAIT
        reason = "" if plain else f"a wait: {_quote(self.text)}"
        return ReadAction(Action(target), reason, rung="wait")

    def mentions(self, span: tuple[int, int]) -> list[Mention]:
        found = find_mentions(self.words[span[0] : span[1]], self.index, self.lexicon.choices)
        return [Mention(m.start + span[0], m.end + span[0], m.name, m.kind) for m in found]

    def with_arguments(
        self,
        verb: str,
        inside: tuple[int, int],
        tail: tuple[int, int],
        called: bool,
        notes: list[str],
    ) -> ReadAction:
        inner, outer = self.mentions(inside), self.mentions(tail)
        unknown = self.unknown_in_call(inside, inner) if called else ""
        if not called:
            unknown = self.unknown_before(tail, outer)
        all_mentions = [*inner, *outer]
        forms = self.vocabulary.forms(verb)
        takes_choices_only = all(p.choices for f in forms for p in f.parameters)
        if takes_choices_only and not unknown and self.lexicon.goes:
            entity = [m for m in all_mentions if m.kind]
            if entity and len(entity) == len(all_mentions):
                notes.append(f"{verb} to something is read as {self.lexicon.goes}")
                verb, forms = self.lexicon.goes, self.vocabulary.forms(self.lexicon.goes)
        fits = []
        for form in forms:
            n = len(form.parameters)
            written = (tuple(range(n)),)
            spoken = self.lexicon.orders.get((verb, n), ())
            orders = written + spoken if called and not outer else spoken + written
            fit = fit_form(form, inner, self.index, orders, may_fill=False) if called else None
            if fit is None or not fit.complete:
                # A verb with two forms is not completed: which form is meant is open then.
                may_fill = not unknown and len(forms) == 1
                fit = fit_form(form, all_mentions, self.index, orders, may_fill=may_fill)
                sort = self.only_of_sort(inside, tail)
                if not fit.complete and not all_mentions and sort is not None:
                    fit = fit_form(form, [sort], self.index, orders, may_fill=may_fill)
                    fit = replace(fit, filled=(sort.name, *fit.filled))
            fits.append(fit)
        best = max(
            fits,
            key=lambda f: (f.complete and not f.filled, f.complete, -len(f.missing), len(f.used)),
        )
        if unknown:
            return self.unknown_name(verb, unknown, best)
        if not best.complete:
            return self.incomplete(verb, best, all_mentions)
        if best.rivals and called and self.commas(inside):
            one = best.form.signature
            return _reject(f"{verb} is given too many arguments, it is {one}")
        if best.rivals and self.adjacent(best):
            names = ", ".join(m.name for m in (*best.used, *best.rivals))
            return _reject(f"{verb} takes one of {names}, not several")
        return self.accept(verb, best, called, notes, inside, tail)

    def only_of_sort(self, *spans: tuple[int, int]) -> Mention | None:
        """The only known thing of the one kind that the text names ("the deposit")."""
        words = [w.low for a, b in spans for w in self.words[a:b]]
        # An opening may have taken the word for the kind ("navigate to deposit").
        words += [w.low for w in self.words[max(spans[0][0] - 1, 0) : spans[0][0]]]
        kinds = {self.lexicon.sorts[w] for w in words if w in self.lexicon.sorts}
        names = self.index.of_kinds(tuple(kinds)) if len(kinds) == 1 else ()
        if len(names) != 1:
            return None
        return Mention(len(self.words), len(self.words), names[0], next(iter(kinds)))

    def accept(
        self,
        verb: str,
        fit: Fit,
        called: bool,
        notes: list[str],
        inside: tuple[int, int],
        tail: tuple[int, int],
    ) -> ReadAction:
        action = Action(verb, fit.args)
        if fit.moved and called and self.commas(inside):
            notes.append(f"arguments put in the order {fit.form.signature}")
        if fit.filled:
            notes.append(f"completed with the only {' and '.join(fit.filled)}")
        if fit.spare:
            notes.append(f"left out: {', '.join(m.name for m in fit.spare)}")
        last = max((m.end for m in fit.used), default=tail[0])
        digits = [
            w.raw
            for k, w in enumerate(self.words[inside[0] : max(last, inside[1])], inside[0])
            if w.low.isdigit() and not any(m.start <= k < m.end for m in fit.used)
        ]
        if digits:
            notes.append(f"the amount {', '.join(digits)} is left out")
        problem = self.vocabulary.check(action, self.entities)
        if problem:
            return _reject(problem)
        return ReadAction(action, "; ".join(notes), rung="call" if called else "sentence")

    def commas(self, inside: tuple[int, int]) -> bool:
        return any(w.raw == "," for w in self.words[inside[0] : inside[1]])

    def adjacent(self, fit: Fit) -> bool:
        """Whether a rival follows a used mention with nothing between ("up left")."""
        ends = {m.end for m in fit.used}
        return any(m.start in ends or m.end in {u.start for u in fit.used} for m in fit.rivals)

    def is_small(self, at: int) -> bool:
        word = self.words[at]
        return word.mark or word.low in SMALL or word.low in self.lexicon.nouns

    def unknown_before(self, span: tuple[int, int], mentions: Sequence[Mention]) -> str:
        """The first word of a sentence, up to its last mention, that is no small word."""
        end = max((m.end for m in mentions), default=span[1])
        first = min((m.start for m in mentions), default=span[1])
        for k in range(span[0], end):
            if any(m.start <= k < m.end for m in mentions):
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
                    return f"{self.words[k - 1].raw} {word.raw}"
                return self.run(k)
        return ""

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

    def unknown_in_call(self, inside: tuple[int, int], mentions: Sequence[Mention]) -> str:
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

    def unknown_name(self, verb: str, unknown: str, fit: Fit) -> ReadAction:
        wanted = next(iter(fit.missing), None) or next(iter(fit.form.parameters), None)
        kinds = wanted.kinds if wanted else ()
        if wanted is not None and wanted.choices:
            return _reject(
                f"{unknown!r} is not a {wanted.name}; use {' or '.join(wanted.choices)}",
                suggest_name(unknown, wanted.choices),
            )
        name = suggest_name(unknown, self.index.of_kinds(kinds) or tuple(self.index.kinds))
        suggestion = name
        if name and len(fit.form.parameters) == 1:
            suggestion = str(Action(verb, (name,)))
        return _reject(f"nothing called {unknown!r} is known", suggestion)

    def incomplete(self, verb: str, fit: Fit, mentions: Sequence[Mention]) -> ReadAction:
        wrong = next((m for m in mentions if m not in fit.used and m.kind), None)
        if wrong is not None:
            other = suggest_action([m.name for m in mentions], self.vocabulary, self.entities)
            wanted = fit.missing[0]
            sort = " or ".join(wanted.choices or wanted.kinds)
            return _reject(f"{wrong.name} is no {wanted.name} for {verb} ({sort})", other)
        return _reject(missing_reason(verb, fit.missing, fit.args, fit.form))

    def no_verb(self, at: int) -> ReadAction:
        """The text starts with no action; suggest the one that it contains or resembles."""
        negated = any(w.low in ("not", "never", "don", "avoid") for w in self.words)
        for k in range(max(at, 0) + 1, 0 if negated else len(self.words)):
            if not self.starts_run(k):
                continue
            verb, after, called = self.verb(k)
            if verb and verb != WAIT and self.vocabulary.forms(verb)[0].parameters:
                inner = self.action(verb, after, called)
                if inner.action is not None:
                    return _reject(f"{_quote(self.text)} is no action", str(inner.action))
        first = self.words[at].whole if at < len(self.words) else ""
        verb = suggest_name(first, self.vocabulary.verbs)
        known = ", ".join(self.vocabulary.verbs)
        return _reject(f"{_quote(self.text)} is no action; actions are {known}", verb)
