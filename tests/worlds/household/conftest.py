from __future__ import annotations

from pathlib import Path

import pytest

from mosaic_planner.worlds.household.scenes.recorded import SceneFolder


@pytest.fixture(scope="session")
def recorded(shared_data: Path) -> SceneFolder:
    """The recorded AI2-THOR 5.0.0 scenes."""
    return SceneFolder(shared_data / "thor_scenes")
