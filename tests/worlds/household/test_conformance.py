"""The world keeps the contract of worlds: the kit that is shipped for worlds of one's own."""

from __future__ import annotations

import pytest

from mosaic_planner.testing.check_world import check_world
from mosaic_planner.worlds.household import make


@pytest.mark.slow
@pytest.mark.parametrize("task", ["bread_lettuce_tomato_fridge", "make_livingroom_dark"])
def test_the_world_keeps_the_contract(task: str):
    check_world(make, options={"task": task}, seeds=(0,), planners=("react+mosaic",))
