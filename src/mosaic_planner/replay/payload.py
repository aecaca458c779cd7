"""From a trace to what a page holds: a core that is read at once, and chunks read when asked for.

The core has everything that spans the episode (figures, marks, subtasks, messages, every agent's
way); a frame chunk has what the map shows; a detail chunk has what the panels show of a step.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mosaic_planner.core.errors import TraceError
from mosaic_planner.core.trace import Event, Trace, well_formed
from mosaic_planner.metrics import measure
from mosaic_planner.replay.believing import belief_rows
from mosaic_planner.replay.decisions import outcome_code
from mosaic_planner.replay.details import detail_value
from mosaic_planner.replay.drawing import (
    Frame,
    Scene,
    body_value,
    place_value,
    reaching,
    scene_value,
)
from mosaic_planner.replay.marks import MarkFinder
from mosaic_planner.replay.moments import Moment, moments
from mosaic_planner.replay.moves import planned_moves
from mosaic_planner.replay.pack import Chunk, Chunks, changes, packed
from mosaic_planner.replay.reading import Events, header_and_rest
from mosaic_planner.replay.scenery import Scenery, scenery_for
from mosaic_planner.replay.series import COUNTED, Series, slim
from mosaic_planner.replay.subtasks import SubtaskSpans

__all__ = ["Payload", "episode_payload"]


@dataclass(frozen=True, slots=True)
class Payload:
    """One episode, packed. `title` is plain text for people; `steps` the number of moments."""

    title: str
    steps: int
    core: str
    frames: tuple[Chunk, ...]
    details: tuple[Chunk, ...]


def episode_payload(source: Events, *, details: bool = True) -> Payload:
    """Pack a finished or torn episode. `details` False leaves out prompts, beliefs, candidates.

    Goes through the events once and keeps only what is packed. Raises `TraceError` if they are
    not as `core.trace` says.
    """
    reel = None
    with well_formed(lambda: "header" if reel is None else f"step {reel.step}"):
        header, events = header_and_rest(source)
        reel = _Reel(header, details)
        for moment in moments(reel.watched(events)):
            reel.take(moment)
        return reel.finish()


class _Reel:
    """Takes moments in order and keeps only what is packed."""

    def __init__(self, header: Event, details: bool) -> None:
        self.header = header
        self.counted: list[Event] = [header]
        self.texts: dict[str, str] = {}
        self.step = 0
        self.agents = tuple(str(name) for name in header["agents"])
        self.unit = float(header["world"].get("unit", 1.0)) or 1.0
        self.scenery: Scenery = scenery_for(header)
        self.scene: Scene = self.scenery.scene()
        self.series = Series(self.agents)
        self.finder = MarkFinder(self.agents, self.unit)
        self.spans = SubtaskSpans()
        self.frames = Chunks()
        self.details: Chunks | None = Chunks() if details else None
        self.frame = Frame()
        self.shown: dict[str, dict[str, Any]] = {"a": {}, "p": {}, "l": {}}
        self.beliefs: dict[str, Any] = {}
        self.steps: list[int] = []
        self.codes: dict[str, list[str]] = {name: [] for name in self.agents}
        self.way: dict[str, list[float | int | None]] = {name: [] for name in self.agents}
        self.messages: list[list[Any]] = []
        self.corners: list[Frame] = []

    def watched(self, events: Iterable[Event]) -> Iterator[Event]:
        """The events, while what concerns the whole episode is noted."""
        for event in events:
            if event["event"] == "text":
                self.texts[event["id"]] = event["text"]
            elif event["event"] in COUNTED:
                self.counted.append(slim(event))
            yield event

    def take(self, moment: Moment) -> None:
        self.step = moment.step
        self.steps.append(moment.step)
        before = self.frame
        if moment.snapshot is not None or moment.observation is not None:
            self.frame = self.scenery.frame(
                (moment.snapshot or {}).get("world"), (moment.observation or {}).get("agents")
            )
        self.series.take(moment)
        self.finder.take(moment)
        self.spans.take(moment)
        for sender, text in (moment.proposal or {}).get("messages", ()):
            self.messages.append([len(self.steps) - 1, str(sender), str(text)])
        self._put_frame(moment, before)
        if self.details is not None:
            self._put_details(self.details, moment)

    def _put_frame(self, moment: Moment, before: Frame) -> None:
        frame, chunks = self.frame, self.frames
        if chunks.begin():
            self.shown = {"a": {}, "p": {}, "l": {}}
        now: dict[str, dict[str, Any]] = {
            "a": {name: body_value(body) for name, body in frame.agents.items()},
            "p": {name: place_value(place) for name, place in frame.places.items()},
            "l": dict(frame.levels),
        }
        value: dict[str, Any] = {key: changes(self.shown[key], now[key]) for key in now}
        self.shown = now
        outcomes: Mapping[str, Any] = (moment.outcome or {}).get("agents", {})
        acts = []
        for name in self.agents:
            outcome = outcomes.get(name)
            code = "." if outcome is None else outcome_code(outcome)
            acts.append([chunks.text("" if outcome is None else str(outcome["action"])), code])
            self.codes[name].append(code)
            body = frame.agents.get(name)
            at = (None, None) if body is None else body_value(body)[:2]
            self.way[name] += at
        value["d"] = acts
        value["m"] = planned_moves(moment.assignment, before, self.scenery)
        if self.scene.bounds == (0.0, 0.0, 0.0, 0.0):
            self.corners.append(frame)
        chunks.put(value)

    def _put_details(self, chunks: Chunks, moment: Moment) -> None:
        if chunks.begin():
            self.beliefs = {}
        rows = self.beliefs
        if moment.beliefs is not None:
            rows = belief_rows(moment.beliefs, self.frame, self.scene, self.unit)
        value = detail_value(moment, self.agents, chunks)
        value["b"] = changes(self.beliefs, rows)
        self.beliefs = rows
        chunks.put(value)

    def finish(self) -> Payload:
        if not self.steps:
            raise TraceError("the trace ends before the first step; there is nothing to show")
        header, trace = self.header, Trace(tuple(self.counted))
        frames = self.frames.finish()
        details = [] if self.details is None else self.details.finish()
        world = header["world"]
        title = f"{world['id']}, {header['planner']}, {header['model']}, seed {header['seed']}"
        core = {
            "title": title,
            "about": _about(header),
            "mission": header["briefing"]["instruction"],
            "agents": list(self.agents),
            "unit": self.unit,
            "headings": bool(world.get("headings", False)),
            "directions": list(world.get("directions", ("up", "right", "down", "left"))),
            "steps": self.steps,
            "complete": trace.complete,
            "end": trace.events[-1].get("reason", "") if trace.complete else "",
            "metrics": measure(trace).as_dict(),
            "scene": scene_value(reaching(self.scenery.scene(), self.corners)),
            "series": self.series.value(),
            "codes": {name: "".join(codes) for name, codes in self.codes.items()},
            "way": self.way,
            "marks": [self._mark(m) for m in self.finder.finish()],
            "subtasks": self.spans.value(),
            "messages": self.messages,
            "texts": self.texts,
            "frames": [[c.first, c.last] for c in frames],
            "details": [[c.first, c.last] for c in details],
        }
        return Payload(title, len(self.steps), packed(core), tuple(frames), tuple(details))

    def _mark(self, mark: Any) -> list[Any]:
        index = {step: i for i, step in enumerate(self.steps)}
        first, last = index.get(mark.first, 0), index[mark.last]
        return [mark.kind, mark.agent, first, last, mark.text]


def _about(header: Event) -> Sequence[Sequence[str]]:
    """Lines of the folded box about how the episode was made."""
    lines = [["version", str(header.get("version", ""))]]
    for key in ("planner", "model", "seed", "budget", "token_counter", "latency"):
        if key in header:
            lines.append([key, str(header[key])])
    if str(header.get("model", "")).startswith("standin:"):
        lines.append(["note", "a rule-based stand-in, not a language model; times are simulated"])
    settings = json.dumps(header.get("settings", {}), indent=1, ensure_ascii=False)
    return [*lines, ["settings", settings]]
