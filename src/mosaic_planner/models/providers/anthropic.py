"""Anthropic messages, through the official SDK."""

from __future__ import annotations

import base64
from typing import Any

from mosaic_planner.models.extras import import_extra
from mosaic_planner.models.protocol import ChatRequest, Message, Usage
from mosaic_planner.models.providers.base import WireAnswer, WireModel
from mosaic_planner.models.providers.problems import WireProblem
from mosaic_planner.models.providers.settings import WireSettings, api_key
from mosaic_planner.models.providers.structured import without

__all__ = ["AnthropicModel"]

_REASONS = {"end_turn": "stop", "stop_sequence": "stop", "max_tokens": "length"}
_UNSUPPORTED = frozenset({"minItems", "maxItems", "pattern"})


class AnthropicModel(WireModel):
    """`anthropic:MODEL`. The system message is marked for caching; there is no seed.

    Temperatures above 1, which Anthropic does not have, are sent as 1.
    """

    def __init__(self, model: str, settings: WireSettings) -> None:
        self._sdk = import_extra("anthropic", "anthropic", f"model 'anthropic:{model}'")
        self._model = model
        self._dropped: set[str] = set()
        self._key = api_key(("ANTHROPIC_API_KEY",), f"anthropic:{model}")
        super().__init__(f"anthropic:{model}", settings)

    def _connect(self) -> Any:
        return self._sdk.AsyncAnthropic(
            api_key=self._key,
            base_url=self.settings.base_url,
            max_retries=0,
            timeout=self.settings.timeout_s,
        )

    async def _send(self, client: Any, request: ChatRequest) -> WireAnswer:
        system = [
            {"type": "text", "text": m.content, "cache_control": {"type": "ephemeral"}}
            for m in request.messages
            if m.role == "system"
        ]
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [_message(m) for m in request.messages if m.role != "system"],
            "max_tokens": request.max_output_tokens,
            "temperature": min(request.temperature, 1.0),
        }
        if system:
            body["system"] = system
        if request.schema is not None:
            schema = without(request.schema, _UNSUPPORTED)
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        body = {k: v for k, v in body.items() if k not in self._dropped}
        # `messages.create` refuses fields that its version does not list and warns of old models;
        # the client's own `post` sends what we say and still does keys, errors and types.
        answer = await client.post(
            "/v1/messages",
            cast_to=self._sdk.types.Message,
            body={**body, **self.settings.body},
        )
        return _answer(answer)

    def _adjust(self, problem: WireProblem) -> str:
        if "temperature" in problem.detail.lower() and "temperature" not in self._dropped:
            self._dropped.add("temperature")
            return "temperature"
        return ""


def _message(message: Message) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"type": "text", "text": message.content}]
    for image in message.images:
        data = base64.b64encode(image).decode("ascii")
        source = {"type": "base64", "media_type": "image/png", "data": data}
        content.append({"type": "image", "source": source})
    return {"role": message.role, "content": content}


def _answer(answer: Any) -> WireAnswer:
    content = getattr(answer, "content", None)
    reason = getattr(answer, "stop_reason", None) or "end_turn"
    if content is None:
        raise WireProblem("server", "the answer has no content")
    usage = answer.usage
    cached = getattr(usage, "cache_read_input_tokens", None) or 0
    written = getattr(usage, "cache_creation_input_tokens", None) or 0
    return WireAnswer(
        "".join(part.text for part in content if getattr(part, "type", "") == "text"),
        Usage(
            # Anthropic counts tokens read from and written to its cache apart from the rest.
            input_tokens=(getattr(usage, "input_tokens", None) or 0) + cached + written,
            cached_tokens=cached,
            output_tokens=getattr(usage, "output_tokens", None) or 0,
        ),
        _REASONS.get(reason, reason),
        "the model declined" if reason == "refusal" else "",
    )
