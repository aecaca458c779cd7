"""Prompts of a household as planners write them, to test what the stand-in makes of them."""

from __future__ import annotations

from mosaic_planner.models.standin.household_view import View, read_view
from mosaic_planner.models.standin.prompt import read_asked, read_situation

STATIC = """You choose the next action of every member of a team of 2 robots: Alice and Bob. Go on.

How this world works:
- PickupObject needs an empty hand, PutObject a full one.

Actions, one per robot and step:
- NavigateTo(object): Go there.
- PickupObject(object): Take it.
- PutObject(receptacle): Put it.
- Explore(): Look around.
- Done: Say so.
- Idle: Nothing.

Answer with these keys:
- "memory": notes for yourself
- "Alice's actions": a list of 3 different actions Alice could take next
- "Bob's actions": a list of 3 different actions Bob could take next
"""


def block(
    name: str,
    *lines: str,
    holding: str = "nothing",
    previous: str = "",
    way: tuple[str, ...] = (),
    names: str = "none",
) -> str:
    """One robot's block; `lines` are in view, `way` was seen on the way."""
    said = f"{name}'s action {previous}" if previous else ""
    text = [
        f"[{name}]",
        f"STATE: {name} is at (1.00, -0.50), facing east, holding {holding}",
        f"PREVIOUS ACTION: {said}",
        "PREVIOUS FAILURES: none",
        "OBSERVATION:",
        "In view:",
        *lines,
    ]
    if way:
        text += ["Seen on the way:", *way]
    return "\n".join([*text, f"Names: {names}"])


def prompt(task: str, *blocks: str, memory: str = "None") -> str:
    """A user message."""
    head = f"TASK: {task}\nOPEN SUBTASKS: None\nCOMPLETED SUBTASKS: None\nMEMORY: {memory}"
    return "\n".join([head, "REJECTED: none", *blocks])


def view(task: str, *blocks: str, memory: str = "None") -> View:
    """What the stand-in reads from such a message."""
    return read_view(read_asked(STATIC), read_situation(prompt(task, *blocks, memory=memory)))
