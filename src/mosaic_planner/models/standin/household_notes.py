"""What the stand-in writes down for itself about a household, and how it reads that again.

The notes are the actor's memory text (LLaMAR); planners without one have the same things from the
history in their prompt. Everything in them was seen in an observation or told as the result of an
action.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

__all__ = ["Notes", "Thing", "kind_of", "state_words"]

_NEAR = re.compile(r"near (-?\d+(?:\.\d+)?)/(-?\d+(?:\.\d+)?)")
_ENTRY = re.compile(r"^(\w+_\d+): (.*)$")
_AT = re.compile(r"^(\w+) stands at (\S+)$")
_REFUSED = re.compile(r"^(\S+) did not go into (\S+) (\d+) times?$")
_MISSED = re.compile(r"^(\w+) did not get to (\S+) (\d+) times?$")
_FRUITLESS = re.compile(r"^(\w+) failed (\d+) times? on end$")
_COUNTS = re.compile(
    r"^(\d+) steps planned, (\d+) explored, (\d+) of them without news, (\d+) names"
)
_SAID_DONE = re.compile(r"^said Done after (\d+)$")
_LOOKED = re.compile(r"^looked into: (.*)$")
_UNREAL = re.compile(r"^there is no (.*)$")

_WORDS: dict[str, tuple[str, bool]] = {
    "open": ("open", True), "closed": ("open", False), "on": ("on", True), "off": ("on", False),
    "sliced": ("sliced", True), "whole": ("sliced", False), "dirty": ("dirty", True),
    "clean": ("dirty", False), "broken": ("broken", True), "cooked": ("cooked", True),
}  # fmt: skip
_SAID = {pair: word for word, pair in _WORDS.items()}

NEVER = 9
"""Refusals that stand for "this will never work"."""


def kind_of(name: str) -> str:
    """The kind of thing a name tells, lower case: `ButterKnife_2` is a butterknife."""
    return name.rpartition("_")[0].lower()


@dataclass(slots=True)
class Thing:
    """What is known of one thing.

    `where`: the receptacle it is in or on, "floor", or "" if that is not known. `near`: where the
    robot stood that saw it last, in metres. `seen`: it was seen, not only named.
    """

    name: str
    kind: str
    where: str = ""
    states: dict[str, bool] = field(default_factory=dict)
    holder: str = ""
    near: tuple[float, float] | None = None
    seen: bool = False

    def words(self) -> str:
        """What is known in words, as the notes have it."""
        parts = [_SAID[pair] for pair in self.states.items() if pair in _SAID]
        if self.where:
            parts.append(f"in {self.where}")
        if self.holder:
            parts.append(f"held by {self.holder}")
        if self.near is not None:
            parts.append(f"near {self.near[0]:g}/{self.near[1]:g}")
        return ", ".join(parts)

    def learn(self, words: Iterable[str]) -> None:
        """Take in words of an observation, of a memory line, or of the notes."""
        for word in words:
            if word in _WORDS:
                key, value = _WORDS[word]
                self.states[key] = value
            elif word == "on the floor":
                self.where = "floor"
            elif word.startswith(("in ", "on ", "inside ")):
                self.where = word.partition(" ")[2]
            elif word.startswith("held by "):
                self.holder = word.removeprefix("held by ")
            elif near := _NEAR.match(word):
                self.near = (float(near[1]), float(near[2]))


def state_words(text: str) -> list[str]:
    """The single words and phrases of a line, whatever stands between them."""
    return [word.strip() for word in re.split(r"[,;]", text) if word.strip()]


@dataclass(slots=True)
class Notes:
    """The team's past, as far as it can be told.

    `refused`: (item, receptacle) to how often putting failed. `missed`: (robot, thing) to how
    often the way there failed. `fruitless`: failures on end by robot. `stale`: looks around on end
    that showed nothing with a new name. `said_done`: after how many steps the team last said
    Done. `unreal`: names that turned out to be nothing's.
    """

    things: dict[str, Thing] = field(default_factory=dict)
    at: dict[str, str] = field(default_factory=dict)
    refused: dict[tuple[str, str], int] = field(default_factory=dict)
    missed: dict[tuple[str, str], int] = field(default_factory=dict)
    fruitless: dict[str, int] = field(default_factory=dict)
    looked_into: dict[str, None] = field(default_factory=dict)
    unreal: dict[str, None] = field(default_factory=dict)
    steps: int = 0
    explored: int = 0
    stale: int = 0
    names: int = 0
    said_done: int = -100

    def thing(self, name: str) -> Thing:
        """The entry of a name; a new one if it was never heard of."""
        return self.things.setdefault(name, Thing(name, kind_of(name)))

    def text(self, wanted: Mapping[str, Thing]) -> str:
        """The notes in words, with what is known of `wanted`."""
        parts = [
            f"{self.steps + 1} steps planned, {self.explored} explored, {self.stale} of them "
            f"without news, {self.names} names"
        ]
        parts += [f"{agent} stands at {place}" for agent, place in self.at.items() if place]
        parts += [f"{a} failed {_times(n)} on end" for a, n in self.fruitless.items() if n]
        parts += [
            f"{item} did not go into {place} {_times(n)}"
            for (item, place), n in self.refused.items()
        ]
        parts += [f"{a} did not get to {name} {_times(n)}" for (a, name), n in self.missed.items()]
        if self.said_done >= 0:
            parts.append(f"said Done after {self.said_done}")
        if self.looked_into:
            parts.append(f"looked into: {', '.join(self.looked_into)}")
        if self.unreal:
            parts.append(f"there is no {', '.join(self.unreal)}")
        parts += [f"{name}: {thing.words()}" for name, thing in wanted.items() if thing.words()]
        return "; ".join(parts)

    @classmethod
    def read(cls, text: str) -> Notes:
        """The notes from their text; what is not understood is left out."""
        notes = cls()
        for part in text.split("; "):
            if entry := _ENTRY.match(part):
                thing = notes.thing(entry[1])
                thing.learn(state_words(entry[2]))
                thing.seen = True
            elif found := _COUNTS.match(part):
                notes.steps, notes.explored, notes.stale, notes.names = map(int, found.groups())
            elif found := _AT.match(part):
                notes.at[found[1]] = found[2]
            elif found := _FRUITLESS.match(part):
                notes.fruitless[found[1]] = int(found[2])
            elif found := _REFUSED.match(part):
                notes.refused[found[1], found[2]] = int(found[3])
            elif found := _MISSED.match(part):
                notes.missed[found[1], found[2]] = int(found[3])
            elif found := _SAID_DONE.match(part):
                notes.said_done = int(found[1])
            elif found := _LOOKED.match(part):
                notes.looked_into.update(dict.fromkeys(found[1].split(", ")))
            elif found := _UNREAL.match(part):
                notes.unreal.update(dict.fromkeys(found[1].split(", ")))
        return notes

    def count_names(self, names: int) -> None:
        """How many names are known now; a new one means that looking around still pays."""
        if names > self.names:
            self.stale = 0
        self.names = max(self.names, names)

    def happened(self, agent: str, verb: str, args: tuple[str, ...], ok: bool, why: str) -> None:
        """Take in the result of one action."""
        name = args[0] if args else ""
        if verb == "Done":
            self.said_done = self.steps
        if verb in ("Idle", "Done"):
            return
        self.fruitless[agent] = 0 if ok else self.fruitless.get(agent, 0) + 1
        if not ok:
            self._failed(agent, verb, name, why)
            return
        if verb == "NavigateTo":
            self.at[agent] = name
            self.missed.pop((agent, name), None)
        elif verb in ("Explore", "Move", "Rotate"):
            self.at[agent] = ""
            if verb == "Explore":
                self.explored += 1
                self.stale += 1
        elif verb == "PickupObject":
            thing = self.thing(name)
            thing.holder, thing.where = agent, ""
        elif verb == "PutObject":
            for thing in self.things.values():
                if thing.holder == agent:
                    thing.holder, thing.where = "", name
        elif verb in ("OpenObject", "CloseObject"):
            self.thing(name).states["open"] = verb == "OpenObject"
            if verb == "OpenObject":
                self.looked_into[name] = None
                self.stale = max(0, self.stale - 1)
        elif verb in ("ToggleObjectOn", "ToggleObjectOff"):
            self.thing(name).states["on"] = verb == "ToggleObjectOn"
        elif verb == "SliceObject":
            self.thing(name).states["sliced"] = True
        elif verb == "CleanObject":
            self.thing(name).states["dirty"] = False

    def _failed(self, agent: str, verb: str, name: str, why: str) -> None:
        if name and why.startswith("nothing called"):  # somebody was mistaken about it
            self.unreal[name] = None
            self.things.pop(name, None)
            return
        if verb == "PutObject" and name:
            for thing in self.things.values():
                if thing.holder == agent:
                    pair = (thing.name, name)
                    never = "does not take" in why or "is full" in why
                    self.refused[pair] = NEVER if never else self.refused.get(pair, 0) + 1
        if name and (verb == "NavigateTo" or "in view" not in why):
            self.missed[agent, name] = self.missed.get((agent, name), 0) + 1
        # Seen from here it cannot be done: another place to stand has to be found.
        if self.at.get(agent) == name and verb != "NavigateTo":
            self.at[agent] = ""
        already = re.search(r"is already (open|closed|on|off|sliced|clean)\b", why)
        if already and name:
            self.thing(name).learn([already[1]])


def _times(number: int) -> str:
    return f"{number} time{'s' if number > 1 else ''}"
