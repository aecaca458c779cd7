"""Recording every exchange with a model, and replaying it with the network off.

A cassette is a text file of JSON lines: a header, static texts stored once, and one line per
exchange with the whole request (images as digests) and the whole reply. A replayed request must
equal the recorded one in every byte that the model would see; anything else is a miss that shows
the difference to the recorded request it resembles most. Keys never enter: requests hold none, and
texts of failures pass through `hide_secrets`.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mosaic_planner.core.errors import ConfigError
from mosaic_planner.models.protocol import (
    ChatModel,
    ChatReply,
    ChatRequest,
    Usage,
    close_model,
)
from mosaic_planner.models.reading.keys import clean_text
from mosaic_planner.models.secrets import hide_secrets

__all__ = ["CASSETTE_FORMAT", "CassetteModel", "RecordingModel", "request_key"]

CASSETTE_FORMAT = 1
_DIFF_LINES = 12


def _plain(request: ChatRequest) -> dict[str, Any]:
    """Everything of a request that a model sees, as JSON values."""
    return {
        "messages": [
            {
                "role": m.role,
                "content": clean_text(m.content),
                "images": [hashlib.sha256(i).hexdigest() for i in m.images],
            }
            for m in request.messages
        ],
        "schema": request.schema,
        "max_output_tokens": request.max_output_tokens,
        "temperature": request.temperature,
        "seed": request.seed,
    }


def request_key(request: ChatRequest) -> str:
    """A digest of everything that a model sees of a request."""
    text = json.dumps(_plain(request), sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


class RecordingModel:
    """Passes requests on to a model and appends every exchange to a file.

    Raises `ConfigError` if the file is no cassette or belongs to another model.
    """

    def __init__(self, model: ChatModel, path: Path) -> None:
        self.name = str(getattr(model, "name", type(model).__name__))
        self.simulated = bool(getattr(model, "simulated", False))
        self._model = model
        self._path = path
        self._texts: dict[str, str] = {}
        if path.exists() and path.stat().st_size:
            tape = _read(path)
            if tape.model != self.name:
                raise ConfigError(f"{path} holds exchanges with {tape.model}, not {self.name}")
            self._texts = {text: key for key, text in tape.texts.items()}
        else:
            header = {"cassette": CASSETTE_FORMAT, "model": self.name, "simulated": self.simulated}
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._append(header)
            except OSError as error:
                raise ConfigError(f"cannot record to {path}: {error.strerror}") from None

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Ask the model and record what was asked and answered."""
        reply = await self._model.complete(request)
        plain = _plain(request)
        for message in plain["messages"]:
            if message["role"] == "system":
                message["text"] = self._text(message.pop("content"))
        recorded = asdict(reply) | {
            "text": clean_text(reply.text),
            "detail": hide_secrets(clean_text(reply.detail)),
        }
        self._append({"key": request_key(request), "request": plain, "reply": recorded})
        return reply

    async def aclose(self) -> None:
        """Close what the model holds open."""
        await close_model(self._model)

    def _text(self, text: str) -> str:
        key = self._texts.get(text)
        if key is None:
            key = self._texts[text] = f"s{len(self._texts)}"
            self._append({"id": key, "text": text})
        return key

    def _append(self, line: Mapping[str, Any]) -> None:
        data = json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n"
        with self._path.open("a", encoding="utf-8") as file:
            file.write(data)  # one write per line: lines of several processes do not mix


@dataclass(slots=True)
class _Tape:
    model: str
    simulated: bool
    texts: dict[str, str] = field(default_factory=dict)
    replies: dict[str, list[ChatReply]] = field(default_factory=dict)
    requests: list[dict[str, Any]] = field(default_factory=list)


def _reply(raw: Mapping[str, Any]) -> ChatReply:
    return ChatReply(**{**raw, "usage": Usage(**raw["usage"])})


def _read(path: Path) -> _Tape:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not a text file"
        raise ConfigError(f"cannot read cassette {path}: {reason}") from None
    tape: _Tape | None = None
    for number, line in enumerate(lines, start=1):
        try:
            entry = json.loads(line)
            if tape is None:
                if entry["cassette"] != CASSETTE_FORMAT:
                    raise ConfigError(f"{path}: cassette format {entry['cassette']!r} is unknown")
                tape = _Tape(str(entry["model"]), bool(entry["simulated"]))
            elif "id" in entry:
                tape.texts[entry["id"]] = entry["text"]
            else:
                tape.replies.setdefault(entry["key"], []).append(_reply(entry["reply"]))
                tape.requests.append(entry["request"])
        except (ValueError, KeyError, TypeError) as error:
            if number == len(lines) and tape is not None:
                break  # a torn last line of a run that was killed
            raise ConfigError(f"{path}: line {number} is no line of a cassette") from error
    if tape is None:
        raise ConfigError(f"{path}: not a cassette (it is empty)")
    return tape


class CassetteModel:
    """Replays a cassette under the recorded model's name; the network is never touched.

    Equal requests get their recorded replies in order, and again from the first. Latency, waiting,
    attempts and whether they were simulated are the recorded ones. A request that was not recorded
    gets failure "cassette_miss" with the difference in `detail`. Raises `ConfigError` if the file
    is no cassette.
    """

    def __init__(self, path: Path) -> None:
        self._tape = _read(path)
        self._path = path
        self.name = self._tape.model
        self.simulated = self._tape.simulated
        self._played: dict[str, int] = {}
        self._number = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The recorded reply to exactly this request."""
        key = request_key(request)
        replies = self._tape.replies.get(key)
        if not replies:
            detail = f"{self._path} has no such request. {self._difference(request)}"
            return ChatReply("", wire_attempts=0, failure="cassette_miss", detail=detail)
        played = self._played.get(key, 0)
        self._played[key] = played + 1
        self._number += 1
        return replies[played % len(replies)]

    def _difference(self, request: ChatRequest) -> str:
        """How the request differs from the most similar recorded one, in a few lines."""
        asked = _shown(_plain(request), {})
        best: list[str] | None = None
        # The next exchange in order is the likeliest; look around it, not at thousands.
        nearby = self._tape.requests[max(self._number - 8, 0) : self._number + 24]
        for recorded in nearby:
            shown = _shown(recorded, self._tape.texts)
            changes = [
                line
                for line in difflib.unified_diff(
                    shown, asked, "recorded", "asked", n=0, lineterm=""
                )
                if not line.startswith(("---", "+++", "@@"))
            ]
            if best is None or len(changes) < len(best):
                best = changes
        if best is None:
            return "The cassette holds no exchange here."
        more = len(best) - _DIFF_LINES
        lines = [line if len(line) <= 160 else line[:159] + "\u2026" for line in best[:_DIFF_LINES]]
        if more > 0:
            lines.append(f"... and {more} more changed lines")
        return "\n".join(["Recorded (-) and asked (+):", *lines])


def _shown(plain: Mapping[str, Any], texts: Mapping[str, str]) -> list[str]:
    lines: list[str] = []
    for message in plain["messages"]:
        content = message.get("content")
        if content is None:
            content = texts.get(message.get("text", ""), "")
        lines += [f"{message['role']}: {line}" for line in content.splitlines()]
        lines += [f"{message['role']} image: {digest}" for digest in message["images"]]
    for name in ("max_output_tokens", "temperature", "seed"):
        lines.append(f"{name}: {plain[name]}")
    lines.append(f"schema: {json.dumps(plain['schema'], sort_keys=True)}")
    return lines
