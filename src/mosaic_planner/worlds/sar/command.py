"""From an `Action` to what the simulator executes: parsed before acting, so nothing can crash.

Rule O2: what is not in the grammar of section H is a failed action of kind `malformed`; an object
that does not exist makes it `not_visible`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from mosaic_planner.core.action import Action
from mosaic_planner.worlds.sar.grid import DIRECTIONS

__all__ = ["Command", "Entity", "Op", "Sort", "compile_action", "read_action_text"]


class Sort(IntEnum):
    """What a name names."""

    FIRE = 0
    REGION = 1
    RESERVOIR = 2
    DEPOSIT = 3
    PERSON = 4
    AGENT = 5


class Op(IntEnum):
    """What to do; `FAIL` fails for the reason in the command once H1's tests are passed."""

    IDLE = 0
    DONE = 1
    MESSAGE = 2
    MOVE = 3
    NAVIGATE = 4
    EXPLORE = 5
    CARRY = 6
    DROP = 7
    STORE = 8
    USE = 9
    GET = 10
    TAKE = 11
    CLEAR = 12
    FAIL = 13


@dataclass(frozen=True, slots=True)
class Entity:
    """A name's kind, its index among its kind, and for a region the index of its fire."""

    name: str
    sort: Sort
    index: int
    fire: int = -1


@dataclass(frozen=True, slots=True)
class Command:
    """A parsed action.

    `named` are the objects that must be visible (rule H1.3), `restricted` whether holding a
    person forbids it (H1.2), `supply` 0 Sand, 1 Water, 2 Person (a slot, not a supply), and
    `error`/`reason` why a `FAIL` fails.
    """

    op: Op
    text: str
    verb: str
    named: tuple[Entity, ...] = ()
    restricted: bool = False
    direction: int = 0
    supply: int = -1
    error: str = ""
    reason: str = ""


_RESTRICTED = frozenset(("StoreSupply", "UseSupply", "GetSupply", "ClearInventory"))
_BARE = {
    "Done": Op.DONE,
    "Idle": Op.IDLE,
    "NoOp": Op.IDLE,
    "Explore": Op.EXPLORE,
    "ClearInventory": Op.CLEAR,
}
_ARGUMENTS = {
    "NavigateTo": "one object",
    "Carry": "one person",
    "DropOff": "a deposit and a person",
    "StoreSupply": "one deposit",
    "UseSupply": "a fire or region and a supply",
    "GetSupply": "a reservoir, or a deposit and a supply",
}
_ARITY = {
    "NavigateTo": (1,),
    "Carry": (1,),
    "DropOff": (2,),
    "StoreSupply": (1,),
    "UseSupply": (2,),
    "GetSupply": (1, 2),
}
_MOVES = {name: i for i, (name, _, _) in enumerate(DIRECTIONS)}
_DIAGONALS = frozenset(a + b for a in ("Up", "Down") for b in ("Left", "Right")) | frozenset(
    b + a for a in ("Up", "Down") for b in ("Left", "Right")
)
_SUPPLIES = {"sand": 0, "water": 1, "person": 2}


def compile_action(
    action: Action, entities: Mapping[str, Entity], text: str, *, reference_errors: bool = False
) -> Command:
    """The command for an action; never raises.

    `text` is the action as written, which coverage and failure memory use (rules K4, I6).
    `reference_errors`: DropOff of an unknown person fails with an empty kind (O1).
    """
    verb, args = action.verb, action.args
    restricted = verb in _RESTRICTED

    def fail(error: str, reason: str, named: tuple[Entity, ...] = ()) -> Command:
        return Command(Op.FAIL, text, verb, named, restricted, error=error, reason=reason)

    def malformed(reason: str) -> Command:
        return Command(Op.FAIL, text, verb, error="malformed", reason=reason)

    if "SendMessage" in text:  # rule I10
        return Command(Op.MESSAGE, text, verb)
    if verb in _BARE:
        if args:
            return malformed(f"{verb} takes no argument")
        return Command(_BARE[verb], text, verb, restricted=restricted)
    if verb == "Move":
        return _compile_move(args, text, malformed)
    if verb not in _ARGUMENTS:
        return malformed(f"no action {verb!r}")
    if len(args) not in _ARITY[verb]:
        return malformed(f"{verb} takes {_ARGUMENTS[verb]}")
    with_supply = verb in ("UseSupply", "GetSupply") and len(args) == 2
    supply = -1
    if with_supply:
        supply = _SUPPLIES.get(str(args[1]).lower(), -1)
        if supply < 0:
            return malformed(f"no supply {args[1]!r}; supplies are Sand and Water")
    names = args[:1] if with_supply else args
    for i, name in enumerate(names):
        if name not in entities:
            kind = "" if verb == "DropOff" and i == 1 and reference_errors else "not_visible"
            known = tuple(entities[n] for n in names if n in entities)
            return fail(kind, f"nothing called {name!r} is known", known)
    named = tuple(entities[name] for name in names)
    first = named[0].sort

    def command(op: Op) -> Command:
        return Command(op, text, verb, named, restricted, supply=supply)

    if verb == "NavigateTo":
        return command(Op.NAVIGATE)
    if verb == "GetSupply":
        if first is Sort.RESERVOIR:
            if with_supply:
                return malformed("a reservoir gives its own supply only; leave the supply out")
            return command(Op.GET)
        if first is Sort.DEPOSIT:
            if not with_supply:
                return malformed("say which supply to take from the deposit")
            return command(Op.TAKE)
        return fail("malformed", f"{names[0]} is neither a reservoir nor a deposit", named)
    # Rule H14: the wrong kind of a visible object fails with an empty kind.
    if verb == "Carry":
        if first is not Sort.PERSON:
            return fail("", f"{names[0]} is not a person", named)
        return command(Op.CARRY)
    if verb == "DropOff":
        if first is not Sort.DEPOSIT:
            return fail("", f"{names[0]} is not a deposit", named)
        if named[1].sort is not Sort.PERSON:
            return fail("", f"{names[1]} is not a person", named)
        return command(Op.DROP)
    if verb == "StoreSupply":
        if first is not Sort.DEPOSIT:
            return fail("", f"{names[0]} is not a deposit", named)
        return command(Op.STORE)
    if first is not Sort.FIRE and first is not Sort.REGION:
        return fail("", f"{names[0]} is not a fire", named)
    return command(Op.USE)


def _compile_move(args: tuple[str, ...], text: str, malformed: Callable[[str], Command]) -> Command:
    """Rules H3 and O1: a direction that is none is `not_visible` (odd), a diagonal malformed."""
    if len(args) > 1:
        return malformed("Move takes one direction")
    word = args[0] if args else ""
    if word in _MOVES:
        return Command(Op.MOVE, text, "Move", direction=_MOVES[word])
    if word in _DIAGONALS:
        return malformed(f"Move goes Up, Down, Left or Right, not {word}")
    return Command(
        Op.FAIL, text, "Move", error="not_visible", reason=f"{word!r} is not a direction"
    )


def read_action_text(text: str) -> Action:
    """The action of a written form of section H, read strictly (a comma and one space).

    Text that is not of the form `Verb(arguments)`, `Done` or `Idle` becomes an action with the
    whole text as its verb, which the world takes as malformed.
    """
    if text in ("Done", "Idle"):
        return Action(text)
    verb, bracket, rest = text.partition("(")
    if not bracket or not rest.endswith(")") or not verb.isidentifier():
        return Action(text)
    if verb in ("Done", "Idle"):
        return Action(text)  # rule O1: these are written without parentheses
    inside = rest[:-1]
    return Action(verb, tuple(inside.split(", ")) if inside else ())
