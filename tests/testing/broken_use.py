"""Worlds that fail behind noisy sensors or in whole episodes."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

from broken_base import Seen, breaks

from own_world import Warehouse

# Noise and episodes.


Wordless: Any = type(
    "Wordless",
    (),
    {k: v for k, v in vars(Warehouse).items() if k not in ("word_observation", "__dict__")},
)
"""The sound world, but noisy sensors edit its texts without asking it."""


@breaks("noise.words")
class _Prose(Wordless):
    """Words things in one sentence, which nobody can edit."""

    def see(self, agent: str, outcome: Any) -> Any:
        o = super().see(agent, outcome)
        return replace(o, text=f"You see {', '.join(o.names) or 'nothing'}.")


breaks("noise.words")(
    type("Partial", (Seen,), {"changed": lambda self, o: replace(o, names=o.names[:1])})
)


@breaks("noise.raises")
class _CannotWord(Warehouse):
    @staticmethod
    def word_observation(observation: Any) -> Any:
        raise NotImplementedError


@breaks("episode.raises")
class _Unwritable(Warehouse):
    def static(self) -> Any:
        return {"size": {16}}


_BUILT = count()


@breaks("episode.repeats")
class _Numbered(Warehouse):
    def __init__(self, scene: int = 5, agents: int = 2, *, faithful: bool = False) -> None:
        super().__init__(scene, agents)
        self.number = next(_BUILT)

    def static(self) -> Any:
        return {"number": self.number}
