"""The page as a file: self-contained, the same every time, and nothing of a trace is HTML."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from replay_traces import make_trace

from mosaic_planner.core.errors import UsageError
from mosaic_planner.core.trace import Trace
from mosaic_planner.replay import notebook_html, replay_page, write_replay

HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=alert(1)>"


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def _tags(page: str) -> list[tuple[str, dict[str, str | None]]]:
    parser = _Page()
    parser.feed(page)
    return parser.tags


def test_equal_traces_give_equal_pages(trace: Trace) -> None:
    assert replay_page(trace) == replay_page(make_trace())


def test_nothing_is_loaded_from_anywhere(trace: Trace) -> None:
    page = replay_page(trace, make_trace(change_at=5))
    assert "http://" not in page.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in page
    loading = {"src", "srcset", "data", "action", "background", "poster", "ping", "formaction"}
    for tag, attributes in _tags(page):
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form", "video")
        assert not loading & set(attributes)
        if "href" in attributes:
            assert str(attributes["href"]).startswith("#")


def test_the_policy_allows_this_script_and_this_style_only(trace: Trace) -> None:
    page = replay_page(trace)
    policy = next(
        str(a["content"]) for t, a in _tags(page) if a.get("http-equiv") is not None and t == "meta"
    )
    rules = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["require-trusted-types-for"] == "'script'"
    for rule, tag in (("script-src", "script"), ("style-src", "style")):
        (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    assert page.index("Content-Security-Policy") < page.index("<style>")


def test_a_hostile_trace_adds_no_tag_and_no_text() -> None:
    agents = (f"Al{HOSTILE}", f"Bob{HOSTILE}")
    hostile = replay_page(make_trace(agents=agents, person=f"Lost{HOSTILE}", says=HOSTILE))
    plain = replay_page(make_trace())
    assert "hacked" not in hostile
    assert "onerror" not in hostile

    def shape(page: str) -> list[str]:
        return [t for t, a in _tags(page) if a.get("type") != "text/plain"]

    assert shape(hostile) == shape(plain)


def test_the_script_never_makes_html_of_text() -> None:
    page = replay_page(make_trace())
    making = ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(")
    reaching = ("new Function", "fetch(", "XMLHttpRequest", "localStorage", "javascript:")
    for word in (*making, *reaching):
        assert word not in page, word


def test_two_episodes_carry_where_they_part(trace: Trace) -> None:
    page = replay_page(trace, make_trace(change_at=5))
    ids = {a["id"] for t, a in _tags(page) if t == "script" and "id" in a}
    assert {"about", "e0-core", "e1-core", "e0-f0", "e0-d0", "e1-f0", "e1-d0"} <= ids


def test_write_replay_makes_folders_and_says_where_it_cannot(trace: Trace, tmp_path: Path) -> None:
    page = write_replay(tmp_path / "a" / "b" / "page.html", trace)
    assert page.read_text("utf-8") == replay_page(trace)
    with pytest.raises(UsageError, match="cannot write"):
        write_replay(tmp_path / "a", trace)


def test_a_notebook_gets_the_page_in_a_closed_frame(trace: Trace) -> None:
    frame = notebook_html(trace, height_px=500)
    ((tag, attributes),) = _tags(frame)
    assert tag == "iframe"
    assert attributes["sandbox"] == "allow-scripts"
    assert attributes["height"] == "500"
    assert attributes["srcdoc"] == replay_page(trace)  # the parser has unescaped it
