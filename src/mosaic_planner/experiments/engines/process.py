"""A pool of processes, one episode at a time in each.

Own code rather than `concurrent.futures`, for three things that it cannot do: tell which episode
killed its process (only that one is lost), replace each process after a number of episodes (memory
stays flat), and end an episode that hangs.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from mosaic_planner.experiments.engines.protocol import Done, Report, Take
from mosaic_planner.models.limits import FileBudget

__all__ = ["ProcessEngine"]

_THREAD_LIMITS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)


def _serve(pipe: Connection, folder: str, budget: FileBudget | None) -> None:
    """Run cells that come through the pipe until it closes. The terminal's Ctrl-C is for the
    parent, which then ends this process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    from mosaic_planner.experiments.engines.episode import run_cell

    while True:
        try:
            job = pipe.recv()
        except EOFError:
            return
        report = run_cell(job[0], job[1], Path(folder), budget)
        try:
            pipe.send(report)
        except OSError:  # the parent is gone; what was finished is published
            return


@contextlib.contextmanager
def _one_thread_each() -> Iterator[None]:
    """Children started inside use one thread for linear algebra: the pool fills the cores."""
    before = {name: os.environ.get(name) for name in _THREAD_LIMITS}
    os.environ.update(dict.fromkeys(_THREAD_LIMITS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextlib.contextmanager
def _deaf_to_ctrl_c() -> Iterator[None]:
    """Children started inside do not hear Ctrl-C before they can ignore it; here it waits."""
    resource_tracker.ensure_running()  # its start would lift the block
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@dataclass(slots=True)
class _Worker:
    process: BaseProcess
    pipe: Connection
    key: str = ""
    since: float = 0.0
    episodes: int = 0

    def end(self) -> None:
        self.pipe.close()
        if self.process.is_alive():
            self.process.kill()
        self.process.join()


class ProcessEngine:
    """`jobs` processes; each is replaced after `recycle` episodes.

    `episode_timeout_s`: an episode that takes longer is ended and counts as crashed.
    """

    name = "process"

    def __init__(
        self, *, jobs: int, recycle: int = 250, episode_timeout_s: float | None = None
    ) -> None:
        self.jobs = jobs
        self.recycle = recycle
        self.episode_timeout_s = episode_timeout_s

    def run(self, take: Take, folder: Path, done: Done, budget: FileBudget | None = None) -> None:
        """See `Engine.run`."""
        workers: list[_Worker] = []
        try:
            while True:
                self._feed(workers, take, folder, budget)
                busy = [worker for worker in workers if worker.key]
                if not busy:
                    return
                for worker in self._wait(busy):
                    report = self._receive(worker)
                    if report is None:
                        continue
                    if not worker.process.is_alive() or worker.episodes >= self.recycle:
                        worker.end()
                        workers.remove(worker)
                    done(report)
        finally:
            for worker in workers:
                worker.end()

    def _feed(
        self, workers: list[_Worker], take: Take, folder: Path, budget: FileBudget | None
    ) -> None:
        idle = [worker for worker in workers if not worker.key]
        while idle or len(workers) < self.jobs:
            cell = take()
            if cell is None:
                return
            worker = idle.pop() if idle else self._start(folder, budget)
            if worker not in workers:
                workers.append(worker)
            worker.key, worker.since = cell.key, time.monotonic()
            with contextlib.suppress(OSError):  # it died idle: noticed as its sentinel
                worker.pipe.send((cell.key, cell.config.model_dump_json()))

    def _start(self, folder: Path, budget: FileBudget | None) -> _Worker:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        with _one_thread_each(), _deaf_to_ctrl_c():
            process = context.Process(
                target=_serve, args=(theirs, str(folder), budget), daemon=True
            )
            process.start()
        theirs.close()
        return _Worker(process, ours)

    def _wait(self, busy: list[_Worker]) -> list[_Worker]:
        sources: list[Connection | int] = []
        for worker in busy:
            sources += [worker.pipe, worker.process.sentinel]
        ready = wait(sources, timeout=self._patience(busy))
        late = self.episode_timeout_s
        now = time.monotonic()
        return [
            worker
            for worker in busy
            if worker.pipe in ready
            or worker.process.sentinel in ready
            or (late is not None and now - worker.since > late)
        ]

    def _patience(self, busy: list[_Worker]) -> float | None:
        if self.episode_timeout_s is None:
            return None
        oldest = min(worker.since for worker in busy)
        return max(0.0, oldest + self.episode_timeout_s - time.monotonic()) + 0.01

    def _receive(self, worker: _Worker) -> Report | None:
        """The worker's report, or one about its death or delay; it is free afterwards."""
        report: Report | None = None
        with contextlib.suppress(EOFError, OSError):
            if worker.pipe.poll():
                report = worker.pipe.recv()
        if report is None:
            limit = self.episode_timeout_s
            late = limit is not None and time.monotonic() - worker.since > limit
            if worker.process.is_alive() and not late:
                return None
            if late:
                worker.process.kill()
            worker.process.join()
            why = f"took longer than {limit:g} s" if late else _death(worker.process.exitcode)
            report = Report(worker.key, "crashed", error=f"its process {why}")
        worker.key = ""
        worker.episodes += 1
        return report


def _death(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            return f"was ended by {signal.Signals(-code).name}"
        except ValueError:
            return f"was ended by signal {-code}"
    return f"ended with code {code}"
