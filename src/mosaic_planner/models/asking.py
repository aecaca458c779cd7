"""Asking for an answer with certain keys; at most one re-ask, which says what was wrong.

What cannot be read after that is left to the caller: the coordinator's safe candidates keep the
episode going.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from mosaic_planner.models.protocol import ChatReply
from mosaic_planner.models.reading import Answer, read_answer

__all__ = ["AskModel", "Asked", "ask_for"]


class AskModel(Protocol):
    """What `ask_for` calls; the same shape as `planners.protocol.Ask`."""

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
        """One logical call."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """The better of at most two answers, and every reply (one or two) in order."""

    answer: Answer
    replies: tuple[ChatReply, ...]

    @property
    def fields(self) -> dict[str, Any]:
        """The fields that could be read, see `Answer.fields`."""
        return self.answer.fields

    @property
    def rung(self) -> str:
        """The rung of the reading ladder that succeeded."""
        return self.answer.rung

    @property
    def problem(self) -> str:
        """What is wrong with the answer; "" if nothing."""
        return self.answer.problem


def _again(state: str, problem: str, required: Sequence[str]) -> str:
    keys = ", ".join(f'"{k}"' for k in required)
    form = f"one JSON object with the keys {keys}" if keys else "one JSON object"
    return (
        f"{state}\n\nYour last answer could not be used: {problem}. "
        f"Answer again with {form} and nothing else."
    )


async def ask_for(
    ask: AskModel,
    module: str,
    static: str,
    state: str,
    *,
    keys: Sequence[str],
    required: Sequence[str] = (),
    schema: Mapping[str, Any] | None = None,
    max_output_tokens: int = 1000,
    temperature: float | None = None,
    images: tuple[bytes, ...] = (),
    check: Callable[[Answer], str] | None = None,
    reask: bool = True,
) -> Asked:
    """Ask, read, and ask once more if the answer cannot be used.

    `check` may find more wrong with a readable answer: it returns what, or "". A reply without
    text (a failure, a refusal, a limit) is not asked again: that is the adapter's or the
    episode's business. If both answers have problems the one with more of the required keys
    counts, at a tie the first.
    """
    replies: list[ChatReply] = []
    best: Answer | None = None
    problem = ""
    for attempt in range(2 if reask else 1):
        reply = await ask(
            module,
            static,
            state if not attempt else _again(state, problem, required or keys),
            schema=schema,
            max_output_tokens=max_output_tokens,
            temperature=temperature,
            images=images,
        )
        replies.append(reply)
        if reply.failure:
            failed = Answer(problem=f"no answer: {reply.failure}")
            best = best or failed
            break
        answer = read_answer(reply.text, keys, required=required)
        problem = answer.problem or (check(answer) if check is not None else "")
        if problem and not answer.problem:
            answer = Answer(answer.fields, answer.rung, problem, answer.cut)
        note = getattr(ask, "note_reading", None)  # a session keeps the rung in its trace
        if note is not None:
            note(module, answer.rung, problem, attempt > 0)
        have = sum(k in answer.fields for k in required)
        if not problem:
            best = answer
            break
        if best is None or have > sum(k in best.fields for k in required):
            best = answer
    return Asked(best or Answer(problem="no answer"), tuple(replies))
