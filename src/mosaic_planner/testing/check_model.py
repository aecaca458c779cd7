"""Whether a chat model of your own keeps the contract of `models.protocol.ChatModel`."""

from __future__ import annotations

import asyncio
import inspect
import math
from collections.abc import Callable
from typing import get_args

from mosaic_planner.core.errors import ConformanceError
from mosaic_planner.models.protocol import (
    ChatModel,
    ChatReply,
    ChatRequest,
    Failure,
    Message,
    Usage,
)

__all__ = ["check_model", "examine_model"]

_PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360606060000000050001a5f645400000000049454e44ae426082"
)
_SCHEMA = {
    "type": "object",
    "properties": {"reason": {"type": "string"}, "plan": {"type": "array"}},
    "required": ["reason", "plan"],
    "additionalProperties": False,
}


def _request(**changes: object) -> ChatRequest:
    messages = (
        Message("system", "You plan for a team. Answer with one JSON object."),
        Message("user", 'Write {"reason": text, "plan": [texts]}.'),
    )
    return ChatRequest(**{"messages": messages, "seed": 1, **changes})  # type: ignore[arg-type]


def check_model(make: Callable[[], ChatModel]) -> None:
    """Examine a model and raise `ConformanceError`, one line per problem, if it has any.

    `make` builds a fresh model; it is called several times. Requests go to the model in earnest:
    for a hosted one use a server on this machine. Requests vary in schema, images, temperature,
    length and concurrency; a model may ignore what it does not support but must not fail on it by
    an exception.
    """
    problems = examine_model(make)
    if problems:
        lines = "\n".join(f"- {problem}" for problem in problems)
        raise ConformanceError(f"the model breaks the contract of models:\n{lines}")


def examine_model(make: Callable[[], ChatModel]) -> list[str]:
    """As `check_model`, but problems are only listed, never raised.

    Each is one line that says what to do; none if the model keeps the contract.
    """
    return asyncio.run(_check(make))


async def _check(make: Callable[[], ChatModel]) -> list[str]:
    problems: list[str] = []
    model = make()
    complete = getattr(model, "complete", None)
    if complete is None or not inspect.iscoroutinefunction(complete):
        return ["`complete` must be an async method that takes a ChatRequest"]
    name = getattr(model, "name", None)
    if name is not None and not (isinstance(name, str) and name):
        problems.append("`name`, if there is one, must be a non-empty text (traces show it)")
    simulated = getattr(model, "simulated", False)
    if not isinstance(simulated, bool):
        problems.append("`simulated`, if there is one, must be True or False")
    user = Message("user", "What do you see?", (_PIXEL,))
    cases = {
        "a plain request": _request(),
        "a request with a schema": _request(schema=_SCHEMA),
        "a request with an image": _request(messages=(Message("system", "Look."), user)),
        "a request without a seed": _request(seed=None),
        "temperature 0": _request(temperature=0.0),
        "temperature 2": _request(temperature=2.0),
        "one output token": _request(max_output_tokens=1),
        "an empty state": _request(messages=(Message("system", ""), Message("user", ""))),
        "text beyond ASCII": _request(messages=(Message("user", "Füße 火 \N{FIRE}"),)),
    }
    for what, request in cases.items():
        problems += await _one(model, request, what)
    replies = await asyncio.gather(
        *(model.complete(_request(seed=n)) for n in range(4)), return_exceptions=True
    )
    if any(isinstance(r, BaseException) for r in replies):
        problems.append("four requests at the same time: one raised; keep no state between calls")
    if simulated is True:
        first, second = await make().complete(_request()), await make().complete(_request())
        if first != second:
            problems.append(
                "a simulated model must give equal replies to equal requests (seed included)"
            )
    return problems


async def _one(model: ChatModel, request: ChatRequest, what: str) -> list[str]:
    before = request
    try:
        reply = await model.complete(request)
    except Exception as error:
        return [
            f"{what}: raised {type(error).__name__}; failures are replies with `failure` and "
            "`detail`, never exceptions"
        ]
    if not isinstance(reply, ChatReply):
        return [f"{what}: returned {type(reply).__name__}, not a ChatReply"]
    problems = [f"{what}: {p}" for p in _reply_problems(reply)]
    if request != before:
        problems.append(f"{what}: changed the request")
    return problems


def _reply_problems(reply: ChatReply) -> list[str]:
    problems: list[str] = []
    if not isinstance(reply.text, str):
        return ["`text` must be a str"]
    if reply.failure not in get_args(Failure):
        problems.append(f"`failure` is {reply.failure!r}; use one of {get_args(Failure)}")
    if reply.failure and not reply.detail:
        problems.append("a failure needs a `detail` that says what went wrong")
    if not reply.failure and not reply.text:
        problems.append("no text and no failure; say which it is")
    usage = reply.usage
    if not isinstance(usage, Usage):
        return [*problems, "`usage` must be a Usage"]
    counts = (usage.input_tokens, usage.cached_tokens, usage.output_tokens)
    if any(not isinstance(n, int) or n < 0 for n in counts):
        problems.append("token counts must be whole numbers of at least 0")
    elif usage.cached_tokens > usage.input_tokens:
        problems.append("`cached_tokens` are part of `input_tokens`, so they cannot be more")
    for name in ("latency_s", "waiting_s"):
        value = getattr(reply, name)
        if not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
            problems.append(f"`{name}` must be a finite number of at least 0")
    if not isinstance(reply.wire_attempts, int) or reply.wire_attempts < 0:
        problems.append("`wire_attempts` must be a whole number of at least 0")
    try:
        reply.text.encode("utf-8")
    except UnicodeEncodeError:
        problems.append("`text` holds characters that cannot be written to a file")
    return problems
