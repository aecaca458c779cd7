"""One robot that decides alone: its own block, what it was told, and the rest of the team unseen.

It plans for the whole team as everybody else does, with the others as blanks, and takes its own
share; what only the others could know (who waits where) it tells from whom it sees next to it.
"""

from __future__ import annotations

from mosaic_planner.models.standin.jobs import EXPLORE, IDLE, Job
from mosaic_planner.models.standin.prompt import Asked, Situation
from mosaic_planner.models.standin.sar import decide
from mosaic_planner.models.standin.sar_view import Robot, View, read_view

__all__ = ["message", "solo_jobs", "solo_view"]


def solo_view(asked: Asked, situation: Situation) -> View:
    """The view of one robot, with the others of the team as blanks in team order."""
    view = read_view(asked, situation)
    me = view.robots[situation.me]
    robots: dict[str, Robot] = {}
    for name in asked.team or (situation.me,):
        robots[name] = me if name == situation.me else Robot(name)
        if name != situation.me and name in view.visible_robots:
            robots[name].load = dict(view.visible_robots[name])
    view.robots = robots
    return view


def _helped(view: View, me: Robot) -> bool:
    """Whether somebody next to this robot carries a person too."""
    return any(load.get("Person", 0) > 0 for load in view.visible_robots.values())


def solo_jobs(view: View, me_name: str) -> dict[str, Job]:
    """Jobs of the whole team as this robot imagines them; only its own is meant seriously."""
    jobs = decide(view)
    me = view.robots[me_name]
    job = jobs[me_name]
    deposit = next(iter(view.deposits), "")
    more = job.actions
    if job.kind == "carry":
        drop = f"DropOff({deposit}, {job.target})"
        if me.place != deposit:
            first = [f"NavigateTo({deposit})"]
        else:
            first = [drop, IDLE] if _helped(view, me) else [IDLE, drop]
        job.actions = list(dict.fromkeys(first + more))
        return jobs
    waiting = [p for p in view.persons if p not in view.notes.refused.get(me_name, ())]
    if job.kind in ("fetch", "explore", "assist") and waiting and not view.burning:
        person = job.target if job.target in waiting else waiting[0]
        first = [f"Carry({person})" if me.place == person else f"NavigateTo({person})"]
        jobs[me_name] = Job("fetch", person, list(dict.fromkeys(first + more)))
    elif job.kind == "fetch" and job.target not in waiting:
        kind, first = ("explore", [EXPLORE]) if view.missing else ("assist", [IDLE])
        jobs[me_name] = Job(kind, "", list(dict.fromkeys(first + more)))
    return jobs


def message(view: View, me_name: str) -> str:
    """What the others should know."""
    me = view.robots[me_name]
    job = solo_jobs(view, me_name)[me_name]
    if job.kind == "carry":
        return f"I hold {job.target} and bring it to the deposit; whoever holds it too, come along."
    where = f"I am at {me.place}. " if me.place else ""
    if job.kind == "fire":
        return f"{where}I fight {job.target}."
    if job.kind == "fetch":
        return f"{where}I go for {job.target} and need help to carry it."
    return f"{where}I look around."
