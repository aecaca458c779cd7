"""The loop: observation, belief, proposal, assignment, joint action, and the trace of it all.

`play` runs one episode from ready parts; `run_episode` builds the parts from settings. The loop
never raises for a failing model, solver or simulator: the trace's `end` event says why it ended.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mosaic_planner.assembly import Parts, build, header_fields
from mosaic_planner.config import RunConfig, load_config
from mosaic_planner.coordination import assignment_to_event, deadlock_report
from mosaic_planner.coordination.assignment import Assignment
from mosaic_planner.core.action import Action
from mosaic_planner.core.candidate import Candidate
from mosaic_planner.core.geometry import Cell, Pose
from mosaic_planner.core.history import Attempt, History
from mosaic_planner.core.observation import Observation, Outcome
from mosaic_planner.core.trace import Event, Trace, TraceWriter
from mosaic_planner.memory import beliefs_to_event
from mosaic_planner.metrics import Metrics, measure
from mosaic_planner.models.limits import SharedBudget
from mosaic_planner.planners.protocol import Turn
from mosaic_planner.record import (
    clock_fields,
    observation_fields,
    outcome_fields,
    proposal_fields,
    score_fields,
    subtasks_fields,
)

__all__ = ["Episode", "arun_episode", "play", "run_episode"]

_DEADLOCK_STEPS = 12  # as many assignments as the deadlock report looks back over

_MODEL_ENDS = {"budget": "model_budget", "infrastructure": "infrastructure"}
"""End reasons by why the model cannot be used any more; neither is the agents' failure."""


@dataclass(frozen=True, slots=True)
class Episode:
    """A finished episode: settings, trace, and the metrics read from that trace."""

    config: RunConfig
    trace: Trace
    metrics: Metrics

    def _repr_html_(self) -> str:
        # Notebooks ask for this; it is the one look upwards, and only when somebody looks.
        from mosaic_planner.replay import notebook_html

        return notebook_html(self.trace)


class _Loop:
    """State of one running episode; `run` carries it to its end."""

    def __init__(self, config: RunConfig, parts: Parts, writer: TraceWriter) -> None:
        self.config = config
        self.parts = parts
        self.writer = writer
        self.observations: Mapping[str, Observation] = {}
        self.outcomes: Mapping[str, Outcome] = {}
        self.feedback: tuple[str, ...] = ()
        self.history = History.empty(parts.world.agents)
        self.assignments: deque[Assignment] = deque(maxlen=_DEADLOCK_STEPS)
        self.lost = ""  # why the simulator is gone
        self.started = time.perf_counter()

    def write(self, event: str, **fields: Any) -> None:
        clock = self.parts.clock
        self.writer.write(event, step=self.parts.step.value, t=round(clock.now_s, 6), **fields)

    def perceive(self) -> None:
        """Write down what is seen, believed and true now."""
        parts = self.parts
        self.write(
            "observation",
            agents={name: observation_fields(o) for name, o in self.observations.items()},
        )
        beliefs = parts.memory.beliefs()
        lines = {agent: parts.memory.lines(agent) for agent in parts.world.agents}
        self.write("beliefs", **beliefs_to_event(beliefs, parts.world.agents, lines))
        self.write("snapshot", world=parts.world.snapshot())
        self.write("score", **score_fields(parts.world.score()))

    def turn(self) -> Turn:
        memory = self.parts.memory
        lines = {agent: memory.lines(agent) for agent in self.parts.world.agents}
        return Turn(
            step=self.parts.step.value,
            observations=self.observations,
            beliefs=memory.beliefs(),
            outcomes=self.outcomes,
            memory_lines=lines,
            feedback=self.feedback,
        )

    async def run(self) -> str:
        parts = self.parts
        self.observations = parts.world.reset(self.config.seed)
        self.writer.write("header", **header_fields(self.config, parts))
        parts.memory.update(self.observations, {})
        self.perceive()
        while parts.step.value < parts.budget:
            # A model that answers at once never waits, and Ctrl-C is only heard while waiting.
            await asyncio.sleep(0)
            parts.step.value += 1
            proposal = await parts.planner.propose(self.turn())
            self.write("proposal", **proposal_fields(proposal))
            if parts.session.ended:
                return _MODEL_ENDS[parts.session.ended]
            if proposal.empty_plan:
                return "no_subtasks"
            if proposal.subtasks is not None:
                parts.memory.focus(proposal.subtasks.open)
            assignment = self.select(proposal.candidates)
            rejected = (*proposal.rejections, *assignment.rejections())
            self.feedback = tuple(dict.fromkeys(r.line() for r in rejected))
            self.act({name: choice.candidate.action for name, choice in assignment.chosen.items()})
            if self.lost:
                self.write("note", text=self.lost)
                return "infrastructure"
            subtasks = await parts.planner.review(self.turn())
            if subtasks is not None:
                self.write("subtasks", **(subtasks_fields(subtasks) or {}))
                parts.memory.focus(subtasks.open)
            if parts.session.ended:
                return _MODEL_ENDS[parts.session.ended]
            reason = self.ended()
            if reason:
                return reason
        return "step_budget"

    def select(self, candidates: Mapping[str, tuple[Candidate, ...]]) -> Assignment:
        parts = self.parts
        began = time.perf_counter()
        assignment = parts.coordinator.select(candidates, parts.memory.beliefs(), self.history)
        solved = time.perf_counter() - began
        parts.clock.solver_s += parts.solve_s(sum(len(c) for c in candidates.values()))
        self.assignments.append(assignment)
        self.write("assignment", **assignment_to_event(assignment), wall={"select_s": solved})
        return assignment

    def act(self, joint: Mapping[str, Action]) -> None:
        parts = self.parts
        before = self.observations
        result = parts.world.step(joint)
        self.observations, self.outcomes = result.observations, result.outcomes
        self.lost = result.failure
        slowest = max((o.agent_steps for o in self.outcomes.values()), default=0)
        parts.clock.world_s += slowest * parts.latency.primitive_step_s
        vocabulary = parts.world.vocabulary
        self.write(
            "outcome",
            agents={n: outcome_fields(o, vocabulary) for n, o in self.outcomes.items()},
            clock=clock_fields(parts.clock),
        )
        unit = parts.world.geometry.unit
        self.history = self.history.extended(
            {
                name: _attempt(
                    parts.step.value, outcome, before[name], self.observations[name], unit
                )
                for name, outcome in self.outcomes.items()
            }
        )
        parts.memory.update(self.observations, self.outcomes)
        self.perceive()

    def ended(self) -> str:
        """Why the episode is over, or "" if it goes on."""
        parts = self.parts
        everybody_done = all(parts.world.vocabulary.ends(o.action) for o in self.outcomes.values())
        if self.config.faithful and everybody_done:
            return "done"  # rule I9; by default the world decides and a false "done" is counted
        if parts.stop_at_success and parts.world.score().success:
            return "success"
        if parts.method.coordinated:
            deadlock = deadlock_report(tuple(self.assignments), self.history)
            if deadlock is not None and deadlock.total:
                self.write("note", text="no progress: " + "; ".join(deadlock.lines()))
                return "no_progress"
        return ""


