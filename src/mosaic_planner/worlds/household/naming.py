"""Names of objects as agents use them: `Type_k`, k counted in order of first sight.

All agents of a team share the names (section 9 of the benchmark notes).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mosaic_planner.worlds.household.catalogue import AFFORDANCES

__all__ = ["Names", "nameable"]

_UNNAMED = frozenset(("Floor",))


def nameable(entry: Mapping[str, Any]) -> bool:
    """Whether an object gets a name: one can do something with it, and it is not the floor."""
    return entry["objectType"] not in _UNNAMED and any(entry[a] for a in AFFORDANCES)


class Names:
    """Both ways between object ids and names, growing as things are seen."""

    def __init__(self) -> None:
        self._by_id: dict[str, str] = {}
        self._ids: dict[str, str] = {}
        self._kinds: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def see(self, entry: Mapping[str, Any]) -> str:
        """The name of an object that is in sight now; a new one at first sight."""
        key = entry["objectId"]
        known = self._by_id.get(key)
        if known is not None:
            return known
        kind = entry["objectType"]
        self._counts[kind] = self._counts.get(kind, 0) + 1
        name = f"{kind}_{self._counts[kind]}"
        self._by_id[key], self._ids[name], self._kinds[name] = name, key, kind
        return name

    def name_of(self, object_id: str) -> str:
        """The name, "" if nobody has seen it yet."""
        return self._by_id.get(object_id, "")

    def id_of(self, name: str) -> str:
        """The object id, "" for a name nobody has given."""
        return self._ids.get(name, "")

    def kind_of(self, name: str) -> str:
        """The object type of a name, "" for an unknown one."""
        return self._kinds.get(name, "")

    def all(self) -> tuple[str, ...]:
        """Every name, in order of first sight."""
        return tuple(self._ids)
