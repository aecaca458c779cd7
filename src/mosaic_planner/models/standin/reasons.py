"""The reasoning that goes with an answer: one or two sentences per robot, fire and person.

Hosted models are asked to think step by step and answer at that length, which is what their
latency comes from; these texts also tell a reader of a trace why something was done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mosaic_planner.models.standin.common_sense import LEVELS
from mosaic_planner.models.standin.jobs import Job
from mosaic_planner.models.standin.sar_view import Fire, Robot, View

__all__ = ["say_done", "say_jobs", "say_open"]

_WORDS = {number: word for word, number in LEVELS.items()}


def _fire(fire: Fire) -> str:
    if not fire.level and not fire.regions:
        return f"{fire.name} is out."
    regions = ", ".join(f"{name} ({_WORDS[level]})" for name, level in fire.regions.items())
    return (
        f"{fire.name} burns with average intensity {_WORDS[fire.level]} and needs {fire.supply}; "
        f"burning regions: {regions or 'none shown'}."
    )


def _persons(view: View) -> list[str]:
    lines = [f"{name} has been found and needs {n} carriers." for name, n in view.persons.items()]
    lines += [f"{name} has not been found yet." for name in view.missing]
    lines += [f"{name} has been delivered." for name in view.notes.delivered]
    return lines


def _where(robot: Robot) -> str:
    if robot.place:
        return f"is at {robot.place}"
    if robot.x is not None:
        return f"is at ({robot.x}, {robot.y})"
    return "is somewhere"


def _holds(robot: Robot) -> str:
    held = [f"{amount} {item}" for item, amount in robot.load.items() if amount]
    return f"holds {' and '.join(held)}" if held else "holds nothing"


def say_jobs(view: View, jobs: Mapping[str, Job]) -> str:
    """Why every robot does what it does."""
    lines = [_fire(fire) for fire in view.fires.values()] + _persons(view)
    said = {
        "carry": "brings {target} to the deposit together with the other carriers",
        "fetch": "goes to {target} to carry it",
        "fire": "fights {target}",
        "explore": "looks for people, since no fire needs another robot",
        "assist": "keeps out of the way",
        "done": "has nothing left to do",
    }
    for name, job in jobs.items():
        robot = view.robots[name]
        work = said[job.kind].format(target=job.target)
        lines.append(f"{name} {_where(robot)} and {_holds(robot)}; it {work}: {job.actions[0]}.")
    return " ".join(lines)


def say_open(view: View, plan: Sequence[str]) -> str:
    """Why the planner's list is what it is."""
    lines = [_fire(fire) for fire in view.fires.values()] + _persons(view)
    lines.append(
        f"So {len(plan)} pieces of work are open, fires first because they grow."
        if plan
        else "So everything has been done."
    )
    return " ".join(lines)


def say_done(view: View, work: Sequence[str], done: Sequence[str]) -> str:
    """Why the verifier's list is what it is."""
    lines = []
    for robot in view.robots.values():
        if robot.previous is not None:
            verb, args, worked = robot.previous
            result = "worked" if worked else "failed"
            lines.append(f"{robot.name}'s last action {verb}({', '.join(args)}) {result}.")
    lines += [_fire(fire) for fire in view.fires.values()] + _persons(view)
    new = [text for text in work if text in done]
    lines.append(f"Done now: {'; '.join(new)}." if new else "Nothing more is done.")
    return " ".join(lines)
