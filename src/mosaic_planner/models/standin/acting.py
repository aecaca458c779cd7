"""The answer that names everybody's next action, whatever the world, and the texts that go with it.

What is said is the world's own; which keys the answer has, and in which form the actions stand in
it, is the same everywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mosaic_planner.models.standin.jobs import Job
from mosaic_planner.models.standin.prompt import POOL_KEY, Asked
from mosaic_planner.models.standin.told_results import SeenRobot

__all__ = ["acting_answer", "choice_answer", "failure_reason"]


def acting_answer(
    asked: Asked,
    jobs: Mapping[str, Job],
    chosen: Mapping[str, Sequence[str]],
    texts: Mapping[str, Callable[[], str]],
    no_target: str,
) -> dict[str, Any]:
    """The keys that were asked for, in their order; actions alone stand last.

    `chosen`: ranked actions by robot. `texts`: what is said under which other key. `no_target`:
    the subtask when no job has a target.
    """
    reply: dict[str, Any] = {}
    actions: dict[str, Any] = {}
    for key in asked.keys:
        agent = key.removesuffix("'s actions").removesuffix("'s action")
        if key == POOL_KEY:
            actions[key] = _pool(chosen, asked.count)
        elif agent in jobs:
            actions[key] = chosen[agent] if asked.several else chosen[agent][0]
        elif key in texts:
            reply[key] = texts[key]()
        elif key == "subtask":
            targets = dict.fromkeys(job.target for job in jobs.values() if job.target)
            reply[key] = ", ".join(targets) or no_target
        elif key == "Action":
            reply[key] = actions
    if reply.get("Action") is not actions:
        reply.update(actions)
    return reply


def choice_answer(asked: Asked, reason: str, ranked: Sequence[str]) -> dict[str, Any]:
    """What one robot that decides for itself chooses: one action, or a list, best first."""
    if asked.several:
        return {"reason": reason, "choices": list(ranked)}
    return {"reason": reason, "choice": ranked[0]}


def failure_reason(robots: Mapping[str, SeenRobot]) -> str:
    """What went wrong in the last step, as far as the feedback says."""
    failed = []
    for robot in robots.values():
        if robot.previous is not None and not robot.previous[2]:
            verb, args, _ = robot.previous
            why = robot.previous_reason or "no reason was given"
            failed.append(f"{robot.name}'s {verb}({', '.join(args)}) failed: {why}")
    return "; ".join(failed) or "none"


def _pool(chosen: Mapping[str, Sequence[str]], size: int) -> list[str]:
    """One list for the team: everybody's best first, then everybody's second."""
    longest = max((len(actions) for actions in chosen.values()), default=0)
    rounds = [[a[i] for a in chosen.values() if i < len(a)] for i in range(longest)]
    return list(dict.fromkeys(action for row in rounds for action in row))[:size]
