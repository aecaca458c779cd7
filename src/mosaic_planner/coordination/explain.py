"""An assignment in plain words and as JSON values for the trace, and the words read back.

The words come from the event alone, so `mosaic why` says about a recorded step exactly what
`Assignment.explain` said while it happened.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mosaic_planner.coordination.assignment import Assignment, Choice, Loser

__all__ = ["CONFLICT_TEAM", "assignment_to_event", "explain_assignment", "explain_event"]

CONFLICT_TEAM = 12
"""Largest team for which the trace carries minimal conflicts; ask `Assignment.conflict` beyond."""


def assignment_to_event(assignment: Assignment) -> dict[str, Any]:
    """The fields of the trace's `assignment` event: JSON values, the same for equal assignments.

    `chosen` maps agents to their choice; `losers` is a list in agent and ranking order; floats
    are rounded to six places. `conflicts` has, in teams of up to `CONFLICT_TEAM`, a minimal
    conflict for every agent whose first wish is impossible given what the others do.
    """
    return {
        "chosen": {agent: _choice(c) for agent, c in assignment.chosen.items()},
        "losers": [_loser(loser) for loser in assignment.losers],
        "unmet": [
            {"task": u.task, "size": u.size, "eligible": u.eligible, "detail": u.detail}
            for u in assignment.unmet
        ],
        "active": list(assignment.active),
        "status": str(assignment.status),
        "objective": round(assignment.objective, 6),
        "gap": round(assignment.gap, 6),
        "solver": assignment.solver,
        "work": assignment.work,
        "merged": assignment.merged,
        "conflicts": _conflicts(assignment),
        "note": assignment.note,
        "blockades": [
            {"agent": b.agent, "by": b.by, "detail": b.detail} for b in assignment.blockades
        ],
    }


def _conflicts(assignment: Assignment) -> list[dict[str, Any]]:
    if len(assignment.chosen) > CONFLICT_TEAM:
        return []
    lost = {x.candidate.agent: None for x in assignment.losers if x.verdict == "excluded"}
    found = []
    for agent in lost:
        conflict = assignment.conflict(agent)
        if conflict is not None:
            others = [
                {"agent": o.agent, "action": str(o.candidate.action)} for o in conflict.choices
            ]
            rows = [{"constraint": r.constraint, "detail": r.detail} for r in conflict.rows]
            found.append({"agent": agent, "choices": others, "rows": rows, "line": conflict.line()})
    return found


def _choice(choice: Choice) -> dict[str, Any]:
    candidate, profile = choice.candidate, choice.profile
    record: dict[str, Any] = {
        "action": str(candidate.action),
        "rank": candidate.rank,
        "source": candidate.source,
        "cost": round(choice.cost, 6),
        "terms": _terms(choice.terms),
    }
    if candidate.why:
        record["why"] = candidate.why
    if profile.idle:
        record["idle"] = True
    if profile.joint is not None:
        record["joint"] = {"task": profile.joint.task, "size": profile.joint.size}
    if len(profile.path) > 1:  # where it is expected to go, for replay
        record["path"] = [list(visit.cell) for visit in profile.path]
    return record


def _loser(loser: Loser) -> dict[str, Any]:
    record: dict[str, Any] = {
        "agent": loser.candidate.agent,
        "action": str(loser.candidate.action),
        "rank": loser.candidate.rank,
        "source": loser.candidate.source,
        "verdict": loser.verdict,
        "detail": loser.detail,
    }
    if loser.by:
        record["by"] = loser.by
    if loser.constraint:
        record["constraint"] = loser.constraint
    if loser.extra_cost:
        record["extra_cost"] = round(loser.extra_cost, 6)
    if loser.terms:
        record["terms"] = _terms(loser.terms)
    return record


def _terms(terms: tuple[tuple[str, float], ...]) -> dict[str, float]:
    return {name: round(value, 6) for name, value in terms}


def explain_assignment(assignment: Assignment) -> list[str]:
    """All agents, one after the other, then what concerns everybody."""
    event = assignment_to_event(assignment)
    lines: list[str] = []
    for agent in event["chosen"]:
        lines.extend(_agent_lines(event, agent))
    lines.extend(_team_lines(event))
    return lines


def explain_event(event: Mapping[str, Any], agent: str, *, team: bool = True) -> list[str]:
    """Why this agent got its action in this `assignment` event, line by line.

    `team`: whether the lines that concern everybody follow. An agent that is not in the event
    gives one line that says so and who is.
    """
    if agent not in event.get("chosen", {}):
        known = ", ".join(event.get("chosen", {})) or "nobody"
        return [f"{agent} is not in this step; here are {known}."]
    return _agent_lines(event, agent) + (_team_lines(event) if team else [])


def _agent_lines(event: Mapping[str, Any], agent: str) -> list[str]:
    choice = event["chosen"][agent]
    terms = choice.get("terms", {})
    if choice["source"] == "safe":
        origin = "a safe candidate of the coordinator"
        if choice.get("why"):
            origin += f": {choice['why']}"
    else:
        origin = f"the model's candidate ranked {choice['rank'] + 1}"
    lines = [f"{agent} does {choice['action']} ({origin})."]
    if terms:
        parts = ", ".join(f"{name} {value:+.2f}" for name, value in terms.items())
        lines.append(f"  It costs {choice['cost']:.2f}: {parts}.")
    for loser in event.get("losers", ()):
        if loser["agent"] == agent:
            label = loser["verdict"]
            if label == "excluded":
                label += f" by {loser['constraint']}"
            lines.append(f"  Not {loser['action']}: {label}: {loser['detail']}.")
    for conflict in event.get("conflicts", ()):
        if conflict["agent"] == agent:
            lines.append(f"  {conflict['line']}.")
    return lines


def _team_lines(event: Mapping[str, Any]) -> list[str]:
    lines = [f"Joint task left: {u['task']}: {u['detail']}." for u in event.get("unmet", ())]
    for b in event.get("blockades", ()):
        lines.append(f"{b['agent']} is blocked by {b['by']}: {b['detail']}.")
    status = event.get("status", "")
    if status == "optimal":
        lines.append(f"No joint action costs less than this one ({event['objective']:.2f}).")
    elif status == "limit":
        lines.append(
            f"Best found within the limits ({event['objective']:.2f}); "
            f"proven to be within {100 * event['gap']:.1f} % of the optimum."
        )
    elif status == "infeasible":
        lines.append("The constraints leave no joint action; everybody concerned idles.")
    else:
        lines.append("Taken in the model's ranking order; nothing was optimised.")
    if event.get("note"):
        lines.append(event["note"])
    return lines
