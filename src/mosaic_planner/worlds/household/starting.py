"""The start of an episode: nothing the task asks for holds yet."""

from __future__ import annotations

import random
from collections.abc import Sequence

from mosaic_planner.core.geometry import Cell
from mosaic_planner.worlds.household.catalogue import ENCLOSING_TYPES, SINGLE_SLOT, facts, fits
from mosaic_planner.worlds.household.judging import holds
from mosaic_planner.worlds.household.scenes.scene import CELL_M
from mosaic_planner.worlds.household.tasks import Goal, HouseholdTask, PlanStart
from mosaic_planner.worlds.household.thor.doors import open_to
from mosaic_planner.worlds.household.thor.metadata import Describer
from mosaic_planner.worlds.household.thor.placing import find_spot
from mosaic_planner.worlds.household.thor.result import Context
from mosaic_planner.worlds.household.thor.simulator import Simulator
from mosaic_planner.worlds.household.thor.state import Body, State
from mosaic_planner.worlds.household.thor.things import Thing

__all__ = ["start_by_file", "start_by_meaning"]

_FIELDS = {
    "isToggled": "toggled",
    "isDirty": "dirty",
    "isSliced": "sliced",
    "isBroken": "broken",
}


def start_by_meaning(simulator: Simulator, task: HouseholdTask, rng: random.Random) -> None:
    """Put things where the task has them start, and undo whatever of its goals already holds."""
    state = simulator.state
    context = Context(state, simulator.sight)
    for object_type, wanted in task.start.items():
        for thing in _loose(state, object_type):
            _lay_on_first(context, thing, wanted, rng)
    objects = Describer(simulator).objects(state.bodies[0])
    types = {o["objectId"]: o["objectType"] for o in objects}
    for goal in task.goals:
        for entry in objects:
            if entry["objectType"] != goal.object_type or goal.object_type in task.start:
                continue
            thing = state.things.by_id[entry["objectId"]]
            if goal.kind == "at" and holds(goal, entry, types):
                _take_away(context, thing, goal, rng)
            elif goal.kind == "state":
                _undo(state, thing, goal)


def _loose(state: State, object_type: str) -> list[Thing]:
    return [t for t in state.things.of_type(object_type) if t.has("pickupable") and not t.gone]


def _lay_on_first(
    context: Context, thing: Thing, wanted: Sequence[str], rng: random.Random
) -> bool:
    for kind in wanted:
        options = [r for r in context.state.things.of_type(kind) if not r.gone]
        if kind == "Floor":
            if options and _lay_on_floor(context.state, thing, options[0], rng):
                return True
            continue
        # The biggest first: there is room on it, and it is what people call "the table".
        options.sort(key=lambda r: (-r.body.size[0] * r.body.size[2], r.object_id))
        if any(_lay(context, thing, r, rng) for r in options):
            return True
    return False


def _lay(context: Context, thing: Thing, receptacle: Thing, rng: random.Random) -> bool:
    """Lay it on a receptacle, at the side of a cell drawn; compatibility is not asked."""
    state = context.state
    ix, iz = rng.choice(state.scene.cells)
    near = Body(-1, ix * CELL_M, state.bodies[0].y, iz * CELL_M)
    state.things.detach(thing)
    state.things.square_up(thing)
    spot = find_spot(context, thing, receptacle, near, need_view=False)
    if spot is None:
        return False
    if spot.quarter:
        state.things.turn_quarter(thing)
    state.things.move_base(thing, spot.base)
    state.things.attach(thing, [receptacle])
    return True


