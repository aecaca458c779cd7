"""What each robot perceives, as values and as text.

The layout of `Observation.text` is fixed; one line per thing seen::

    In view:
    - Apple_1 (Apple): on CounterTop_1
    - Fridge_1 (Fridge): closed
    - Bob (robot): holds Mug_1
    Seen on the way:
    - Toaster_1 (Toaster): off, on CounterTop_1
    Names: Apple_1, CounterTop_1, Fridge_1, Toaster_1

`Names` are all that the team has seen so far: NavigateTo may name any of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mosaic_planner.core.geometry import Pose
from mosaic_planner.core.observation import Observation, Outcome, Sighting, Value, View
from mosaic_planner.worlds.household.naming import nameable
from mosaic_planner.worlds.household.stage import Stage

__all__ = ["Observer", "attributes_of", "describe", "facing", "rewrite_state", "state_text"]

_VIEW = View(max_range=1.5, fov_deg=90.0)
ON_FLOOR = "on the floor"
"""The attribute of a loose thing that lies on the floor."""

_FACING = ("north", "east", "south", "west")

Attributes = tuple[tuple[str, Value], ...]


def facing(heading_deg: float) -> str:
    """The compass word nearest to a heading (0 north, 90 east)."""
    return _FACING[round(heading_deg / 90.0) % 4]


def attributes_of(entry: Mapping[str, Any], names: Mapping[str, str]) -> Attributes:
    """What can be told of an object by looking at it; `names`: ids to names given so far."""
    found: list[tuple[str, Value]] = []
    if entry["openable"]:
        found.append(("open", bool(entry["isOpen"])))
    if entry["toggleable"] or entry["objectType"] == "StoveBurner":
        found.append(("on", bool(entry["isToggled"])))
    if entry["sliceable"]:
        found.append(("sliced", bool(entry["isSliced"])))
    if entry["dirtyable"]:
        found.append(("dirty", bool(entry["isDirty"])))
    if entry["isBroken"]:
        found.append(("broken", True))
    if entry["cookable"]:
        found.append(("cooked", bool(entry["isCooked"])))
    if entry["canFillWithLiquid"] and entry["isFilledWithLiquid"]:
        found.append(("filled", str(entry["fillLiquid"])))
    inside = [names[p] for p in entry["parentReceptacles"] or () if p in names]
    if inside:
        found.append(("inside", inside[0]))
    elif entry["pickupable"] and _on_floor(entry):
        found.append((ON_FLOOR, True))  # the floor has no name that could be told
    return tuple(found)


def _on_floor(entry: Mapping[str, Any]) -> bool:
    return any(str(p).startswith("Floor|") for p in entry["parentReceptacles"] or ())


def describe(name: str, kind: str, attributes: Attributes, holder: str) -> str:
    """The line of one sighting."""
    words: list[str] = []
    for key, value in attributes:
        if key == "open":
            words.append("open" if value else "closed")
        elif key == "on":
            words.append("on" if value else "off")
        elif key == "inside":
            where = str(value)
            encloses = where.rpartition("_")[0] in _IN
            words.append(f"{'in' if encloses else 'on'} {where}")
        elif key == "filled":
            words.append(f"filled with {value}")
        elif value:
            words.append(key)
    if holder:
        words.append(f"held by {holder}")
    return f"- {name} ({kind})" + (f": {', '.join(words)}" if words else "")


_IN = frozenset(
    ("Fridge", "Cabinet", "Drawer", "Microwave", "Safe", "LaundryHamper", "Box", "Sink",
     "SinkBasin", "BathtubBasin", "Bowl", "Cup", "Mug", "Pot", "Pan", "GarbageCan", "Toaster",
     "CoffeeMachine")
)  # fmt: skip


def state_text(agent: str, pose: Pose, inventory: tuple[tuple[str, int], ...]) -> str:
    """Own pose and inventory in words; no other position is ever told."""
    held = ", ".join(name for name, _ in inventory) or "nothing"
    return (
        f"{agent} is at ({pose.x:.2f}, {pose.z:.2f}), facing {facing(pose.heading_deg)}, "
        f"holding {held}"
    )


@dataclass(slots=True)
class Observer:
    """Makes the observations of one episode."""

    stage: Stage
    failures: dict[str, list[str]] = field(default_factory=dict)

    def observe(
        self, step: int, outcomes: Mapping[str, Outcome], images: Mapping[str, bytes]
    ) -> dict[str, Observation]:
        """All agents' observations after a joint step (or a reset, without outcomes)."""
        stage = self.stage
        for agent in range(len(stage.agents)):
            stage.look(agent)  # name everything before anybody's text names it
        return {
            name: self._one(k, name, step, outcomes.get(name), images.get(name))
            for k, name in enumerate(stage.agents)
        }

    def _one(
        self, index: int, name: str, step: int, outcome: Outcome | None, image: bytes | None
    ) -> Observation:
        stage = self.stage
        metadata = stage.metadata(index)
        body = metadata["agent"]
        pose = Pose(body["position"]["x"], body["position"]["z"], body["rotation"]["y"])
        held = stage.held(index)
        inventory = ((stage.names.name_of(held), 1),) if held else ()
        now, way = self._sightings(index, pose)
        mates = self._mates(index, pose)
        lines = ["In view:", *(self._line(s) for s in (*now, *mates))]
        if way:
            lines += ["Seen on the way:", *(self._line(s) for s in way)]
        names = stage.names.all()
        lines.append("Names: " + (", ".join(names) or "none"))
        feedback = self._feedback(name, outcome)
        return Observation(
            agent=name,
            step=step,
            pose=pose,
            inventory=inventory,
            sightings=(*now, *mates, *way),
            names=names,
            text="\n".join(lines),
            state_text=state_text(name, pose, inventory),
            feedback=feedback,
            failures_text="; ".join(self.failures.get(name, [])),
            view=_VIEW,
            local=(("horizon", float(body["cameraHorizon"])),),
            image=image,
        )

    def _sightings(self, index: int, pose: Pose) -> tuple[list[Sighting], list[Sighting]]:
        """What is in view now, and what was on the way and is still as it was then."""
        stage = self.stage
        given = {k: stage.names.name_of(k) for k in self._named()}
        holders = {stage.held(k): who for k, who in enumerate(stage.agents) if stage.held(k)}
        now, way = [], []
        latest = {o["objectId"]: o for o in stage.objects(index)}
        for key, entry in latest.items():
            if entry["visible"] and nameable(entry):
                now.append(self._sighting(entry, pose, given, holders.get(key, "")))
        for key, seen in stage.glimpses[index].items():
            entry = latest.get(key, seen)
            gone = key not in latest or entry["isSliced"] or entry["isPickedUp"]
            if entry["visible"] or gone or _moved(seen, entry):
                continue
            way.append(self._sighting(seen, pose, given, ""))
        return now, way

    def _named(self) -> list[str]:
        return [self.stage.names.id_of(n) for n in self.stage.names.all()]

    def _sighting(
        self, entry: Mapping[str, Any], pose: Pose, given: Mapping[str, str], holder: str
    ) -> Sighting:
        at = entry["axisAlignedBoundingBox"]["center"]
        name = given[entry["objectId"]]
        attributes = attributes_of(entry, given)
        return Sighting(
            name, entry["objectType"], pose.to_frame(at["x"], at["z"]), attributes, holder
        )

    def _mates(self, index: int, pose: Pose) -> list[Sighting]:
        """Other robots within range and angle."""
        found = []
        for k, who in enumerate(self.stage.agents):
            if k == index:
                continue
            body = self.stage.metadata(k)["agent"]
            offset = pose.to_frame(body["position"]["x"], body["position"]["z"])
            if offset.length <= _VIEW.max_range and abs(offset.bearing_deg) <= 45.0:
                held = self.stage.names.name_of(self.stage.held(k))
                heading = body["rotation"]["y"] % 360.0
                attributes: Attributes = (("heading", heading), ("holds", held))
                found.append(Sighting(who, "agent", offset, attributes))
        return found

    def _line(self, sighting: Sighting) -> str:
        if sighting.kind == "agent":
            held = dict(sighting.attributes).get("holds")
            return f"- {sighting.name} (robot): holds {held or 'nothing'}"
        return describe(sighting.name, sighting.kind, sighting.attributes, sighting.holder)

    def _feedback(self, name: str, outcome: Outcome | None) -> str:
        if outcome is None:
            return ""
        if outcome.success:
            self.failures.pop(name, None)  # any success clears them (rule R21)
            return f"{name}'s action {outcome.action} was successful"
        text = f"{name}'s action {outcome.action} failed: {outcome.reason}"
        self.failures.setdefault(name, []).append(f"{outcome.action}: {outcome.reason}")
        del self.failures[name][:-5]
        return text


def _moved(then: Mapping[str, Any], now: Mapping[str, Any]) -> bool:
    a, b = then["position"], now["position"]
    return math.dist((a["x"], a["y"], a["z"]), (b["x"], b["y"], b["z"])) > 0.02


def rewrite_state(observation: Observation) -> Observation:
    """The observation with the state text of its own (possibly noisy) pose."""
    text = state_text(observation.agent, observation.pose, observation.inventory)
    return replace(observation, state_text=text)
