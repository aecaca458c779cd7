"""The paper's nine metrics (section 4.1) and the reference's variants, from a trace alone.

`measure` is a pure function of the events; nothing is counted on the side while an episode runs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

from mosaic_planner.core.trace import Trace

__all__ = [
    "BALANCE_EPSILON",
    "PAPER_METRICS",
    "Metrics",
    "balance",
    "balance_reference",
    "measure",
]

BALANCE_EPSILON = 1e-4
"""Epsilon of the balance formula, section 4.1 (d)."""

PAPER_METRICS = (
    "success",
    "transport_rate",
    "coverage",
    "balance",
    "failure_rate",
    "agent_steps",
    "runtime_s",
    "llm_calls",
    "prompt_tokens",
)
"""The nine of section 4.1, as `Metrics` names them."""


@dataclass(frozen=True, slots=True)
class Metrics:
    """All figures of one episode.

    The nine of section 4.1: `success`, `transport_rate`, `coverage`, `balance`, `failure_rate`
    in [0, 1]; `agent_steps` (primitive steps of all agents, SAR rule K9), `runtime_s` (seconds of
    model, world and solver; waiting for rate limits is `waiting_s`), `llm_calls` (logical calls),
    `prompt_tokens` (input tokens by `token_counter`, whatever a provider reports).

    Beside them: `coverage_mentions` and `balance_reference` are the LLaMAR reference's own
    definitions (SAR rules K4 and K7); `reported_input_tokens` and `output_tokens` are the
    model's own figures; `false_done` counts joint steps in which every agent said Done although
    the task was not finished.
    """

    success: bool
    transport_rate: float
    coverage: float
    balance: float
    failure_rate: float
    agent_steps: int
    runtime_s: float
    llm_calls: int
    prompt_tokens: int
    planning_steps: int
    coverage_mentions: float
    balance_reference: float | None
    actions: int
    failed_actions: int
    idle_actions: int
    false_done: int
    wire_attempts: int
    reported_input_tokens: int
    cached_tokens: int
    output_tokens: int
    model_s: float
    world_s: float
    solver_s: float
    waiting_s: float
    token_counter: str
    end: str
    complete: bool
    calls_by_module: dict[str, int]
    safe_actions: int
    rejected: int

    def as_dict(self) -> dict[str, Any]:
        """All fields as JSON values."""
        return asdict(self)


def balance(successes: list[int]) -> float:
    """min s_i / (max s_j + epsilon) over all agents, the paper's main number, in [0, 1].

    One agent is balanced by definition (1); no successful action at all is 0 (notes 2.10).
    """
    if len(successes) == 1:
        return 1.0
    if not successes or max(successes) == 0:
        return 0.0
    return min(successes) / (max(successes) + BALANCE_EPSILON)


def balance_reference(successes: list[int]) -> float | None:
    """The reference's min/max over agents with a success (rule K7); None if there is none."""
    active = [s for s in successes if s >= 1]
    return min(active) / max(active) if active else None


def measure(trace: Trace) -> Metrics:
    """All metrics of a finished or torn episode; one without a score counts as unsuccessful."""
    header = trace.header
    successes: Counter[str] = Counter()
    actions = failed = idle = steps = planning_steps = false_done = safe = rejected = 0
    calls: Counter[str] = Counter()
    prompt = reported = cached = output = attempts = 0
    shares = {"model_s": 0.0, "world_s": 0.0, "solver_s": 0.0, "waiting_s": 0.0}
    score: dict[str, Any] = {}
    claimed = False
    end = ""
    for event in trace.events:
        kind = event["event"]
        if kind == "outcome":
            planning_steps += 1
            claimed = bool(event["agents"])
            for name, outcome in event["agents"].items():
                actions += 1
                steps += outcome["agent_steps"]
                idle += outcome["idle"]
                failed += not outcome["success"]
                claimed = claimed and outcome["ends"]
                if outcome["success"] and not outcome["idle"]:
                    successes[name] += 1
            shares = event["clock"]
        elif kind == "call":
            calls[event["module"]] += 1
            attempts += event["attempts"]
            prompt += event["prompt_tokens"]
            usage = event["usage"]
            reported += usage["input_tokens"]
            cached += usage["cached_tokens"]
            output += usage["output_tokens"]
        elif kind == "score":
            score = event
            false_done += claimed and not event["success"]
            claimed = False
        elif kind == "assignment":
            safe += sum(c["source"] == "safe" for c in event["chosen"].values())
        elif kind == "proposal":
            rejected += len(event["rejections"])
        elif kind == "end":
            end = event["reason"]
            shares = event["clock"]
    per_agent = [successes[name] for name in header["agents"]]
    total, coverage_total = score.get("total", 0), score.get("coverage_total", 0)
    return Metrics(
        success=bool(score.get("success", False)),
        transport_rate=len(score["completed"]) / total if total else 0.0,
        coverage=len(score["covered"]) / coverage_total if coverage_total else 0.0,
        balance=balance(per_agent),
        failure_rate=failed / actions if actions else 0.0,
        agent_steps=steps,
        runtime_s=round(shares["model_s"] + shares["world_s"] + shares["solver_s"], 6),
        llm_calls=sum(calls.values()),
        prompt_tokens=prompt,
        planning_steps=planning_steps,
        coverage_mentions=len(score["mentioned"]) / coverage_total if coverage_total else 0.0,
        balance_reference=balance_reference(per_agent),
        actions=actions,
        failed_actions=failed,
        idle_actions=idle,
        false_done=false_done,
        wire_attempts=attempts,
        reported_input_tokens=reported,
        cached_tokens=cached,
        output_tokens=output,
        model_s=shares["model_s"],
        world_s=shares["world_s"],
        solver_s=shares["solver_s"],
        waiting_s=shares["waiting_s"],
        token_counter=header.get("token_counter", ""),
        end=end,
        complete=trace.complete,
        calls_by_module=dict(sorted(calls.items())),
        safe_actions=safe,
        rejected=rejected,
    )
