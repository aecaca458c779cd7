"""What an agent sees (section 5).

A thing is visible if one of its sample points is within the visibility distance of the eye (a
cylinder), projects into the image and is not behind another agent. Drawers, cabinets and knobs
are sampled on their front only and must face the eye; content of closed containers is hidden.
Boxes do not occlude each other: they are much bigger than the meshes they stand for, so that
this loses more than it wins; only the floor is checked against them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.worlds.household.catalogue import FACING_TYPES
from mosaic_planner.worlds.household.thor.state import (
    AGENT_HEIGHT_M,
    AGENT_RADIUS_M,
    Body,
    State,
)
from mosaic_planner.worlds.household.thor.things import Thing

__all__ = ["Sight", "View", "camera_axes"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_SHRINK = 0.95  # meshes do not fill their boxes; measured on the recorded scenes
_SPACING_M = 0.15
_FEWEST, _MOST = 5, 25
_SEE_THROUGH = ("ShowerDoor", "ShowerGlass")
_NEAR_FLOOR_M = 1.8  # how far ahead a piece of free floor counts as the Floor being visible
_FLOOR_SIDE_M = 1.0


@dataclass(frozen=True, slots=True)
class View:
    """What one agent sees: per object in the order of `Things`, and its distance in metres."""

    visible: list[bool]
    interactable: list[bool]
    distance: list[float]


def camera_axes(yaw: float, horizon: float) -> Array:
    """Rows: right, up and forward unit vectors of a camera; shape (3, 3)."""
    a, h = math.radians(yaw), math.radians(horizon)
    s, c, sh, ch = math.sin(a), math.cos(a), math.sin(h), math.cos(h)
    return np.array([[c, 0.0, -s], [s * sh, ch, c * sh], [s * ch, -sh, c * ch]])


def sample_points(thing: Thing) -> Array:
    """Points of the surface and inside of a thing's box, shape (n, 3), metres.

    At least 5 per axis and at most 0.15 m apart (25 per axis at most). Fronted types have theirs
    on the front.
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
    if thing.object_type in FACING_TYPES and thing.front is not None:
        axis = 0 if thing.front[0] else 2
        edge = 0.5 * _SHRINK * (thing.front[0] or thing.front[1])
        points = points[np.abs(grid[:, axis] - edge) < 1e-9] if thing.corners is None else points
        points[:, axis] = _front_plane(thing)
    return points


def _front_plane(thing: Thing) -> float:
    assert thing.front is not None
    axis = 0 if thing.front[0] else 2
    sign = thing.front[0] or thing.front[1]
    return thing.body.center[axis] + sign * thing.body.size[axis] / 2


@dataclass(slots=True)
class _Table:
    """Boxes and sample points of all things as arrays, kept up to date with `Things`."""

    structure: int = -1
    things: list[Thing] = field(default_factory=list)
    index: dict[str, int] = field(default_factory=dict)
    low: Array = field(default_factory=lambda: np.zeros((0, 3)))
    high: Array = field(default_factory=lambda: np.zeros((0, 3)))
    position: Array = field(default_factory=lambda: np.zeros((0, 3)))
    solid: Mask = field(default_factory=lambda: np.zeros(0, dtype=bool))
    floors: list[int] = field(default_factory=list)
    glass: list[int] = field(default_factory=list)
    points: list[Array] = field(default_factory=list)


