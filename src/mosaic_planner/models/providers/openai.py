"""OpenAI chat completions: OpenAI itself and every compatible server, through the official SDK."""

from __future__ import annotations

import base64
import re
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from mosaic_planner.core.errors import ConfigError
from mosaic_planner.models.extras import import_extra
from mosaic_planner.models.protocol import ChatRequest, Message, Usage
from mosaic_planner.models.providers.base import WireAnswer, WireModel
from mosaic_planner.models.providers.problems import WireProblem
from mosaic_planner.models.providers.settings import WireSettings, api_key
from mosaic_planner.models.rates import RateLimiter

__all__ = ["OpenAIModel"]

_REASONS = {"stop": "stop", "length": "length", "content_filter": "refusal"}


def _without_user(url: str) -> str:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"not a server's address: {parts.scheme}://{parts.hostname or ''}")
    host = parts.hostname if parts.port is None else f"{parts.hostname}:{parts.port}"
    return urlunsplit((parts.scheme, host, parts.path, "", ""))


class OpenAIModel(WireModel):
    """`openai:MODEL`, or with `compatible` `http://HOST/v1#MODEL`.

    Compatible servers get `max_tokens` (older name), may want no key (else `MOSAIC_API_KEY`), and
    need `base_url` in the settings.
    """

    def __init__(
        self,
        model: str,
        settings: WireSettings,
        *,
        compatible: bool = False,
        limiter: RateLimiter | None = None,
    ) -> None:
        self._sdk = import_extra("openai", "openai", "talking to OpenAI-compatible servers")
        self._model = model
        self._limit_key = "max_tokens" if compatible else "max_completion_tokens"
        self._dropped: set[str] = set()
        name = f"openai:{model}"
        if compatible:
            name = f"{_without_user(settings.base_url or '')}#{model}"
            self._key = api_key(("MOSAIC_API_KEY",), name, needed=False)
        else:
            self._key = api_key(("OPENAI_API_KEY",), name)
        super().__init__(name, settings, limiter=limiter)

    def _connect(self) -> Any:
        return self._sdk.AsyncOpenAI(
            api_key=self._key,
            base_url=self.settings.base_url,
            max_retries=0,
            timeout=self.settings.timeout_s,
        )

    async def _send(self, client: Any, request: ChatRequest) -> WireAnswer:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [_message(m) for m in request.messages],
            self._limit_key: request.max_output_tokens,
            "temperature": request.temperature,
        }
        if request.seed is not None:
            body["seed"] = request.seed
        if request.schema is not None:
            body["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": dict(request.schema)},
            }
        body = {k: v for k, v in body.items() if k not in self._dropped}
        answer = await client.chat.completions.create(**body, extra_body=dict(self.settings.body))
        return _answer(answer)

    def _adjust(self, problem: WireProblem) -> str:
        """Newer models refuse a temperature, older servers the newer name of the output limit."""
        said = problem.detail.lower()
        for name in ("temperature", "seed"):
            if re.search(rf"\b{name}\b", said) and name not in self._dropped:
                self._dropped.add(name)
                return name
        other = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
        if self._limit_key in said and "limit" not in self._dropped:
            refused, self._limit_key = self._limit_key, other[self._limit_key]
            self._dropped.add("limit")
            return refused
        return ""


def _message(message: Message) -> dict[str, Any]:
    if not message.images:
        return {"role": message.role, "content": message.content}
    parts: list[dict[str, Any]] = [{"type": "text", "text": message.content}]
    for image in message.images:
        data = base64.b64encode(image).decode("ascii")
        parts.append({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}})
    return {"role": message.role, "content": parts}


def _answer(answer: Any) -> WireAnswer:
    if not getattr(answer, "choices", None):
        raise WireProblem("server", "the answer has no choices")
    choice = answer.choices[0]
    message = choice.message
    usage = answer.usage
    details = getattr(usage, "prompt_tokens_details", None)
    reason = _REASONS.get(choice.finish_reason or "stop", choice.finish_reason or "stop")
    refusal = getattr(message, "refusal", None) or ""
    if reason == "refusal":
        refusal = refusal or "the content filter stopped the answer"
    return WireAnswer(
        message.content or "",
        Usage(
            input_tokens=getattr(usage, "prompt_tokens", None) or 0,
            cached_tokens=getattr(details, "cached_tokens", None) or 0,
            output_tokens=getattr(usage, "completion_tokens", None) or 0,
        ),
        reason,
        refusal,
    )
