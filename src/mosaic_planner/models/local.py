"""A GGUF file as a chat model: llama.cpp's own server inside this process, loopback only.

The server speaks OpenAI chat completions, so requests take exactly the road of a hosted model:
the same adapter, schemas, attempts and accounting.
"""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from mosaic_planner.core.errors import ConfigError
from mosaic_planner.models.extras import import_extra
from mosaic_planner.models.protocol import ChatReply, ChatRequest
from mosaic_planner.models.providers.base import WireModel
from mosaic_planner.models.providers.openai import OpenAIModel
from mosaic_planner.models.providers.settings import wire_settings
from mosaic_planner.models.providers.structured import bounded
from mosaic_planner.models.rates import RateLimiter

__all__ = ["LocalModel", "local_model"]

_PROMPTS_MIB = 1024  # states of earlier prompts: the modules of a planner take turns
_TIMEOUT_S = 600.0  # small machines are slow; one attempt may take minutes


class LocalModel:
    """`local:PATH`. The server starts at the first request and stops with this object.

    `threads` of computation (two busy ones can be slower than one on two cores), `context` in
    tokens. `reuse_prompt` keeps the state of a common prompt prefix between calls, which is faster
    but can change the last digits and so the words; without it a seed gives the same answer again.
    Raises `MissingExtraError`, and `ConfigError` if the file is no GGUF file.
    """

    simulated = False

    def __init__(
        self,
        path: Path,
        *,
        threads: int = 1,
        context: int = 8192,
        reuse_prompt: bool = False,
        **options: Any,
    ) -> None:
        try:
            with path.open("rb") as file:
                magic = file.read(4)
        except OSError as error:
            raise ConfigError(f"cannot read model file {path}: {error.strerror}") from None
        if magic != b"GGUF":
            raise ConfigError(f"{path} is no GGUF file")
        if threads < 1 or context < 256:
            raise ConfigError("a local model needs threads >= 1 and context >= 256")
        self._sdk = import_extra("xllamacpp", "local", f"model 'local:{path}'")
        import_extra("openai", "local", f"model 'local:{path}'")
        self.name = f"local:{path.name}"
        self._path = path
        self._threads = threads
        self._context = context
        self._reuse_prompt = reuse_prompt
        self._settings = wire_settings({"timeout_s": _TIMEOUT_S, **options})
        self._starting = threading.Lock()
        self._server: Any = None
        self._model: WireModel | None = None

    def _start(self) -> Any:
        with self._starting:  # requests may come together
            if self._server is None:
                self._server = self._serve()
            return self._server

    def _serve(self) -> Any:
        params = self._sdk.CommonParams()
        params.model.path = str(self._path)
        params.n_ctx = self._context
        params.n_parallel = 1
        params.n_gpu_layers = 0
        params.cpuparams.n_threads = self._threads
        params.cpuparams_batch.n_threads = self._threads
        params.cache_prompt = self._reuse_prompt
        params.cache_ram_mib = _PROMPTS_MIB if self._reuse_prompt else 0
        params.warmup = False
        params.ui = False
        params.verbosity = 0
        return self._sdk.Server(params)

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Answer one request; never raises for anything the server does."""
        if self._model is None:
            try:
                server = await asyncio.to_thread(self._start)
            except Exception as error:  # llama.cpp raises plain errors for a file it cannot load
                detail = f"cannot serve {self._path.name}: {error}"
                return ChatReply("", wire_attempts=0, failure="infrastructure", detail=detail)
            address = f"{server.listening_address}/v1"
            settings = replace(self._settings, base_url=address)
            # A server of our own has no account that others share.
            self._model = OpenAIModel(
                self._path.stem, settings, compatible=True, limiter=RateLimiter()
            )
        if request.schema is not None:
            most = self._settings.most_output_tokens or request.max_output_tokens
            tokens = min(most, request.max_output_tokens)
            request = replace(request, schema=bounded(request.schema, tokens))
        return await self._model.complete(request)

    async def aclose(self) -> None:
        """Close the connections and stop the server; a later request starts it again."""
        if self._model is not None:
            await self._model.aclose()
        self._server = self._model = None


def local_model(path: Path, **options: Any) -> LocalModel:
    """The model in a GGUF file; see `LocalModel` for the options, and `WireSettings` for more."""
    return LocalModel(path.expanduser(), **options)
