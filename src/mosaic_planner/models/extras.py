"""Optional packages, imported where they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from mosaic_planner.core.errors import MissingExtraError

__all__ = ["import_extra"]


def import_extra(module: str, extra: str, purpose: str) -> Any:
    """The module, or `MissingExtraError` with the command that installs its extra."""
    try:
        return import_module(module)
    except ImportError as error:
        # A package that is there but broken should say so itself.
        if error.name is not None and module.split(".")[0] != error.name.split(".")[0]:
            raise
        raise MissingExtraError(extra, purpose) from None
