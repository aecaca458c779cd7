"""Fixtures of this folder."""

from __future__ import annotations

import pytest
from experiments_fakes import make_suite

from mosaic_planner.experiments.suite import Suite


@pytest.fixture
def tiny() -> Suite:
    return make_suite()
