"""What Act, CoT and ReAct share: one call per step for the whole team (rules R25 to R28).

The user message is the task, the full history (for every step what each agent saw, what was
chosen for it, and what came of it) and the current state. The history grows without limit and
only at its end, so that providers can cache it. Earlier reasoning is never fed back.

Option `summariser`: object lists first pass one extra call per agent and step that keeps what
matters for the task (R25), counted as module "summariser".
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from mosaic_planner.core.candidate import Proposal, Subtasks
from mosaic_planner.models.asking import ask_for
from mosaic_planner.models.reading import Shape, answer_schema, as_text, as_texts
from mosaic_planner.planners.candidates import known_entities, read_candidates, read_pool
from mosaic_planner.planners.options import read_options
from mosaic_planner.planners.prompt import (
    POOL_KEY,
    action_keys,
    load_prompt,
    pool_key,
    sample_action,
    static_parts,
)
from mosaic_planner.planners.protocol import PlannerSetup, Turn
from mosaic_planner.planners.wording import agent_blocks, one_line, rejected_text

__all__ = ["SingleCallPlanner"]


class SingleCallPlanner:
    """Base of the three methods; a subclass says what is asked for beside the actions.

    `thought_key`: the key of the reasoning, "" for none. `nested_key`: the key of the object that
    holds the actions, "" if they stand at the top.
    """

    name = ""
    thought_key = ""
    nested_key = ""

    def __init__(self, setup: PlannerSetup) -> None:
        self._setup = setup
        self._options = read_options(
            self.name,
            setup.options,
            {"summariser": False, "candidates": ("per-agent", "global"), "pool": 9},
        )
        self._shared_pool = self._options["candidates"] == "global"
        parts = static_parts(setup)
        parts["action_keys"] = (
            pool_key(self._options["pool"])
            if self._shared_pool
            else action_keys(setup.agents, setup.k, bare=True)
        )
        parts["example"] = self._example()
        self._prompt = load_prompt(self.name, parts, {"asm"} if setup.asm else ())
        self._summariser = load_prompt("summariser", parts)
        self._history: list[str] = []
        self._seen: dict[str, str] = {}
        self._chosen: dict[str, str] = {}

    @property
    def static_prompts(self) -> dict[str, str]:
        """Static prompt by module, for the start-up check."""
        return {self.name: self._prompt.static}

    def _keys(self) -> tuple[str, ...]:
        return (POOL_KEY,) if self._shared_pool else self._setup.agents

    def _several(self) -> bool:
        return self._shared_pool or self._setup.k > 1

    def _example(self) -> str:
        action = sample_action(self._setup.vocabulary)
        value = [action, "Idle"] if self._several() else action
        actions: dict[str, Any] = dict.fromkeys(self._keys(), value)
        answer: dict[str, Any] = {}
        if self.thought_key:
            answer[self.thought_key] = "what is open, who does what, and why"
        answer.update({self.nested_key: actions} if self.nested_key else actions)
        return json.dumps(answer, ensure_ascii=False)

    def _schema(self, entities: Sequence[tuple[str, str]]) -> dict[str, Any]:
        shape: Shape = "actions" if self._several() else "action"
        actions: dict[str, Shape | Mapping[str, Any]] = dict.fromkeys(self._keys(), shape)
        fields: dict[str, Shape | Mapping[str, Any]] = {}
        if self.thought_key:
            fields[self.thought_key] = "text"
        fields |= {self.nested_key: actions} if self.nested_key else actions
        k = self._options["pool"] if self._shared_pool else self._setup.k
        return answer_schema(fields, self._setup.vocabulary, entities, k=k)

    async def propose(self, turn: Turn) -> Proposal:
        """One call for the whole team (and one per agent for summaries, if switched on)."""
        self._remember(turn)
        await self._look(turn)
        state = self._prompt.state(
            {
                "task": one_line(self._setup.briefing.instruction),
                "history": "\n".join(self._history) or "none yet",
                "rejected": rejected_text(turn.feedback),
                "blocks": agent_blocks(self._setup, turn, failures=False, places=self._setup.asm),
            }
        )
        entities = known_entities(self._setup, turn)
        required = (self.nested_key,) if self.nested_key else self._keys()
        thought = (self.thought_key,) if self.thought_key else ()
        answer = await ask_for(
            self._setup.ask,
            self.name,
            self._prompt.static,
            state,
            keys=(*thought, *required),
            required=required,
            schema=self._schema(entities),
            images=tuple(o.image for o in turn.observations.values() if o.image is not None),
        )
        given = answer.fields
        if self.nested_key:
            inner = given.get(self.nested_key)
            given = {**given, **inner} if isinstance(inner, Mapping) else given
        if self._shared_pool:
            candidates, rejections = read_pool(self._setup, entities, given, self._options["pool"])
        else:
            candidates, rejections = read_candidates(self._setup, entities, given)
        self._chosen = {
            agent: str(ranked[0].action) if ranked else "nothing readable"
            for agent, ranked in candidates.items()
        }
        reason = as_text(given.get(self.thought_key)) if self.thought_key else ""
        return Proposal(candidates, rejections, reason=reason)

    async def review(self, turn: Turn) -> Subtasks | None:
        """These methods have no subtasks."""
        return None

    def _remember(self, turn: Turn) -> None:
        """Close the previous step in the history, now that its outcomes are known."""
        if not self._chosen:
            return
        lines = [f"Step {len(self._history) + 1}"]
        for agent in self._setup.agents:
            feedback = turn.observations[agent].feedback
            chosen = self._chosen[agent]
            # With a coordinator the executed action need not be the one chosen first.
            if not feedback.startswith(chosen):
                feedback = f"you chose {chosen}; {feedback}"
            lines.append(f"- {agent}: saw {self._seen[agent]}; {feedback}")
        self._history.append("\n".join(lines))

    async def _look(self, turn: Turn) -> None:
        for agent in self._setup.agents:
            names: tuple[str, ...] = turn.observations[agent].names
            if self._options["summariser"]:
                names = await self._summarise(names)
            self._seen[agent] = ", ".join(names) or "nothing"

    async def _summarise(self, names: tuple[str, ...]) -> tuple[str, ...]:
        state = self._summariser.state(
            {
                "task": one_line(self._setup.briefing.instruction),
                "seen": ", ".join(names) or "nothing",
            }
        )
        answer = await ask_for(
            self._setup.ask,
            "summariser",
            self._summariser.static,
            state,
            keys=("summary",),
            required=("summary",),
            schema=answer_schema({"summary": "texts"}),
            temperature=0.0,
        )
        if "summary" not in answer.fields:
            return names
        # A summary can only leave names out, not bring new ones in.
        kept = set(as_texts(answer.fields["summary"]))
        return tuple(name for name in names if name in kept)
