"""One simulator: takes AI2-THOR's actions as plain mappings and keeps the state they change."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from mosaic_planner.core.errors import UsageError
from mosaic_planner.worlds.household.scenes.scene import Scene
from mosaic_planner.worlds.household.thor.actions import ACTIONS, call_error
from mosaic_planner.worlds.household.thor.doors import find_fronts, open_to
from mosaic_planner.worlds.household.thor.handling import drop
from mosaic_planner.worlds.household.thor.queries import reachable
from mosaic_planner.worlds.household.thor.reactions import find_sources, react
from mosaic_planner.worlds.household.thor.result import Context, Result
from mosaic_planner.worlds.household.thor.sight import Sight
from mosaic_planner.worlds.household.thor.state import (
    AGENT_RADIUS_M,
    MAX_AGENTS,
    Body,
    Settings,
    State,
)
from mosaic_planner.worlds.household.thor.things import Things

__all__ = ["PIVOT_ABOVE_FLOOR_M", "SceneSource", "Simulator"]

PIVOT_ABOVE_FLOOR_M = 0.901
"""Height of the agents' pivot above the floor (recorded starts)."""

_NEAR_PLANE, _FAR_PLANE = 0.1, 20.0
_NUMBERS = {
    "gridSize": ("grid_size", 0.0, 5.0),
    "visibilityDistance": ("visibility_distance", 0.0, 1000.0),
    "fieldOfView": ("field_of_view", 0.0, 180.0),
    "rotateStepDegrees": ("rotate_step_deg", 0.0, 360.0),
}
_FLAGS = {
    "snapToGrid": "snap_to_grid",
    "renderDepthImage": "depth",
    "renderInstanceSegmentation": "instances",
    "renderObjectImage": "instances",
    "renderSemanticSegmentation": "classes",
    "renderClassImage": "classes",
    "renderImage": "image",
}


class SceneSource(Protocol):
    """Where scenes come from: a recorded folder or the generator."""

    def names(self) -> Sequence[str]:
        """Every scene name, without `_physics`."""
        ...

    def load(self, name: str) -> Scene:
        """One scene; raises `UnknownNameError`."""
        ...


