"""Small made-up scenes: what an agent at a pose perceives of things at known places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mosaic_planner.core.action import Action, ActionSchema, Kind, Vocabulary
from mosaic_planner.core.geometry import Pose
from mosaic_planner.core.observation import Effect, Observation, Outcome, Sighting, Value, View
from mosaic_planner.core.world import Briefing, Geometry
from mosaic_planner.memory import AgentCentricMemory, Memory, make_memory

GRID = Geometry(1.0, False, ("up", "right", "down", "left"))
ROOM = Geometry(0.25, True)
WORDS = Vocabulary(
    (ActionSchema("Idle", idle=True),),
    (Kind("person", mobile=True), Kind("Bowl", mobile=True), Kind("agent", mobile=True)),
)
NEAR = View(1.5, 90.0)
AROUND = View(1.5, 360.0)
ALL_OVER = View(4.0, 360.0, ("region", "reservoir", "person"))

Thing = tuple[str, str, float, float]


def sight(pose: Pose, thing: Thing, holder: str = "", **attributes: Value) -> Sighting:
    name, kind, x, z = thing
    return Sighting(name, kind, pose.to_frame(x, z), tuple(attributes.items()), holder)


def observe(
    agent: str,
    pose: Pose,
    sightings: Sequence[Sighting | Thing] = (),
    *,
    step: int = 0,
    view: View | None = AROUND,
    inventory: Mapping[str, int] | None = None,
) -> Observation:
    seen = tuple(s if isinstance(s, Sighting) else sight(pose, s) for s in sightings)
    return Observation(
        agent,
        step,
        pose,
        tuple((inventory or {}).items()),
        seen,
        tuple(s.name for s in seen),
        "",
        view=view,
    )


def did(
    agent: str,
    text: str,
    *effects: tuple[str, str, Value],
    success: bool = True,
    error: str = "",
    steps: int = 0,
) -> Outcome:
    verb, _, rest = text.partition("(")
    args = tuple(a.strip() for a in rest.rstrip(")").split(",") if a.strip())
    return Outcome(
        agent,
        Action(verb, args),
        success,
        error_kind=error,
        agent_steps=steps,
        effects=tuple(Effect(*e) for e in effects),
    )


def memory(
    kind: str = "belief",
    agents: Sequence[str] = ("Alice", "Bob"),
    *,
    geometry: Geometry = ROOM,
    noise: str = "none",
    task: Sequence[str] = (),
    max_lines: int = 16,
) -> Memory:
    return make_memory(
        kind,
        agents=agents,
        geometry=geometry,
        briefing=Briefing("do it", task_words=tuple(task)),
        vocabulary=WORDS,
        noise=noise,
        max_lines=max_lines,
    )


def asm(*args: object, **options: object) -> AgentCentricMemory:
    made = memory("belief", *args, **options)  # type: ignore[arg-type]
    assert isinstance(made, AgentCentricMemory)
    return made


def tell(mind: Memory, *observations: Observation, outcomes: Sequence[Outcome] = ()) -> None:
    mind.update({o.agent: o for o in observations}, {o.agent: o for o in outcomes})
