"""The stand-in's answers in a household, module by module."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mosaic_planner.models.standin.acting import acting_answer, choice_answer, failure_reason
from mosaic_planner.models.standin.household import decide
from mosaic_planner.models.standin.household_mistakes import HouseholdSlips
from mosaic_planner.models.standin.household_program import allocation, program
from mosaic_planner.models.standin.household_view import View, read_view
from mosaic_planner.models.standin.household_words import (
    say_done,
    say_jobs,
    say_message,
    say_open,
    subtasks,
    subtasks_done,
    told,
    wanted_things,
)
from mosaic_planner.models.standin.jobs import EXPLORE, IDLE, Job
from mosaic_planner.models.standin.prompt import Asked, Situation

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
    return choice_answer(asked, say_jobs(view, jobs), ranked)


def _act(
    asked: Asked, view: View, jobs: Mapping[str, Job], slips: HouseholdSlips
) -> dict[str, Any]:
    texts = {
        "failure reason": lambda: failure_reason(view.robots),
        "memory": lambda: view.notes.text(wanted_things(view)),
        "reason": lambda: say_jobs(view, jobs),
        "Think": lambda: say_jobs(view, jobs),
    }
    chosen = slips.actions(view, jobs, asked.count)
    return acting_answer(asked, jobs, chosen, texts, "look around")
