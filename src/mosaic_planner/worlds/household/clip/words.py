"""CLIP's byte-pair encoding, read from a checkpoint's `vocab.json` and `merges.txt`."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

from mosaic_planner.core.errors import ConfigError

__all__ = ["Tokenizer"]

_START, _END = "<|startoftext|>", "<|endoftext|>"
_PIECES = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d|[^\W\d_]+|\d|[^\s\w]+|_+", re.IGNORECASE)
_WORD_END = "</w>"
_NO_MERGE = 1 << 30


def _byte_letters() -> dict[int, str]:
    """A printable character for every byte, as CLIP's vocabulary spells them."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters = {b: chr(b) for b in plain}
    spare = 256
    for b in range(256):
        if b not in letters:
            letters[b] = chr(spare)
            spare += 1
    return letters


class Tokenizer:
    """Text to token ids. Raises `ConfigError` if the files are missing or no CLIP vocabulary."""

    def __init__(self, folder: str | Path) -> None:
        folder = Path(folder)
        try:
            self._ids: dict[str, int] = json.loads((folder / "vocab.json").read_text("utf-8"))
            merges = (folder / "merges.txt").read_text("utf-8").splitlines()
        except (OSError, ValueError) as error:
            raise ConfigError(f"{folder} holds no CLIP vocabulary: {error}") from None
        if _START not in self._ids or _END not in self._ids:
            raise ConfigError(f"{folder}/vocab.json has no {_START} and {_END}")
        pairs = [tuple(line.split()) for line in merges if line and not line.startswith("#")]
        self._ranks = {(p[0], p[1]): k for k, p in enumerate(pairs) if len(p) == 2}
        self._letters = _byte_letters()
        self._known: dict[str, tuple[str, ...]] = {}
        self.end = self._ids[_END]

    def __call__(self, text: str, length: int) -> list[int]:
        """Token ids with start and end, cut to `length` (>= 2), not padded."""
        ids = [self._ids[_START]]
        for piece in _PIECES.findall(text.lower()):
            spelled = "".join(self._letters[b] for b in piece.encode("utf-8"))
            ids.extend(self._ids.get(part, self.end) for part in self._merged(spelled))
        return [*ids[: length - 1], self.end]

    def _merged(self, word: str) -> tuple[str, ...]:
        known = self._known.get(word)
        if known is not None:
            return known
        parts = [*word[:-1], word[-1] + _WORD_END]
        while len(parts) > 1:
            ranks = (self._ranks.get(pair, _NO_MERGE) for pair in pairwise(parts))
            rank, k = min((rank, k) for k, rank in enumerate(ranks))
            if rank == _NO_MERGE:
                break
            parts[k : k + 2] = [parts[k] + parts[k + 1]]
        self._known[word] = tuple(parts)
        return self._known[word]
