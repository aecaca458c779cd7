"""SmartLLM: decompose, allocate, write a program, run it; replan when something fails (R30).

Three calls make a plan: subtasks, allocation, program. The program is untrusted text and is run by
our own interpreter (`program`), never by Python. It gives the preferred action of each robot; a
robot that it leaves free has no candidate of its own. In the original the program runs blindly to
its end; the Mosaic paper counts about 89 calls per episode, so here a failed skill, a program that
had to stop, or one that ended with the task unfinished leads to three new calls.

A coordinator may keep a robot from what its program wants; after `_PATIENCE` steps in a row the
program is given up, and the next plan is told why. So is a program whose robot does the same for
`_SAME` steps on end, or nothing for more than `_PATIENCE`: one wrong line in a loop would
otherwise cost the episode. A first decomposition without any subtask is an empty plan, which is
an outcome of the episode (`no_subtasks`), not a success.

Option `replans` (default 30): after so many new plans the robots are left without candidates.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from mosaic_planner.core.action import Action
from mosaic_planner.core.candidate import Candidate, Proposal, Rejection, Subtasks
from mosaic_planner.models.asking import ask_for
from mosaic_planner.models.reading import Answer, answer_schema, as_text, as_texts
from mosaic_planner.planners.candidates import known_entities
from mosaic_planner.planners.options import read_options
from mosaic_planner.planners.program import ProgramError, ProgramRun, parse_program
from mosaic_planner.planners.prompt import load_prompt, sample_action, static_parts
from mosaic_planner.planners.protocol import PlannerSetup, Turn
from mosaic_planner.planners.wording import agent_blocks, one_line, rejected_text, subtask_text

__all__ = ["SmartLlm"]

# Rule R30: output limits of the three calls; temperature 0.
_PATIENCE = 3
_SAME = 10
_LIMITS = {"decompose": 1300, "allocate": 400, "program": 1400}


@dataclass(slots=True)
class _Senses:
    """What a running program may ask, from the last observations only."""

    turn: Turn | None = None

    def sees(self, name: str) -> bool:
        return self._sighting(name) is not None

    def holds(self, agent: str, item: str) -> int:
        seen = self.turn.observations.get(agent) if self.turn else None
        return dict(seen.inventory).get(item, 0) if seen else 0

    def value(self, name: str, key: str) -> str | int | float | bool | None:
        return (self._sighting(name) or {}).get(key)

    def _sighting(self, name: str) -> dict[str, str | int | float | bool] | None:
        for seen in self.turn.observations.values() if self.turn else ():
            for sighting in seen.sightings:
                if sighting.name == name:
                    return dict(sighting.attributes)
        return None


@dataclass(slots=True)
class _Past:
    """What is told to the next plan."""

    why: str = "nothing yet, this is the first plan"
    worked: list[str] = field(default_factory=list)

    def text(self) -> str:
        worked = ", ".join(dict.fromkeys(self.worked)) or "nothing"
        return one_line(f"{self.why}; worked so far: {worked}")


class SmartLlm:
    """The program-writing planner; one instance per episode."""

    name = "smartllm"

    def __init__(self, setup: PlannerSetup) -> None:
        self._setup = setup
        options = read_options(self.name, setup.options, {"replans": 30})
        self._plans_left: int = 1 + options["replans"]
        parts = static_parts(setup)
        parts["first"] = setup.agents[0]
        parts["example"] = _as_call(sample_action(setup.vocabulary))
        flags = {"asm"} if setup.asm else set()
        self._prompts = {
            module: load_prompt(f"smartllm_{module}", parts, flags) for module in _LIMITS
        }
        self._senses = _Senses()
        self._run: ProgramRun | None = None
        self._past = _Past()
        self._first = True
        self._wanted: dict[str, Action] = {}
        self._refused: dict[str, int] = {}
        self._same: dict[str, tuple[Action, int]] = {}
        self._subtasks: tuple[str, ...] = ()
        self._allocation: tuple[str, ...] = ()

    @property
    def static_prompts(self) -> dict[str, str]:
        """Static prompt by module, for the start-up check."""
        return {module: prompt.static for module, prompt in self._prompts.items()}

    async def propose(self, turn: Turn) -> Proposal:
        """The program's next actions; three calls first where a new program is needed."""
        self._senses.turn = turn
        self._take_in(turn)
        wanted = self._run.wanted() if self._run is not None else {}
        if self._run is None or self._run.finished:
            if self._run is not None:
                self._past.why = self._run.problem or "the program ended, the task is not finished"
            wanted = {}
            if self._plans_left > 0:
                self._plans_left -= 1
                if not await self._plan(turn):
                    return Proposal({}, subtasks=Subtasks(), empty_plan=True)
                wanted = self._run.wanted() if self._run is not None else {}
        self._wanted = dict(wanted)
        candidates, rejections = self._check(turn, self._wanted)
        return Proposal(
            candidates,
            rejections,
            Subtasks(self._subtasks) if self._subtasks else None,
            reason="\n".join(self._allocation),
        )

    async def review(self, turn: Turn) -> Subtasks | None:
        """SmartLLM does not verify."""
        return None

    def _take_in(self, turn: Turn) -> None:
        """Tell the program what its robots did; another action than it wanted changes nothing."""
        for agent, action in self._wanted.items():
            outcome = turn.outcomes.get(agent)
            refused = outcome is not None and outcome.action != action
            self._refused[agent] = self._refused.get(agent, 0) + 1 if refused else 0
            if self._refused[agent] >= _PATIENCE and self._run is not None:
                self._run.stop(f"{agent} could not do {action} for {_PATIENCE} steps")
                self._refused.clear()
                break
            same, times = self._same.get(agent, (action, 0))
            times = times + 1 if same == action and not refused else 1
            self._same[agent] = (action, times)
            limit = _PATIENCE + 1 if self._setup.vocabulary.is_idle(action) else _SAME
            if times >= limit and self._run is not None:
                self._run.stop(f"{agent} did {action} {times} times on end")
                self._same.clear()
                break
        for agent, outcome in turn.outcomes.items():
            if outcome.success and not outcome.idle:
                self._past.worked.append(f"{agent} {outcome.action}")
            if self._run is not None:
                self._run.done(agent, outcome.action, outcome.success)

    async def _plan(self, turn: Turn) -> bool:
        """A new program in three calls; False if the first decomposition lists nothing to do."""
        values = {
            "task": one_line(self._setup.briefing.instruction),
            "happened": self._past.text(),
            "rejected": rejected_text(turn.feedback),
            "blocks": agent_blocks(self._setup, turn, failures=False, places=self._setup.asm),
        }
        subtasks = await self._list(turn, "decompose", "subtasks", values)
        self._subtasks = subtasks or ()
        first, self._first = self._first, False
        if first and subtasks == ():
            return False
        values["subtasks"] = subtask_text(self._subtasks)
        self._allocation = await self._list(turn, "allocate", "allocation", values) or ()
        values["allocation"] = subtask_text(self._allocation)
        asked = await ask_for(
            self._setup.ask,
            "program",
            self._prompts["program"].static,
            self._prompts["program"].state(values),
            keys=("program",),
            required=("program",),
            schema=answer_schema({"program": "text"}),
            max_output_tokens=_LIMITS["program"],
            temperature=0.0,
            images=_images(turn),
            check=lambda answer: _problem(_source(answer)),
        )
        source = _source(asked.answer)
        problem = asked.problem or _problem(source)
        if problem:
            self._run = None
            self._past.why = f"the program could not be used: {problem}"
            return True
        self._run = ProgramRun(
            parse_program(source), self._setup.agents, self._setup.vocabulary.verbs, self._senses
        )
        return True

    async def _list(
        self, turn: Turn, module: str, key: str, values: dict[str, str]
    ) -> tuple[str, ...] | None:
        """A module's list of texts; None if its answer could not be read."""
        asked = await ask_for(
            self._setup.ask,
            module,
            self._prompts[module].static,
            self._prompts[module].state(values),
            keys=("reason", key),
            required=(key,),
            schema=answer_schema({"reason": "text", key: "texts"}),
            max_output_tokens=_LIMITS[module],
            temperature=0.0,
            images=_images(turn),
        )
        return as_texts(asked.fields[key]) if key in asked.fields else None

    def _check(
        self, turn: Turn, wanted: dict[str, Action]
    ) -> tuple[dict[str, tuple[Candidate, ...]], tuple[Rejection, ...]]:
        """Candidates from the program's actions; one that is no action stops the program."""
        entities = known_entities(self._setup, turn)
        candidates: dict[str, tuple[Candidate, ...]] = dict.fromkeys(self._setup.agents, ())
        rejections: list[Rejection] = []
        for agent, action in wanted.items():
            problem = self._setup.vocabulary.check(action, entities)
            if not problem:
                candidates[agent] = (Candidate(agent, action, 0, why="the program's next"),)
                continue
            rejections.append(Rejection(agent, str(action), problem))
            if self._run is not None:
                self._run.stop(f"{agent}: {action}: {problem}")
        return candidates, tuple(rejections)


def _as_call(action: str) -> str:
    """An action as the program writes it, inside of a JSON text."""
    verb, _, inside = action.partition("(")
    args = [a.strip() for a in inside.rstrip(")").split(",") if a.strip()]
    return f"{verb}({', '.join(json.dumps(json.dumps(a))[1:-1] for a in args)})"


def _source(answer: Answer) -> str:
    """The program's text; models sometimes give its lines as a list."""
    value = answer.fields.get("program")
    if isinstance(value, list):
        return "\n".join(str(line) for line in value)
    return value if isinstance(value, str) else as_text(value)


def _problem(source: str) -> str:
    try:
        parse_program(source)
    except ProgramError as error:
        return str(error)
    return ""


def _images(turn: Turn) -> tuple[bytes, ...]:
    return tuple(o.image for o in turn.observations.values() if o.image is not None)
