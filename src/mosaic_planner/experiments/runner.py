"""Run a suite into a folder, or go on with one: what is finished stays, the rest is done."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mosaic_planner.core.errors import MissingExtraError, UsageError
from mosaic_planner.experiments.engines import Engine, Report
from mosaic_planner.experiments.files import disk_is_full, locked, write_atomically
from mosaic_planner.experiments.manifest import Manifest, read_manifest
from mosaic_planner.experiments.results import (
    METRIC_FIELDS,
    PLACE_FIELDS,
    WALL_FIELDS,
    Row,
    csv_text,
    placed,
    write_parquet,
)
from mosaic_planner.experiments.store import Store
from mosaic_planner.experiments.suite import Cell, Plan
from mosaic_planner.models.limits import FileBudget, Limits, Spending

__all__ = ["Progress", "SpendingLimits", "SweepResult", "load_results", "sweep", "write_results"]

_FULL = "the disk is full; free some space and give the same command again"
_RETRIES = 2  # of an episode whose model server failed, within one run of the command


@dataclass(frozen=True, slots=True)
class SpendingLimits:
    """What a whole sweep may spend, finished episodes included; None is no limit.

    No request goes out that could lead beyond it, whichever process or machine asks; and no
    episode is started that would, at the mean of those so far, be stopped by that. `time_s`: time
    of the models, of all episodes together.
    """

    calls: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    time_s: float | None = None

    @property
    def limits(self) -> Limits:
        """The same for the model room."""
        return Limits(self.calls, self.tokens, self.cost_usd, self.time_s)


@dataclass(slots=True)
class Progress:
    """How far a sweep is. `reused`: episodes that were finished before it began."""

    total: int
    reused: int
    done: int = 0
    crashed: int = 0
    retried: int = 0
    successes: int = 0
    started: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> int:
        """Episodes still to do."""
        return self.total - self.reused - self.done - self.crashed

    @property
    def per_minute(self) -> float:
        """Episodes of this run per minute of wall-clock time; 0 before the first."""
        elapsed = time.monotonic() - self.started
        return 60 * (self.done + self.crashed) / elapsed if elapsed > 0 else 0.0

    @property
    def remaining_s(self) -> float | None:
        """Estimated wall-clock seconds to go; None before the first episode is done."""
        rate = self.per_minute
        return 60 * self.left / rate if rate > 0 else None


@dataclass(frozen=True, slots=True)
class SweepResult:
    """What a sweep left. `failures`: one line per crashed episode; `stopped`: why it ended
    early, if it did; `missing_worlds`: worlds whose episodes wait for an installation.
    """

    folder: Path
    finished: int
    reused: int
    total: int
    failures: Mapping[str, str]
    unreachable: tuple[str, ...]
    missing_worlds: tuple[str, ...]
    stopped: str = ""
    notes: tuple[str, ...] = ()
    disk_full: bool = False

    @property
    def complete(self) -> bool:
        """Whether every planned episode of the worlds present is finished."""
        return self.finished == self.total


OnReport = Callable[[Report, Progress], None]


class _Queue:
    """Hands out cells, counts what comes back, decides about retries and limits."""

    def __init__(
        self,
        plan: Plan,
        store: Store,
        *,
        limit: int | None,
        limits: SpendingLimits,
        on_report: OnReport | None,
        worlds: Collection[str] | None,
    ) -> None:
        self.store = store
        wanted = [c for c in plan.cells if worlds is None or c.config.world in worlds]
        self.total = len(wanted)
        known = store.rows(sorted(store.finished(cell.key for cell in wanted)))
        pending = [cell for cell in wanted if cell.key not in known]
        self.left = len(pending)
        self.waiting = deque(pending if limit is None else pending[:limit])
        self.running: dict[str, Cell] = {}
        self.tries: Counter[str] = Counter()
        self.unreachable: list[str] = []
        self.failures: dict[str, str] = {}
        self.limits = limits
        self.stopped = ""
        self.spent = [0.0, 0.0, 0.0, 0.0]
        self.booked = 0
        for row in known.values():
            self._book(row)
        self.progress = Progress(total=len(known) + len(self.waiting), reused=len(known))
        self.on_report = on_report

    def _book(self, row: Row) -> None:
        tokens = row["reported_input_tokens"] + row["output_tokens"]
        for i, amount in enumerate(
            (row["llm_calls"], tokens, row["cost_usd"] or 0.0, row["model_s"])
        ):
            self.spent[i] += amount
        self.booked += 1

    def spending(self) -> Spending:
        """What the finished episodes have spent."""
        calls, tokens, cost, time_s = self.spent
        return Spending(int(calls), int(tokens), cost, time_s)

    def _over(self) -> str:
        limits = self.limits
        bounds = (limits.calls, limits.tokens, limits.cost_usd, limits.time_s)
        names = ("calls", "tokens", "USD", "seconds of model time")
        for spent, bound, name in zip(self.spent, bounds, names, strict=True):
            if bound is None:
                continue
            each = spent / self.booked if self.booked else 0.0
            if spent + each * (len(self.running) + 1) > bound or spent >= bound:
                return f"the limit of {bound:g} {name} for the whole sweep ({spent:g} spent)"
        return ""

    def take(self) -> Cell | None:
        if self.stopped or not self.waiting:
            return None
        over = self._over()
        if over:
            self.stopped = over
            return None
        cell = self.waiting.popleft()
        self.running[cell.key] = cell
        return cell

    def done(self, report: Report) -> None:
        cell = self.running.pop(report.key)
        progress = self.progress
        if report.status == "finished":
            self.store.remember(report.key, report.row)
            self._book(report.row)
            progress.done += 1
            progress.successes += bool(report.row["success"])
        elif report.status == "infrastructure":
            self.tries[report.key] += 1
            progress.retried += 1
            if self.tries[report.key] <= _RETRIES:
                self.waiting.append(cell)
            else:
                self.unreachable.append(report.key)
                progress.crashed += 1
        elif report.status == "disk_full":
            self.stopped = _FULL
        elif report.status == "over_limit":
            self.stopped = self.stopped or f"the {report.error}"
        else:
            self.failures[report.key] = report.error
            progress.crashed += 1
        if self.on_report is not None:
            self.on_report(report, progress)


def sweep(
    plan: Plan,
    folder: str | Path,
    engine: Engine,
    *,
    limit: int | None = None,
    limits: SpendingLimits | None = None,
    accept_versions: bool = False,
    on_report: OnReport | None = None,
    worlds: Collection[str] | None = None,
) -> SweepResult:
    """Run every episode of the plan that is not finished in `folder` yet.

    Safe to be killed at any moment: the same call goes on. `limit`: at most that many episodes
    now. `worlds`: only episodes of these now. `on_report` is called after each episode. An
    episode that crashes is noted and the rest goes on; one whose model server fails is tried
    again, at last by the next call. Raises `UsageError` if the folder belongs to another suite,
    other settings or versions, or is in use.
    """
    folder = Path(folder)
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {folder} is a file; name a folder")
    if not plan.cells:
        missing = " and ".join(plan.missing_worlds)
        raise UsageError(
            f"suite {plan.suite.name!r} needs the {missing} world, "
            "which is not part of this installation"
        )
    with locked(folder):
        manifest = read_manifest(folder)
        if manifest is None:
            manifest = Manifest.of(plan)
        else:
            manifest = manifest.agree(plan, folder, accept_versions=accept_versions)
        manifest.write(folder)
        store = Store(folder)
        store.tidy()
        queue = _Queue(
            plan,
            store,
            limit=limit,
            limits=limits or SpendingLimits(),
            on_report=on_report,
            worlds=worlds,
        )
        notes: tuple[str, ...] = ()
        try:
            if limits is None or limits == SpendingLimits():
                engine.run(queue.take, folder, queue.done)
            else:
                budget = FileBudget(store.spending, limits.limits)
                budget.begin(queue.spending())
                engine.run(queue.take, folder, queue.done, budget=budget)
            if queue.stopped != _FULL:
                notes = write_results(store, manifest)
        except OSError as error:
            if not disk_is_full(error):
                raise
            queue.stopped = _FULL
    progress = queue.progress
    return SweepResult(
        folder=folder,
        finished=progress.reused + progress.done,
        reused=progress.reused,
        total=queue.total,
        failures=queue.failures,
        unreachable=tuple(queue.unreachable),
        missing_worlds=plan.missing_worlds,
        stopped=queue.stopped,
        notes=notes,
        disk_full=queue.stopped == _FULL,
    )


def load_results(folder: str | Path) -> tuple[Manifest, list[Row]]:
    """Manifest and one line per finished placement of a sweep's folder.

    Raises `UsageError` if there is none.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    if manifest is None:
        raise UsageError(f"{folder} holds no sweep (no manifest.json)")
    store = Store(folder)
    keys = dict.fromkeys(place.key for place in manifest.placements)
    return manifest, placed(manifest.placements, store.rows(keys), store.attempts())


def write_results(store: Store, manifest: Manifest) -> tuple[str, ...]:
    """Write `results.csv`, `timings.csv` and, with the extra, `results.parquet`.

    Returns notes for the user.
    """
    keys = dict.fromkeys(place.key for place in manifest.placements)
    lines = placed(manifest.placements, store.rows(keys), store.attempts())
    axes = [name for name in manifest.suite.vary if name not in PLACE_FIELDS]
    where = [PLACE_FIELDS[0], *axes, *PLACE_FIELDS[1:]]
    columns = [*where, *(name for name in METRIC_FIELDS if name not in where)]
    folder = store.folder
    write_atomically(folder / "results.csv", csv_text(lines, columns).encode())
    timings = csv_text(lines, [*where, *WALL_FIELDS])
    write_atomically(folder / "timings.csv", timings.encode())
    try:
        temporary = folder / ".results.parquet.tmp"
        write_parquet(lines, columns, temporary)
        temporary.replace(folder / "results.parquet")
    except MissingExtraError as error:
        return (str(error),)
    return ()
