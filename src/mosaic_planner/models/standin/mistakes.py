"""Mistakes that language models make in search and rescue, one mechanism each.

A careful answer is drawn up first; then every candidate of every robot passes the mechanisms in
the order of `rates.MistakeRates`, and the first that strikes and applies replaces it. All chance
comes from (seed, messages). Further candidates of one robot share the draws of its first one with
the probability `correlation`: a shared mistake is repeated in a further candidate in its own form
where the mechanism applies to it, otherwise the first candidate is simply repeated.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields

from mosaic_planner.models.standin.rates import MistakeRates
from mosaic_planner.models.standin.sar import DONE, EXPLORE, IDLE, Job
from mosaic_planner.models.standin.sar_view import Robot, View

__all__ = ["Slips", "make_slips"]

_FLAWLESS = MistakeRates()
_KINDS = tuple(f.name for f in fields(MistakeRates))


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
    def args(self) -> list[str]:
        inside = self.action.partition("(")[2].rstrip(")")
        return [a.strip() for a in inside.split(",") if a.strip()]

    @property
    def target(self) -> str:
        return self.args[0] if self.args else ""


def _repeat_failed(c: _Context) -> str:
    if c.robot.previous is None or c.robot.previous[2]:
        return ""
    verb, args, _ = c.robot.previous
    return f"{verb}({', '.join(args)})"


def _idling(c: _Context) -> str:
    return IDLE


def _renavigate(c: _Context) -> str:
    if c.verb in ("GetSupply", "UseSupply", "Carry") and c.target == c.robot.place:
        return f"NavigateTo({c.target})"
    if c.verb == "DropOff":
        return f"NavigateTo({c.target})"
    return ""


def _too_far_get(c: _Context) -> str:
    if c.verb == "NavigateTo" and c.target in c.view.reservoirs and not c.robot.busy:
        return f"GetSupply({c.target})"
    return ""


def _too_far_use(c: _Context) -> str:
    if c.verb != "NavigateTo":
        return ""
    for fire in c.view.fires.values():
        if c.target in fire.regions:
            return f"UseSupply({c.target}, {fire.supply})"
    return ""


def _too_far_carry(c: _Context) -> str:
    return f"Carry({c.target})" if c.verb == "NavigateTo" and c.target in c.view.persons else ""


def _too_far_drop(c: _Context) -> str:
    if c.verb == "NavigateTo" and c.target in c.view.deposits and c.job.kind == "carry":
        return f"DropOff({c.target}, {c.job.target})"
    return ""


def _wrong_source(c: _Context) -> str:
    if c.verb == "NavigateTo" and c.target in c.view.reservoirs:
        others = [name for name in c.view.reservoirs if name != c.target]
        if others:
            return f"NavigateTo({c.rng.choice(others)})"
    return ""


def _wrong_supply(c: _Context) -> str:
    if c.verb == "UseSupply" and len(c.args) == 2:
        others = [s for s in dict.fromkeys(c.view.reservoirs.values()) if s != c.args[1]]
        if others:
            return f"UseSupply({c.target}, {c.rng.choice(others)})"
    return ""


def _empty_handed(c: _Context) -> str:
    fire = c.view.fires.get(c.job.target)
    if fire is None or not fire.regions or c.verb not in ("NavigateTo", "GetSupply"):
        return ""
    if c.robot.place in fire.regions and c.target in c.view.reservoirs:
        return f"UseSupply({c.robot.place}, {fire.supply})"
    return ""


def _full_inventory(c: _Context) -> str:
    place = c.robot.place
    if (
        c.verb == "NavigateTo"
        and place in c.view.reservoirs
        and c.robot.units
        and place != c.target
    ):
        return f"GetSupply({place})"
    return ""


def _early_drop(c: _Context) -> str:
    deposit = next(iter(c.view.deposits), "")
    if c.action == IDLE and c.job.kind == "carry" and c.robot.place == deposit:
        return f"DropOff({deposit}, {c.job.target})"
    return ""


def _others(c: _Context, kinds: Sequence[str]) -> list[Job]:
    return [j for n, j in c.jobs.items() if n != c.robot.name and j.kind in kinds]


def _crowding_fire(c: _Context) -> str:
    if c.job.kind != "fire" or c.verb != "NavigateTo":
        return ""
    fire = c.view.fires[c.job.target]
    if c.target not in fire.regions:
        return ""
    taken = [j.actions[0] for j in _others(c, ("fire",)) if j.target == c.job.target]
    names = [t.partition("(")[2].partition(",")[0].rstrip(")") for t in taken]
    names = [n for n in names if n in fire.regions and n != c.target]
    return f"NavigateTo({c.rng.choice(names)})" if names else ""


def _crowding_person(c: _Context) -> str:
    if c.job.kind in ("carry", "fetch"):
        return ""
    served = _others(c, ("carry", "fetch"))
    if not served:
        return ""
    action = c.rng.choice(served).actions[0]
    verb = action.partition("(")[0]
    return action if verb in ("NavigateTo", "Carry", "DropOff") else ""


def _invented_name(c: _Context) -> str:
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


def _malformed_action(c: _Context) -> str:
    forms = _FORMS.get(c.verb)
    if forms is None:
        return ""
    form = c.rng.choice(forms)
    try:
        return form.format(*c.args)
    except IndexError:
        return ""


_MECHANISMS: dict[str, Callable[[_Context], str]] = {
    "repeat_failed": _repeat_failed,
    "idling": _idling,
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
class Slips:
    """The mistakes of one answer."""

    rates: MistakeRates
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

    def wrap(self, text: str) -> str:
        """The whole answer, perhaps with prose around it, in a fence, or broken off."""
        rng = _random(self.key, "answer")
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
        rng = _random(self.key, "team")
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


def make_slips(rates: MistakeRates, correlation: float, seed: int, *texts: str) -> Slips:
    """The mistakes of the answer to these messages."""
    key = hashlib.sha256("\x1f".join((str(seed), *texts)).encode()).hexdigest()
    return Slips(rates, correlation, key)
