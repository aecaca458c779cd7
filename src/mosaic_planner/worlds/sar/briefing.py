"""What the team is told before the first step (rules J10, R9, R10), in our own words.

A model that knows nothing but these lines and its observations must be able to act well.
"""

from __future__ import annotations

from collections.abc import Sequence

from mosaic_planner.core.world import Briefing
from mosaic_planner.worlds.sar.fire import TYPE_WORDS
from mosaic_planner.worlds.sar.scene import SUPPLIES, Scene

__all__ = ["brief"]

_HINTS = (
    "Go to an object (NavigateTo) before acting on it.",
    "To fight a fire, first fetch its supply, then go to one of its regions by name and use the "
    "supply there; a use acts where the robot stands, so go to a burning region first.",
    "Every use takes one unit: bring several, and fetch more when they are used up.",
    "Put the sources of a fire out first, and early: a small fire needs few units.",
    "While a person has not been found, let a robot that is free Explore.",
    "A robot that carries a person can only move, explore and drop the person off.",
    "A successful Carry may not be enough: the person stays where it is until enough robots hold "
    "it. Once they do, all of them go to the deposit, and then all of them DropOff.",
    "Several robots should not do the same thing at the same fire region; share the work.",
    "A fire is out when its average intensity is None.",
)

_FAILURE_CAUSES = (
    "supply was to be taken before the robot was near the reservoir or deposit",
    "supply was used before the robot was near the fire, or away from the fire's cells",
    "the supply does not match the fire's type, or the robot holds none of it",
    "the robot's inventory is full",
    "the object is not visible: the person was not found yet, the region does not burn any more",
    "the robot carries a person and may not use, get, store or clear supplies",
    "the person is carried by enough robots already, or the robot is too far from the person",
    "DropOff while some robot that carries the person was not near the deposit or did not DropOff",
    "the way or the place next to the target is occupied",
)


def _join(words: Sequence[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def _instruction(scene: Scene) -> str:
    """Rule J10."""
    parts = []
    if scene.fires:
        fires = _join([f"{f.name} ({TYPE_WORDS[f.type]})" for f in scene.fires])
        parts.append(f"Put out {fires} with the right supplies")
    if scene.persons:
        people = _join([p.name for p in scene.persons])
        deposit = _join([d.name for d in scene.deposits])
        verb = "find" if parts else "Find"
        parts.append(
            f"{verb} {people}, and nobody else, carry them to the deposit {deposit} and drop "
            "them off there"
        )
    return "; ".join(parts) + "."


def _rules(scene: Scene, agents: Sequence[str], grid: tuple[int, int]) -> tuple[str, ...]:
    loads = sorted({p.load for p in scene.persons})
    load = loads[0] if loads else 2
    carriers = f"{load} robot{'s' if load != 1 else ''}"
    return (
        f"The robots {_join(agents)} work on a grid of {grid[0]} x {grid[1]} cells; positions are "
        "(x, y), x grows to the right, y grows downwards; Up lowers y, Down raises it.",
        "Each robot does one action per step, all in the same step, in the order of their names "
        "above; every action takes one step however far it leads.",
        "Fires, reservoirs and deposits are visible to all robots at any distance; another robot "
        "only within 4 cells.",
        "A person is hidden until a robot comes near; from then on all robots see it.",
        "Sand puts out chemical fires; Water puts out non-chemical fires.",
        "A fire's cells have the intensity None, Low, Medium or High. Burning cells grow one level "
        "every few steps (a Low one becomes Medium after about 8 steps), and Medium and High ones "
        "spread to the cells around them.",
        "UseSupply acts on the fire's cells in the robot's own cell and the 8 cells around it, and "
        "lowers each by one level; it does not act at the named region unless the robot is there. "
        "It needs the robot within range of the fire's centre (3 to 6 cells, more for larger "
        "fires), and uses up one unit, also when the supply is the wrong one.",
        "A fire has regions named <fire>_Region_<number>; a region is one cell with its "
        "surroundings, the first numbers are the fire's sources. Only burning regions are visible; "
        "its shown intensity is the highest of its cell and the cells around it.",
        "NavigateTo a region goes onto its cell; NavigateTo anything else goes next to it.",
        "A reservoir gives one unit of its own supply per GetSupply, without end; the robot must "
        "be within 4 cells of it.",
        "A deposit stores Sand, Water and persons; taking supplies there is a detour unless some "
        "were stored before. The robot must be within 4 cells of it.",
        "A robot holds 3 units, Sand and Water together. Taking hold of a person throws them away "
        "and fills all 3 places until the person is delivered.",
        f"A person is carried by exactly {carriers}: as many must Carry it before it moves, and it "
        "then moves with the first of them. They cannot let go except by DropOff.",
        f"To deliver a person, {'the robot' if load == 1 else 'all ' + str(load) + ' robots'} "
        "carrying it must be within 4 cells of the deposit, and each of them must DropOff.",
        "Explore goes up to 20 cells in a random direction.",
        "Robots, reservoirs, deposits and persons block their cells; fires do not.",
        "Idle does nothing. Done says that the whole task is finished.",
    )


def brief(scene: Scene, agents: Sequence[str], *, wrong_grid: bool = False) -> Briefing:
    """The briefing; `wrong_grid` states the reference's mistaken 3 x 3 grid (N10)."""
    supplies = {SUPPLIES[f.type] for f in scene.fires}
    words = (
        *(f.name for f in scene.fires),
        *(r.name for r in scene.reservoirs if SUPPLIES[r.type] in supplies),
        *(d.name for d in scene.deposits),
        *(p.name for p in scene.persons),
        "fire",
        "region",
        "person",
    )
    return Briefing(
        instruction=_instruction(scene),
        rules=_rules(scene, agents, (3, 3) if wrong_grid else scene.grid),
        hints=_HINTS,
        failure_causes=_FAILURE_CAUSES,
        agent_noun="robot",
        task_words=words,
    )
