"""Counting prompt tokens offline, quickly and the same on every machine.

No provider's tokenizer is used: they download their vocabularies, and they differ. The counter
estimates from classes of characters what a byte-pair tokenizer makes of such prompts. Its weights
were fitted to the cl100k_base vocabulary; on texts held out from the fit (prompts and replies of
this library, published model replies, prose, JSON) it was off by 2.5 % on average and 9.6 % at
most. Its name stands in every trace beside the counts. What a provider bills comes from its own
usage, never from here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["COUNTER", "TokenCounter", "count_tokens"]

_MESSAGE_TOKENS = 4  # role and separators of one chat message


def _class_of(code: int) -> int:
    char = chr(code)
    if code >= 128:
        return ord("u")
    if char.isalpha():
        return ord("A" if char.isupper() else "a")
    if char.isdigit():
        return ord("0")
    if char == "\n":
        return ord("n")
    return ord(" " if char.isspace() else "o")


_CLASSES = bytes(map(_class_of, range(256)))

# Tokens per occurrence: of a class, or of two neighbouring classes (pairs of the same class are
# counted without overlap, so a run of n has n // 2).
_WEIGHTS: tuple[tuple[bytes, float], ...] = (
    (b" a", 0.725),  # words, and letters that start behind a mark
    (b"oa", 0.725),
    (b"na", 0.725),
    (b"ua", 0.725),
    (b" A", 0.447),  # capitals that open a word cost more than capitals inside one
    (b"nA", 0.447),
    (b"A", 0.931),
    (b"AA", -1.163),  # runs of capitals are merged
    (b"a", 0.057),  # long words are split
    (b"0", 2.064),
    (b"00", -2.77),  # up to three digits are one token
    (b"o", 0.733),
    (b"oo", -0.274),
    (b"n", 0.671),
    (b"nn", -1.081),
    (b"  ", 1.181),  # indentation
    (b"u", 0.4),
)


def _approx(text: str) -> int:
    classes = text.encode("utf-8", "replace").translate(_CLASSES)
    if not classes:
        return 0
    return max(1, round(sum(weight * classes.count(what) for what, weight in _WEIGHTS)))


@dataclass(frozen=True, slots=True)
class TokenCounter:
    """A named way to count the tokens of a text."""

    name: str
    of_text: Callable[[str], int]

    def count(self, text: str) -> int:
        """Tokens of one text."""
        return self.of_text(text)

    def count_static(self, text: str) -> int:
        """Tokens of a text that comes again and again; counted once and kept."""
        return _static(self.of_text, text)

    def prompt(self, static: str, state: str) -> int:
        """Tokens of a system and a user message with what separates them."""
        return self.count_static(static) + self.of_text(state) + 2 * _MESSAGE_TOKENS


@lru_cache(maxsize=256)
def _static(of_text: Callable[[str], int], text: str) -> int:
    return of_text(text)


COUNTER = TokenCounter("approx-bytes-v1", _approx)
"""The counter that every part of the library uses."""


def count_tokens(text: str) -> int:
    """Tokens of a text by `COUNTER`."""
    return COUNTER.count(text)
