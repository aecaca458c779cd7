"""The ladder from any text to the fields that were asked for.

Rungs, best first; the one that succeeded is named in the answer, so that a report can show how
much help a model needed::

    json            the whole text is one JSON value
    fence           strict JSON in a code fence
    last_object     strict JSON inside other text; the last object with the required keys
    python_literal  the same, written as a Python dictionary
    repaired        comments, trailing commas, typographic or missing quotes, ... put right
    truncated       the text ends inside the object; what was complete is kept
    merged          several objects that complete each other
    bare            no object: "key: value" lines, headings, tags, a table, a bare list, an object
                    without its braces, or bare text for a single key
    none            nothing usable

Linear time: all attempts together look at a bounded multiple of the text.
"""

from __future__ import annotations

import json
import math
import re
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mosaic_planner.models.reading.keys import clean_text, identity, match_keys
from mosaic_planner.models.reading.layout import read_layout, without_thinking
from mosaic_planner.models.reading.loose import read_literal

__all__ = ["RUNGS", "Answer", "read_answer"]

RUNGS = (
    "json",
    "fence",
    "last_object",
    "python_literal",
    "repaired",
    "truncated",
    "merged",
    "bare",
    "none",
)

_WORK_PER_CHARACTER = 4
_FREE_WORK = 20_000  # characters; lets short texts with many braces be tried everywhere
_MOST_OBJECTS = 100
_PAIR = re.compile(r"[A-Za-z][\w' \u2019]{0,60}:")
_UNBRACED = 10_000  # characters; a longer text without any brace is degenerate, not an object
_LONGEST = 400_000  # characters; no answer of 1,000 tokens is longer, degenerate output may be


@dataclass(frozen=True, slots=True)
class Answer:
    """What was read from a text.

    `fields`: the asked keys that were found, under the asked spelling and in the asked order,
    then every other key of the object. Values are JSON values. `rung`: see the module's text.
    `problem`: "" if every required key was found, else one sentence that says what was wrong (to
    tell the model). `cut`: the asked key in which the text ended, if it did.
    """

    fields: dict[str, Any] = field(default_factory=dict)
    rung: str = "none"
    problem: str = ""
    cut: str = ""

    @property
    def ok(self) -> bool:
        """Whether every required key was found."""
        return not self.problem


@dataclass(frozen=True, slots=True)
class _Found:
    value: dict[str, Any]
    rung: str
    cut_key: str = ""


def _finite(text: str) -> float | None:
    number = float(text)
    return number if math.isfinite(number) else None


_DECODER = json.JSONDecoder(strict=False, parse_constant=lambda _: None, parse_float=_finite)


def _strict(text: str, start: int) -> tuple[Any, int] | int:
    """The JSON value at `start` and its end, or how many characters were looked at in vain."""
    try:
        return _DECODER.raw_decode(text, start)
    except json.JSONDecodeError as error:
        return max(error.pos - start, 1)
    except RecursionError:
        return _FREE_WORK // 4
    except ValueError:  # a number of thousands of digits
        return len(text) - start


def _fenced(text: str) -> list[tuple[int, int]]:
    """Spans of the contents of code fences; an unclosed fence reaches to the end."""
    marks = [m.start() for m in re.finditer("```", text)]
    ends = marks[1::2] + ([len(text)] if len(marks) % 2 else [])
    return list(zip(marks[::2], ends, strict=True))


def _objects(text: str) -> list[_Found]:
    """The objects at top level of the text, in order (the last hundred of them)."""
    fences = _fenced(text)
    work = _WORK_PER_CHARACTER * len(text) + _FREE_WORK
    found: deque[_Found] = deque(maxlen=_MOST_OBJECTS)
    at = text.find("{")
    while at >= 0 and work > 0:
        result = _strict(text, at)
        if not isinstance(result, int):
            value, end = result
            in_fence = any(a < at < b for a, b in fences[-20:])
            found.append(_Found(value, "fence" if in_fence else "last_object"))
            at = text.find("{", end)
            continue
        work -= result
        loose = read_literal(text, at)
        if loose is None:
            work -= 64
            at = text.find("{", at + 1)
            continue
        work -= loose.end - at
        if not loose.ended:
            if isinstance(loose.value, dict):
                found.append(_Found(loose.value, "truncated", loose.cut_key))
            at = text.find("{", at + 1)
            continue
        if isinstance(loose.value, dict):
            repaired = bool(loose.repairs) or not loose.python
            found.append(_Found(loose.value, "repaired" if repaired else "python_literal"))
        at = text.find("{", loose.end)
    return list(found)


def _inner(value: Mapping[str, Any], depth: int = 3) -> list[dict[str, Any]]:
    """The object and the objects inside it, outermost first."""
    result = [dict(value)]
    if depth:
        for child in value.values():
            children = child if isinstance(child, list) else [child]
            for item in children[:20]:
                if isinstance(item, dict):
                    result += _inner(item, depth - 1)
    return result[:200]


def _score(
    value: Mapping[str, Any], keys: Sequence[str], required: Sequence[str]
) -> tuple[int, int]:
    matched, _ = match_keys(value, keys)
    return sum(k in matched for k in required), len(matched)


def _repeats(text: str) -> bool:
    """Whether the end of the text is one short piece over and over."""
    tail = text[-600:]
    return len(tail) == 600 and any(tail[p:] == tail[:-p] for p in range(1, 120))


