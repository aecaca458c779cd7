"""How the values of an episode are written into the trace: one function per event.

Field names here are the trace format; `metrics`, `show` and replay read them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mosaic_planner.core.action import Vocabulary
from mosaic_planner.core.candidate import Candidate, Proposal, Subtasks
from mosaic_planner.core.clock import Clock
from mosaic_planner.core.observation import Observation, Outcome
from mosaic_planner.core.world import Briefing, Score

__all__ = [
    "briefing_fields",
    "candidate_fields",
    "clock_fields",
    "observation_fields",
    "outcome_fields",
    "proposal_fields",
    "score_fields",
    "subtasks_fields",
]


def clock_fields(clock: Clock) -> dict[str, float]:
    """Shares of the simulated runtime so far, seconds, rounded to microseconds."""
    return {
        "model_s": round(clock.model_s, 6),
        "world_s": round(clock.world_s, 6),
        "solver_s": round(clock.solver_s, 6),
        "waiting_s": round(clock.waiting_s, 6),
    }


def briefing_fields(briefing: Briefing) -> dict[str, Any]:
    """What the team was told."""
    return {
        "instruction": briefing.instruction,
        "rules": list(briefing.rules),
        "hints": list(briefing.hints),
        "failure_causes": list(briefing.failure_causes),
        "task_words": list(briefing.task_words),
    }


def observation_fields(observation: Observation) -> dict[str, Any]:
    """One agent's observation; images are named, not stored."""
    pose = observation.pose
    return {
        "pose": [pose.x, pose.z, pose.heading_deg],
        "inventory": [list(pair) for pair in observation.inventory],
        "sightings": [
            {
                "name": s.name,
                "kind": s.kind,
                "offset": [s.offset.dx, s.offset.dz],
                "attributes": [list(pair) for pair in s.attributes],
                "holder": s.holder,
            }
            for s in observation.sightings
        ],
        "names": list(observation.names),
        "text": observation.text,
        "state": observation.state_text,
        "feedback": observation.feedback,
        "failures": observation.failures_text,
        "image": observation.image is not None,
    }


def candidate_fields(candidate: Candidate) -> dict[str, Any]:
    """One candidate; `action` is its canonical text."""
    return {
        "agent": candidate.agent,
        "action": str(candidate.action),
        "rank": candidate.rank,
        "source": candidate.source,
        "why": candidate.why,
    }


def subtasks_fields(subtasks: Subtasks | None) -> dict[str, Any] | None:
    """Open and completed subtasks as the planner words them."""
    if subtasks is None:
        return None
    return {"open": list(subtasks.open), "completed": list(subtasks.completed)}


def proposal_fields(proposal: Proposal) -> dict[str, Any]:
    """A planner's proposal."""
    return {
        "candidates": {
            agent: [candidate_fields(c) for c in candidates]
            for agent, candidates in proposal.candidates.items()
        },
        "rejections": [
            {"agent": r.agent, "text": r.text, "reason": r.reason} for r in proposal.rejections
        ],
        "subtasks": subtasks_fields(proposal.subtasks),
        "reason": proposal.reason,
        "subtask": proposal.subtask,
        "memory": proposal.memory,
        "failure_reason": proposal.failure_reason,
        "messages": [list(pair) for pair in proposal.messages],
    }


def outcome_fields(outcome: Outcome, vocabulary: Vocabulary) -> dict[str, Any]:
    """What became of one agent's action; `ends`: it said that the task is finished."""
    return {
        "action": str(outcome.action),
        "success": outcome.success,
        "promoted": outcome.promoted,
        "error_kind": outcome.error_kind,
        "reason": outcome.reason,
        "agent_steps": outcome.agent_steps,
        "idle": outcome.idle,
        "ends": vocabulary.ends(outcome.action),
        "effects": [[e.name, e.attribute, e.value] for e in outcome.effects],
    }


def score_fields(score: Score) -> Mapping[str, Any]:
    """The judgement of the true state."""
    return {
        "success": score.success,
        "completed": list(score.completed),
        "total": score.total,
        "covered": list(score.covered),
        "mentioned": list(score.mentioned),
        "coverage_total": score.coverage_total,
    }