def _lay_on_floor(state: State, thing: Thing, ground: Thing, rng: random.Random) -> bool:
    """Lay it at the edge of the free floor, where it cuts nothing off."""
    cells = set(state.cells)
    bodies = [(b.x, b.z) for b in state.bodies]
    options = sorted(cells)
    rng.shuffle(options)
    options.sort(key=lambda c: sum((c[0] + i, c[1] + j) in cells for i, j in _AROUND))
    for ix, iz in options[: max(20, len(options) // 3)]:
        x, z = ix * CELL_M, iz * CELL_M
        if any(abs(x - bx) < 0.8 and abs(z - bz) < 0.8 for bx, bz in bodies):
            continue
        crowd = [t for t in state.things if t.moved and not t.gone and t is not thing]
        if any(abs(t.body.center[0] - x) < 0.6 and abs(t.body.center[2] - z) < 0.6 for t in crowd):
            continue
        reach = 0.2 + max(thing.body.size[0], thing.body.size[2]) / 2
        left = {
            c for c in cells if (c[0] * CELL_M - x) ** 2 + (c[1] * CELL_M - z) ** 2 >= reach * reach
        }
        if _parts(left) == 1:
            state.things.detach(thing)
            state.things.square_up(thing)
            state.things.move_base(thing, (x, state.floor_y, z))
            state.things.attach(thing, [ground])
            return True
    return False


_AROUND = tuple((i, j) for i in (-2, -1, 0, 1, 2) for j in (-2, -1, 0, 1, 2))


def _parts(cells: set[Cell]) -> int:
    """How many connected parts the cells form."""
    left = set(cells)
    parts = 0
    while left:
        parts += 1
        queue = [min(left)]
        left.discard(queue[0])
        for a, b in queue:
            for step in ((a + 1, b), (a - 1, b), (a, b + 1), (a, b - 1)):
                if step in left:
                    left.discard(step)
                    queue.append(step)
    return parts


def _take_away(context: Context, thing: Thing, goal: Goal, rng: random.Random) -> None:
    """Bring it to an open surface where the goal does not hold."""
    found = facts(thing.object_type).parents
    kinds = sorted(found, key=lambda k: (-found[k], k))
    rest = sorted({t.object_type for t in context.state.things if t.has("receptacle")})
    avoid = (*goal.receptacles, *ENCLOSING_TYPES, *SINGLE_SLOT, "Floor", "(none)")
    for kind in (*kinds, *rest):
        if kind in avoid or not fits(thing.object_type, kind):
            continue
        if facts(kind).has("pickupable"):
            continue
        if _lay_on_first(context, thing, (kind,), rng):
            return
    for ground in context.state.things.of_type("Floor")[:1]:
        _lay_on_floor(context.state, thing, ground, rng)


def _undo(state: State, thing: Thing, goal: Goal) -> None:
    if "isOpen" in goal.fields:
        if goal.value and thing.is_open:
            open_to(state, thing, 0.0)
        return
    for name in goal.fields:
        field = _FIELDS.get(name)
        if field in ("toggled", "dirty") and getattr(thing, field) == goal.value:
            setattr(thing, field, not goal.value)
            state.things.changed(thing)
            for key in thing.controlled or ():
                state.things.by_id[key].toggled = thing.toggled
                state.things.changed(state.things.by_id[key])


def start_by_file(simulator: Simulator, start: PlanStart) -> tuple[str, ...]:
    """The reference's own start: its fixed teleport, its calls, then our directives.

    Returns the errors of calls that failed; several of the reference's do, harmlessly.
    """
    errors = []
    calls = [
        {
            "action": "Teleport",
            "position": {"x": 1.5, "y": 0.9, "z": -1.5},
            "rotation": {"x": 0.0, "y": 270.0, "z": 0.0},
            "agentId": 0,
        },
        *start.calls,
    ]
    for call in calls:
        result = simulator.handle(call)
        if result.error:
            errors.append(f"{call['action']}: {result.error}")
    context = Context(simulator.state, simulator.sight)
    for key, kind in start.directives:
        thing = simulator.state.things.get(key)
        if thing is not None and not _lay_on_first(context, thing, (kind,), random.Random(0)):
            errors.append(f"no place for {key} in any {kind}")
    return tuple(errors)
