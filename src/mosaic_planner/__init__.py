"""Mosaic: memory and exact coordination for teams of embodied agents driven by a language model.

    from mosaic_planner import run_episode
    episode = run_episode(world="sar", scene=1, agents=3, planner="llamar+mosaic")
    print(episode.metrics.success, episode.metrics.llm_calls)

Names are loaded when first used, so importing the package loads no solver and no provider.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mosaic_planner.config import RunConfig, load_config
    from mosaic_planner.coordination import (
        STAYS,
        ActionProfile,
        Assignment,
        CellVisit,
        Coordinator,
        CostProfile,
        FirstChoice,
        JointNeed,
        MosaicCoordinator,
        Rules,
        assignment_to_event,
        deadlock_report,
    )
    from mosaic_planner.core.action import IDLE, Action, ActionSchema, Kind, Parameter, Vocabulary
    from mosaic_planner.core.belief import Belief, Beliefs
    from mosaic_planner.core.candidate import Candidate, Proposal
    from mosaic_planner.core.errors import (
        ConformanceError,
        MissingExtraError,
        MosaicError,
        StorageError,
        TraceError,
        UsageError,
    )
    from mosaic_planner.core.geometry import Offset, Pose
    from mosaic_planner.core.history import History
    from mosaic_planner.core.observation import (
        Effect,
        Observation,
        Outcome,
        Sighting,
        StepResult,
        View,
    )
    from mosaic_planner.core.trace import Trace, read_trace
    from mosaic_planner.core.world import Briefing, Geometry, Score, World
    from mosaic_planner.episode import Episode, arun_episode, run_episode
    from mosaic_planner.memory import AgentCentricMemory, Memory, make_memory
    from mosaic_planner.metrics import Metrics, measure
    from mosaic_planner.models.protocol import ChatModel, ChatReply, ChatRequest, Usage
    from mosaic_planner.models.registry import make_model
    from mosaic_planner.planners.protocol import Planner, PlannerSetup, Turn
    from mosaic_planner.planners.registry import Method, make_planner, parse_method, planner_names
    from mosaic_planner.worlds.registry import PlannableWorld, make_world, world_names

_HOME = {
    "Action": "core.action",
    "ActionProfile": "coordination",
    "ActionSchema": "core.action",
    "AgentCentricMemory": "memory",
    "Assignment": "coordination",
    "Belief": "core.belief",
    "Beliefs": "core.belief",
    "Briefing": "core.world",
    "Candidate": "core.candidate",
    "CellVisit": "coordination",
    "ChatModel": "models.protocol",
    "ChatReply": "models.protocol",
    "ChatRequest": "models.protocol",
    "ConformanceError": "core.errors",
    "Coordinator": "coordination",
    "CostProfile": "coordination",
    "Effect": "core.observation",
    "Episode": "episode",
    "FirstChoice": "coordination",
    "Geometry": "core.world",
    "History": "core.history",
    "IDLE": "core.action",
    "JointNeed": "coordination",
    "Kind": "core.action",
    "Memory": "memory",
    "Method": "planners.registry",
    "Metrics": "metrics",
    "MissingExtraError": "core.errors",
    "MosaicCoordinator": "coordination",
    "MosaicError": "core.errors",
    "Observation": "core.observation",
    "Offset": "core.geometry",
    "Outcome": "core.observation",
    "Parameter": "core.action",
    "PlannableWorld": "worlds.registry",
    "Planner": "planners.protocol",
    "PlannerSetup": "planners.protocol",
    "Pose": "core.geometry",
    "Proposal": "core.candidate",
    "Rules": "coordination",
    "RunConfig": "config",
    "STAYS": "coordination",
    "Score": "core.world",
    "Sighting": "core.observation",
    "StepResult": "core.observation",
    "StorageError": "core.errors",
    "Trace": "core.trace",
    "TraceError": "core.errors",
    "Turn": "planners.protocol",
    "Usage": "models.protocol",
    "UsageError": "core.errors",
    "View": "core.observation",
    "Vocabulary": "core.action",
    "World": "core.world",
    "arun_episode": "episode",
    "assignment_to_event": "coordination",
    "deadlock_report": "coordination",
    "load_config": "config",
    "make_memory": "memory",
    "make_model": "models.registry",
    "make_planner": "planners.registry",
    "make_world": "worlds.registry",
    "measure": "metrics",
    "parse_method": "planners.registry",
    "planner_names": "planners.registry",
    "read_trace": "core.trace",
    "run_episode": "episode",
    "world_names": "worlds.registry",
}

__all__ = [
    "IDLE",
    "STAYS",
    "Action",
    "ActionProfile",
    "ActionSchema",
    "AgentCentricMemory",
    "Assignment",
    "Belief",
    "Beliefs",
    "Briefing",
    "Candidate",
    "CellVisit",
    "ChatModel",
    "ChatReply",
    "ChatRequest",
    "ConformanceError",
    "Coordinator",
    "CostProfile",
    "Effect",
    "Episode",
    "FirstChoice",
    "Geometry",
    "History",
    "JointNeed",
    "Kind",
    "Memory",
    "Method",
    "Metrics",
    "MissingExtraError",
    "MosaicCoordinator",
    "MosaicError",
    "Observation",
    "Offset",
    "Outcome",
    "Parameter",
    "PlannableWorld",
    "Planner",
    "PlannerSetup",
    "Pose",
    "Proposal",
    "Rules",
    "RunConfig",
    "Score",
    "Sighting",
    "StepResult",
    "StorageError",
    "Trace",
    "TraceError",
    "Turn",
    "Usage",
    "UsageError",
    "View",
    "Vocabulary",
    "World",
    "__version__",
    "arun_episode",
    "assignment_to_event",
    "deadlock_report",
    "load_config",
    "make_memory",
    "make_model",
    "make_planner",
    "make_world",
    "measure",
    "parse_method",
    "planner_names",
    "read_trace",
    "run_episode",
    "world_names",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from mosaic_planner._version import version

        return version()
    if name in _HOME:
        value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
