"""What an agent perceives and what became of its last action.

Observations carry only what the agent may know; the world's true state never travels this way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mosaic_planner.core.action import Action
from mosaic_planner.core.geometry import Offset, Pose

__all__ = ["Effect", "Observation", "Outcome", "Sighting", "StepResult", "Value", "View"]

Value = str | int | float | bool
"""An attribute value; JSON can hold it unchanged."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One entity as one agent perceives it now.

    `offset` is in the agent's own frame, world units. `attributes` are (key, value) pairs in a
    fixed order (`("intensity", "Low")`); `holder` names the agent that carries it, "" if none.
    Misclassified or hallucinated sightings look exactly like right ones.
    """

    name: str
    kind: str
    offset: Offset
    attributes: tuple[tuple[str, Value], ...] = ()
    holder: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """What the agent could see from here, so that *not* seeing a thing is evidence too.

    `max_range`: world units. `fov_deg`: full opening angle. `everywhere`: kinds that are seen at
    any distance and angle (SAR rules G1 to G3).
    """

    max_range: float
    fov_deg: float = 360.0
    everywhere: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Observation:
    """Everything one agent perceives after a joint step (or after reset).

    `pose` is the agent's own, in the frame all agents share. `inventory` are (item, amount)
    pairs. `names` are the entities an action of this agent may name now. `text` is the full
    wording for prompts: several lines, no positions but the agent's own. `state_text` words own
    pose and inventory. `feedback` words the last action and its outcome as the agent is told it,
    `failures_text` the remembered failures. `local` are world-specific facts of the agent's own
    surroundings (SAR: the five cells of rule J1). `image` is encoded PNG bytes or None.
    """

    agent: str
    step: int
    pose: Pose
    inventory: tuple[tuple[str, int], ...]
    sightings: tuple[Sighting, ...]
    names: tuple[str, ...]
    text: str
    state_text: str = ""
    feedback: str = ""
    failures_text: str = ""
    view: View | None = None
    local: tuple[tuple[str, Value], ...] = ()
    image: bytes | None = None


@dataclass(frozen=True, slots=True)
class Effect:
    """A change the acting agent knows of because its own action succeeded.

    `attribute` is "holder" (value: agent name or ""), "gone" (value True: used up, delivered) or
    one of the entity's own attributes.
    """

    name: str
    attribute: str
    value: Value


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one agent's action in one joint step.

    `success` is the flag the agent is told; `promoted` marks a success that only drop promotion
    gave (SAR rule I7), which earns no subtask credit. `error_kind` is the reference's kind (""
    where it gives none); `reason` is our finer reason (rule N11), which baselines do not see.
    `agent_steps` counts primitive steps, >= 0 (rule K9). `idle`: the action does nothing by its
    schema.
    """

    agent: str
    action: Action
    success: bool
    error_kind: str = ""
    reason: str = ""
    agent_steps: int = 0
    idle: bool = False
    promoted: bool = False
    effects: tuple[Effect, ...] = ()


@dataclass(frozen=True, slots=True)
class StepResult:
    """One joint step as seen from outside: observations and outcomes by agent name.

    `failure`: why the simulator is lost, "" while it runs. The episode then ends as
    `infrastructure`, since no agent is to blame; observations may be those of the step before.
    """

    observations: Mapping[str, Observation]
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)
    failure: str = ""
