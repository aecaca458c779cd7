"""Google Gemini (generateContent), through the official SDK."""

from __future__ import annotations

from typing import Any

from mosaic_planner.models.extras import import_extra
from mosaic_planner.models.protocol import ChatRequest, Message, Usage
from mosaic_planner.models.providers.base import WireAnswer, WireModel
from mosaic_planner.models.providers.problems import WireProblem
from mosaic_planner.models.providers.settings import WireSettings, api_key
from mosaic_planner.models.providers.structured import without

__all__ = ["GoogleModel"]

_REASONS = {"STOP": "stop", "MAX_TOKENS": "length"}
_REFUSALS = frozenset(
    {"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"}
)
_UNSUPPORTED = frozenset({"pattern"})


class GoogleModel(WireModel):
    """`google:MODEL`, with a key from `GEMINI_API_KEY` or `GOOGLE_API_KEY`."""

    def __init__(self, model: str, settings: WireSettings) -> None:
        self._sdk = import_extra("google.genai", "google", f"model 'google:{model}'")
        self._model = model
        self._key = api_key(("GEMINI_API_KEY", "GOOGLE_API_KEY"), f"google:{model}")
        super().__init__(f"google:{model}", settings)

    def _connect(self) -> Any:
        types = self._sdk.types
        return self._sdk.Client(
            api_key=self._key,
            vertexai=False,
            http_options=types.HttpOptions(
                base_url=self.settings.base_url,
                timeout=round(self.settings.timeout_s * 1000),
                retry_options=types.HttpRetryOptions(attempts=1),
                extra_body=dict(self.settings.body) or None,
            ),
        )

    async def _disconnect(self, client: Any) -> None:
        await client.aio.aclose()
        client.close()

    async def _send(self, client: Any, request: ChatRequest) -> WireAnswer:
        types = self._sdk.types
        system = "\n\n".join(m.content for m in request.messages if m.role == "system")
        config: dict[str, Any] = {
            "system_instruction": system or None,
            "temperature": request.temperature,
            "max_output_tokens": request.max_output_tokens,
            "seed": request.seed,
        }
        if request.schema is not None:
            config["response_mime_type"] = "application/json"
            config["response_json_schema"] = without(request.schema, _UNSUPPORTED)
        answer = await client.aio.models.generate_content(
            model=self._model,
            contents=[_content(types, m) for m in request.messages if m.role != "system"],
            config=types.GenerateContentConfig(**config),
        )
        return _answer(answer)


def _content(types: Any, message: Message) -> Any:
    parts = [types.Part.from_text(text=message.content)]
    parts += [types.Part.from_bytes(data=i, mime_type="image/png") for i in message.images]
    return types.Content(role="model" if message.role == "assistant" else "user", parts=parts)


def _name(reason: Any) -> str:
    return str(getattr(reason, "value", reason) or "")


def _answer(answer: Any) -> WireAnswer:
    usage = answer.usage_metadata
    thoughts = getattr(usage, "thoughts_token_count", None) or 0
    counts = Usage(
        input_tokens=getattr(usage, "prompt_token_count", None) or 0,
        cached_tokens=getattr(usage, "cached_content_token_count", None) or 0,
        output_tokens=(getattr(usage, "candidates_token_count", None) or 0) + thoughts,
    )
    blocked = _name(getattr(answer.prompt_feedback, "block_reason", None))
    if blocked:
        return WireAnswer("", counts, "refusal", f"the prompt was blocked: {blocked}")
    if not answer.candidates:
        raise WireProblem("server", "the answer has no candidates")
    candidate = answer.candidates[0]
    reason = _name(candidate.finish_reason) or "STOP"
    parts = getattr(candidate.content, "parts", None) or []
    text = "".join(p.text for p in parts if p.text and not getattr(p, "thought", None))
    refusal = f"the answer was blocked: {reason}" if reason in _REFUSALS else ""
    return WireAnswer(text, counts, _REASONS.get(reason, reason.lower()), refusal)
