"""Backends behind the real `ai2thor` client: the stand-in player, and Unity itself.

Needs the extra `thor`. Start-up and steps have time-outs; the child process ends with the world, at
the latest with this process. Whatever keeps the simulator from starting becomes one clear line.
"""

from __future__ import annotations

import ctypes.util
import importlib.util
import os
import random
import sys
import weakref
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mosaic_planner.core.errors import MissingExtraError, UsageError
from mosaic_planner.core.geometry import Cell
from mosaic_planner.worlds.household.catalogue import room_of_floorplan
from mosaic_planner.worlds.household.launching import Watch, launch
from mosaic_planner.worlds.household.navigation import to_cell
from mosaic_planner.worlds.household.stage import ControllerLike, SimulatorLost
from mosaic_planner.worlds.household.starting_over import start_over_surface
from mosaic_planner.worlds.household.tasks import HouseholdTask, PlanStart
from mosaic_planner.worlds.household.thor.render import encode_png

__all__ = [
    "PlayerBackend",
    "RemoteBackend",
    "UnityBackend",
    "build_is_there",
    "explain",
    "unity_problems",
]

START_TIMEOUT_S = 300.0
STEP_TIMEOUT_S = 60.0


def _client() -> Any:
    try:
        import ai2thor.controller
    except ImportError:
        raise MissingExtraError("thor", "a backend that uses the ai2thor client") from None
    return ai2thor.controller


class _Watched:
    """A client's controller whose troubles on the way all become `SimulatorLost`.

    `last_event` stays that of the last step that came back.
    """

    def __init__(self, controller: Any, watch: Watch | None = None) -> None:
        self._controller = controller
        self._watch = watch
        self.last_event: Any = controller.last_event

    def step(self, action: Any = None, **parameters: Any) -> Any:
        """One action; a refused one is an answer, an action the simulator lacks a ValueError."""
        try:
            self.last_event = self._controller.step(action=action, **parameters)
        except ValueError:
            raise
        except Exception as error:  # the client raises bare Exceptions for most troubles
            raise self._lost(error) from None
        return self.last_event

    def reset(self, scene: Any = None, **initialization: Any) -> Any:
        """Start anew; a ValueError for a scene or a setting that cannot be."""
        try:
            self.last_event = self._controller.reset(scene, **initialization)
        except ValueError:
            raise
        except Exception as error:
            if type(error) is RuntimeError and error.__context__ is None:  # Initialize said no
                raise ValueError(str(error)) from None
            raise self._lost(error) from None
        return self.last_event

    def _lost(self, error: Exception) -> SimulatorLost:
        # The client hides the cause behind a message that only repeats the action.
        cause = error.__context__ or error
        said = f"{type(cause).__name__}: {cause}".replace("\n", " ")
        said = (self._watch.trouble() if self._watch is not None else "") or said
        return SimulatorLost(f"the simulator stopped answering ({said[:200]})")

    def stop(self) -> None:
        """End the child process."""
        self._controller.stop()


