"""docs/own-world.md: its examples run as they stand, and its list of checks is the kit's."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from mosaic_planner.testing.check_world import CHECKS

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "own-world.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
SHOWN = (
    "- Dock (dock): free True\nat (2.0, 5.0), heading 90 degrees, holding Box_1 1",
    "True 0",
    "warehouse-v1: 0 problems",
)


@pytest.mark.parametrize(("code", "shown"), list(zip(EXAMPLES, SHOWN, strict=True)))
def test_the_examples_run(code: str, shown: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT / "examples")},
    )
    assert done.returncode == 0, done.stderr
    assert shown in done.stdout


def test_the_list_of_checks_is_the_kits() -> None:
    listed = re.findall(r"^\| `(\w+\.\w+)` \| (.+) \|$", TEXT, re.MULTILINE)
    assert listed == list(CHECKS.items())
