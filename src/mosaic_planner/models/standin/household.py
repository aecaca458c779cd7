"""How to do chores: from a view of a household to ranked actions for every robot.

What a robot holds is brought to where it goes. Free robots share the open duties, nearest first,
no two for the same thing. What the task needs and nobody has seen is looked for: by looking
around, in the place where such things usually are, and in closed containers when looking around
brings no news. A fridge that was opened is closed when nothing more goes into it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from mosaic_planner.models.standin.household_duties import (
    Duty,
    Work,
    can_take,
    given_up,
    open_work,
    places_for,
)
from mosaic_planner.models.standin.household_notes import NEVER, Thing
from mosaic_planner.models.standin.household_sense import (
    FIXED,
    KEPT_IN,
    ONE_PLACE,
    SEARCHED,
    SPARE_SURFACES,
    USUAL_PLACE,
    encloses,
)
from mosaic_planner.models.standin.household_task import matches
from mosaic_planner.models.standin.household_view import Robot, View
from mosaic_planner.models.standin.jobs import DONE, EXPLORE, IDLE, Job

__all__ = ["Plan", "best_place_for", "decide"]

LOOK_INTO = "LookDown(60)"
_STALE = 3
_TIRED = 3
_SAY_AGAIN = 10
_BLOCKER = re.compile(r"^(\w+_\d+) is where (\S+) would open")
_AJAR = re.compile(r"perhaps in the way: (.*)$")
_SIDES = ("Back", "Left", "Right", "Ahead")


@dataclass(slots=True)
class Plan:
    """The jobs of all robots while they are shared out; `taken` are things somebody goes for."""

    view: View
    work: Work
    jobs: dict[str, Job] = field(default_factory=dict)
    taken: dict[str, str] = field(default_factory=dict)

    def give(self, robot: Robot, kind: str, target: str, action: str, place: str = "") -> None:
        """Settle one robot's job and first action."""
        self.jobs[robot.name] = Job(kind, target, [action], place)
        if target:
            self.taken.setdefault(target, robot.name)


def decide(view: View, claimed: Mapping[str, str] | None = None) -> dict[str, Job]:
    """One job with ranked actions for every robot; deterministic.

    `claimed`: things that somebody out of sight sees to, with the robot's name.
    """
    plan = Plan(view, open_work(view), taken=dict(claimed or {}))
    for robot in view.robots.values():
        if robot.held:
            _bring(plan, robot)
        elif look := _look_into(view, robot, plan.work):
            plan.give(robot, "search", robot.at, look)
    _share(plan)
    if not plan.jobs and _nothing_left(view, plan.work):
        return {name: Job("done", actions=[DONE, IDLE]) for name in view.robots}
    for robot in view.robots.values():
        if robot.name not in plan.jobs:
            _close_or_search(plan, robot)
    for index, robot in enumerate(view.robots.values()):
        _get_unstuck(plan, robot, index)
    _make_way(plan)
    for robot in view.robots.values():
        _alternatives(plan, robot)
    return {name: plan.jobs[name] for name in view.robots}


def _nothing_left(view: View, work: Work) -> bool:
    """Whether to say so: all is done that is known, and looking around brings no news.

    If that changes nothing, the team was wrong and looks around before it says so again.
    """
    notes = view.notes
    if not view.chores or not work.finished or notes.steps < notes.said_done + _SAY_AGAIN:
        return False
    if work.maybe and notes.stale <= 4 * _STALE:
        return False
    notes.said_done = notes.steps
    return True


def towards(view: View, robot: Robot, name: str, verb: str) -> str:
    """The next action on the way to doing `verb` to a thing."""
    thing = view.things[name]
    shut = view.shut_in(thing)
    if shut is not None and shut.name != name:
        return towards(view, robot, shut.name, "OpenObject")
    # A door needs room to swing: whoever opens it goes to it for a place that leaves the room.
    near = robot.at == name or (name in robot.sees and verb != "OpenObject")
    return f"{verb}({name})" if near and not robot.failed(name) else f"NavigateTo({name})"


# Bringing.


def _bring(plan: Plan, robot: Robot) -> None:
    view, item = plan.view, plan.view.things[robot.held]
    kinds = places_for(view, item) or SPARE_SURFACES
    place = best_place(plan, robot, item, kinds)
    if place is None and given_up(view, item, kinds):
        place = best_place(plan, robot, item, SPARE_SURFACES)
    if place is None:
        _search(plan, robot, kinds, carrying=True)
        plan.jobs[robot.name].target = item.name
        return
    if place.kind in ONE_PLACE:
        plan.taken[place.name] = robot.name
    plan.give(robot, "bring", item.name, _put(view, robot, place), place.name)


def best_place_for(view: View, robot: str, name: str) -> str:
    """The receptacle a robot would bring a thing to; "" if none is known."""
    item = view.things[name]
    plan = Plan(view, open_work(view))
    place = best_place(plan, view.robots[robot], item, places_for(view, item) or SPARE_SURFACES)
    return place.name if place is not None else ""


