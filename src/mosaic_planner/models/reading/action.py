"""From an action text to an action of the vocabulary, or to a rejection with its reason.

Accepts call forms, the vocabulary's sentence forms, mixtures of both, and waits. A text that names
something unknown, a goal instead of an action, or too little is rejected: nothing is taken for
the nearest thing. Whatever was left out, completed or put in order is said in `reason`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mosaic_planner.core.action import Action, Vocabulary
from mosaic_planner.models.reading.arguments import Fit, fit_form
from mosaic_planner.models.reading.english import DONE_WORDS
from mosaic_planner.models.reading.keys import clean_text
from mosaic_planner.models.reading.sentence import Sentence, Span
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

_MOST_SUGGESTIONS_TRIED = 4
_MOST_SORTS_NAMED = 6
_HEAD, _TAIL = 2000, 800  # characters of a longer text that are read
_CANONICAL = re.compile(r"([A-Za-z]\w*)(?:\(([^()]*)\))?\Z")
_NOTHING = frozenset({"", "none", "null", "n/a", "na", "nil", "{}", "[]", "...", "-", "()"})
_WRAPPERS = " \t\r\n`\"'*_\u201c\u201d\u2018\u2019[]{}<>"
_CODE = re.compile(r"(?:(?:return|await|yield)\s+){1,2}(?=[A-Za-z_][\w.]*\()")
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
    text = _CODE.sub("", text, count=1) if _CODE.match(text) else text
    if text.lower() in _NOTHING:
        return _reject("no action is given")
    action = _exact(text, vocabulary, entities)
    if action is not None:
        return ReadAction(action, rung="exact")
    marks = list(_MARKER.finditer(text))
    if marks and text[marks[-1].end() :].strip(_WRAPPERS):
        text = text[marks[-1].end() :].strip(_WRAPPERS)
    names = tuple(entities)
    sentence = Sentence(split_words(text), lexicon(vocabulary), entities_index(names))
    return _ActionReader(text, sentence, vocabulary, names, agent).read()


@dataclass(slots=True)
class _ActionReader:
    text: str
    sentence: Sentence
    vocabulary: Vocabulary
    entities: tuple[tuple[str, str], ...]
    agent: str

    @property
    def words(self) -> tuple[Word, ...]:
        return self.sentence.words

    @property
    def lexicon(self) -> Lexicon:
        return self.sentence.lexicon

    @property
    def index(self) -> Entities:
        return self.sentence.index

    def verb_in(self, start: int, end: int) -> bool:
        """Whether another action starts among those words."""
        sentence = self.sentence
        return any(sentence.verb(k)[0] for k in range(start, end) if sentence.starts_run(k))

    def read(self) -> ReadAction:
        at, stranger = self.sentence.start(self.agent)
        if stranger:
            return _reject(f"{_quote(self.text)} is for {stranger}, not for {self.agent}")
        verbs, after, called = self.sentence.verbs(at)
        if verbs:
            return self.one_of(verbs, after, called)
        starts = self.sentence.line_starts()
        for start in starts:
            verbs, after, called = self.sentence.verbs(start)
            if verbs and (called or start == starts[-1]):
                return self.one_of(verbs, after, called)
        call = self.sentence.first_call()
        if call is not None:
            verb, _ = self.lexicon.call(self.words, call[0])
            return self.action(verb, call[1], True)
        return self.no_verb(at)

    def one_of(self, verbs: Sequence[str], after: int, called: bool) -> ReadAction:
        """The reading of the only verb that makes an action of the text."""
        results = [self.action(verb, after, called) for verb in verbs]
        good = [r for r in results if r.action is not None]
        if len(good) > 1:
            options = " or ".join(str(r.action) for r in good)
            return _reject(f"{_quote(self.text)} may mean {options}")
        return good[0] if good else results[0]

    def action(self, verb: str, after: int, called: bool) -> ReadAction:
        inside = self.sentence.brackets(after) if called else (after, after)
        close = min(inside[1] + 1, len(self.words)) if called else after
        end = self.sentence.boundary(close, verb)
        tail = (close, end)
        more = self.verb_in(end, len(self.words))
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

    def wait(self, verb: str, tail: Span, called: bool) -> ReadAction:
        named = self.sentence.mentions(tail)
        if named and named[0].start == tail[0] and not called:
            return self.no_verb(0)
        target = verb if verb != WAIT else self.lexicon.idle
        plain = len(self.words) <= 4 and verb != WAIT
        reason = "" if plain else f"a wait: {_quote(self.text)}"
        return ReadAction(Action(target), reason, rung="wait")

    def with_arguments(
        self,
        verb: str,
        inside: Span,
        tail: Span,
        called: bool,
        notes: list[str],
    ) -> ReadAction:
        inner, outer = self.sentence.mentions(inside), self.sentence.mentions(tail)
        unknown = self.sentence.unknown_in_call(inside, inner) if called else ""
        if not called:
            unknown = self.sentence.unknown_before(tail, outer)
        all_mentions = [*inner, *outer]
        if not called:
            all_mentions = self.sentence.expected_first(verb, all_mentions)
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
                sort = self.sentence.only_of_sort(inside, tail)
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
        if best.rivals and called and self.sentence.commas(inside):
            one = best.form.signature
            return _reject(f"{verb} is given too many arguments, it is {one}")
        if best.rivals and self.adjacent(best):
            names = ", ".join(m.name for m in (*best.used, *best.rivals))
            return _reject(f"{verb} takes one of {names}, not several")
        return self.accept(verb, best, called, notes, inside, tail)

    def accept(
        self,
        verb: str,
        fit: Fit,
        called: bool,
        notes: list[str],
        inside: Span,
        tail: Span,
    ) -> ReadAction:
        action = Action(verb, fit.args)
        if fit.moved and called and self.sentence.commas(inside):
            notes.append(f"arguments put in the order {fit.form.signature}")
        if fit.filled:
            notes.append(f"completed with the only {' and '.join(fit.filled)}")
        if fit.spare:
            notes.append(f"left out: {', '.join(m.name for m in fit.spare)}")
        last = max((m.end for m in fit.used), default=tail[0])
        digits = [
            w.raw
            for k, w in enumerate(self.words[inside[0] : max(last, inside[1])], inside[0])
            if w.whole.isdigit() and not any(m.start <= k < m.end for m in fit.used)
        ]
        if digits:
            notes.append(f"the amount {', '.join(digits)} is left out")
        problem = self.vocabulary.check(action, self.entities)
        if problem:
            return _reject(problem)
        return ReadAction(action, "; ".join(notes), rung="call" if called else "sentence")

    @staticmethod
    def adjacent(fit: Fit) -> bool:
        """Whether a rival follows a used mention with nothing between ("up left")."""
        ends = {m.end for m in fit.used}
        return any(m.start in ends or m.end in {u.start for u in fit.used} for m in fit.rivals)

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
            sorts = wanted.choices or wanted.kinds
            said = f" ({' or '.join(sorts)})" if len(sorts) <= _MOST_SORTS_NAMED else ""
            return _reject(f"{wrong.name} is no {wanted.name} for {verb}{said}", other)
        return _reject(missing_reason(verb, fit.missing, fit.args, fit.form))

    def no_verb(self, at: int) -> ReadAction:
        """The text starts with no action; suggest the one that it contains or resembles."""
        tries = 0 if self.sentence.negated else _MOST_SUGGESTIONS_TRIED
        for k in range(max(at, 0) + 1, len(self.words)):
            if not tries:
                break
            verb, after, called = self.sentence.verb(k)
            if not verb or not self.sentence.starts_run(k):
                continue
            tries -= 1
            if verb != WAIT and self.vocabulary.forms(verb)[0].parameters:
                inner = self.action(verb, after, called)
                if inner.action is not None:
                    return _reject(f"{_quote(self.text)} is no action", str(inner.action))
        first = self.words[at].whole if at < len(self.words) else ""
        verb = suggest_name(first, self.vocabulary.verbs)
        known = ", ".join(self.vocabulary.verbs)
        return _reject(f"{_quote(self.text)} is no action; actions are {known}", verb)
