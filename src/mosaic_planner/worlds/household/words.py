"""What agents can do and what they are told: vocabulary and briefing."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mosaic_planner.core.action import ActionSchema, Kind, Parameter, Vocabulary
from mosaic_planner.core.world import Briefing
from mosaic_planner.worlds.household.catalogue import all_types, facts
from mosaic_planner.worlds.household.tasks import HouseholdTask

__all__ = ["ANGLES", "HOUSEHOLD_VOCABULARY", "MOVES", "TURNS", "brief", "spaced"]

MOVES = ("Ahead", "Back", "Left", "Right")
TURNS = ("Left", "Right")
ANGLES = ("30", "60", "90", "120", "150", "180")

_TYPES = tuple(t for t in all_types() if t not in ("Floor", "TargetCircle"))


def spaced(object_type: str) -> str:
    """A type as people write it: `ButterKnife` becomes `butter knife`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", object_type).lower()


def _having(affordance: str) -> tuple[str, ...]:
    return tuple(t for t in _TYPES if facts(t).share.get(affordance, 0.0) > 0.0)


KINDS = (
    *(Kind(t, mobile=facts(t).has("pickupable"), named_as=spaced(t)) for t in _TYPES),
    Kind("agent", mobile=True, named_as="robot"),
)

_OBJECT = Parameter("object", kinds=_TYPES)
_PICKUPABLE = Parameter("object", kinds=_having("pickupable"))
# A Sink is named here too: what is put into a sink goes into its basin.
_RECEPTACLE = Parameter("receptacle", kinds=tuple(sorted({*_having("receptacle"), "Sink"})))
_OPENABLE = Parameter("object", kinds=_having("openable"))
_TOGGLEABLE = Parameter("object", kinds=_having("toggleable"))
_SLICEABLE = Parameter("object", kinds=_having("sliceable"))
_DIRTYABLE = Parameter("object", kinds=_having("dirtyable"))
_DIRECTION = Parameter("direction", choices=MOVES)
_TURN = Parameter("direction", choices=TURNS)
_ANGLE = Parameter("angle", choices=ANGLES)

_SCHEMAS = (
    ActionSchema(
        "NavigateTo",
        (_OBJECT,),
        "Go to where an object that was seen before can be seen and handled, and face it.",
        (
            "navigate to {object}", "go to {object}", "go to the {object}", "walk to {object}",
            "move to {object}", "navigate to the {object}", "approach {object}",
            "navigate towards {object}", "head to {object}",
        ),
    ),
    ActionSchema(
        "PickupObject",
        (_PICKUPABLE,),
        "Take an object in view into the empty hand.",
        (
            "pick up {object}", "pick up the {object}", "pickup {object}", "grab {object}",
            "take {object}", "pick {object} up", "get {object}",
        ),
    ),
    ActionSchema(
        "PutObject",
        (_RECEPTACLE,),
        "Put the held object in or on a receptacle in view.",
        (
            "put object on {receptacle}", "put the object on {receptacle}",
            "put object in {receptacle}", "put the held object in {receptacle}",
            "put the held object on {receptacle}", "put it in {receptacle}",
            "put it on {receptacle}", "place object on {receptacle}", "place it on {receptacle}",
            "place object in {receptacle}", "place it in {receptacle}", "put in {receptacle}",
            "put on {receptacle}",
        ),
    ),
    ActionSchema(
        "OpenObject", (_OPENABLE,), "Open an object in view.",
        ("open {object}", "open the {object}", "open up {object}"),
    ),
    ActionSchema(
        "CloseObject", (_OPENABLE,), "Close an object in view.",
        ("close {object}", "close the {object}", "shut {object}"),
    ),
    ActionSchema(
        "ToggleObjectOn", (_TOGGLEABLE,), "Switch an object in view on.",
        ("toggle on {object}", "turn on {object}", "turn on the {object}", "switch on {object}",
         "turn {object} on", "switch {object} on", "toggle {object} on"),
    ),
    ActionSchema(
        "ToggleObjectOff", (_TOGGLEABLE,), "Switch an object in view off.",
        ("toggle off {object}", "turn off {object}", "turn off the {object}",
         "switch off {object}", "turn {object} off", "switch {object} off",
         "toggle {object} off"),
    ),
    ActionSchema(
        "SliceObject", (_SLICEABLE,), "Slice an object in view; no knife is needed.",
        ("slice {object}", "slice the {object}", "cut {object}", "crack {object}"),
    ),
    ActionSchema(
        "CleanObject", (_DIRTYABLE,), "Clean a dirty object in view; no water is needed.",
        ("clean {object}", "clean the {object}", "wash {object}", "wash the {object}"),
    ),
    ActionSchema(
        "Move", (_DIRECTION,), "Move 0.25 m without turning.",
        ("move {direction}", "step {direction}", "go {direction}", "walk {direction}"),
    ),
    ActionSchema(
        "Rotate", (_TURN,), "Turn 90 degrees.",
        ("rotate {direction}", "turn {direction}", "rotate to the {direction}"),
    ),
    ActionSchema(
        "LookUp", (_ANGLE,), "Tilt the view up by an angle; it ends 30 degrees above level.",
        ("look up by {angle} degrees", "look up {angle}", "look up by angle {angle}"),
    ),
    ActionSchema(
        "LookDown", (_ANGLE,), "Tilt the view down by an angle; it ends 60 degrees below level.",
        ("look down by {angle} degrees", "look down {angle}", "look down by angle {angle}"),
    ),
    ActionSchema(
        "Explore", (), "Go to where most is still unseen and look around there.",
        ("explore", "explore the room", "explore the environment", "look around",
         "search the room"),
    ),
    ActionSchema(
        "Done", (), "Say that the whole task is finished.",
        ("done", "task done", "task completed", "finished"), ends=True,
    ),
    ActionSchema(
        "Idle", (), "Do nothing in this step.",
        ("idle", "stay idle", "wait", "do nothing", "stay", "stand by"), idle=True,
    ),
)  # fmt: skip

