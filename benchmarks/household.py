"""How fast the household room is: primitive steps of the embedded surface.

    python benchmarks/household.py [--quick] [--json]

With --json the last line printed is one JSON object. `primitive_steps_per_s` is the embedded
surface with a scene of at least 80 objects and 2 agents: full metadata for both agents after every
step, no pictures drawn; walking, turning, looking and carrying. `player_steps_per_s` is the
stand-in player beside it, with a 300 x 300 picture per agent and step.
"""

from __future__ import annotations

import argparse
import json
import random
import time

from mosaic_planner.core.action import Action
from mosaic_planner.worlds.household import make
from mosaic_planner.worlds.household.player.service import Service
from mosaic_planner.worlds.household.scenes.generated import GeneratedScenes, generate
from mosaic_planner.worlds.household.scenes.stocking import OneScene
from mosaic_planner.worlds.household.thor.controller import Controller

_MOTION = ("MoveAhead", "MoveAhead", "RotateRight", "RotateLeft", "MoveBack", "LookDown", "LookUp")


def embedded(steps: int, agents: int = 2) -> dict[str, float]:
    """Steps per second over random motion with an object picked up now and then."""
    scene = generate("kitchen", 3, {"Vase": 6, "Book": 5, "Pen": 5, "Bottle": 4, "Cup": 3})
    if len(scene.objects) < 80:
        raise SystemExit(f"the scene has {len(scene.objects)} objects, not 80")
    controller = Controller(scene, scenes=OneScene(scene), agentCount=agents)
    rng = random.Random(0)
    apple = next(o.object_id for o in scene.objects if o.object_type == "Apple")
    start = time.perf_counter()
    for k in range(steps):
        if k % 100 == 50:
            controller.step("PickupObject", objectId=apple, forceAction=True, agentId=0)
        elif k % 100 == 75:
            controller.step("DropHeldObject", agentId=0)
        else:
            controller.step(rng.choice(_MOTION), agentId=k % agents)
    seconds = time.perf_counter() - start
    return {
        "primitive_steps_per_s": round(steps / seconds, 1),
        "objects": len(scene.objects),
        "agents": agents,
        "steps": steps,
    }


def player(steps: int, agents: int = 2) -> dict[str, float]:
    """Steps per second of the stand-in player's own part: payload and pictures, no transport."""
    service = Service(GeneratedScenes())
    service.answer({"action": "Initialize", "agentCount": agents})
    rng = random.Random(0)
    start = time.perf_counter()
    for k in range(steps):
        service.answer({"action": rng.choice(_MOTION), "agentId": k % agents, "sequenceId": k})
    seconds = time.perf_counter() - start
    return {"player_steps_per_s": round(steps / seconds, 1)}


def episodes(steps: int) -> dict[str, float]:
    """Joint steps per second of the world with high-level actions (2 robots exploring)."""
    world = make(task=1, floorplan=1)
    joint = dict.fromkeys(world.agents, Action("Explore"))
    start = time.perf_counter()
    for _ in range(steps):
        world.step(joint)
    seconds = time.perf_counter() - start
    return {"explore_joint_steps_per_s": round(steps / seconds, 1)}


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer steps")
    parser.add_argument("--json", action="store_true", help="one JSON object in the last line")
    options = parser.parse_args()
    result = {
        **embedded(1000 if options.quick else 6000),
        **player(50 if options.quick else 300),
        **episodes(5 if options.quick else 40),
    }
    for key, value in result.items():
        print(f"{key:>24}: {value}")
    if options.json:
        print(json.dumps(result))


if __name__ == "__main__":
    main()
