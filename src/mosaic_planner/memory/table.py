"""The entries themselves: one row per believed entity, in arrays, so that an update is a few
vector operations whatever the number of agents.

Positions are kept once, in the frame all agents share, with full precision; every agent's own
offsets follow from them and its pose (`frames.offsets_of`), without drift and without a copy per
agent. Rows keep the order in which entities became known.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.observation import Value

__all__ = ["EntryTable", "Label"]

_FLOATS = ("x", "z", "var_xx", "var_xz", "var_zz", "odds", "label")

Label = tuple[str, str]
"""A name and a kind, as a sighting gives them."""


class EntryTable:
    """Rows of beliefs; `n` rows are in use.

    `x`, `z`: mean position, world units. `var_*`: its covariance, world units squared. `odds`:
    natural logarithm of the odds that the entity is where believed; `label`: that its name and
    kind are right. `seen`: last step in which it was perceived; `sightings`: steps in which it
    was. `hits`: sightings under its own name and kind; `labels`: how often it was sighted under
    which others; `aliases`: rows by names they were sighted under wrongly.
    `strays`: a sighting under its name that did not fit its place, waiting for a second one.
    """

    def __init__(self, capacity: int = 64) -> None:
        self.n = 0
        self.names: list[str] = []
        self.kinds: list[str] = []
        self.attributes: list[tuple[tuple[str, Value], ...]] = []
        self.holders: list[str] = []
        self.sources: list[str] = []
        self.labels: list[dict[Label, int]] = []
        self.strays: list[tuple[float, float] | None] = []
        self.index: dict[str, int] = {}
        self.aliases: dict[str, int] = {}
        self._floats = np.zeros((len(_FLOATS), capacity))
        self._ints = np.zeros((3, capacity), dtype=np.int64)
        self._kind_ids: dict[str, int] = {}
        self._kind_of = np.zeros(capacity, dtype=np.int64)

    @property
    def x(self) -> NDArray[np.float64]:
        """Mean x, (n,), a writable view; so are the other columns."""
        return self._floats[0, : self.n]

    @property
    def z(self) -> NDArray[np.float64]:
        """Mean z."""
        return self._floats[1, : self.n]

    @property
    def var_xx(self) -> NDArray[np.float64]:
        """Variance along x."""
        return self._floats[2, : self.n]

    @property
    def var_xz(self) -> NDArray[np.float64]:
        """Covariance of x and z."""
        return self._floats[3, : self.n]

    @property
    def var_zz(self) -> NDArray[np.float64]:
        """Variance along z."""
        return self._floats[4, : self.n]

    @property
    def odds(self) -> NDArray[np.float64]:
        """Log odds of being where believed."""
        return self._floats[5, : self.n]

    @property
    def label(self) -> NDArray[np.float64]:
        """Log odds of name and kind being right."""
        return self._floats[6, : self.n]

    @property
    def variances(self) -> NDArray[np.float64]:
        """`var_xx`, `var_xz` and `var_zz` as the rows of one writable (3, n) view."""
        return self._floats[2:5, : self.n]

    @property
    def seen(self) -> NDArray[np.int64]:
        """Step of the last perception."""
        return self._ints[0, : self.n]

    @property
    def sightings(self) -> NDArray[np.int64]:
        """Number of steps with a perception."""
        return self._ints[1, : self.n]

    @property
    def hits(self) -> NDArray[np.int64]:
        """Number of sightings, by any agent, under the entry's own name and kind."""
        return self._ints[2, : self.n]

    @property
    def kind_of(self) -> NDArray[np.int64]:
        """Kind number of every row, see `kind_id`."""
        return self._kind_of[: self.n]

    def kind_id(self, kind: str) -> int:
        """The number of a kind, given out at first use."""
        return self._kind_ids.setdefault(kind, len(self._kind_ids))

    def kind_mask(self, kinds: tuple[str, ...]) -> NDArray[np.bool_]:
        """Which rows are of one of these kinds, (n,)."""
        wanted = np.zeros(len(self._kind_ids), dtype=bool)
        for kind in kinds:
            if kind in self._kind_ids:
                wanted[self._kind_ids[kind]] = True
        return wanted[self.kind_of]

    def row_of(self, name: str) -> int:
        """The row of a name, or of what was sighted under it before; -1 if there is none."""
        row = self.index.get(name)
        return self.aliases.get(name, -1) if row is None else row

    def free_name(self, kind: str) -> str:
        """A name for a thing that came without one: `Apple_1`, `Apple_2`, ..."""
        number = 1
        while f"{kind}_{number}" in self.index:
            number += 1
        return f"{kind}_{number}"

    def add(self, name: str, kind: str, *, seen: int, odds: float) -> int:
        """A new row at the origin; returns its number. The name must be new."""
        row = self.n
        if row == self._floats.shape[1]:
            self._grow()
        self.n = row + 1
        self.index[name] = row
        self.names.append(name)
        self.kinds.append(kind)
        self.attributes.append(())
        self.holders.append("")
        self.sources.append("seen")
        self.labels.append({})
        self.strays.append(None)
        self._floats[:, row] = 0.0
        self._floats[5, row] = odds
        self._ints[:, row] = (seen, 0, 0)
        self._kind_of[row] = self.kind_id(kind)
        return row

    def set_kind(self, row: int, kind: str) -> None:
        """Change what a row is believed to be."""
        self.kinds[row] = kind
        self._kind_of[row] = self.kind_id(kind)

    def rename(self, row: int, label: Label) -> None:
        """Change what a row is called and what it is; the name must not be another row's."""
        name, kind = label
        del self.index[self.names[row]]
        self.index[name] = row
        self.names[row] = name
        self.set_kind(row, kind)

    def keep(self, mask: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Drop the rows where `mask` is False.

        Returns the new number of every old row, -1 for dropped ones.
        """
        old = np.flatnonzero(mask)
        moved = np.full(self.n, -1, dtype=np.int64)
        moved[old] = np.arange(len(old))
        self._floats[:, : len(old)] = self._floats[:, old]
        self._ints[:, : len(old)] = self._ints[:, old]
        self._kind_of[: len(old)] = self._kind_of[old]
        rows = old.tolist()
        self.names = [self.names[i] for i in rows]
        self.kinds = [self.kinds[i] for i in rows]
        self.attributes = [self.attributes[i] for i in rows]
        self.holders = [self.holders[i] for i in rows]
        self.sources = [self.sources[i] for i in rows]
        self.labels = [self.labels[i] for i in rows]
        self.strays = [self.strays[i] for i in rows]
        self.index = {name: row for row, name in enumerate(self.names)}
        kept = moved.tolist()
        self.aliases = {name: kept[r] for name, r in self.aliases.items() if kept[r] >= 0}
        self.n = len(old)
        return moved

    def _grow(self) -> None:
        def wider(array: NDArray[Any]) -> NDArray[Any]:
            grown = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), dtype=array.dtype)
            grown[..., : array.shape[-1]] = array
            return grown

        self._floats = wider(self._floats)
        self._ints = wider(self._ints)
        self._kind_of = wider(self._kind_of)
