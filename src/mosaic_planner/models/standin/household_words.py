"""Household work in words: subtasks, what is done of them, reasons, and messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from mosaic_planner.models.standin.household_duties import Work, done, in_place, open_work
from mosaic_planner.models.standin.household_notes import Thing
from mosaic_planner.models.standin.household_sense import CONTAINERS
from mosaic_planner.models.standin.household_task import matches
from mosaic_planner.models.standin.household_view import Robot, View
from mosaic_planner.models.standin.jobs import Job

__all__ = [
    "say_done",
    "say_jobs",
    "say_message",
    "say_open",
    "subtasks",
    "subtasks_done",
    "told",
    "wanted_things",
]

_STATE_OF = {
    "SliceObject": "slice {}", "CleanObject": "clean {}", "OpenObject": "open {}",
    "CloseObject": "close {}", "ToggleObjectOn": "switch {} on", "ToggleObjectOff": "switch {} off",
}  # fmt: skip
_DONE_WHEN = (
    (re.compile(r"^slice (\S+)$"), "sliced"),
    (re.compile(r"^clean (\S+)$"), "clean"),
    (re.compile(r"^open (\S+)$"), "open"),
    (re.compile(r"^close (\S+)$"), "closed"),
    (re.compile(r"^switch (\S+) on$"), "on"),
    (re.compile(r"^switch (\S+) off$"), "off"),
)
_PUT = re.compile(r"^bring (\S+) to a (.+)$")
_FIND = re.compile(r"^find a (\S+)$")
_MORE = re.compile(r"^look for more: (.+)$")


def subtasks(view: View, work: Work | None = None) -> list[str]:
    """One text per piece of work that is known to be open, in the order of the instruction."""
    work = work or open_work(view)
    texts = [f"find a {kind}" for kind in work.missing]
    for duty in work.duties:
        if duty.verb == "PickupObject":
            places = " or ".join(k.removeprefix("*") for k in duty.places[:3])
            texts.append(f"bring {duty.name} to a {places}")
        else:
            texts.append(_STATE_OF[duty.verb].format(duty.name))
    texts += [f"close {name}" for name in work.closing]
    if work.maybe:
        texts.append(f"look for more: {', '.join(k if k != '*' else 'things' for k in work.maybe)}")
    return list(dict.fromkeys(texts))


def subtasks_done(view: View, texts: Iterable[str]) -> list[str]:
    """Which entries of a list are done as far as the prompt shows."""
    return [text for text in texts if _is_done(view, text)]


def _is_done(view: View, text: str) -> bool:
    for pattern, state in _DONE_WHEN:
        if found := pattern.match(text):
            return found[1] in view.things and done(view.things[found[1]], state)
    if found := _PUT.match(text):
        thing = view.things.get(found[1])
        places = tuple(found[2].split(" or "))
        kinds = (*places, *(f"*{place}" for place in places))
        return thing is not None and in_place(view, thing, kinds)
    if found := _FIND.match(text):
        return any(matches(t.kind, (found[1], f"*{found[1]}")) for t in view.things.values())
    return False


def wanted_things(view: View) -> dict[str, Thing]:
    """The things worth a note: what chores are about, where it goes, and what may hide it."""
    places = {place for chore in view.chores for place in (*chore.places, *chore.source)}
    work = open_work(view)
    places |= {place for duty in work.duties for place in duty.places}
    kinds = tuple({k: None for chore in view.chores for k in chore.kinds if k != "*"})
    named = {duty.name for duty in work.duties}
    found = {}
    for name, thing in view.things.items():
        told = thing.where or thing.states or thing.holder or thing.near
        about = matches(thing.kind, (*kinds, *sorted(places), *CONTAINERS))
        around = {outer.kind for outer in view.around(thing)} & places
        if told and (about or name in named or thing.holder or around):
            found[name] = thing
    return found


def say_jobs(view: View, jobs: Mapping[str, Job]) -> str:
    """Why every robot does what it does."""
    lines = [_outlook(open_work(view))]
    said = {
        "bring": "brings {target} to {place}",
        "duty": "sees to {target}",
        "close": "closes {target}, since nothing more goes into it",
        "search": "looks for what is missing",
        "assist": "keeps out of the way",
        "done": "has nothing left to do",
    }
    for name, job in jobs.items():
        robot = view.robots[name]
        work = said[job.kind].format(target=job.target or "that", place=job.place or "its place")
        lines.append(f"{name} {_holds(robot)} and {work}: {job.actions[0]}.")
    return " ".join(lines)


def _holds(robot: Robot) -> str:
    return f"holds {robot.held}" if robot.held else "holds nothing"


def _outlook(work: Work) -> str:
    parts = []
    if work.missing:
        parts.append(f"Nobody has seen a {' or a '.join(work.missing)} yet.")
    names = list(dict.fromkeys(duty.name for duty in work.duties))
    if names:
        parts.append(f"Open are {', '.join(names[:8])}{' and more' if len(names) > 8 else ''}.")
    if not parts:
        parts.append("Everything that is known has been seen to.")
    return " ".join(parts)


def say_open(view: View, plan: Sequence[str]) -> str:
    """Why the planner's list is what it is."""
    tail = f"So {len(plan)} pieces of work are open." if plan else "So everything has been done."
    return f"{_outlook(open_work(view))} {tail}"


def say_done(view: View, new: Sequence[str]) -> str:
    """Why the verifier's list is what it is."""
    lines = []
    for robot in view.robots.values():
        if robot.previous is not None:
            verb, args, worked = robot.previous
            lines.append(
                f"{robot.name}'s {verb}({', '.join(args)}) {'worked' if worked else 'failed'}."
            )
    lines.append(f"Done now: {'; '.join(new)}." if new else "Nothing more is done.")
    return " ".join(lines)


_TOLD = re.compile(r"^- (\w+): I (?:hold|take care of) (\w+_\d+)\b", re.M)


def told(dialogue: str, me: str) -> dict[str, str]:
    """Things that others said they see to, with who said so last."""
    claims = {who: name for who, name in _TOLD.findall(dialogue) if who != me}
    return {name: who for who, name in claims.items()}


def say_message(view: View, me: str, job: Job) -> str:
    """What the others should know."""
    held = view.robots[me].held
    if held:
        return f"I hold {held} and bring it to {job.place or 'its place'}."
    if job.target:
        return f"I take care of {job.target}."
    return "I look around."
