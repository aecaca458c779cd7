"""A planner's own time per planning step: all but model, world, memory and coordinator.

    python benchmarks/planners.py [--quick] [--json]

Careful stand-in, search and rescue, scene 4 (the most regions), 5 agents, three candidates each.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any

from mosaic_planner.core.action import IDLE
from mosaic_planner.core.observation import Outcome
from mosaic_planner.memory import make_memory
from mosaic_planner.models.protocol import ChatReply, ChatRequest, Message
from mosaic_planner.models.standin import make_standin
from mosaic_planner.planners.protocol import PlannerSetup, Turn
from mosaic_planner.planners.registry import make_planner, planner_names
from mosaic_planner.worlds.registry import make_world


async def own_ms(name: str, agents: int, steps: int) -> float:
    """Mean milliseconds per step that `name` spends outside of the model."""
    world = make_world("sar", scene=4, agents=agents)
    model = make_standin("gpt4-2024")
    spent_in_model = 0.0

    async def ask(module: str, static: str, state: str, **settings: Any) -> ChatReply:
        nonlocal spent_in_model
        began = time.perf_counter()
        messages = (Message("system", static), Message("user", state))
        reply = await model.complete(ChatRequest(messages, settings.get("schema")))
        spent_in_model += time.perf_counter() - began
        return reply

    setup = PlannerSetup(world.agents, world.vocabulary, world.briefing, ask, k=3, asm=True)
    planner = make_planner(name, setup)
    memory = make_memory(
        "belief",
        agents=world.agents,
        geometry=world.geometry,
        briefing=world.briefing,
        vocabulary=world.vocabulary,
    )
    observations = world.reset(0)
    outcomes: Mapping[str, Outcome] = {}
    total = 0.0
    for step in range(steps):
        memory.update(observations, outcomes)
        lines = {a: memory.lines(a) for a in world.agents}
        turn = Turn(step, observations, memory.beliefs(), outcomes, lines)
        began = time.perf_counter()
        proposal = await planner.propose(turn)
        total += time.perf_counter() - began
        chosen = {a: c[0].action if c else IDLE for a, c in proposal.candidates.items()}
        result = world.step(chosen)
        observations, outcomes = result.observations, result.outcomes
        turn = Turn(step + 1, observations, memory.beliefs(), outcomes, lines)
        began = time.perf_counter()
        await planner.review(turn)
        total += time.perf_counter() - began
    return 1000 * (total - spent_in_model) / steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    steps = 10 if args.quick else 40
    figures = {}
    for name in planner_names():
        figures[name] = round(asyncio.run(own_ms(name, 5, steps)), 3)
        print(f"{name:10} {figures[name]:7.2f} ms per step with 5 agents")
    if args.json:
        print(json.dumps({"own_ms_per_step": figures}))


if __name__ == "__main__":
    main()
