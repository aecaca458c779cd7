"""The other memories behind the same interface, the factory, and the trace's event."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys

import pytest
from memory_scenes import ALL_OVER, GRID, ROOM, WORDS, asm, did, memory, observe, sight, tell

from mosaic_planner.core.belief import Beliefs
from mosaic_planner.core.errors import UnknownNameError, UsageError
from mosaic_planner.core.geometry import Pose
from mosaic_planner.core.noise import NOISE_REGIMES
from mosaic_planner.core.world import Briefing
from mosaic_planner.memory import (
    MEMORY_KINDS,
    TextMemory,
    beliefs_to_event,
    compare,
    make_memory,
)

HOME = Pose(0.0, 0.0)
MUG, PAN = ("Mug_1", "Mug", 0.5, 0.5), ("Pan_1", "Pan", -0.5, 0.5)


@pytest.mark.parametrize("kind", MEMORY_KINDS)
def test_every_kind_serves_the_same_interface(kind: str) -> None:
    mind = memory(kind, noise="high")
    beliefs: Beliefs = mind.beliefs()  # before anything was perceived
    assert len(beliefs.entities) == 0
    assert beliefs.pose("Alice") is None
    assert mind.lines("Alice") == ()
    tell(mind, observe("Alice", HOME, [MUG]), observe("Bob", Pose(1.0, 1.0)))
    mind.focus(["take Mug_1"])
    beliefs = mind.beliefs()
    assert beliefs.agents == ("Alice", "Bob")
    assert beliefs.step == 0
    assert list(beliefs.entities) == ["Mug_1"]
    assert beliefs.relative("Bob", "Mug_1") is not None
    assert "Mug_1" in beliefs.names("Alice")
    assert bool(mind.lines("Alice")) == (kind in ("belief", "overwriting"))


def test_overwriting_believes_the_last_sighting_of_everything() -> None:
    mind = memory("overwriting")
    tell(mind, observe("Alice", HOME, [MUG, PAN]), observe("Bob", HOME))
    moved = ("Mug_1", "Mug", 1.2, -0.3)
    ghost = ("Egg_7", "Egg", 0.1, 0.9)
    tell(mind, observe("Alice", HOME, [moved, ghost], step=1), observe("Bob", HOME, step=1))
    for step in range(2, 9):  # looks at the empty places for a while
        tell(mind, observe("Alice", Pose(0.05 * step, 0.0), step=step))
    known = mind.beliefs().entities
    assert list(known) == ["Mug_1", "Pan_1", "Egg_7"]
    assert math.dist((known["Mug_1"].x, known["Mug_1"].z), moved[2:]) < 1e-12
    assert all(b.confidence == 1.0 and not b.lost for b in known.values())
    assert known["Pan_1"].age == 8


def test_overwriting_knows_what_is_visible_everywhere_by_what_is_visible_now() -> None:
    mind = memory("overwriting", geometry=GRID)
    region = ("Fire_Region_1", "region", 5.0, 5.0)
    tell(mind, observe("Alice", HOME, [region], view=ALL_OVER))
    tell(mind, observe("Alice", HOME, step=1, view=ALL_OVER))
    assert list(mind.beliefs().entities) == []


def test_overwriting_shares_what_the_team_does() -> None:
    mind = memory("overwriting")
    tell(mind, observe("Alice", HOME, [MUG]), observe("Bob", Pose(1.0, 1.0)))
    tell(
        mind,
        observe("Alice", HOME, step=1),
        observe("Bob", Pose(3.0, 3.0), step=1),
        outcomes=[did("Bob", "PickUp(Mug_1)", ("Mug_1", "holder", "Bob"))],
    )
    mug = mind.beliefs().entities["Mug_1"]
    assert (mug.holder, mug.x, mug.z) == ("Bob", 3.0, 3.0)
    tell(
        mind,
        observe("Alice", HOME, step=2),
        outcomes=[did("Bob", "Eat(Mug_1)", ("Mug_1", "gone", True))],
    )
    assert "Mug_1" not in mind.beliefs().entities


def test_current_observation_remembers_nothing() -> None:
    mind = memory("current")
    tell(mind, observe("Alice", HOME, [MUG]), observe("Bob", Pose(1.0, 1.0), [PAN]))
    assert list(mind.beliefs().entities) == ["Mug_1", "Pan_1"]
    tell(mind, observe("Alice", HOME, [PAN], step=1))
    assert list(mind.beliefs().entities) == ["Pan_1"]
    assert mind.beliefs().pose("Bob") is None
    assert mind.lines("Alice") == ()


def test_text_memory_keeps_what_the_baselines_keep() -> None:
    mind = memory("text")
    assert isinstance(mind, TextMemory)
    tell(mind, observe("Alice", HOME, [MUG]), observe("Bob", HOME))
    tell(
        mind,
        observe("Alice", HOME, [MUG, PAN], step=1),
        observe("Bob", HOME, step=1),
        outcomes=[
            did("Alice", "Take(Mug_1)", success=False, error="not_interactable"),
            did("Bob", "Move(ahead)"),
        ],
    )
    assert mind.history("Alice") == (
        "step 0: Alice did nothing yet; saw Mug_1",
        "step 1: Alice did Take(Mug_1): failed (not_interactable); saw Mug_1, Pan_1",
    )
    assert mind.history(seen=False, last=1) == ("step 1: Bob did Move(ahead): worked",)
    assert mind.failures("Alice") == ("Take(Mug_1)",)
    tell(
        mind,
        observe("Alice", HOME, step=2),
        outcomes=[did("Alice", "Take(Mug_1)")],
    )
    assert mind.failures("Alice") == ()  # rule I6: success forgets it
    mind.replace_note("first")
    mind.replace_note("second")
    assert mind.note == "second"  # rule R4: nothing is merged
    mind.hear("Bob", "I go left")
    assert mind.messages == ("step 2: Bob: I go left",)
    assert mind.lines("Alice") == ()


def test_factory_refuses_what_it_does_not_know() -> None:
    parts = {
        "agents": ("Alice",),
        "geometry": ROOM,
        "briefing": Briefing("x"),
        "vocabulary": WORDS,
    }
    with pytest.raises(UnknownNameError, match="memory 'beleif': did you mean 'belief'"):
        make_memory("beleif", **parts)
    with pytest.raises(UnknownNameError, match="noise regime 'loud'"):
        make_memory("belief", noise="loud", **parts)
    with pytest.raises(UsageError, match="max_lines must be at least 1"):
        make_memory("belief", max_lines=0, **parts)
    made = make_memory("belief", noise=NOISE_REGIMES["low"], **parts)
    assert made.beliefs().agents == ("Alice",)


def event_and_mind() -> tuple[dict, object]:
    mind = asm(agents=("Alice", "Bob"))
    things = [MUG, sight(HOME, PAN, hot=True)]
    tell(mind, observe("Alice", HOME, things), observe("Bob", Pose(2.0, 0.0, 90.0)))
    tell(
        mind,
        observe("Alice", HOME, things[:1], step=1, inventory={"Mug_1": 1}),
        observe("Bob", Pose(2.0, 0.0, 90.0), step=1),
    )
    lines = {agent: mind.lines(agent) for agent in ("Alice", "Bob")}
    return beliefs_to_event(mind.beliefs(), ("Alice", "Bob"), lines), mind


def test_beliefs_as_json() -> None:
    event, mind = event_and_mind()
    again = json.loads(json.dumps(event, allow_nan=False))
    assert again == event
    mug, pan = event["entries"]
    assert mug == {"name": "Mug_1", "kind": "Mug", "x": 0.5, "z": 0.5}
    assert pan["lost"] is True
    assert pan["attributes"] == [["hot", True]]
    assert event["agents"]["Bob"]["pose"] == [2.0, 0.0, 90.0]
    assert event["agents"]["Alice"]["inventory"] == {"Mug_1": 1}
    assert event["agents"]["Alice"]["lines"] == list(mind.lines("Alice"))  # type: ignore[attr-defined]


def test_compare_puts_beliefs_beside_the_truth() -> None:
    event, _ = event_and_mind()
    event["entries"].append({"name": "Ghost_1", "kind": "Ghost", "x": 9.0, "z": 9.0, "sigma": 0.5})
    truth = {
        "Mug_1": (0.5, 0.9),
        "Pan_1": (4.0, 4.0),
        "Alice": (0.0, 0.3),
        "Bob": (2.0, 0.0),
        "Cup_1": (1.0, 1.0),
    }
    rows = {row.name: row for row in compare(event, truth, agent="Alice", unit=0.25)}
    assert list(rows) == ["Mug_1", "Pan_1", "Ghost_1", "Bob", "Cup_1"]
    assert rows["Mug_1"].verdict == "off"
    assert rows["Mug_1"].error == pytest.approx(0.4)
    assert rows["Mug_1"].offset == (0.5, 0.5)
    assert rows["Mug_1"].offset_error == pytest.approx(0.1)  # Alice is off in the same direction
    assert rows["Pan_1"].verdict == "lost"
    assert rows["Ghost_1"].verdict == "false"
    assert rows["Ghost_1"].true is None
    assert rows["Bob"].verdict == "right"
    assert rows["Cup_1"].verdict == "unknown"
    assert rows["Cup_1"].believed is None
    plain = compare(event, {"Mug_1": (0.5, 0.6)}, unit=0.25)
    assert plain[0].verdict == "right"
    assert plain[0].offset is None
    assert compare({"entries": [], "agents": {}}, {}) == ()


def test_same_beliefs_in_another_process_and_whatever_the_order_of_observations() -> None:
    program = (
        "import json, sys\n"
        "from mosaic_planner.core.action import Action\n"
        "from mosaic_planner.memory import beliefs_to_event, make_memory\n"
        "from mosaic_planner.worlds.noise import NoisyWorld\n"
        "from mosaic_planner.worlds.registry import make_world\n"
        "w = NoisyWorld(make_world('sar', scene=1, agents=3), 'high', seed=4)\n"
        "m = make_memory('belief', agents=w.agents, geometry=w.geometry, briefing=w.briefing,\n"
        "    vocabulary=w.vocabulary, noise='high')\n"
        "order = (lambda d: dict(reversed(d.items()))) if sys.argv[1] == 'back' else dict\n"
        "m.update(order(w.reset(0)), {})\n"
        "for _ in range(12):\n"
        "    r = w.step(dict.fromkeys(w.agents, Action('Explore')))\n"
        "    m.update(order(r.observations), order(r.outcomes))\n"
        "    lines = {a: m.lines(a) for a in w.agents}\n"
        "    print(json.dumps(beliefs_to_event(m.beliefs(), w.agents, lines)))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program, order],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed, order in (("0", "on"), ("5", "back"))
    }
    assert len(outputs) == 1
    assert len(next(iter(outputs))) > 1000