def _put(view: View, robot: Robot, place: Thing) -> str:
    if encloses(place.kind) and place.states.get("open") is False:
        return towards(view, robot, place.name, "OpenObject")
    return towards(view, robot, place.name, "PutObject")


def best_place(plan: Plan, robot: Robot, item: Thing, kinds: tuple[str, ...]) -> Thing | None:
    """The receptacle to bring an item to; None if no fitting one is known."""
    view = plan.view
    options = [p for p in _receptacles(view, kinds) if can_take(view, item, p)]
    options = [p for p in options if plan.taken.get(p.name, robot.name) == robot.name]

    def key(place: Thing) -> tuple[int, int, int, float]:
        refused = view.notes.refused.get((item.name, place.name), 0)
        refused += view.notes.missed.get((robot.name, place.name), 0)
        everywhere = sum(n for (_, p), n in view.notes.refused.items() if p == place.name)
        shut = encloses(place.kind) and place.states.get("open") is not True
        rank = next(i for i, k in enumerate(kinds) if matches(place.kind, (k,)))
        many = len(set(kinds)) > 2
        return (
            refused // 3 + everywhere // 6,
            rank if many else 0,
            int(shut),
            robot.distance(place),
        )

    options = [p for p in options if view.notes.refused.get((item.name, p.name), 0) < NEVER]
    return min(options, key=key, default=None)


def _receptacles(view: View, kinds: tuple[str, ...]) -> list[Thing]:
    return [view.things[n] for n in view.named if matches(view.things[n].kind, kinds)]


# Sharing.


def _share(plan: Plan) -> None:
    """Nearest robot and duty first; ties in the order of the duties."""
    view = plan.view
    free = [r for r in view.robots.values() if r.name not in plan.jobs]
    duties = [d for d in plan.work.duties if d.name not in plan.taken]
    while free and duties:
        pairs = [
            (_cost(view, r, d), i, j) for i, d in enumerate(duties) for j, r in enumerate(free)
        ]
        _, i, j = min(pairs)
        robot, duty = free.pop(j), duties.pop(i)
        action = towards(view, robot, duty.name, duty.verb)
        plan.give(robot, "duty", duty.name, action)
        shut = view.shut_in(view.things[duty.name])
        if shut is not None:
            # One robot opens; what else is in there waits.
            duties = [d for d in duties if view.shut_in(view.things[d.name]) is not shut]


