"""What the panels show of one step, with every text interned in the chunk it goes into."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from mosaic_planner.core.trace import Event
from mosaic_planner.replay.decisions import candidate_rows, losers_of, outcome_row, why_lines
from mosaic_planner.replay.moments import Moment
from mosaic_planner.replay.pack import Chunks

__all__ = ["detail_value"]


def detail_value(moment: Moment, agents: Sequence[str], chunks: Chunks) -> dict[str, Any]:
    """Everything but the belief rows; numbers stand for texts of the chunk."""
    losers = losers_of(moment.assignment)
    value: dict[str, Any] = {
        "calls": _calls(moment.calls, agents, chunks),
        "cand": {a: _candidates(moment, a, losers.get(a, ()), chunks) for a in agents},
        "why": {
            a: chunks.texts(why_lines(moment.assignment, a, losers.get(a, ()))) for a in agents
        },
        "out": _outcomes(moment.outcome, chunks),
        "said": _said(moment.proposal, chunks),
        "lines": _lines(moment.beliefs, chunks),
        "notes": [chunks.lines(str(note["text"])) for note in moment.notes],
    }
    value |= _seen(moment.observation, chunks)
    return value


def _calls(calls: Sequence[Event], agents: Sequence[str], chunks: Chunks) -> list[Any]:
    """One entry per model call; `agent` is known where a module was called once per agent."""
    count = Counter(call["module"] for call in calls)
    met: Counter[str] = Counter()
    entries = []
    for call in calls:
        module = str(call["module"])
        each = len(agents) > 1 and count[module] == len(agents)
        entries.append(
            {
                "module": module,
                "agent": agents[met[module]] if each else "",
                "messages": [_message(m, chunks) for m in call["messages"]],
                "reply": chunks.lines(str(call["reply"])),
                "usage": dict(call["usage"]),
                "prompt_tokens": call["prompt_tokens"],
                "latency_s": call["latency_s"],
                "attempts": call["attempts"],
                "failure": chunks.text(str(call.get("failure", ""))),
                "detail": chunks.lines(str(call.get("detail", ""))),
                "finish": chunks.text(str(call.get("finish_reason", ""))),
                "cost": chunks.text(str(call.get("cost_usd", ""))),
            }
        )
        met[module] += 1
    return entries


def _message(message: Mapping[str, Any], chunks: Chunks) -> list[Any]:
    """[role, id of a static text or "", lines, images]."""
    static = str(message.get("text_id", ""))
    lines = [] if static else chunks.lines(str(message.get("text", "")))
    return [str(message["role"]), static, lines, int(message.get("images", 0))]


def _candidates(
    moment: Moment, agent: str, losers: Sequence[Mapping[str, Any]], chunks: Chunks
) -> list[Any]:
    return [
        [chunks.text(action), rank, source, cost, terms, verdict, chunks.text(detail), clash]
        for action, rank, source, cost, terms, verdict, detail, clash in candidate_rows(
            moment.assignment, moment.proposal, agent, losers
        )
    ]


def _outcomes(outcome: Event | None, chunks: Chunks) -> dict[str, Any]:
    if outcome is None:
        return {}
    rows = {}
    for agent, result in outcome["agents"].items():
        action, code, words, steps, effects = outcome_row(result)
        rows[agent] = [chunks.text(action), code, chunks.text(words), steps, chunks.texts(effects)]
    return rows


def _said(proposal: Event | None, chunks: Chunks) -> dict[str, Any]:
    """The model's own texts and what could not be read of them."""
    if proposal is None:
        return {}
    said: dict[str, Any] = {
        key: chunks.lines(str(proposal[key]))
        for key in ("reason", "subtask", "memory", "failure_reason")
        if proposal.get(key)
    }
    said["rejections"] = [
        chunks.texts([str(r["agent"]), str(r["text"]), str(r["reason"])])
        for r in proposal["rejections"]
    ]
    return said


def _lines(beliefs: Event | None, chunks: Chunks) -> dict[str, Any]:
    if beliefs is None:
        return {}
    return {a: chunks.texts(map(str, told["lines"])) for a, told in beliefs["agents"].items()}


def _seen(observation: Event | None, chunks: Chunks) -> dict[str, Any]:
    """`all`: names every agent sees; `sees`: what each sees besides; `text`: as it is told."""
    if observation is None:
        return {"all": [], "sees": {}, "text": {}}
    names = {
        agent: dict.fromkeys(str(s["name"]) for s in seen["sightings"])
        for agent, seen in observation["agents"].items()
    }
    common = next(iter(names.values()), {})
    for other in names.values():
        common = {name: None for name in common if name in other}
    return {
        "all": chunks.texts(common),
        "sees": {a: chunks.texts(n for n in own if n not in common) for a, own in names.items()},
        "text": {
            agent: chunks.lines(f"{seen['state']}\n{seen['text']}")
            for agent, seen in observation["agents"].items()
        },
    }
