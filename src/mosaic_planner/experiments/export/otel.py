"""A trace as OpenTelemetry spans, with the names of the GenAI semantic conventions.

One span per episode (`invoke_agent`), below it one per planning step, below that one per model
call (`chat`). Prompts and answers stay out. Times are those of the trace: simulated for simulated
models.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from mosaic_planner.core.errors import MissingExtraError
from mosaic_planner.core.trace import Event, Trace

__all__ = ["Delivery", "export_spans", "otlp_tracer"]

_PROVIDERS = {"openai": "openai", "anthropic": "anthropic", "google": "gcp.gemini"}


@dataclass(slots=True)
class Delivery:
    """What became of the spans that were handed to the collector."""

    sent: int = 0
    lost: int = 0


def otlp_tracer() -> tuple[Any, Any, Delivery]:
    """A tracer that sends to the collector named by the usual `OTEL_*` variables, its provider,
    which must be shut down, and the count of what arrived. Raises `MissingExtraError`.
    """
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExportResult
    except ImportError:
        raise MissingExtraError("otel", "sending spans") from None
    delivery = Delivery()

    class Counting(OTLPSpanExporter):
        """The processor keeps to itself whether the collector took the spans."""

        def export(self, spans: Any) -> SpanExportResult:
            result = super().export(spans)
            if result is SpanExportResult.SUCCESS:
                delivery.sent += len(spans)
            else:
                delivery.lost += len(spans)
            return result

    # What its retries have to say would stand before our one line.
    logging.getLogger("opentelemetry.exporter.otlp").setLevel(logging.CRITICAL)
    provider = TracerProvider(resource=Resource.create({"service.name": "mosaic-planner"}))
    provider.add_span_processor(BatchSpanProcessor(Counting()))
    return provider.get_tracer("mosaic_planner"), provider, delivery


def _nanoseconds(start_s: float, t: float) -> int:
    return int((start_s + t) * 1e9)


def export_spans(trace: Trace, tracer: Any, *, start_s: float) -> int:
    """Write the spans of one episode; returns their number.

    `tracer`: of the OpenTelemetry API. `start_s`: seconds since the epoch at which the episode's
    clock stood at 0.
    """
    try:
        from opentelemetry.trace import set_span_in_context
    except ImportError:
        raise MissingExtraError("otel", "exporting spans") from None
    header, last = trace.header, trace.events[-1]
    end = float(last.get("t", 0.0))
    model = header["model"]
    provider = _PROVIDERS.get(model.partition(":")[0], "mosaic")
    episode = tracer.start_span(
        f"invoke_agent {header['planner']}",
        start_time=_nanoseconds(start_s, 0.0),
        attributes={
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.provider.name": provider,
            "gen_ai.agent.name": header["planner"],
            "gen_ai.request.model": model,
            "mosaic.world": header["world"]["id"],
            "mosaic.seed": header["seed"],
            "mosaic.agents": len(header["agents"]),
            "mosaic.simulated": bool(header["simulated"]),
            "mosaic.end": last.get("reason", ""),
        },
    )
    spans, context = 1, set_span_in_context(episode)
    for number, events in _steps(trace).items():
        times = [float(event["t"]) for event in events]
        step = tracer.start_span(
            f"planning step {number}",
            context=context,
            start_time=_nanoseconds(start_s, min(times)),
            attributes={"mosaic.step": number},
        )
        inside = set_span_in_context(step)
        for call in (event for event in events if event["event"] == "call"):
            finish = float(call["t"])
            span = tracer.start_span(
                f"chat {call['model']}",
                context=inside,
                start_time=_nanoseconds(start_s, finish - float(call["latency_s"])),
                attributes=_call_attributes(call, provider),
            )
            span.end(_nanoseconds(start_s, finish))
            spans += 1
        step.end(_nanoseconds(start_s, max(times)))
        spans += 1
    episode.end(_nanoseconds(start_s, end))
    return spans


def _steps(trace: Trace) -> dict[int, list[Event]]:
    steps: dict[int, list[Event]] = {}
    for event in trace.events:
        if "step" in event and event["step"] > 0 and "t" in event:
            steps.setdefault(event["step"], []).append(event)
    return steps


def _call_attributes(call: Event, provider: str) -> dict[str, Any]:
    usage, settings = call["usage"], call.get("settings", {})
    found = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider,
        "gen_ai.request.model": call["model"],
        "gen_ai.request.temperature": settings.get("temperature"),
        "gen_ai.request.max_tokens": settings.get("max_output_tokens"),
        "gen_ai.request.seed": settings.get("seed"),
        "gen_ai.usage.input_tokens": usage["input_tokens"],
        "gen_ai.usage.output_tokens": usage["output_tokens"],
        "gen_ai.response.finish_reasons": [call.get("finish_reason", "")],
        "mosaic.module": call["module"],
        "mosaic.wire_attempts": call["attempts"],
        "error.type": call.get("failure") or None,
    }
    return {name: value for name, value in found.items() if value is not None}
