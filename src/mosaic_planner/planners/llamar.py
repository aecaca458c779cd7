"""LLaMAR: plan, act, correct, verify (reference rules R1 to R22).

One planner call before the first step; then in each step one actor call and, after the joint
action, one verifier and one planner call: 1 + 3 calls per step, whatever the size of the team
(R2). "Correct" is a field of the actor's answer, not a call (R3). What a module answers replaces
the corresponding state completely (R4). No transcript is kept (R5).

Options: `no_verifier` (1 + 2 calls; completed subtasks are then the successes the team was told
of, the belief-side stand-in for the original's oracle, R24), `no_corrector` (R24), `merge`
(completed subtasks are never forgotten; off in the original, R4), `explore`: "free" (Explore is an
action like others, as in the original's SAR half), "one" (the Explore variant: one explorer per
step, R23) or "off" (the action list without it, R18), `candidates` "per-agent" or "global" with
`pool` entries shared by the whole team (Table 10).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from mosaic_planner.core.candidate import Proposal, Subtasks
from mosaic_planner.models.asking import ask_for
from mosaic_planner.models.reading import Shape, answer_schema, as_text, as_texts
from mosaic_planner.planners.candidates import known_entities, read_candidates, read_pool
from mosaic_planner.planners.exploring import (
    EXPLORE,
    Fruitless,
    need_exploring,
    one_explorer,
    without_exploring,
)
from mosaic_planner.planners.options import read_options
from mosaic_planner.planners.prompt import (
    POOL_KEY,
    Prompt,
    action_key,
    action_keys,
    load_prompt,
    pool_key,
    sample_action,
    static_parts,
)
from mosaic_planner.planners.protocol import PlannerSetup, Turn
from mosaic_planner.planners.wording import agent_blocks, one_line, rejected_text, subtask_text

__all__ = ["Llamar"]


class Llamar:
    """The plan-act-correct-verify loop; one instance per episode."""

    name = "llamar"
    left_out: tuple[str, ...] = ()

    def __init__(self, setup: PlannerSetup) -> None:
        self._options = read_options(
            self.name,
            setup.options,
            {
                "no_verifier": False,
                "no_corrector": False,
                "merge": False,
                "explore": ("free", "one", "off"),
                "candidates": ("per-agent", "global"),
                "pool": 9,
            },
        )
        self._one_explorer = self._options["explore"] == "one"
        if self._one_explorer:
            need_exploring(setup)
        if self._options["explore"] == "off":
            setup = without_exploring(setup)
            self.left_out = (EXPLORE,)  # for the start-up check
        self._setup = setup
        self._fruitless = Fruitless()
        self._shared_pool = self._options["candidates"] == "global"
        self._planner, self._actor, self._verifier = self._prompts()
        self._started = False
        self._open: tuple[str, ...] = ()
        self._completed: tuple[str, ...] = ()
        self._memory = ""

    def _prompts(self) -> tuple[Prompt, Prompt, Prompt]:
        setup = self._setup
        parts = static_parts(setup)
        flags = {"asm"} if setup.asm else set()
        if not self._options["no_corrector"]:
            flags.add("corrector")
        if self._one_explorer:
            flags.add("explore")
        if self._shared_pool:
            parts["action_keys"] = pool_key(self._options["pool"])
        else:
            parts["action_keys"] = action_keys(setup.agents, setup.k)
        parts["example"] = self._example()
        return (
            load_prompt("llamar_planner", parts),
            load_prompt("llamar_actor", parts, flags),
            load_prompt("llamar_verifier", parts),
        )

    @property
    def _texts(self) -> tuple[str, ...]:
        """Keys of the actor's answer beside the actions."""
        texts = ("memory", "reason", "subtask")
        return texts if self._options["no_corrector"] else ("failure reason", *texts)

    def _actor_schema(self, entities: Sequence[tuple[str, str]]) -> dict[str, Any]:
        several = self._setup.k > 1 or self._shared_pool
        shapes: dict[str, Shape | Mapping[str, Any]] = dict.fromkeys(self._texts, "text")
        shapes |= dict.fromkeys(self._action_keys(), "actions" if several else "action")
        k = self._options["pool"] if self._shared_pool else self._setup.k
        return answer_schema(shapes, self._setup.vocabulary, entities, k=k)

    def _example(self) -> str:
        action = sample_action(self._setup.vocabulary)
        several = self._setup.k > 1 or self._shared_pool
        answer: dict[str, Any] = {}
        if not self._options["no_corrector"]:
            answer["failure reason"] = "none"
        answer["memory"] = "what is worth knowing in the next step"
        answer["reason"] = "what is open, who does what, and why"
        answer["subtask"] = "a piece of work"
        for key in self._action_keys():
            answer[key] = [action, "Idle"] if several else action
        return json.dumps(answer, ensure_ascii=False)

    def _action_keys(self) -> tuple[str, ...]:
        if self._shared_pool:
            return (POOL_KEY,)
        return tuple(action_key(agent, self._setup.k) for agent in self._setup.agents)

    @property
    def static_prompts(self) -> dict[str, str]:
        """Static prompt by module, for the start-up check."""
        return {
            "planner": self._planner.static,
            "actor": self._actor.static,
            "verifier": self._verifier.static,
        }

    async def propose(self, turn: Turn) -> Proposal:
        """One actor call, before the first step also a planner call."""
        if not self._started:
            self._started = True
            if await self._plan(turn) and not self._open:
                return Proposal({}, subtasks=Subtasks(), empty_plan=True)
        state = self._actor.state(
            {
                **self._shared_state(turn),
                "memory": one_line(self._memory),
                "rejected": rejected_text(turn.feedback),
                "exploring": self._fruitless.text(),
                "blocks": agent_blocks(self._setup, turn, places=self._setup.asm),
            }
        )
        keys = self._action_keys()
        entities = known_entities(self._setup, turn)
        answer = await ask_for(
            self._setup.ask,
            "actor",
            self._actor.static,
            state,
            keys=(*self._texts, *keys),
            required=keys,
            schema=self._actor_schema(entities),
            images=_images(turn),
        )
        fields = answer.fields
        self._memory = as_text(fields.get("memory")) if fields else self._memory
        if self._shared_pool:
            candidates, rejections = read_pool(self._setup, entities, fields, self._options["pool"])
        else:
            candidates, rejections = read_candidates(self._setup, entities, fields)
        if self._one_explorer:
            candidates, others = one_explorer(candidates)
            rejections = (*rejections, *others)
        return Proposal(
            candidates,
            rejections,
            Subtasks(self._open, self._completed),
            reason=as_text(fields.get("reason")),
            subtask=as_text(fields.get("subtask")),
            memory=self._memory,
            failure_reason=as_text(fields.get("failure reason")),
        )

    async def review(self, turn: Turn) -> Subtasks:
        """Verifier call, then planner call; the old lists stay where an answer is unusable."""
        self._fruitless.note(turn.outcomes)
        if self._options["no_verifier"]:
            done = [str(o.action) for o in turn.outcomes.values() if o.success and not o.idle]
            self._completed = tuple(dict.fromkeys((*self._completed, *done)))
        else:
            await self._verify(turn)
        await self._plan(turn)
        return Subtasks(self._open, self._completed)

    def _shared_state(self, turn: Turn) -> dict[str, str]:
        return {
            "task": one_line(self._setup.briefing.instruction),
            "open": subtask_text(self._open),
            "completed": subtask_text(self._completed),
        }

    async def _plan(self, turn: Turn) -> bool:
        """Renew the open subtasks; False if the answer was unusable and the old ones stay."""
        blocks = agent_blocks(self._setup, turn, state=False, previous=False, failures=False)
        answer = await ask_for(
            self._setup.ask,
            "planner",
            self._planner.static,
            self._planner.state({**self._shared_state(turn), "blocks": blocks}),
            keys=("reason", "plan"),
            required=("plan",),
            schema=answer_schema({"reason": "text", "plan": "texts"}),
            images=_images(turn),
        )
        if "plan" not in answer.fields:
            return False
        self._open = as_texts(answer.fields["plan"])
        return True

    async def _verify(self, turn: Turn) -> None:
        state = self._verifier.state(
            {
                **self._shared_state(turn),
                "memory": one_line(self._memory),
                "blocks": agent_blocks(self._setup, turn, failures=False),
            }
        )
        answer = await ask_for(
            self._setup.ask,
            "verifier",
            self._verifier.static,
            state,
            keys=("reason", "completed subtasks"),
            required=("completed subtasks",),
            schema=answer_schema({"reason": "text", "completed subtasks": "texts"}),
            images=_images(turn),
        )
        if "completed subtasks" in answer.fields:
            new = as_texts(answer.fields["completed subtasks"])
            merged = dict.fromkeys((*self._completed, *new))
            self._completed = tuple(merged) if self._options["merge"] else new


def _images(turn: Turn) -> tuple[bytes, ...]:
    """One current image per agent where the world has them (R17)."""
    return tuple(o.image for o in turn.observations.values() if o.image is not None)
