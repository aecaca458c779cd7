"""Whether a model can be used from here: keys, extras, server, schema; and what to do if not."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from mosaic_planner.core.errors import MosaicError
from mosaic_planner.models.protocol import ChatModel, ChatReply, ChatRequest, Message
from mosaic_planner.models.providers.structured import fits_schema
from mosaic_planner.models.registry import make_model, own_models

__all__ = ["Check", "check_keys", "check_model_name", "check_packages"]

Status = Literal["ok", "absent", "failed"]


@dataclass(frozen=True, slots=True)
class Check:
    """One finding. `absent`: not there and only needed for some models; `advice`: what to do."""

    what: str
    status: Status
    detail: str = ""
    advice: str = ""


_PACKAGES = (
    ("openai", "openai", "OpenAI and compatible servers"),
    ("anthropic", "anthropic", "Anthropic"),
    ("google", "google.genai", "Google Gemini"),
    ("local", "xllamacpp", "GGUF files on this machine"),
)
_KEYS = (
    ("openai:...", ("OPENAI_API_KEY",)),
    ("anthropic:...", ("ANTHROPIC_API_KEY",)),
    ("google:...", ("GEMINI_API_KEY", "GOOGLE_API_KEY")),
)
_SCHEMA = {
    "type": "object",
    "properties": {"word": {"type": "string", "enum": ["yes", "no"]}},
    "required": ["word"],
    "additionalProperties": False,
}


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # a parent package is missing
        return False


def check_packages() -> tuple[Check, ...]:
    """Which model extras are installed."""
    rows = []
    for extra, module, purpose in _PACKAGES:
        command = f"pip install 'mosaic-planner[{extra}]'"
        there = _installed(module)
        rows.append(
            Check(f"extra {extra}", "ok" if there else "absent", purpose, "" if there else command)
        )
    return tuple(rows)


def check_keys() -> tuple[Check, ...]:
    """Which providers' keys are in the environment; never shows a key."""
    rows = []
    for model, variables in _KEYS:
        there = [v for v in variables if os.environ.get(v, "").strip()]
        wanted = " or ".join(variables)
        rows.append(
            Check(f"key for {model}", "ok", f"{there[0]} is set")
            if there
            else Check(f"key for {model}", "absent", f"{wanted} is not set", f"export {wanted}=...")
        )
    for name, entry in own_models().items():
        rows.append(Check(f"own model {name}", "ok", entry.value))
    return tuple(rows)


async def check_model_name(name: str, **options: Any) -> tuple[Check, ...]:
    """Make one model and send it one small request with a schema (at most 20 output tokens).

    A hosted model bills that request. Never raises for anything that a model does.
    """
    try:
        model = make_model(name, **options)
    except MosaicError as error:
        return (Check(f"model {name}", "failed", str(error), _advice_for(str(error))),)
    shown = str(getattr(model, "name", name))
    reply = await _ask(model)
    if reply.failure:
        return (
            Check(f"model {shown}", "ok", "the name is known and what it needs is installed"),
            Check("answer", "failed", f"{reply.failure}: {reply.detail}", _advice(reply)),
        )
    rows = [
        Check(f"model {shown}", "ok", "the name is known and what it needs is installed"),
        Check("answer", "ok", f"{reply.latency_s:.2f} s, {reply.wire_attempts} request(s)"),
    ]
    if bool(getattr(model, "simulated", False)):
        return tuple(rows)
    kept = fits_schema(reply.text, _SCHEMA) and getattr(model, "structured", "schema") == "schema"
    counted = reply.usage.input_tokens > 0 and reply.usage.output_tokens > 0
    rows.append(
        Check("JSON schema", "ok", "enforced")
        if kept
        else Check(
            "JSON schema",
            "absent",
            reply.detail or "refused or ignored by the server",
            "nothing to do: answers are asked for in words and read with care",
        )
    )
    rows.append(
        Check("token counts", "ok", "reported")
        if counted
        else Check("token counts", "absent", "the server reports none", "costs cannot be given")
    )
    return tuple(rows)


async def _ask(model: ChatModel) -> ChatReply:
    messages = (
        Message("system", "You answer in JSON."),
        Message("user", 'Is water wet? Answer {"word": "yes"} or {"word": "no"}.'),
    )
    request = ChatRequest(messages, schema=_SCHEMA, max_output_tokens=20, temperature=0.0, seed=0)
    try:
        return await model.complete(request)
    except Exception as error:  # an own model may break its contract; say so instead of failing
        detail = f"the model raised {type(error).__name__} instead of replying with a failure"
        return ChatReply("", failure="infrastructure", detail=detail)


def _advice_for(problem: str) -> str:
    start = problem.find("pip install")
    if start >= 0:
        return problem[start:]
    return "see `mosaic models` for what can be named" if "unknown model" in problem else ""


def _advice(reply: ChatReply) -> str:
    said = reply.detail
    cases: Sequence[tuple[str, str]] = (
        ("key (", "set a valid key in the environment"),
        ("unknown_model", "check the model's name and the address"),
        ("timeout", "is the server busy or far away? raise `timeout_s`"),
        ("busy", "the account's rate limit is reached; wait or lower the rate"),
        ("server", "is the server running at that address?"),
    )
    return next((advice for sign, advice in cases if sign in f"{reply.failure} {said}"), "")
