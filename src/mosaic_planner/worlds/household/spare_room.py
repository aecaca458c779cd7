"""From where there is room in view to put what is held: a way ends best at such a pose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mosaic_planner.worlds.household.catalogue import rest_share
from mosaic_planner.worlds.household.stage import Stage
from mosaic_planner.worlds.household.thor.sampling import camera_axes
from mosaic_planner.worlds.household.thor.state import CAMERA_ABOVE_PIVOT_M

__all__ = ["room_in_view"]

_SIGHT_M = 1.5
_POINTS = 11


def room_in_view(
    stage: Stage, agent: int, receptacle: Mapping[str, Any], poses: Sequence[Mapping[str, Any]]
) -> list[float]:
    """For each pose the share of a receptacle's free places that is in the image; [0, 1].

    Places are middles of the held object on a grid; those that other objects take are left out.
    Works from metadata alone.
    """
    item = stage.entry(agent, stage.held(agent))
    box = receptacle["axisAlignedBoundingBox"]
    low = {k: box["center"][k] - box["size"][k] / 2 for k in ("x", "y", "z")}
    height = low["y"] + rest_share(receptacle["objectType"]) * box["size"]["y"]
    half = dict.fromkeys(("x", "z"), 0.05)
    if item is not None:
        size = item["axisAlignedBoundingBox"]["size"]
        half = {k: size[k] / 2 for k in ("x", "z")}
    axes = []
    for k in ("x", "z"):
        spare = max(box["size"][k] / 2 - half[k], 0.0)
        axes.append(box["center"][k] + np.linspace(-spare, spare, _POINTS))
    xs, zs = (a.ravel() for a in np.meshgrid(*axes, indexing="ij"))
    free = np.ones(len(xs), dtype=bool)
    for other in stage.objects(agent):
        if receptacle["objectId"] not in (other["parentReceptacles"] or ()):
            continue
        at = other["axisAlignedBoundingBox"]
        beside = np.abs(xs - at["center"]["x"]) >= at["size"]["x"] / 2 + half["x"]
        beside |= np.abs(zs - at["center"]["z"]) >= at["size"]["z"] / 2 + half["z"]
        free &= beside
    points = np.stack([xs, np.full(len(xs), height), zs], axis=1)[free]
    if not len(points):
        return [0.0] * len(poses)
    found = []
    for pose in poses:
        rel = points - np.array([pose["x"], pose["y"] + CAMERA_ABOVE_PIVOT_M, pose["z"]])
        seen = rel @ camera_axes(float(pose["rotation"]), float(pose["horizon"])).T
        ok = (rel[:, 0] ** 2 + rel[:, 2] ** 2 <= _SIGHT_M**2) & (seen[:, 2] > 0)
        ok &= (np.abs(seen[:, 0]) <= seen[:, 2]) & (np.abs(seen[:, 1]) <= seen[:, 2])
        found.append(float(ok.mean()))
    return found
