"""A fleet of 50 robots and its tasks, coordinated without world or model, in under 60 lines.

Each robot has ranked wishes from somewhere (here: its nearest tasks). A shelf is one robot's, a
pallet takes two robots at once, and a robot with little charge rather goes nowhere far.
"""

import random

from mosaic_planner.coordination import ActionProfile, JointNeed, MosaicCoordinator, Term
from mosaic_planner.core.action import IDLE, Action
from mosaic_planner.core.candidate import Candidate

rng = random.Random(1)


def place():
    return rng.uniform(0, 100), rng.uniform(0, 100)


ROBOTS = {f"R{i:02}": (place(), rng.random()) for i in range(50)}  # where it is, how charged
SHELVES = {f"Shelf{i:02}": place() for i in range(30)}
PALLETS = {f"Pallet{i}": place() for i in range(8)}
PLACES = {**SHELVES, **PALLETS}


def steps(robot, target):
    (x, z), _ = ROBOTS[robot]
    return abs(x - PLACES[target][0]) + abs(z - PLACES[target][1])


class FleetRules:
    """All that the coordinator must know about this domain."""

    def profile(self, agent, action, beliefs):
        if action == IDLE:
            return ActionProfile(idle=True)
        target = action.args[0]
        if target in PALLETS:
            lift = JointNeed(f"lift {target}", 2)
            return ActionProfile(joint=lift, steps=steps(agent, target), progress=0.9)
        return ActionProfile(claims=(target,), steps=steps(agent, target), progress=0.6)

    def fallbacks(self, agent, beliefs):
        return [Candidate(agent, IDLE, 0, "safe")]


wishes = {}
for robot in ROBOTS:
    nearest = sorted(PLACES, key=lambda target: steps(robot, target))[:5]
    wishes[robot] = [Candidate(robot, Action("Serve", (t,)), n) for n, t in enumerate(nearest)]

drain = Term("drain", lambda o, scene: 0.05 * o.profile.steps * (1 - ROBOTS[o.agent][1]))
result = MosaicCoordinator(FleetRules(), terms_extra=[drain]).select(wishes)

busy = [robot for robot, choice in result.chosen.items() if not choice.profile.idle]
print(f"{len(busy)} of {len(ROBOTS)} robots have a task, {len(result.active)} pallets are lifted")
print(f"{result.status}: {result.objective:.2f} by {result.solver}")
print(*result.explain().splitlines()[:6], sep="\n")
