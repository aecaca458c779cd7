"""Which of several views fits the task's words best."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.worlds.household.clip.model import ClipModel

__all__ = ["ClipGuide", "Guide"]


class Guide(Protocol):
    """Scores pictures; higher is better."""

    def scores(self, pictures: Sequence[NDArray[np.uint8]]) -> list[float]:
        """One score per (H, W, 3) uint8 picture."""
        ...


class ClipGuide:
    """Similarity of pictures and the words of a task, by a CLIP checkpoint folder."""

    def __init__(self, folder: str | Path, words: Sequence[str]) -> None:
        self._model = ClipModel(folder)
        phrases = [f"a photo of a {word}" for word in words] or ["a photo of a room"]
        self._words = self._model.texts(phrases)

    def scores(self, pictures: Sequence[NDArray[np.uint8]]) -> list[float]:
        """Cosine with the phrase that fits best, in [-1, 1]."""
        if not pictures:
            return []
        similar = self._model.pictures(pictures) @ self._words.T
        return [float(v) for v in similar.max(axis=1)]
