"""The installed version."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as _installed

__all__ = ["version"]


def version() -> str:
    """Version of the installed distribution; "0+source" when run from a bare source tree."""
    try:
        return _installed("mosaic-planner")
    except PackageNotFoundError:
        return "0+source"