class Simulator:
    """The embedded simulator. `seed` feeds everything random in it.

    `handle` never raises for a malformed action: it fails with a message, or with one of the
    client's error codes. `state` and `sight` are public for metadata, images and scoring.
    """

    def __init__(self, scenes: SceneSource, seed: int = 0) -> None:
        self.scenes = scenes
        self.seed = seed
        self.settings = Settings()
        self.active = 0
        self.sequence = 0
        self.state: State
        self.sight: Sight
        self._context: Context

    def load(self, scene: Scene | str) -> None:
        """Set a scene up with one agent at its start; settings stay as they are."""
        loaded = self.scenes.load(scene) if isinstance(scene, str) else scene
        start = loaded.start
        body = Body(
            0, *start.position, yaw=start.yaw, horizon=start.horizon, standing=start.standing
        )
        things = Things(loaded.objects)
        cells = frozenset(loaded.cells)
        find_fronts(things, cells)
        self.state = State(
            scene=loaded,
            settings=replace(self.settings, agent_count=1),
            things=things,
            bodies=[body],
            rng=random.Random(self.seed),
            cells=cells,
            floor_y=start.position[1] - PIVOT_ABOVE_FLOOR_M,
        )
        for thing in things:
            if thing.openness > 0.0 and thing.front is not None:
                # Recorded boxes are closed ones, so an open start is opened here.
                openness, thing.openness = thing.openness, 0.0
                open_to(self.state, thing, openness)
        self.state.sources = find_sources(self.state)
        self.state.warm = {t.object_id: t for t in things if t.temperature != "RoomTemp"}
        self.sight = Sight(self.state)
        self._context = Context(self.state, self.sight)
        self.active = 0

    def initialize(self, params: Mapping[str, Any]) -> Result:
        """Initialize: settings and agents; unknown keywords are ignored as the engine does."""
        result = self._initialize(params)
        return self._note(self.state.bodies[0], "Initialize", result)

    def _initialize(self, params: Mapping[str, Any]) -> Result:
        values: dict[str, Any] = {}
        for key, (field, low, high) in _NUMBERS.items():
            if params.get(key) is not None:
                value = _number(params[key])
                if value is None or not low < value <= high:
                    return Result(f"{key} must be in ({low:g}, {high:g}], not {params[key]!r}.")
                values[field] = value
        for key, field in _FLAGS.items():
            if params.get(key) is not None:
                values[field] = bool(params[key])
        count = params.get("agentCount", 1)
        if not isinstance(count, int) or not 1 <= count <= MAX_AGENTS:
            return Result(f"agentCount must be in 1..{MAX_AGENTS}, not {count!r}.")
        mode = params.get("agentMode", "default")
        if mode != "default":
            return Result(f"agentMode {mode!r} is not simulated, only 'default'.")
        settings = replace(self.settings, **values, agent_count=count)
        if settings.snap_to_grid and settings.rotate_step_deg % 90.0:
            return Result(
                f"snapToGrid needs 90 degree turns; rotateStepDegrees is "
                f"{settings.rotate_step_deg:g}."
            )
        self.settings = settings
        self.state.settings = settings
        error = self._add_agents(count)
        if error:
            return Result(error)
        return Result(value={"cameraNearPlane": _NEAR_PLANE, "cameraFarPlane": _FAR_PLANE})

    def _add_agents(self, count: int) -> str:
        """Agent i >= 1 goes to entry i+4 of the reachable list on the doubled grid (section 1)."""
        state = self.state
        first = state.bodies[0]
        for body in state.bodies[1:]:  # Initialize in the middle of a scene: they leave it
            if body.held is not None:
                drop(self._context, body, {})
        del state.bodies[1:]
        self.active = 0
        coarse = reachable(state, first, 2 * state.settings.grid_size)
        fine = reachable(state, first, state.settings.grid_size) if len(coarse) < count + 4 else []
        for i in range(1, count):
            options = [*coarse[i + 4 : i + 5], *coarse[1:], *fine]
            place = next((p for p in options if self._apart(p)), None)
            if place is None:
                return f"There is no free place for agent {i} in {state.scene.name}."
            state.bodies.append(
                Body(i, place[0], first.y, place[1], first.yaw, first.horizon, first.standing)
            )
        return ""

    def _apart(self, place: tuple[float, float]) -> bool:
        return all(
            math.hypot(place[0] - b.x, place[1] - b.z) >= 2 * AGENT_RADIUS_M
            for b in self.state.bodies
        )

    def resize(self, width: int, height: int) -> None:
        """ChangeResolution; pixels."""
        if not (1 <= width <= 8192 and 1 <= height <= 8192):
            raise UsageError(f"image size must be in 1..8192, not {width} x {height}")
        self.settings = replace(self.settings, width=width, height=height)
        if hasattr(self, "state"):
            self.state.settings = replace(self.state.settings, width=width, height=height)

    def handle(self, action: Mapping[str, Any]) -> Result:
        """Carry out one action of one agent (`agentId`, default 0) and advance time by a step."""
        name = str(action.get("action", ""))
        params = {k: v for k, v in action.items() if k != "action"}
        agent = params.get("agentId", 0)
        if not isinstance(agent, int) or not 0 <= agent < len(self.state.bodies):
            body = self.state.bodies[self.active]
            return self._note(body, name, Result(f"There is no agent {agent!r}.", None, None))
        self.active = agent
        body = self.state.bodies[agent]
        body.collided, body.collided_with = False, ()
        wrong = call_error(name, params)
        if wrong is not None:
            return self._note(body, name, Result(wrong[1], None, wrong[0]))
        result = ACTIONS[name].handler(self._context, body, params)
        react(self.state)
        return self._note(body, name, result)

    def told(self, name: str, result: Result) -> Result:
        """Note the outcome of an action that was settled outside of the simulation."""
        return self._note(self.state.bodies[self.active], name, result)

    def _note(self, body: Body, name: str, result: Result) -> Result:
        body.last_action = name
        body.success = not result.error
        body.error = result.error
        body.error_code = result.code
        body.returned = result.value
        return result


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value) if math.isfinite(value) else None
