"""The public surface is pinned, and importing it is cheap."""

from __future__ import annotations

import subprocess
import sys

import mosaic_planner

PUBLIC = [
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
    "IDLE",
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
    "STAYS",
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


def test_the_public_names_are_these() -> None:
    assert sorted(mosaic_planner.__all__) == sorted(PUBLIC)
    assert sorted(dir(mosaic_planner)) == sorted(PUBLIC)


def test_every_public_name_resolves_and_is_documented() -> None:
    for name in PUBLIC:
        value = getattr(mosaic_planner, name)
        assert value is not None
        if name not in ("__version__", "STAYS"):
            assert (value.__doc__ or "").strip(), name


def test_importing_loads_nothing_heavy() -> None:
    heavy = ["ortools", "numpy", "pydantic", "rich", "typer", "rapidfuzz", "pettingzoo", "asyncio"]
    code = f"import sys, mosaic_planner; print([m for m in {heavy} if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
