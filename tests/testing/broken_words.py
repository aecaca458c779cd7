"""Factories and vocabularies with one defect each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from broken_base import breaks

from mosaic_planner.core.action import ActionSchema, Kind, Parameter
from mosaic_planner.core.world import Geometry
from own_world import VOCABULARY, Warehouse

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


def with_schema(*schemas: ActionSchema, **changes: Any) -> Any:
    return replace(VOCABULARY, schemas=(*VOCABULARY.schemas, *schemas), **changes)


def with_words(**changes: Any) -> type[Warehouse]:
    return type("Worded", (Warehouse,), changes)


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
