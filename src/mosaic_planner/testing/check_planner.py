"""Whether a planner of your own keeps the contract of `planners.protocol.Planner`.

It is played for a few steps in the search-and-rescue world with models that answer well, at
random, with prose, with nothing, and not at all.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mosaic_planner.core.action import IDLE
from mosaic_planner.core.candidate import Candidate, Proposal, Rejection, Subtasks
from mosaic_planner.core.errors import ConformanceError
from mosaic_planner.core.observation import Outcome
from mosaic_planner.memory import make_memory
from mosaic_planner.models.protocol import ChatModel, ChatReply, ChatRequest, Message
from mosaic_planner.models.standin import make_standin
from mosaic_planner.planners.check import check_prompts
from mosaic_planner.planners.protocol import Planner, PlannerSetup, Turn
from mosaic_planner.testing.random_model import RandomModel
from mosaic_planner.testing.scripted import ScriptedModel
from mosaic_planner.worlds.registry import make_world

__all__ = ["check_planner", "examine_planner"]

STEPS = 4
REJECTED = "Alice: 'Fly(Moon)' was rejected: there are no wings"

Make = Callable[[PlannerSetup], Planner]


def check_planner(make: Make) -> None:
    """Examine a planner and raise `ConformanceError`, one line per problem, if it has any.

    `make` builds a fresh planner from a `PlannerSetup`; it is called many times.
    """
    problems = examine_planner(make)
    if problems:
        lines = "\n".join(f"- {problem}" for problem in problems)
        raise ConformanceError(f"the planner breaks the contract of planners:\n{lines}")


def examine_planner(make: Make) -> list[str]:
    """As `check_planner`, but problems are only listed, never raised.

    Each is one line that says what to do; none if the planner keeps the contract.
    """
    return asyncio.run(_check(make))


@dataclass(frozen=True)
class _Call:
    """What one call sent; `feedback`: rejections were known when it was made."""

    module: str
    static: str
    state: str
    feedback: bool


@dataclass
class _Recorder:
    """An `Ask` that remembers what was sent."""

    model: ChatModel
    calls: list[_Call] = field(default_factory=list)
    feedback: bool = False

    async def __call__(
        self,
        module: str,
        static: str,
        state: str,
        *,
        schema: Mapping[str, Any] | None = None,
        max_output_tokens: int = 1000,
        temperature: float | None = None,
        images: tuple[bytes, ...] = (),
    ) -> ChatReply:
        self.calls.append(_Call(module, static, state, self.feedback))
        messages = (Message("system", static), Message("user", state, images))
        return await self.model.complete(
            ChatRequest(messages, schema, max_output_tokens, temperature or 0.7)
        )


@dataclass(frozen=True)
class _Case:
    name: str
    model: Callable[[], ChatModel]
    agents: int = 2
    k: int = 1
    asm: bool = False


_CASES = (
    _Case("one agent", lambda: make_standin("careful"), agents=1),
    _Case("two agents", lambda: make_standin("careful")),
    _Case("five agents, three candidates each", lambda: make_standin("careful"), 5, 3),
    _Case("agent-centric memory", lambda: make_standin("careful"), 3, 3, True),
    _Case("a model that errs", lambda: make_standin("weak"), 3, 3),
    _Case("random answers of the asked schema", lambda: RandomModel(1), 3, 3),
    _Case("a model that answers prose", lambda: ScriptedModel(["I am not sure what to do."])),
    _Case("a model that answers half an object", lambda: ScriptedModel(['{"memory": "x", "Ali'])),
    _Case("a model that answers nothing", lambda: ScriptedModel([ChatReply("")])),
    _Case(
        "a model that fails",
        lambda: ScriptedModel([ChatReply("", failure="timeout", detail="no answer in time")]),
    ),
    _Case("a model that answers a list", lambda: ScriptedModel(["[1, [2, {}], null]"])),
)


async def _check(make: Make) -> list[str]:
    problems: list[str] = []
    for case in _CASES:
        found, _ = await _play(make, case)
        problems += [f"{case.name}: {problem}" for problem in found]
        if problems:
            return list(dict.fromkeys(problems))  # later cases would only repeat it
    problems += await _check_prompts(make)
    return list(dict.fromkeys(problems))


async def _check_prompts(make: Make) -> list[str]:
    problems: list[str] = []
    plain = _Case("plain", lambda: make_standin("careful"), 3)
    with_memory = _Case("asm", lambda: make_standin("careful"), 3, 3, True)
    _, calls = await _play(make, plain)
    _, again = await _play(make, plain)
    if calls != again:
        problems.append("equal replies must lead to equal prompts; keep no state outside of it")
    if not calls:
        return problems  # a planner without a model has no prompts
    static: dict[str, str] = {}
    for call in calls:
        if static.setdefault(call.module, call.static) != call.static:
            problems.append(
                f"module {call.module!r}: the static text must be the same in every call, so that "
                "providers can cache it; put what changes into the state"
            )
    later = [call.state for call in calls if call.feedback]
    if later and not any(REJECTED in state for state in later):
        problems.append("lines of `Turn.feedback` must reach the model, or it repeats rejections")
    _, remembered = await _play(make, with_memory)
    if not any("moves" in call.state for call in remembered):
        problems.append("with `asm` the lines of `Turn.memory_lines` must be in a prompt")
    return problems


async def _play(make: Make, case: _Case) -> tuple[list[str], list[_Call]]:
    """Problems of one short episode, and every call it made."""
    world = make_world("sar", scene=1, agents=case.agents)
    ask = _Recorder(case.model())
    setup = PlannerSetup(
        world.agents, world.vocabulary, world.briefing, ask, k=case.k, asm=case.asm
    )
    memory = make_memory(
        "belief" if case.asm else "current",
        agents=world.agents,
        geometry=world.geometry,
        briefing=world.briefing,
        vocabulary=world.vocabulary,
    )
    planner = make(setup)
    for method in ("propose", "review"):
        if not inspect.iscoroutinefunction(getattr(planner, method, None)):
            return [f"`{method}` must be an async method that takes a Turn"], ask.calls
    problems = list(check_prompts(planner, world.vocabulary))
    observations = world.reset(0)
    outcomes: Mapping[str, Outcome] = {}
    memory.update(observations, outcomes)
    for step in range(STEPS):
        turn = Turn(
            step,
            observations,
            memory.beliefs(),
            outcomes,
            {a: memory.lines(a) if case.asm else () for a in world.agents},
            (REJECTED,) if step else (),
        )
        ask.feedback = step > 0
        try:
            proposal = await planner.propose(turn)
        except Exception as error:
            return [*problems, _raised("propose", error)], ask.calls
        problems += _proposal_problems(setup, turn, proposal)
        if problems:
            return problems, ask.calls
        joint = {
            a: proposal.candidates[a][0].action if proposal.candidates.get(a) else IDLE
            for a in world.agents
        }
        result = world.step(joint)
        observations, outcomes = result.observations, result.outcomes
        memory.update(observations, outcomes)
        ask.feedback = False
        after = Turn(step + 1, observations, memory.beliefs(), outcomes)
        try:
            subtasks = await planner.review(after)
        except Exception as error:
            return [*problems, _raised("review", error)], ask.calls
        if not (subtasks is None or isinstance(subtasks, Subtasks)):
            problems.append("`review` must give Subtasks, or None if the method has none")
    return problems, ask.calls


def _raised(method: str, error: Exception) -> str:
    return (
        f"`{method}` raised {type(error).__name__} ({error}); an answer that cannot be used is no "
        "exception: keep the old state, leave the agent without candidates"
    )


def _proposal_problems(setup: PlannerSetup, turn: Turn, proposal: Any) -> list[str]:
    if not isinstance(proposal, Proposal):
        return [f"`propose` returned {type(proposal).__name__}, not a Proposal"]
    problems: list[str] = []
    strangers = [a for a in proposal.candidates if a not in setup.agents]
    if strangers:
        problems.append(f"candidates for {strangers[0]!r}, who is not in the team")
    for agent in setup.agents:
        candidates = proposal.candidates.get(agent)
        if candidates is None:
            problems.append(f"no entry for {agent!r}; an agent without candidates has ()")
            continue
        problems += _candidate_problems(setup, turn, agent, candidates)
    if not all(isinstance(r, Rejection) for r in proposal.rejections):
        problems.append("`rejections` must be Rejection values")
    return problems


def _candidate_problems(setup: PlannerSetup, turn: Turn, agent: str, candidates: Any) -> list[str]:
    if not isinstance(candidates, tuple) or not all(isinstance(c, Candidate) for c in candidates):
        return ["the candidates of an agent must be a tuple of Candidate values"]
    problems: list[str] = []
    if len(candidates) > setup.k:
        problems.append(f"{len(candidates)} candidates for {agent}, but k is {setup.k}")
    ranks = [c.rank for c in candidates]
    if ranks != sorted(set(ranks)) or any(rank < 0 for rank in ranks):
        problems.append("candidates must be sorted by rank, best first, ranks at least 0")
    entities = [(s.name, s.kind) for o in turn.observations.values() for s in o.sightings]
    entities += [(name, belief.kind) for name, belief in turn.beliefs.entities.items()]
    entities += [(name, "agent") for name in setup.agents]
    for candidate in candidates:
        if candidate.agent != agent:
            problems.append(f"a candidate of {candidate.agent!r} is listed for {agent!r}")
        if candidate.source != "model":
            problems.append("a planner's candidates have the source 'model'")
        wrong = setup.vocabulary.check(candidate.action, entities)
        if wrong:
            problems.append(f"{candidate.action} is no action of this world ({wrong})")
    return problems
