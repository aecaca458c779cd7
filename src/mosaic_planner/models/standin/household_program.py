"""Household work as a program: what the careful team does next, written down in advance."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from mosaic_planner.models.standin.action_text import program_call
from mosaic_planner.models.standin.household import best_place_for
from mosaic_planner.models.standin.household_duties import open_work
from mosaic_planner.models.standin.household_mistakes import HouseholdSlips
from mosaic_planner.models.standin.household_sense import encloses
from mosaic_planner.models.standin.household_view import View
from mosaic_planner.models.standin.jobs import DONE, IDLE, Job

__all__ = ["allocation", "program"]

_LINE = "        "


def allocation(jobs: Mapping[str, Job]) -> list[str]:
    """Who does what, one text per robot."""
    said = {
        "bring": "bring {} to where it goes",
        "duty": "see to {}",
        "close": "close {}",
        "search": "look for what is missing",
        "assist": "keep out of the way",
        "done": "nothing",
    }
    return [f"{name}: {said[job.kind].format(job.target)}" for name, job in jobs.items()]


def program(view: View, jobs: Mapping[str, Job], slips: HouseholdSlips) -> str:
    """A program of one piece of work per robot; it ends where a new look is needed."""
    blocks = ["with parallel():"]
    for name, job in jobs.items():
        robot = replace(view.robots[name], previous=None)
        lines = [
            slips.line(view, robot, job, jobs, action, number)
            for number, action in enumerate(_work(view, name, job))
        ]
        blocks.append(f"    with robot({json.dumps(name)}):")
        blocks += [f"{_LINE}{program_call(line)}" for line in lines]
    return "\n".join(blocks) + "\n"


def _work(view: View, name: str, job: Job) -> list[str]:
    """The actions of one robot up to the end of its piece of work."""
    first = job.actions[0]
    if first in (DONE, IDLE) or job.kind in ("search", "assist", "done"):
        return [first]
    verb = first.partition("(")[0]
    target = first.partition("(")[2].rstrip(")")
    if job.kind == "close":
        return [first] if verb == "CloseObject" else [first, f"CloseObject({target})"]
    if job.kind == "bring":
        return [first, *_put_away(view, job.place, verb, target)]
    actions = [first]
    duty = next((d for d in open_work(view).duties if d.name == job.target), None)
    if duty is None or target != job.target:
        return actions
    if verb == "NavigateTo":
        actions.append(f"{duty.verb}({target})")
    if duty.verb == "PickupObject":
        place = best_place_for(view, name, job.target)
        if place:
            actions += _put_away(view, place, "", "")
    return actions


def _put_away(view: View, place: str, verb: str, target: str) -> list[str]:
    """How to put what is held into a receptacle, from the action already taken on."""
    if not place or (verb == "PutObject" and target == place):
        return []
    thing = view.things[place]
    shut = encloses(thing.kind) and thing.states.get("open") is False
    steps = [f"NavigateTo({place})"]
    steps += [f"OpenObject({place})"] if shut else []
    steps.append(f"PutObject({place})")
    done = {"NavigateTo": 1, "OpenObject": 2}.get(verb, 0) if target == place else 0
    return steps[done:]
