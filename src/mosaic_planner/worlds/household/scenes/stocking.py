"""Small objects: onto and into the receptacles they were found in, so that agents can get at them.

The simulator's own placing rules decide what fits where.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import replace

from mosaic_planner.worlds.household.catalogue import (
    AFFORDANCES,
    ENCLOSING_TYPES,
    SINGLE_SLOT,
    all_types,
    facts,
    fits,
)
from mosaic_planner.worlds.household.scenes.pieces import count_of, size_of
from mosaic_planner.worlds.household.scenes.scene import (
    Box,
    Scene,
    SceneObject,
    Vec,
    box_corners,
    object_id,
    short_name,
)
from mosaic_planner.worlds.household.thor.placing import find_spot
from mosaic_planner.worlds.household.thor.result import Context
from mosaic_planner.worlds.household.thor.simulator import Simulator
from mosaic_planner.worlds.household.thor.state import Body
from mosaic_planner.worlds.household.thor.things import Thing

__all__ = ["OneScene", "stock", "unreachable"]

_NEVER_NEEDS_A_LOOK = frozenset(("Floor", "Sink", "Bathtub", "Window", "Curtains", "Blinds"))
# Furniture-like loose things that `layout` has already stood on the floor.
_STOOD_BY_LAYOUT = frozenset(("Box", "Footstool"))
_HUNG_BY_LAYOUT = frozenset(("Painting", "Poster"))  # pickupable in AI2-THOR, on walls
_UPRIGHT_ON_FLOOR = frozenset(("Plunger", "ScrubBrush", "BaseballBat", "Boots", "Dumbbell",
                               "BasketBall", "TennisRacket"))  # fmt: skip


class OneScene:
    """A scene source that knows a single scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def names(self) -> tuple[str, ...]:
        """Its only name."""
        return (self._scene.name,)

    def load(self, name: str) -> Scene:
        """The scene."""
        del name
        return self._scene


def _simulate(scene: Scene) -> Simulator:
    simulator = Simulator(OneScene(scene))
    simulator.load(scene)
    return simulator


def stock(scene: Scene, rng: random.Random, required: Mapping[str, int]) -> Scene | None:
    """The scene with loose objects in it; None if a required one found no place.

    The floor around the walls is left alone: what belongs on the floor stands where it does not
    cut off any cell, and its cells are taken out of the free ones.
    """
    simulator = _simulate(scene)
    state = simulator.state
    context = Context(state, simulator.sight)
    present: dict[str, int] = {}
    for thing in state.things:
        present[thing.object_type] = present.get(thing.object_type, 0) + 1
    added: list[SceneObject] = []
    cells = set(scene.cells)
    for object_type, figures in all_types().items():
        if not figures.has("pickupable") or not figures.instances:
            continue
        if object_type in _HUNG_BY_LAYOUT:
            continue
        if object_type in _STOOD_BY_LAYOUT and object_type in present:
            continue
        wanted = count_of(rng, object_type, scene.room, required)
        for _ in range(wanted):
            size = size_of(rng, object_type, 0.05)
            item = _item(scene, rng, object_type, size)
            if object_type in _UPRIGHT_ON_FLOOR or object_type in _STOOD_BY_LAYOUT:
                done = _stand(state.things.of_type("Floor")[0], item, cells, scene, rng)
            else:
                done = _shelve(context, item, rng)
            if not done:
                if required.get(object_type, 0) > present.get(object_type, 0):
                    return None
                continue
            present[object_type] = present.get(object_type, 0) + 1
            key = object_id(object_type, _rounded(item.position))
            if key in state.things.by_id:
                continue
            item.object_id = key
            item.name = short_name(object_type, scene.name, key)
            parents = item.parents
            item.parents = ()
            state.things.add(item)
            state.things.attach(item, [state.things.by_id[p] for p in parents])
            added.append(_export(item, figures.initial, rng))
    contents = {t.object_id: tuple(t.contents) for t in state.things}
    objects = tuple(
        replace(o, contents=contents[o.object_id]) if o.contents is not None else o
        for o in (*scene.objects, *added)
    )
    return replace(scene, objects=objects, cells=tuple(sorted(cells)))


def _rounded(v: Vec) -> Vec:
    return (round(v[0], 4) + 0.0, round(v[1], 4) + 0.0, round(v[2], 4) + 0.0)


def _item(scene: Scene, rng: random.Random, object_type: str, size: Vec) -> Thing:
    figures = facts(object_type)
    affordances = frozenset(a for a in AFFORDANCES if figures.has(a))
    w, h, d = size
    if rng.random() < 0.5:
        w, d = d, w
    box = Box((0.0, 0.0, 0.0), (w, h, d))
    del scene
    return Thing(
        object_id="",
        name="",
        object_type=object_type,
        asset_id="",
        affordances=affordances,
        mass=figures.mass,
        materials=figures.materials,
        controlled=() if "toggleable" in affordances else None,
        position=(0.0, 0.0, 0.0),
        rotation=(0.0, 0.0, 0.0),
        body=box,
        box=box,
        corners=box_corners(box),
    )


