"""Every action of the search-and-rescue world as schemas (section H), with sentence forms.

The first phrase of a schema is the one prompts show; the others are how models were seen to write
it in the published logs (rule R8), and in half call, half sentence forms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mosaic_planner.core.action import Action, ActionSchema, Kind, Parameter, Vocabulary
from mosaic_planner.worlds.sar.grid import DIRECTIONS

__all__ = ["KINDS", "SAR_VOCABULARY", "SUPPLY_CHOICES", "ground_actions"]

SUPPLY_CHOICES = ("Sand", "Water")

KINDS = (
    Kind("fire", named_as="fire"),
    Kind("region", named_as="fire region"),
    Kind("reservoir", named_as="reservoir"),
    Kind("deposit", named_as="deposit"),
    Kind("person", mobile=True, named_as="person"),
    Kind("agent", mobile=True, named_as="robot"),
)

_TARGET = Parameter("object", kinds=("fire", "region", "reservoir", "deposit", "person", "agent"))
_FIRE = Parameter("fire", kinds=("fire", "region"))
_RESERVOIR = Parameter("reservoir", kinds=("reservoir",))
_DEPOSIT = Parameter("deposit", kinds=("deposit",))
_PERSON = Parameter("person", kinds=("person",))
_SUPPLY = Parameter("supply", choices=SUPPLY_CHOICES)
_DIRECTION = Parameter("direction", choices=tuple(name for name, _, _ in DIRECTIONS))

_SCHEMAS = (
    ActionSchema(
        "NavigateTo",
        (_TARGET,),
        "Go next to an object, at any distance; onto a fire region's own cell if it is free.",
        (
            "navigate to object {object}",
            "navigate to {object}",
            "navigate to the object {object}",
            "navigate to the {object}",
            "navigate to object({object})",
            "navigate towards {object}",
            "go to {object}",
            "go to the {object}",
            "move to {object}",
            "move towards {object}",
            "walk to {object}",
            "travel to {object}",
            "head to {object}",
            "return to {object}",
            "approach {object}",
            "navigate to fire {object}",
            "navigate to region {object}",
            "navigate to reservoir {object}",
            "navigate to deposit {object}",
            "navigate to person {object}",
            "navigate to robot {object}",
            "navigate to agent {object}",
        ),
    ),
    ActionSchema(
        "Move",
        (_DIRECTION,),
        "Move one cell.",
        (
            "move {direction}",
            "move in {direction} direction",
            "move in the {direction} direction",
            "move in direction {direction}",
            "move to the {direction}",
            "move one cell {direction}",
            "move one step {direction}",
            "step {direction}",
            "go {direction}",
        ),
    ),
    ActionSchema(
        "Explore",
        (),
        "Go up to 20 cells in a random direction, finding persons on the way.",
        (
            "explore",
            "explore the area",
            "explore the environment",
            "explore the map",
            "explore the grid",
            "explore surroundings",
            "explore the surroundings",
            "explore around",
        ),
    ),
    ActionSchema(
        "Carry",
        (_PERSON,),
        "Take hold of a person; the person is lifted once enough robots hold it.",
        (
            "carry person {person}",
            "carry {person}",
            "carry the person {person}",
            "carry person({person})",
            "pick up {person}",
            "pick up person {person}",
            "lift {person}",
            "grab {person}",
            "help carry {person}",
            "help to carry {person}",
            "assist in carrying {person}",
            "start carrying {person}",
        ),
    ),
    ActionSchema(
        "DropOff",
        (_DEPOSIT, _PERSON),
        "Leave a carried person at a deposit; all its carriers must be near the deposit and do it.",
        (
            "drop off person {person} at deposit {deposit}",
            "drop off person {person} at {deposit}",
            "drop off {person} at {deposit}",
            "drop off {person} at deposit {deposit}",
            "drop off {person} at the {deposit}",
            "drop off {person} in {deposit}",
            "drop off {person} to {deposit}",
            "drop {person} off at {deposit}",
            "drop {person} at {deposit}",
            "drop {person} in {deposit}",
            "dropoff {person} at {deposit}",
            "dropoff({person} at {deposit})",
            "drop off({person} at {deposit})",
            "drop off({deposit}, {person})",
            "drop off at {deposit} person {person}",
            "deliver {person} to {deposit}",
            "deliver person {person} to deposit {deposit}",
        ),
    ),
    ActionSchema(
        "StoreSupply",
        (_DEPOSIT,),
        "Put all held supplies into a deposit.",
        (
            "store supplies at deposit {deposit}",
            "store supply at deposit {deposit}",
            "store supply in deposit {deposit}",
            "store supplies in deposit {deposit}",
            "store supply at {deposit}",
            "store supplies at {deposit}",
            "store supply in {deposit}",
            "store supplies in {deposit}",
            "store supply {deposit}",
            "store supply({deposit})",
            "store all supplies at {deposit}",
            "store all supplies in {deposit}",
        ),
    ),
    ActionSchema(
        "UseSupply",
        (_FIRE, _SUPPLY),
        "Use one unit on the fire's cells in the 3 x 3 block around the robot.",
        (
            "use supply {supply} on {fire}",
            "use {supply} on {fire}",
            "use supply {supply} on fire {fire}",
            "use supply {supply} on the fire {fire}",
            "use supply {supply} on object {fire}",
            "use supply {supply} on region {fire}",
            "use supply({supply}) on {fire}",
            "usesupply({supply}) on {fire}",
            "use supply {supply} to extinguish {fire}",
            "use {supply} on fire {fire}",
            "use {supply} supply on {fire}",
            "use {supply} to extinguish {fire}",
            "use supply({fire}, {supply})",
            "extinguish {fire} with {supply}",
            "extinguish {fire} using {supply}",
            "put out {fire} with {supply}",
            "apply {supply} to {fire}",
        ),
    ),
    ActionSchema(
        "GetSupply",
        (_RESERVOIR,),
        "Take one unit of the reservoir's supply.",
        (
            "get supply from reservoir {reservoir}",
            "get supply from {reservoir}",
            "get supply {reservoir}",
            "get supply at {reservoir}",
            "get supply from the {reservoir}",
            "get supplies from reservoir {reservoir}",
            "get supplies from {reservoir}",
            "get supply({reservoir})",
            "collect supply from {reservoir}",
            "collect supplies from {reservoir}",
            "take supply from {reservoir}",
        ),
    ),
    ActionSchema(
        "GetSupply",
        (_DEPOSIT, _SUPPLY),
        "Take as much of a supply as fits from a deposit.",
        (
            "get supply {supply} from deposit {deposit}",
            "get supply {supply} from {deposit}",
            "get {supply} from deposit {deposit}",
            "get {supply} from {deposit}",
            "get supply from deposit {deposit} of {supply}",
            "get supply({deposit}, {supply})",
            "get supply {deposit} {supply}",
            "collect {supply} from {deposit}",
            "take {supply} from {deposit}",
        ),
    ),
    ActionSchema(
        "ClearInventory",
        (),
        "Throw away all held supplies.",
        (
            "clear inventory",
            "clear the inventory",
            "empty inventory",
            "empty the inventory",
        ),
    ),
    ActionSchema(
        "Done",
        (),
        "Say that the whole task is finished.",
        ("done", "task done", "task completed", "finished"),
        ends=True,
    ),
    ActionSchema(
        "Idle",
        (),
        "Do nothing in this step.",
        (
            "idle",
            "be idle",
            "stay idle",
            "remain idle",
            "wait",
            "do nothing",
            "stay",
            "stay put",
            "stand by",
        ),
        idle=True,
    ),
    ActionSchema("NoOp", (), "The same as Idle.", ("no op", "noop", "no operation"), idle=True),
)

_ALIASES = (
    ("navigate", "NavigateTo"),
    ("navigatetoobject", "NavigateTo"),
    ("goto", "NavigateTo"),
    ("moveto", "NavigateTo"),
    ("explorearea", "Explore"),
    ("carryperson", "Carry"),
    ("pickup", "Carry"),
    ("dropoffperson", "DropOff"),
    ("drop", "DropOff"),
    ("deliver", "DropOff"),
    ("storesupplies", "StoreSupply"),
    ("store", "StoreSupply"),
    ("extinguish", "UseSupply"),
    ("use", "UseSupply"),
    ("getsupplies", "GetSupply"),
    ("collect", "GetSupply"),
    ("clear", "ClearInventory"),
    ("wait", "Idle"),
    ("north", "Up"),
    ("upward", "Up"),
    ("upwards", "Up"),
    ("south", "Down"),
    ("downward", "Down"),
    ("downwards", "Down"),
    ("west", "Left"),
    ("leftward", "Left"),
    ("leftwards", "Left"),
    ("east", "Right"),
    ("rightward", "Right"),
    ("rightwards", "Right"),
)

SAR_VOCABULARY = Vocabulary(_SCHEMAS, KINDS, _ALIASES)


def ground_actions(names: Mapping[str, Sequence[str]]) -> tuple[Action, ...]:
    """Every action over the names given by kind, in the order of the schemas and the names."""
    actions: list[Action] = []
    for schema in SAR_VOCABULARY.schemas:
        choices: list[tuple[str, ...]] = [()]
        for parameter in schema.parameters:
            values = parameter.choices or tuple(n for k in parameter.kinds for n in names[k])
            choices = [(*c, v) for c in choices for v in values]
        actions.extend(Action(schema.verb, c) for c in choices)
    return tuple(actions)
