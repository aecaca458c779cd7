"""Flat-shaded pictures of boxes: what an agent's camera or a lamp above the room would show.

Not photorealistic, but right in geometry: colours, depth and instance masks agree with each
other. Rays are cast for every fourth pixel and the picture is enlarged.
"""

from __future__ import annotations

import hashlib
import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.worlds.household.thor.sampling import camera_axes
from mosaic_planner.worlds.household.thor.sight import Sight
from mosaic_planner.worlds.household.thor.state import (
    AGENT_HEIGHT_M,
    AGENT_RADIUS_M,
    Body,
    Settings,
    State,
)
from mosaic_planner.worlds.household.thor.things import Thing

__all__ = ["Picture", "Shot", "colour_of", "encode_png", "take", "top_down"]

Image = NDArray[np.uint8]

_COARSE = 4
_WALL = (205, 200, 190)
_FLOOR = (160, 140, 115)
_AGENTS = (
    (200, 60, 60),
    (60, 90, 200),
    (60, 160, 80),
    (200, 160, 50),
    (150, 80, 170),
    (70, 160, 170),
)
_SHADE = (0.85, 1.0, 0.7)  # faces across x, y (tops), z
_NONE = -1


@lru_cache(maxsize=4096)
def colour_of(name: str) -> tuple[int, int, int]:
    """The segmentation colour of an object id or a type: fixed for ever, never black."""
    digest = hashlib.sha256(name.encode()).digest()
    return (digest[0] | 1, digest[1], digest[2])


