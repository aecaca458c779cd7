"""A small mission, written by hand event by event, so that every shown value is known.

Two agents on a 6 x 5 grid: Alice fails to carry Timmy until Bob helps; a fire of three cells
burns; Alice goes back and forth on the way. Nine steps, three model calls per step.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from mosaic_planner.assembly import build
from mosaic_planner.config import load_config
from mosaic_planner.core.trace import Trace, TraceWriter
from mosaic_planner.episode import play
from mosaic_planner.testing.random_model import RandomModel
from mosaic_planner.worlds.household import make

AGENTS = ("Alice", "Bob")
FIRE, PERSON, DEPOSIT, RESERVOIR = "OakFire", "LostPersonTimmy", "DepositHill", "ReservoirLake"
REGION = f"{FIRE}_Region_1"

# (Alice's cell, Bob's cell, Alice's action, Bob's action, successes, fire levels)
STORY: tuple[tuple[tuple[int, int], tuple[int, int], str, str, tuple[bool, bool], str], ...] = (
    ((0, 0), (5, 4), "", "", (True, True), "110"),
    ((1, 0), (5, 4), "Move(Right)", "Idle", (True, True), "111"),
    ((0, 0), (5, 4), "Move(Left)", "Idle", (True, True), "211"),
    ((1, 0), (5, 4), "Move(Right)", "Idle", (True, True), "221"),
    ((1, 2), (5, 4), f"NavigateTo({PERSON})", "Idle", (True, True), "222"),
    ((1, 2), (4, 1), f"Carry({PERSON})", f"NavigateTo({FIRE})", (False, True), "332"),
    ((1, 2), (4, 1), f"Carry({PERSON})", f"UseSupply({FIRE}, Sand)", (False, True), "221"),
    ((1, 2), (2, 2), f"Carry({PERSON})", f"NavigateTo({PERSON})", (False, True), "110"),
    ((1, 2), (2, 2), f"Carry({PERSON})", f"Carry({PERSON})", (True, True), "000"),
    ((1, 2), (2, 2), "Done", "Done", (True, True), "000"),
)


def make_trace(
    *,
    agents: Sequence[str] = AGENTS,
    person: str = PERSON,
    says: str = "Bob should help Alice.",
    steps: int = len(STORY) - 1,
    world_id: str = "sar-v1",
    complete: bool = True,
    planner: str = "llamar+mosaic",
    change_at: int | None = None,
) -> Trace:
    """The mission, or a part of it. `change_at`: from this step on Bob idles (another episode)."""
    writer = TraceWriter()
    make = _Maker(writer, tuple(agents), person, says, change_at)
    make.header(world_id, planner)
    static = writer.text("You lead a team of two robots.\nAnswer in JSON.")
    make.state(0)
    for step in range(1, steps + 1):
        make.step(step, static)
    if complete:
        end = {"reason": "success", "clock": make.clock(steps)}
        writer.write("end", step=steps, t=make.time(steps), **end)
    return Trace(tuple(writer.events))


class _Maker:
    def __init__(
        self,
        writer: TraceWriter,
        agents: tuple[str, ...],
        person: str,
        says: str,
        change_at: int | None,
    ) -> None:
        self.writer = writer
        self.agents = agents
        self.person = person
        self.says = says
        self.change_at = change_at

    def time(self, step: int) -> float:
        return 2.0 * step

    def clock(self, step: int) -> dict[str, float]:
        return {
            "model_s": 1.5 * step,
            "world_s": 0.4 * step,
            "solver_s": 0.1 * step,
            "waiting_s": 0.0,
        }

    def write(self, event: str, step: int, **fields: Any) -> None:
        self.writer.write(event, step=step, t=self.time(step), **fields)

    def story(self, step: int) -> tuple[Any, ...]:
        alice, bob, a, b, ok, fire = STORY[step]
        if self.change_at is not None and step >= self.change_at:
            bob, b, ok = STORY[self.change_at - 1][1], "Idle", (ok[0], True)
        said = [text.replace(PERSON, self.person) for text in (a, b)]
        return alice, bob, said[0], said[1], ok, fire

    def header(self, world_id: str, planner: str) -> None:
        self.writer.write(
            "header",
            format=1,
            version="0.1.0",
            world={
                "id": world_id,
                "settings": {"scene": "hand-made"},
                "static": {
                    "grid": [6, 5],
                    "capacity": 3,
                    "timeout": 100,
                    "agents": dict(zip(self.agents, ([0, 0], [5, 4]), strict=True)),
                    "reservoirs": {RESERVOIR: {"pos": [5, 0], "radius": 4.2426, "type": "A"}},
                    "deposits": {DEPOSIT: {"pos": [0, 4], "radius": 4.2426}},
                    "persons": {self.person: {"pos": [1, 3], "radius": 3.0, "load": 2}},
                    "fires": {
                        FIRE: {
                            "type": "A",
                            "anchor": [3, 1],
                            "radius": 3,
                            "cells": [[3, 1], [4, 2], [3, 2]],
                            "regions": {REGION: [3, 1]},
                        }
                    },
                    "subtasks": [f"Carry({self.person})", f"EndFire({FIRE})"],
                    "coverage": [FIRE, self.person],
                },
                "unit": 1.0,
                "headings": False,
                "directions": ["up", "right", "down", "left"],
            },
            planner=planner,
            model="standin:careful",
            seed=7,
            agents=list(self.agents),
            budget=100,
            briefing={
                "instruction": f"Put out {FIRE} and rescue {self.person}.",
                "rules": [],
                "hints": [],
                "failure_causes": [],
                "task_words": [],
            },
            token_counter="word-pieces",
            latency="hosted-2024",
            settings={"scene": 1, "k": 3},
        )

    def step(self, step: int, static: str) -> None:
        _, _, a, b, ok, _ = self.story(step)
        for module in ("actor", "verifier", "planner"):
            if module == "verifier":
                self.decide(step, a, b)
                self.outcome(step, a, b, ok)
                self.state(step)
            self.call(step, module, static)
        done = [f"find {self.person}"] if step >= 4 else []
        left = [f"put out {FIRE}", *([] if done else [f"find {self.person}"])]
        self.write("subtasks", step, open=left, completed=done)

    def call(self, step: int, module: str, static: str) -> None:
        self.write(
            "call",
            step,
            module=module,
            model="standin:careful",
            messages=[
                {"role": "system", "text_id": static},
                {"role": "user", "text": f"TASK: put out {FIRE}\n[Alice]\nSTEP: {step}"},
            ],
            reply=f'{{"reason": "{self.says}", "step": {step}}}',
            finish_reason="stop",
            usage={"input_tokens": 100, "cached_tokens": 40, "output_tokens": 20},
            cost_usd=0.0,
            latency_s=0.5,
            waiting_s=0.0,
            attempts=1,
            failure="",
            detail="",
            prompt_tokens=100,
            static_tokens=40,
        )

    def decide(self, step: int, a: str, b: str) -> None:
        def candidate(agent: str, action: str, rank: int) -> dict[str, Any]:
            return {"agent": agent, "action": action, "rank": rank, "source": "model", "why": ""}

        alice, bob = self.agents
        self.write(
            "proposal",
            step,
            candidates={
                alice: [candidate(alice, a, 0), candidate(alice, "Explore()", 1)],
                bob: [candidate(bob, a, 0), candidate(bob, b, 1)],
            },
            rejections=[{"agent": bob, "text": "Fly(Up)", "reason": "no action 'Fly'"}],
            subtasks={"open": [f"put out {FIRE}", f"find {self.person}"], "completed": []},
            reason=self.says,
            subtask="help",
            memory="",
            failure_reason="",
            messages=[[alice, f"I am at step {step}. {self.says}"]] if step % 2 else [],
        )
        terms = {"agent step": 0.5, "penalty": 2.0 if step > 5 else 0.0}
        self.write(
            "assignment",
            step,
            chosen={
                alice: {
                    "action": a,
                    "rank": 0,
                    "source": "model",
                    "cost": sum(terms.values()),
                    "terms": terms,
                    "path": [[0, 0], [1, 0]] if step == 1 else [],
                },
                bob: {
                    "action": b,
                    "rank": 1,
                    "source": "model",
                    "cost": 0.5,
                    "terms": {"agent step": 0.5, "penalty": 0.0},
                },
            },
            losers=[
                {
                    "agent": alice,
                    "action": "Explore()",
                    "rank": 1,
                    "source": "model",
                    "verdict": "costlier",
                    "detail": "it costs 1.25 more: agent step +1.25",
                    "extra_cost": 1.25,
                    "terms": {"agent step": 1.75, "penalty": 0.0},
                },
                {
                    "agent": bob,
                    "action": a,
                    "rank": 0,
                    "source": "model",
                    "verdict": "excluded",
                    "detail": f"only one agent may use {self.person}",
                    "by": alice,
                    "constraint": "shared resource",
                },
            ],
            unmet=[
                {
                    "task": f"carry {self.person}",
                    "size": 2,
                    "eligible": 1,
                    "detail": "1 of 2 agents can come",
                }
            ],
            active=[],
            status="optimal",
            objective=round(sum(terms.values()) + 0.5, 6),
            gap=0.0,
            solver="search",
            work=4,
            merged=0,
            note="",
        )

    def outcome(self, step: int, a: str, b: str, ok: tuple[bool, bool]) -> None:
        def result(action: str, success: bool) -> dict[str, Any]:
            used = "UseSupply" in action or (success and "Carry" in action)
            return {
                "action": action,
                "success": success,
                "promoted": False,
                "error_kind": "" if success else "not_interactable",
                "reason": "" if success else "too few carriers",
                "agent_steps": 0 if action in ("Idle", "Done") else 1,
                "idle": action in ("Idle", "Done"),
                "ends": action == "Done",
                "effects": [[FIRE, "intensity", "Low"]] if used else [],
            }

        results = {self.agents[0]: result(a, ok[0]), self.agents[1]: result(b, ok[1])}
        self.write("outcome", step, agents=results, clock=self.clock(step))

    def state(self, step: int) -> None:
        alice, bob, a, b, ok, fire = self.story(step)
        level = ("None", "Low", "Medium", "High")[int(max(fire))]
        spotted = step >= 3
        held = step >= 8 and b != "Idle"
        carriers = list(self.agents) if held else []
        sees = [self.person] if spotted else []
        bags = [[0, 0, 3 * held], [0 if step >= 6 else 1, 0, 3 * held]]
        if held:
            bags[1][0] = 0
        self.write(
            "observation",
            step,
            agents={
                name: _observation(self.agents, name, at, bag, sees, self.person, level)
                for name, at, bag in zip(self.agents, (alice, bob), bags, strict=True)
            },
        )
        self.write("beliefs", step, **self.beliefs(step, alice, bob, level, bags))
        acts = [{"act": a, "ok": ok[0], "err": ""}, {"act": b, "ok": ok[1], "err": ""}]
        self.write(
            "snapshot",
            step,
            world={
                "agents": [
                    {"pos": list(at), "inv": bag, "local": "E|E|E|E|E", "sees": sees, **act}
                    for at, bag, act in zip((alice, bob), bags, acts, strict=True)
                ],
                "obs": {
                    "regions": {} if level == "None" else {REGION: level},
                    "favg": {FIRE: level},
                    "always": [RESERVOIR, DEPOSIT],
                },
                "world": {
                    "fires": {FIRE: fire},
                    "clocks": {FIRE: "000"},
                    "persons": {
                        self.person: {
                            "pos": [1, 3] if not held else list(alice),
                            "carriers": carriers,
                            "dropping": [],
                            "grabbed": held,
                            "spotted": spotted,
                            "deposited": False,
                        }
                    },
                    "deposits": {DEPOSIT: [0, 0, 0]},
                },
                "metrics": {},
            },
        )
        completed = [f"EndFire({FIRE})"] if step >= 8 else []
        completed += [f"Carry({self.person})"] if held else []
        covered = [FIRE] if step >= 6 else []
        self.write(
            "score",
            step,
            success=len(completed) == 2,
            completed=completed,
            total=2,
            covered=covered,
            mentioned=[FIRE, self.person] if step else [],
            coverage_total=2,
        )

    def beliefs(
        self,
        step: int,
        alice: tuple[int, int],
        bob: tuple[int, int],
        level: str,
        bags: list[list[int]],
    ) -> dict[str, Any]:
        entries: list[dict[str, Any]] = [
            {"name": FIRE, "kind": "fire", "x": 3.0, "z": -1.0}
            | {"attributes": [["type", "chemical"], ["intensity", "Low"]]},
            {"name": RESERVOIR, "kind": "reservoir", "x": 5.0, "z": 0.0}
            | {"attributes": [["gives", "Sand"]]},
        ]
        if 3 <= step < 8:  # believed two cells too far to the right, and fading
            entries.append(
                {"name": self.person, "kind": "person", "x": 3.0, "z": -3.0, "age": step - 3}
                | {"confidence": round(0.9**step, 6), "attributes": [["load", 2]]}
            )
        team = {
            name: {
                "pose": [float(at[0]), float(-at[1]), 0.0],
                "inventory": {"Sand": bag[0]},
                "lines": [f"- {FIRE} (fire): right 2; 2 moves, just ahead; intensity Low"],
            }
            for name, at, bag in zip(self.agents, (alice, bob), bags, strict=True)
        }
        return {"entries": entries, "agents": team}


def _observation(
    agents: tuple[str, ...],
    name: str,
    at: tuple[int, int],
    bag: list[int],
    sees: list[str],
    person: str,
    level: str,
) -> dict[str, Any]:
    sightings = [
        {
            "name": FIRE,
            "kind": "fire",
            "offset": [3.0 - at[0], at[1] - 1.0],
            "attributes": [["intensity", level]],
            "holder": "",
        }
    ]
    if sees and name == agents[0]:
        sightings.append(
            {
                "name": person,
                "kind": "person",
                "offset": [1.0 - at[0], at[1] - 3.0],
                "attributes": [["load", 2]],
                "holder": "",
            }
        )
    return {
        "pose": [float(at[0]), float(-at[1]), 0.0],
        "inventory": [["Sand", bag[0]], ["Water", bag[1]], ["Person", bag[2]]],
        "sightings": sightings,
        "names": [FIRE, *sees],
        "text": f"Around: Up empty\nVisible:\n- {FIRE}",
        "state": f"position ({at[0]}, {at[1]}, 0)",
        "feedback": "",
        "failures": "none",
        "image": False,
    }


def household_trace(steps: int) -> Trace:
    """A real episode of two robots in a generated kitchen, led by random answers."""
    config = load_config(options={"planner": "react+mosaic", "agents": 2, "steps": steps})
    writer = TraceWriter()
    parts = build(config, writer, model=RandomModel(3), world=make(agents=2))
    with ThreadPoolExecutor(1) as pool:  # a browser test has a running event loop already
        return pool.submit(lambda: asyncio.run(play(config, parts, writer))).result().trace
