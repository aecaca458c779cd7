"""The world against a second, naive one written from the rules alone, on any actions."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import pytest
from sar_naive import NaiveWorld

from mosaic_planner.worlds.sar.replay import differences, read_recording, replay
from mosaic_planner.worlds.sar.scene import load_scene, scene_to_data

FOLDER = Path(__file__).resolve().parents[4] / "shared" / "data" / "sar_traces"


def naive(recording: dict[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """First and later entries of the same actions, Explore's moves taken from the recording."""
    scene = scene_to_data(load_scene(recording["scene"]))
    world = NaiveWorld(scene, recording["agents"], recording["seed"])
    first, entries = world.entry(), []
    for step in recording["steps"]:
        acts = [entry["act"] for entry in step["agents"]]
        moves = {i: e["moves"] for i, e in enumerate(step["agents"]) if "moves" in e}
        entries.append(world.step(acts, moves))
    return first, entries


@pytest.mark.parametrize("name", sorted(p.name for p in FOLDER.glob("*.json")))
def test_the_naive_world_is_right(shared_data: Path, name: str) -> None:
    recorded = read_recording(shared_data / "sar_traces" / name)
    first, entries = naive(recorded)
    assert differences(recorded["initial"]["agents"], first["agents"]) == []
    assert differences(recorded["initial"]["world"], first["world"]) == []
    assert differences(recorded["steps"], entries) == []


def wild(rng: random.Random, names: dict[str, list[str]]) -> str:
    """Any action of the grammar that the reference survives, sensible or not."""
    every = [name for group in names.values() for name in group]
    deposit, person = names["deposits"][0], rng.choice(names["persons"])
    fire = rng.choice([*names["fires"], *names["regions"]])
    supply = rng.choice(["Sand", "Water", "sand", "water"])
    return rng.choice(
        [
            f"NavigateTo({rng.choice(every)})",
            f"NavigateTo({fire})",
            f"NavigateTo({rng.choice([deposit, person, *names['reservoirs']])})",
            f"Move({rng.choice(['Up', 'Down', 'Left', 'Right', 'Center', 'North', 'up'])})",
            "Explore()",
            f"Carry({rng.choice([person, person, deposit, fire])})",
            f"DropOff({deposit}, {person})",
            f"DropOff({rng.choice(every)}, {rng.choice([person, fire])})",
            f"StoreSupply({rng.choice([deposit, deposit, person])})",
            f"UseSupply({rng.choice([fire, fire, fire, deposit])}, {supply})",
            f"GetSupply({rng.choice(names['reservoirs'])})",
            f"GetSupply({deposit}, {supply})",
            "ClearInventory()",
            f"SendMessage({fire} burns, {person} is lost)",
            rng.choice(["Idle", "Done", "NoOp()"]),
        ]
    )


def rescue(rng: random.Random, names: dict[str, list[str]], step: int) -> str:
    """What brings persons home, now and then by too many or by somebody else."""
    deposit, persons = names["deposits"][0], names["persons"]
    person = persons[step // 6 % len(persons)] if rng.random() < 0.9 else rng.choice(persons)
    return (
        "Explore()",
        f"NavigateTo({person})",
        f"Carry({person})",
        f"NavigateTo({deposit})",
        f"DropOff({deposit}, {person})",
        f"DropOff({deposit}, {person})",
    )[step % 6]


@pytest.mark.parametrize("scene", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("agents", [1, 2, 3, 4, 6])
def test_both_worlds_agree_on_any_actions(scene: int, agents: int) -> None:
    rng = random.Random(f"{scene} {agents}")
    seed = rng.randrange(1000)
    data = scene_to_data(load_scene(scene))
    world = NaiveWorld(data, agents, seed)
    groups = ("fires", "reservoirs", "deposits", "persons")
    names = {group: [item["name"] for item in data[group]] for group in groups}
    names["regions"] = [r for fire in world.fires.values() for r in fire.regions]
    names["agents"] = world.names
    steps = []
    for step in range(48):
        rescuers = rng.sample(range(agents), min(agents, 3)) if step < 24 else ()
        acts = [
            rescue(rng, names, step) if i in rescuers else wild(rng, names) for i in range(agents)
        ]
        steps.append({"agents": [{"act": act} for act in acts]})
    recording = {"format": 1, "scene": scene, "agents": agents, "seed": seed, "steps": steps}
    ours = replay(recording, force=False)
    first, entries = naive(ours)
    assert differences(ours["initial"]["world"], first["world"]) == []
    for number, (mine, theirs) in enumerate(zip(ours["steps"], entries, strict=True)):
        assert differences(theirs, mine) == [], f"step {number + 1}"
    flags = [e["ok"] for step in ours["steps"] for e in step["agents"]]
    assert 0.2 < sum(flags) / len(flags) < 0.95
    verbs = {re.split(r"\(", e["act"])[0] for s in ours["steps"] for e in s["agents"] if e["ok"]}
    assert len(verbs) >= 4
