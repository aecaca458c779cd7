"""Shared fixtures. Recorded data lives beside the repository and is never committed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of recorded data; skips where it is absent, but fails in CI."""
    if not SHARED_DATA.is_dir():
        message = "recorded data is absent (expected in ../shared/data)"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    return SHARED_DATA
