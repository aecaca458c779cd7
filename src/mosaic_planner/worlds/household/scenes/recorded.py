"""Scenes recorded from a real AI2-THOR, read from and written to a folder.

The folder holds `scenes/<Name>.json` (objects), `grids.json` (free cells) and, if available,
`frames.json` (start pose and bounds); `docs/household.md` describes the three files.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from mosaic_planner.core.errors import SceneError, UnknownNameError
from mosaic_planner.core.files import read_json
from mosaic_planner.worlds.household.catalogue import AFFORDANCES, STATES, room_of_floorplan
from mosaic_planner.worlds.household.scenes.scene import Box, Scene, SceneObject, Start, Vec

__all__ = ["SceneFolder", "write_scene"]

_Triple = tuple[float, float, float]


class _BoxFile(BaseModel):
    center: _Triple
    size: tuple[float, float, float]


class _ObjectFile(BaseModel):
    model_config = ConfigDict(allow_inf_nan=False)

    objectId: str = Field(min_length=1)
    name: str
    objectType: str = Field(min_length=1)
    position: _Triple
    rotation: _Triple
    aabb: _BoxFile
    assetId: str = ""
    affordances: list[str] = []
    states: list[str] = []
    openness: float = 0.0
    fillLiquid: str | None = None
    temperature: str = "RoomTemp"
    mass: float = 0.0
    salientMaterials: list[str] | None = None
    parentReceptacles: list[str] | None = None
    receptacleObjectIds: list[str] | None = None
    controlledObjects: list[str] | None = None
    oobb: list[_Triple] | None = Field(default=None, min_length=8, max_length=8)

    def build(self) -> SceneObject:
        def ids(values: list[str] | None) -> tuple[str, ...] | None:
            return None if values is None else tuple(values)

        return SceneObject(
            object_id=self.objectId,
            name=self.name,
            object_type=self.objectType,
            position=self.position,
            rotation=self.rotation,
            box=Box(self.aabb.center, self.aabb.size),
            affordances=frozenset(self.affordances),
            states=frozenset(self.states),
            asset_id=self.assetId,
            openness=self.openness,
            fill_liquid=self.fillLiquid,
            temperature=self.temperature,
            mass=self.mass,
            materials=ids(self.salientMaterials),
            parents=ids(self.parentReceptacles),
            contents=ids(self.receptacleObjectIds),
            controlled=ids(self.controlledObjects),
            corners=None if self.oobb is None else tuple(self.oobb),
        )


class _SceneFile(BaseModel):
    scene: str
    objects: list[_ObjectFile]


class _AgentFrame(BaseModel):
    position: _Triple
    yaw: float = 0.0
    horizon: float = 0.0
    isStanding: bool = True


class _Frame(BaseModel):
    agent: _AgentFrame
    sceneBounds: _BoxFile | None = None


class _Grid(BaseModel):
    y: float
    reachable: list[tuple[int, int]] = Field(min_length=1)
    start: tuple[int, int] | None = None


class SceneFolder:
    """Scenes of one folder, read when asked for. Raises `SceneError` for what cannot be read."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if not (self.folder / "scenes").is_dir():
            raise SceneError(f"{self.folder} holds no recorded scenes (no folder 'scenes' in it)")
        self._grids = _json(self.folder / "grids.json")
        frames = self.folder / "frames.json"
        self._frames = _json(frames) if frames.is_file() else {}

    def names(self) -> tuple[str, ...]:
        """Scene names that have both objects and cells, in numeric order."""
        found = (p.stem for p in (self.folder / "scenes").glob("*.json"))
        return tuple(sorted((n for n in found if n in self._grids), key=_order))

    def load(self, name: str) -> Scene:
        """One scene by name (a trailing `_physics` is ignored)."""
        name = name.removesuffix("_physics")
        path = self.folder / "scenes" / f"{name}.json"
        if name not in self._grids or not path.is_file():
            raise UnknownNameError("scene", name, self.names())
        try:
            objects = _SceneFile.model_validate(_json(path)).objects
            grid = _Grid.model_validate(self._grids[name])
            frame = _Frame.model_validate(self._frames[name]) if name in self._frames else None
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(p) for p in first["loc"])
            raise SceneError(f"scene {name}: {place}: {first['msg']}") from None
        built = tuple(o.build() for o in objects)
        ids = [o.object_id for o in built]
        if len(set(ids)) != len(ids):
            twice = next(i for i in ids if ids.count(i) > 1)
            raise SceneError(f"scene {name}: object {twice} is listed twice")
        cells = tuple(sorted(set(grid.reachable)))
        start = _start(frame, grid, cells)
        bounds = _bounds(frame, built)
        return Scene(name, built, cells, start, bounds, "recorded", room_of_floorplan(name))


