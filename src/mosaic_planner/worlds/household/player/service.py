"""Actions in, payloads out: what the client expects of a player, whatever carries it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mosaic_planner.core.errors import UnknownNameError, UsageError
from mosaic_planner.worlds.household.thor.metadata import Describer
from mosaic_planner.worlds.household.thor.render import colour_of, take
from mosaic_planner.worlds.household.thor.simulator import SceneSource, Simulator

__all__ = ["Message", "Service"]


@dataclass(frozen=True, slots=True)
class Message:
    """`payload`: the metadata of all agents. `images`: field name to one body per agent."""

    payload: dict[str, Any]
    images: Mapping[str, list[bytes]] = field(default_factory=dict)


class Service:
    """One player. The first message comes without an action (`hello`), then one per action."""

    def __init__(
        self, scenes: SceneSource, *, seed: int = 0, width: int = 300, height: int = 300
    ) -> None:
        self._simulator = Simulator(scenes, seed)
        self._simulator.resize(width, height)
        self._describer = Describer(self._simulator)
        self._simulator.load(scenes.names()[0])
        self._drawn: dict[int, tuple[tuple[Any, ...], dict[str, bytes]]] = {}

    def hello(self) -> Message:
        """What the player says before any action."""
        return self._message(0)

    def answer(self, action: Mapping[str, Any]) -> Message:
        """Carry out one action as the client sent it; never raises for a bad one."""
        name = str(action.get("action", ""))
        sequence = action.get("sequenceId", 0)
        call = {k: v for k, v in action.items() if k != "sequenceId"}
        if name == "GetScenesInBuild":
            names = [f"{n}_physics" for n in self._simulator.scenes.names()]
            self._tell(name, "", names)
        elif name == "Reset":
            self._tell(name, self._reset(str(action.get("sceneName", ""))), None)
        elif name == "ChangeResolution":
            self._tell(name, self._resize(action), None)
        elif name == "Initialize":
            self._simulator.initialize(call)
            self._simulator.active = 0
        else:
            self._simulator.handle(call)
        return self._message(sequence if isinstance(sequence, int) else 0)

    def _tell(self, name: str, error: str, value: Any) -> None:
        body = self._simulator.state.bodies[self._simulator.active]
        body.last_action, body.success = name, not error
        body.error, body.error_code, body.returned = error, None, value

    def _reset(self, scene: str) -> str:
        try:
            self._simulator.load(scene)
        except UnknownNameError as error:
            return str(error)
        self._drawn.clear()
        return ""

    def _resize(self, action: Mapping[str, Any]) -> str:
        try:
            self._simulator.resize(int(action.get("x", 0)), int(action.get("y", 0)))
        except (UsageError, TypeError, ValueError) as error:
            return str(error)
        return ""

    def _message(self, sequence: int) -> Message:
        simulator = self._simulator
        count = len(simulator.state.bodies)
        payload = {
            "agents": [self._describer.agent(k) for k in range(count)],
            "thirdPartyCameras": [],
            "activeAgentId": simulator.active,
            "sequenceId": sequence,
        }
        images: dict[str, list[bytes]] = {}
        for body in simulator.state.bodies:
            for kind, data in self._images(body.index).items():
                images.setdefault(kind, []).append(data)
        return Message(payload, images)

    def _images(self, index: int) -> dict[str, bytes]:
        """The image fields of one agent; drawn again only when something changed."""
        simulator = self._simulator
        state = simulator.state
        settings = state.settings
        if not (settings.image or settings.depth or settings.instances or settings.classes):
            return {}
        bodies = tuple((b.x, b.z, b.yaw, b.horizon, b.standing, b.held) for b in state.bodies)
        key = (settings, state.palette, state.things.geometry, state.things.cover, bodies)
        known = self._drawn.get(index)
        if known is not None and known[0] == key:
            return known[1]
        shot = take(state, simulator.sight, state.bodies[index])
        picture = shot.picture()
        fields: dict[str, bytes] = {}
        if settings.image:
            fields["image"] = _upside_down(picture.frame)
        if settings.depth:
            fields["image_depth"] = _upside_down(picture.depth)
        if settings.instances:
            fields["image_ids"] = _upside_down(_painted(shot.names, picture.hit))
        if settings.classes:
            fields["image_classes"] = _upside_down(_painted(shot.types, picture.hit))
        self._drawn[index] = (key, fields)
        return fields


def _painted(names: tuple[str, ...], hit: Any) -> Any:
    """An (H, W, 4) image with each object in its colour, opaque."""
    colours = np.array([(*colour_of(n), 255) for n in names] + [(0, 0, 0, 255)], dtype=np.uint8)
    return colours[hit]


def _upside_down(image: Any) -> bytes:
    """The client reads rows from bottom to top."""
    return bytes(np.ascontiguousarray(image[::-1]).tobytes())