def _attempt(
    step: int, outcome: Outcome, before: Observation, after: Observation, unit: float
) -> Attempt:
    changed = (
        before.pose != after.pose or before.inventory != after.inventory or bool(outcome.effects)
    )
    return Attempt(
        step=step,
        action=outcome.action,
        success=outcome.success,
        idle=outcome.idle,
        start=_cell(before.pose, unit),
        end=_cell(after.pose, unit),
        progress=outcome.success and not outcome.idle and changed,
    )


def _cell(pose: Pose, unit: float) -> Cell:
    return round(pose.x / unit), round(pose.z / unit)


async def play(config: RunConfig, parts: Parts, writer: TraceWriter) -> Episode:
    """Run one episode to its end; the trace is complete even if it is interrupted.

    On Ctrl-C (cancellation) the `end` event says `interrupted`, on a defect of a part `crash`;
    the exception goes on after that.
    """
    loop = _Loop(config, parts, writer)
    reason = "interrupted"
    try:
        reason = await loop.run()
    except Exception:
        reason = "crash"
        raise
    finally:
        try:
            loop.write(
                "end",
                reason=reason,
                clock=clock_fields(parts.clock),
                wall={"total_s": time.perf_counter() - loop.started},
            )
            writer.close()
        finally:
            close = getattr(parts.world, "close", None)  # worlds that hold a process or a window
            if close is not None:
                close()
    trace = Trace(tuple(writer.events), writer.path)
    return Episode(config, trace, measure(trace))


async def arun_episode(
    config: RunConfig,
    *,
    path: Path | None = None,
    on_event: Callable[[Event], None] | None = None,
    sweep: SharedBudget | None = None,
) -> Episode:
    """Build the parts and run one episode; `path` is where the trace goes (None: memory only).

    `sweep` is a spending budget shared with other episodes.
    """
    writer = TraceWriter(path, on_event)
    parts = build(config, writer, sweep=sweep)
    try:
        return await play(config, parts, writer)
    finally:
        await parts.session.aclose()


def run_episode(
    config: RunConfig | None = None,
    *,
    out: str | Path | None = None,
    on_event: Callable[[Event], None] | None = None,
    **settings: Any,
) -> Episode:
    """Run one episode and return its metrics and trace: what `mosaic run` does, in one call.

    `settings` are those of `RunConfig` (world, planner, model, agents, seed, ...); `out` is the
    trace file to write. Works inside a running event loop too (notebooks). Raises `UsageError`
    for a mistake in the settings, `StorageError` if the trace cannot be written.
    """
    base = config.model_dump() if config is not None else {}
    chosen = load_config(options=base | settings)
    path = Path(out) if out is not None else None

    def go() -> Episode:
        return asyncio.run(arun_episode(chosen, path=path, on_event=on_event))

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return go()
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(go).result()
