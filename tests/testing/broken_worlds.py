"""Worlds with one defect each, all made from the sound example world; `BROKEN` lists them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from random import Random
from typing import Any

from mosaic_planner.coordination import STAYS, ActionProfile, CellVisit, JointNeed
from mosaic_planner.core.action import IDLE, Action, ActionSchema, Kind, Parameter
from mosaic_planner.core.candidate import Candidate
from mosaic_planner.core.geometry import Offset, Pose
from mosaic_planner.core.observation import Effect, Sighting, StepResult, View
from mosaic_planner.core.world import Briefing, Geometry, Score
from own_world import VOCABULARY, Rules, Warehouse

BROKEN: list[tuple[str, Callable[..., Any]]] = []
"""The check that must find the defect, and what makes the world."""


def breaks(check: str) -> Callable[[Any], Any]:
    def listed(made: Any) -> Any:
        BROKEN.append((check, made))
        return made

    return listed


class Seen(Warehouse):
    """Changes what agents perceive: `changed(observation)`."""

    def see(self, agent: str, outcome: Any) -> Any:
        return self.changed(super().see(agent, outcome))


class Acted(Warehouse):
    """Changes outcomes: `changed(outcome)`."""

    def act(self, agent: str, joint: Any) -> Any:
        return self.changed(super().act(agent, joint))


def with_schema(*schemas: ActionSchema, **changes: Any) -> Any:
    return replace(VOCABULARY, schemas=(*VOCABULARY.schemas, *schemas), **changes)


def with_words(**changes: Any) -> type[Warehouse]:
    return type("Worded", (Warehouse,), changes)


# The factory.


@breaks("factory.options")
def _no_scene(agents: int = 2) -> Any:
    return Warehouse(agents=agents)


@breaks("factory.world")
def _no_world(scene: int = 1, agents: int = 2, *, faithful: bool = False) -> Any:
    return object()


@breaks("examination.stopped")
class _Unspeakable(Warehouse):
    @property
    def geometry(self) -> Any:
        raise KeyError("unit")


@breaks("factory.team")
class _AnyTeam(Warehouse):
    def __init__(self, scene: int = 1, agents: int = 2, *, faithful: bool = False) -> None:
        super().__init__(scene, max(agents, 1))


@breaks("factory.team")
class _ValueError(Warehouse):
    def __init__(self, scene: int = 1, agents: int = 2, *, faithful: bool = False) -> None:
        if not agents:
            raise ValueError("no agents")
        super().__init__(scene, agents)


@breaks("factory.team")
class _AlwaysTwoMore(Warehouse):
    def __init__(self, scene: int = 1, agents: int = 2, *, faithful: bool = False) -> None:
        super().__init__(scene, agents and agents + 2)


def _the_same() -> Callable[..., Any]:
    made: dict[int, Any] = {}

    def make(scene: int = 1, agents: int = 2, *, faithful: bool = False) -> Any:
        if agents not in made:
            made[agents] = Warehouse(5, agents)
        return made[agents]

    return make


breaks("factory.instances")(_the_same())


# Words.

_BOX = Parameter("box", ("box",))

for _schema in (
    ActionSchema("fly", (), "Fly."),
    ActionSchema("FlyTo", (Parameter("cloud", ("cloud",)),), "Fly to a cloud."),
    ActionSchema("FlyTo", (Parameter("box", ("box",), ("Up",)),), "Fly."),
    ActionSchema("FlyTo", (Parameter("box"),), "Fly."),
    ActionSchema("FlyTo", (_BOX, _BOX), "Fly."),
    ActionSchema("FlyTo", (Parameter("A box", ("box",)),), "Fly."),
    ActionSchema("Carry", (_BOX,), "The same form again."),
    ActionSchema("Kick", (_BOX,)),
    ActionSchema("Kick", (_BOX,), "Kick.", ("kick {boxes}",)),
    ActionSchema("Kick", (_BOX,), "Kick.", ("kick {box",)),
    ActionSchema("Rest", (_BOX,), "Rest.", idle=True),
):
    breaks("words.vocabulary")(with_words(vocabulary=with_schema(_schema)))
breaks("words.vocabulary")(with_words(vocabulary=None))
breaks("words.vocabulary")(
    with_words(vocabulary=with_schema(kinds=(*VOCABULARY.kinds, Kind("box"))))
)
breaks("words.aliases")(with_words(vocabulary=with_schema(aliases=(("Fetch", "Carry"),))))
breaks("words.aliases")(with_words(vocabulary=with_schema(aliases=(("fetch", "Get"),))))
breaks("words.aliases")(with_words(vocabulary=with_schema(aliases=(("push", "Carry"),))))
breaks("words.idle")(with_words(vocabulary=replace(VOCABULARY, schemas=VOCABULARY.schemas[:-1])))
breaks("words.phrases")(
    with_words(
        vocabulary=with_schema(ActionSchema("Drag", (_BOX,), "Drag a box.", ("carry {box}",)))
    )
)
breaks("words.prompts")(
    with_words(vocabulary=with_schema(ActionSchema("Beep", (), "Beep.\n- Fly(cloud): also")))
)
breaks("words.geometry")(with_words(geometry=Geometry(unit=0.0)))
breaks("words.geometry")(with_words(geometry=Geometry(directions=("up", "up", "down", "left"))))
breaks("words.names")(with_words(world_id="warehouse"))


class _Briefed(Warehouse):
    def __init__(self, scene: int = 5, agents: int = 2, *, faithful: bool = False) -> None:
        super().__init__(scene, agents)
        self.briefing = self.told(self.briefing)


for _change in (
    {"rules": "one text without a comma"},
    {"instruction": " "},
    {"agent_noun": ""},
    {"task_words": ("",)},
):
    breaks("words.briefing")(
        type("Briefed", (_Briefed,), {"told": lambda self, b, c=_change: replace(b, **c)})
    )


@breaks("words.names")
class _TwoWords(Warehouse):
    def __init__(self, scene: int = 5, agents: int = 2, *, faithful: bool = False) -> None:
        super().__init__(scene, agents)
        self.kinds = {n.replace("Ann", "Ann Lee"): k for n, k in self.kinds.items()}
        self.agents = tuple(a.replace("Ann", "Ann Lee") for a in self.agents)


@breaks("words.names")
class _Commas(Warehouse):
    def __init__(self, scene: int = 5, agents: int = 2, *, faithful: bool = False) -> None:
        super().__init__(scene, agents)
        self.kinds = {n.replace("Box_", "Box, "): k for n, k in self.kinds.items()}


# Observations.


@breaks("observations.agents")
class _Unseen(Warehouse):
    def step(self, joint: Any) -> Any:
        result = super().step(joint)
        return StepResult({self.agents[0]: result.observations[self.agents[0]]}, result.outcomes)


def _seen(check: str, change: Callable[[Any, Any], Any]) -> None:
    breaks(check)(type("Perceived", (Seen,), {"changed": change}))


for _field in (
    {"agent": "Nobody"},
    {"step": 7},
    {"pose": Pose(0.0, 0.0, 90.0)},
    {"pose": Pose(math.nan, 0.0)},
    {"inventory": (("box", -1),)},
    {"inventory": {"box": 1}},
    {"sightings": [Sighting("Dock", "dock", Offset(0.0, 0.0))]},
    {"sightings": (Sighting("Dock", "harbour", Offset(0.0, 0.0)),)},
    {"sightings": (Sighting("Dock", "dock", Offset(math.inf, 0.0)),)},
    {"sightings": (Sighting("Dock", "dock", Offset(0.0, 0.0), (("since", None),)),)},
    {"sightings": (Sighting("Dock", "dock", Offset(0.0, 0.0), holder="Nobody"),)},
    {"sightings": (Sighting("Ann", "robot", Offset(0.0, 0.0)),)},
    {"sightings": (Sighting("Dock", "dock", Offset(0.0, 0.0)),) * 2},
    {"names": ["Dock"]},
    {"names": ("Dock", "Dock")},
    {"text": ""},
    {"state_text": ""},
    {"feedback": ""},
    {"feedback": None},
    {"view": View(0.0)},
    {"view": View(5.0, 400.0)},
    {"view": View(5.0, everywhere=("harbour",))},
    {"view": 5.0},
    {"local": (("around", ["Dock"]),)},
    {"image": b"GIF89a"},
):
    _seen("observations.values", lambda self, o, f=_field: replace(o, **f))
_seen("observations.values", lambda self, o: None)


@breaks("observations.places")
class _Absolute(Seen):
    """Where a thing is, instead of where it is from the agent."""

    def changed(self, o: Any) -> Any:
        placed = [replace(s, offset=Offset(*map(float, self.cells[s.name]))) for s in o.sightings]
        return replace(o, sightings=tuple(placed))


@breaks("observations.places")
class _WrongMates(Seen):
    def changed(self, o: Any) -> Any:
        moved = [
            replace(s, offset=Offset(s.offset.dx + 1.0, s.offset.dz)) if s.kind == "robot" else s
            for s in o.sightings
        ]
        return replace(o, sightings=tuple(moved))


_seen("observations.view", lambda self, o: replace(o, view=View(100.0)))
_seen("observations.view", lambda self, o: replace(o, view=View(6.0, everywhere=("box",))))
_seen("observations.names", lambda self, o: replace(o, names=(*o.names, "Box_99")))
_seen("observations.text", lambda self, o: replace(o, text="a warehouse"))
_seen("observations.hidden", lambda self, o: replace(o, text=f"{o.text}\n{', '.join(self.kinds)}"))
_seen(
    "observations.hidden",
    lambda self, o: replace(o, local=tuple((n, f"{c}") for n, c in self.cells.items())),
)


@breaks("observations.kept")
class _Reused(Warehouse):
    def see(self, agent: str, outcome: Any) -> Any:
        new = super().see(agent, outcome)
        if not hasattr(self, "handed_out"):
            self.handed_out: dict[str, Any] = {}
        old = self.handed_out.setdefault(agent, new)
        for name in new.__slots__:
            object.__setattr__(old, name, getattr(new, name))
        return old


# Steps.


@breaks("steps.raises")
class _Raises(Warehouse):
    def act(self, agent: str, joint: Any) -> Any:
        if joint[agent].verb == "Patrol":
            raise RuntimeError("the post is closed")
        return super().act(agent, joint)


@breaks("steps.raises")
class _RaisesAtReset(Warehouse):
    def reset(self, seed: int) -> Any:
        raise OSError("no scene file")


@breaks("steps.joint")
class _Consumes(Warehouse):
    def step(self, joint: Any) -> Any:
        result = super().step(joint)
        joint.clear()
        return result


def _acted(check: str, change: Callable[[Any, Any], Any]) -> None:
    breaks(check)(type("Acting", (Acted,), {"changed": change}))


_acted("steps.outcomes", lambda self, o: replace(o, reason=""))
_acted("steps.outcomes", lambda self, o: replace(o, agent="Nobody"))
_acted("steps.outcomes", lambda self, o: replace(o, action=IDLE))
_acted("steps.outcomes", lambda self, o: replace(o, agent_steps=1.5))
_acted("steps.outcomes", lambda self, o: replace(o, success=1))
_acted("steps.outcomes", lambda self, o: None)
_acted("steps.idle", lambda self, o: replace(o, idle=False))
_acted("steps.idle", lambda self, o: replace(o, idle=True))
_acted("steps.idle", lambda self, o: replace(o, agent_steps=1))
_acted("steps.idle", lambda self, o: replace(o, success=False, reason="bored") if o.idle else o)
_acted("steps.effects", lambda self, o: replace(o, effects=(Effect("Dock", "open", True),)))
_acted(
    "steps.effects",
    lambda self, o: replace(o, effects=(Effect("Dock", "holder", "Nobody"),) * o.success),
)
_acted(
    "steps.effects", lambda self, o: replace(o, effects=(Effect("Dock", "gone", 1),) * o.success)
)
_acted("steps.effects", lambda self, o: replace(o, effects=("Dock is open",) * o.success))


@breaks("steps.outcomes")
class _NoResult(Warehouse):
    def step(self, joint: Any) -> Any:
        return super().step(joint).observations


@breaks("steps.outcomes")
class _NoOutcomes(Warehouse):
    def step(self, joint: Any) -> Any:
        return StepResult(super().step(joint).observations)


# Actions that nobody can mean.


@breaks("untrusted.raises")
class _Trusting(Warehouse):
    def act(self, agent: str, joint: Any) -> Any:
        {"Carry": 1, "Push": 1, "Patrol": 1, "Idle": 0}[joint[agent].verb]
        return super().act(agent, joint)


@breaks("untrusted.raises")
class _TrustingNames(Warehouse):
    def act(self, agent: str, joint: Any) -> Any:
        if joint[agent].verb == "Carry" and joint[agent].args:
            self.cells[joint[agent].args[0]]
        return super().act(agent, joint)


_acted(
    "untrusted.succeeds",
    lambda self, o: replace(o, success=True, reason="") if o.action.verb == "Levitate" else o,
)


@breaks("untrusted.changes")
class _Wanders(Warehouse):
    def act(self, agent: str, joint: Any) -> Any:
        outcome = super().act(agent, joint)
        if not outcome.success:
            self.cells[agent] = (0, 0)
        return outcome


# Score and data.


def _scored(check: str, change: Callable[[Any, Any], Any]) -> None:
    breaks(check)(
        type("Scored", (Warehouse,), {"score": lambda self: change(self, Warehouse.score(self))})
    )


_scored("score.values", lambda self, s: None)
_scored("score.values", lambda self, s: replace(s, success=None))
_scored("score.values", lambda self, s: replace(s, success=self.time > 0))
_scored("score.values", lambda self, s: Score(True, ("all",), 1, (), (), 1))
_scored("score.values", lambda self, s: replace(s, total=0, completed=()))
_scored("score.values", lambda self, s: replace(s, coverage_total=0, covered=("Dock",)))
_scored("score.values", lambda self, s: replace(s, mentioned=["Dock"]))
_scored("score.values", lambda self, s: replace(s, mentioned=("Dock", "Dock")))
_scored("score.monotone", lambda self, s: replace(s, covered=(f"step {self.time}",)))
_scored("score.monotone", lambda self, s: replace(s, total=s.total + self.time))


@breaks("score.pure")
class _Counting(Warehouse):
    def score(self) -> Any:
        self.asked = getattr(self, "asked", 0) + 1
        score = super().score()
        return replace(score, mentioned=("Dock",) if self.asked % 2 else (), coverage_total=9)


for _truth in (
    {"cells": (1, 2)},
    {"heat": math.nan},
    {1: "one"},
    {"done": {"Box_1"}},
    ["no", "dict"],
):
    breaks("data.json")(type("Told", (Warehouse,), {"snapshot": lambda self, t=_truth: t}))
breaks("data.json")(type("Told", (Warehouse,), {"static": lambda self: {"size": (16, 16)}}))
breaks("data.json")(type("Told", (Warehouse,), {"settings": lambda self: None}))
breaks("examination.stopped")(type("Told", (Warehouse,), {"settings": lambda self: None}))


@breaks("data.fixed")
class _Whispers(Warehouse):
    def see(self, agent: str, outcome: Any) -> Any:
        self.briefing = Briefing(f"Carry the boxes; {len(self.done)} are done.")
        return super().see(agent, outcome)


@breaks("data.fixed")
class _StaticTime(Warehouse):
    def static(self) -> Any:
        return {"time": self.time}


# The same again.


@breaks("repeat.reset")
class _OneGenerator(Warehouse):
    """Draws go on where the last episode stopped."""

    def reset(self, seed: int) -> Any:
        self.random = getattr(self, "random", None) or Random(seed)
        super().reset(seed)
        self.cells["Dock"] = (self.random.randrange(16), self.random.randrange(16))
        return {agent: self.see(agent, None) for agent in self.agents}


@breaks("repeat.reset")
class _Remembers(Warehouse):
    def reset(self, seed: int) -> Any:
        known = getattr(self, "known", {})
        found = super().reset(seed)
        self.known |= known
        return found

    def snapshot(self) -> Any:
        return {**super().snapshot(), "known": list(self.known)}


@breaks("repeat.instances")
class _Shared(Warehouse):
    shared: dict[str, Any] = {}  # noqa: RUF012 - the defect

    def reset(self, seed: int) -> Any:
        super().reset(seed)
        _Shared.shared = self.cells
        return {agent: self.see(agent, None) for agent in self.agents}

    def step(self, joint: Any) -> Any:
        self.cells = _Shared.shared
        return super().step(joint)


@breaks("repeat.instances")
class _LookedAt(Warehouse):
    """Asking for the snapshot moves the dock."""

    def snapshot(self) -> Any:
        found = super().snapshot()
        x, z = self.cells["Dock"]
        self.cells["Dock"] = ((x + self.time) % 16, z)
        return found


@breaks("repeat.settings")
class _NoScene(Warehouse):
    def settings(self) -> Any:
        return {"world": "warehouse", "agents": len(self.agents)}


@breaks("repeat.settings")
class _NoAgents(Warehouse):
    def __init__(self, scene: int = 5, agents: int = 3, *, faithful: bool = False) -> None:
        super().__init__(scene, agents)

    def settings(self) -> Any:
        return {"world": "warehouse", "scene": self.scene}


@breaks("repeat.settings")
class _MoreSettings(Warehouse):
    def settings(self) -> Any:
        return {**super().settings(), "weather": "fair"}


@breaks("repeat.processes")
class SetOrder(Warehouse):
    """A set of names has another order in every process; found by its own name there."""

    def reset(self, seed: int) -> Any:
        super().reset(seed)
        self.cells = {n: self.cells[n] for n in {*self.cells}}
        return {agent: self.see(agent, None) for agent in self.agents}


# Rules.


class Taught(Warehouse):
    """Changes what the coordinator is taught."""

    class Other(Rules):
        pass

    def __init__(self, scene: int = 5, agents: int = 2, *, faithful: bool = False) -> None:
        super().__init__(scene, agents)
        self.rules = self.Other()
        self.rules.world = self


def _taught(check: str, **methods: Any) -> None:
    breaks(check)(type("Teaching", (Taught,), {"Other": type("Other", (Rules,), methods)}))


def _profiles(check: str, change: Callable[[Any, Any, Any], Any]) -> None:
    def profile(self: Any, agent: str, action: Any, beliefs: Any) -> Any:
        return change(Rules.profile(self, agent, action, beliefs), action, agent)

    _taught(check, profile=profile)


def _raising_without_pose(self: Any, agent: str, action: Any, beliefs: Any) -> Any:
    beliefs.pose(agent).x  # noqa: B018 - the defect
    return Rules.profile(self, agent, action, beliefs)


def _raising_without_entities(self: Any, agent: str, beliefs: Any) -> Any:
    next(iter(beliefs.entities))
    return Rules.fallbacks(self, agent, beliefs)


_taught("rules.raises", profile=_raising_without_pose)
_taught("rules.raises", fallbacks=_raising_without_entities)
_taught("rules.raises", profile=lambda self, agent, action, beliefs: 1 / len(action.args))
for _wrong in (
    {"progress": 2.0},
    {"progress": math.nan},
    {"failure": -0.1},
    {"steps": -1.0},
    {"steps": math.inf},
    {"claims": ["Box_1"]},
    {"claims": ("",)},
    {"joint": JointNeed("", 2)},
    {"joint": JointNeed("push", 0)},
    {"path": [(0, 0)]},
    {"path": (CellVisit((0, 0), 1, STAYS),)},
    {"path": (CellVisit((0, 0), 0, 2), CellVisit((0, 1), 1, STAYS))},
    {"path": (CellVisit((0, 0), 0, 0),)},
    {"idle": True},
    {"eligible": 1},
):
    _profiles(
        "rules.values", lambda p, action, agent, w=_wrong: replace(p, **w) if action.args else p
    )
_profiles("rules.values", lambda p, action, agent: replace(p, reason=""))
_profiles("rules.values", lambda p, action, agent: None)
_profiles(
    "rules.values",
    lambda p, action, agent: ActionProfile(eligible=False, reason="no") if p.idle else p,
)
_profiles("rules.values", lambda p, action, agent: replace(p, progress=0.5) if p.idle else p)
_profiles(
    "rules.hallucinated", lambda p, action, agent: p if p.eligible else ActionProfile(progress=0.1)
)
_profiles(
    "rules.eligible",
    lambda p, action, agent: p if p.idle else ActionProfile(eligible=False, reason="too risky"),
)


def _peeking(self: Any, agent: str, action: Any, beliefs: Any) -> Any:
    found = Rules.profile(self, agent, action, beliefs)
    hidden = [n for n in action.args if n in self.world.done]
    return replace(found, eligible=False, reason="it is gone") if hidden else found


def _counting(self: Any, agent: str, action: Any, beliefs: Any) -> Any:
    self.asked = getattr(self, "asked", 0) + 1
    return replace(Rules.profile(self, agent, action, beliefs), steps=float(self.asked))


_taught("rules.beliefs", profile=_peeking)
_taught("rules.beliefs", profile=_counting)


def _offers(change: Callable[[str, list[Candidate]], Any]) -> None:
    def fallbacks(self: Any, agent: str, beliefs: Any) -> Any:
        return change(agent, Rules.fallbacks(self, agent, beliefs))

    _taught("rules.fallbacks", fallbacks=fallbacks)


_offers(lambda agent, found: found[:-1])
_offers(lambda agent, found: [])
_offers(lambda agent, found: None)
_offers(lambda agent, found: [replace(c, source="model") for c in found])
_offers(lambda agent, found: [replace(c, agent="Nobody") for c in found])
_offers(lambda agent, found: [replace(c, why="") for c in found])
_offers(lambda agent, found: [found[0], *found])
_offers(
    lambda agent, found: [
        Candidate(agent, Action("Carry", ("Box_99",)), 0, "safe", "try it"),
        *found,
    ]
)


# Noise and episodes.


Wordless: Any = type(
    "Wordless",
    (),
    {k: v for k, v in vars(Warehouse).items() if k not in ("word_observation", "__dict__")},
)
"""The sound world, but noisy sensors edit its texts without asking it."""


@breaks("noise.words")
class _Prose(Wordless):
    """Words things in one sentence, which nobody can edit."""

    def see(self, agent: str, outcome: Any) -> Any:
        o = super().see(agent, outcome)
        return replace(o, text=f"You see {', '.join(o.names) or 'nothing'}.")


breaks("noise.words")(
    type("Partial", (Seen,), {"changed": lambda self, o: replace(o, names=o.names[:1])})
)


@breaks("noise.raises")
class _CannotWord(Warehouse):
    @staticmethod
    def word_observation(observation: Any) -> Any:
        raise NotImplementedError


@breaks("episode.raises")
class _Unwritable(Warehouse):
    def static(self) -> Any:
        return {"size": {16}}


_BUILT = count()


@breaks("episode.repeats")
class _Numbered(Warehouse):
    def __init__(self, scene: int = 5, agents: int = 2, *, faithful: bool = False) -> None:
        super().__init__(scene, agents)
        self.number = next(_BUILT)

    def static(self) -> Any:
        return {"number": self.number}
