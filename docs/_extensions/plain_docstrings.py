"""Docstrings are plain English with names in backquotes; nothing else in them is markup.

Stars, bars and trailing underscores outside backquotes are escaped, and a letter may follow a
closing backquote. Lists, literal blocks after `::` and fields stay what they are.
"""

from __future__ import annotations

import re
from typing import Any

__all__ = ["plain", "setup"]


def plain(lines: list[str]) -> list[str]:
    """The same lines as reStructuredText that shows them as they are."""
    shown = []
    inside = False  # backquotes, which may reach over the end of a line
    literal: int | None = None  # indentation of the text that announced a literal block
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if literal is not None and line.strip():
            if indent > literal:
                shown.append(line)
                continue
            literal = None
        text, inside = _escaped(line, inside)
        shown.append(text)
        if line.rstrip().endswith("::"):
            literal = indent
    return shown


def _escaped(line: str, inside: bool) -> tuple[str, bool]:
    found = []
    for n, sign in enumerate(line):
        after = line[n + 1 : n + 2]
        if sign == "`":
            inside = not inside
            found.append("`\\ " if not inside and after.isalnum() else "`")
        elif inside:
            found.append(sign)
        elif sign in "*|":
            bullet = sign == "*" and not line[:n].strip() and after == " "
            found.append(sign if bullet else f"\\{sign}")
        elif sign == "_" and line[n - 1 : n].isalnum() and not re.match(r"\w", after):
            found.append("\\_")
        else:
            found.append(sign)
    return "".join(found), inside


def _process(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    lines[:] = plain(lines)


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True}