def _clean(value: Any, depth: int = 0) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, list):
        return [_clean(v, depth + 1) for v in value] if depth < 60 else []
    if isinstance(value, dict):
        return {clean_text(k): _clean(v, depth + 1) for k, v in value.items()} if depth < 60 else {}
    return value


def _answer(
    found: Mapping[str, Any],
    rung: str,
    keys: Sequence[str],
    required: Sequence[str],
    cut_key: str = "",
) -> Answer:
    fields, used = match_keys(found, keys)
    cut = next((k for k in keys if cut_key and identity(k) == identity(cut_key)), "")
    if cut in required and isinstance(fields.get(cut), str):
        del fields[cut]  # half an action may be another action: "Region_1" of "Region_12"
    fields |= {k: v for k, v in found.items() if k not in used and k not in fields and k != cut_key}
    missing = [k for k in required if k not in fields]
    problem = ""
    if missing:
        problem = f"the answer lacks {', '.join(map(repr, missing))}"
        if rung == "truncated":
            problem = f"the answer was cut off: {problem}"
    return Answer(_clean(fields), rung, problem, cut)


def read_answer(text: str, keys: Sequence[str], *, required: Sequence[str] = ()) -> Answer:
    """Read a model's answer; never raises, whatever the text.

    `keys`: the keys that were asked for, in order. `required`: those without which the answer is
    not usable (`problem` names what is missing); a required text in which the answer was cut off
    is left out. Several complete objects: the last one with the required keys counts.
    """
    text = text[:_LONGEST].strip().lstrip("\ufeff")
    keys = list(dict.fromkeys([*keys, *required]))
    if not text:
        return Answer(problem="the answer is empty")
    said = without_thinking(text)
    if not said:
        return Answer(problem="the answer is all thinking and never comes to its object")
    if said != text:
        answer = read_answer(said, keys, required=required)
        return replace(answer, rung="last_object") if answer.rung == "json" else answer
    if text.startswith('{\\"'):  # JSON packed into a JSON text, without the quotes around it
        text = text.replace('\\"', '"')
    whole = _strict(text, 0)
    value: Any = None
    if not isinstance(whole, int) and whole[1] == len(text):
        value = whole[0]
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            return read_answer(value, keys, required=required)  # JSON packed into a JSON text
    if isinstance(value, dict) and _score(value, keys, required)[0] == len(required):
        return _answer(value, "json", keys, required)

    best: tuple[tuple[int, int, bool], _Found] | None = None
    objects = [_Found(value, "json")] if isinstance(value, dict) else _objects(text)
    for found in objects:
        for candidate in _inner(found.value):
            outer = candidate.keys() == found.value.keys()
            score = (*_score(candidate, keys, required), found.rung != "truncated")
            if keys and not score[1]:
                continue
            if best is None or score >= best[0]:
                if not outer and best is not None and score == best[0]:
                    continue
                cut = found.cut_key if outer else ""
                best = score, _Found(candidate, found.rung, cut)
    if best is not None and best[0][0] == len(required):
        return _answer(best[1].value, best[1].rung, keys, required, best[1].cut_key)

    merged: dict[str, Any] = {}
    for found in objects:
        if found.rung != "truncated":
            merged |= match_keys(found.value, keys)[0]
    enough = best[0][0] if best is not None else 0
    if merged and sum(k in merged for k in required) > enough:
        return _answer(merged, "merged", keys, required)
    other = _otherwise(text, keys, required)
    if other and (_score(other, keys, required)[0] > enough or best is None):
        return _answer(other, "bare", keys, required)
    if best is not None:
        return _answer(best[1].value, best[1].rung, keys, required, best[1].cut_key)
    return _bare(text, value, keys, required)


def _otherwise(text: str, keys: Sequence[str], required: Sequence[str]) -> dict[str, Any]:
    """The fields of a text without a usable object; empty if it has none of the keys."""
    ways = [read_layout(text, keys, required)]
    start, brace = text.find("["), text.find("{")
    if start >= 0 and (brace < 0 or start < brace):
        loose = read_literal(text, start)
        if loose is not None and loose.ended and isinstance(loose.value, list):
            ways.append({"actions": loose.value})
    first = text[:1]
    if brace < 0 and len(text) <= _UNBRACED and (first in "\"'\u201c" or _PAIR.match(text[:200])):
        loose = read_literal(f"{{{text}}}", 0)  # an object without its braces
        if loose is not None and loose.ended and isinstance(loose.value, dict):
            ways.append(loose.value)
    best = max(ways, key=lambda fields: _score(fields, keys, required))
    return best if _score(best, keys, required)[1] else {}


def _bare(text: str, value: Any, keys: Sequence[str], required: Sequence[str]) -> Answer:
    single = required[0] if len(required) == 1 else keys[0] if len(keys) == 1 else ""
    start = text.find("[")
    if single and value is None and start >= 0:
        loose = read_literal(text, start)
        if loose is not None and loose.ended and isinstance(loose.value, list) and loose.value:
            value = loose.value
    if single and isinstance(value, list):
        return _answer({single: value}, "bare", keys, required)
    if "{" not in text and single and not _repeats(text) and len(keys) == 1:
        return _answer({single: text.strip("`\n ")}, "bare", keys, required)
    problem = "the answer only repeats itself; it" if _repeats(text) else "the answer"
    wanted = ", ".join(map(repr, required or keys))
    return Answer(problem=f"{problem} has no JSON object with the keys {wanted}")
