"""Shared fixtures. Recorded data lives beside the repository and is never committed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
IN_CI = os.environ.get("CI") == "true"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of recorded data; a test that needs it is skipped where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("recorded data is absent (expected in ../shared/data)")
    return SHARED_DATA


@pytest.fixture(scope="session", autouse=True)
def own_state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests share no rate limits with other processes of this user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOSAIC_STATE_DIR", str(tmp_path_factory.mktemp("state")))
        yield


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In CI everything is present, so a skipped test is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if IN_CI and reporter is not None and reporter.stats.get("skipped"):
        reporter.write_line("CI: a test was skipped, and in CI nothing may be", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
