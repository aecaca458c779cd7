"""Points that stand for a thing when it is looked at, and the axes of a camera.

The figures are fitted to the visibility flags of recorded scenes.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.worlds.household.catalogue import FACING_TYPES
from mosaic_planner.worlds.household.thor.things import Thing

__all__ = ["camera_axes", "front_plane", "must_face", "sample_points"]

Array = NDArray[np.float64]

_SHRINK = 0.95  # meshes do not fill their boxes
_SPACING_M = 0.15
_FEWEST, _MOST = 5, 25


def camera_axes(yaw: float, horizon: float) -> Array:
    """Rows: right, up and forward unit vectors of a camera; shape (3, 3)."""
    a, h = math.radians(yaw), math.radians(horizon)
    s, c, sh, ch = math.sin(a), math.cos(a), math.sin(h), math.cos(h)
    return np.array([[c, 0.0, -s], [s * sh, ch, c * sh], [s * ch, -sh, c * ch]])


def must_face(thing: Thing) -> bool:
    """Whether it is seen from its front only; one looks into an open drawer from above."""
    if thing.front is None or thing.object_type not in FACING_TYPES:
        return False
    return not (thing.object_type == "Drawer" and thing.is_open)


def sample_points(thing: Thing) -> Array:
    """Points of the surface and inside of a thing's box, shape (n, 3), metres.

    At least 5 per axis and at most 0.15 m apart (25 per axis at most). What must face the eye has
    its points on the front.
    """
    if thing.corners is not None:
        corners = np.array(thing.corners)
        origin, middle = corners[0], corners.mean(axis=0)
        axes = np.array([corners[1] - origin, corners[4] - origin, corners[3] - origin])
    else:
        middle = np.array(thing.body.center)
        axes = np.diag(thing.body.size)
    lengths = np.linalg.norm(axes, axis=1)
    steps = [
        np.linspace(-0.5, 0.5, int(min(_MOST, max(_FEWEST, math.ceil(n / _SPACING_M) + 1))))
        * _SHRINK
        for n in lengths
    ]
    grid = np.stack(np.meshgrid(*steps, indexing="ij"), axis=-1).reshape(-1, 3)
    if len(grid) > 1000:  # of big boxes the outside is enough
        grid = grid[(np.abs(grid) > 0.5 * _SHRINK - 1e-9).any(axis=1)]
    points: Array = middle + grid @ axes
    if must_face(thing) and thing.front is not None:
        axis = 0 if thing.front[0] else 2
        edge = 0.5 * _SHRINK * (thing.front[0] or thing.front[1])
        points = points[np.abs(grid[:, axis] - edge) < 1e-9] if thing.corners is None else points
        points[:, axis] = front_plane(thing)
    return points


def front_plane(thing: Thing) -> float:
    """The coordinate of a fronted thing's front along its normal's axis, metres."""
    assert thing.front is not None
    axis = 0 if thing.front[0] else 2
    sign = thing.front[0] or thing.front[1]
    return thing.body.center[axis] + sign * thing.body.size[axis] / 2
