"""Objects during an episode, and which of them lies in which."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from mosaic_planner.worlds.household.catalogue import ENCLOSING_TYPES
from mosaic_planner.worlds.household.scenes.scene import Box, SceneObject, Vec, box_corners

__all__ = ["Thing", "Things"]


@dataclass(slots=True, eq=False)
class Thing:
    """One object now. `body` is its own box, `box` also spans an open door (section 4).

    `holder` is the index of the agent whose hand it is in (not of what carries its container).
    `gone`: sliced, shattered or disabled, so that it has no body any more but keeps its entry.
    `front`: horizontal unit normal (x, z) of its front, None where it has none; `hinge`: on which
    end of the front a door hangs (+1 or -1 along the axis that runs along the front). `cached`
    is its metadata entry, None when out of date; `samples` its sample points around the middle of
    its body, None when its shape changed.
    """

    object_id: str
    name: str
    object_type: str
    asset_id: str
    affordances: frozenset[str]
    mass: float
    materials: tuple[str, ...] | None
    controlled: tuple[str, ...] | None
    position: Vec
    rotation: Vec
    body: Box
    box: Box
    corners: tuple[Vec, ...] | None
    toggled: bool = False
    broken: bool = False
    filled: bool = False
    dirty: bool = False
    used_up: bool = False
    cooked: bool = False
    sliced: bool = False
    openness: float = 0.0
    fill_liquid: str | None = None
    temperature: str = "RoomTemp"
    warm_until: float = 0.0
    parents: tuple[str, ...] = ()
    contents: list[str] = field(default_factory=list)
    holder: int | None = None
    gone: bool = False
    moved: bool = False
    front: tuple[float, float] | None = None
    hinge: int = 1
    cached: dict[str, Any] | None = None
    samples: Any = None

    @property
    def is_open(self) -> bool:
        """Open at least a little (openness > 0)."""
        return self.openness > 0.0

    def has(self, affordance: str) -> bool:
        """Whether the constant affordance holds for this instance."""
        return affordance in self.affordances

    @property
    def hides(self) -> bool:
        """Whether its content cannot be seen or reached now (section 5)."""
        return self.object_type in ENCLOSING_TYPES and self.openness <= 0.0 and not self.gone


def _thing(o: SceneObject) -> Thing:
    openable = "openable" in o.affordances
    # Three recorded doors are closed with an openness of 1; isOpen and the box decide.
    openness = (o.openness or 1.0) if "isOpen" in o.states else 0.0
    return Thing(
        object_id=o.object_id,
        name=o.name,
        object_type=o.object_type,
        asset_id=o.asset_id,
        affordances=o.affordances,
        mass=o.mass,
        materials=o.materials,
        controlled=o.controlled,
        position=o.position,
        rotation=o.rotation,
        body=o.box,
        box=o.box,
        corners=o.corners,
        toggled="isToggled" in o.states,
        broken="isBroken" in o.states,
        filled="isFilledWithLiquid" in o.states,
        dirty="isDirty" in o.states,
        used_up="isUsedUp" in o.states,
        cooked="isCooked" in o.states,
        sliced="isSliced" in o.states,
        openness=openness if openable else 0.0,
        fill_liquid=o.fill_liquid,
        temperature=o.temperature,
        parents=o.parents or (),
        contents=list(o.contents or ()),
        gone="isSliced" in o.states,
    )


_LONGEST_LOG = 50_000


class Things:
    """All objects by id, in scene order; pieces and shards are appended.

    `geometry` grows when any box or the set of bodies changes, `structure` when the set does,
    `cover` when something is opened, closed or changes its container: caches elsewhere compare
    these counters. `log`: ids of the things whose metadata changed, in order; when it gets too
    long it starts anew and `epoch` grows. `pending`: whose boxes changed since `Sight` last took
    note.
    """

    def __init__(self, objects: Iterable[SceneObject]) -> None:
        self.by_id: dict[str, Thing] = {o.object_id: _thing(o) for o in objects}
        self.geometry = 0
        self.structure = 0
        self.cover = 0
        self.epoch = 0
        self.log: list[str] = []
        self.pending: dict[str, Thing] = {}
        for thing in self.by_id.values():  # the two sides of a scene file must agree
            thing.contents = [i for i in thing.contents if i in self.by_id]
            thing.parents = tuple(p for p in thing.parents if p in self.by_id)
        for thing in self.by_id.values():
            for parent in thing.parents:
                if thing.object_id not in self.by_id[parent].contents:
                    self.by_id[parent].contents.append(thing.object_id)

    def __iter__(self) -> Iterator[Thing]:
        return iter(self.by_id.values())

    def __len__(self) -> int:
        return len(self.by_id)

    def get(self, object_id: str) -> Thing | None:
        """The object of that id, or None."""
        return self.by_id.get(object_id)

    def of_type(self, object_type: str) -> list[Thing]:
        """All objects of one type, in scene order."""
        return [t for t in self.by_id.values() if t.object_type == object_type]

    def add(self, thing: Thing) -> None:
        """A new object (a piece, a shard)."""
        self.by_id[thing.object_id] = thing
        self.geometry += 1
        self.structure += 1
        self.cover += 1

    def remove(self, thing: Thing) -> None:
        """Forget an object entirely."""
        self.detach(thing)
        for child in self.children(thing):
            child.parents = tuple(p for p in child.parents if p != thing.object_id)
            self.changed(child)
        del self.by_id[thing.object_id]
        self.geometry += 1
        self.structure += 1
        self.cover += 1

    def changed(self, thing: Thing) -> None:
        """Its metadata is out of date."""
        thing.cached = None
        self.log.append(thing.object_id)
        if len(self.log) > _LONGEST_LOG:
            self.log.clear()
            self.epoch += 1

    def reboxed(self, thing: Thing) -> None:
        """Its box is another one now."""
        self.pending[thing.object_id] = thing
        self.geometry += 1
        self.changed(thing)

    def children(self, thing: Thing) -> list[Thing]:
        """What lies directly in or on it."""
        return [self.by_id[i] for i in thing.contents if i in self.by_id]

    def carried(self, thing: Thing) -> list[Thing]:
        """Everything that moves along with it: its content, and theirs, nearest first."""
        found: dict[str, Thing] = {}
        queue = list(thing.contents)
        while queue:
            key = queue.pop(0)
            child = self.by_id.get(key)
            if child is None or key in found or child is thing or not child.has("pickupable"):
                continue
            found[key] = child
            queue.extend(child.contents)
        return list(found.values())

    def ancestors(self, thing: Thing) -> list[Thing]:
        """What it lies in or on, directly or through others; each once, nearest first.

        Recordings have a sink lie in a cup that stands in it: a fixed thing is in no loose one.
        """
        found: dict[str, Thing] = {}
        queue = [(thing, key) for key in thing.parents]
        while queue:
            child, key = queue.pop(0)
            parent = self.by_id.get(key)
            if parent is None or key in found or parent is thing:
                continue
            if parent.has("pickupable") and not child.has("pickupable"):
                continue
            found[key] = parent
            queue.extend((parent, k) for k in parent.parents)
        return list(found.values())

    def hidden(self, thing: Thing) -> bool:
        """Whether a closed container is around it."""
        return any(a.hides for a in self.ancestors(thing))

    def carrier(self, thing: Thing) -> int | None:
        """The agent that carries it, in the hand or inside what is in the hand; None if nobody."""
        if thing.holder is not None:
            return thing.holder
        return next((a.holder for a in self.ancestors(thing) if a.holder is not None), None)

    def detach(self, thing: Thing) -> None:
        """Take it out of whatever it lies in."""
        for key in thing.parents:
            parent = self.by_id.get(key)
            if parent is not None and thing.object_id in parent.contents:
                parent.contents.remove(thing.object_id)
                self.changed(parent)
        thing.parents = ()
        self.changed(thing)
        self.cover += 1

    def attach(self, thing: Thing, parents: Iterable[Thing]) -> None:
        """Lay it into or onto `parents`, out of anything else."""
        self.detach(thing)
        thing.parents = tuple(p.object_id for p in parents)
        for key in thing.parents:
            self.by_id[key].contents.append(thing.object_id)
            self.changed(self.by_id[key])

    def shift(self, thing: Thing, by: Vec) -> None:
        """Move one body without what it carries (a drawer's front, a fall)."""
        thing.position = _plus(thing.position, by)
        thing.body = Box(_plus(thing.body.center, by), thing.body.size)
        thing.box = Box(_plus(thing.box.center, by), thing.box.size)
        if thing.corners is not None:
            thing.corners = tuple(_plus(c, by) for c in thing.corners)
        self.reboxed(thing)

    def move(self, thing: Thing, by: Vec) -> None:
        """Move it together with everything it carries."""
        for one in (thing, *self.carried(thing)):
            self.shift(one, by)
            one.moved = True

    def carry(self, thing: Thing, by: Vec) -> None:
        """Move what is in a hand along with it; `geometry` does not count that."""
        before = self.geometry
        self.move(thing, by)
        self.geometry = before

    def move_base(self, thing: Thing, base: Vec) -> None:
        """Move it so that the middle of its underside comes to `base`."""
        center, size = thing.body.center, thing.body.size
        foot = (center[0], center[1] - size[1] / 2, center[2])
        self.move(thing, (base[0] - foot[0], base[1] - foot[1], base[2] - foot[2]))

    def square_up(self, thing: Thing) -> None:
        """Set it upright and parallel to the room, so that its box is as small as it can be."""
        if thing.corners is None:
            return
        c = thing.corners
        size = (_length(c[0], c[1]), _length(c[0], c[4]), _length(c[0], c[3]))
        thing.body = Box(thing.body.center, size)
        thing.box = thing.body
        thing.corners = box_corners(thing.body)
        thing.rotation = (0.0, 0.0, 0.0)
        thing.samples = None
        self.reboxed(thing)

    def turn_quarter(self, thing: Thing) -> None:
        """Turn it by 90 degrees about its own middle; its content turns along in place."""
        cx, _, cz = thing.body.center
        for one in (thing, *self.carried(thing)):
            x, y, z = one.body.center
            sx, sy, sz = one.body.size
            turned = Box((cx + (z - cz), y, cz - (x - cx)), (sz, sy, sx))
            one.body = turned
            one.box = turned
            px, py, pz = one.position
            one.position = (cx + (pz - cz), py, cz - (px - cx))
            one.rotation = (one.rotation[0], (one.rotation[1] + 90.0) % 360.0, one.rotation[2])
            if one.corners is not None:
                one.corners = tuple((cx + (c[2] - cz), c[1], cz - (c[0] - cx)) for c in one.corners)
            one.samples = None
            self.reboxed(one)

    def vanish(self, thing: Thing) -> None:
        """It loses its body (sliced, shattered, disabled) but keeps its entry."""
        thing.gone = True
        self.detach(thing)
        self.geometry += 1
        self.structure += 1


def _length(a: Vec, b: Vec) -> float:
    return math.dist(a, b)


def _plus(a: Vec, b: Vec) -> Vec:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])
