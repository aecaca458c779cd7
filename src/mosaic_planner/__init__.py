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
        FirstChoice,
        JointNeed,
        MosaicCoordinator,
        Rules,
    )
    from mosaic_planner.core.action import IDLE, Action, ActionSchema, Kind, Parameter, Vocabulary
    from mosaic_planner.core.belief import Belief, Beliefs
    from mosaic_planner.core.candidate import Candidate, Proposal
    from mosaic_planner.core.errors import ConformanceError, MosaicError, UsageError
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
    from mosaic_planner.memory import AgentCentricMemory
    from mosaic_planner.metrics import Metrics, measure
    from mosaic_planner.models.protocol import ChatModel, ChatReply, ChatRequest
    from mosaic_planner.planners.protocol import Planner
    from mosaic_planner.worlds.registry import make_world

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
    "Effect": "core.observation",
    "Episode": "episode",
    "FirstChoice": "coordination",
    "Geometry": "core.world",
    "History": "core.history",
    "IDLE": "core.action",
    "JointNeed": "coordination",
    "Kind": "core.action",
    "Metrics": "metrics",
    "MosaicCoordinator": "coordination",
    "MosaicError": "core.errors",
    "Observation": "core.observation",
    "Offset": "core.geometry",
    "Outcome": "core.observation",
    "Parameter": "core.action",
    "Planner": "planners.protocol",
    "Pose": "core.geometry",
    "Proposal": "core.candidate",
    "Rules": "coordination",
    "RunConfig": "config",
    "STAYS": "coordination",
    "Score": "core.world",
    "Sighting": "core.observation",
    "StepResult": "core.observation",
    "Trace": "core.trace",
    "UsageError": "core.errors",
    "View": "core.observation",
    "Vocabulary": "core.action",
    "World": "core.world",
    "arun_episode": "episode",
    "load_config": "config",
    "make_world": "worlds.registry",
    "measure": "metrics",
    "read_trace": "core.trace",
    "run_episode": "episode",
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
    "Effect",
    "Episode",
    "FirstChoice",
    "Geometry",
    "History",
    "JointNeed",
    "Kind",
    "Metrics",
    "MosaicCoordinator",
    "MosaicError",
    "Observation",
    "Offset",
    "Outcome",
    "Parameter",
    "Planner",
    "Pose",
    "Proposal",
    "Rules",
    "RunConfig",
    "Score",
    "Sighting",
    "StepResult",
    "Trace",
    "UsageError",
    "View",
    "Vocabulary",
    "World",
    "__version__",
    "arun_episode",
    "load_config",
    "make_world",
    "measure",
    "read_trace",
    "run_episode",
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
