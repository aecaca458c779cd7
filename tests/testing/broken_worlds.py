"""Worlds with one defect each, all made from the sound example world."""

from __future__ import annotations

import broken_conduct  # noqa: F401
import broken_rules
import broken_sight  # noqa: F401
import broken_use
import broken_words  # noqa: F401 - fills the list
from broken_base import BROKEN

SetOrder = broken_rules.SetOrder
Taught = broken_rules.Taught
Wordless = broken_use.Wordless

__all__ = ["BROKEN", "SetOrder", "Taught", "Wordless"]
