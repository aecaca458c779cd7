"""Names for things that are not there, made like the names of things that are."""

from __future__ import annotations

import re
from collections.abc import Collection
from random import Random

__all__ = ["invented_name"]

_NUMBERED = re.compile(r"^(.*?)(\d+)$")
_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_STEMS = (
    "Alder", "Basalt", "Cedar", "Delta", "Elm", "Fjord", "Garnet", "Harbor", "Indigo", "Juniper",
    "Kestrel", "Linden", "Marlow", "Nimbus", "Opal", "Pine", "Quartz", "Ridge", "Summit", "Tundra",
)  # fmt: skip


def invented_name(random: Random, example: str, kind: str, known: Collection[str]) -> str:
    """A name like `example`, an entity of `kind`, that is not in `known`.

    A numbered name gets another number (`Apple_2` becomes `Apple_14`); in a name of several words
    what is not the kind's word changes (`CaldorFire` becomes `HarborFire`, `ReservoirUtah`
    `ReservoirCedar`).
    """
    if example == kind:
        return kind  # a world whose sightings have no names of their own
    numbered = _NUMBERED.match(example)
    if numbered:
        stem = numbered[1]
        taken = [int(m[2]) for m in map(_NUMBERED.match, known) if m and m[1] == stem]
        return f"{stem}{max(taken, default=0) + 3 + random.randrange(9)}"
    words = _WORDS.findall(example)
    at = next((i for i, word in enumerate(words) if word.lower() in kind.lower()), -1)
    for _ in range(20):
        stem = _STEMS[random.randrange(len(_STEMS))]
        if at < 0 or "".join(words) != example:
            name = f"{example}{stem}"
        elif at == len(words) - 1 and at > 0:
            name = stem + words[at]
        else:
            name = "".join(words[: at + 1]) + stem
        if name not in known:
            return name
    return f"{example}_{len(known) + 1}"
