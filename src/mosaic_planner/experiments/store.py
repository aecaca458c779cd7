"""The folder of a sweep: where traces, attempts and failures lie, and what is finished.

manifest.json              suite, settings, versions
traces/KEY.jsonl.gz        finished episodes, never changed again
attempts/KEY.N.jsonl.gz    tries that a failing model server ended, oldest first
failures/KEY.json          the last crash of an episode, with its traceback
partial/                   episodes under way; worth nothing after a crash
spending.sqlite            what was spent so far, if the sweep has limits
rows.jsonl                 figures of finished traces, kept to save reading them again
results.csv, results.parquet, timings.csv, tables/, figures/, report.html
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mosaic_planner.core.errors import TraceError
from mosaic_planner.core.trace import read_trace
from mosaic_planner.experiments.files import publish, write_atomically
from mosaic_planner.experiments.results import Row, episode_row

__all__ = ["Store", "crash_record"]

_SUFFIX = ".jsonl.gz"


class Store:
    """One folder of results. Holds no state but paths and the rows read so far."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._rows: dict[str, tuple[tuple[int, int], Row]] | None = None

    def trace(self, key: str) -> Path:
        """Where the finished trace of an episode lies, or will lie."""
        return self.folder / "traces" / f"{key}{_SUFFIX}"

    @property
    def spending(self) -> Path:
        """Where the processes of a sweep with limits write down what they spend."""
        return self.folder / "spending.sqlite"

    def failure(self, key: str) -> Path:
        """Where the last crash of an episode is described."""
        return self.folder / "failures" / f"{key}.json"

    def partial(self, key: str) -> Path:
        """A name for an episode under way, not shared with any other process."""
        host = re.sub(r"[^A-Za-z0-9-]", "_", socket.gethostname())
        return self.folder / "partial" / f"{key}.{host}.{os.getpid()}{_SUFFIX}"

    def finished(self, keys: Iterable[str]) -> set[str]:
        """Those episodes that have a finished trace."""
        folder = self.folder / "traces"
        present = {p.name.removesuffix(_SUFFIX) for p in folder.glob(f"*{_SUFFIX}")}
        return present.intersection(keys)

    def attempts(self) -> dict[str, int]:
        """How many tries of each episode were ended by a failing model server."""
        counts: dict[str, int] = {}
        for path in sorted((self.folder / "attempts").glob(f"*{_SUFFIX}")):
            key = path.name.removesuffix(_SUFFIX).rpartition(".")[0]
            counts[key] = counts.get(key, 0) + 1
        return counts

    def keep_attempt(self, key: str, partial: Path) -> None:
        """Put the trace of a failed try aside."""
        number = self.attempts().get(key, 0) + 1
        publish(partial, self.folder / "attempts" / f"{key}.{number}{_SUFFIX}")

    def finish(self, key: str, partial: Path) -> None:
        """Publish a finished trace; an old crash of that episode is forgotten."""
        publish(partial, self.trace(key))
        with contextlib.suppress(FileNotFoundError):
            self.failure(key).unlink()

    def record_failure(self, key: str, record: dict[str, Any]) -> None:
        """Describe a crash."""
        text = json.dumps(record, indent=1, ensure_ascii=False)
        write_atomically(self.failure(key), text.encode())

    def failures(self) -> dict[str, dict[str, Any]]:
        """Crashes on record, by episode."""
        found: dict[str, dict[str, Any]] = {}
        for path in sorted((self.folder / "failures").glob("*.json")):
            with contextlib.suppress(OSError, ValueError):
                found[path.stem] = json.loads(path.read_text(encoding="utf-8"))
        return found

    def tidy(self) -> None:
        """Remove what dead processes of this machine left under way; call with the lock held."""
        host = re.sub(r"[^A-Za-z0-9-]", "_", socket.gethostname())
        for path in (self.folder / "partial").glob(f"*.{host}.*{_SUFFIX}"):
            number = path.name.removesuffix(_SUFFIX).rpartition(".")[2]
            if number.isdigit() and not _alive(int(number)):
                path.unlink(missing_ok=True)

    def rows(self, keys: Iterable[str]) -> dict[str, Row]:
        """Figures of finished episodes, from their traces or from the rows kept of them.

        A trace that turns out unreadable is set aside, so that the sweep does it again.
        """
        cache = self._cache()
        rows: dict[str, Row] = {}
        fresh: list[str] = []
        for key in keys:
            path = self.trace(key)
            try:
                status = path.stat()
            except FileNotFoundError:
                continue
            stamp = (status.st_size, status.st_mtime_ns)
            known = cache.get(key)
            if known is None or known[0] != stamp:
                try:
                    row = episode_row(read_trace(path))
                except TraceError:
                    path.replace(path.with_suffix(".damaged"))
                    continue
                known = cache[key] = (stamp, row)
                fresh.append(json.dumps([key, list(stamp), row], ensure_ascii=False))
            rows[key] = known[1]
        if fresh:
            with (
                contextlib.suppress(PermissionError),  # somebody else's sweep can be looked at
                (self.folder / "rows.jsonl").open("a", encoding="utf-8") as file,
            ):
                file.write("".join(f"{line}\n" for line in fresh))
        return rows

    def remember(self, key: str, row: Row) -> None:
        """Keep the figures of an episode that was just finished."""
        status = self.trace(key).stat()
        stamp = (status.st_size, status.st_mtime_ns)
        self._cache()[key] = (stamp, row)
        with (self.folder / "rows.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps([key, list(stamp), row], ensure_ascii=False) + "\n")

    def _cache(self) -> dict[str, tuple[tuple[int, int], Row]]:
        if self._rows is None:
            self._rows = {}
            path = self.folder / "rows.jsonl"
            lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
            for line in lines:
                try:
                    key, (size, modified), row = json.loads(line)
                except ValueError:
                    continue  # torn by a crash: read again from the trace
                self._rows[key] = ((size, modified), row)
        return self._rows


def crash_record(error: BaseException, trace_back: str) -> dict[str, Any]:
    """A crash as JSON values; the text has no credentials in it."""
    from mosaic_planner.models.secrets import hide_secrets

    return {
        "error": hide_secrets(f"{type(error).__name__}: {error}"),
        "traceback": hide_secrets(trace_back),
    }


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
