"""Exceptions for misuse, one tree.

Failures of models, solvers and simulators are *values* with reasons (`Outcome`, `ChatReply`,
`Assignment`), never exceptions. These classes are for mistakes of the caller only::

    MosaicError
    ├── UsageError              a user asked for something that does not exist or cannot be
    │   ├── ConfigError         a setting or a configuration file is wrong
    │   ├── SceneError          a scene file is malformed or out of range
    │   └── UnknownNameError    no planner, world, model, scene or suite of that name
    ├── MissingExtraError       an optional dependency is not installed; says how to install it
    ├── TraceError              a trace file cannot be read as a trace
    ├── StorageError            a file cannot be written: not allowed, no such folder, a full disk
    └── ConformanceError        an extension breaks its contract (raised by `testing` only)
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from os import PathLike
from typing import Any

__all__ = [
    "ConfigError",
    "ConformanceError",
    "MissingExtraError",
    "MosaicError",
    "SceneError",
    "StorageError",
    "TraceError",
    "UnknownNameError",
    "UsageError",
]


class MosaicError(Exception):
    """Root of everything Mosaic raises on purpose."""


class UsageError(MosaicError):
    """The caller asked for something impossible; the message is one line and says what to do."""


class ConfigError(UsageError):
    """A setting or a configuration file is wrong."""


class SceneError(UsageError):
    """A scene file is malformed, out of range or inconsistent."""


class UnknownNameError(UsageError):
    """No thing of that kind has that name.

    The message lists close matches first, then every known name.
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        close = get_close_matches(name, names, n=1, cutoff=0.6)
        hint = f"did you mean {close[0]!r}? " if close else ""
        super().__init__(f"unknown {kind} {name!r}: {hint}known: {', '.join(names) or 'none'}")
        self.kind = kind
        self.name = name
        self.known = tuple(names)

    def __reduce__(self) -> tuple[Any, ...]:  # so that it crosses from one process to another
        return type(self), (self.kind, self.name, self.known)


class MissingExtraError(MosaicError):
    """An optional dependency is missing; the message is the exact command that installs it."""

    def __init__(self, extra: str, purpose: str) -> None:
        super().__init__(f"{purpose} needs an extra: pip install 'mosaic-planner[{extra}]'")
        self.extra = extra
        self.purpose = purpose

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.extra, self.purpose)


class TraceError(MosaicError):
    """A file cannot be read as a trace of this format."""


class StorageError(MosaicError, OSError):
    """A file cannot be written: no permission, no such folder, a full disk.

    An `OSError` too, with its `errno`, so that who looks for a full disk finds it. The message is
    one line and names the file.
    """

    def __init__(self, path: str | PathLike[str], error: OSError) -> None:
        self.path = path
        self.why = error.strerror or str(error)
        super().__init__(error.errno, f"cannot write {path}: {self.why}")

    def __str__(self) -> str:
        return str(self.strerror)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.path, OSError(self.errno, self.why))


class ConformanceError(MosaicError, AssertionError):
    """An extension (a world, a planner, a model) breaks its contract.

    Only the conformance kits of `testing` raise it. It is an `AssertionError` too, so that a test
    runner calls it a failure. The message has one line per problem.
    """