@dataclass(frozen=True, slots=True)
class Picture:
    """`frame` (H, W, 3) uint8; `depth` (H, W) float32 metres; `hit` (H, W) index or -1."""

    frame: Image
    depth: NDArray[np.float32]
    hit: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Shot:
    """Everything needed to draw what one agent sees at one moment; `picture()` draws it."""

    things: list[Thing]
    all_low: NDArray[np.float64]
    all_high: NDArray[np.float64]
    drawn: NDArray[np.bool_]
    eye: tuple[float, float, float]
    yaw: float
    horizon: float
    others: tuple[tuple[int, float, float], ...]
    floor_y: float
    room: tuple[tuple[float, ...], tuple[float, ...]]
    settings: Settings
    palette: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """Object ids of the boxes, in the order of `Picture.hit`."""
        return tuple(self.things[i].object_id for i in np.flatnonzero(self.drawn).tolist())

    @property
    def types(self) -> tuple[str, ...]:
        """Object types of the boxes, in the same order."""
        return tuple(self.things[i].object_type for i in np.flatnonzero(self.drawn).tolist())

    def picture(self) -> Picture:
        """Cast the rays."""
        settings = self.settings
        width, height = settings.width, settings.height
        cols, rows = max(1, -(-width // _COARSE)), max(1, -(-height // _COARSE))
        tan_v = math.tan(math.radians(settings.field_of_view) / 2)
        tan_h = tan_v * width / height
        u = ((np.arange(cols) + 0.5) / cols * 2 - 1) * tan_h
        v = (1 - (np.arange(rows) + 0.5) / rows * 2) * tan_v
        uu, vv = np.meshgrid(u, v)
        rays = np.stack([uu, vv, np.ones(uu.shape)], axis=-1)
        axes = camera_axes(self.yaw, self.horizon)
        rays = rays @ axes
        rays = np.where(np.abs(rays) < 1e-9, 1e-9, rays)
        low, high = self._boxes()
        eye = np.array(self.eye)
        windows = _windows(eye, axes, low, high, (tan_h, tan_v), (cols, rows))
        depth, hit, face = _cast(eye, rays, low, high, windows)
        room_low, room_high = (np.array(c) for c in self.room)
        far, wall_face = _leave(eye, rays, room_low, room_high)
        missed = ~np.isfinite(depth)
        depth = np.where(missed, far, depth)
        face = np.where(missed, wall_face, face)
        colours = self._colours()
        base = colours[np.where(missed, len(colours) - 1, hit)]
        shade = np.array(_SHADE)[face] * np.clip(1.1 - 0.06 * depth, 0.5, 1.0)
        frame = (base * shade[..., None]).astype(np.uint8)
        index = np.where(missed, _NONE, hit).astype(np.int32)
        index[index >= int(self.drawn.sum())] = _NONE  # agents are no objects
        return Picture(
            _enlarge(frame, height, width),
            _enlarge(depth.astype(np.float32), height, width),
            _enlarge(index, height, width),
        )

    def _boxes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        r = AGENT_RADIUS_M
        agents = [(x, z) for _, x, z in self.others]
        low = [(x - r, self.floor_y, z - r) for x, z in agents]
        high = [(x + r, self.floor_y + AGENT_HEIGHT_M, z + r) for x, z in agents]
        return (
            np.concatenate([self.all_low[self.drawn], np.array(low).reshape(-1, 3)]),
            np.concatenate([self.all_high[self.drawn], np.array(high).reshape(-1, 3)]),
        )

    def _colours(self) -> NDArray[np.float64]:
        """One row per box, per other agent, and the wall last."""
        prefix = f"{self.palette}/" if self.palette else ""
        floor = _soft(colour_of(f"{prefix}Floor")) if prefix else _FLOOR
        rows = [floor if t == "Floor" else _soft(colour_of(prefix + t)) for t in self.types]
        rows += [_AGENTS[k % len(_AGENTS)] for k, _, _ in self.others]
        return np.array([*rows, _WALL], dtype=float)


def _soft(colour: tuple[int, int, int]) -> tuple[int, int, int]:
    r, g, b = ((c + 160) // 2 for c in colour)
    return (r, g, b)


def _enlarge(values: NDArray[Any], height: int, width: int) -> NDArray[Any]:
    grown = np.repeat(np.repeat(values, _COARSE, axis=0), _COARSE, axis=1)
    return np.ascontiguousarray(grown[:height, :width])


def _cast(
    eye: NDArray[np.float64],
    rays: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    window: Sequence[tuple[slice, slice] | None],
) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]:
    """First box hit by each ray: distance along the axis, index, axis of the face; (rows, cols).

    `rays` (rows, cols, 3); `window`: the part of the image each box can be in, None if nowhere.
    """
    shape = rays.shape[:2]
    nearest = np.full(shape, np.inf)
    hit = np.zeros(shape, dtype=np.intp)
    face = np.zeros(shape, dtype=np.intp)
    inverse = 1.0 / rays
    for k, part in enumerate(window):
        # The camera may be inside a box that is bigger than its body; that box is not drawn.
        if part is None or ((low[k] <= eye) & (eye <= high[k])).all():
            continue
        one, two = (low[k] - eye) * inverse[part], (high[k] - eye) * inverse[part]
        near = np.minimum(one, two)
        enter = near.max(axis=-1)
        leave = np.maximum(one, two).min(axis=-1)
        better = (enter <= leave) & (enter > 1e-6) & (enter < nearest[part])
        if better.any():
            nearest[part][better] = enter[better]
            hit[part][better] = k
            face[part][better] = near[better].argmax(axis=-1)
    return nearest, hit, face


def _windows(
    eye: NDArray[np.float64],
    axes: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    tangents: tuple[float, float],
    size: tuple[int, int],
) -> list[tuple[slice, slice] | None]:
    """Rows and columns of the image that each box can cover; None for boxes out of sight."""
    cols, rows = size
    pick = np.array([[(k >> a) & 1 for a in range(3)] for k in range(8)], dtype=bool)
    corners = np.where(pick[None], high[:, None], low[:, None]) - eye
    seen = corners @ axes.T
    windows: list[tuple[slice, slice] | None] = []
    for box in seen:
        depth = box[:, 2]
        if (depth <= 0.01).all():
            windows.append(None)
            continue
        if (depth <= 0.05).any():  # partly behind the camera: anywhere
            windows.append((slice(0, rows), slice(0, cols)))
            continue
        u = (box[:, 0] / depth / tangents[0] + 1) / 2 * cols
        v = (1 - box[:, 1] / depth / tangents[1]) / 2 * rows
        left, right = max(int(u.min()) - 1, 0), min(int(u.max()) + 2, cols)
        top, bottom = max(int(v.min()) - 1, 0), min(int(v.max()) + 2, rows)
        inside = left < right and top < bottom
        windows.append((slice(top, bottom), slice(left, right)) if inside else None)
    return windows


def _leave(
    eye: NDArray[np.float64],
    rays: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Where each ray leaves the room: distance and axis."""
    far = np.maximum((low - eye) / rays, (high - eye) / rays)
    return np.maximum(far.min(axis=-1), 0.0), far.argmin(axis=-1)


def take(state: State, sight: Sight, body: Body) -> Shot:
    """Remember what the agent sees now, to be drawn later or never."""
    things, low, high, drawn = sight.drawable()
    bounds = state.scene.bounds
    return Shot(
        things=things,
        all_low=low,
        all_high=high,
        drawn=drawn,
        eye=body.eye,
        yaw=body.yaw,
        horizon=body.horizon,
        others=tuple((b.index, b.x, b.z) for b in state.bodies if b.index != body.index),
        floor_y=state.floor_y,
        room=(bounds.low, bounds.high),
        settings=state.settings,
        palette=state.palette,
    )


def top_down(state: State, sight: Sight, pixels_per_m: int = 60) -> Image:
    """The room from above, +z up and +x to the right; shape (H, W, 3) uint8."""
    things, low, high, drawn = sight.drawable()
    (x0, _, z0), (x1, _, z1) = state.scene.bounds.low, state.scene.bounds.high
    width, height = max(1, int((x1 - x0) * pixels_per_m)), max(1, int((z1 - z0) * pixels_per_m))
    image = np.full((height, width, 3), 235, dtype=np.uint8)

    def fill(ax: float, az: float, bx: float, bz: float, colour: Sequence[int]) -> None:
        left, right = (int((v - x0) * pixels_per_m) for v in (ax, bx))
        top, bottom = (int((z1 - v) * pixels_per_m) for v in (bz, az))
        image[max(top, 0) : max(bottom, top + 2), max(left, 0) : max(right, left + 2)] = colour

    for ix, iz in state.scene.cells:
        x, z = ix * 0.25, iz * 0.25
        fill(x - 0.125, z - 0.125, x + 0.125, z + 0.125, (215, 205, 190))
    order = sorted(np.flatnonzero(drawn).tolist(), key=lambda i: (float(high[i, 1]), i))
    for i in order:
        if things[i].object_type != "Floor":
            (ax, _, az), (bx, _, bz) = low[i].tolist(), high[i].tolist()
            fill(ax, az, bx, bz, _soft(colour_of(things[i].object_type)))
    for body in state.bodies:
        colour = _AGENTS[body.index % len(_AGENTS)]
        r = AGENT_RADIUS_M
        fill(body.x - r, body.z - r, body.x + r, body.z + r, colour)
        fx, fz = body.ahead()
        tip = (body.x + fx * 0.28, body.z + fz * 0.28)
        fill(tip[0] - 0.06, tip[1] - 0.06, tip[0] + 0.06, tip[1] + 0.06, (30, 30, 30))
    return image


def encode_png(image: Image) -> bytes:
    """An (H, W, 3) uint8 image as PNG bytes."""
    height, width = image.shape[:2]
    rows = np.concatenate([np.zeros((height, 1), np.uint8), image.reshape(height, -1)], axis=1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        )

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6))
        + chunk(b"IEND", b"")
    )
