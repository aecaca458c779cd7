"""A server on the loopback address that speaks three providers' wire protocols, by script.

OpenAI chat completions, Anthropic messages and Gemini generateContent; which one is told by the
path of the request. For testing adapters with the real SDKs, and whole runs against a server that
misbehaves. It listens on this machine only.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal

__all__ = ["Protocol", "SeenRequest", "WireReply", "WireServer"]

Protocol = Literal["openai", "anthropic", "google"]


@dataclass(frozen=True, slots=True)
class SeenRequest:
    """A request as it arrived. Header names are lower case."""

    protocol: Protocol
    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def schema(self) -> Any:
        """The JSON schema that was sent, or None."""
        if self.protocol == "openai":
            return (self.body.get("response_format") or {}).get("json_schema", {}).get("schema")
        if self.protocol == "anthropic":
            return ((self.body.get("output_config") or {}).get("format") or {}).get("schema")
        return (self.body.get("generationConfig") or {}).get("responseJsonSchema")


@dataclass(frozen=True, slots=True)
class WireReply:
    """What the server does with one request.

    `status` other than 200 sends an error with `text` as its message. `cut` sends half of the body
    and closes. `delay_s` is waited before answering. `refusal` declines as the protocol does it.
    `finish`: "stop" or "length". Token counts are put where the protocol has them.
    """

    text: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    cut: bool = False
    refusal: bool = False
    finish: Literal["stop", "length"] = "stop"
    input_tokens: int = 100
    cached_tokens: int = 0
    output_tokens: int = 10


WireScript = Sequence[WireReply | str] | Callable[[SeenRequest], WireReply | str]


class WireServer:
    """Serves a script: replies in order (the last one for ever), or a function of the request.

    Use as a context manager. `seen` are the requests so far, in order of arrival.
    """

    def __init__(self, script: WireScript) -> None:
        self.seen: list[SeenRequest] = []
        self._script = script
        self._lock = threading.Lock()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                owner._serve(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    @property
    def address(self) -> str:
        """`http://127.0.0.1:PORT`, without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def base_url(self, protocol: Protocol) -> str:
        """The base address that the SDK of a protocol wants."""
        return f"{self.address}/v1" if protocol == "openai" else self.address

    def __enter__(self) -> WireServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("content-length", "0"))
        try:
            body = json.loads(handler.rfile.read(length) or b"{}")
        except ValueError:
            body = {}
        headers = {k.lower(): v for k, v in handler.headers.items()}
        request = SeenRequest(_protocol(handler.path), handler.path, headers, body)
        with self._lock:
            self.seen.append(request)
            number = len(self.seen)
        if callable(self._script):
            reply = self._script(request)
        else:
            reply = self._script[min(number, len(self._script)) - 1]
        if isinstance(reply, str):
            reply = WireReply(reply)
        if reply.delay_s:
            time.sleep(reply.delay_s)
        data = json.dumps(_body(request, reply)).encode("utf-8")
        try:
            handler.send_response(reply.status)
            handler.send_header("content-type", "application/json")
            handler.send_header("content-length", str(len(data)))
            for name, value in reply.headers.items():
                handler.send_header(name, value)
            handler.end_headers()
            handler.wfile.write(data[: len(data) // 2] if reply.cut else data)
            handler.wfile.flush()
        except OSError:
            pass  # the client has gone: that is what some tests are about
        if reply.cut:
            handler.close_connection = True


def _protocol(path: str) -> Protocol:
    if "generateContent" in path:
        return "google"
    return "anthropic" if path.split("?")[0].endswith("/messages") else "openai"


def _body(request: SeenRequest, reply: WireReply) -> dict[str, Any]:
    if reply.status != 200:
        return _error(request.protocol, reply)
    if request.protocol == "openai":
        return _openai(request, reply)
    return _anthropic(request, reply) if request.protocol == "anthropic" else _google(reply)


def _error(protocol: Protocol, reply: WireReply) -> dict[str, Any]:
    if protocol == "google":
        return {"error": {"code": reply.status, "message": reply.text, "status": "ERROR"}}
    error = {"type": "error", "message": reply.text}
    return {"type": "error", "error": error} if protocol == "anthropic" else {"error": error}


def _openai(request: SeenRequest, reply: WireReply) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text, "refusal": None}
    if reply.refusal:
        message |= {"content": None, "refusal": reply.text or "I cannot help with that."}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": request.body.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": reply.finish}],
        "usage": {
            "prompt_tokens": reply.input_tokens,
            "completion_tokens": reply.output_tokens,
            "total_tokens": reply.input_tokens + reply.output_tokens,
            "prompt_tokens_details": {"cached_tokens": reply.cached_tokens},
        },
    }


def _anthropic(request: SeenRequest, reply: WireReply) -> dict[str, Any]:
    reason = (
        "refusal" if reply.refusal else "max_tokens" if reply.finish == "length" else "end_turn"
    )
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request.body.get("model", ""),
        "content": [{"type": "text", "text": reply.text}],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {
            "input_tokens": reply.input_tokens - reply.cached_tokens,
            "cache_read_input_tokens": reply.cached_tokens,
            "cache_creation_input_tokens": 0,
            "output_tokens": reply.output_tokens,
        },
    }


def _google(reply: WireReply) -> dict[str, Any]:
    reason = "SAFETY" if reply.refusal else "MAX_TOKENS" if reply.finish == "length" else "STOP"
    content = {"role": "model", "parts": [] if reply.refusal else [{"text": reply.text}]}
    return {
        "candidates": [{"index": 0, "content": content, "finishReason": reason}],
        "usageMetadata": {
            "promptTokenCount": reply.input_tokens,
            "cachedContentTokenCount": reply.cached_tokens,
            "candidatesTokenCount": reply.output_tokens,
            "totalTokenCount": reply.input_tokens + reply.output_tokens,
        },
    }
