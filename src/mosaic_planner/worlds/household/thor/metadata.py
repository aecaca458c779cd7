"""Event and object metadata, key for key as AI2-THOR 5.0.0 gives it (sections 3 and 4).

Entries of objects that did not change are shared between events, so metadata is to be read, not
written to.
"""

from __future__ import annotations

from typing import Any

from mosaic_planner.worlds.household.catalogue import AFFORDANCES
from mosaic_planner.worlds.household.scenes.scene import Box, Vec
from mosaic_planner.worlds.household.thor.sight import View
from mosaic_planner.worlds.household.thor.simulator import Simulator
from mosaic_planner.worlds.household.thor.state import HAND_AT_REST, Body, State
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


_OCCLUDES_WITHIN_M = 2.0
_MOST_VIEWS = 20_000


class Describer:
    """Metadata of one simulator's agents; keeps what did not change."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator = simulator
        self._views: dict[tuple[Any, ...], View] = {}
        self._stamp: tuple[Any, ...] = ()
        self._entries: dict[int, tuple[View, int, list[dict[str, Any]]]] = {}
        self._state: State | None = None

    def view(self, body: Body) -> View:
        """What the agent sees now, computed once per situation."""
        state = self._simulator.state
        if state is not self._state:
            self._views.clear()
            self._entries.clear()
            self._state = state
            self._stamp = ()
        stamp = (state.things.geometry, state.things.cover, state.settings)
        if stamp != self._stamp:
            self._views.clear()
            self._stamp = stamp
        # Only agents close enough to stand between the eye and something can matter.
        near = state.settings.visibility_distance + _OCCLUDES_WITHIN_M
        others = tuple(
            (b.x, b.z)
            for b in state.bodies
            if b is not body and abs(b.x - body.x) < near and abs(b.z - body.z) < near
        )
        key = (body.x, body.z, body.yaw, body.horizon, body.standing, body.held, others)
        view = self._views.get(key)
        if view is None:
            if len(self._views) >= _MOST_VIEWS:
                self._views.clear()
            view = self._views[key] = self._simulator.sight.view(body)
        return view

    def objects(self, body: Body) -> list[dict[str, Any]]:
        """Object metadata as this agent has it, in scene order."""
        view = self.view(body)
        things = self._simulator.state.things
        known = self._entries.get(body.index)
        if known is not None and known[0] is view and known[1] == things.revision:
            return list(known[2])
        old = known[2] if known is not None and len(known[2]) == len(things) else None
        entries = []
        seen = zip(view.visible, view.interactable, view.distance, strict=True)
        for k, (thing, flags) in enumerate(zip(things, seen, strict=True)):
            base = thing.cached
            if base is None:
                base = thing.cached = _object(thing)
            elif old is not None:
                entry = old[k]
                if entry["position"] is base["position"] and flags == (
                    entry["visible"],
                    entry["isInteractable"],
                    entry["distance"],
                ):
                    entries.append(entry)
                    continue
            entry = base.copy()
            entry["visible"], entry["isInteractable"], entry["distance"] = flags
            entries.append(entry)
        self._entries[body.index] = (view, things.revision, entries)
        return list(entries)

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
            "colors": None,
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
