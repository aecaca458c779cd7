"""What a household prompt says, as values: robots, things, and what is left of the past."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mosaic_planner.models.standin.household_notes import Notes, Thing, state_words
from mosaic_planner.models.standin.household_sense import FIXED, encloses
from mosaic_planner.models.standin.household_task import Chore, read_chores
from mosaic_planner.models.standin.prompt import Asked, Block, Situation
from mosaic_planner.models.standin.told_results import ResultForm

__all__ = ["Robot", "View", "read_view"]

_LINE = re.compile(r"^- (\S+) \(([^)\n]*)\)(?:: (.*))?$")
_POSE = re.compile(r"is at \((-?\d+\.?\d*), (-?\d+\.?\d*)\)")
_HOLDING = re.compile(r"holding (\S+)$")
_MOVES = re.compile(r"\b(\d+) moves\b")
_RESULT = ResultForm(
    re.compile(r"action (\w+)(?:\(([^()]*)\))? (was successful|failed)(?:: ([^\n]*))?$"),
    "was successful",
)
_HISTORY_STEP = re.compile(r"^Step \d+$", re.M)
_HISTORY_LINE = re.compile(r"^- (\w+): saw ([^;\n]*); (.*)$", re.M)
_WORKED = re.compile(r"(\w+) ([A-Z]\w+)(?:\(([^()]*)\))?")
_CELL_M = 0.25
_FAR = 1e6


@dataclass(slots=True)
class Robot:
    """One robot. `ways`: moves to known things; `sees`: what is in its view now."""

    name: str
    pose: tuple[float, float] | None = None
    held: str = ""
    at: str = ""
    previous: tuple[str, tuple[str, ...], bool] | None = None
    previous_reason: str = ""
    sees: dict[str, None] = field(default_factory=dict)
    ways: dict[str, int] = field(default_factory=dict)

    def distance(self, thing: Thing) -> float:
        """Moves to a thing as far as anything tells, else very far."""
        if thing.name in self.sees:
            return 0.0
        if thing.name in self.ways:
            return self.ways[thing.name]
        if thing.near is None or self.pose is None:
            return _FAR
        x, z = self.pose
        return (abs(x - thing.near[0]) + abs(z - thing.near[1])) / _CELL_M

    def failed(self, name: str) -> bool:
        """Whether its last action was on that thing and failed."""
        return self.previous is not None and not self.previous[2] and self.previous[1] == (name,)


@dataclass(slots=True)
class View:
    """Everything the prompt tells. `named`: what NavigateTo may name, in order of first sight."""

    robots: dict[str, Robot]
    chores: tuple[Chore, ...]
    notes: Notes
    named: tuple[str, ...] = ()
    moving: bool = True

    @property
    def things(self) -> dict[str, Thing]:
        """All things by name."""
        return self.notes.things

    def around(self, thing: Thing) -> list[Thing]:
        """The receptacles a thing is in, from within; on the floor it is in none.

        Furniture that touches other furniture is not in it, so the way out ends there.
        """
        found: list[Thing] = []
        while thing.where in self.things and len(found) < 4:
            thing = self.things[thing.where]
            found.append(thing)
            if thing.kind in FIXED:
                break
        return found

    def shut_in(self, thing: Thing) -> Thing | None:
        """The closed container a thing is in."""
        for outer in self.around(thing):
            if encloses(outer.kind) and outer.states.get("open") is False:
                return outer
        return None

    def lies_on(self, thing: Thing) -> tuple[str, ...]:
        """Kinds of what it lies in or on."""
        kinds = tuple(outer.kind for outer in self.around(thing))
        return ("floor",) if thing.where == "floor" else kinds


def _past(situation: Situation) -> Notes:
    if situation.me:
        notes = Notes()
        notes.steps = len(situation.own_actions)
        _RESULT.take_in(notes, ((situation.me, text) for text in situation.own_actions))
        return notes
    if situation.history:
        notes = Notes()
        names: dict[str, None] = {}
        for step in _HISTORY_STEP.split(situation.history)[1:]:
            notes.steps += 1
            for agent, seen, rest in _HISTORY_LINE.findall(step):
                names.update(dict.fromkeys(seen.split(", ")))
                notes.count_names(len(names))
                _RESULT.take_in(notes, [(agent, rest)])
        return notes
    notes = Notes.read(situation.memory)
    if situation.happened:
        # What worked since the start; the robots' last actions are told apart from that.
        for agent, verb, args in _WORKED.findall(situation.happened.partition("worked so far:")[2]):
            notes.happened(agent, verb, (args,) if args else (), True, "")
            notes.steps += 1
        return notes
    _RESULT.take_in(notes, ((block.agent, block.previous) for block in situation.blocks))
    return notes


def _robot(block: Block, notes: Notes) -> Robot:
    robot = Robot(block.agent, at=notes.at.get(block.agent, ""))
    pose = _POSE.search(block.state)
    if pose:
        robot.pose = (float(pose[1]), float(pose[2]))
    held = _HOLDING.search(block.state.strip())
    if held and held[1] != "nothing":
        robot.held = held[1]
    _RESULT.set_previous(robot, block.previous)
    return robot


def read_view(asked: Asked, situation: Situation) -> View:
    """All blocks together: the team shares what it sees."""
    del asked
    notes = _past(situation)
    robots = {block.agent: _robot(block, notes) for block in situation.blocks}
    if situation.me in robots and situation.own_actions:
        _RESULT.set_previous(robots[situation.me], situation.own_actions[-1])
    named: dict[str, None] = {}
    glimpses: list[tuple[Robot, str, str]] = []
    looks: list[tuple[Robot, str, str]] = []
    for block in situation.blocks:
        robot = robots[block.agent]
        section = ""
        for line in block.observation.splitlines():
            if line.startswith("Names: "):
                names = line.removeprefix("Names: ")
                named.update(dict.fromkeys(n for n in names.split(", ") if n != "none"))
                continue
            found = _LINE.match(line)
            if found is None:
                section = line
            elif found[2] == "robot":
                continue
            elif section.startswith("Seen on the way"):
                glimpses.append((robot, found[1], found[3] or ""))
            else:
                looks.append((robot, found[1], found[3] or ""))
                robot.sees[found[1]] = None
        _places(block, robot, notes)
    for seen in (glimpses, looks):
        for robot, name, words in seen:
            named[name] = None
            _take_in(notes.thing(name), robot, words, now=seen is looks)
    for name in named:
        notes.thing(name)
    notes.count_names(len(named))
    for thing in notes.things.values():
        known = thing.holder in robots and any(b.state for b in situation.blocks)
        if known and robots[thing.holder].held != thing.name:
            thing.holder = ""
    for robot in robots.values():
        if robot.held:
            thing = notes.thing(robot.held)
            thing.holder, thing.where = robot.name, ""
    for name, thing in notes.things.items():
        if thing.states.get("open") and encloses(thing.kind):
            notes.looked_into[name] = None
    return View(robots, read_chores(situation.task), notes, tuple(named))


def _take_in(thing: Thing, robot: Robot, words: str, *, now: bool) -> None:
    """A sighting replaces what was believed; what a look does not mention is not so."""
    thing.where, thing.holder = "", ""
    thing.states["dirty"] = False
    thing.states.setdefault("sliced", False)  # what was sliced is never whole again
    thing.learn(state_words(words))
    thing.seen = True
    if now:
        thing.near = robot.pose if robot.pose is not None else thing.near


def _places(block: Block, robot: Robot, notes: Notes) -> None:
    """Memory lines: how far things are, and what nothing else tells of them."""
    for line in block.places.splitlines():
        found = _LINE.match(line)
        if found is None or found[2] == "agent":
            continue
        name, rest = found[1], found[3] or ""
        moves = _MOVES.search(rest)
        if moves and "lost" not in rest:
            robot.ways[name] = int(moves[1])
        thing = notes.thing(name)
        if not thing.seen:
            words = state_words(rest)
            thing.learn(words)
            for word in words:
                if word.startswith("not "):
                    key = word.removeprefix("not ")
                    if key in ("sliced", "dirty", "cooked"):
                        thing.states[key] = False
