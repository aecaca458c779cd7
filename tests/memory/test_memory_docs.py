"""The example in docs/memory.md runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs" / "memory.md"

SETTING = """
from mosaic_planner.core.action import Action
from mosaic_planner.worlds.registry import make_world
world = make_world("sar", scene=1, agents=3)
joint_action = dict.fromkeys(world.agents, Action("Explore"))
"""


def test_the_example_runs() -> None:
    code = re.search(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    done = subprocess.run(
        [sys.executable, "-c", SETTING + code[1]], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "- ReservoirUtah (reservoir): right 6, up 2; 8 moves, medium" in done.stdout
