"""What an agent sees (section 5).

A thing is visible if one of its sample points is within the visibility distance of the eye (a
cylinder), projects into the image and is not behind another agent. Drawers, cabinets and knobs
are sampled on their front only and must face the eye; content of closed containers is hidden.
Boxes do not occlude each other: they are much bigger than the meshes they stand for, so that
this loses more than it wins.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mosaic_planner.worlds.household.scenes.scene import CELL_M
from mosaic_planner.worlds.household.thor.sampling import (
    camera_axes,
    front_plane,
    must_face,
    sample_points,
)
from mosaic_planner.worlds.household.thor.state import (
    AGENT_HEIGHT_M,
    AGENT_RADIUS_M,
    Body,
    State,
)
from mosaic_planner.worlds.household.thor.things import Thing

__all__ = ["Sight", "View"]

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_SEE_THROUGH = ("ShowerDoor", "ShowerGlass")
_NEAR_FLOOR_M = 1.8  # how far ahead a piece of free floor counts as the Floor being visible
_FLOOR_SIDE_M = 1.3
_MOST_POSITIONS = 512


@dataclass(frozen=True, slots=True)
class View:
    """What one agent sees: per object in the order of `Things`, and its distance in metres."""

    visible: list[bool]
    interactable: list[bool]
    distance: list[float]


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


@dataclass(frozen=True, slots=True)
class _Camera:
    """`normals` (5, 3): inward normals of the image's edges and of the camera plane."""

    body: Body
    eye: Array
    normals: Array


@dataclass(slots=True)
class _Around:
    """What is near one eye position, whatever the eye looks at.

    `rel` (3, n): sample points relative to the eye; `starts`: where each thing's begin;
    `indices`: the things; `behind`: which points are behind glass, None if none is.
    """

    rel: Array = field(default_factory=lambda: np.zeros((3, 0)))
    starts: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    indices: NDArray[np.intp] = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    behind: Mask | None = None
    distance: list[float] = field(default_factory=list)


