"""Fields of an answer that is no object: lines, headings, tags, tables.

Only keys that were asked for are taken, each by its meaning (`keys.identity`); everything else of
the text is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mosaic_planner.models.reading.keys import identity
from mosaic_planner.models.reading.loose import read_literal

__all__ = ["read_layout", "without_thinking"]

_MOST_LINES = 2000
_LINE = 4000  # characters of a line that are read
_LINE_KEY = re.compile(
    r"^[\s>*_#\-\u2022\d.)]*([A-Za-z][^:\n=|]{0,60}?)[\s*_`\"]*"
    r"(?::|=(?![=>])|=>|->|\u2192|\s[-\u2013\u2014](?=\s))[\s*_]*(.*)$"
)
_HEADING = re.compile(r"^\s*(?:#{1,6}\s+(.{1,60}?)|\*\*(.{1,60}?)\*\*)[\s:#]*$")
_OPEN = re.compile(
    r"<(?:(?:parameter|field|arg)[ =:]+(?:name=)?)?[\"']?([A-Za-z][^<>=\n]{0,60}?)[\"']?>"
)
_THINK = re.compile(r"<(think|thinking|thought|reasoning|scratchpad)>", re.IGNORECASE)
_RULE = re.compile(r"^[\s|:\-+]+$")


def without_thinking(text: str) -> str:
    """The text behind what a model wrote to itself in tags; "" if it never came to an end."""
    found = _THINK.match(text.lstrip())
    if found is None:
        return text
    closing = f"</{found[1].lower()}>"
    end = text.lower().rfind(closing)
    return text[end + len(closing) :].strip() if end >= 0 else ""


def _lines(text: str, wanted: Mapping[tuple[str, ...], str]) -> dict[str, Any]:
    """Fields written as "key: value" or "key -> value" lines, or under headings."""
    result: dict[str, Any] = {}
    current = ""
    for line in text.splitlines()[:_MOST_LINES]:
        line = line[:_LINE]
        heading = _HEADING.match(line)
        key = wanted.get(identity(heading[1] or heading[2])) if heading else None
        if key is not None:
            current = key
            result[key] = ""
            continue
        found = _LINE_KEY.match(line)
        key = wanted.get(identity(found[1])) if found else None
        if found and key is not None:
            current = key
            result[key] = found[2].strip()
        elif current and line.strip() and not line.lstrip().startswith("```"):
            result[current] = f"{result[current]}\n{line.strip()}".strip()
    for key, value in result.items():
        if value[:1] in ("{", "["):
            loose = read_literal(value, 0)
            if loose is not None and loose.ended:
                result[key] = loose.value
        else:
            result[key] = value.strip("`\"' ,") if "\n" not in value else value
    return result


def _tags(text: str, wanted: Mapping[tuple[str, ...], str]) -> dict[str, Any]:
    """Fields written as `<key>value</key>` or `<parameter=key>value</parameter>`."""
    result: dict[str, Any] = {}
    at = 0
    while found := _OPEN.search(text, at):
        at = found.end()
        key = wanted.get(identity(found[1]))
        if key is None:
            continue
        end = text.find("</", at)
        if end < 0:
            break  # cut off
        result[key] = text[at:end].strip()
        at = end
    return result


def _cells(line: str) -> list[str]:
    return [cell.strip(" *_`\"'") for cell in line.strip().strip("|").split("|")]


def _table(text: str, wanted: Mapping[tuple[str, ...], str]) -> dict[str, Any]:
    """Fields of a table with one row per key; the value stands in the column "action" or last."""
    result: dict[str, Any] = {}
    column = -1
    for line in text.splitlines()[:_MOST_LINES]:
        if line.count("|") < 2 or _RULE.match(line[:_LINE]):
            continue
        cells = _cells(line[:_LINE])
        key = wanted.get(identity(cells[0]))
        if key is None:
            named = [i for i, cell in enumerate(cells) if i and identity(cell) == ("action",)]
            column = named[0] if named else -1
        elif len(cells) > 1 and column < len(cells):
            result[key] = cells[column]
    return result


_LAYOUTS: tuple[Callable[[str, Mapping[tuple[str, ...], str]], dict[str, Any]], ...] = (
    _lines,
    _tags,
    _table,
)


def read_layout(text: str, keys: Sequence[str], required: Sequence[str]) -> dict[str, Any]:
    """The fields of the layout that has most of the required keys; empty if none has any key."""
    wanted = {identity(k): k for k in keys}
    found = [layout(text, wanted) for layout in _LAYOUTS]
    return max(found, key=lambda fields: (sum(k in fields for k in required), len(fields)))
