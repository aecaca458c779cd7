"""The stand-in's answer to each module, in the form the prompt asks for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mosaic_planner.models.standin.acting import acting_answer, choice_answer, failure_reason
from mosaic_planner.models.standin.generic import generic_answer
from mosaic_planner.models.standin.household_answers import household_answer, is_household
from mosaic_planner.models.standin.household_mistakes import HouseholdSlips
from mosaic_planner.models.standin.household_rates import HouseholdRates
from mosaic_planner.models.standin.jobs import Job
from mosaic_planner.models.standin.mistakes import Slips
from mosaic_planner.models.standin.prompt import Asked, Situation
from mosaic_planner.models.standin.reasons import say_done, say_jobs, say_open
from mosaic_planner.models.standin.sar import decide, open_work, work_done
from mosaic_planner.models.standin.sar_program import allocation, program
from mosaic_planner.models.standin.sar_view import View, read_view
from mosaic_planner.models.standin.solo import message, solo_jobs, solo_view

__all__ = ["answer"]

_CAREFUL = HouseholdRates()


def answer(
    asked: Asked, situation: Situation, slips: Slips, household: HouseholdRates = _CAREFUL
) -> str:
    """The text of the reply, with the mistakes of this answer in it.

    `household`: how often mistakes happen in households; `slips` has its own rates for search and
    rescue.
    """
    return slips.wrap(_answer(asked, situation, slips, household))


def _answer(asked: Asked, situation: Situation, slips: Slips, household: HouseholdRates) -> str:
    keys = asked.keys
    if "summary" in keys:
        return _json({"summary": _summary(situation)})
    if is_household(asked):
        mine = HouseholdSlips(household, slips.correlation, slips.key)
        return _json(household_answer(asked, situation, mine))
    if not _is_search_and_rescue(asked):
        return generic_answer(asked, situation)
    if situation.me:
        return _json(_alone(asked, situation, slips))
    view = read_view(asked, situation)
    if "program" in keys:
        return _json({"program": program(view, slips)})
    if "allocation" in keys:
        return _json({"reason": say_open(view, ()), "allocation": allocation(view)})
    if "subtasks" in keys:
        work = open_work(view)
        return _json({"reason": say_open(view, work), "subtasks": work})
    if "plan" in keys:
        return _json(_plan(view, situation))
    if "completed subtasks" in keys:
        return _json(_verify(view, situation))
    jobs = decide(view)
    return _json(_act(asked, view, jobs, slips))


def _is_search_and_rescue(asked: Asked) -> bool:
    """Whether the prompt speaks of fires and supplies: in its actions, or in its rules."""
    return asked.offers("UseSupply") or " puts out " in asked.rules


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _summary(situation: Situation) -> list[str]:
    names = [name.strip() for name in situation.seen.split(",")]
    return [name for name in names if name and name != "nothing"]


def _plan(view: View, situation: Situation) -> dict[str, Any]:
    finished = set(situation.completed)
    plan = [text for text in open_work(view) if text not in finished]
    return {"reason": say_open(view, plan), "plan": plan}


def _verify(view: View, situation: Situation) -> dict[str, Any]:
    before = list(situation.completed)
    new = [text for text in work_done(view, situation.open) if text not in before]
    reason = say_done(view, situation.open, new)
    return {"reason": reason, "completed subtasks": [*before, *new]}


def _act(asked: Asked, view: View, jobs: Mapping[str, Job], slips: Slips) -> dict[str, Any]:
    texts = {
        "failure reason": lambda: failure_reason(view.robots),
        "memory": view.notes.text,
        "reason": lambda: say_jobs(view, jobs),
        "Think": lambda: say_jobs(view, jobs),
    }
    chosen = slips.actions(view, jobs, asked.count)
    return acting_answer(asked, jobs, chosen, texts, "look for people")


def _alone(asked: Asked, situation: Situation, slips: Slips) -> dict[str, Any]:
    """A robot that decides for itself: its message, or its choice among the options."""
    view = solo_view(asked, situation)
    if "message" in asked.keys:
        return {"message": message(view, situation.me)}
    jobs = solo_jobs(view, situation.me)
    ranked = slips.actions(view, jobs, max(asked.count, 1))[situation.me]
    mine = {situation.me: jobs[situation.me]}
    return choice_answer(asked, say_jobs(view, mine), ranked)