class RemoteBackend:
    """What player and Unity have in common; `launch` makes the controller."""

    kind = "remote"

    def __init__(self, scene_name: str, launch: Callable[[int], tuple[Any, Watch | None]]) -> None:
        self._name = scene_name
        self._launch = launch
        self._controller: Any = None
        self._watch: Watch | None = None
        self._cells: frozenset[Cell] = frozenset()
        self._problems: tuple[str, ...] = ()
        self._finalizer: weakref.finalize[Any, Any] | None = None

    @property
    def scene_name(self) -> str:
        """Name of the scene."""
        return self._name

    def connect(self, agents: int = 1) -> ControllerLike:
        """The controller of a simulator, which is started if it does not run yet.

        Raises `UsageError` with one line if it cannot be started, `MissingExtraError` without the
        client.
        """
        if self._controller is None:
            try:
                self._controller, self._watch = self._launch(agents)
            except (MissingExtraError, UsageError):
                raise
            except Exception as error:  # the client raises bare Exceptions for most troubles
                raise UsageError(explain(error, self.kind)) from None
            self._finalizer = weakref.finalize(self, _stop, self._controller, self._watch)
        return _Watched(self._controller, self._watch)

    def begin(
        self, task: HouseholdTask, agents: int, rng: random.Random, start: PlanStart | None
    ) -> ControllerLike:
        """`connect`, and bring the scene to the task's start; the same exceptions."""
        controller = self.connect(agents)
        try:
            controller.reset(self._name, agentCount=agents)
            answer = controller.step(action="GetReachablePositions", agentId=0)
            positions = answer.events[0].metadata["actionReturn"] or ()
            self._cells = frozenset(to_cell(p["x"], p["z"], 0.25) for p in positions)
            self._problems = start_over_surface(controller, task, rng, start)
            controller.step(action="Pass", agentId=0)
        except ValueError as error:
            raise UsageError(f"the simulator does not have this: {error}") from None
        except SimulatorLost as lost:
            raise UsageError(f"the {self.kind} backend did not start: {lost}") from None
        return controller

    def free_cells(self) -> frozenset[Cell]:
        """The reachable cells at the start."""
        return self._cells

    def static(self) -> Mapping[str, Any]:
        """Scene, free cells, bounds and boxes from the first metadata."""
        metadata = self._controller.last_event.events[0].metadata
        bounds = metadata["sceneBounds"]
        return {
            "backend": self.kind,
            "scene": self._name,
            "source": self.kind,
            "room": room_of_floorplan(self._name),
            "cells": [list(c) for c in sorted(self._cells)],
            "bounds": {
                k: [bounds[k][axis] for axis in ("x", "y", "z")] for k in ("center", "size")
            },
            "objects": {
                o["objectId"]: {
                    "type": o["objectType"],
                    "size": [
                        round(o["axisAlignedBoundingBox"]["size"][k], 3) for k in ("x", "y", "z")
                    ],
                    "fixed": not (o["pickupable"] or o["moveable"]),
                }
                for o in metadata["objects"]
            },
            "start_problems": list(self._problems),
        }

    def images(self, agents: Sequence[str]) -> Mapping[str, bytes]:
        """What the cameras show."""
        events = self._controller.last_event.events
        return {
            name: encode_png(event.frame)
            for name, event in zip(agents, events, strict=True)
            if event.frame is not None
        }

    def top_down(self) -> Any:
        """Not drawn here; the replay draws the floor plan from the trace."""
        return None

    def close(self) -> None:
        """Stop the child process."""
        if self._finalizer is not None:
            self._finalizer()
        self._controller = None
        self._watch = None


def _stop(controller: Any, watch: Watch | None) -> None:
    if watch is not None:
        watch.end()
    try:
        controller.stop()
    except Exception as error:  # it is going away anyway; say so and go on
        print(f"stopping the simulator: {type(error).__name__}: {error}", file=sys.stderr)


class PlayerBackend(RemoteBackend):
    """The stand-in player behind the unmodified client, over pipes."""

    kind = "player"

    def __init__(
        self,
        scene_name: str,
        *,
        scenes: Path | None = None,
        require: Mapping[str, int] | None = None,
        seed: int = 0,
        start_timeout_s: float = START_TIMEOUT_S,
        step_timeout_s: float = STEP_TIMEOUT_S,
        **options: Any,
    ) -> None:
        def start(agents: int) -> tuple[Any, Watch | None]:
            module = _client()
            os.environ.setdefault("DISPLAY", ":0")  # wanted by the client, never contacted
            command = f'"{sys.executable}" -m mosaic_planner.worlds.household.player --seed {seed}'
            if scenes is not None:
                command += f' --scenes "{scenes}"'
            elif require:
                command += f" --require {','.join(f'{k}={n}' for k, n in require.items())}"
            return launch(
                module.Controller,
                start_timeout_s,
                local_executable_path=command,
                scene=scene_name,
                agentCount=agents,
                gridSize=0.25,
                visibilityDistance=1.5,
                width=300,
                height=300,
                server_timeout=step_timeout_s,
                server_start_timeout=start_timeout_s,
                **options,
            )

        super().__init__(scene_name, start)


