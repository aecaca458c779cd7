"""A vocabulary as the search-and-rescue world has it (sar.md section H), and names to use."""

from __future__ import annotations

from mosaic_planner.models.reading import ReadAction, read_action
from mosaic_planner.worlds.sar.vocabulary import SAR_VOCABULARY

AGENTS = ("Alice", "Bob", "Charlie", "David", "Emma")

ENTITIES: tuple[tuple[str, str], ...] = (
    *((name, "fire") for name in ("RedFire", "CaldorFire", "GreatFire")),
    *((f"RedFire_Region_{n}", "region") for n in (1, 2, 3, 9)),
    *((name, "reservoir") for name in ("ReservoirTaj", "ReservoirYork")),
    ("DepositFacility", "deposit"),
    *((f"LostPerson{n}", "person") for n in ("Thomas", "Timmy", "Jeremy", "Zoe", "Jacob")),
    *((name, "agent") for name in AGENTS),
)


def read(text: str, **options: str) -> ReadAction:
    """Reads an action text with the names of these tests."""
    return read_action(text, SAR_VOCABULARY, ENTITIES, **options)


def text_of(found: ReadAction) -> str:
    """The action's text, or "" for a rejection."""
    return "" if found.action is None else str(found.action)