def _start(frame: _Frame | None, grid: _Grid, cells: tuple[tuple[int, int], ...]) -> Start:
    if frame is not None:
        agent = frame.agent
        return Start(agent.position, agent.yaw, agent.horizon, agent.isStanding)
    ix, iz = grid.start if grid.start is not None else cells[0]
    return Start((ix * 0.25, grid.y, iz * 0.25))


def _bounds(frame: _Frame | None, objects: tuple[SceneObject, ...]) -> Box:
    if frame is not None and frame.sceneBounds is not None:
        return Box(frame.sceneBounds.center, frame.sceneBounds.size)
    low = tuple(min((o.box.low[k] for o in objects), default=-5.0) for k in range(3))
    high = tuple(max((o.box.high[k] for o in objects), default=5.0) for k in range(3))
    middle, size = zip(*(((a + b) / 2, b - a) for a, b in zip(low, high, strict=True)), strict=True)
    return Box(_vec(middle), _vec(size))


def _vec(values: Iterable[float]) -> Vec:
    x, y, z = values
    return (x, y, z)


def _order(name: str) -> tuple[str, int, str]:
    digits = "".join(c for c in name if c.isdigit())
    return (name.rstrip("0123456789"), int(digits or 0), name)


def _json(path: Path) -> Any:
    return read_json(path, fault=SceneError)


def write_scene(
    folder: str | Path,
    name: str,
    objects: Iterable[Mapping[str, Any]],
    cells: Iterable[tuple[int, int]],
    agent: Mapping[str, Any],
    bounds: Mapping[str, Any],
    camera: Mapping[str, float],
    *,
    engine: str = "mosaic",
) -> None:
    """Add one scene to a folder (made if absent) from real or simulated event metadata.

    `objects`: metadata entries of 42 keys. `agent`, `bounds`, `camera`: the `agent`,
    `sceneBounds` and `cameraPosition` entries; `engine`: what made them. Numbers are rounded to 4
    decimals.
    """
    folder = Path(folder)
    (folder / "scenes").mkdir(parents=True, exist_ok=True)
    entries = [_entry(o) for o in objects]
    scene = {"scene": name, "engine": engine, "objects": entries}
    _dump(folder / "scenes" / f"{name}.json", scene)
    position = _triple(agent["position"])
    frames = _existing(folder / "frames.json")
    frames[name] = {
        "agent": {
            "position": position,
            "yaw": round(float(agent["rotation"]["y"]), 4),
            "horizon": round(float(agent["cameraHorizon"]), 4),
            "isStanding": bool(agent["isStanding"]),
        },
        "cameraPosition": _triple(camera),
        "sceneBounds": {k: _triple(bounds[k]) for k in ("center", "size")},
    }
    _dump(folder / "frames.json", frames)
    grids = _existing(folder / "grids.json")
    grids[name] = {
        "y": position[1],
        "reachable": sorted([int(x), int(z)] for x, z in set(cells)),
        "start": [round(position[0] / 0.25), round(position[2] / 0.25)],
    }
    _dump(folder / "grids.json", grids)  # last: a scene counts once it is in here


def _entry(o: Mapping[str, Any]) -> dict[str, Any]:
    corners = o.get("objectOrientedBoundingBox")
    box = o["axisAlignedBoundingBox"]
    return {
        **{k: o[k] for k in ("objectId", "name", "objectType")},
        "assetId": o.get("assetId") or "",
        "position": _triple(o["position"]),
        "rotation": _triple(o["rotation"]),
        "affordances": [a for a in AFFORDANCES if o.get(a)],
        "states": [s for s in STATES if o.get(s)],
        "openness": round(float(o.get("openness") or 0.0), 4),
        "fillLiquid": o.get("fillLiquid"),
        "temperature": o.get("temperature") or "RoomTemp",
        "mass": round(float(o.get("mass") or 0.0), 4),
        **{
            k: o.get(k)
            for k in (
                "salientMaterials",
                "parentReceptacles",
                "receptacleObjectIds",
                "controlledObjects",
            )
        },
        "aabb": {k: _triple(box[k]) for k in ("center", "size")},
        "oobb": None if not corners else [_triple(c) for c in corners["cornerPoints"]],
    }


def _triple(value: Any) -> list[float]:
    parts = (value["x"], value["y"], value["z"]) if isinstance(value, Mapping) else value
    triple = [round(float(v), 4) for v in parts]
    if len(triple) != 3 or not all(math.isfinite(v) for v in triple):
        raise SceneError(f"not a point: {value!r}")
    return triple


def _existing(path: Path) -> dict[str, Any]:
    return dict(_json(path)) if path.is_file() else {}


def _dump(path: Path, value: Any) -> None:
    """Write it whole or not at all: an interrupted recording must not spoil earlier ones."""
    part = path.with_name(f".{path.name}.part")
    part.write_text(json.dumps(value, separators=(",", ":"), sort_keys=False) + "\n", "utf-8")
    part.replace(path)
