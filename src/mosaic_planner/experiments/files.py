"""Writing that a crash cannot leave half done."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterator
from pathlib import Path

from mosaic_planner.core.errors import UsageError

__all__ = ["disk_is_full", "locked", "publish", "write_atomically"]


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file under another name and rename it; `path` is old or new, never between."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def publish(temporary: Path, final: Path) -> bool:
    """Give a finished file its name, unless that name is taken: what is finished stays as it is.

    The content is on disk before the name is. Returns whether this file got the name.
    """
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    final.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(temporary, final)
    except FileExistsError:
        temporary.unlink()
        return False
    except OSError:  # a file system without hard links
        if final.exists():
            temporary.unlink()
            return False
        temporary.replace(final)
        return True
    temporary.unlink()
    return True


def disk_is_full(error: BaseException) -> bool:
    """Whether an error means that no more can be written here."""
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder against a second sweep; the lock ends with the process, however it ends.

    Raises `UsageError` if somebody else holds it.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as file:
        try:
            import fcntl
        except ImportError:  # a system without file locks: go on, one sweep at a time is asked for
            yield
            return
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(f"another sweep is running in {folder}; wait for it") from None
        yield
