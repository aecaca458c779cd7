"""Recording: scenes from a running AI2-THOR, films of its frames, point clouds from its depth."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.errors import MissingExtraError, UsageError
from mosaic_planner.worlds.household.navigation import to_cell
from mosaic_planner.worlds.household.scenes.recorded import write_scene
from mosaic_planner.worlds.household.stage import ControllerLike
from mosaic_planner.worlds.household.thor.sampling import camera_axes

__all__ = ["Film", "Filmed", "cloud", "ply", "point_cloud", "record_scene", "tour"]

Points = NDArray[np.float32]
Colours = NDArray[np.uint8]


def record_scene(
    controller: Any, scene: str, folder: str | Path, *, engine: str = "AI2-THOR 5.0.0"
) -> Path:
    """Write one scene, as it stands after a reset, into a folder that `--scenes` reads.

    `controller`: anything with AI2-THOR's surface (`worlds.household.remote` starts the real one);
    `engine`: what it is, for the record.
    Returns the scene's file. Raises `UsageError` if the scene does not exist or tells no cells.
    """
    name = scene.removesuffix("_physics")
    try:
        event = controller.reset(name, agentCount=1, gridSize=0.25, visibilityDistance=1.5)
    except ValueError as error:
        raise UsageError(f"cannot record {name}: {error}") from None
    metadata = event.metadata
    answer = controller.step(action="GetReachablePositions").metadata
    cells = {to_cell(p["x"], p["z"], 0.25) for p in answer["actionReturn"] or ()}
    if not cells:
        raise UsageError(f"cannot record {name}: no position in it can be reached")
    write_scene(
        folder,
        name,
        metadata["objects"],
        cells,
        metadata["agent"],
        metadata["sceneBounds"],
        metadata["cameraPosition"],
        engine=engine,
    )
    return Path(folder) / "scenes" / f"{name}.json"


class Film:
    """Writes frames to an MP4 file; needs OpenCV, which comes with the extra `thor`.

    All frames must have the size of the first. `close` finishes the file; use it as a context.
    """

    def __init__(self, path: str | Path, *, fps: float = 4.0) -> None:
        try:
            import cv2
        except ImportError:
            raise MissingExtraError("thor", "recording films") from None
        if not fps > 0.0:
            raise UsageError(f"a film needs more than 0 frames per second, not {fps}")
        self.path = Path(path)
        self.frames = 0
        self._cv2 = cv2
        self._fps = fps
        self._writer: Any = None
        self._size = (0, 0)

    def add(self, *frames: NDArray[np.uint8]) -> None:
        """One moment: the (H, W, 3) RGB frames of all agents, side by side."""
        whole = np.concatenate(frames, axis=1)
        height, width = whole.shape[:2]
        if self._writer is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            code = self._cv2.VideoWriter.fourcc(*"mp4v")
            self._writer = self._cv2.VideoWriter(str(self.path), code, self._fps, (width, height))
            self._size = (width, height)
            if not self._writer.isOpened():
                raise UsageError(f"cannot write a film to {self.path}")
        if (width, height) != self._size:
            raise UsageError(f"frames of {width} x {height} in a film of {self._size}")
        self._writer.write(np.ascontiguousarray(whole[..., ::-1]))
        self.frames += 1

    def close(self) -> None:
        """Finish the file; safe to call twice."""
        if self._writer is not None:
            self._writer.release()
            self._writer = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


class Filmed:
    """A controller that also films: a moment for every action that is not a question."""

    def __init__(self, controller: ControllerLike, film: Film) -> None:
        self._controller = controller
        self._film = film
        self.last_event: Any = controller.last_event

    def step(self, action: Any = None, **parameters: Any) -> Any:
        """Carry out one action and film what all agents see then.

        Raises `UsageError` if the simulator makes no images.
        """
        event = self.last_event = self._controller.step(action, **parameters)
        if not str(action).startswith("Get"):
            frames = [e.frame for e in event.events]
            if any(frame is None for frame in frames):
                raise UsageError("a film needs images; do without headless")
            self._film.add(*frames)
        return event

    def reset(self, scene: Any = None, **initialization: Any) -> Any:
        """Start anew."""
        self.last_event = self._controller.reset(scene, **initialization)
        return self.last_event

    def stop(self) -> None:
        """End whatever runs; the film is finished."""
        self._film.close()
        self._controller.stop()


def point_cloud(event: Any, *, farthest_m: float = 10.0) -> bytes:
    """What one agent's depth frame shows, as a coloured point cloud in binary PLY.

    World coordinates, metres, y up. Raises `UsageError` without a depth frame
    (`renderDepthImage=True`).
    """
    return ply(*cloud(event, farthest_m=farthest_m))


def cloud(event: Any, *, farthest_m: float = 10.0) -> tuple[Points, Colours]:
    """The same as arrays: (n, 3) float32 metres and (n, 3) uint8 RGB."""
    if event.depth_frame is None or event.frame is None:
        raise UsageError("a point cloud needs image and depth: renderDepthImage=True")
    metadata = event.metadata
    depth = np.asarray(event.depth_frame, dtype=np.float64)
    height, width = depth.shape
    tan_v = math.tan(math.radians(metadata["fov"]) / 2)
    tan_h = tan_v * width / height
    u = ((np.arange(width) + 0.5) / width * 2 - 1) * tan_h
    v = (1 - (np.arange(height) + 0.5) / height * 2) * tan_v
    uu, vv = np.meshgrid(u, v)
    rays = np.stack([uu, vv, np.ones_like(uu)], axis=-1)
    agent = metadata["agent"]
    axes = camera_axes(agent["rotation"]["y"], agent["cameraHorizon"])
    eye = np.array([metadata["cameraPosition"][k] for k in ("x", "y", "z")])
    points = eye + (rays * depth[..., None]) @ axes
    near = depth <= farthest_m
    return points[near].astype("<f4"), np.asarray(event.frame)[near]


def ply(xyz: Points, rgb: Colours) -> bytes:
    """A coloured point cloud as a binary PLY file, which every open 3-D viewer reads."""
    rows = np.empty(len(xyz), dtype=[("p", "<f4", 3), ("c", "u1", 3)])
    rows["p"], rows["c"] = xyz, rgb
    header = "\n".join(
        [
            "ply", "format binary_little_endian 1.0", f"element vertex {len(rows)}",
            "property float x", "property float y", "property float z",
            "property uchar red", "property uchar green", "property uchar blue", "end_header", "",
        ]
    )  # fmt: skip
    return header.encode() + rows.tobytes()


def tour(
    controller: ControllerLike, *, stops: int = 4, grain_m: float = 0.02
) -> tuple[Points, Colours]:
    """Look round at `stops` places of a room, far from each other: one cloud of all of it.

    Of the points in each cube of `grain_m` metres one is kept. Raises `UsageError` without depth
    frames or if there is nowhere to stand.
    """
    if stops < 1 or not grain_m > 0.0:
        raise UsageError("a tour has at least one stop and a grain of more than 0 m")
    answer = controller.step("GetReachablePositions").metadata["actionReturn"] or ()
    places = np.array([[p["x"], p["y"], p["z"]] for p in answer])
    if not len(places):
        raise UsageError("no position in this scene can be reached")
    gap = np.hypot(*(places[:, (0, 2)] - places[:, (0, 2)].mean(axis=0)).T)
    chosen = [int(gap.argmin())]
    while len(chosen) < min(stops, len(places)):
        gaps = [np.hypot(*(places[:, (0, 2)] - places[k, (0, 2)]).T) for k in chosen]
        chosen.append(int(np.min(gaps, axis=0).argmax()))
    xyz, rgb = [], []
    for k in chosen:
        x, y, z = places[k].tolist()
        for horizon in (0.0, 45.0):
            for yaw in (0.0, 90.0, 180.0, 270.0):
                event = controller.step(
                    "TeleportFull", position={"x": x, "y": y, "z": z}, rotation={"y": yaw},
                    horizon=horizon, standing=True,
                )  # fmt: skip
                if event:
                    points, colours = cloud(event)
                    xyz.append(points)
                    rgb.append(colours)
    if not xyz:
        raise UsageError("the agent could not be put anywhere in this scene")
    everything, colour = np.concatenate(xyz), np.concatenate(rgb)
    cells = np.floor(everything / grain_m).astype(np.int64)
    cells -= cells.min(axis=0)
    wide, _, deep = (cells.max(axis=0) + 1).tolist()
    _, first = np.unique((cells[:, 1] * deep + cells[:, 2]) * wide + cells[:, 0], return_index=True)
    first.sort()
    return everything[first], colour[first]
