"""What a search-and-rescue prompt says, as values.

Positions of things are known only where memory lines give them. What happened before is known
only from the notes that came back (actor's memory) or from the history in the prompt.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from mosaic_planner.models.standin.common_sense import KIND_WORDS, LEVELS, SUPPLY_FOR
from mosaic_planner.models.standin.prompt import Asked, Block, Situation
from mosaic_planner.models.standin.told_results import ResultForm

__all__ = ["Fire", "Notes", "Robot", "View", "read_view"]

_THING = re.compile(r"^- (\S+) \(([^)\n]*)\): (.*)$", re.M)
_POSITION = re.compile(r"position \((-?\d+), (-?\d+)")
_AMOUNT = re.compile(r"(\w+) (\d+)")
_RESULT = ResultForm(
    re.compile(r"(\w+)(?:\(([^()]*)\))? (succeeded|failed)(?:: ([^\n]*))?$"), "succeeded"
)
_WAY = re.compile(r"\b(up|down|left|right) (\d+(?:\.\d+)?)")
_HISTORY_LINE = re.compile(r"^- (\w+): saw ([^;\n]*); (.*)$", re.M)
_AT = re.compile(r"(\w+) is at (\S+?)(?=[;.]|$)")
_CARRIES = re.compile(r"(\w+) carries (\S+?)(?=[;.]|$)")
_SEEN = re.compile(r"seen so far: ([^;.]*)")
_DELIVERED = re.compile(r"delivered: ([^;.]*)")
_PLANNED = re.compile(r"(\d+) steps planned")
_STEP_LINE = re.compile(r"^Step \d+$", re.M)
_REACH = re.compile(r"out of reach: ([^;.]*)")
_SUPPLY_RULE = re.compile(r"\b(Sand|Water) puts out (non-chemical|chemical)")
_WORD = re.compile(r"\b[A-Z]\w+\b")
_SIGN = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


@dataclass(slots=True)
class Notes:
    """What the team's past was, as far as it can be told."""

    place: dict[str, str] = field(default_factory=dict)
    carries: dict[str, str] = field(default_factory=dict)
    seen: dict[str, None] = field(default_factory=dict)
    delivered: dict[str, None] = field(default_factory=dict)
    out_of_reach: dict[str, None] = field(default_factory=dict)
    refused: dict[str, tuple[str, ...]] = field(default_factory=dict)
    steps: int = 0

    def text(self) -> str:
        """The notes as the actor's memory."""
        parts = [f"{self.steps + 1} steps planned"]
        parts += [f"{agent} is at {place}" for agent, place in self.place.items() if place]
        parts += [f"{agent} carries {person}" for agent, person in self.carries.items() if person]
        if self.seen:
            parts.append(f"seen so far: {', '.join(self.seen)}")
        if self.delivered:
            parts.append(f"delivered: {', '.join(self.delivered)}")
        if self.out_of_reach:
            parts.append(f"out of reach: {', '.join(self.out_of_reach)}")
        return "; ".join(parts)

    def happened(self, agent: str, verb: str, args: tuple[str, ...], ok: bool, why: str) -> None:
        """Take in the result of one action."""
        if verb == "NavigateTo" and ok:
            self.place[agent] = args[0]
        elif verb in ("Move", "Explore") and ok and args != ("Center",):
            self.place[agent] = ""
        elif verb == "Carry" and ok and args:
            self.carries[agent] = args[0]
        elif verb == "Carry" and args and self.place.get(agent) == args[0]:
            # There and still not let: enough others hold the person already.
            self.refused[agent] = (*self.refused.get(agent, ()), args[0])
        elif verb == "DropOff" and ok and len(args) == 2:
            for other in [a for a, person in self.carries.items() if person == args[1]]:
                self.carries[other] = ""
        elif verb == "UseSupply" and not ok and "close" in why:
            here = self.place.get(agent)
            if here and args[:1] == (here,):  # standing there, still too far from the middle
                self.out_of_reach[here] = None


