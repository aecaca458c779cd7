"""The stand-in's answers in a household, module by module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mosaic_planner.models.standin.household import EXPLORE, IDLE, Job, decide
from mosaic_planner.models.standin.household_mistakes import HouseholdSlips
from mosaic_planner.models.standin.household_program import allocation, program
from mosaic_planner.models.standin.household_view import View, read_view
from mosaic_planner.models.standin.household_words import (
    failure_reason,
    say_done,
    say_jobs,
    say_message,
    say_open,
    subtasks,
    subtasks_done,
    told,
    wanted_things,
)
from mosaic_planner.models.standin.prompt import POOL_KEY, Asked, Situation

__all__ = ["household_answer", "is_household"]


def is_household(asked: Asked) -> bool:
    """Whether the prompt speaks of picking up and putting: in its actions, or in its rules."""
    return asked.offers("PickupObject") or "PickupObject" in asked.rules


def household_answer(asked: Asked, situation: Situation, slips: HouseholdSlips) -> dict[str, Any]:
    """The reply's keys and values."""
    view = read_view(asked, situation)
    keys = asked.keys
    if situation.me:
        return _alone(asked, situation, view, slips)
    if "plan" in keys:
        plan = _plan(view, situation)
        return {"reason": say_open(view, plan), "plan": plan}
    if "completed subtasks" in keys:
        before = list(situation.completed)
        new = [t for t in subtasks_done(view, situation.open) if t not in before]
        return {"reason": say_done(view, new), "completed subtasks": [*before, *new]}
    jobs = decide(view)
    if "program" in keys:
        return {"program": program(view, jobs, slips)}
    if "allocation" in keys:
        return {"reason": say_jobs(view, jobs), "allocation": allocation(jobs)}
    if "subtasks" in keys:
        texts = subtasks(view) or ["see whether everything has been done"]
        return {"reason": say_open(view, texts), "subtasks": texts}
    return _act(asked, view, jobs, slips)


def _plan(view: View, situation: Situation) -> list[str]:
    """The old entries that are not done, and new ones for what is newly known."""
    finished = {*situation.completed, *subtasks_done(view, situation.open)}
    kept = [t for t in situation.open if t not in finished]
    new = [t for t in subtasks(view) if t not in finished]
    return list(dict.fromkeys([*kept, *new])) or ["see whether everything has been done"]


def _alone(asked: Asked, situation: Situation, view: View, slips: HouseholdSlips) -> dict[str, Any]:
    """A robot that decides for itself: its message, or its choice among the options.

    It leaves to the others what they said they would do, and names only what it may name.
    """
    me = situation.me
    jobs = decide(view, claimed=told(situation.dialogue, me))
    if "message" in asked.keys:
        return {"message": say_message(view, me, jobs[me])}
    options = set(situation.options)
    possible = [a for a in jobs[me].actions if a in options or a.rstrip("()") in options]
    useful = [a for a in possible if a != IDLE and not a.startswith("Move(")]
    waits = jobs[me].actions[0] == IDLE
    jobs[me].actions = possible if waits else list(dict.fromkeys([*useful, EXPLORE, IDLE]))
    ranked = slips.actions(view, jobs, max(asked.count, 1))[me]
    key = "choices" if asked.several else "choice"
    return {"reason": say_jobs(view, jobs), key: ranked if asked.several else ranked[0]}


def _act(
    asked: Asked, view: View, jobs: Mapping[str, Job], slips: HouseholdSlips
) -> dict[str, Any]:
    chosen = slips.actions(view, jobs, asked.count)
    reply: dict[str, Any] = {}
    actions: dict[str, Any] = {}
    for key in asked.keys:
        agent = key.removesuffix("'s actions").removesuffix("'s action")
        if key == POOL_KEY:
            actions[key] = _pool(chosen, asked.count)
        elif agent in jobs:
            actions[key] = chosen[agent] if asked.several else chosen[agent][0]
        elif key == "failure reason":
            reply[key] = failure_reason(view)
        elif key == "memory":
            reply[key] = view.notes.text(wanted_things(view))
        elif key in ("reason", "Think"):
            reply[key] = say_jobs(view, jobs)
        elif key == "subtask":
            targets = dict.fromkeys(job.target for job in jobs.values() if job.target)
            reply[key] = ", ".join(targets) or "look around"
        elif key == "Action":
            reply[key] = actions
    if reply.get("Action") is not actions:
        reply.update(actions)
    return reply


def _pool(chosen: Mapping[str, Sequence[str]], size: int) -> list[str]:
    """One list for the team: everybody's best first, then everybody's second."""
    longest = max((len(actions) for actions in chosen.values()), default=0)
    rounds = [[a[i] for a in chosen.values() if i < len(a)] for i in range(longest)]
    return list(dict.fromkeys(action for row in rounds for action in row))[:size]