class Sight:
    """Answers what agents see in one state; keeps arrays between questions."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._table = _Table()
        self._cover = -1
        self._uncovered: Mask = np.zeros(0, dtype=bool)
        self._drawn: Mask = np.zeros(0, dtype=bool)

    def _fresh(self) -> _Table:
        things = self._state.things
        table = self._table
        if table.structure != things.structure:
            self._rebuild(table)
        elif things.pending:
            # Whoever kept the old arrays (a picture not drawn yet) must not see them change.
            table.low, table.high = table.low.copy(), table.high.copy()
            table.position = table.position.copy()
            for key, thing in things.pending.items():
                i = table.index[key]
                table.low[i], table.high[i] = thing.body.low, thing.body.high
                table.position[i] = thing.position
                table.points[i] = self._points_of(thing)
            things.pending.clear()
        if self._cover != things.cover:
            self._uncovered = np.array([not things.hidden(t) for t in table.things], dtype=bool)
            floors = np.zeros(len(table.things), dtype=bool)
            floors[table.floors] = True
            self._drawn = (table.solid | floors) & self._uncovered
            self._cover = things.cover
        return table

    def _rebuild(self, table: _Table) -> None:
        things = self._state.things
        listed = list(things)
        table.things = listed
        table.index = {t.object_id: i for i, t in enumerate(listed)}
        table.low = np.array([t.body.low for t in listed]).reshape(-1, 3)
        table.high = np.array([t.body.high for t in listed]).reshape(-1, 3)
        table.position = np.array([t.position for t in listed]).reshape(-1, 3)
        table.solid = np.array(
            [not t.gone and t.object_type != "Floor" for t in listed], dtype=bool
        )
        table.floors = [i for i, t in enumerate(listed) if t.object_type == "Floor"]
        table.glass = [
            i for i, t in enumerate(listed) if t.object_type in _SEE_THROUGH and not t.gone
        ]
        table.points = [self._points_of(t) for t in listed]
        table.structure = things.structure
        things.pending.clear()
        self._cover = -1

    def drawable(self) -> tuple[list[Thing], Array, Array, Mask]:
        """All things, their boxes' low and high corners (n, 3), and which can be drawn.

        The arrays are replaced, never changed, so a caller may keep them.
        """
        table = self._fresh()
        return table.things, table.low, table.high, self._drawn

    @staticmethod
    def _points_of(thing: Thing) -> Array:
        middle = np.array(thing.body.center)
        if thing.samples is None:
            thing.samples = sample_points(thing) - middle
        points: Array = thing.samples + middle
        return points

    def view(self, body: Body) -> View:
        """What the agent sees now."""
        table = self._fresh()
        eye = np.array(body.eye)
        visible = np.zeros(len(table.things), dtype=bool)
        interactable = np.zeros(len(table.things), dtype=bool)
        chosen = self._candidates(table, body, eye)
        if chosen:
            self._judge(table, body, eye, chosen, visible, interactable)
        for i in table.floors:
            if not table.things[i].gone:
                visible[i] = interactable[i] = self._floor_visible(table, body, eye, i)
        for i in self._held_indices(table, body):
            visible[i] = interactable[i] = True
        gap = table.position - np.array([body.x, body.y, body.z])
        distance = np.sqrt((gap * gap).sum(axis=1))
        return View(visible.tolist(), interactable.tolist(), distance.tolist())

    def sees(self, body: Body, thing: Thing) -> tuple[bool, bool]:
        """Whether one thing is visible to the agent, and whether it can be interacted with."""
        table = self._fresh()
        index = table.index[thing.object_id]
        eye = np.array(body.eye)
        if index in table.floors:
            seen = not thing.gone and self._floor_visible(table, body, eye, index)
            return seen, seen
        if index in self._held_indices(table, body):
            return True, True
        if index not in self._candidates(table, body, eye, index):
            return False, False
        visible = np.zeros(len(table.things), dtype=bool)
        interactable = np.zeros(len(table.things), dtype=bool)
        self._judge(table, body, eye, [index], visible, interactable)
        return bool(visible[index]), bool(interactable[index])

    def _candidates(
        self, table: _Table, body: Body, eye: Array, only: int | None = None
    ) -> list[int]:
        """Indices of uncovered things whose box is near, reaches into the image, and faces."""
        part = slice(None) if only is None else slice(only, only + 1)
        reach = self._state.settings.visibility_distance
        gap = np.maximum(np.maximum(table.low[part] - eye, eye - table.high[part]), 0.0)
        near = gap[:, 0] ** 2 + gap[:, 2] ** 2 <= reach * reach
        near &= self._uncovered[part] & table.solid[part]
        where = np.flatnonzero(near) + (only or 0)
        if len(where):
            where = where[self._reaches_image(table, body, eye, where)]
        chosen = []
        for i in where.tolist():
            thing = table.things[i]
            if thing.object_type in FACING_TYPES and thing.front is not None:
                axis = 0 if thing.front[0] else 2
                sign = thing.front[0] or thing.front[1]
                if (eye[axis] - _front_plane(thing)) * sign <= 0.0:
                    continue
            chosen.append(i)
        return chosen

    def _tangents(self) -> tuple[float, float]:
        settings = self._state.settings
        tan_v = math.tan(math.radians(settings.field_of_view) / 2)
        return tan_v * settings.width / settings.height, tan_v

    def _reaches_image(self, table: _Table, body: Body, eye: Array, where: NDArray[Any]) -> Mask:
        """Which boxes are not wholly on the wrong side of one edge of the image."""
        tan_h, tan_v = self._tangents()
        right, up, front = camera_axes(body.yaw, body.horizon)
        # Inward normals of the four edges and the image plane; a box is out if even its corner
        # farthest along a normal is behind it.
        normals = np.stack(
            [
                front * tan_h - right,
                front * tan_h + right,
                front * tan_v - up,
                front * tan_v + up,
                front,
            ]
        )
        middle = (table.low[where] + table.high[where]) / 2 - eye
        half = (table.high[where] - table.low[where]) / 2
        inside: Mask = (middle @ normals.T + half @ np.abs(normals).T > -1e-9).all(axis=1)
        return inside

    def in_image(self, body: Body, eye: Array, points: Array, reach: float | None = None) -> Mask:
        """Which points lie in the view cylinder and inside the image; occluders are not asked.

        Downwards the cylinder always ends at the floor, so that what lies there can be seen by
        looking down.
        """
        settings = self._state.settings
        reach = settings.visibility_distance if reach is None else reach
        rel = points - eye
        lowest = min(-reach, self._state.floor_y - float(eye[1]) - 0.01)
        ok: Mask = rel[:, 0] ** 2 + rel[:, 2] ** 2 <= reach * reach
        ok &= (rel[:, 1] <= reach) & (rel[:, 1] >= lowest)
        seen = rel @ camera_axes(body.yaw, body.horizon).T
        tan_h, tan_v = self._tangents()
        depth = seen[:, 2]
        ok &= depth > 0.0
        ok &= np.abs(seen[:, 0]) <= depth * (tan_h + 1e-9)
        ok &= np.abs(seen[:, 1]) <= depth * (tan_v + 1e-9)
        return ok

    def _judge(
        self,
        table: _Table,
        body: Body,
        eye: Array,
        chosen: list[int],
        visible: Mask,
        interactable: Mask,
    ) -> None:
        parts = [table.points[i] for i in chosen]
        points = np.concatenate(parts)
        ok = self.in_image(body, eye, points)
        ok = self._unless_agents(body, eye, points, ok)
        starts = np.cumsum([0, *(len(p) for p in parts[:-1])])
        visible[chosen] = np.logical_or.reduceat(ok, starts)
        clear = ok.copy()
        for g in table.glass:
            pane = table.things[g]
            if pane.object_type == "ShowerDoor" and pane.is_open:
                continue
            behind = _through(eye, points, table.low[g], table.high[g])
            if g in chosen:
                k = chosen.index(g)
                behind[starts[k] : starts[k] + len(parts[k])] = False
            clear &= ~behind
        interactable[chosen] = np.logical_or.reduceat(clear, starts)

    def _unless_agents(self, body: Body, eye: Array, points: Array, ok: Mask) -> Mask:
        reach = self._state.settings.visibility_distance
        for other in self._state.bodies:
            if other.index == body.index:
                continue
            cx, cz = other.x - eye[0], other.z - eye[2]
            if math.hypot(cx, cz) > reach + AGENT_RADIUS_M or not ok.any():
                continue
            where = np.flatnonzero(ok)
            rel = points[where] - eye
            square = rel[:, 0] ** 2 + rel[:, 2] ** 2
            t = np.clip((rel[:, 0] * cx + rel[:, 2] * cz) / np.maximum(square, 1e-12), 0.0, 1.0)
            miss = (rel[:, 0] * t - cx) ** 2 + (rel[:, 2] * t - cz) ** 2
            height = eye[1] + rel[:, 1] * t
            # The nearest approach must be before the point itself.
            hit = (miss < AGENT_RADIUS_M**2) & (t < 1.0)
            hit &= height < self._state.floor_y + AGENT_HEIGHT_M
            ok = ok.copy()
            ok[where[hit]] = False
        return ok

    def _floor_visible(self, table: _Table, body: Body, eye: Array, index: int) -> bool:
        """Whether a bare piece of floor can be seen; fitted to the recorded flags."""
        low, high = table.low[index], table.high[index]
        top = float(high[1])
        d, side = _FLOOR_GRID
        fx, fz = body.ahead()
        points = np.stack(
            [
                eye[0] + d * fx + side * fz,
                np.full(d.shape, top + 0.005),
                eye[2] + d * fz - side * fx,
            ],
            axis=1,
        )
        ok = self.in_image(body, eye, points, reach=_NEAR_FLOOR_M + _FLOOR_SIDE_M)
        ok &= (points[:, 0] > low[0]) & (points[:, 0] < high[0])
        ok &= (points[:, 2] > low[2]) & (points[:, 2] < high[2])
        ok = self._unless_agents(body, eye, points, ok)
        if not ok.any():
            return False
        points = points[ok]
        gap = np.maximum(np.maximum(table.low - eye, eye - table.high), 0.0)
        near = np.flatnonzero(
            table.solid & (np.hypot(gap[:, 0], gap[:, 2]) < 2.2) & (gap.max(axis=1) > 0.0)
        )
        if not len(near):
            return True
        return bool((~_through(eye, points, table.low[near], table.high[near]).any(axis=0)).any())

    def _held_indices(self, table: _Table, body: Body) -> list[int]:
        """What an agent holds is visible to it, with whatever lies openly in it."""
        things = self._state.things
        item = self._state.held(body)
        if item is None:
            return []
        inside = [t for t in things.carried(item) if not things.hidden(t)]
        return [table.index[t.object_id] for t in (item, *inside)]


def _floor_grid() -> tuple[Array, Array]:
    """Where to look for bare floor: distances ahead and to the side, metres, shape (n,) each."""
    ahead = np.array([1.0, 1.2, 1.4, 1.6, 1.7, _NEAR_FLOOR_M])
    side = np.linspace(-_FLOOR_SIDE_M, _FLOOR_SIDE_M, 9)
    d, s = np.meshgrid(ahead, side, indexing="ij")
    return d.ravel(), s.ravel()


_FLOOR_GRID = _floor_grid()


def _through(eye: Array, points: Array, low: Array, high: Array) -> Mask:
    """Which straight lines from the eye to the points pass through boxes before their end.

    `points` (n, 3); one box (3,) gives (n,), m boxes (m, 3) give (m, n).
    """
    d = points - eye
    inverse = 1.0 / np.where(np.abs(d) < 1e-12, 1e-12, d)
    one = np.expand_dims(low - eye, -2) * inverse
    two = np.expand_dims(high - eye, -2) * inverse
    enter = np.minimum(one, two).max(axis=-1)
    leave = np.maximum(one, two).min(axis=-1)
    hit: Mask = (enter <= leave) & (leave > 0.0) & (enter < 0.98)
    return hit
