"""Recording scenes from a running AI2-THOR, and point clouds from its depth frames."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np

from mosaic_planner.core.errors import UsageError
from mosaic_planner.worlds.household.navigation import to_cell
from mosaic_planner.worlds.household.scenes.recorded import write_scene
from mosaic_planner.worlds.household.thor.sampling import camera_axes

__all__ = ["point_cloud", "record_scene"]


def record_scene(controller: Any, scene: str, folder: str | Path) -> Path:
    """Write one scene, as it stands after a reset, into a folder that `--scenes` reads.

    `controller`: anything with AI2-THOR's surface (`worlds.household.remote` starts the real one).
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
    )
    return Path(folder) / "scenes" / f"{name}.json"


def point_cloud(event: Any, *, farthest_m: float = 10.0) -> bytes:
    """What one agent's depth frame shows, as a coloured point cloud in binary PLY.

    World coordinates, metres, y up. Raises `UsageError` without a depth frame
    (`renderDepthImage=True`).
    """
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
    xyz, rgb = points[near].astype("<f4"), np.asarray(event.frame)[near]
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
