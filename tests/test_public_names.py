"""The public surface is pinned, and importing it is cheap."""

from __future__ import annotations

import importlib
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
    "Coordinator",
    "CostProfile",
    "Effect",
    "Episode",
    "FirstChoice",
    "Geometry",
    "History",
    "IDLE",
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
    "STAYS",
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


def test_the_public_names_are_these() -> None:
    assert sorted(mosaic_planner.__all__) == sorted(PUBLIC)
    assert sorted(dir(mosaic_planner)) == sorted(PUBLIC)


def test_every_public_name_resolves_and_is_documented() -> None:
    for name in PUBLIC:
        value = getattr(mosaic_planner, name)
        assert value is not None
        if name not in ("__version__", "STAYS"):
            assert (value.__doc__ or "").strip(), name


def test_every_public_name_is_of_the_public_room_that_documents_it() -> None:
    for name, home in mosaic_planner._HOME.items():
        room = importlib.import_module(f"mosaic_planner.{home}")
        assert name in room.__all__, (name, home)


def test_importing_loads_nothing_heavy() -> None:
    heavy = ["ortools", "numpy", "pydantic", "rich", "typer", "rapidfuzz", "pettingzoo", "asyncio"]
    code = f"import sys, mosaic_planner; print([m for m in {heavy} if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"
