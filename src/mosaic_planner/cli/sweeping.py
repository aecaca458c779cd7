"""What a sweep shows while it runs and when it is over."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from mosaic_planner.core.errors import UsageError
from mosaic_planner.experiments.engines import Report, make_engine
from mosaic_planner.experiments.files import disk_is_full
from mosaic_planner.experiments.runner import Progress as SweepProgress
from mosaic_planner.experiments.runner import SpendingLimits, SweepResult, sweep
from mosaic_planner.experiments.suite import Plan

if TYPE_CHECKING:
    from mosaic_planner.experiments.estimate import Estimate

__all__ = ["announce", "progress_of", "run_sweep", "show_estimate", "summary"]

_EVERY_S = 10.0  # between lines where there is no terminal
_SHOWN = 5  # failures of one kind that are shown one by one


def announce(console: Console, plan: Plan) -> None:
    """What is about to run, and what cannot."""
    from mosaic_planner.experiments.outputs import standin_label

    suite = plan.suite
    console.print(f"[bold]{escape(suite.name)}[/] {escape(suite.title)}", soft_wrap=True)
    label = standin_label(suite)
    if label:
        console.print(f"[yellow]{escape(label)}[/]", soft_wrap=True)
    for world in plan.missing_worlds:
        console.print(
            f"[yellow]left out: the {escape(world)} world is not part of this installation[/]"
        )


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class _Show:
    """Progress on a terminal; a line now and then elsewhere; failures at once."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.kinds: Counter[str] = Counter()
        self.last = time.monotonic()
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[rest]}"),
            console=console,
            disable=not console.is_terminal,
        )
        self.task: Any = None

    def report(self, report: Report, progress: SweepProgress) -> None:
        if report.status not in ("finished", "disk_full", "over_limit"):
            self._failure(report)
        rate = f"{progress.per_minute:.0f}/min, {_duration(progress.remaining_s)} to go"
        state = f"{progress.successes} of {progress.done} successful"
        if self.console.is_terminal:
            if self.task is None:
                self.task = self.bar.add_task("episodes", total=progress.total, rest="")
            finished = progress.total - progress.left
            self.bar.update(self.task, completed=finished, rest=f"{rate}, {state}")
        elif time.monotonic() - self.last > _EVERY_S:
            self.last = time.monotonic()
            finished = progress.total - progress.left
            self.console.print(f"{finished} of {progress.total} episodes, {rate}, {state}")

    def _failure(self, report: Report) -> None:
        kind = report.error
        self.kinds[kind] += 1
        if self.kinds[kind] <= _SHOWN:
            what = "tried again" if report.status == "infrastructure" else "CRASHED"
            self.console.print(
                f"[red]{what}[/] {escape(report.key)}: {escape(report.error)}", soft_wrap=True
            )
        elif self.kinds[kind] == _SHOWN + 1:
            self.console.print("[red]... more of the same[/]")


def run_sweep(
    console: Console,
    plan: Plan,
    folder: Path,
    *,
    engine: str,
    jobs: int | None,
    address: str | None,
    episode_timeout_s: float | None,
    limit: int | None,
    limits: SpendingLimits,
    accept_versions: bool,
    worlds: Collection[str] | None = None,
) -> SweepResult:
    """Run with progress on the console; see `experiments.runner.sweep`."""
    models = tuple(dict.fromkeys(cell.config.model for cell in plan.cells))
    chosen = make_engine(
        engine, models=models, jobs=jobs, address=address, episode_timeout_s=episode_timeout_s
    )
    show = _Show(console)
    try:
        with show.bar:
            return sweep(
                plan,
                folder,
                chosen,
                limit=limit,
                limits=limits,
                accept_versions=accept_versions,
                on_report=show.report,
                worlds=worlds,
            )
    except OSError as error:
        if disk_is_full(error):
            raise UsageError(f"the disk of {folder} is full; free some space") from None
        raise


def show_estimate(
    console: Console, plan: Plan, folder: Path, *, worlds: Collection[str] | None = None
) -> Estimate:
    """Print what a sweep would take; only its episodes of some `worlds`, unless None."""
    from mosaic_planner.experiments.estimate import estimate
    from mosaic_planner.experiments.store import Store

    if worlds is not None:
        plan = replace(plan, cells=tuple(c for c in plan.cells if c.config.world in worlds))
    store = Store(folder)
    keys = [cell.key for cell in plan.cells]
    found = estimate(plan, store.rows(sorted(store.finished(keys))) if folder.exists() else {})
    cost = "unpriced: the price of a model is not known"
    if found.cost_usd is not None:
        cost = f"{found.cost_usd[0]:,.2f} to {found.cost_usd[1]:,.2f} USD"
    console.print(
        f"episodes  {found.episodes} ({found.finished} finished, "
        f"{found.episodes - found.finished} to run)\n"
        f"models    {', '.join(found.models)}\n"
        f"calls     {found.calls[0]:,} to {found.calls[1]:,}\n"
        f"tokens    {found.tokens[0]:,} to {found.tokens[1]:,} (input and output)\n"
        f"cost      {cost}\n"
        f"from early success to the full budget of steps; rates from {found.basis}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
    return found


def summary(result: SweepResult) -> dict[str, Any]:
    """The outcome as JSON values."""
    return {
        "folder": str(result.folder),
        "episodes": result.total,
        "finished": result.finished,
        "reused": result.reused,
        "crashed": len(result.failures),
        "unreachable": len(result.unreachable),
        "missing_worlds": list(result.missing_worlds),
        "stopped": result.stopped,
    }


def progress_of(console: Console, result: SweepResult) -> None:
    """The outcome in words."""
    line = f"{result.finished} of {result.total} episodes finished in {result.folder}"
    if result.reused:
        line += f" ({result.reused} were there already)"
    console.print(escape(line), soft_wrap=True, highlight=False)
    if result.failures:
        console.print(
            f"[red]{len(result.failures)} crashed[/]; see {escape(str(result.folder))}/failures; "
            "the same command tries them again",
            soft_wrap=True,
        )
    if result.unreachable:
        console.print(
            f"[red]{len(result.unreachable)} could not reach their model[/]; "
            "the same command tries them again",
            soft_wrap=True,
        )
    if result.stopped:
        console.print(f"[red]stopped:[/] {escape(result.stopped)}", soft_wrap=True)
    for note in result.notes:
        console.print(escape(note), soft_wrap=True, highlight=False)