@dataclass(slots=True)
class Robot:
    """One robot as the prompt shows it; `ways` are (right, down) moves to known things."""

    name: str
    x: int | None = None
    y: int | None = None
    load: dict[str, int] = field(default_factory=dict)
    place: str = ""
    carries: str = ""
    previous: tuple[str, tuple[str, ...], bool] | None = None
    previous_reason: str = ""
    failures: tuple[str, ...] = ()
    ways: dict[str, tuple[float, float]] = field(default_factory=dict)
    around: dict[str, str] = field(default_factory=dict)

    @property
    def busy(self) -> bool:
        """Holds a person."""
        return self.load.get("Person", 0) > 0

    @property
    def units(self) -> int:
        """Supplies held."""
        return sum(n for item, n in self.load.items() if item != "Person")

    def distance(self, name: str) -> float | None:
        """Moves to a thing, None if nobody told."""
        way = self.ways.get(name)
        return None if way is None else abs(way[0]) + abs(way[1])

    def at(self, name: str, near: float = 1.0) -> bool:
        """Whether the robot is where `name` is: told by memory lines, else by its last trip."""
        known = self.distance(name)
        if known is not None:
            return known <= near or self.place == name
        return self.place == name


@dataclass(slots=True)
class Fire:
    """A fire and its burning regions (name to level 1..3)."""

    name: str
    supply: str
    level: int
    regions: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class View:
    """Everything the prompt tells about the mission."""

    robots: dict[str, Robot]
    fires: dict[str, Fire]
    reservoirs: dict[str, str]
    deposits: dict[str, dict[str, int]]
    persons: dict[str, int]
    missing: tuple[str, ...]
    notes: Notes
    visible_robots: dict[str, dict[str, int]] = field(default_factory=dict)
    capacity: int = 3

    @property
    def burning(self) -> list[Fire]:
        """Fires that are not out."""
        return [fire for fire in self.fires.values() if fire.level or fire.regions]

    @property
    def finished(self) -> bool:
        """Nothing burns, nobody is missing or waiting."""
        return bool(self.fires or self.notes.delivered) and not (
            self.burning or self.persons or self.missing
        )


def _names(found: re.Match[str] | None) -> dict[str, None]:
    return dict.fromkeys(n.strip() for n in found[1].split(",") if n.strip()) if found else {}


def _notes(situation: Situation) -> Notes:
    notes = Notes()
    if situation.me:
        notes.steps = len(situation.own_actions)
        _RESULT.take_in(notes, ((situation.me, text) for text in situation.own_actions))
        return notes
    if situation.history:
        notes.steps = len(_STEP_LINE.findall(situation.history))
        for agent, seen, rest in _HISTORY_LINE.findall(situation.history):
            notes.seen.update(dict.fromkeys(n for n in seen.split(", ") if "Person" in n))
            _RESULT.take_in(notes, [(agent, rest)])
        return notes
    memory = situation.memory
    planned = _PLANNED.search(memory)
    notes.steps = int(planned[1]) if planned else 0
    notes.place.update(_AT.findall(memory))
    notes.carries.update(_CARRIES.findall(memory))
    notes.seen.update(_names(_SEEN.search(memory)))
    notes.delivered.update(_names(_DELIVERED.search(memory)))
    notes.out_of_reach.update(_names(_REACH.search(memory)))
    _RESULT.take_in(notes, ((block.agent, block.previous) for block in situation.blocks))
    return notes


