"""The page: one file with style, script and packed data, which needs no network and takes no
HTML from a trace.

Everything a trace says stands in base64 and reaches the page as text nodes only. The policy in the
page's head lets nothing be loaded from anywhere, lets only this script and this style run, by their
hashes, and forbids turning text into HTML (trusted types).
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mosaic_planner.core.errors import UsageError
from mosaic_planner.replay.pack import packed
from mosaic_planner.replay.parting import find_parting
from mosaic_planner.replay.payload import Payload, episode_payload
from mosaic_planner.replay.reading import Events

if TYPE_CHECKING:
    from mosaic_planner.episode import Episode

__all__ = ["SCRIPTS", "notebook_html", "replay_page", "write_replay"]

SCRIPTS = (
    "data.js",
    "dom.js",
    "colours.js",
    "symbols.js",
    "painter.js",
    "map.js",
    "charts.js",
    "timeline.js",
    "team.js",
    "decision.js",
    "beliefs.js",
    "calls.js",
    "lists.js",
    "episode.js",
    "player.js",
    "main.js",
)
"""Parts of the page's script, in order; together they are one function."""


@cache
def _asset(name: str) -> str:
    return files("mosaic_planner.replay").joinpath("assets", name).read_text("utf-8")


@cache
def _script() -> str:
    parts = "\n".join(_asset(name) for name in SCRIPTS)
    return f'(function () {{\n"use strict";\n{parts}\n}})();'


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _policy(script: str, style: str) -> str:
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {_hash(script)}",
            f"style-src {_hash(style)}",
            "base-uri 'none'",
            "form-action 'none'",
            "require-trusted-types-for 'script'",
        )
    )


def _data(name: str, data: str) -> str:
    return f'<script type="text/plain" id="{name}">{data}</script>\n'


def _episode(number: int, payload: Payload) -> str:
    parts = [_data(f"e{number}-core", payload.core)]
    for letter, chunks in (("f", payload.frames), ("d", payload.details)):
        parts += [_data(f"e{number}-{letter}{i}", c.data) for i, c in enumerate(chunks)]
    return "".join(parts)


def replay_page(source: Events, other: Events | None = None, *, details: bool = True) -> str:
    """The page of one episode, or of two side by side. Raises `TraceError` for broken events.

    `details` False leaves out beliefs, candidates, prompts and answers: a small page.
    """
    about: dict[str, Any] = {"episodes": 1 if other is None else 2, "parting": None}
    payloads = [episode_payload(source, details=details)]
    if other is not None:
        payloads.append(episode_payload(other, details=details))
        about["parting"] = find_parting(source, other).value()
    return _assemble(payloads, about)


def _assemble(payloads: list[Payload], about: Mapping[str, Any]) -> str:
    script, style = _script(), _asset("page.css")
    data = _data("about", packed(about)) + "".join(_episode(i, p) for i, p in enumerate(payloads))
    page = _asset("page.html")
    # The template has no other use of these marks, and none of the values contains one.
    for mark, value in (
        ("{{policy}}", escape(_policy(script, style))),
        ("{{style}}", style),
        ("{{script}}", script),
        ("{{data}}", data),
    ):
        page = page.replace(mark, value, 1)
    return page


def write_replay(
    path: str | Path, source: Events, other: Events | None = None, *, details: bool = True
) -> Path:
    """Write the page of one or two episodes; returns where it is.

    Raises `UsageError` if the file cannot be written.
    """
    page = replay_page(source, other, details=details)
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(page, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror}") from None
    return target


def notebook_html(source: Episode | Events, *, height_px: int = 760) -> str:
    """The same page inside a frame, as a notebook shows it: `_repr_html_` of an episode.

    The frame may run the page's script and nothing else: no access to the notebook, no network.
    """
    from mosaic_planner.episode import Episode

    events = source.trace if isinstance(source, Episode) else source
    page = escape(replay_page(events), quote=True)
    return (
        f'<iframe sandbox="allow-scripts" title="Mosaic episode replay" width="100%" '
        f'height="{height_px}" style="border:0" srcdoc="{page}"></iframe>'
    )
