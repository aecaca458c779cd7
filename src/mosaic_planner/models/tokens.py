"""Counting prompt tokens offline, quickly and the same on every machine.

No provider's tokenizer is used: they download their vocabularies, and they differ. The counter
estimates from classes of characters what a byte-pair tokenizer makes of such prompts. Its weights
were fitted to the cl100k_base vocabulary; on texts held out from the fit (prompts and replies of
this library, published model replies, prose, JSON) it was off by 3.5 % on average and 12 % at
most; on prompts of this library by 1 to 2 %. Its name stands in every trace beside the counts.
What a provider bills comes from its own usage, never from here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

__all__ = ["COUNTER", "TokenCounter", "count_tokens"]

_MESSAGE_TOKENS = 4  # role and separators of one chat message


_LOWER, _UPPER, _DIGIT, _MARK, _LINE, _OTHER, _SPACE = range(7)


def _class_of(code: int) -> int:
    char = chr(code)
    if code >= 128:
        return _OTHER
    if char.isalpha():
        return _UPPER if char.isupper() else _LOWER
    if char.isdigit():
        return _DIGIT
    if char == "\n":
        return _LINE
    return _SPACE if char.isspace() else _MARK


_CLASSES = bytes(map(_class_of, range(256)))

# Tokens per occurrence of a class, and of two neighbouring classes.
_ONES: dict[int, float] = {
    _LOWER: 0.054,  # long words are split
    _UPPER: 0.813,
    _DIGIT: 1.753,
    _MARK: 0.956,
    _LINE: 0.21,
    _OTHER: 0.4,
}
_PAIRS: dict[tuple[int, int], float] = {
    **{(before, _LOWER): 0.712 for before in (_MARK, _LINE, _OTHER, _SPACE, _DIGIT)},
    (_SPACE, _UPPER): 0.547,
    (_LINE, _UPPER): 0.547,
    (_UPPER, _UPPER): -0.595,  # runs of capitals, digits and marks are merged
    (_DIGIT, _DIGIT): -2.104,
    (_MARK, _MARK): -0.68,
    (_LINE, _LINE): -0.235,
    (_SPACE, _SPACE): 1.065,  # indentation
}
_WEIGHTS = np.zeros((7, 7))
for _pair, _weight in _PAIRS.items():
    _WEIGHTS[_pair] = _weight
for _one, _weight in _ONES.items():
    _WEIGHTS[_one, :] += _weight  # counted with the class that follows; the last one apart
_FLAT: list[float] = _WEIGHTS.ravel().tolist()


def _approx(text: str) -> int:
    if not text:
        return 0
    classes = np.frombuffer(text.encode("utf-8", "replace").translate(_CLASSES), np.uint8)
    pairs = np.bincount(classes[:-1] * np.uint8(7) + classes[1:], minlength=49)
    # Whole numbers times weights, summed in one fixed order: the same on every machine.
    total: float = sum(n * w for n, w in zip(pairs.tolist(), _FLAT, strict=True))
    return max(1, round(total + _ONES.get(int(classes[-1]), 0.0)))


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
