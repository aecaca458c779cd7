"""NavigateTo: to a pose from which the object can be handled, by the shortest way.

The goal is an interactable pose, not merely the nearest cell. When something is in the way that
the plan did not know of, it is planned again: once for another agent, a few times for what the
held object hits. Every primitive counts as an agent step.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mosaic_planner.core.geometry import Cell
from mosaic_planner.worlds.household.catalogue import ENCLOSING_TYPES
from mosaic_planner.worlds.household.navigation import State, View, route, to_cell
from mosaic_planner.worlds.household.spare_room import room_in_view
from mosaic_planner.worlds.household.stage import Done, Stage

__all__ = ["Floor", "floor_of", "go", "navigate", "pose_key", "pose_of"]

_APART_M = 0.4 - 1e-6
_HEADINGS = (0, 90, 180, 270)
_HORIZONS = (0.0, 30.0, 60.0, -30.0)
_REPLANS_FOR_THE_HAND = 6
_ROOM_TO_OPEN_M = 0.2
_HINGED = ("Cabinet", "Fridge", "Microwave", "Safe")
_HAND_M = 0.48
_LOOK_INTO_M = 1.1


@dataclass(slots=True)
class Floor:
    """What an agent may walk on now: cells around its own position, other agents' places out.

    `cut_off`: how many cells it could reach if the other agents were not there.
    """

    free: frozenset[Cell]
    position: Mapping[Cell, tuple[float, float]]
    taken: tuple[tuple[float, float], ...] = ()
    taboo: set[State] = field(default_factory=set)
    cut_off: int = 0


def pose_of(stage: Stage, agent: int) -> tuple[float, float, float, float]:
    """x, z, yaw and horizon of an agent."""
    body = stage.metadata(agent)["agent"]
    at = body["position"]
    return (at["x"], at["z"], body["rotation"]["y"], body["cameraHorizon"])


def floor_of(stage: Stage, agent: int) -> Floor:
    """Ask the simulator where the agent can go."""
    answer = stage.ask(agent, "GetReachablePositions")
    others = tuple(pose_of(stage, k)[:2] for k in range(len(stage.agents)) if k != agent)
    position: dict[Cell, tuple[float, float]] = {}
    for p in answer.returned or ():
        place = (float(p["x"]), float(p["z"]))
        if all(math.hypot(place[0] - x, place[1] - z) >= _APART_M for x, z in others):
            position[to_cell(*place, stage.grid_m)] = place
    x, z = pose_of(stage, agent)[:2]
    free = _connected(to_cell(x, z, stage.grid_m), position)
    cut_off = len(answer.returned or ()) - len(free)
    mine = {c: p for c, p in position.items() if c in free}
    return Floor(free, mine, others, cut_off=cut_off)


def _connected(start: Cell, cells: Collection[Cell]) -> frozenset[Cell]:
    """The cells that can be walked to from `start` (which need not be among them)."""
    found = {start}
    queue = [start]
    for a, b in queue:
        for cell in ((a + 1, b), (a, b + 1), (a - 1, b), (a, b - 1)):
            if cell in cells and cell not in found:
                found.add(cell)
                queue.append(cell)
    return frozenset(c for c in found if c in cells)


def navigate(stage: Stage, agent: int, name: str) -> Done:
    """Go to an object by name; fails with the kind of what went wrong."""
    key = stage.names.id_of(name)
    if not key:
        return Done(False, "not_seen", f"nobody has seen {name} yet")
    entry = stage.entry(agent, key)
    if entry is None:
        return Done(False, "not_seen", f"{name} does not exist any more", key)
    if stage.held(agent) == key:
        return Done(False, "wrong_state", f"{name} is in the robot's own hand", key)
    if entry["isSliced"] or (entry["isBroken"] and not entry["visible"]):
        pieces = f"{name} is in pieces now; name one of them"
        return Done(False, "not_visible", pieces, key)
    again_for_agent = True
    taboo: set[State] = set()
    for _ in range(_REPLANS_FOR_THE_HAND):
        floor = floor_of(stage, agent)
        floor.taboo = taboo
        views = _views(stage, agent, entry, floor)
        if not views:
            return Done(False, *_why_no_view(stage, agent, entry, name), key)
        blocked = go(stage, agent, views, floor)
        if blocked is None:
            return Done(
                False, "no_path", f"there is no free way to {name}{_open_doors(stage)}", key
            )
        if not blocked:
            break
        if blocked.startswith("Agent "):
            if not again_for_agent:
                who = _agent_name(stage, blocked)
                return Done(False, "blocked", f"{who} blocks the way to {name}", key)
            again_for_agent = False
    after = stage.entry(agent, key)
    if after is None or not after["visible"]:
        return Done(False, "not_visible", f"{name} cannot be seen from here", key)
    if not after["isInteractable"]:
        return Done(False, "not_visible", f"{name} is behind glass", key)
    return Done(True, target=key, held=stage.held(agent))


def _agent_name(stage: Stage, blocked: str) -> str:
    digits = blocked.removeprefix("Agent ").split()[0].rstrip(".,")
    return stage.agents[int(digits)] if digits.isdigit() else "another robot"


def _why_no_view(stage: Stage, agent: int, entry: Mapping[str, Any], name: str) -> tuple[str, str]:
    """Kind and reason when no pose shows the object."""
    by_id = {o["objectId"]: o for o in stage.objects(agent)}
    for parent in entry["parentReceptacles"] or ():
        outer = by_id.get(parent)
        if outer is not None and outer["objectType"] in ENCLOSING_TYPES and not outer["isOpen"]:
            where = stage.names.name_of(parent) or f"a {outer['objectType']}"
            return "not_visible", f"{name} is inside {where}, which is closed"
    for other, who in enumerate(stage.agents):
        if stage.held(other) == entry["objectId"]:
            return "not_visible", f"{who} holds {name}"
    reason = f"there is no free place from which {name} can be reached"
    return "no_path", reason + _open_doors(stage)


def _open_doors(stage: Stage) -> str:
    """A hint which doors and drawers stand open, for they may be what is in the way."""
    ajar = [
        stage.names.name_of(o["objectId"])
        for o in stage.objects()
        if o["isOpen"] and o["objectType"] in (*_HINGED, "Drawer")
    ]
    named = [name for name in ajar if name]
    if not named:
        return ""
    return f"; open and perhaps in the way: {', '.join(named)}"


def _views(stage: Stage, agent: int, entry: Mapping[str, Any], floor: Floor) -> list[View]:
    """Poses to end in, with penalties for those that leave no room to open or to hold."""
    y = stage.metadata(agent)["agent"]["position"]["y"]
    box = entry["axisAlignedBoundingBox"]
    reach = 1.5 + max(box["size"]["x"], box["size"]["z"])
    cx, cz = box["center"]["x"], box["center"]["z"]
    near = [
        {"x": x, "y": y, "z": z}
        for x, z in floor.position.values()
        if abs(x - cx) <= reach and abs(z - cz) <= reach
    ]
    if not near:
        return []
    answer = stage.ask(
        agent,
        "GetInteractablePoses",
        objectId=entry["objectId"],
        positions=near,
        rotations=list(_HEADINGS),
        horizons=list(_HORIZONS),
        standings=[True],
    )
    holding = bool(stage.held(agent))
    room = _room_needed(entry, holding)
    poses = list(answer.returned or ())
    into = stage.receiver(agent, entry)
    shown = room_in_view(stage, agent, into, poses) if holding and into["receptacle"] else []
    most = max(shown, default=0.0)
    at = entry["position"]  # unlike the box it leaves an open door out
    inside = entry["isOpen"] and entry["objectType"] in ENCLOSING_TYPES
    views = []
    for k, pose in enumerate(poses):
        cell = to_cell(pose["x"], pose["z"], stage.grid_m)
        view = View(cell, round(pose["rotation"]) % 360, float(pose["horizon"]))
        penalty = 8.0 if _gap(box, pose["x"], pose["z"]) < room else 0.0
        if inside:  # an open container is gone to for what is in it: near enough to see that
            away = math.hypot(pose["x"] - at["x"], pose["z"] - at["z"])
            penalty += 10.0 * max(0.0, away - _LOOK_INTO_M)
        penalty += 0.5 * abs(view.horizon) / 30.0
        if most > 0.0:
            penalty += 8.0 * (1.0 - shown[k] / most)
        if (into["objectId"], cell, view.heading, view.horizon) in stage.no_room:
            penalty += 12.0
        if (entry["objectId"], cell) in stage.no_swing and not entry["isOpen"]:
            penalty += 12.0
        views.append(replace(view, penalty=penalty))
    return views


def _room_needed(entry: Mapping[str, Any], holding: bool) -> float:
    """How far from its box one should stand: doors swing, held things stick out; metres."""
    size = entry["axisAlignedBoundingBox"]["size"]
    sides = (float(size["x"]), float(size["z"]))
    wide, deep = max(sides), min(sides)
    room = _HAND_M if holding and entry["objectType"] in _HINGED else 0.0
    if not entry["openable"] or entry["isOpen"]:
        return room
    if entry["objectType"] == "Drawer":
        return max(room, 0.8 * wide + _ROOM_TO_OPEN_M)
    if entry["objectType"] in _HINGED:
        single = entry["objectType"] == "Fridge" or wide <= 0.65
        return max(room, (wide if single else max(wide / 2, deep)) + _ROOM_TO_OPEN_M)
    return room


def _gap(box: Mapping[str, Any], x: float, z: float) -> float:
    dx = max(abs(x - box["center"]["x"]) - box["size"]["x"] / 2, 0.0)
    dz = max(abs(z - box["center"]["z"]) - box["size"]["z"] / 2, 0.0)
    return math.hypot(dx, dz)


def pose_key(stage: Stage, agent: int) -> tuple[Cell, int, float]:
    """The agent's cell, heading and horizon, as `Stage.no_room` notes them."""
    x, z, yaw, horizon = pose_of(stage, agent)
    return to_cell(x, z, stage.grid_m), round(yaw) % 360, horizon