def _cost(view: View, robot: Robot, duty: Duty) -> tuple[int, int, float]:
    missed = view.notes.missed.get((robot.name, duty.name), 0)
    return (missed // 2, duty.rank, robot.distance(view.things[duty.name]))


# Closing and searching.


def _close_or_search(plan: Plan, robot: Robot) -> None:
    view, work = plan.view, plan.work
    for name in work.closing:
        if name not in plan.taken and not _needed_open(plan, name):
            plan.give(robot, "close", name, towards(view, robot, name, "CloseObject"))
            return
    busy = any(job.kind in ("bring", "duty", "close") for job in plan.jobs.values())
    if work.missing or not busy:
        _search(plan, robot, work.missing or work.maybe)
    elif work.maybe and view.notes.stale < _STALE:
        plan.give(robot, "search", "", EXPLORE)
    else:
        plan.give(robot, "assist", "", IDLE)


def _look_into(view: View, robot: Robot, work: Work) -> str:
    """How to see more of a container it has just opened; "" if there is no need.

    A fridge is deep: one goes nearer and looks down. For others it is enough to look down.
    """
    wanted = (*work.missing, *work.maybe)
    if robot.previous is None or not robot.previous[2] or not wanted:
        return ""
    verb, args, _ = robot.previous
    container = view.notes.thing(args[0]) if len(args) == 1 else None
    if container is None or not encloses(container.kind) or not container.states.get("open"):
        return ""
    likely = any(container.kind in USUAL_PLACE.get(kind, ()) for kind in wanted)
    inside = any(t.where == container.name and t.name in robot.sees for t in view.things.values())
    if verb == "OpenObject" and likely:
        return f"NavigateTo({container.name})"
    if verb == "NavigateTo" and likely and container.kind == "fridge":
        return LOOK_INTO
    return LOOK_INTO if verb == "OpenObject" and not inside else ""


def _better_placed(plan: Plan, robot: Robot, thing: Thing) -> bool:
    """Whether another robot that is free has an easier way to a thing."""
    view = plan.view

    def key(one: Robot) -> tuple[int, bool, float]:
        missed = view.notes.missed.get((one.name, thing.name), 0)
        return (missed, one.at != thing.name, one.distance(thing))

    others = [o for o in view.robots.values() if o.name not in plan.jobs and o is not robot]
    return any(key(other) < key(robot) for other in others)


def _needed_open(plan: Plan, name: str) -> bool:
    """Whether something still goes into a container or comes out of it."""
    view, container = plan.view, plan.view.things[name]
    for robot in view.robots.values():
        if robot.held and matches(container.kind, places_for(view, view.things[robot.held])):
            return True
    for duty in plan.work.duties:
        thing = view.things[duty.name]
        if container in view.around(thing) or matches(container.kind, duty.places):
            return True
    return False


def _search(plan: Plan, robot: Robot, kinds: Iterable[str], carrying: bool = False) -> None:
    """Look for kinds of things: where they usually are, around, then in closed containers."""
    view, notes = plan.view, plan.view.notes
    wanted = tuple(kinds)
    usual = {place for kind in wanted for place in USUAL_PLACE.get(kind, ())}
    shut = [
        t
        for t in (view.things[n] for n in view.named)
        if encloses(t.kind) and t.states.get("open") is False and t.name not in plan.taken
        and notes.missed.get((robot.name, t.name), 0) < _TIRED
    ]  # fmt: skip
    closed = [t for t in shut if t.name not in notes.looked_into]
    likely = [t for t in closed if t.kind in usual]
    rest = closed if notes.stale >= _STALE and not carrying else []
    # Something may have been overlooked in the likeliest place.
    again = [t for t in shut if t.kind in usual] if notes.stale > 2 * _STALE else []
    for options in (likely, rest, again):
        options = [t for t in options if not _better_placed(plan, robot, t)]
        if options:
            best = min(options, key=lambda t: (*_order(t.kind, wanted), robot.distance(t)))
            plan.give(robot, "search", best.name, towards(view, robot, best.name, "OpenObject"))
            return
    plan.give(robot, "search", "", EXPLORE)


def _order(kind: str, wanted: tuple[str, ...]) -> tuple[bool, int]:
    """In which order a kind of container is searched: first where such things are kept."""
    kept = any(kind in KEPT_IN.get(thing, ()) for thing in wanted)
    return not kept, SEARCHED.index(kind)


# Trouble.


def _get_unstuck(plan: Plan, robot: Robot, index: int) -> None:
    """What a careful worker does when the same thing goes wrong again and again."""
    view, job, why = plan.view, plan.jobs[robot.name], robot.previous_reason
    blocker = _BLOCKER.match(why)
    if blocker and blocker[1] in view.things:
        thing = view.things[blocker[1]]
        if thing.states.get("open"):
            job.actions = [towards(view, robot, thing.name, "CloseObject"), *job.actions]
            return
        if thing.kind not in FIXED and not robot.held:
            job.actions = [towards(view, robot, thing.name, "PickupObject"), *job.actions]
            return
    fruitless = view.notes.fruitless.get(robot.name, 0)
    ajar = _AJAR.search(why)
    if ajar and fruitless >= 2:
        names = [n for n in ajar[1].split(", ") if n in view.things and n != job.place]
        names = [n for n in names if view.notes.missed.get((robot.name, n), 0) < _TIRED]
        if names:
            name = min(names, key=lambda n: robot.distance(view.things[n]))
            job.actions = [towards(view, robot, name, "CloseObject"), *job.actions]
            return
    if fruitless and fruitless % _TIRED == 0:
        side = _SIDES[(view.notes.steps + index) % len(_SIDES)]
        other = EXPLORE if fruitless % (2 * _TIRED) == 0 else f"Move({side})"
        job.actions = [other, *job.actions]


def _make_way(plan: Plan) -> None:
    """Whoever stands in another's way and has nothing better to do goes and looks around."""
    for robot in plan.view.robots.values():
        for other in plan.view.robots.values():
            stands = re.match(rf"(?:.* and )?{re.escape(other.name)}\b", robot.previous_reason)
            if other is robot or not stands:
                continue
            job = plan.jobs[other.name]
            if job.actions[0] == IDLE:
                job.actions = [EXPLORE, *job.actions]


def _alternatives(plan: Plan, robot: Robot) -> None:
    """Fill up with other sensible actions, so that any number of candidates can be given."""
    view, job = plan.view, plan.jobs[robot.name]
    more: list[str] = []
    if robot.held:
        item = view.things[robot.held]
        kinds = places_for(view, item) or SPARE_SURFACES
        others = [p for p in _receptacles(view, kinds) if can_take(view, item, p)]
        others = [p for p in others if p.name not in plan.taken and p.name != job.place]
        others.sort(
            key=lambda p: (view.notes.refused.get((item.name, p.name), 0), robot.distance(p))
        )
        more += [_put(view, robot, p) for p in others[:2]]
    elif job.kind != "assist":
        rest = [d for d in plan.work.duties if d.name not in plan.taken]
        rest.sort(key=lambda d: _cost(view, robot, d))
        more += [towards(view, robot, d.name, d.verb) for d in rest[:2]]
    if robot.previous is not None and not robot.previous[2]:
        more += [f"Move({side})" for side in _SIDES[:2]]  # perhaps it stands badly
    more += [IDLE, EXPLORE]
    more += [f"Move({side})" for side in _SIDES]
    more += ["Rotate(Left)", "Rotate(Right)"]
    job.actions = list(dict.fromkeys([*job.actions, *more]))


def jobs_of(jobs: Mapping[str, Job], kind: str) -> list[str]:
    """The robots with a job of one kind."""
    return [name for name, job in jobs.items() if job.kind == kind]
