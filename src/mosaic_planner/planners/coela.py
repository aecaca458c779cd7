"""CoELA: every agent for itself, with messages (rule R29).

Per agent and step two calls: one writes a short message, one chooses from a numbered list of the
actions that are possible with what the agent sees, plus sending that message, Done and Idle. Each
agent knows only its own observations, its own past and the dialogue. Sending *is* the agent's
action of the step; a message reaches the others after everybody has chosen. What an agent's text
cannot be matched with is rejected (the original takes a random action instead).

Sending does nothing in the world, so it is carried out as Idle. Option `send_as` "SendMessage"
hands the message to the world as an action of that name, for worlds that treat talking
differently (SAR rule I10, the faithful switch of N6).
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from mosaic_planner.core.action import IDLE, Action
from mosaic_planner.core.candidate import Candidate, Proposal, Rejection, Subtasks
from mosaic_planner.models.asking import ask_for
from mosaic_planner.models.reading import answer_schema, as_text, as_texts, read_action
from mosaic_planner.planners.options import read_options
from mosaic_planner.planners.prompt import bullets, load_prompt, static_parts
from mosaic_planner.planners.protocol import PlannerSetup, Turn
from mosaic_planner.planners.wording import agent_block, one_line, rejected_text

__all__ = ["Coela", "possible_actions"]

_NUMBER = re.compile(r"^\W*(?:option\s*)?(\d+)\b", re.IGNORECASE)
_SEND = "send the message"


@dataclass(slots=True)
class _Member:
    """What one agent knows beyond its current observation."""

    actions: list[str] = field(default_factory=list)
    worked: list[str] = field(default_factory=list)
    steps: int = 0
    draft: str = ""
    wants_to_send: bool = False


class Coela:
    """The decentralised planner; one instance per episode."""

    name = "coela"

    def __init__(self, setup: PlannerSetup) -> None:
        self._setup = setup
        options = read_options(self.name, setup.options, {"send_as": ("Idle", "SendMessage")})
        self._send_as: str = options["send_as"]
        parts = static_parts(setup)
        several = setup.k > 1
        self._key = "choices" if several else "choice"
        parts["choice_key"] = bullets(
            [
                f'"choices": a list of {setup.k} different options, the best first, each copied '
                "from the list"
                if several
                else '"choice": the option you take, copied from the list'
            ]
        )
        taken = "Idle"
        parts["example"] = json.dumps(
            {"reason": "what is open and what I do", self._key: [taken] if several else taken}
        )
        flags = {"asm"} if setup.asm else set()
        self._message = load_prompt("coela_message", parts, flags)
        self._action = load_prompt("coela_action", parts, flags)
        self._members = {agent: _Member() for agent in setup.agents}
        self._dialogue: list[str] = []
        self._sent: list[tuple[str, str]] = []

    @property
    def static_prompts(self) -> dict[str, str]:
        """Static prompt by module, for the start-up check."""
        return {"message": self._message.static, "action": self._action.static}

    async def propose(self, turn: Turn) -> Proposal:
        """Two calls per agent, one agent after the other, none of them seeing the others'."""
        self._deliver(turn)
        delivered = tuple(self._sent)
        candidates: dict[str, tuple[Candidate, ...]] = {}
        rejections: list[Rejection] = []
        reasons: list[str] = []
        for agent in self._setup.agents:
            ranked, rejected, reason = await self._decide(turn, agent)
            candidates[agent] = ranked
            rejections += rejected
            reasons.append(f"{agent}: {reason}")
        return Proposal(
            candidates, tuple(rejections), reason="\n".join(reasons), messages=delivered
        )

    async def review(self, turn: Turn) -> Subtasks | None:
        """CoELA has no subtasks."""
        return None

    def _deliver(self, turn: Turn) -> None:
        """Take in the last step: own results, and the messages that were really sent."""
        self._sent = []
        for agent, member in self._members.items():
            outcome = turn.outcomes.get(agent)
            if outcome is None:
                continue
            member.steps += 1
            sent = member.wants_to_send and outcome.action == self._send_action(member.draft)
            if sent:
                self._sent.append((agent, member.draft))
                member.actions.append("sent a message")
                continue
            member.actions.append(turn.observations[agent].feedback)
            if outcome.success and not outcome.idle:
                member.worked.append(str(outcome.action))
        self._dialogue += [f"{sender}: {one_line(text)}" for sender, text in self._sent]

    def _send_action(self, message: str) -> Action:
        if self._send_as == "Idle":
            return IDLE
        return Action("SendMessage", (one_line(message),))

    def _values(self, turn: Turn, agent: str) -> dict[str, str]:
        member = self._members[agent]
        worked = ", ".join(dict.fromkeys(member.worked)) or "nothing"
        mine = tuple(line for line in turn.feedback if line.startswith(f"{agent}:"))
        return {
            "me": agent,
            "task": one_line(self._setup.briefing.instruction),
            "progress": f"{member.steps} steps; worked so far: {worked}",
            "dialogue": _lines(self._dialogue),
            "actions_so_far": _lines(member.actions),
            "rejected": rejected_text(mine),
            "blocks": agent_block(
                turn, agent, previous=False, failures=False, places=self._setup.asm
            ),
        }

    async def _decide(
        self, turn: Turn, agent: str
    ) -> tuple[tuple[Candidate, ...], list[Rejection], str]:
        member = self._members[agent]
        values = self._values(turn, agent)
        image = turn.observations[agent].image
        images = (image,) if image is not None else ()
        written = await ask_for(
            self._setup.ask,
            "message",
            self._message.static,
            self._message.state(values),
            keys=("message",),
            required=("message",),
            schema=answer_schema({"message": "text"}),
            images=images,
        )
        member.draft = as_text(written.fields.get("message"))
        entities = self._entities(turn, agent)
        options = possible_actions(self._setup, agent, entities)
        listed = [str(action) for action in options]
        if member.draft:
            listed.insert(0, f'{_SEND} "{one_line(member.draft)}"')
        values["options"] = "\n".join(f"{n}. {text}" for n, text in enumerate(listed, start=1))
        several = self._setup.k > 1
        answer = await ask_for(
            self._setup.ask,
            "action",
            self._action.static,
            self._action.state(values),
            keys=("reason", self._key),
            required=(self._key,),
            schema=answer_schema({"reason": "text", self._key: "texts" if several else "text"}),
            images=images,
        )
        texts = as_texts(answer.fields.get(self._key))[: self._setup.k]
        ranked, rejected = self._read(agent, texts, listed, entities)
        return ranked, rejected, as_text(answer.fields.get("reason"))

    def _entities(self, turn: Turn, agent: str) -> list[tuple[str, str]]:
        """Only what this agent sees; with agent-centric memory also what it remembers."""
        known = {s.name: s.kind for s in turn.observations[agent].sightings}
        if self._setup.asm:
            for name, belief in turn.beliefs.entities.items():
                known.setdefault(name, belief.kind)
        return list(known.items())

    def _read(
        self,
        agent: str,
        texts: Sequence[str],
        listed: Sequence[str],
        entities: Sequence[tuple[str, str]],
    ) -> tuple[tuple[Candidate, ...], list[Rejection]]:
        member = self._members[agent]
        member.wants_to_send = False
        found: list[Candidate] = []
        rejections: list[Rejection] = []
        for rank, text in enumerate(texts):
            number = _NUMBER.match(text)
            if number and 1 <= int(number[1]) <= len(listed):
                text = listed[int(number[1]) - 1]
            if member.draft and _is_sending(text):
                sending = self._send_action(member.draft)
                if any(c.action == sending for c in found):
                    continue  # plain Idle is wanted more than sending
                member.wants_to_send = True
                found.append(Candidate(agent, sending, rank, why="sends a message"))
                continue
            read = read_action(text, self._setup.vocabulary, entities, agent=agent)
            if read.action is None:
                rejections.append(Rejection(agent, text, read.told))
            else:
                found.append(Candidate(agent, read.action, rank))
        if not texts:
            rejections.append(Rejection(agent, "", "no action was given"))
        return tuple(found), rejections


def _is_sending(text: str) -> bool:
    plain = text.strip().lower()
    return plain.startswith((_SEND, "send message", "sendmessage", "send a message"))


def _lines(entries: Sequence[str]) -> str:
    return "\n" + "\n".join(f"- {entry}" for entry in entries) if entries else "none yet"


def possible_actions(
    setup: PlannerSetup, agent: str, entities: Sequence[tuple[str, str]]
) -> list[Action]:
    """Every action of the vocabulary with names of the right kind, in the vocabulary's order."""
    options: list[Action] = []
    for schema in setup.vocabulary.schemas:
        values = [
            parameter.choices
            or tuple(n for n, k in entities if k in parameter.kinds and n != agent)
            for parameter in schema.parameters
        ]
        options += [Action(schema.verb, args) for args in product(*values)]
    return options