def _shelve(context: Context, item: Thing, rng: random.Random) -> bool:
    """Put it where such things are found; else on any open surface that takes it."""
    state = context.state
    by_type: dict[str, list[Thing]] = {}
    for thing in state.things:
        # Not on plates and into bowls, which may stand in cabinets themselves.
        loose = thing.has("pickupable") and thing.object_type != "Box"
        if thing.has("receptacle") and not loose and thing.object_type != "Floor":
            by_type.setdefault(thing.object_type, []).append(thing)
    found = facts(item.object_type).parents
    weights = {k: n for k, n in found.items() if k in by_type and k != item.object_type}
    order: list[str] = []
    while weights:
        pick = rng.choices(list(weights), list(weights.values()))[0]
        order.append(pick)
        del weights[pick]
    rest = [k for k in by_type if k not in order and k not in ENCLOSING_TYPES]
    rng.shuffle(rest)
    for kind in (*order, *rest):
        if not fits(item.object_type, kind) and kind not in found:
            continue
        options = list(by_type[kind])
        rng.shuffle(options)
        for receptacle in options:
            if kind in SINGLE_SLOT and receptacle.contents:
                continue
            spot = _random_spot(context, item, receptacle, rng)
            if spot:
                return True
    return False


def _random_spot(context: Context, item: Thing, receptacle: Thing, rng: random.Random) -> bool:
    """Lay it at a free place; of an open surface at one that agents can reach well."""
    corner = rng.choice(context.state.scene.cells)
    near = Body(-1, corner[0] * 0.25, 0.9, corner[1] * 0.25)
    spot = find_spot(context, item, receptacle, near, need_view=False)
    if spot is None:
        return False
    if spot.quarter:
        context.state.things.turn_quarter(item)
    context.state.things.move_base(item, spot.base)
    context.state.things.pending.pop(item.object_id, None)
    item.parents = (receptacle.object_id,)
    return True


def _stand(
    ground: Thing, item: Thing, cells: set[tuple[int, int]], scene: Scene, rng: random.Random
) -> bool:
    """Stand it on the floor where it takes cells but cuts none off."""
    options = sorted(cells)
    rng.shuffle(options)
    start = (round(scene.start.position[0] / 0.25), round(scene.start.position[2] / 0.25))
    for ix, iz in options[:80]:
        x, z = ix * 0.25, iz * 0.25
        half_x, half_z = item.body.size[0] / 2, item.body.size[2] / 2
        taken = {
            (a, b)
            for a, b in cells
            if max(abs(a * 0.25 - x) - half_x, 0.0) ** 2 + max(abs(b * 0.25 - z) - half_z, 0.0) ** 2
            < 0.2**2
        }
        left = cells - taken
        # Along walls only: in the middle it would be a stumbling block.
        crowded = sum((ix + i, iz + j) in cells for i in (-1, 0, 1) for j in (-1, 0, 1))
        if crowded > 6 or start in taken or not _connected(left, start):
            continue
        cells -= taken
        h = item.body.size[1]
        center = (x, h / 2, z)
        box = Box(center, item.body.size)
        item.body = item.box = box
        item.corners = box_corners(box)
        item.position = center
        item.parents = (ground.object_id,)
        return True
    return False


def _connected(cells: set[tuple[int, int]], start: tuple[int, int]) -> bool:
    seen = {start}
    queue = [start]
    for a, b in queue:
        for step in ((a + 1, b), (a, b + 1), (a - 1, b), (a, b - 1)):
            if step in cells and step not in seen:
                seen.add(step)
                queue.append(step)
    return len(seen) == len(cells)


def _export(item: Thing, initial: Mapping[str, int], rng: random.Random) -> SceneObject:
    instances = facts(item.object_type).instances
    states = frozenset(s for s, n in initial.items() if rng.random() * instances < n)
    return SceneObject(
        object_id=item.object_id,
        name=item.name,
        object_type=item.object_type,
        position=item.position,
        rotation=item.rotation,
        box=item.body,
        affordances=item.affordances,
        states=states,
        openness=1.0 if "isOpen" in states else 0.0,
        fill_liquid="wine" if "isFilledWithLiquid" in states else None,
        mass=item.mass,
        materials=item.materials,
        parents=item.parents or None,
        contents=() if item.has("receptacle") else None,
        controlled=item.controlled,
        corners=item.corners,
    )


def unreachable(scene: Scene) -> tuple[str, ...]:
    """Ids of objects that no reachable pose can see when every container is open."""
    simulator = _simulate(scene)
    state = simulator.state
    for thing in state.things:
        if thing.object_type in ENCLOSING_TYPES:
            thing.openness = max(thing.openness, 1e-6)  # seen into, but its front stays in place
    state.things.cover += 1
    missing = []
    for thing in state.things:
        if thing.object_type in _NEVER_NEEDS_A_LOOK:
            continue
        if not _seen_from_somewhere(simulator, thing, scene.cells):
            missing.append(thing.object_id)
    return tuple(missing)


def _seen_from_somewhere(
    simulator: Simulator, thing: Thing, cells: Iterable[tuple[int, int]]
) -> bool:
    y = simulator.state.bodies[0].y
    x0, _, z0 = thing.body.center
    order = sorted(cells, key=lambda c: abs(abs(c[0] * 0.25 - x0) + abs(c[1] * 0.25 - z0) - 0.9))
    for ix, iz in order[:24]:
        for horizon in (0.0, 30.0, 60.0, -30.0):
            for yaw in (0.0, 90.0, 180.0, 270.0):
                body = Body(-1, ix * 0.25, y, iz * 0.25, yaw, horizon)
                if simulator.sight.sees(body, thing)[1]:
                    return True
    return False
