"""Live progress of an episode: map, what each agent does and why, subtasks, running figures.

Reads nothing but trace events, so it can only show what the trace holds. On a terminal it redraws
in place; elsewhere it prints a few lines per step.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.markup import escape
from rich.padding import Padding
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from mosaic_planner.core.trace import Event
from mosaic_planner.worlds.registry import draw, legend

__all__ = ["LiveView", "action_rows"]


def action_rows(assignment: Event | None, outcome: Event | None) -> list[tuple[str, str, str, str]]:
    """(agent, action, why, result) for each agent of one step, from its two events."""
    rows = []
    chosen = (assignment or {}).get("chosen", {})
    results = (outcome or {}).get("agents", {})
    for agent in chosen or results:
        choice = chosen.get(agent, {})
        result = results.get(agent)
        action = result["action"] if result else choice.get("action", "")
        why = choice.get("why") or _rank_words(choice)
        rows.append((agent, action, why, _result_words(result)))
    return rows


def _rank_words(choice: dict[str, Any]) -> str:
    if not choice:
        return ""
    if choice.get("source") == "safe":
        return "added by the coordinator"
    return "model's first choice" if choice["rank"] == 0 else f"model's choice {choice['rank'] + 1}"


def _result_words(result: dict[str, Any] | None) -> str:
    if result is None:
        return "..."
    if result["success"]:
        return "idle" if result["idle"] else "ok"
    return "failed: " + (result["reason"] or result["error_kind"] or "no reason given")


class LiveView:
    """A context manager whose `event` is the episode's `on_event`.

    `heading` is printed once the episode has begun, so that a mistake in the settings is a line
    alone.
    """

    def __init__(self, console: Console, heading: RenderableType) -> None:
        self._console = console
        self._heading = heading
        self._last: dict[str, Event] = {}
        self._header: Event = {}
        self._totals = {"calls": 0, "tokens": 0, "failed": 0, "actions": 0, "steps": 0}
        self._live: Live | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live = Live(console=self._console, auto_refresh=False, transient=False)
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def event(self, event: Event) -> None:
        """Take in one trace event; redraw when a joint step is complete."""
        kind = event["event"]
        self._last[kind] = event
        if kind == "header":
            self._header = event
            self._console.print(self._heading)
            return
        if kind == "call":
            self._totals["calls"] += 1
            self._totals["tokens"] += event["prompt_tokens"]
        elif kind == "outcome":
            for result in event["agents"].values():
                self._totals["actions"] += 1
                self._totals["failed"] += not result["success"]
                self._totals["steps"] += result["agent_steps"]
        if self._live is not None and kind in ("call", "assignment", "score", "subtasks", "end"):
            self._live.update(self._screen(), refresh=True)
        elif self._live is None and kind == "score":
            self._print_step(event)
        elif self._live is None and kind == "note":
            self._console.print(event["text"], markup=False, highlight=False, soft_wrap=True)

    def _print_step(self, score: Event) -> None:
        step = score["step"]
        done, total = len(score["completed"]), score["total"]
        print_ = self._console.print
        if step == 0:
            mission = self._header["briefing"]["instruction"]
            print_(f"mission: {mission}", highlight=False, soft_wrap=True, markup=False)
            return
        print_(
            f"step {step:>3}  {score['t']:7.1f} s  subtasks {done}/{total}  "
            f"calls {self._totals['calls']}",
            highlight=False,
            soft_wrap=True,
        )
        for agent, action, why, result in self._rows():
            print_(
                f"    {agent:<8} {action:<44} {result:<8} ({why})",
                highlight=False,
                markup=False,
                soft_wrap=True,
            )

    def _rows(self) -> list[tuple[str, str, str, str]]:
        assignment, outcome = self._last.get("assignment"), self._last.get("outcome")
        if assignment and outcome and outcome["step"] != assignment["step"]:
            outcome = None
        return action_rows(assignment, outcome)

    def _screen(self) -> Group:
        step = max((e.get("step", 0) for e in self._last.values()), default=0)
        time_s = max((e.get("t", 0.0) for e in self._last.values()), default=0.0)
        score = self._last.get("score", {"completed": [], "total": 1})
        actions = Table(expand=True, title="What each agent does", title_justify="left")
        for column in ("agent", "action", "why", "result"):
            actions.add_column(column, overflow="fold")  # narrow terminals lose nothing
        for row in self._rows():
            actions.add_row(*(escape(cell) for cell in row))
        subtasks = (self._last.get("subtasks") or self._last.get("proposal", {})) or {}
        if "subtasks" in subtasks:
            subtasks = subtasks["subtasks"] or {}
        totals = self._totals
        share = totals["failed"] / totals["actions"] if totals["actions"] else 0.0
        figures = Text(
            f"step {step}/{self._header.get('budget', '?')}   {time_s:.1f} s   "
            f"calls {totals['calls']}   prompt tokens {totals['tokens']}   "
            f"agent steps {totals['steps']}   "
            f"failed {share:.0%}"
        )
        parts: list[RenderableType] = [
            figures,
            # Padded, since a bar does not end its line and would swallow the first one below.
            Padding(ProgressBar(total=max(score["total"], 1), completed=len(score["completed"]))),
        ]
        lists = [
            Panel(
                "\n".join(escape(s) for s in subtasks.get("open", [])[:12]) or "none",
                title="open subtasks",
            ),
            Panel(f"{len(score['completed'])} of {score['total']} subtasks", title="truly done"),
        ]
        snapshot = self._last.get("snapshot")
        if snapshot and self._header:
            lines = draw(self._header, snapshot["world"], colour=True)
            if lines and len(lines) + len(self._rows()) + 8 <= self._console.height:
                key = Text("\n".join(legend(self._header, snapshot["world"])))
                grid = Table.grid(padding=(0, 2))
                grid.add_row(Text.from_ansi("\n".join(lines)), Group(key, *lists))
                parts.append(grid)
                return Group(*parts, actions)
        return Group(*parts, *lists, actions)
