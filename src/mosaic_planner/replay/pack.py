"""Many steps in few compressed pieces, so that a page opens at once and reads the rest when asked.

Steps go into chunks of a bounded size. Repeated texts stand once per chunk and are numbers
elsewhere; a chunk is gzip of JSON in base64, which cannot hold a character that means anything to
HTML. Equal input gives equal bytes.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Chunk", "Chunks", "changes", "packed"]

_LARGEST = 400_000
"""Characters of JSON after which a chunk is closed: a few milliseconds to read in a browser."""


def packed(value: Any) -> str:
    """JSON, gzip, base64."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    data = gzip.compress(text.encode("utf-8", "replace"), compresslevel=6, mtime=0)
    return base64.b64encode(data).decode("ascii")


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """What makes `now` of `before`: new and changed values, None for what is no more."""
    changed: dict[str, Any] = {
        key: value for key, value in now.items() if key not in before or before[key] != value
    }
    changed |= {key: None for key in before if key not in now}
    return changed


@dataclass(frozen=True, slots=True)
class Chunk:
    """Steps `first` to `last` (numbers of moments), packed."""

    first: int
    last: int
    data: str


class _Numbers(dict[str, int]):
    """Texts to their numbers; a new text gets the next one. `size` counts their characters."""

    def __init__(self) -> None:
        super().__init__()
        self.size = 0

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        self.size += len(text) + 3
        return number


@dataclass(slots=True)
class Chunks:
    """Takes one value per moment. Call `begin`, intern texts with `text`, then `put`."""

    largest: int = _LARGEST
    done: list[Chunk] = field(default_factory=list)
    _count: int = 0
    _size: int = 0
    _values: list[str] = field(default_factory=list)
    _texts: _Numbers = field(default_factory=_Numbers)

    def begin(self) -> bool:
        """Start the next moment; True if it opens a chunk, so that it must stand by itself."""
        if self._values and self._size + self._texts.size >= self.largest:
            self._close()
        return not self._values

    def text(self, text: str) -> int:
        """The number of a text in the open chunk."""
        return self._texts[text]

    def lines(self, text: str) -> list[int]:
        """A text of several lines, line by line."""
        numbers = self._texts
        return [numbers[line] for line in text.split("\n")]

    def texts(self, texts: Iterable[str]) -> list[int]:
        """The numbers of several texts."""
        numbers = self._texts
        return [numbers[text] for text in texts]

    def put(self, value: Any) -> None:
        """Store the moment begun last."""
        line = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        self._values.append(line)
        self._size += len(line)
        self._count += 1

    def finish(self) -> list[Chunk]:
        """Close the last chunk and return all."""
        if self._values:
            self._close()
        return self.done

    def _close(self) -> None:
        texts = json.dumps(list(self._texts), ensure_ascii=False, separators=(",", ":"))
        text = f'{{"texts":{texts},"steps":[{",".join(self._values)}]}}'
        data = gzip.compress(text.encode("utf-8", "replace"), compresslevel=6, mtime=0)
        first = self._count - len(self._values)
        self.done.append(Chunk(first, self._count - 1, base64.b64encode(data).decode("ascii")))
        self._values, self._texts, self._size = [], _Numbers(), 0
