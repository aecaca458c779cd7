"""Starts the client's controller so that nothing hangs and no process is left behind.

The client waits without limit for a player that never opens its pipes, spins until its time-out
when the player is gone, and loses the process when its own constructor fails. A thread beside it
looks after the process: it ends one that does not answer in time, and wakes a client that waits
for one that is gone.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path
from typing import Any

__all__ = ["Watch", "launch"]

_LOOK_EVERY_S = 0.1
_NO_SUCH_FIELD = b"\0" * 4096
"""No message of the protocol begins with a zero: whoever reads this gives up."""


class Watch:
    """Looks after the child process of one controller until `end`.

    `late`: it was ended because it did not answer in time; `code`: its exit code, None while it
    runs.
    """

    def __init__(self, controller: Any, start_timeout_s: float) -> None:
        self.late = False
        self.code: int | None = None
        self._controller = controller
        self._patience_s = start_timeout_s
        self._answered = threading.Event()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, name="simulator watch", daemon=True)
        self._thread.start()

    def answered(self) -> None:
        """The simulator is there: from now on the client's own step time-out counts."""
        self._answered.set()

    def end(self) -> None:
        """Look no longer; the process is not touched."""
        self._over.set()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=2.0)

    def trouble(self) -> str:
        """What became of the process, "" while it runs."""
        if self.late:
            return f"it did not answer in {self._patience_s:g} s: timeout"
        if self.code is not None:
            return f"its process ended with code {self.code}"
        return ""

    def _look(self) -> None:
        began: float | None = None
        while not self._over.wait(_LOOK_EVERY_S):
            server = getattr(self._controller, "server", None)
            process = getattr(server, "unity_proc", None)
            if process is None:  # still unpacking, or downloading: that has no time-out
                continue
            began = time.monotonic() if began is None else began
            if process.poll() is None:
                slow = time.monotonic() - began > self._patience_s
                if slow and not self._answered.is_set():
                    self.late = True
                    process.kill()
                continue
            self.code = process.returncode
            _wake(server)


def _wake(server: Any) -> None:
    """Let a client go on that waits at a pipe for a process that is gone."""
    ends = (
        (getattr(server, "server_pipe_path", None), os.O_WRONLY | os.O_NONBLOCK),
        (getattr(server, "client_pipe_path", None), os.O_RDONLY | os.O_NONBLOCK),
    )
    for path, flags in ends:
        if path is None:
            continue
        with contextlib.suppress(OSError):  # nobody waits there
            pipe = os.open(path, flags)
            try:
                if flags & os.O_WRONLY:
                    os.write(pipe, _NO_SUCH_FIELD)
            finally:
                os.close(pipe)


def launch(make: Any, start_timeout_s: float, **options: Any) -> tuple[Any, Watch | None]:
    """A controller made by `make` (the client's class) and the watch over its process.

    When it cannot be made the process is ended before the error goes on: `TimeoutError` if it did
    not answer in time, `RuntimeError` with the log's last line if it ended by itself, else the
    client's own.
    """
    if not isinstance(make, type):  # no class of the client's: nothing is known about it
        return make(**options), None
    kind: Any = make
    controller = kind.__new__(kind)
    watch = Watch(controller, start_timeout_s)
    try:
        controller.__init__(**options)
    except BaseException as error:
        watch.end()
        _abandon(controller)
        trouble = watch.trouble()
        if watch.late:
            raise TimeoutError(trouble) from None
        if trouble and "Vulkan" not in str(error):  # the client knows about that one
            raise RuntimeError(trouble + _last_words()) from None
        raise
    watch.answered()
    return controller, watch


def _abandon(controller: Any) -> None:
    """End whatever a half-made controller has started."""
    process = getattr(getattr(controller, "server", None), "unity_proc", None)
    if process is not None and process.poll() is None:
        process.kill()
        process.wait(10)
    with contextlib.suppress(Exception):  # it is only half there
        controller.stop()


def _last_words() -> str:
    """The last line of the client's log of the player, "" if there is none."""
    try:
        text = (Path.home() / ".ai2thor" / "log" / "unity.log").read_text("utf-8", "replace")
    except OSError:
        return ""
    lines = [line.strip() for line in text[-4000:].splitlines() if line.strip()]
    return f"; its log ends: {lines[-1][:120]}" if lines else ""
