"""Rigid motions of the plane: one agent's frame, after a move or seen from another agent.

An agent's frame has `dx` to its right and `dz` ahead of it (`core.geometry`). A relative pose is
a `Pose` whose position and heading are given in another agent's frame; a motion is the relative
pose of an agent after it, in its frame before it. Everything is continuous and exact, for any
translation and turn, with and without headings.

The paper's section 3.2 subtracts the distance moved ("forward motion"), which holds only when
facing the object, and transfers entries with a Manhattan length times sine and cosine, which is
up to 41 % too long. Here the planar offset is what is kept; the step count (Manhattan, units of
motion) and the bearing are derived from it (`Offset.steps`, `Offset.bearing_deg`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.core.geometry import Offset, Pose, wrap_deg

__all__ = ["after_motion", "offsets_of", "points_of", "relative_pose", "transfer"]

Array = NDArray[np.float64]


def relative_pose(of: Pose, seen_from: Pose) -> Pose:
    """The pose `of` in the frame of `seen_from`; heading in (-180, 180]."""
    offset = seen_from.to_frame(of.x, of.z)
    return Pose(offset.dx, offset.dz, wrap_deg(of.heading_deg - seen_from.heading_deg))


def after_motion(offset: Offset, motion: Pose) -> Offset:
    """The offset of a resting thing after its observer moved.

    `motion` is the observer's new pose in its old frame: `x` to the right, `z` ahead, world
    units, then the turn, degrees clockwise.
    """
    return motion.to_frame(offset.dx, offset.dz)


def transfer(offset: Offset, own: Pose, mate: Pose) -> Offset:
    """An offset in the frame of `own`, expressed in the frame of `mate`.

    Both poses are in any one common frame (with `own` the origin, `Pose(0, 0)`, this is the
    paper's transfer between agents). Transferring back gives the same offset.
    """
    x, z = own.to_world(offset)
    return mate.to_frame(x, z)


def offsets_of(poses: Array, x: Array, z: Array) -> tuple[Array, Array]:
    """Offsets of points in the frames of agents.

    `poses`: (A, 3) columns x, z, heading in degrees; `x`, `z`: (N,). Returns dx, dz: (A, N).
    """
    wx = x[None, :] - poses[:, 0, None]
    wz = z[None, :] - poses[:, 1, None]
    if not poses[:, 2].any():
        return wx, wz
    angle = np.radians(poses[:, 2])
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    dx, dz = wx * c, wx * s  # in place from here on: these are the largest arrays of an update
    dz += np.multiply(wz, c, out=wx)
    dx -= np.multiply(wz, s, out=wz)
    return dx, dz


def points_of(poses: Array, rows: NDArray[Any], dx: Array, dz: Array) -> tuple[Array, Array]:
    """World points of offsets: entry k is an offset in the frame of `poses[rows[k]]`."""
    angle = np.radians(poses[:, 2])
    c, s = np.cos(angle)[rows], np.sin(angle)[rows]
    return (
        poses[rows, 0] + dx * c + dz * s,
        poses[rows, 1] - dx * s + dz * c,
    )
