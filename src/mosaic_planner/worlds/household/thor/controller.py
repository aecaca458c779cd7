"""The in-process surface: the part of `ai2thor.controller.Controller` that programs use."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from mosaic_planner.core.errors import UnknownNameError, UsageError
from mosaic_planner.worlds.household.scenes.recorded import SceneFolder
from mosaic_planner.worlds.household.scenes.scene import Scene
from mosaic_planner.worlds.household.thor.event import Event, MultiAgentEvent
from mosaic_planner.worlds.household.thor.metadata import Describer
from mosaic_planner.worlds.household.thor.render import take
from mosaic_planner.worlds.household.thor.result import Result
from mosaic_planner.worlds.household.thor.simulator import SceneSource, Simulator

__all__ = ["Controller", "FailedAction", "InvalidCall"]


class InvalidCall(UsageError, ValueError):
    """A call the real client answers with ValueError; the message is the simulator's."""


class FailedAction(InvalidCall, RuntimeError):
    """An action that failed and must not: the real client answers with RuntimeError."""


class Controller:
    """AI2-THOR's controller on the embedded simulator: `step`, `reset`, `last_event`, `stop`.

    `scenes`: a folder of recorded scenes, a scene source, or None for generated rooms. `scene`: a
    name from there (default: its first in alphabetical order, as the real client has it) or a
    `Scene`. `headless`: no images. All other keywords go to Initialize, as in the real client
    (`agentCount`, `gridSize`, `visibilityDistance`, `fieldOfView`, `renderDepthImage`, ...).
    """

    def __init__(
        self,
        scene: str | Scene | None = None,
        *,
        scenes: str | Path | SceneSource | None = None,
        seed: int = 0,
        width: int = 300,
        height: int = 300,
        headless: bool = False,
        **initialization: Any,
    ) -> None:
        if scenes is None:
            from mosaic_planner.worlds.household.scenes.generated import GeneratedScenes

            source: SceneSource = GeneratedScenes()
        elif isinstance(scenes, (str, Path)):
            source = SceneFolder(scenes)
        else:
            source = scenes
        self.simulator = Simulator(source, seed)
        self.simulator.resize(width, height)
        self.headless = headless
        self.initialization_parameters: dict[str, Any] = dict(initialization)
        if headless:
            self.initialization_parameters["renderImage"] = False
        self.last_event: Event | MultiAgentEvent
        self.last_action: dict[str, Any] = {}
        self._describer = Describer(self.simulator)
        self._scene: str | Scene = scene if scene is not None else _first(source)
        self.reset()

    @property
    def scene(self) -> str:
        """The scene's full name, e.g. `FloorPlan1_physics`."""
        return f"{self.simulator.state.scene.name}_physics"

    @property
    def scenes_in_build(self) -> set[str]:
        """The names of all scenes."""
        return {f"{name}_physics" for name in self.simulator.scenes.names()}

    def reset(
        self, scene: str | Scene | None = None, **initialization: Any
    ) -> Event | MultiAgentEvent:
        """Start anew, in another scene if given; keywords stay in force for later resets.

        Raises `InvalidCall` (a ValueError) for an unknown scene, `FailedAction` (a RuntimeError
        too) for an impossible setting.
        """
        if scene is not None:
            self._scene = scene
        width = initialization.pop("width", self.simulator.settings.width)
        height = initialization.pop("height", self.simulator.settings.height)
        self.simulator.resize(width, height)
        self.initialization_parameters.update(initialization)
        try:
            self.simulator.load(self._scene)
        except UnknownNameError as error:
            raise InvalidCall(str(error)) from None
        result = self.simulator.initialize(self.initialization_parameters)
        self.last_action = {"action": "Initialize", **self.initialization_parameters}
        self.last_event = self._event()
        if result.error:
            raise FailedAction(result.error)
        return self.last_event

    def step(
        self, action: str | dict[str, Any] | None = None, **parameters: Any
    ) -> Event | MultiAgentEvent:
        """Carry out one action: `step("MoveAhead", agentId=1)` or `step(dict(action=...))`.

        Failures are told in the event's metadata. Raises `InvalidCall` for an action or a
        parameter that does not exist, and, with `raise_for_failure=True`, `FailedAction` for any
        other failure.
        """
        if isinstance(action, dict):
            call = {**action, **parameters}
        else:
            call = {"action": action, **parameters}
        if not isinstance(call.get("action"), str):
            raise InvalidCall("step needs an action name")
        must = bool(call.pop("raise_for_failure", False))
        call = {key: _plain(value) for key, value in call.items()}
        result = self._carry_out(call)
        self.last_action = call
        self.last_event = self._event()
        if result.code is not None:
            raise InvalidCall(result.error)
        if must and result.error:
            raise FailedAction(f"{call['action']} failed: {result.error}")
        return self.last_event

    def _carry_out(self, call: dict[str, Any]) -> Result:
        """One action, or one of the three that the client and its player settle between them."""
        simulator, rest = self.simulator, {k: v for k, v in call.items() if k != "action"}
        if call["action"] == "Initialize":
            return simulator.initialize(rest)
        if call["action"] == "GetScenesInBuild":
            return simulator.told("GetScenesInBuild", Result(value=sorted(self.scenes_in_build)))
        if call["action"] == "ChangeResolution":
            try:
                simulator.resize(int(rest.get("x", 0)), int(rest.get("y", 0)))
            except (UsageError, TypeError, ValueError) as error:
                return simulator.told("ChangeResolution", Result(str(error)))
            return simulator.told("ChangeResolution", Result())
        return simulator.handle(call)

    def _event(self) -> Event | MultiAgentEvent:
        simulator = self.simulator
        events = [
            Event(
                self._describer.agent(body.index),
                take(simulator.state, simulator.sight, body),
            )
            for body in simulator.state.bodies
        ]
        if len(events) == 1:
            return events[0]
        return MultiAgentEvent(simulator.active, events)

    def stop(self) -> None:
        """Nothing to stop: there is no other process. Safe to call twice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


def _plain(value: Any) -> Any:
    """NumPy numbers and arrays as the client's encoder sends them."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    return value


def _first(source: SceneSource) -> str:
    """The scene that the real client takes when none is named: FloorPlan10 of all 120."""
    return min(source.names(), key=lambda name: f"{name}_physics")
