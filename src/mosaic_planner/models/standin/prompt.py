"""Reading a prompt as a model does: what is asked, in which form, and what is known.

Nothing but the text of the messages enters. The module is recognised by the keys the answer must
have, the world by the actions it offers.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

__all__ = ["POOL_KEY", "Asked", "Block", "Situation", "read_asked", "read_situation"]

POOL_KEY = "team's actions"
"""Key of an answer with one shared pool of actions for the whole team."""

_KEY_LINE = re.compile(r'^- "([^"\n]+)": (.*)$', re.M)
_ACTION_LINE = re.compile(r"^- ([A-Z]\w*)(?:\(([^)\n]*)\))?(?::|$)(.*)$", re.M)
_BLOCK = re.compile(r"^\[([^\]\n]+)\]$", re.M)
_HEADS = (
    "TASK|OPEN SUBTASKS|COMPLETED SUBTASKS|MEMORY|REJECTED|HISTORY|SEEN|YOU ARE|PROGRESS|DIALOGUE"
    "|YOUR ACTIONS|WHAT HAPPENED|SUBTASKS|ALLOCATION"
)
_HEAD = re.compile(rf"^({_HEADS}):", re.M)
_TEAM = re.compile(r"\b\d+ \w+s\b[^:\n]*: ([^.\n]+)\.")
_COUNT = re.compile(r"list of (\d+) different")
_OPTION = re.compile(r"^\d+\. (.+)$", re.M)
_PARTS = ("STATE", "PREVIOUS ACTION", "PREVIOUS FAILURES", "OBSERVATION", "KNOWN PLACES")
_PART = re.compile(rf"^({'|'.join(_PARTS)}):[ \n]?", re.M)


@dataclass(frozen=True, slots=True)
class Asked:
    """The form of the answer: its keys in order, and how many actions each agent may name.

    `several`: actions are wanted as a list of `count`. `offered` are the action forms of the
    prompt, (verb, parameter names), e.g. ("GetSupply", ("deposit", "supply")).
    """

    keys: tuple[str, ...]
    several: bool
    count: int
    offered: tuple[tuple[str, tuple[str, ...]], ...]
    rules: str = ""
    team: tuple[str, ...] = ()

    def offers(self, verb: str) -> bool:
        """Whether the prompt lists an action of that verb."""
        return any(known == verb for known, _ in self.offered)


@dataclass(frozen=True, slots=True)
class Block:
    """What the prompt says about one agent; a part that is not there is empty."""

    agent: str
    state: str = ""
    previous: str = ""
    failures: str = ""
    observation: str = ""
    places: str = ""


@dataclass(frozen=True, slots=True)
class Situation:
    """The user message in parts."""

    task: str = ""
    open: tuple[str, ...] = ()
    completed: tuple[str, ...] = ()
    memory: str = ""
    rejected: str = ""
    history: str = ""
    seen: str = ""
    me: str = ""
    own_actions: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    blocks: tuple[Block, ...] = ()
    dialogue: str = ""
    happened: str = ""


def read_asked(static: str) -> Asked:
    """What the system message asks for."""
    keys = _KEY_LINE.findall(static)
    counts = [int(n) for _, said in keys for n in _COUNT.findall(said)]
    start = static.find("\nActions")
    end = static.find("\n\n", start + 1) if start >= 0 else -1
    listed = static[start:end] if start >= 0 else ""
    offered = tuple(
        (verb, tuple(p.strip() for p in parameters.split(",") if p.strip()))
        for verb, parameters, _ in _ACTION_LINE.findall(listed)
    )
    return Asked(
        keys=tuple(key for key, _ in keys),
        several=bool(counts),
        count=counts[0] if counts else 1,
        offered=offered,
        rules=static[: start if start >= 0 else len(static)],
        team=_names(static),
    )


def _names(static: str) -> tuple[str, ...]:
    """The team as the first sentence lists it."""
    found = _TEAM.search(static)
    if found is None:
        return ()
    return tuple(n.strip() for n in found[1].replace(" and ", ", ").split(",") if n.strip())


def _texts(value: str) -> tuple[str, ...]:
    if not value.startswith("["):
        return ()
    try:
        items = json.loads(value)
    except ValueError:
        return ()
    return tuple(str(item) for item in items)


def _split(text: str, mark: re.Pattern[str]) -> list[tuple[str, str]]:
    """Every (mark, text up to the next mark)."""
    found = list(mark.finditer(text))
    ends = [*(m.start() for m in found[1:]), len(text)][: len(found)]
    return [(m[1], text[m.end() : end].strip()) for m, end in zip(found, ends, strict=True)]


def read_situation(state: str) -> Situation:
    """The user message taken apart; unknown parts are ignored."""
    state, _, options = state.partition("\nOPTIONS:\n")
    first = _BLOCK.search(state)
    head = state[: first.start()] if first else state
    heads = dict(_split(head, _HEAD))
    blocks = []
    for agent, body in _split(state[first.start() :], _BLOCK) if first else []:
        parts = dict(_split(body, _PART))
        blocks.append(
            Block(
                agent,
                parts.get("STATE", ""),
                parts.get("PREVIOUS ACTION", ""),
                parts.get("PREVIOUS FAILURES", ""),
                parts.get("OBSERVATION", ""),
                parts.get("KNOWN PLACES", ""),
            )
        )
    memory = heads.get("MEMORY", "")
    return Situation(
        task=heads.get("TASK", ""),
        open=_texts(heads.get("OPEN SUBTASKS", "")),
        completed=_texts(heads.get("COMPLETED SUBTASKS", "")),
        memory="" if memory == "None" else memory,
        rejected=heads.get("REJECTED", ""),
        history=heads.get("HISTORY", ""),
        seen=heads.get("SEEN", ""),
        me=heads.get("YOU ARE", ""),
        own_actions=tuple(
            line[2:] for line in heads.get("YOUR ACTIONS", "").splitlines() if line[:2] == "- "
        ),
        options=tuple(_OPTION.findall(options)),
        blocks=tuple(blocks),
        dialogue=heads.get("DIALOGUE", ""),
        happened=heads.get("WHAT HAPPENED", ""),
    )
