"""Mistakes that language models make in households, one mechanism each.

As in search and rescue: a careful answer is drawn up first; then every candidate of every robot
passes the mechanisms in the order of `household_rates.HouseholdRates`, and the first that strikes
and applies replaces it. All chance comes from (seed, messages). Further candidates of one robot
share the draws of its first one with the probability `correlation`.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

from mosaic_planner.models.standin.household import DONE, EXPLORE, IDLE, Job
from mosaic_planner.models.standin.household_duties import open_work
from mosaic_planner.models.standin.household_notes import Thing
from mosaic_planner.models.standin.household_rates import HouseholdRates
from mosaic_planner.models.standin.household_sense import FIXED, SPARE_SURFACES, encloses
from mosaic_planner.models.standin.household_task import matches
from mosaic_planner.models.standin.household_view import Robot, View

__all__ = ["HouseholdSlips"]

_FLAWLESS = HouseholdRates()
_KINDS = tuple(f.name for f in fields(HouseholdRates))


def _random(*parts: object) -> random.Random:
    """A generator that depends on the parts alone, the same in every process."""
    text = "\x1f".join(map(str, parts))
    return random.Random(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big"))


@dataclass(frozen=True, slots=True)
class _Context:
    """What a mechanism may look at: the same the robot's careful action came from."""

    view: View
    robot: Robot
    job: Job
    jobs: Mapping[str, Job]
    action: str
    rng: random.Random

    @property
    def verb(self) -> str:
        return self.action.partition("(")[0]

    @property
    def target(self) -> str:
        return self.action.partition("(")[2].rstrip(")")

    def things(self, *, loose: bool) -> list[Thing]:
        """Named things that can, or cannot, be carried."""
        known = [self.view.things[n] for n in self.view.named if n in self.view.things]
        return [t for t in known if (t.kind not in FIXED) is loose and not t.holder]


def _repeat_failed(c: _Context) -> str:
    if c.robot.previous is None or c.robot.previous[2]:
        return ""
    verb, args, _ = c.robot.previous
    return f"{verb}({', '.join(args)})"


def _idling(c: _Context) -> str:
    return IDLE


def _too_far(c: _Context) -> str:
    """Acting from afar: the trip is left out."""
    if c.verb != "NavigateTo" or not c.target:
        return ""
    if c.robot.held:
        return f"PutObject({c.target})"
    thing = c.view.notes.thing(c.target)
    if encloses(thing.kind):
        return f"OpenObject({c.target})"
    return f"PickupObject({c.target})" if thing.kind not in FIXED else ""


def _renavigate(c: _Context) -> str:
    here = c.target and c.target in c.robot.sees
    return f"NavigateTo({c.target})" if here and c.verb.endswith("Object") else ""


def _forgotten_door(c: _Context) -> str:
    if c.verb != "OpenObject":
        return ""
    if c.robot.held:
        return f"PutObject({c.target})"
    inside = [t.name for t in c.view.things.values() if t.where == c.target]
    return f"PickupObject({inside[0]})" if inside else ""


def _full_hand(c: _Context) -> str:
    if not c.robot.held:
        return f"PutObject({c.target})" if c.verb == "NavigateTo" and c.job.kind == "duty" else ""
    near = [t.name for t in c.things(loose=True) if t.name in c.robot.sees]
    near = [name for name in near if name != c.robot.held]
    return f"PickupObject({c.rng.choice(near)})" if near else ""


def _wrong_thing(c: _Context) -> str:
    if c.robot.held or c.job.kind != "duty" or c.verb not in ("NavigateTo", "PickupObject"):
        return ""
    others = [t.name for t in c.things(loose=True) if t.name != c.target]
    if c.verb == "PickupObject":
        others = [name for name in others if name in c.robot.sees]
    return f"{c.verb}({c.rng.choice(others)})" if others else ""


def _wrong_place(c: _Context) -> str:
    if not c.robot.held or c.verb not in ("NavigateTo", "PutObject"):
        return ""
    kind = c.view.notes.thing(c.target).kind
    others = [t.name for t in c.things(loose=False) if matches(t.kind, SPARE_SURFACES)]
    others = [n for n in others if c.view.notes.thing(n).kind != kind]
    if c.verb == "PutObject":
        others = [n for n in others if n in c.robot.sees]
    return f"{c.verb}({c.rng.choice(others)})" if others else ""


def _crowding(c: _Context) -> str:
    if c.robot.held:
        return ""
    targets = [
        j.target for n, j in c.jobs.items() if n != c.robot.name and j.kind in ("duty", "close")
    ]
    targets = [t for t in targets if t and t != c.target]
    return f"NavigateTo({c.rng.choice(targets)})" if targets else ""


def _unseen(c: _Context) -> str:
    if c.action == EXPLORE:
        missing = open_work(c.view).missing
        return f"NavigateTo({c.rng.choice(missing).capitalize()}_1)" if missing else ""
    if c.verb == "NavigateTo":
        stem = c.target.rpartition("_")[0]
        return f"NavigateTo({stem}_{2 + c.rng.randrange(8)})" if stem else ""
    return ""


