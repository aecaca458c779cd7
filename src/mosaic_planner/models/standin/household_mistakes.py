"""Mistakes that language models make in households, one mechanism each.

How often each strikes is in `household_rates.HouseholdRates`, how they get into an answer in
`slips`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mosaic_planner.models.standin.household_duties import open_work
from mosaic_planner.models.standin.household_notes import Thing
from mosaic_planner.models.standin.household_rates import HouseholdRates
from mosaic_planner.models.standin.household_sense import FIXED, SPARE_SURFACES, encloses
from mosaic_planner.models.standin.household_task import matches
from mosaic_planner.models.standin.household_view import Robot, View
from mosaic_planner.models.standin.jobs import DONE, EXPLORE, IDLE, Job
from mosaic_planner.models.standin.slips import AnswerSlips, Case, drawn, idling, repeat_failed

__all__ = ["HouseholdSlips"]

_Case = Case[View, Robot]


def _things(c: _Case, *, loose: bool) -> list[Thing]:
    """Named things that can, or cannot, be carried."""
    known = [c.view.things[n] for n in c.view.named if n in c.view.things]
    return [t for t in known if (t.kind not in FIXED) is loose and not t.holder]


def _too_far(c: _Case) -> str:
    """Acting from afar: the trip is left out."""
    if c.verb != "NavigateTo" or not c.target:
        return ""
    if c.robot.held:
        return f"PutObject({c.target})"
    thing = c.view.notes.thing(c.target)
    if encloses(thing.kind):
        return f"OpenObject({c.target})"
    return f"PickupObject({c.target})" if thing.kind not in FIXED else ""


def _renavigate(c: _Case) -> str:
    here = c.target and c.target in c.robot.sees
    return f"NavigateTo({c.target})" if here and c.verb.endswith("Object") else ""


def _forgotten_door(c: _Case) -> str:
    if c.verb != "OpenObject":
        return ""
    if c.robot.held:
        return f"PutObject({c.target})"
    inside = [t.name for t in c.view.things.values() if t.where == c.target]
    return f"PickupObject({inside[0]})" if inside else ""


def _full_hand(c: _Case) -> str:
    if not c.robot.held:
        return f"PutObject({c.target})" if c.verb == "NavigateTo" and c.job.kind == "duty" else ""
    near = [t.name for t in _things(c, loose=True) if t.name in c.robot.sees]
    near = [name for name in near if name != c.robot.held]
    return f"PickupObject({c.rng.choice(near)})" if near else ""


def _wrong_thing(c: _Case) -> str:
    if c.robot.held or c.job.kind != "duty" or c.verb not in ("NavigateTo", "PickupObject"):
        return ""
    others = [t.name for t in _things(c, loose=True) if t.name != c.target]
    if c.verb == "PickupObject":
        others = [name for name in others if name in c.robot.sees]
    return f"{c.verb}({c.rng.choice(others)})" if others else ""


def _wrong_place(c: _Case) -> str:
    if not c.robot.held or c.verb not in ("NavigateTo", "PutObject"):
        return ""
    kind = c.view.notes.thing(c.target).kind
    others = [t.name for t in _things(c, loose=False) if matches(t.kind, SPARE_SURFACES)]
    others = [n for n in others if c.view.notes.thing(n).kind != kind]
    if c.verb == "PutObject":
        others = [n for n in others if n in c.robot.sees]
    return f"{c.verb}({c.rng.choice(others)})" if others else ""


def _crowding(c: _Case) -> str:
    if c.robot.held:
        return ""
    targets = [
        j.target for n, j in c.jobs.items() if n != c.robot.name and j.kind in ("duty", "close")
    ]
    targets = [t for t in targets if t and t != c.target]
    return f"NavigateTo({c.rng.choice(targets)})" if targets else ""


def _unseen(c: _Case) -> str:
    if c.action == EXPLORE:
        missing = open_work(c.view).missing
        return f"NavigateTo({c.rng.choice(missing).capitalize()}_1)" if missing else ""
    if c.verb == "NavigateTo":
        stem = c.target.rpartition("_")[0]
        return f"NavigateTo({stem}_{2 + c.rng.randrange(8)})" if stem else ""
    return ""


def _aimless(c: _Case) -> str:
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


def _malformed_action(c: _Case) -> str:
    forms = _FORMS.get(c.verb)
    return c.rng.choice(forms).format(c.target) if forms else ""


_MECHANISMS: dict[str, Callable[[_Case], str]] = {
    "repeat_failed": repeat_failed,
    "idling": idling,
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
class HouseholdSlips(AnswerSlips[View, Robot]):
    """The mistakes of one answer in a household."""

    rates: HouseholdRates

    @property
    def _mechanisms(self) -> Mapping[str, Callable[[_Case], str]]:
        return _MECHANISMS

    def _team(self, view: View, jobs: Mapping[str, Job]) -> dict[str, str]:
        """Mistakes that concern everybody: what each does instead, empty for none."""
        rng = drawn(self.key, "team")
        early, late = rng.random(), rng.random()
        if all(job.actions[0] == DONE for job in jobs.values()):
            if late < self.rates.late_done:
                return {name: rng.choice((EXPLORE, IDLE)) for name in jobs}
            return {}
        if view.notes.steps and early < self.rates.premature_done:
            return dict.fromkeys(jobs, DONE)
        return {}