class UnityBackend(RemoteBackend):
    """AI2-THOR's own Unity player.

    `headless`: no images at all. `cloud`: the off-screen renderer (Vulkan) in the place of an X
    display. `size`: pixels of the square image.
    """

    kind = "unity"

    def __init__(
        self,
        scene_name: str,
        *,
        headless: bool = False,
        cloud: bool = False,
        size: int = 300,
        start_timeout_s: float = START_TIMEOUT_S,
        step_timeout_s: float = STEP_TIMEOUT_S,
        **options: Any,
    ) -> None:
        def start(agents: int) -> tuple[Any, Watch | None]:
            module = _client()
            if cloud:
                from ai2thor.platform import CloudRendering

                options["platform"] = CloudRendering
            elif headless:  # no display is contacted, but the client wants its name
                options.setdefault("x_display", os.environ.get("DISPLAY") or ":0")
            return launch(
                module.Controller,
                start_timeout_s,
                scene=scene_name,
                agentCount=agents,
                gridSize=0.25,
                visibilityDistance=1.5,
                renderInstanceSegmentation=not headless,
                headless=headless,
                width=size,
                height=size,
                server_timeout=step_timeout_s,
                server_start_timeout=start_timeout_s,
                **options,
            )

        super().__init__(scene_name, start)


_CAUSES = (
    (("no build exists", "invalid commit_id"),
     "AI2-THOR's build is not installed and cannot be downloaded from here"),
    (("ended with code",), "its program ended at once"),
    (("display", "x11", "xlib", "glx", "cannot open"),
     "there is no X display: set DISPLAY to a running one, use the cloud renderer (cloud=true), or "
     "do without images (headless=true)"),
    (("vulkan",), "the cloud renderer needs a working Vulkan driver (vulkaninfo tells)"),
    (("connection", "resolve", "max retries", "download", "http", "403", "404"),
     "AI2-THOR's build is not installed and cannot be downloaded from here"),
    (("timed out", "timeout"), "it did not start in time"),
    (("no such file", "not executable", "permission"), "its program cannot be run"),
)  # fmt: skip


def explain(error: Exception, kind: str) -> str:
    """One line that says why the simulator did not start and what to do."""
    text = f"{type(error).__name__}: {error}".replace("\n", " ")
    lowered = text.lower()
    for words, cause in _CAUSES:
        if any(word in lowered for word in words):
            return f"the {kind} backend did not start: {cause} ({text[:160]})"
    hint = "without AI2-THOR use the embedded backend"
    return f"the {kind} backend did not start; {hint} ({text[:200]})"


def build_is_there() -> bool:
    """Whether AI2-THOR's build is on this machine, so that nothing is downloaded at the start."""
    releases = Path.home() / ".ai2thor" / "releases"
    return releases.is_dir() and any(releases.iterdir())


def unity_problems(*, cloud: bool = False, headless: bool = False) -> tuple[str, ...]:
    """What stands in the way of the Unity backend on this machine, one line each; for `doctor`.

    `cloud`: with the off-screen renderer; `headless`: without images, which needs no display.
    """
    problems = []
    if importlib.util.find_spec("ai2thor") is None:
        problems.append("the ai2thor client is missing: pip install 'mosaic-planner[thor]'")
    if not sys.platform.startswith(("linux", "darwin")):
        problems.append("AI2-THOR runs on Linux and macOS only")
    if cloud:
        if ctypes.util.find_library("vulkan") is None:
            problems.append(
                "the Vulkan library is missing: install libvulkan1 and a driver (vulkaninfo tells "
                "whether they work)"
            )
    elif sys.platform.startswith("linux") and not headless and not os.environ.get("DISPLAY"):
        problems.append(
            "DISPLAY is not set: start an X server, use the cloud renderer (cloud=true), or do "
            "without images (headless=true)"
        )
    if not build_is_there():
        problems.append("AI2-THOR's build is not downloaded yet (about 1 GB at first use)")
    return tuple(problems)
