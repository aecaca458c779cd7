"""Wording of the state: KEY: value lines, then one block per agent."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from mosaic_planner.planners.protocol import PlannerSetup, Turn

__all__ = ["agent_block", "agent_blocks", "one_line", "rejected_text", "subtask_text"]


def one_line(text: str) -> str:
    """The text without line breaks, so that one key stays one line; "None" if empty."""
    return " ".join(text.split()) or "None"


def subtask_text(subtasks: Sequence[str]) -> str:
    """A list of subtasks on one line; an empty list is None (rule R4)."""
    return json.dumps(list(subtasks), ensure_ascii=False) if subtasks else "None"


def rejected_text(feedback: Iterable[str]) -> str:
    """Rejected proposals of the previous step, one short line each."""
    lines = [f"- {one_line(line)}" for line in feedback]
    return "none" if not lines else "\n" + "\n".join(lines)


def agent_block(
    turn: Turn,
    agent: str,
    *,
    state: bool = True,
    previous: bool = True,
    failures: bool = True,
    places: bool = False,
) -> str:
    """One agent's block; which parts a module sees is rule R5's table of inputs."""
    seen = turn.observations[agent]
    lines = [f"[{agent}]"]
    if state:
        lines.append(f"STATE: {seen.state_text}")
    if previous:
        lines.append(f"PREVIOUS ACTION: {seen.feedback}")
    if failures:
        lines.append(f"PREVIOUS FAILURES: {seen.failures_text or 'none'}")
    lines += ["OBSERVATION:", seen.text]
    if places:
        lines.append("KNOWN PLACES:")
        lines += turn.memory_lines.get(agent, ()) or ["none"]
    return "\n".join(lines)


def agent_blocks(
    setup: PlannerSetup,
    turn: Turn,
    *,
    state: bool = True,
    previous: bool = True,
    failures: bool = True,
    places: bool = False,
) -> str:
    """The blocks of the whole team, in team order."""
    return "\n".join(
        agent_block(turn, a, state=state, previous=previous, failures=failures, places=places)
        for a in setup.agents
    )
