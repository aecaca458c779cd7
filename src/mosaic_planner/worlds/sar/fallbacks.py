"""What an agent can safely do when none of its proposals is any good.

Only suggestions: `SarRules` keeps those that are eligible. In order: bring home whom it carries,
fight the fire it stands at, help to carry, fetch and use supplies, look for persons, go
where nobody has been, step aside.
"""

from __future__ import annotations

from collections.abc import Iterator

from mosaic_planner.core.action import IDLE, Action
from mosaic_planner.core.belief import Belief
from mosaic_planner.worlds.sar.belief_map import BeliefMap, believed_level, supply_of
from mosaic_planner.worlds.sar.grid import DIRECTIONS
from mosaic_planner.worlds.sar.state import NEAR

__all__ = ["safe_actions"]

_BESIDE = 1.5
"""Next to a thing, diagonals included."""

Suggestion = tuple[Action, str]


def safe_actions(agent: str, known: BeliefMap) -> Iterator[Suggestion]:
    """Actions with what they are for, most useful first; Idle last, always."""
    if known.carrying.get(agent):
        yield from _bring_home(agent, known)
    else:
        yield from _extinguish_here(agent, known)
        yield from _assist(agent, known)
        yield from _go_to_fire(agent, known)
        yield from _fetch(agent, known)
        if known.unfound():
            yield Action("Explore"), "look for persons nobody has found"
        yield from _visit(agent, known)
        yield from _step_aside(agent, known)
    yield IDLE, "nothing better is known"


def _nearest(agent: str, known: BeliefMap, things: list[Belief]) -> list[Belief]:
    """By believed distance, then by name."""
    distances = {t.name: known.distance(agent, t.name) for t in things}
    return sorted(things, key=lambda t: (distances[t.name] or 0.0, t.name))


def _bring_home(agent: str, known: BeliefMap) -> Iterator[Suggestion]:
    person = known.carrying[agent]
    for deposit in _nearest(agent, known, known.deposits):
        yield Action("DropOff", (deposit.name, person)), f"deliver {person}"
        if known.beyond(agent, deposit.name, NEAR) > 0.0:
            # A robot that waits for more carriers may go ahead: the person follows its first
            # carrier once enough robots hold it (rules F5, F6).
            yield Action("NavigateTo", (deposit.name,)), f"bring {person} to {deposit.name}"


def _extinguish_here(agent: str, known: BeliefMap) -> Iterator[Suggestion]:
    local = known.beliefs.local(agent)
    for fire in _nearest(agent, known, known.fires):
        supply = supply_of(fire)
        if not known.held(agent, supply):
            continue
        seen = [str(local.get(name, "")) for name, _, _ in DIRECTIONS]
        if any(s.startswith(f"{fire.name} ") and not s.endswith(" None") for s in seen):
            yield Action("UseSupply", (fire.name, supply)), f"put out {fire.name} here"


def _assist(agent: str, known: BeliefMap) -> Iterator[Suggestion]:
    """Staff a carry that lacks robots, those already begun first."""
    wanting = [p for p in known.persons if known.missing_carriers(p)]
    team = len(known.carrying)
    begun = [p for p in wanting if known.carriers.get(p.name)]
    for person in (*_nearest(agent, known, begun), *_nearest(agent, known, wanting)):
        load = person.attribute("load", 2)
        if isinstance(load, int) and load > team:
            continue  # the team is too small; holding on would only bind the robot
        distance = known.distance(agent, person.name)
        unvisited = person.name in known.unvisited
        if distance is None or distance > _BESIDE or unvisited:
            yield Action("NavigateTo", (person.name,)), f"help to carry {person.name}"
        if unvisited and not known.carriers.get(person.name):
            continue  # once it is carried nobody can go to it any more (rule K10)
        yield Action("Carry", (person.name,)), f"help to carry {person.name}"


def _go_to_fire(agent: str, known: BeliefMap) -> Iterator[Suggestion]:
    burning = [r for r in known.regions if believed_level(r)]
    for region in _nearest(agent, known, burning):
        fire = known.fire_of(region.name)
        if fire is not None and known.held(agent, supply_of(fire)):
            yield Action("NavigateTo", (region.name,)), f"put out {region.name}"
    for fire in _nearest(agent, known, known.fires):
        if believed_level(fire) and known.held(agent, supply_of(fire)):
            yield Action("NavigateTo", (fire.name,)), f"put out {fire.name}"


def _fetch(agent: str, known: BeliefMap) -> Iterator[Suggestion]:
    for reservoir in _nearest(agent, known, known.reservoirs):
        gives = str(reservoir.attribute("gives"))
        if not known.needed(gives):
            continue
        if known.free(agent) <= 0:
            if not known.held(agent, gives):
                yield Action("ClearInventory"), f"make room for {gives}"
            continue
        if known.beyond(agent, reservoir.name, NEAR) < 0.5:
            yield Action("GetSupply", (reservoir.name,)), f"{gives} is needed"
        else:
            yield Action("NavigateTo", (reservoir.name,)), f"{gives} is needed"


def _visit(agent: str, known: BeliefMap) -> Iterator[Suggestion]:
    """Go to what the mission wants gone to; whoever had it in reach may have skipped that (K10)."""
    sites = [*known.fires, *known.reservoirs]
    for site in _nearest(agent, known, [s for s in sites if s.name in known.unvisited]):
        yield Action("NavigateTo", (site.name,)), f"nobody has gone to {site.name} yet"


def _step_aside(agent: str, known: BeliefMap) -> Iterator[Suggestion]:
    """Free the cells that others land on: next to sites and persons, and on fire regions."""
    here = known.cells.get(agent)
    if here is None:
        return
    wanted = [known.cells[t.name] for t in (*known.reservoirs, *known.deposits, *known.persons)]
    regions = [known.cells[r.name] for r in known.regions]

    def crowding(cell: tuple[int, int]) -> int:
        beside = sum(abs(cell[0] - x) + abs(cell[1] - y) == 1 for x, y in wanted)
        return beside + (cell in regions)

    now = crowding(here)
    if not now:
        return
    for name, dx, dy in DIRECTIONS[:4]:
        if crowding((here[0] + dx, here[1] + dy)) < now:
            yield Action("Move", (name,)), "make room for others"