def go(stage: Stage, agent: int, views: Sequence[View], floor: Floor) -> str | None:
    """Walk to the cheapest of `views` and look.

    Returns "" on arrival, the name of what was in the way, or None if there is no way at all.
    """
    x, z, yaw, horizon = pose_of(stage, agent)
    heading = round(yaw / 90.0) * 90 % 360
    if abs(yaw - round(yaw / 90.0) * 90) > 1e-3:
        turn = round(yaw / 90.0) * 90 - yaw
        done = stage.do(
            agent, "RotateRight" if turn > 0 else "RotateLeft", degrees=abs(round(turn, 4))
        )
        if not done.success:
            return "held object"
    start = (*to_cell(x, z, stage.grid_m), heading)
    plan = route(start, horizon, floor.free, views, taboo=floor.taboo)
    if plan is None:
        return None
    state = start
    for step in plan.steps:
        done = stage.do(agent, step)
        if not done.success:
            return _in_the_way(done.message, floor, state, step)
        state = _after(state, step)
    tilt = plan.view.horizon - horizon
    if abs(tilt) > 1e-6:
        stage.do(agent, "LookDown" if tilt > 0 else "LookUp", degrees=abs(tilt))
    return ""


def _after(state: State, step: str) -> State:
    x, z, heading = state
    if step == "RotateRight":
        return (x, z, (heading + 90) % 360)
    if step == "RotateLeft":
        return (x, z, (heading + 270) % 360)
    dx, dz = {0: (0, 1), 90: (1, 0), 180: (0, -1), 270: (-1, 0)}[heading]
    return (x + dx, z + dz, heading)


def _in_the_way(message: str, floor: Floor, state: State, step: str) -> str:
    """The name in a motion error; what the hand hit becomes taboo for the next plan."""
    if message.startswith("Agent "):
        return " ".join(message.split()[:2])
    floor.taboo.add(_after(state, step))
    return message.split(" ", 1)[0] or "something"
