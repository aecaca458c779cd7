"""Which of a model's keys is which asked key, and what its values say as text.

`Alice's action`, `alice_actions`, `Alice` and `{"Action": {"Alice": ...}}` are one key; texts may
come as lists, objects, numbers or nothing. Agents' names are matched whole, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

__all__ = ["Choices", "as_text", "as_texts", "clean_text", "match_keys", "read_choices"]

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
_POSSESSIVE = re.compile(r"['\u2019\u2018][sS]\b")
_FILLERS = frozenset(
    {"action", "the", "next", "candidate", "choice", "ranked", "list", "for", "of", "agent"}
    | {"robot", "move", "best", "proposed", "chosen", "selected", "outdict", "answer"}
)
_SAME = {
    "think": "reason",
    "thought": "reason",
    "thinking": "reason",
    "reasoning": "reason",
    "rationale": "reason",
    "explanation": "reason",
    "complete": "completed",
    "finished": "completed",
    "task": "subtask",
}
_NOTHING = frozenset({"", "none", "null", "n/a", "na", "nil", "-", "[]", "{}"})
_SURROGATES = re.compile("[\ud800-\udfff]")
_NAMED = re.compile(r"\s*([A-Za-z]\w{0,60})(?:'s\s+actions?)?\s*:\s*(\S.*)$", re.DOTALL)
_LIST_MARK = re.compile(r"^\s*(?:[-*\u2022]|\(?\d{1,2}[.):])\s+")
_NUMBERED = re.compile(r"(?:^|[\s;,])\(?([1-9])[.):]\s+")


def clean_text(text: str) -> str:
    """`text` with lone surrogates replaced, so that it can be written to any file."""
    return _SURROGATES.sub("\ufffd", text)


@lru_cache(maxsize=512)
def identity(key: str) -> tuple[str, ...]:
    """What a key means: its content words, sorted; its filler words if it has no others."""
    plain = _POSSESSIVE.sub("", key)
    words = [w.lower() for w in _WORDS.findall(plain)]
    joined: list[str] = []
    for word in words:
        single = word[:-1] if len(word) > 3 and word.endswith("s") else word
        if joined and joined[-1] == "sub" and single == "task":
            joined[-1] = "subtask"
        else:
            joined.append(_SAME.get(single, single))
    content = [w for w in joined if w not in _FILLERS]
    return tuple(sorted(content)) if content else ("action",) if joined else ()


def _keyed(value: Any) -> Any:
    """A list of `{"agent": name, ...}` objects, or of "name: action" texts, as one object by name;
    other values as they are.
    """
    if not isinstance(value, list) or not value:
        return value
    result: dict[str, Any] = {}
    for item in value:
        if isinstance(item, str) and (named := _NAMED.match(item)) and named[1] not in result:
            result[named[1]] = named[2]
            continue
        if not isinstance(item, dict):
            return value
        rest = dict(item)
        name = next((rest.pop(k) for k in ("agent", "Agent", "robot", "name") if k in rest), None)
        if not isinstance(name, str) or name in result:
            return value
        result[name] = next(iter(rest.values())) if len(rest) == 1 else rest
    return result


def match_keys(found: Mapping[str, Any], asked: Sequence[str]) -> tuple[dict[str, Any], set[str]]:
    """Values by asked key, and which of the model's own keys were used.

    Exact keys first, then keys of the same meaning, then the same inside an object that only
    groups actions. A key that stands for all actions (ReAct's `Action`) takes every key that is
    left over if it is missing itself.
    """
    result: dict[str, Any] = {}
    used: set[str] = set()
    for key in asked:
        if key in found:
            result[key] = found[key]
            used.add(key)
    missing = [k for k in asked if k not in result]
    if not missing:
        return result, used
    own = {k: identity(k) for k in found if k not in used}
    for key in missing:
        same = [k for k, meaning in own.items() if meaning == identity(key)]
        if same:
            result[key] = found[same[-1]]
            used.add(same[-1])
            del own[same[-1]]
    missing = [k for k in missing if k not in result]
    for key, meaning in list(own.items()):
        inner = _keyed(found[key])
        if missing and meaning == ("action",) and isinstance(inner, Mapping):
            deeper, _ = match_keys(inner, missing)
            if deeper:
                result.update(deeper)
                used.add(key)
                del own[key]
    for key in missing:
        if key not in result and identity(key) == ("action",):
            rest = {k: found[k] for k in own if isinstance(found[k], str | list | dict)}
            if rest:
                result[key] = rest
                used.update(rest)
    return {k: result[k] for k in asked if k in result}, used


def as_text(value: Any, *, limit: int = 4000) -> str:
    """A value where text was asked: lists joined by "; ", nothing for None, at most `limit`.

    `limit` (characters) keeps degenerate output from growing the next prompt.
    """
    if isinstance(value, str):
        text = value.strip()
        text = "" if text.lower() in _NOTHING else text
    elif isinstance(value, Mapping):
        parts = ((as_text(k, limit=limit), as_text(v, limit=limit)) for k, v in value.items())
        text = "; ".join(f"{k}: {v}" for k, v in parts if v)
    elif isinstance(value, list | tuple):
        text = "; ".join(t for t in (as_text(v, limit=limit) for v in value) if t)
    elif value is None or isinstance(value, bool):
        text = "" if value is None else str(value)
    else:
        text = str(value)
    text = clean_text(text)
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "\u2026"


def as_texts(value: Any, *, limit: int = 400, count: int = 60) -> tuple[str, ...]:
    """A value where a list of texts was asked (a plan): at most `count` texts, each once.

    A text with one entry per line, or numbered entries, is split; None and "None" are no entry.
    """
    if isinstance(value, str):
        lines = [t for t in value.splitlines() if t.strip()]
        if len(lines) == 1:
            lines = _numbered(lines[0]) or lines
        value = lines
    elif isinstance(value, Mapping):
        value = list(value.values())
    elif not isinstance(value, list | tuple):
        value = [] if value is None else [value]
    texts = (_LIST_MARK.sub("", as_text(v, limit=limit)) for v in value[: count * 4])
    return tuple(dict.fromkeys(t for t in texts if t.lower() not in _NOTHING))[:count]


def _numbered(line: str) -> list[str]:
    """The entries of a line numbered 1, 2, 3 ...; empty if it is not numbered so."""
    marks = list(_NUMBERED.finditer(line))
    if len(marks) < 2 or [int(m.group(1)) for m in marks] != list(range(1, len(marks) + 1)):
        return []
    ends = [m.start() for m in marks[1:]] + [len(line)]
    return [line[m.end() : end].strip(" ,;\n") for m, end in zip(marks, ends, strict=True)]


@dataclass(frozen=True, slots=True)
class Choices:
    """Action texts by agent, best first, at most K each; every agent of the team is a key.

    `strangers`: keys of the answer that look like an agent's but name nobody of the team.
    """

    texts: Mapping[str, tuple[str, ...]]
    strangers: tuple[str, ...] = ()


def read_choices(fields: Mapping[str, Any], agents: Sequence[str], *, k: int = 1) -> Choices:
    """The action texts that an answer's fields give each agent, whatever their shape.

    Takes `{"Alice's action": text}`, `{"Alice's actions": [text, ...]}`, `{"Alice": ...}`,
    `{"Action": {"Alice": ...}}` and lists of `{"agent": ..., "action": ...}`. Texts are not yet
    read as actions. An answer for somebody who is not in the team goes to nobody.
    """
    values, used = match_keys(fields, list(agents))
    texts = {a: _choice_texts(values.get(a), k) for a in agents}
    names = {identity(a) for a in agents}
    strangers: list[str] = []
    for key, value in fields.items():
        inner = _keyed(value)
        if identity(key) == ("action",) and isinstance(inner, Mapping):
            strangers += [str(n) for n in inner if identity(str(n)) not in names]
        elif key not in used and _POSSESSIVE.search(key) and identity(key) not in names:
            strangers.append(key)
    return Choices(texts, tuple(strangers))


def _choice_texts(value: Any, k: int) -> tuple[str, ...]:
    if isinstance(value, str):
        parts: list[Any] = [value]
        if k > 1:
            lines = [t for t in value.splitlines() if t.strip()]
            parts = lines if len(lines) > 1 else _numbered(value) or [value]
    elif isinstance(value, Mapping):
        inner = next((v for key, v in value.items() if identity(str(key)) == ("action",)), None)
        parts = inner if isinstance(inner, list) else [value]
    elif isinstance(value, list):
        parts = value
    else:
        parts = []
    texts = (_LIST_MARK.sub("", _action_text(p)).strip() for p in parts)
    return tuple(t for t in texts if t)[:k]


def _action_text(value: Any) -> str:
    """An action given as an object (`{"action": verb, "args": [...]}`) as text."""
    if not isinstance(value, Mapping):
        return as_text(value, limit=4000)
    lowered = {str(key).lower(): v for key, v in value.items()}
    names = ("action", "verb", "name", "function", "text", "command", "tool", "type")
    verb_key = next((n for n in names if isinstance(lowered.get(n), str)), None)
    if verb_key is None and len(value) == 1:  # {"Carry": "Zoe"}, {"Idle": {}}
        ((key, inner),) = value.items()
        args = _arguments(inner)
        return str(key) if not args else f"{key}({', '.join(args)})"
    if verb_key is None:
        return as_text(value)
    verb = str(lowered.pop(verb_key)).strip()
    for ignored in ("rank", "reason", "why", "priority", "score", "confidence", "agent", "type"):
        lowered.pop(ignored, None)
    rest = [a for v in lowered.values() for a in _arguments(v)]
    return verb if not rest or "(" in verb else f"{verb}({', '.join(rest)})"


def _arguments(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return [a for v in value.values() for a in _arguments(v)]
    if isinstance(value, list | tuple):
        return [a for v in value for a in _arguments(v)]
    text = as_text(value)
    return [text] if text else []