def _aimless(c: _Context) -> str:
    return EXPLORE if c.job.kind in ("duty", "bring", "close") else ""


_FORMS: dict[str, tuple[str, ...]] = {
    "NavigateTo": ("navigate to {0}", "Navigate to object {0}", "go to {0} and pick it up"),
    "PickupObject": ("pick up {0}", "PickupObject({0}, {0})", "grab the thing"),
    "PutObject": ("put it on {0}", "PutObject({0}, {0})", "put everything away"),
    "OpenObject": ("open {0}", "OpenObject()", "open it up"),
    "CloseObject": ("close {0}", "CloseObject()", "shut the door"),
    "ToggleObjectOn": ("turn on {0}", "ToggleObject({0})", "switch it on"),
    "ToggleObjectOff": ("turn off {0}", "ToggleObject({0})", "switch it off"),
    "SliceObject": ("slice {0}", "SliceObject({0}, Knife)", "cut it"),
    "CleanObject": ("clean {0}", "CleanObject({0}, SinkBasin)", "wash it"),
    "Explore": ("explore", "Explore(North)", "search the room"),
    "Idle": ("wait", "wait for the others", "Idle()"),
}


def _malformed_action(c: _Context) -> str:
    forms = _FORMS.get(c.verb)
    return c.rng.choice(forms).format(c.target) if forms else ""


_MECHANISMS: dict[str, Callable[[_Context], str]] = {
    "repeat_failed": _repeat_failed,
    "idling": _idling,
    "too_far": _too_far,
    "renavigate": _renavigate,
    "forgotten_door": _forgotten_door,
    "full_hand": _full_hand,
    "wrong_thing": _wrong_thing,
    "wrong_place": _wrong_place,
    "crowding": _crowding,
    "unseen": _unseen,
    "aimless": _aimless,
    "malformed_action": _malformed_action,
}


@dataclass(frozen=True, slots=True)
class HouseholdSlips:
    """The mistakes of one answer."""

    rates: HouseholdRates
    correlation: float
    key: str

    def actions(self, view: View, jobs: Mapping[str, Job], count: int) -> dict[str, list[str]]:
        """`count` >= 1 actions per robot, with this answer's mistakes in them."""
        if self.rates == _FLAWLESS:
            return {name: job.actions[:count] for name, job in jobs.items()}
        team = self._team(view, jobs)
        if team:
            return {name: [team[name]] * count for name in jobs}
        return {
            name: self._robot(view, view.robots[name], job, jobs, count)
            for name, job in jobs.items()
        }

    def line(
        self, view: View, robot: Robot, job: Job, jobs: Mapping[str, Job], action: str, number: int
    ) -> str:
        """One action of a program written in advance, with this answer's mistakes in it."""
        if self.rates == _FLAWLESS:
            return action
        return self._slip(view, robot, job, jobs, action, 1000 + number)[0]

    def _team(self, view: View, jobs: Mapping[str, Job]) -> dict[str, str]:
        """Mistakes that concern everybody: what each does instead, empty for none."""
        rng = _random(self.key, "team")
        early, late = rng.random(), rng.random()
        if all(job.actions[0] == DONE for job in jobs.values()):
            if late < self.rates.late_done:
                return {name: rng.choice((EXPLORE, IDLE)) for name in jobs}
            return {}
        if view.notes.steps and early < self.rates.premature_done:
            return dict.fromkeys(jobs, DONE)
        return {}

    def _robot(
        self, view: View, robot: Robot, job: Job, jobs: Mapping[str, Job], count: int
    ) -> list[str]:
        careful = job.actions[:count]
        first, struck = self._slip(view, robot, job, jobs, careful[0], 0)
        result = [first]
        for rank, action in enumerate(careful[1:], start=1):
            shares = _random(self.key, robot.name, rank, "shares").random() < self.correlation
            if not shares:
                result.append(self._slip(view, robot, job, jobs, action, rank)[0])
            elif not struck:
                result.append(action)
            else:
                own = self._apply(struck, view, robot, job, jobs, action, 0)
                result.append(own or first)
        return result

    def _slip(
        self, view: View, robot: Robot, job: Job, jobs: Mapping[str, Job], action: str, rank: int
    ) -> tuple[str, str]:
        """The action after the mechanisms, and which one struck ("" for none)."""
        rng = _random(self.key, robot.name, rank)
        draws = {kind: rng.random() for kind in _KINDS}
        for kind in _MECHANISMS:
            if draws[kind] < getattr(self.rates, kind):
                wrong = self._apply(kind, view, robot, job, jobs, action, rank)
                if wrong:
                    return wrong, kind
        return action, ""

    def _apply(
        self,
        kind: str,
        view: View,
        robot: Robot,
        job: Job,
        jobs: Mapping[str, Job],
        action: str,
        rank: int,
    ) -> str:
        rng = _random(self.key, robot.name, rank, kind)
        return _MECHANISMS[kind](_Context(view, robot, job, jobs, action, rng))
