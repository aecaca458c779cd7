"""From a model's name, one string, to a chat model.

openai:gpt-4o                      OpenAI (extra `openai`)
anthropic:claude-sonnet-4-5        Anthropic (extra `anthropic`)
google:gemini-3-flash              Google Gemini (extra `google`)
http://localhost:8080/v1#model     any OpenAI-compatible server: vLLM, llama.cpp, Ollama, ...
local:PATH                         a GGUF file, served in this process (extra `local`)
standin:careful                    a rule-based stand-in, no network
cassette:FILE                      replays recorded exchanges, no network
NAME or NAME:ARGUMENT              your own, by the entry-point group `mosaic_planner.models`
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from mosaic_planner.core.errors import ConfigError, UnknownNameError
from mosaic_planner.models.protocol import ChatModel

__all__ = ["ENTRY_POINTS", "FORMS", "make_model", "own_models"]

ENTRY_POINTS = "mosaic_planner.models"
"""The entry-point group of models that other packages bring."""

FORMS: dict[str, str] = {
    "anthropic": "anthropic:MODEL",
    "cassette": "cassette:FILE",
    "google": "google:MODEL",
    "http": "http://HOST:PORT/v1#MODEL",
    "https": "https://HOST/v1#MODEL",
    "local": "local:PATH",
    "openai": "openai:MODEL",
    "standin": "standin:STRENGTH",
}
"""How the name of each built-in kind of model is written."""


def own_models() -> dict[str, EntryPoint]:
    """Models that installed packages bring, by name, in alphabetical order."""
    return {e.name: e for e in sorted(entry_points(group=ENTRY_POINTS), key=lambda e: e.name)}


def make_model(
    name: str,
    /,
    *,
    seed: int = 0,
    latency: str = "hosted-2024",
    record: str | Path | None = None,
    **options: Any,
) -> ChatModel:
    """The chat model of that name.

    `latency`: the latency profile of models that simulate theirs. `record`: a file to which every
    exchange is appended, for `cassette:FILE`. `options` go to the adapter (for hosted models see
    `providers.settings.WireSettings`: `timeout_s`, `attempts`, `base_url`, ...; an own model gets
    them all). Raises `UnknownNameError`, `ConfigError` for options that the model does not have,
    and `MissingExtraError`; no connection is made yet.
    """
    model: ChatModel = _make(name, seed, latency, options)
    if record is None:
        return model
    from mosaic_planner.models.cassette import RecordingModel

    return RecordingModel(model, Path(record))


def _make(name: str, seed: int, latency: str, options: dict[str, Any]) -> ChatModel:
    kind, _, rest = name.partition(":")
    if kind in ("http", "https"):
        url, hash_, model = name.partition("#")
        if not hash_ or not model:
            raise ConfigError(f"a server's name needs its model: {FORMS[kind]}, not {url!r}")
        return _hosted("server", model, {"base_url": url, **options})
    if kind in FORMS and not rest:
        raise ConfigError(f"model {name!r} is incomplete; write {FORMS[kind]}")
    if kind in ("openai", "anthropic", "google"):
        return _hosted(kind, rest, options)
    if kind == "standin":
        from mosaic_planner.models.standin import make_standin

        return _call(name, make_standin, rest, {"latency": latency, "seed": seed}, options)
    if kind == "cassette":
        from mosaic_planner.models.cassette import CassetteModel

        return _call(name, CassetteModel, Path(rest), {}, options)
    if kind == "local":
        from mosaic_planner.models.local import local_model

        return _call(name, local_model, Path(rest), {}, options)
    own = own_models()
    if kind in own:
        try:
            factory = own[kind].load()
        except (ImportError, AttributeError) as error:
            raise ConfigError(f"model {name!r} cannot be loaded: {error}") from error
        return _call(name, factory, rest, {"seed": seed}, options)
    raise UnknownNameError("model", name, [*FORMS.values(), *own])


def _hosted(provider: str, model: str, options: dict[str, Any]) -> ChatModel:
    from mosaic_planner.models.providers import hosted_model

    return hosted_model(provider, model, options)


def _call(
    name: str,
    factory: Callable[..., ChatModel],
    argument: Any,
    given: dict[str, Any],
    options: dict[str, Any],
) -> ChatModel:
    """Call a factory with what is given; options it does not have are the user's mistake."""
    signature = inspect.signature(factory)
    try:
        signature.bind(argument, **given, **options)
    except TypeError as error:
        raise ConfigError(f"model {name!r} cannot be made with these options: {error}") from None
    return factory(argument, **given, **options)