def _robot(block: Block, notes: Notes) -> Robot:
    robot = Robot(block.agent, place=notes.place.get(block.agent, ""))
    position = _POSITION.search(block.state)
    if position:
        robot.x, robot.y = int(position[1]), int(position[2])
    inventory = block.state.partition("inventory")[2]
    robot.load = {item: int(n) for item, n in _AMOUNT.findall(inventory)}
    robot.carries = notes.carries.get(block.agent, "") if robot.busy else ""
    _RESULT.set_previous(robot, block.previous)
    failures = block.failures
    robot.failures = tuple(failures.split("; ")) if failures and failures != "none" else ()
    for name, _, rest in _THING.findall(block.places):
        if "lost" in rest:
            continue
        if rest.startswith("here"):
            robot.ways[name] = (0.0, 0.0)
            continue
        first = rest.partition(";")[0]
        steps = [
            (float(n) * _SIGN[way][0], float(n) * _SIGN[way][1]) for way, n in _WAY.findall(first)
        ]
        if steps:
            robot.ways[name] = (sum(s[0] for s in steps), sum(s[1] for s in steps))
        if f"held by {block.agent}" in rest:
            robot.carries = name
    around = block.observation.partition("\n")[0].removeprefix("Around:")
    for part in around.split(";"):
        way, _, what = part.strip().partition(" ")
        robot.around[way] = what
    return robot


def supplies(asked: Asked) -> dict[str, str]:
    """Fire type to supply, from the prompt's rules, else from common sense."""
    return {**SUPPLY_FOR, **{kind: supply for supply, kind in _SUPPLY_RULE.findall(asked.rules)}}


def read_view(asked: Asked, situation: Situation) -> View:
    """All blocks together: the team shares one prompt."""
    notes = _notes(situation)
    robots = {block.agent: _robot(block, notes) for block in situation.blocks}
    match = supplies(asked)
    view = View(robots, {}, {}, {}, {}, (), notes)
    for name, kind, rest in _things(situation.blocks):
        words = [w.strip() for w in kind.split(",")]
        if words[0] == "fire":
            level = LEVELS.get(rest.rpartition(" ")[2], 0)
            fire = view.fires.setdefault(name, Fire(name, "", 0))
            fire.supply, fire.level = match.get(words[-1], ""), level
        elif words[0].startswith("region of "):
            owner = words[0].removeprefix("region of ")
            fire = view.fires.setdefault(owner, Fire(owner, match.get(words[-1], ""), 0))
            level = LEVELS.get(rest.rpartition(" ")[2], 0)
            if level:
                fire.regions[name] = level
        elif words[0] == "reservoir":
            view.reservoirs[name] = rest.removeprefix("gives ").strip()
        elif words[0] == "deposit":
            view.deposits[name] = {item: int(n) for item, n in _AMOUNT.findall(rest)}
        elif words[0] == "robot":
            view.visible_robots[name] = {item: int(n) for item, n in _AMOUNT.findall(rest)}
        elif words[0] == "person":
            amount = re.search(r"\d+", rest)
            view.persons[name] = int(amount[0]) if amount else 2
            notes.seen[name] = None
    _account_for_persons(view, situation)
    return view


def _things(blocks: Iterable[Block]) -> list[tuple[str, str, str]]:
    """Every visible thing once, in the order of the first block that shows it."""
    things: dict[str, tuple[str, str, str]] = {}
    for block in blocks:
        for found in _THING.findall(block.observation):
            things.setdefault(found[0], found)
    return list(things.values())


def _account_for_persons(view: View, situation: Situation) -> None:
    """Who is still missing, and who was delivered: seen once and not visible any more."""
    notes = view.notes
    person_word = next(word for word, kind in KIND_WORDS.items() if kind == "person")
    named = [name for name in _WORD.findall(situation.task) if person_word in name]
    for text in situation.completed:
        if "drop" in text.lower():
            notes.delivered.update(dict.fromkeys(n for n in named if n in text))
        notes.seen.update(dict.fromkeys(n for n in named if n in text))
    for name in list(notes.seen):
        if name not in view.persons:
            notes.delivered[name] = None
    for name in view.persons:
        notes.delivered.pop(name, None)
    view.missing = tuple(
        name for name in named if name not in view.persons and name not in notes.delivered
    )
