"""One agent's decision in one step as values a table can show: candidates, costs, verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mosaic_planner.coordination.explain import explain_event
from mosaic_planner.core.trace import Event

__all__ = [
    "CANDIDATE_FIELDS",
    "candidate_rows",
    "losers_of",
    "outcome_code",
    "outcome_row",
    "path_of",
    "why_lines",
]

CANDIDATE_FIELDS = ("action", "rank", "source", "cost", "terms", "verdict", "detail", "clash")


def losers_of(assignment: Event | None) -> dict[str, list[Mapping[str, Any]]]:
    """The candidates that were not chosen, by agent."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for loser in (assignment or {}).get("losers", ()):
        found.setdefault(loser["agent"], []).append(loser)
    return found


def candidate_rows(
    assignment: Event | None,
    proposal: Event | None,
    agent: str,
    losers: Sequence[Mapping[str, Any]],
) -> list[list[Any]]:
    """Rows in the model's ranking order, as `CANDIDATE_FIELDS` says; `losers` are the agent's.

    `verdict` is "chosen" or the coordinator's word for a loser; `clash` names constraint and
    winner. `cost` and `terms` of the chosen one are its own, those of a loser what it would add
    to them; `cost` is None where none was computed. Without an assignment (a torn trace) the
    proposed candidates stand with the verdict "".
    """
    if assignment is None:
        proposed = (proposal or {}).get("candidates", {}).get(agent, ())
        return [
            [c["action"], c["rank"], c["source"], None, {}, "", c.get("why", ""), ""]
            for c in proposed
        ]
    rows = []
    choice = assignment["chosen"].get(agent)
    if choice is not None:
        terms = choice.get("terms", {})
        cost = choice["cost"] if terms else None
        why = choice.get("why", "")
        rows.append(
            [choice["action"], choice["rank"], choice["source"], cost, terms, "chosen", why, ""]
        )
    for loser in losers:
        terms = loser.get("terms", {})
        cost = loser.get("extra_cost", 0.0) if terms else None
        clash = " / ".join(x for x in (loser.get("constraint", ""), loser.get("by", "")) if x)
        rows.append(
            [
                loser["action"],
                loser["rank"],
                loser["source"],
                cost,
                terms,
                loser["verdict"],
                loser["detail"],
                clash,
            ]
        )
    return sorted(rows, key=lambda row: (row[2] != "model", row[1]))


def why_lines(
    assignment: Event | None, agent: str, losers: Sequence[Mapping[str, Any]]
) -> list[str]:
    """The coordinator's reasons in plain words, exactly as `mosaic why` prints them.

    `losers` are the agent's own; the words say nothing about those of others.
    """
    if assignment is None or agent not in assignment["chosen"]:
        return []
    own = {
        **assignment,
        "chosen": {agent: assignment["chosen"][agent]},
        "losers": losers,
    }
    return explain_event(own, agent)


def outcome_row(outcome: Mapping[str, Any]) -> list[Any]:
    """[action, code, words, primitive steps, effects in words]; codes as in `outcome_code`."""
    effects = [f"{name}: {key} {value}" for name, key, value in outcome["effects"]]
    return [
        outcome["action"],
        outcome_code(outcome),
        outcome["reason"] or outcome["error_kind"],
        outcome["agent_steps"],
        effects,
    ]


def outcome_code(outcome: Mapping[str, Any]) -> str:
    """ "s" success, "f" failure, "i" idle, "p" success by promotion only, "e" said it is done."""
    if outcome["ends"]:
        return "e"
    if not outcome["success"]:
        return "f"
    if outcome["idle"]:
        return "i"
    return "p" if outcome["promoted"] else "s"


def path_of(assignment: Event | None, agent: str) -> Sequence[Sequence[int]]:
    """Cells the coordinator expects the agent to cross, its own first; empty if it does not say."""
    if assignment is None:
        return ()
    path: Sequence[Sequence[int]] = assignment["chosen"].get(agent, {}).get("path", ())
    return path
