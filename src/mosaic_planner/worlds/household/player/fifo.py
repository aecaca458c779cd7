"""Over two named pipes: runs of fields (type, length, body) that end with an end field."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any, BinaryIO

from mosaic_planner.core.errors import MissingExtraError
from mosaic_planner.worlds.household.player.service import Message, Service

__all__ = ["serve_fifo"]

_HEADER = struct.Struct("!BI")
_METADATA, _ACTION, _END = 1, 2, 255
_IMAGES = {"image": 4, "image_depth": 5, "image_classes": 8, "image_ids": 9}


def _packer() -> Callable[[Any], bytes]:
    try:
        import msgpack
    except ImportError:
        raise MissingExtraError("thor", "the player's FIFO transport") from None
    pack: Callable[[Any], bytes] = msgpack.packb
    return pack


def serve_fifo(
    service: Service, out_path: str, in_path: str, connected: Callable[[], None] = lambda: None
) -> None:
    """Answer until the client closes its pipe or goes away.

    The player speaks first: the out pipe is opened and the first message sent before the in pipe
    is opened, since each opening waits for the other side. `connected` is called once both are.
    """
    pack = _packer()
    with open(out_path, "wb") as out:
        _send(out, service.hello(), pack)
        with open(in_path, "rb") as source:
            connected()
            while (action := _receive(source)) is not None:
                _send(out, service.answer(action), pack)


def _send(out: BinaryIO, message: Message, pack: Callable[[Any], bytes]) -> None:
    fields = [(_METADATA, pack(message.payload))]
    for kind, bodies in message.images.items():
        fields.extend((_IMAGES[kind], body) for body in bodies)
    for number, body in fields:
        out.write(_HEADER.pack(number, len(body)))
        out.write(body)
    out.write(_HEADER.pack(_END, 0))
    out.flush()


def _receive(source: BinaryIO) -> dict[str, Any] | None:
    """The next action; None at the end of the stream."""
    action: dict[str, Any] | None = None
    while True:
        header = source.read(_HEADER.size)
        if len(header) < _HEADER.size:
            return None
        number, length = _HEADER.unpack(header)
        body = source.read(length)
        if len(body) < length:
            return None
        if number == _END:
            return action if action is not None else {}
        if number == _ACTION:
            read = json.loads(body)
            action = read if isinstance(read, dict) else {}
