"""Where the simulation runs: in this process, in the stand-in player, or in Unity."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from mosaic_planner.core.geometry import Cell
from mosaic_planner.worlds.household.scenes.scene import Scene
from mosaic_planner.worlds.household.scenes.stocking import OneScene
from mosaic_planner.worlds.household.stage import ControllerLike
from mosaic_planner.worlds.household.starting import start_by_file, start_by_meaning
from mosaic_planner.worlds.household.tasks import HouseholdTask, PlanStart
from mosaic_planner.worlds.household.thor.controller import Controller
from mosaic_planner.worlds.household.thor.render import encode_png, top_down

__all__ = ["Backend", "Embedded"]


class Backend(Protocol):
    """What a world needs of the place where its simulator runs."""

    @property
    def scene_name(self) -> str:
        """Name of the scene."""
        ...

    def begin(
        self, task: HouseholdTask, agents: int, rng: random.Random, start: PlanStart | None
    ) -> ControllerLike:
        """A controller at the start of an episode of the task."""
        ...

    def free_cells(self) -> frozenset[Cell]:
        """Cells that can be walked on, as everybody is told."""
        ...

    def static(self) -> Mapping[str, Any]:
        """JSON facts of the scene for the trace."""
        ...

    def images(self, agents: Sequence[str]) -> Mapping[str, bytes]:
        """PNG of what each agent sees."""
        ...

    def top_down(self) -> Any:
        """The room from above, (H, W, 3) uint8, or None."""
        ...

    def close(self) -> None:
        """Stop child processes; safe to call twice."""
        ...


class Embedded:
    """The embedded simulator in this process."""

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self._controller: Controller | None = None
        self._problems: tuple[str, ...] = ()

    @property
    def scene_name(self) -> str:
        """Name of the scene."""
        return self.scene.name

    def begin(
        self, task: HouseholdTask, agents: int, rng: random.Random, start: PlanStart | None
    ) -> Controller:
        """A controller whose scene is at the start of an episode."""
        controller = Controller(
            self.scene,
            scenes=OneScene(self.scene),
            seed=rng.randrange(2**31),
            agentCount=agents,
            gridSize=0.25,
            visibilityDistance=1.5,
        )
        if start is not None:
            self._problems = start_by_file(controller.simulator, start)
        else:
            start_by_meaning(controller.simulator, task, rng)
        controller.step("Pass")
        self._controller = controller
        return controller

    def free_cells(self) -> frozenset[Cell]:
        """The cells of the floor plan."""
        return frozenset(self.scene.cells)

    def static(self) -> Mapping[str, Any]:
        """Scene, source, free cells, bounds, boxes of what does not move."""
        bounds = self.scene.bounds
        return {
            "backend": "embedded",
            "scene": self.scene.name,
            "source": self.scene.source,
            "room": self.scene.room,
            "cells": [list(c) for c in self.scene.cells],
            "bounds": {"center": list(bounds.center), "size": list(bounds.size)},
            "objects": {
                o.object_id: {
                    "type": o.object_type,
                    "size": [round(v, 3) for v in o.box.size],
                    "fixed": not {"pickupable", "moveable"} & o.affordances,
                }
                for o in self.scene.objects
            },
            "start_problems": list(self._problems),
        }

    def images(self, agents: Sequence[str]) -> Mapping[str, bytes]:
        """Flat-shaded views."""
        if self._controller is None:
            return {}
        events = self._controller.last_event.events
        return {
            name: encode_png(event.frame)
            for name, event in zip(agents, events, strict=True)
            if event.frame is not None
        }

    def top_down(self) -> Any:
        """The room from above."""
        if self._controller is None:
            return None
        simulator = self._controller.simulator
        return top_down(simulator.state, simulator.sight)

    def close(self) -> None:
        """Nothing runs outside."""
