"""How to rescue and extinguish: from a view to ranked actions for every robot.

A careful dispatcher. Fires first, because they grow: each fire gets a crew as large as it has
burning regions, everybody else looks for people; a found person gets as many carriers as it needs
as soon as enough robots are free. Everything that is needed to know where a robot stands comes
from its own trips (notes, history) or from memory lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mosaic_planner.models.standin.common_sense import (
    CAUTION_UNITS,
    OUTGROWN_PER_ROBOT,
    PATIENCE_STEPS,
)
from mosaic_planner.models.standin.jobs import DONE, EXPLORE, IDLE, Job
from mosaic_planner.models.standin.sar_view import Fire, Robot, View

__all__ = ["decide", "open_work", "work_done"]


def _go(name: str) -> str:
    return f"NavigateTo({name})"


def _near(robot: Robot, names: Iterable[str]) -> list[str]:
    """The names by distance as far as it is known, otherwise in the order given."""
    given = list(names)
    far = float("inf")

    def key(name: str) -> tuple[float, int]:
        distance = robot.distance(name)
        return (far if distance is None else distance, given.index(name))

    return sorted(given, key=key)


def decide(view: View) -> dict[str, Job]:
    """One job with ranked actions for every robot; deterministic."""
    robots = list(view.robots.values())
    if view.finished:
        return {r.name: Job("done", actions=[DONE, IDLE]) for r in robots}
    jobs: dict[str, Job] = {}
    for robot in robots:
        if robot.busy:
            jobs[robot.name] = Job("carry", robot.carries or _only_person(view, robots))
    _crew_persons(view, jobs)
    _crew_fires(view, jobs)
    idle = [r for r in robots if r.name not in jobs]
    for robot in idle:
        jobs[robot.name] = Job("explore" if view.missing else "assist")
    _act(view, jobs)
    for robot in robots:
        _alternatives(view, robot, jobs)
    return jobs


def _only_person(view: View, robots: list[Robot]) -> str:
    """Whom somebody carries whose notes are lost: the first waiting person nobody else carries."""
    taken = {r.carries for r in robots if r.carries}
    return next((p for p in view.persons if p not in taken), next(iter(view.persons), ""))


def _crew_persons(view: View, jobs: dict[str, Job]) -> None:
    free = [r for r in view.robots.values() if r.name not in jobs]
    wanted = sum(len(f.regions) for f in view.burning)
    # While something burns, people get the robots that no fire needs; but a fire that outgrew the
    # team can wait, because bringing somebody in is short work, and a large team always spares a
    # crew.
    outgrown = _outgrown(view)
    spare = len(free) if outgrown else len(free) - min(wanted, len(free))
    for person, load in view.persons.items():
        bound = sum(1 for j in jobs.values() if j.kind == "carry" and j.target == person)
        lacking = load - bound
        if lacking <= 0:
            continue
        large_team = len(free) - lacking >= 2
        if not bound and spare < lacking and not large_team:
            continue
        there = [r for r in free if r.at(person)]
        rest = [r for r in free if r not in there]
        rest.sort(key=lambda r: (r.units, _far(r.distance(person))))
        chosen = (there + rest)[:lacking]
        if len(chosen) < lacking and not bound:
            continue
        for robot in chosen:
            jobs[robot.name] = Job("fetch", person)
            free.remove(robot)
        spare -= lacking


def _outgrown(view: View) -> bool:
    """Whether people come first: the fires need too many uses, or have burnt for too long."""
    if view.notes.steps >= PATIENCE_STEPS:
        return True
    weight = sum(sum(f.regions.values()) for f in view.burning)
    return weight > OUTGROWN_PER_ROBOT * len(view.robots)


def _far(distance: float | None) -> float:
    return float("inf") if distance is None else distance


def _crew_fires(view: View, jobs: dict[str, Job]) -> None:
    free = [r for r in view.robots.values() if r.name not in jobs]
    if _outgrown(view) and view.missing and not view.persons:
        free = free[len(free) // 2 :]  # half of the team looks for people meanwhile
    burning = [f for f in view.burning if f.supply]
    crews = {f.name: 0 for f in burning}

    def take(robot: Robot, fire: Fire) -> None:
        jobs[robot.name] = Job("fire", fire.name)
        crews[fire.name] += 1
        free.remove(robot)

    def hunger(fire: Fire) -> float:
        return sum(fire.regions.values()) / (crews[fire.name] + 1)

    for robot in list(free):  # who already has what a fire needs, or stands where it is given
        fits = [f for f in burning if robot.load.get(f.supply, 0) > 0]
        if not robot.units:
            fits += [f for f in burning if view.reservoirs.get(robot.place) == f.supply]
        fits = [f for f in fits if crews[f.name] < len(f.regions)]
        if fits:
            at = [f for f in fits if robot.place in f.regions]
            take(robot, (at or sorted(fits, key=hunger, reverse=True))[0])
    while free:
        hungry = [f for f in burning if crews[f.name] < len(f.regions)]
        if not hungry:
            break
        fire = max(hungry, key=hunger)
        sources = [v for v, s in view.reservoirs.items() if s == fire.supply]
        robot = min(free, key=lambda r: min((_far(r.distance(v)) for v in sources), default=0.0))
        take(robot, fire)
    if not view.missing and not view.persons:  # nothing else to do: everybody helps
        for robot in list(free):
            if burning:
                take(robot, max(burning, key=hunger))


def _act(view: View, jobs: dict[str, Job]) -> None:
    targeted: set[str] = set()
    order = sorted(
        view.robots.values(), key=lambda r: 0 if _standing_in_fire(view, r, jobs[r.name]) else 1
    )
    for robot in order:
        job = jobs[robot.name]
        if job.kind == "carry":
            job.actions = _carry(view, robot, job.target, jobs)
        elif job.kind == "fetch":
            job.actions = _fetch(view, robot, job.target, jobs)
        elif job.kind == "fire":
            job.actions = _fight(view, robot, view.fires[job.target], jobs, targeted)
        else:
            job.actions = [EXPLORE if job.kind == "explore" else IDLE]


def _standing_in_fire(view: View, robot: Robot, job: Job) -> bool:
    return job.kind == "fire" and robot.place in view.fires[job.target].regions


def _carry(view: View, robot: Robot, person: str, jobs: dict[str, Job]) -> list[str]:
    carriers = [
        r
        for r in view.robots.values()
        if jobs[r.name].kind == "carry" and jobs[r.name].target == person
    ]
    deposit = next(iter(_near(robot, view.deposits)), "")
    if not deposit:
        return [EXPLORE]
    if len(carriers) < view.persons.get(person, 2):
        # A successful carry may still be one too few: wait for the others where they come.
        return [IDLE, _go(deposit)]
    if robot.place != deposit:
        return [_go(deposit), IDLE]
    if all(r.place == deposit for r in carriers):
        return [f"DropOff({deposit}, {person})", IDLE]
    return [IDLE, f"DropOff({deposit}, {person})"]


def _fetch(view: View, robot: Robot, person: str, jobs: dict[str, Job]) -> list[str]:
    crew = [
        r
        for r in view.robots.values()
        if jobs[r.name].kind == "fetch" and jobs[r.name].target == person
    ]
    bound = sum(1 for j in jobs.values() if j.kind == "carry" and j.target == person)
    if robot.place != person:
        return [_go(person)]  # first go there, as told; never act from afar
    ready = sum(1 for r in crew if r.place == person) + bound
    if ready >= view.persons[person]:
        return [f"Carry({person})", IDLE]
    return [IDLE, f"Carry({person})"]


def _fight(
    view: View, robot: Robot, fire: Fire, jobs: dict[str, Job], targeted: set[str]
) -> list[str]:
    have = robot.load.get(fire.supply, 0)
    crew = sum(1 for j in jobs.values() if j.kind == "fire" and j.target == fire.name)
    need = -(-sum(fire.regions.values()) // max(crew, 1)) + CAUTION_UNITS
    wanted = max(1, min(view.capacity, need))
    source = next(
        iter(_near(robot, (v for v, s in view.reservoirs.items() if s == fire.supply))), ""
    )
    at_source = bool(source) and robot.at(source)
    if at_source and have < wanted and robot.units < view.capacity:
        return [f"GetSupply({source})", *_regions(view, robot, fire, targeted)[:1]]
    if have:
        ranked = _regions(view, robot, fire, targeted)
        if ranked:
            targeted.add(_target_of(ranked[0]))
            return ranked
        return [EXPLORE]
    if robot.units >= view.capacity:
        return ["ClearInventory()", _go(source) if source else IDLE]
    if not source:
        return [EXPLORE]
    return [f"GetSupply({source})" if at_source else _go(source)]


def _target_of(action: str) -> str:
    return action.partition("(")[2].partition(",")[0].rstrip(")")


def _regions(view: View, robot: Robot, fire: Fire, targeted: set[str]) -> list[str]:
    """Where to use a supply of this fire, best first; where the robot stands comes first."""
    beyond = view.notes.out_of_reach
    use: Callable[[str], str] = lambda name: f"UseSupply({name}, {fire.supply})"  # noqa: E731
    ranked = []
    here = robot.place
    if here in fire.regions and here not in beyond:
        ranked.append(use(here))
    elif here in beyond and here in fire.regions:
        step = _step_towards(robot, fire)
        if step:
            ranked.append(step)
    if _moved_towards(robot) and not ranked and _burns_around(robot, fire):
        ranked.append(use(fire.name))
    others = [r for r in _near(robot, fire.regions) if r != here]
    others.sort(key=lambda r: (r in targeted, r in beyond, -fire.regions[r]))
    return ranked + [_go(name) for name in others]


def _burns_around(robot: Robot, fire: Fire) -> bool:
    return any(
        what.startswith(f"{fire.name} ") and not what.endswith("None")
        for what in robot.around.values()
    )


def _moved_towards(robot: Robot) -> bool:
    return robot.previous is not None and robot.previous[0] == "Move" and robot.previous[2]


def _step_towards(robot: Robot, fire: Fire) -> str:
    """A move nearer to the middle of the fire, as far as the prompt tells where that is."""
    way = robot.ways.get(fire.name)
    if way is not None:
        right, down = way
        if abs(right) >= abs(down):
            return f"Move({'Right' if right > 0 else 'Left'})"
        return f"Move({'Down' if down > 0 else 'Up'})"
    for side in ("Left", "Right", "Up", "Down"):
        if robot.around.get(side, "").startswith(fire.name):
            return f"Move({side})"
    return ""


def _alternatives(view: View, robot: Robot, jobs: dict[str, Job]) -> None:
    """Fill up with other sensible actions, so that any number of candidates can be given."""
    job = jobs[robot.name]
    more: list[str] = []
    if job.kind == "carry":
        more += [_go(d) for d in view.deposits]
    else:
        for fire in view.burning:
            if robot.load.get(fire.supply, 0):
                more += _regions(view, robot, fire, set())
        sources = [
            v for v, s in view.reservoirs.items() if any(f.supply == s for f in view.burning)
        ]
        if robot.units < view.capacity:
            for source in _near(robot, sources):
                more.append(f"GetSupply({source})" if robot.place == source else _go(source))
        more += [_go(p) for p in view.persons if robot.place != p and _lacks(view, p, jobs)]
        if view.missing:
            more.append(EXPLORE)
    more += [IDLE, EXPLORE]
    more += [f"Move({side})" for side in ("Up", "Down", "Left", "Right")]
    job.actions = list(dict.fromkeys(job.actions + more))


def _lacks(view: View, person: str, jobs: dict[str, Job]) -> bool:
    """Whether more robots are wanted for a person than go for it or carry it already."""
    return sum(1 for j in jobs.values() if j.target == person) < view.persons[person]


def open_work(view: View) -> list[str]:
    """The planner's list: named work that is not done, the most urgent first."""
    deposit = next(iter(view.deposits), "the deposit")
    work = []
    for fire in sorted(view.burning, key=lambda f: -f.level):
        source = next((v for v, s in view.reservoirs.items() if s == fire.supply), "")
        origin = f" from {source}" if source else ""
        work.append(f"put out {fire.name} with {fire.supply}{origin}")
    work += [f"find {person}" for person in view.missing]
    waiting = [*view.persons, *view.missing]
    work += [f"carry {p} to {deposit} and drop it off there" for p in waiting]
    return work


def work_done(view: View, work: Iterable[str]) -> list[str]:
    """Which entries of a list are done as far as the prompt shows."""
    done = []
    for text in work:
        words = text.replace(",", " ").split()
        fires = [name for name in view.fires if name in words]
        persons = [n for n in (*view.persons, *view.missing, *view.notes.delivered) if n in words]
        if fires and not persons:
            finished = all(view.fires[n] not in view.burning for n in fires)
        elif persons and words[0] == "find":
            finished = all(n not in view.missing for n in persons)
        else:
            finished = bool(persons) and all(n in view.notes.delivered for n in persons)
        if finished:
            done.append(text)
    return done
