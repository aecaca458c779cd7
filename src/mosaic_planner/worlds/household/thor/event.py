"""What `Controller.step` gives back: one event per agent, with pictures drawn when asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.worlds.household.thor.render import Picture, Shot, colour_of

__all__ = ["Event", "Metadata", "MultiAgentEvent"]


class Metadata(dict[str, Any]):
    """One agent's metadata, with the two old names that the real client still understands."""

    def __getitem__(self, key: str) -> Any:
        if key == "reachablePositions" and key not in self:
            last = super().__getitem__("lastAction")
            if last != "GetReachablePositions":
                raise IndexError(
                    "reachablePositions is there after GetReachablePositions only; use actionReturn"
                )
            key = "actionReturn"
        elif key == "hand" and key not in self:
            key = "heldObjectPose"
        return super().__getitem__(key)


class Event:
    """One agent's view after an action; true if the action succeeded (section 2).

    `frame`, `depth_frame` and the segmentation attributes are drawn at first use; depth and
    segmentation are None or empty unless the controller was asked for them.
    """

    def __init__(self, metadata: dict[str, Any], shot: Shot) -> None:
        self.metadata = Metadata(metadata)
        self.screen_width: int = metadata["screenWidth"]
        self.screen_height: int = metadata["screenHeight"]
        self.events: list[Event] = [self]
        self.third_party_camera_frames: list[Any] = []
        self.normals_frame = None
        self.flow_frame = None
        self._shot = shot

    def __bool__(self) -> bool:
        return bool(self.metadata["lastActionSuccess"])

    def __repr__(self) -> str:
        m = self.metadata
        status = "success" if self else f"failure: {m['errorMessage']}"
        return f"<Event agent {m['agentId']} {m['sceneName']} {m['lastAction']}: {status}>"

    @cached_property
    def _picture(self) -> Picture:
        return self._shot.picture()

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return self._shot.names

    @property
    def frame(self) -> NDArray[np.uint8] | None:
        """The camera image, (H, W, 3) uint8 RGB; None if images are switched off."""
        return self._picture.frame if self._shot.settings.image else None

    @property
    def cv2img(self) -> NDArray[np.uint8] | None:
        """The camera image in BGR order."""
        frame = self.frame
        return None if frame is None else frame[..., ::-1]

    @property
    def depth_frame(self) -> NDArray[np.float32] | None:
        """Metres along the viewing axis, (H, W) float32; None unless asked for."""
        return self._picture.depth if self._shot.settings.depth else None

    @cached_property
    def color_to_object_id(self) -> dict[tuple[int, int, int], str]:
        """Segmentation colour to object id or type."""
        if not (self._shot.settings.instances or self._shot.settings.classes):
            return {}
        names = dict.fromkeys((*self._names, *self._shot.types))
        return {colour_of(name): name for name in names}

    @property
    def object_id_to_color(self) -> dict[str, tuple[int, int, int]]:
        """The inverse of `color_to_object_id`."""
        return {name: colour for colour, name in self.color_to_object_id.items()}

    @cached_property
    def instance_segmentation_frame(self) -> NDArray[np.uint8] | None:
        """One colour per object, (H, W, 3) uint8; None unless asked for."""
        return self._painted(self._names) if self._shot.settings.instances else None

    @cached_property
    def semantic_segmentation_frame(self) -> NDArray[np.uint8] | None:
        """One colour per object type; None unless asked for."""
        return self._painted(self._shot.types) if self._shot.settings.classes else None

    def _painted(self, names: tuple[str, ...]) -> NDArray[np.uint8]:
        colours = np.array([*(colour_of(n) for n in names), (0, 0, 0)], dtype=np.uint8)
        painted: NDArray[np.uint8] = colours[self._picture.hit]
        return painted

    @cached_property
    def instance_masks(self) -> dict[str, NDArray[np.bool_]]:
        """Object id to its (H, W) mask, for objects in the image."""
        if not self._shot.settings.instances:
            return {}
        hit = self._picture.hit
        return {self._names[i]: hit == i for i in np.unique(hit).tolist() if i >= 0}

    @cached_property
    def class_masks(self) -> dict[str, NDArray[np.bool_]]:
        """Object type to its (H, W) mask, for types in the image; empty unless asked for."""
        if not self._shot.settings.instances:
            return {}
        masks: dict[str, NDArray[np.bool_]] = {}
        types = dict(zip(self._names, self._shot.types, strict=True))
        for name, mask in self.instance_masks.items():
            kind = types[name]
            masks[kind] = masks[kind] | mask if kind in masks else mask
        return masks

    @property
    def instance_detections2D(self) -> dict[str, tuple[int, int, int, int]]:
        """Object id to (left, top, right, bottom) in pixels."""
        found = {}
        for name, mask in self.instance_masks.items():
            rows, cols = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
            found[name] = (int(cols[0]), int(rows[0]), int(cols[-1]), int(rows[-1]))
        return found

    @property
    def pose(self) -> tuple[int, int, int, int]:
        """x, z, yaw and horizon in thousandths."""
        agent = self.metadata["agent"]
        at = agent["position"]
        values = (at["x"], at["z"], agent["rotation"]["y"], agent["cameraHorizon"])
        x, z, yaw, horizon = (round(v * 1000) for v in values)
        return (x, z, yaw, horizon)

    @property
    def pose_discrete(self) -> tuple[int, int, int, int]:
        """x and z in cells of 0.25 m, yaw in quarter turns, horizon in degrees."""
        agent = self.metadata["agent"]
        at = agent["position"]
        return (
            int(at["x"] / 0.25),
            int(at["z"] / 0.25),
            int(agent["rotation"]["y"] / 90.0),
            round(agent["cameraHorizon"]),
        )

    def get_object(self, object_id: str) -> dict[str, Any] | None:
        """Metadata of one object, or None."""
        objects: list[dict[str, Any]] = self.metadata["objects"]
        return next((o for o in objects if o["objectId"] == object_id), None)

    def objects_by_test(self, test: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
        """Metadata of all objects that pass a test."""
        return [o for o in self.metadata["objects"] if test(o)]

    def objects_by_type(self, object_type: str) -> list[dict[str, Any]]:
        """Metadata of all objects of one type."""
        return self.objects_by_test(lambda o: o["objectType"] == object_type)


class MultiAgentEvent:
    """All agents' events; everything else is that of the agent that acted last (section 2)."""

    def __init__(self, active: int, events: list[Event]) -> None:
        self.events = events
        self._active = events[active]

    def __bool__(self) -> bool:
        return bool(self._active)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._active, name)

    def __repr__(self) -> str:
        return f"<MultiAgentEvent {self._active!r} of {len(self.events)}>"
