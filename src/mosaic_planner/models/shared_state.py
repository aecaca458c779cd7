"""Small values that several processes of one machine change together.

SQLite does the locking: a change is atomic, a process that dies in the middle leaves the value as
it was, and no lock outlives its process.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mosaic_planner.core.errors import ConfigError

__all__ = ["FOLDER_VARIABLE", "SharedState", "user_state_file"]

FOLDER_VARIABLE = "MOSAIC_STATE_DIR"
"""The environment variable that names another folder for what a user's processes share."""

_PATIENCE_S = 30.0  # others hold the lock for well below a millisecond each


class SharedState:
    """JSON objects by key in one file. Raises `ConfigError` if it cannot be used at all."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self._connected() as connection:
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value TEXT NOT NULL)"
                )
        except (OSError, sqlite3.Error) as error:
            raise ConfigError(f"cannot share a state in {path}: {error}") from None

    @contextlib.contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        # A connection per change: they may not be carried across a fork or into another thread.
        connection = sqlite3.connect(self.path, timeout=_PATIENCE_S, isolation_level=None)
        try:
            yield connection
        finally:
            connection.close()

    @contextlib.contextmanager
    def change(self, key: str) -> Iterator[dict[str, Any]]:
        """The object of a key (new: empty), to be changed in place; kept if nothing is raised."""
        with self._connected() as connection:
            connection.execute("PRAGMA synchronous = OFF")  # a power cut may lose it, a crash not
            connection.execute("BEGIN IMMEDIATE")
            row = connection.execute("SELECT value FROM state WHERE key = ?", (key,)).fetchone()
            before = row[0] if row else "{}"
            value: dict[str, Any] = json.loads(before)
            try:
                yield value
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            after = json.dumps(value, separators=(",", ":"))
            if after != before:
                connection.execute("INSERT OR REPLACE INTO state VALUES (?, ?)", (key, after))
            connection.execute("COMMIT")


def user_state_file(name: str) -> Path:
    """Where processes of this user on this machine share the state called `name`."""
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder:
        return Path(folder) / f"{name}.sqlite"
    user = str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    return Path(tempfile.gettempdir()) / f"mosaic-planner-{user}" / f"{name}.sqlite"
