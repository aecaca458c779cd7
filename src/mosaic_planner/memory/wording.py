"""Words at the edge: tiers, directions, and one compact line per entry.

Inside everything stays continuous; only what a prompt shows is rounded. Tiers by rounded moves::

    here        0
    just ahead  1 to 2      (the paper's)
    near        3 to 5      (ours)
    medium      6 to 10     (ours)
    far         more than 10 (the paper's)

The count of moves in a line is the sum of its two rounded parts, so that a line never disagrees
with itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mosaic_planner.core.belief import RelativeBelief
from mosaic_planner.core.geometry import Offset
from mosaic_planner.core.observation import Value
from mosaic_planner.core.world import Geometry

__all__ = [
    "LIKELY_HERE",
    "direction_words",
    "entry_line",
    "moves_of",
    "parts_of",
    "parts_words",
    "state_words",
    "tier_of",
]

LIKELY_HERE = 0.8
"""Confidence below which a line says "unsure"."""

_WHOLE = ((True, "open", "open"), (False, "open", "closed"))
_UNWORDED = ("reach",)  # ranges of interaction: rules and costs read them, prompts need not


def parts_of(offset: Offset, unit: float) -> tuple[int, int]:
    """Whole moves to the right and ahead, each rounded half away from zero."""
    right, ahead = offset.dx / unit, offset.dz / unit
    return (
        int(right + 0.5) if right >= 0 else -int(0.5 - right),
        int(ahead + 0.5) if ahead >= 0 else -int(0.5 - ahead),
    )


def moves_of(offset: Offset, unit: float) -> int:
    """Moves as a prompt counts them, >= 0; equals `Offset.steps` on a grid of `unit`."""
    right, ahead = parts_of(offset, unit)
    return abs(right) + abs(ahead)


def tier_of(moves: int) -> str:
    """The tier of a number of moves >= 0."""
    if moves == 0:
        return "here"
    if moves <= 2:
        return "just ahead"
    if moves <= 5:
        return "near"
    return "medium" if moves <= 10 else "far"


def direction_words(offset: Offset, geometry: Geometry) -> str:
    """Where something is, in the world's words for directions; "here" within half a move.

    Without headings both axes with their moves ("right 6, down 2"); with headings one of eight
    directions of 45 degrees ("ahead left").
    """
    right, ahead = parts_of(offset, geometry.unit)
    return parts_words(right, ahead, offset.bearing_deg, geometry)


def parts_words(right: int, ahead: int, bearing_deg: float, geometry: Geometry) -> str:
    """`direction_words` from the whole moves (`parts_of`) and the bearing, degrees."""
    if right == 0 and ahead == 0:
        return "here"
    front, east, back, west = geometry.directions
    if geometry.headings:
        words = []
        if abs(bearing_deg) < 67.5:
            words.append(front)
        elif abs(bearing_deg) > 112.5:
            words.append(back)
        if 22.5 <= abs(bearing_deg) <= 157.5:
            words.append(east if bearing_deg > 0 else west)
        return " ".join(words)
    words = []
    if right:
        words.append(f"{east if right > 0 else west} {abs(right)}")
    if ahead:
        words.append(f"{front if ahead > 0 else back} {abs(ahead)}")
    return ", ".join(words)


def state_words(attributes: Iterable[tuple[str, Value]], said: str = "") -> list[str]:
    """One short phrase per attribute: `key value`; a truth value is `key` or `not key`.

    Left out is what `said`, text that stands beside the phrases anyway, says already: a text or
    number in it.
    """
    words = []
    for key, value in attributes:
        if key in _UNWORDED or (not isinstance(value, bool) and str(value) in said):
            continue
        if isinstance(value, bool):
            known = [w for flag, name, w in _WHOLE if name == key and flag is value]
            words.append(known[0] if known else key if value else f"not {key}")
        else:
            words.append(f"{key} {value:g}" if isinstance(value, float) else f"{key} {value}")
    return words


def entry_line(
    entry: RelativeBelief, geometry: Geometry, places: Sequence[str] = (), said: str = ""
) -> str:
    """The prompt line of one entry.

    `places` are where a lost thing may be, likeliest first. `said` is what the agent's own
    observation text says of the entity in this step; state words that repeat it, or the name, are
    left out.

    `- NAME (KIND): <direction>; <n> moves, <tier>[; state][; held by X][; last seen N steps
    ago][; unsure | lost, likely near P, Q]`, and with headings a comma after the direction.
    """
    belief = entry.belief
    moves = moves_of(entry.offset, geometry.unit)
    where = f"{entry.direction}{',' if geometry.headings else ';'} {moves} moves, {entry.tier}"
    words = [where, *state_words(belief.attributes, f"{belief.name} {said}")]
    if belief.holder:
        words.append(f"held by {belief.holder}")
    if belief.age > 0:
        words.append(f"last seen {belief.age} step{'s' if belief.age > 1 else ''} ago")
    if belief.lost:
        words.append(f"lost, likely near {', '.join(places)}" if places else "lost")
    elif belief.confidence < LIKELY_HERE:
        words.append("unsure")
    return f"- {belief.name} ({belief.kind}): {'; '.join(words)}"