class Sight:
    """Answers what agents see in one state; keeps arrays between questions."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._table = _Table()
        self._cover = -1
        self._uncovered: Mask = np.zeros(0, dtype=bool)
        self._drawn: Mask = np.zeros(0, dtype=bool)
        self._carried: tuple[int, ...] = ()
        self._positions: dict[tuple[float, float, float, bool], _Around] = {}
        self._stamp: tuple[int, int, float] = (-1, -1, 0.0)

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
            self._carried = tuple(
                i for i, t in enumerate(table.things) if things.carrier(t) is not None
            )
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
        return self.with_carried(self.still(body), body)

    def still(self, body: Body) -> View:
        """The same, but that nothing any agent carries is visible.

        It depends on the pose of `body`, on the agents near it and on what is not carried, so it
        can be kept while things are carried about.
        """
        table = self._fresh()
        camera = self._camera(body)
        around = self._around(table, camera)
        visible = np.zeros(len(table.things), dtype=bool)
        interactable = np.zeros(len(table.things), dtype=bool)
        self._judge(around, camera, visible, interactable)
        for i in table.floors:
            if not table.things[i].gone:
                seen = self._floor_visible(table.things[i], camera)
                visible[i] = interactable[i] = seen
        return View(visible.tolist(), interactable.tolist(), around.distance)

    def with_carried(self, still: View, body: Body) -> View:
        """A `still` view with what agents carry put in."""
        table = self._fresh()
        if not self._carried:
            return still
        view = View(list(still.visible), list(still.interactable), list(still.distance))
        for i in self._carried:
            view.visible[i], view.interactable[i] = self.sees(body, table.things[i])
            view.distance[i] = math.dist(table.things[i].position, (body.x, body.y, body.z))
        return view

    def carried(self) -> tuple[int, ...]:
        """Indices (in the order of `Things`) of what is in hands or in what is in hands."""
        self._fresh()
        return self._carried

    def sees(self, body: Body, thing: Thing) -> tuple[bool, bool]:
        """Whether one thing is visible to the agent, and whether it can be interacted with.

        What an agent holds is visible to it, with whatever lies openly in it.
        """
        table = self._fresh()
        index = table.index[thing.object_id]
        camera = self._camera(body)
        if index in table.floors:
            seen = not thing.gone and self._floor_visible(thing, camera)
            return seen, seen
        if index in self._carried and self._state.things.carrier(thing) == body.index:
            held = thing.holder == body.index or bool(self._uncovered[index])
            return held, held
        chosen = self._candidates(table, camera, index)
        if not chosen:
            return False, False
        visible = np.zeros(len(table.things), dtype=bool)
        interactable = np.zeros(len(table.things), dtype=bool)
        self._judge(self._points_around(table, camera, chosen), camera, visible, interactable)
        return bool(visible[index]), bool(interactable[index])

    def in_image(self, body: Body, points: Array) -> Mask:
        """Which points an agent has within reach and in its image; occluders are not asked."""
        return self._in_image(self._camera(body), points)

    def from_where(
        self,
        thing: Thing,
        viewer: Body,
        spots: Sequence[tuple[float, float]],
        looks: Sequence[tuple[float, float, bool]],
    ) -> Iterator[tuple[float, float, float, float, bool]]:
        """Poses (x, z, yaw, horizon, standing) from which a thing can be interacted with.

        `spots`: places (x, z); `looks`: (yaw, horizon, standing) to try at each. In the order of
        spots, then looks.
        """
        table = self._fresh()
        index = table.index[thing.object_id]
        plain = index not in table.floors and index not in self._carried
        normals = {look[:2]: self._normals(*look[:2]) for look in looks}
        for x, z in spots:
            around: dict[bool, _Around | None] = {}
            for yaw, horizon, standing in looks:
                body = Body(viewer.index, x, viewer.y, z, yaw, horizon, standing, viewer.held)
                if not plain:
                    if self.sees(body, thing)[1]:
                        yield x, z, yaw, horizon, standing
                    continue
                camera = _Camera(body, np.array(body.eye), normals[(yaw, horizon)])
                if standing not in around:
                    near = self._candidates(table, camera, index)
                    around[standing] = self._points_around(table, camera, near) if near else None
                found = around[standing]
                if found is None or not len(found.indices):
                    continue
                ok: Mask = np.asarray((camera.normals @ found.rel >= -1e-9).all(axis=0))
                if found.behind is not None:
                    ok &= ~found.behind
                if ok.any():
                    self._hide_behind_agents(camera, found.rel, ok)
                    if ok.any():
                        yield x, z, yaw, horizon, standing

    def _camera(self, body: Body) -> _Camera:
        return _Camera(body, np.array(body.eye), self._normals(body.yaw, body.horizon))

    def _normals(self, yaw: float, horizon: float) -> Array:
        """Inward normals (5, 3) of the image's four edges and of the camera plane."""
        settings = self._state.settings
        tan_v = math.tan(math.radians(settings.field_of_view) / 2)
        tan_h = tan_v * settings.width / settings.height
        edges = np.array(
            [
                [-1.0, 0.0, tan_h],
                [1.0, 0.0, tan_h],
                [0.0, -1.0, tan_v],
                [0.0, 1.0, tan_v],
                [0.0, 0.0, 1.0],
            ]
        )
        normals: Array = edges @ camera_axes(yaw, horizon)
        return normals

    def _around(self, table: _Table, camera: _Camera) -> _Around:
        """What is near one eye position, kept as long as no box and no container changes."""
        things = self._state.things
        stamp = (things.geometry, things.cover, self._state.settings.visibility_distance)
        if stamp != self._stamp or len(self._positions) > _MOST_POSITIONS:
            self._positions.clear()
            self._stamp = stamp
        body = camera.body
        key = (body.x, body.y, body.z, body.standing)
        around = self._positions.get(key)
        if around is None:
            chosen = self._candidates(table, camera)
            chosen = [i for i in chosen if i not in self._carried]
            around = self._points_around(table, camera, chosen)
            gap = table.position - np.array([body.x, body.y, body.z])
            around.distance = np.sqrt((gap * gap).sum(axis=1)).tolist()
            self._positions[key] = around
        return around

    def _candidates(self, table: _Table, camera: _Camera, only: int | None = None) -> list[int]:
        """Indices of uncovered things whose box is near the eye and whose front faces it."""
        part = slice(None) if only is None else slice(only, only + 1)
        eye = camera.eye
        reach = self._state.settings.visibility_distance
        gap = np.maximum(np.maximum(table.low[part] - eye, eye - table.high[part]), 0.0)
        near = gap[:, 0] ** 2 + gap[:, 2] ** 2 <= reach * reach
        near &= self._uncovered[part]
        near &= table.solid[part]
        chosen = []
        for i in (np.flatnonzero(near) + (only or 0)).tolist():
            thing = table.things[i]
            if thing.front is not None and must_face(thing):
                axis = 0 if thing.front[0] else 2
                sign = thing.front[0] or thing.front[1]
                if (eye[axis] - front_plane(thing)) * sign <= 0.0:
                    continue
            chosen.append(i)
        return chosen

    def _points_around(self, table: _Table, camera: _Camera, chosen: list[int]) -> _Around:
        """The sample points of `chosen` inside the view cylinder, and which are behind glass."""
        if not chosen:
            return _Around()
        parts = [table.points[i] for i in chosen]
        rel = np.concatenate(parts) - camera.eye
        owner = np.repeat(np.arange(len(chosen)), [len(p) for p in parts])
        inside = self._in_cylinder(camera, rel)
        rel, owner = rel[inside], owner[inside]
        if not len(rel):
            return _Around()
        starts = np.flatnonzero(np.diff(owner, prepend=-1))
        indices = np.array(chosen)[owner[starts]]
        behind: Mask = np.zeros(len(rel), dtype=bool)
        for g in table.glass:
            pane = table.things[g]
            if pane.object_type == "ShowerDoor" and pane.is_open:
                continue
            hit = _through(camera.eye, rel + camera.eye, table.low[g], table.high[g])
            hit &= np.array(chosen)[owner] != g
            behind |= hit
        any_behind = behind if behind.any() else None
        return _Around(np.ascontiguousarray(rel.T), starts, indices, any_behind)

    def _in_cylinder(self, camera: _Camera, rel: Array) -> Mask:
        """Which points relative to the eye are within reach.

        Downwards the cylinder always ends at the floor, so that what lies there can be seen by
        looking down.
        """
        reach = self._state.settings.visibility_distance
        lowest = min(-reach, self._state.floor_y - float(camera.eye[1]) - 0.01)
        x, y, z = rel.T
        inside: Mask = x * x + z * z <= reach * reach
        inside &= (y <= reach) & (y >= lowest)
        return inside

    def _in_image(self, camera: _Camera, points: Array) -> Mask:
        """Which points lie in the view cylinder and inside the image."""
        rel = points - camera.eye
        inside = self._in_cylinder(camera, rel)
        inside &= (camera.normals @ rel.T >= -1e-9).all(axis=0)
        return inside

    def _judge(self, around: _Around, camera: _Camera, visible: Mask, interactable: Mask) -> None:
        """Set the flags of everything that has a point in the image and no agent before it."""
        if not len(around.indices):
            return
        ok: Mask = np.asarray((camera.normals @ around.rel >= -1e-9).all(axis=0))
        self._hide_behind_agents(camera, around.rel, ok)
        seen = np.logical_or.reduceat(ok, around.starts)
        visible[around.indices] = seen
        if around.behind is not None:
            seen = np.logical_or.reduceat(ok & ~around.behind, around.starts)
        interactable[around.indices] = seen

    def _hide_behind_agents(self, camera: _Camera, rel: Array, ok: Mask) -> None:
        """Clear the flag of points (3, n) relative to the eye that another agent stands before."""
        eye = camera.eye
        reach = self._state.settings.visibility_distance
        for other in self._state.bodies:
            if other.index == camera.body.index:
                continue
            cx, cz = other.x - float(eye[0]), other.z - float(eye[2])
            if math.hypot(cx, cz) > reach + AGENT_RADIUS_M:
                continue
            where = np.flatnonzero(ok)
            x, y, z = rel[:, where]
            square = np.maximum(x * x + z * z, 1e-12)
            t = np.clip((x * cx + z * cz) / square, 0.0, 1.0)
            miss = (x * t - cx) ** 2 + (z * t - cz) ** 2
            # The nearest approach must be before the point itself, and not above the head.
            hit = (miss < AGENT_RADIUS_M**2) & (t < 1.0)
            hit &= eye[1] + y * t < self._state.floor_y + AGENT_HEIGHT_M
            ok[where[hit]] = False

    def _floor_visible(self, ground: Thing, camera: _Camera) -> bool:
        """Whether a piece of bare floor, one that agents can walk on, is in the image.

        Fitted to the recorded flags: such floor lies up to 1.8 m ahead and 1.3 m aside.
        """
        body = camera.body
        height = float(camera.eye[1]) - self._state.floor_y
        steepest = body.horizon + self._state.settings.field_of_view / 2
        least = 0.0 if steepest >= 90.0 else math.inf
        if 0.0 < steepest < 90.0:
            least = height / math.tan(math.radians(steepest))
        if least > _NEAR_FLOOR_M:
            return False
        (lx, _, lz), (hx, _, hz) = ground.body.low, ground.body.high
        fx, fz = body.ahead()
        for ahead in (least + 0.02, (least + _NEAR_FLOOR_M) / 2):
            for k in range(-4, 5):
                side = k * min(_FLOOR_SIDE_M, ahead) / 4
                x, z = body.x + ahead * fx + side * fz, body.z + ahead * fz - side * fx
                if lx < x < hx and lz < z < hz and self._bare(x, z):
                    return True
        return False

    def _bare(self, x: float, z: float) -> bool:
        """Whether a cell that agents can stand on is within a quarter of a metre."""
        ix, iz = math.floor(x / CELL_M), math.floor(z / CELL_M)
        return any(
            (a, b) in self._state.cells
            and (x - a * CELL_M) ** 2 + (z - b * CELL_M) ** 2 < CELL_M * CELL_M
            for a in (ix, ix + 1)
            for b in (iz, iz + 1)
        )


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
