"""Mistakes that language models make in search and rescue, one mechanism each.

How often each strikes is in `rates.MistakeRates`, how they get into an answer in `slips`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mosaic_planner.models.standin.action_text import action_args, action_verb
from mosaic_planner.models.standin.jobs import DONE, EXPLORE, IDLE, Job
from mosaic_planner.models.standin.rates import MistakeRates
from mosaic_planner.models.standin.sar_view import Robot, View
from mosaic_planner.models.standin.slips import AnswerSlips, Case, drawn, idling, repeat_failed

__all__ = ["Slips", "make_slips"]

_Case = Case[View, Robot]


def _renavigate(c: _Case) -> str:
    if c.verb in ("GetSupply", "UseSupply", "Carry") and c.target == c.robot.place:
        return f"NavigateTo({c.target})"
    if c.verb == "DropOff":
        return f"NavigateTo({c.target})"
    return ""


def _too_far_get(c: _Case) -> str:
    if c.verb == "NavigateTo" and c.target in c.view.reservoirs and not c.robot.busy:
        return f"GetSupply({c.target})"
    return ""


def _too_far_use(c: _Case) -> str:
    if c.verb != "NavigateTo":
        return ""
    for fire in c.view.fires.values():
        if c.target in fire.regions:
            return f"UseSupply({c.target}, {fire.supply})"
    return ""


def _too_far_carry(c: _Case) -> str:
    return f"Carry({c.target})" if c.verb == "NavigateTo" and c.target in c.view.persons else ""


def _too_far_drop(c: _Case) -> str:
    if c.verb == "NavigateTo" and c.target in c.view.deposits and c.job.kind == "carry":
        return f"DropOff({c.target}, {c.job.target})"
    return ""


def _wrong_source(c: _Case) -> str:
    if c.verb == "NavigateTo" and c.target in c.view.reservoirs:
        others = [name for name in c.view.reservoirs if name != c.target]
        if others:
            return f"NavigateTo({c.rng.choice(others)})"
    return ""


def _wrong_supply(c: _Case) -> str:
    if c.verb == "UseSupply" and len(c.args) == 2:
        others = [s for s in dict.fromkeys(c.view.reservoirs.values()) if s != c.args[1]]
        if others:
            return f"UseSupply({c.target}, {c.rng.choice(others)})"
    return ""


def _empty_handed(c: _Case) -> str:
    fire = c.view.fires.get(c.job.target)
    if fire is None or not fire.regions or c.verb not in ("NavigateTo", "GetSupply"):
        return ""
    if c.robot.place in fire.regions and c.target in c.view.reservoirs:
        return f"UseSupply({c.robot.place}, {fire.supply})"
    return ""


def _full_inventory(c: _Case) -> str:
    place = c.robot.place
    if (
        c.verb == "NavigateTo"
        and place in c.view.reservoirs
        and c.robot.units
        and place != c.target
    ):
        return f"GetSupply({place})"
    return ""


def _early_drop(c: _Case) -> str:
    deposit = next(iter(c.view.deposits), "")
    if c.action == IDLE and c.job.kind == "carry" and c.robot.place == deposit:
        return f"DropOff({deposit}, {c.job.target})"
    return ""


def _others(c: _Case, kinds: Sequence[str]) -> list[Job]:
    return [j for n, j in c.jobs.items() if n != c.robot.name and j.kind in kinds]


def _crowding_fire(c: _Case) -> str:
    if c.job.kind != "fire" or c.verb != "NavigateTo":
        return ""
    fire = c.view.fires[c.job.target]
    if c.target not in fire.regions:
        return ""
    taken = [j.actions[0] for j in _others(c, ("fire",)) if j.target == c.job.target]
    names = [n for action in taken for n in action_args(action)[:1]]
    names = [n for n in names if n in fire.regions and n != c.target]
    return f"NavigateTo({c.rng.choice(names)})" if names else ""


def _crowding_person(c: _Case) -> str:
    if c.job.kind in ("carry", "fetch"):
        return ""
    served = _others(c, ("carry", "fetch"))
    if not served:
        return ""
    action = c.rng.choice(served).actions[0]
    return action if action_verb(action) in ("NavigateTo", "Carry", "DropOff") else ""


def _invented_name(c: _Case) -> str:
    if c.action == EXPLORE and c.view.missing:
        return f"NavigateTo({c.rng.choice(c.view.missing)})"
    if "_Region_" in c.target:
        stem = c.target.rpartition("_")[0]
        number = 1 + c.rng.randrange(30)
        return c.action.replace(c.target, f"{stem}_{number}")
    return ""


_FORMS: dict[str, tuple[str, ...]] = {
    "NavigateTo": ("navigate to {0}", "Navigate to object {0}", "go to {0} and wait there"),
    "GetSupply": ("get supply from {0}", "GetSupply({0}, Sand)", "collect supplies"),
    "UseSupply": ("use supply {1} on {0}", "UseSupply({1}, {0})", "extinguish the fire"),
    "Carry": ("carry person {0}", "Carry({0}) and go to the deposit", "rescue the person"),
    "DropOff": ("drop off {1} at {0}", "DropOff({1}, {0})", "deliver the person"),
    "Explore": ("explore", "Explore(North)", "search for the missing people"),
    "Idle": ("wait", "wait for the others", "Idle()"),
}


def _malformed_action(c: _Case) -> str:
    forms = _FORMS.get(c.verb)
    if forms is None:
        return ""
    form = c.rng.choice(forms)
    try:
        return form.format(*c.args)
    except IndexError:
        return ""


_MECHANISMS: dict[str, Callable[[_Case], str]] = {
    "repeat_failed": repeat_failed,
    "idling": idling,
    "renavigate": _renavigate,
    "too_far_get": _too_far_get,
    "too_far_use": _too_far_use,
    "too_far_carry": _too_far_carry,
    "too_far_drop": _too_far_drop,
    "wrong_source": _wrong_source,
    "wrong_supply": _wrong_supply,
    "empty_handed": _empty_handed,
    "full_inventory": _full_inventory,
    "early_drop": _early_drop,
    "crowding_fire": _crowding_fire,
    "crowding_person": _crowding_person,
    "invented_name": _invented_name,
    "malformed_action": _malformed_action,
}


@dataclass(frozen=True, slots=True)
class Slips(AnswerSlips[View, Robot]):
    """The mistakes of one answer in search and rescue."""

    rates: MistakeRates

    @property
    def _mechanisms(self) -> Mapping[str, Callable[[_Case], str]]:
        return _MECHANISMS

    def wrap(self, text: str) -> str:
        """The whole answer, perhaps with prose around it, in a fence, or broken off."""
        rng = drawn(self.key, "answer")
        if rng.random() >= self.rates.malformed_answer:
            return text
        form = rng.randrange(4)
        if form == 0:
            return f"Let me think step by step about what the team should do.\n\n{text}"
        if form == 1:
            return f"```json\n{text}\n```"
        if form == 2:
            return f"Here is the answer:\n```python\n{text}\n```\nI hope this helps."
        return text[: len(text) * 3 // 4]

    def _team(self, view: View, jobs: Mapping[str, Job]) -> dict[str, str]:
        """Mistakes that concern everybody: what each does instead, empty for none."""
        rng = drawn(self.key, "team")
        early, late = rng.random(), rng.random()
        if view.finished:
            if late < self.rates.late_done:
                places = [*view.deposits, *view.reservoirs]
                options = [EXPLORE, IDLE, *(f"NavigateTo({p})" for p in places)]
                return {name: rng.choice(options) for name in jobs}
            return {}
        something_done = bool(view.notes.delivered) or len(view.burning) < len(view.fires)
        if something_done and early < self.rates.premature_done:
            return dict.fromkeys(jobs, DONE)
        return {}


def make_slips(rates: MistakeRates, correlation: float, seed: int, *texts: str) -> Slips:
    """The mistakes of the answer to these messages."""
    key = hashlib.sha256("\x1f".join((str(seed), *texts)).encode()).hexdigest()
    return Slips(rates, correlation, key)
