"""Over HTTP: payloads are posted as multipart forms, the response is the next action."""

from __future__ import annotations

import http.client
import json
import secrets
from collections.abc import Callable
from typing import Any

from mosaic_planner.worlds.household.player.service import Message, Service

__all__ = ["multipart", "serve_wsgi"]

_TIMEOUT_S = 24 * 3600.0  # the response comes when the program makes its next step


def serve_wsgi(
    service: Service,
    host: str,
    port: int,
    token: str,
    connected: Callable[[], None] = lambda: None,
) -> None:
    """Post and answer until the client says stop (an empty action) or goes away.

    `connected` is called after the first answer.
    """
    message = service.hello()
    while True:
        action = _post(message, host, port, token)
        if not action or "action" not in action:
            return
        connected()
        message = service.answer(action)


def _post(message: Message, host: str, port: int, token: str) -> dict[str, Any] | None:
    boundary = f"mosaic{secrets.token_hex(16)}"
    body = multipart(message, token, boundary)
    connection = http.client.HTTPConnection(host, port, timeout=_TIMEOUT_S)
    try:
        headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
        connection.request("POST", "/train", body, headers)
        response = connection.getresponse()
        if response.status != 200:
            return None
        action = json.loads(response.read())
    except (OSError, ValueError, http.client.HTTPException):
        return None
    finally:
        connection.close()
    return action if isinstance(action, dict) else None


def multipart(message: Message, token: str, boundary: str) -> bytes:
    """The form as the client's own parser wants it.

    It takes headers only in this spelling, text parts only with a charset, and file parts only
    with a file name.
    """
    lines: list[bytes] = []
    texts = {
        "metadata": json.dumps(message.payload, allow_nan=False),
        "token": token,
    }
    for name, text in texts.items():
        lines += [
            f"--{boundary}".encode(),
            f'Content-disposition: form-data; name="{name}"'.encode(),
            b'Content-Type: text/plain; charset="utf-8"',
            b"",
            text.encode(),
        ]
    for name, bodies in message.images.items():
        for body in bodies:
            lines += [
                f"--{boundary}".encode(),
                f'Content-disposition: form-data; name="{name}"; filename="{name}"'.encode(),
                b"Content-Type: application/octet-stream",
                b"",
                body,
            ]
    lines += [f"--{boundary}--".encode(), b""]
    return b"\r\n".join(lines)
