"""Event and object metadata, key for key as AI2-THOR 5.0.0 gives it (sections 3 and 4).

Entries of objects that did not change are shared between events, so metadata is to be read, not
written to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mosaic_planner.worlds.household.catalogue import AFFORDANCES
from mosaic_planner.worlds.household.scenes.scene import Box, Vec
from mosaic_planner.worlds.household.thor.render import colour_of
from mosaic_planner.worlds.household.thor.sight import View
from mosaic_planner.worlds.household.thor.simulator import Simulator
from mosaic_planner.worlds.household.thor.state import HAND_AT_REST, Body
from mosaic_planner.worlds.household.thor.things import Thing

__all__ = ["Describer"]


def _point(v: Vec) -> dict[str, float]:
    return {"x": v[0], "y": v[1], "z": v[2]}


def _corner_points(box: Box) -> list[list[float]]:
    (x0, y0, z0), (x1, y1, z1) = box.low, box.high
    return [[x, y, z] for x in (x0, x1) for y in (y0, y1) for z in (z0, z1)]


def _box(box: Box) -> dict[str, Any]:
    return {
        "cornerPoints": _corner_points(box),
        "center": _point(box.center),
        "size": _point(box.size),
    }


def _object(thing: Thing) -> dict[str, Any]:
    """The 42 keys; visible, isInteractable and distance are filled in per agent."""
    flags = {a: a in thing.affordances for a in AFFORDANCES}
    loose = flags["pickupable"] or flags["moveable"]
    is_receptacle = flags["receptacle"]
    return {
        "name": thing.name,
        "position": _point(thing.position),
        "rotation": _point(thing.rotation),
        "visible": False,
        "isInteractable": False,
        "receptacle": is_receptacle,
        "toggleable": flags["toggleable"],
        "isToggled": thing.toggled,
        "breakable": flags["breakable"],
        "isBroken": thing.broken,
        "canFillWithLiquid": flags["canFillWithLiquid"],
        "isFilledWithLiquid": thing.filled,
        "fillLiquid": thing.fill_liquid,
        "dirtyable": flags["dirtyable"],
        "isDirty": thing.dirty,
        "canBeUsedUp": flags["canBeUsedUp"],
        "isUsedUp": thing.used_up,
        "cookable": flags["cookable"],
        "isCooked": thing.cooked,
        "temperature": thing.temperature,
        "isHeatSource": flags["isHeatSource"],
        "isColdSource": flags["isColdSource"],
        "sliceable": flags["sliceable"],
        "isSliced": thing.sliced,
        "openable": flags["openable"],
        "isOpen": thing.openness > 0.0,
        "openness": thing.openness,
        "pickupable": flags["pickupable"],
        "isPickedUp": thing.holder is not None,
        "moveable": flags["moveable"],
        "mass": thing.mass,
        "salientMaterials": None if thing.materials is None else list(thing.materials),
        "receptacleObjectIds": list(thing.contents) if is_receptacle else None,
        "distance": 0.0,
        "objectType": thing.object_type,
        "objectId": thing.object_id,
        "assetId": thing.asset_id,
        "parentReceptacles": list(thing.parents) or None,
        "controlledObjects": None if thing.controlled is None else list(thing.controlled),
        "isMoving": False,
        "axisAlignedBoundingBox": _box(thing.box),
        "objectOrientedBoundingBox": (
            {"cornerPoints": [list(c) for c in thing.corners]}
            if loose and thing.corners is not None
            else None
        ),
    }


def _entry(thing: Thing, view: View, i: int) -> dict[str, Any]:
    """The entry of the i-th object as seen in a view."""
    base = thing.cached
    if base is None:
        base = thing.cached = _object(thing)
    entry = base.copy()
    entry["visible"] = view.visible[i]
    entry["isInteractable"] = view.interactable[i]
    entry["distance"] = view.distance[i]
    return entry


_OCCLUDES_WITHIN_M = 2.0
_MOST_VIEWS = 4096
_MOST_LISTS = 256


@dataclass(slots=True)
class _Kept:
    """What an agent sees from one pose, and the object entries made of it up to `noted`."""

    still: View
    entries: list[dict[str, Any]] | None = None
    noted: int = 0


class Describer:
    """Metadata of one simulator's agents; keeps what did not change.

    Views are kept per pose as long as nothing but what is in hands moves, and the entries of the
    latest ones are only brought up to date.
    """

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self._kept: dict[tuple[Any, ...], _Kept] = {}
        self._lists: dict[tuple[Any, ...], None] = {}
        self._last: dict[int, _Kept] = {}
        self._stamp: tuple[Any, ...] = ()
        self._index: dict[str, int] = {}

    def objects(self, body: Body) -> list[dict[str, Any]]:
        """Object metadata as this agent has it, in scene order."""
        state = self._simulator.state
        things, sight = state.things, self._simulator.sight
        stamp = (id(state), things.geometry, things.cover, things.epoch, state.settings)
        if stamp != self._stamp:
            self._kept.clear()
            self._lists.clear()
            self._last.clear()
            self._stamp = stamp
            self._index = {key: i for i, key in enumerate(things.by_id)}
        # Only agents close enough to stand between the eye and something can matter.
        near = state.settings.visibility_distance + _OCCLUDES_WITHIN_M
        others = tuple(
            (b.x, b.z)
            for b in state.bodies
            if b is not body and abs(b.x - body.x) < near and abs(b.z - body.z) < near
        )
        key = (body.index, body.x, body.z, body.yaw, body.horizon, body.standing, others)
        kept = self._kept.get(key)
        if kept is None:
            if len(self._kept) >= _MOST_VIEWS:
                self._kept.clear()
                self._lists.clear()
            kept = self._kept[key] = _Kept(sight.still(body))
        last = self._last.get(body.index)
        if last is not None and last is not kept and last.entries is not None:
            self._patch(last)
        self._bring_up_to_date(key, kept)
        self._last[body.index] = kept
        assert kept.entries is not None
        entries = list(kept.entries)
        carried = sight.carried()
        if carried:
            view = sight.with_carried(kept.still, body)
            listed = list(things.by_id.values())
            for i in carried:
                entries[i] = _entry(listed[i], view, i)
        return entries

    def _bring_up_to_date(self, key: tuple[Any, ...], kept: _Kept) -> None:
        things = self._simulator.state.things
        if kept.entries is None:
            kept.entries = self._built(key, kept)
            self._lists[key] = None
            if len(self._lists) > _MOST_LISTS:
                oldest = next(iter(self._lists))
                del self._lists[oldest]
                self._kept[oldest].entries = None
            kept.noted = len(things.log)
        else:
            self._patch(kept)

    def _patch(self, kept: _Kept) -> None:
        """Bring the entries of things that changed up to date."""
        things = self._simulator.state.things
        assert kept.entries is not None
        if kept.noted < len(things.log):
            for changed in dict.fromkeys(things.log[kept.noted :]):
                i = self._index[changed]
                kept.entries[i] = _entry(things.by_id[changed], kept.still, i)
            kept.noted = len(things.log)

    def _built(self, key: tuple[Any, ...], kept: _Kept) -> list[dict[str, Any]]:
        """All entries anew; after a mere turn most are those of the agent's previous view."""
        things, view = self._simulator.state.things, kept.still
        last = self._last.get(key[0])
        if last is not None and last.entries is not None and last.noted == len(things.log):
            old = last.still
            if old.distance == view.distance:
                return [
                    last.entries[i]
                    if old.visible[i] == view.visible[i]
                    and old.interactable[i] == view.interactable[i]
                    else _entry(t, view, i)
                    for i, t in enumerate(things)
                ]
        return [_entry(t, view, i) for i, t in enumerate(things)]

    def _colors(self, wanted: bool) -> list[dict[str, Any]] | None:
        """Segmentation colours of all objects and types."""
        if not wanted:
            return None
        things = list(self._simulator.state.things)
        names = dict.fromkeys((*(t.object_id for t in things), *(t.object_type for t in things)))
        return [{"name": name, "color": list(colour_of(name))} for name in names]

    def agent(self, index: int) -> dict[str, Any]:
        """The metadata of one agent's event."""
        simulator = self._simulator
        state = simulator.state
        body = state.bodies[index]
        settings = state.settings
        item = state.held(body)
        hand = body.hand_at(body.x, body.z, body.yaw)
        bounds = state.scene.bounds
        local = body.hand if item is not None else HAND_AT_REST
        return {
            "objects": self.objects(body),
            "isSceneAtRest": True,
            "agent": {
                "name": "agent",
                "position": {"x": body.x, "y": body.y, "z": body.z},
                "rotation": {"x": 0.0, "y": body.yaw, "z": 0.0},
                "cameraHorizon": body.horizon,
                "isStanding": body.standing,
                "inHighFrictionArea": False,
            },
            "heldObjectPose": {
                "position": _point(hand),
                "rotation": {
                    "x": body.hand_rotation[0],
                    "y": (body.hand_rotation[1] + body.yaw) % 360.0,
                    "z": body.hand_rotation[2],
                },
                "localPosition": _point(local),
                "localRotation": _point(body.hand_rotation),
            },
            "arm": None,
            "fov": settings.field_of_view,
            "cameraPosition": _point(body.eye),
            "cameraOrthSize": 0.0,
            "thirdPartyCameras": [],
            "collided": body.collided,
            "collidedObjects": list(body.collided_with),
            "inventoryObjects": (
                []
                if item is None
                else [{"objectId": item.object_id, "objectType": item.object_type}]
            ),
            "sceneName": f"{state.scene.name}_physics",
            "lastAction": body.last_action,
            "errorMessage": body.error,
            "errorCode": body.error_code,
            "lastActionSuccess": body.success,
            "screenWidth": settings.width,
            "screenHeight": settings.height,
            "agentId": index,
            "colors": self._colors(settings.instances or settings.classes),
            "depthFormat": "Meters",
            "flatSurfacesOnGrid": [],
            "distances": [],
            "normals": [],
            "isOpenableGrid": [],
            "segmentedObjectIds": [],
            "objectIdsInBox": [],
            "actionIntReturn": 0,
            "actionFloatReturn": 0.0,
            "actionStringsReturn": None,
            "actionFloatsReturn": None,
            "actionVector3sReturn": None,
            "visibleRange": None,
            "currentTime": state.time_s,
            "sceneBounds": {
                "cornerPoints": _corner_points(bounds),
                "center": _point(bounds.center),
                "size": _point(bounds.size),
            },
            "actionReturn": body.returned,
        }
