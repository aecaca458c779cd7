"""What is still to be done, from the chores of the instruction and what is known of the things."""

from __future__ import annotations

from dataclasses import dataclass

from mosaic_planner.models.standin.household_notes import NEVER, Thing
from mosaic_planner.models.standin.household_sense import (
    DOUBTFUL,
    FIXED,
    HOMES,
    ONE_PLACE,
    SPARE_SURFACES,
)
from mosaic_planner.models.standin.household_task import Chore, matches
from mosaic_planner.models.standin.household_view import View

__all__ = ["Duty", "Work", "can_take", "done", "given_up", "in_place", "open_work", "places_for"]

_VERBS = {
    "sliced": "SliceObject", "clean": "CleanObject", "open": "OpenObject",
    "closed": "CloseObject", "on": "ToggleObjectOn", "off": "ToggleObjectOff",
}  # fmt: skip
_WANTED = {
    "sliced": ("sliced", True), "clean": ("dirty", False), "open": ("open", True),
    "closed": ("open", False), "on": ("on", True), "off": ("on", False),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Duty:
    """One thing to be handled: picked up and brought to `places`, or changed by `verb`."""

    name: str
    verb: str
    places: tuple[str, ...] = ()
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Work:
    """All that is known to be open.

    `closing`: containers to be closed at the end. `missing`: kinds that are needed and that nobody
    has seen. `maybe`: kinds of which there may be more than were seen.
    """

    duties: tuple[Duty, ...]
    closing: tuple[str, ...]
    missing: tuple[str, ...]
    maybe: tuple[str, ...]

    @property
    def finished(self) -> bool:
        """Nothing known is left to do."""
        return not (self.duties or self.closing or self.missing)


def done(thing: Thing, state: str) -> bool:
    """Whether a thing is in the state that a chore asks for."""
    key, value = _WANTED[state]
    if state == "sliced" and thing.states.get("broken"):
        return True
    return thing.states.get(key) is value


def in_place(view: View, thing: Thing, places: tuple[str, ...]) -> bool:
    """Whether a thing lies where it should."""
    return not thing.holder and any(matches(kind, places) for kind in view.lies_on(thing))


def goal_places(view: View, thing: Thing, chore: Chore) -> tuple[str, ...]:
    """The kinds of receptacles to which a chore sends a thing; () if it may stay."""
    if chore.places:
        return chore.places
    homes = HOMES.get(thing.kind, SPARE_SURFACES if chore.source == ("floor",) else ())
    return tuple(k for k in homes if not matches(k, chore.source))


def places_for(view: View, thing: Thing) -> tuple[str, ...]:
    """Where a thing in somebody's hand has to go; () if no chore is about it."""
    for chore in view.chores:
        if not chore.state and matches(thing.kind, chore.kinds):
            return goal_places(view, thing, chore)
    return ()


def can_take(view: View, item: Thing, place: Thing) -> bool:
    """Whether a receptacle may still take an item, as far as one knows."""
    if place.name == item.name or place.holder:
        return False
    if view.notes.refused.get((item.name, place.name), 0) >= NEVER:
        return False
    if place.kind in ONE_PLACE:
        return not any(t.where == place.name for t in view.things.values())
    return True


def given_up(view: View, item: Thing, kinds: tuple[str, ...]) -> bool:
    """Whether every known receptacle of these kinds has been found not to take an item."""
    known = [t for t in view.things.values() if matches(t.kind, kinds) and t.name != item.name]
    refused = [view.notes.refused.get((item.name, t.name), 0) >= NEVER for t in known]
    return bool(refused) and all(refused)


def open_work(view: View) -> Work:
    """Duties in the order of the instruction, and what has to be found."""
    duties: list[Duty] = []
    missing: dict[str, None] = {}
    maybe: dict[str, None] = {}
    closing: dict[str, None] = {}
    for chore in view.chores:
        if chore.state == "closed":
            closing.update(dict.fromkeys(_open_ones(view, chore.kinds)))
            continue
        for kind in chore.kinds:
            about = [t for t in view.things.values() if matches(t.kind, (kind,))]
            about = [t for t in about if _is_there(view, t)]
            about = [t for t in about if chore.state or t.kind not in FIXED]
            if chore.source:
                about = [t for t in about if _lies_there(view, t, chore)]
            if not about and not chore.every:
                missing[kind] = None
            if chore.every:
                maybe[kind] = None
            rank = int(kind in DOUBTFUL and len(chore.kinds) > 2)
            duties += _duties(view, chore, about, rank)
        for place in chore.places:
            known = any(matches(t.kind, chore.places) for t in view.things.values())
            if not known:
                missing[place.removeprefix("*")] = None
    for thing in view.things.values():
        if thing.kind == "fridge" and thing.states.get("open"):
            closing[thing.name] = None
    return Work(tuple(duties), tuple(closing), tuple(missing), tuple(maybe))


def _is_there(view: View, thing: Thing) -> bool:
    """Whether there is reason to believe in a thing.

    Eyes err: what neither the robots' names nor their memory have any more was never there.
    """
    if thing.name in view.notes.unreal:
        return False
    if not view.named or thing.holder or thing.name in view.named:
        return True
    return any(thing.name in robot.ways for robot in view.robots.values())


def _open_ones(view: View, kinds: tuple[str, ...]) -> list[str]:
    return [t.name for t in view.things.values() if matches(t.kind, kinds) and t.states.get("open")]


def _lies_there(view: View, thing: Thing, chore: Chore) -> bool:
    kinds = view.lies_on(thing)[:1]
    return bool(kinds) and matches(kinds[0], chore.source)


def _duties(view: View, chore: Chore, about: list[Thing], rank: int) -> list[Duty]:
    found: list[Duty] = []
    if chore.state:
        left = [t for t in about if not done(t, chore.state)]
        if not chore.every and len(left) < len(about):
            return []
        if not chore.every:
            left = left[:1]
        return [Duty(t.name, _VERBS[chore.state], (), rank) for t in left]
    satisfied = 0
    for thing in about:
        places = goal_places(view, thing, chore)
        if not places or given_up(view, thing, places):
            continue
        if in_place(view, thing, places):
            satisfied += 1
        elif not thing.holder and not thing.states.get("sliced"):
            found.append(Duty(thing.name, "PickupObject", places, rank))
        elif thing.holder and not chore.every:
            satisfied += 1  # it is on its way
    if chore.every:
        return found
    return [] if satisfied else found[:1]