_ALIASES = (
    ("navigate", "NavigateTo"),
    ("navigatetoobject", "NavigateTo"),
    ("goto", "NavigateTo"),
    ("moveto", "NavigateTo"),
    ("pickup", "PickupObject"),
    ("pick", "PickupObject"),
    ("grab", "PickupObject"),
    ("put", "PutObject"),
    ("place", "PutObject"),
    ("placeobject", "PutObject"),
    ("open", "OpenObject"),
    ("close", "CloseObject"),
    ("toggleon", "ToggleObjectOn"),
    ("turnon", "ToggleObjectOn"),
    ("switchon", "ToggleObjectOn"),
    ("toggleoff", "ToggleObjectOff"),
    ("turnoff", "ToggleObjectOff"),
    ("switchoff", "ToggleObjectOff"),
    ("slice", "SliceObject"),
    ("cut", "SliceObject"),
    ("clean", "CleanObject"),
    ("wash", "CleanObject"),
    ("turn", "Rotate"),
    ("wait", "Idle"),
    ("forward", "Ahead"),
    ("forwards", "Ahead"),
    ("backward", "Back"),
    ("backwards", "Back"),
)

HOUSEHOLD_VOCABULARY = Vocabulary(_SCHEMAS, KINDS, _ALIASES)

_RULES = (
    "Objects are called Type_k, numbered in the order in which the team first saw them.",
    "A robot sees what is within 1.5 m of it and within 90 degrees ahead, up and down as well as "
    "to the sides; what lies in a closed container is hidden.",
    "NavigateTo goes to any object that some robot has seen, avoiding furniture and robots, and "
    "ends facing it.",
    "All other actions on an object need it in view of the robot that acts: go to it first.",
    "A robot holds one object at a time. PickupObject needs an empty hand, PutObject a full one.",
    "PutObject names the receptacle; what is put is the held object.",
    "A Fridge, Cabinet, Drawer, Microwave, LaundryHamper or Box must be open before anything can "
    "be put into it or taken out of it.",
    "A stove burner takes one pot, pan or kettle; a coffee machine one mug; a toaster one slice of "
    "bread; holders what they are made for. Burners are switched by their stove knobs.",
    "A microwave must be closed before it is switched on, and off before it is opened; a laptop "
    "must be off before it is opened or closed.",
    "SliceObject needs no knife but the object must not be held; CleanObject needs no water.",
    "Robots are solid and cannot be nearer than 0.4 m to each other. They act one after another "
    "in every step, in the order of their names.",
    "Idle does nothing. Done says that the whole task is finished.",
)
_HINTS = (
    "Go to an object (NavigateTo) before acting on it, and to the receptacle before putting.",
    "While something the task needs has not been seen, let a robot that is free Explore, or look "
    "into closed containers where such things are kept.",
    "Open a closed container before putting into it, and close a fridge afterwards.",
    "Share the work: no two robots should go for the same object.",
    "A robot that stands in another's way should move aside.",
)
_FAILURE_CAUSES = (
    "the object was not seen by anybody yet",
    "the object is not in view of the robot from where it stands",
    "the robot's hand is full, or it is empty and something was to be put",
    "the receptacle is closed",
    "the receptacle does not take such an object, or has no room left",
    "another robot blocks the way or stands where a door would open",
    "the object is already in the wanted state",
)


def brief(task: HouseholdTask, instruction: str, agents: Sequence[str]) -> Briefing:
    """The briefing for one task; `instruction` is the task's own unless a tasks file gave one."""
    team = f"{', '.join(agents[:-1])} and {agents[-1]}" if len(agents) > 1 else agents[0]
    opening = f"The robots {team} work" if len(agents) > 1 else f"The robot {team} works"
    place = f"{opening} in a {task.room.replace('_', ' ')}."
    return Briefing(
        instruction=instruction,
        rules=(place, *_RULES),
        hints=_HINTS,
        failure_causes=_FAILURE_CAUSES,
        agent_noun="robot",
        task_words=named_types(instruction),
    )


def named_types(instruction: str) -> tuple[str, ...]:
    """The object types whose words stand in an instruction, in alphabetical order.

    Longer words first: a butter knife is not also a knife.
    """
    text = instruction.lower()
    found = []
    for kind in sorted(_TYPES, key=lambda t: (-len(spaced(t)), t)):
        words = rf"\b(?:{re.escape(spaced(kind))}|{kind.lower()})(?:s|es)?\b"
        text, times = re.subn(words, " ", text)
        if times:
            found.append(kind)
    return tuple(sorted(found))
