"""A tolerant reader of object and list literals: JSON, Python, and what lies between.

Reads single, double and typographic quotes, unescaped quotes inside text, comments, missing and
trailing commas, bare words, Python constants and tuples, and text that ends in the middle. It
builds plain values only (dict, list, str, int, float, bool, None); nothing is ever evaluated.
One pass over the text: every character is looked at a bounded number of times.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

__all__ = ["MAX_DEPTH", "Loose", "read_literal"]

MAX_DEPTH = 40
"""Nesting beyond this is degenerate output, not an answer."""

_CLOSERS = {
    '"': '"',
    "'": "'",
    "\u201c": "\u201d\u201c",
    "\u201d": "\u201d\u201c",
    "\u2018": "\u2019\u2018",
    "\u2019": "\u2019\u2018",
    "`": "`",
}
_STOPS = {opening: re.compile(f"[\\\\{closing}]") for opening, closing in _CLOSERS.items()}
_QUOTES = "".join(_CLOSERS)
# An unclosed comment reaches to the end: looked for anew at every brace it would cost a square.
_SPACE = re.compile(r"(?:\s+|//[^\n]*|#[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z))+")
# A quote ends a text only where something may follow a text: otherwise it is an unescaped quote.
_AFTER_TEXT = re.compile(
    rf"\s*(?:\Z|[}}\]):]|,\s*(?:\Z|[{_QUOTES}{{\[(}}\])/#.,]|-?\d|[A-Za-z_][\w' ]{{0,60}}[:\]}}]|"
    rf"(?:None|null|true|false|True|False)\b)|"
    # A comma is missing, or is a semicolon: the next key follows, with its colon.
    rf"[ \t;]{{1,3}}[{_QUOTES}][A-Za-z_][\w' \u2019]{{0,60}}[{_QUOTES}]\s?:|"
    rf"\n\s*(?:[{_QUOTES}}}]|//|#)|(?://|\#|/\*))"
)
_BARE_KEY = re.compile(
    rf"[^\s{_QUOTES}{{}}\[\]():,=]"
    rf"(?:[^{_QUOTES}{{}}\[\]():,=\n]|(?<=[^\W\d_])['\u2019](?=[^\W\d_])){{0,80}}"
)
_BARE_VALUE = re.compile(r"(?:\([^()\n]*\)|[^,}\]\n])+")
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?\Z")
_CONSTANTS = {
    "true": True,
    "false": False,
    "null": None,
    "none": None,
    "nan": None,
    "undefined": None,
    "...": None,
}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_HEX = re.compile(r"[0-9a-fA-F]+")


class _NotALiteralError(Exception):
    """What starts here is no object or list; caught inside this module only."""


@dataclass(frozen=True, slots=True)
class Loose:
    """A literal read at some place.

    `end`: index behind it. `python`: written as Python would. `repairs`: what had to be put right,
    in order of first appearance. `ended`: False if the text stopped before the literal did; then
    `cut_key` is the outermost key whose value is incomplete ("" if none is).
    """

    value: Any
    end: int
    python: bool
    repairs: tuple[str, ...]
    ended: bool
    cut_key: str = ""


@dataclass(slots=True)
class _Reader:
    text: str
    pos: int
    python: bool = False
    repairs: dict[str, None] = field(default_factory=dict)
    ended: bool = True

    def repair(self, what: str) -> None:
        self.repairs.setdefault(what)

    def skip_space(self) -> None:
        found = _SPACE.match(self.text, self.pos)
        if found:
            if found.group().strip():
                self.repair("comments")
            self.pos = found.end()

    def peek(self) -> str:
        return self.text[self.pos] if self.pos < len(self.text) else ""

    def value(self, depth: int) -> tuple[Any, bool]:
        """One value and whether the text ended inside it."""
        if depth > MAX_DEPTH:
            raise _NotALiteralError
        char = self.peek()
        if char == "{":
            return self.object(depth)[0], not self.ended
        if char in "[(":
            return self.items("]" if char == "[" else ")", depth), not self.ended
        if char in _CLOSERS:
            return self.string()
        return self.bare()

    def object(self, depth: int) -> tuple[Any, str]:
        """The object that opens here, and the key whose value is incomplete."""
        self.pos += 1
        result: dict[str, Any] = {}
        while True:
            self.skip_space()
            char = self.peek()
            if not char:
                self.ended = False
                return result, ""
            if char == "}":
                self.pos += 1
                return result, ""
            if char == "]" and depth > 0:
                self.repair("mismatched brackets")
                return result, ""
            if char == ",":
                self.pos += 1
                self.skip_space()
                if self.peek() == "}":
                    self.repair("trailing comma")
                continue
            start = self.pos
            if char in _CLOSERS:
                key, cut = self.string(key=True)
                if cut:
                    self.ended = False
                    return result, ""
            else:
                found = _BARE_KEY.match(self.text, self.pos)
                if found is None:
                    if char in "{[(":
                        raise _NotALiteralError
                    self.repair("stray characters")
                    self.pos += 1
                    continue
                key, self.pos = found.group().strip(), found.end()
                self.repair("unquoted key")
            self.skip_space()
            if self.peek() not in (":", "="):
                if not self.peek():
                    self.ended = False
                    return result, ""
                if not result:  # a Python set, or no literal at all
                    self.pos = start
                    self.python = True
                    return self.items("}", depth, inside=True), ""
                self.repair("stray characters")
                continue
            self.pos += 1
            if self.text.startswith(">", self.pos):
                self.pos += 1
            self.skip_space()
            if not self.peek():
                self.ended = False
                return result, key
            if self.peek() in ",}":
                result[key] = None
                self.repair("missing value")
                continue
            value, cut = self.value(depth + 1)
            if not cut or depth == 0 or not isinstance(value, str):
                result[key] = value
            if cut:
                self.ended = False
                return result, key
            self.skip_space()
            if self.peek() and self.peek() not in ",}]":
                self.repair("missing comma")

    def items(self, closing: str, depth: int, *, inside: bool = False) -> list[Any]:
        if not inside:
            self.pos += 1
        if closing == ")":
            self.python = True
        result: list[Any] = []
        while True:
            self.skip_space()
            char = self.peek()
            if not char:
                self.ended = False
                return result
            if char == closing:
                self.pos += 1
                return result
            if char in "}])":
                self.repair("mismatched brackets")
                return result
            if char in ",:":
                self.pos += 1
                continue
            value, cut = self.value(depth + 1)
            if not cut or not isinstance(value, str):
                result.append(value)
            if cut:
                self.ended = False
                return result

    def string(self, *, key: bool = False) -> tuple[str, bool]:
        """The text that opens here, and whether it is cut off."""
        quote = self.peek()
        if quote == "'":
            self.python = True
        elif quote != '"':
            self.repair("typographic quotes")
        for triple in ('"""', "'''"):
            if self.text.startswith(triple, self.pos):
                self.python = True
                end = self.text.find(triple, self.pos + 3)
                body = self.text[self.pos + 3 : end if end >= 0 else None]
                self.pos = end + 3 if end >= 0 else len(self.text)
                return body, end < 0
        stops, parts, start = _STOPS[quote], [], self.pos + 1
        at = start
        while True:
            found = stops.search(self.text, at)
            if found is None:
                parts.append(self.text[start:])
                self.pos = len(self.text)
                return "".join(parts), True
            at = found.start()
            if found.group() == "\\":
                parts.append(self.text[start:at])
                piece, at = self.escape(at + 1)
                parts.append(piece)
                start = at
                continue
            if self.closes(at + 1, key=key):
                parts.append(self.text[start:at])
                self.pos = at + 1
                return "".join(parts), False
            self.repair("unescaped quotes")
            at += 1

    def closes(self, at: int, *, key: bool) -> bool:
        if key:
            follows = _SPACE.match(self.text, at)
            after = follows.end() if follows else at
            return after >= len(self.text) or self.text[after] in ":=,}]"
        if self.text[at : at + 1].isalnum():
            return False  # an apostrophe, or a quoted word; the usual case, so it is tried first
        return _AFTER_TEXT.match(self.text, at) is not None

    def escape(self, at: int) -> tuple[str, int]:
        """What the escape behind a backslash stands for, and where to go on."""
        char = self.text[at : at + 1]
        width = {"u": 4, "x": 2}.get(char)
        if width is not None:
            digits = self.text[at + 1 : at + 1 + width]
            if len(digits) == width and _HEX.fullmatch(digits):
                return chr(int(digits, 16)), at + 1 + width
        return _ESCAPES.get(char, char), at + 1

    def bare(self) -> tuple[Any, bool]:
        found = _BARE_VALUE.match(self.text, self.pos)
        if found is None:
            raise _NotALiteralError
        self.pos = found.end()
        word = found.group().strip()
        if word in ("None", "True", "False"):
            self.python = True
        if word.lower() in _CONSTANTS:
            return _CONSTANTS[word.lower()], False
        if _NUMBER.match(word):
            return (int(word) if word.lstrip("-").isdigit() else float(word)), False
        self.repair("unquoted text")
        return word, self.pos >= len(self.text)


def read_literal(text: str, start: int) -> Loose | None:
    """The object or list that opens at `text[start]` (one of `{[`), or None if none does."""
    reader = _Reader(text, start)
    cut_key = ""
    try:
        if text[start] == "{":
            value, cut_key = reader.object(0)
        else:
            value = reader.items("]", 0)
    except _NotALiteralError:
        return None
    return Loose(value, reader.pos, reader.python, tuple(reader.repairs), reader.ended, cut_key)
