"""The Python examples of docs/models.md run, and its tables name what there is."""

from __future__ import annotations

import re
import runpy
from dataclasses import fields
from pathlib import Path

from mosaic_planner.models.providers.settings import WireSettings
from mosaic_planner.models.reading import RUNGS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "models.md").read_text("utf-8")


def test_the_examples_run(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) >= 4
    script = tmp_path / "page.py"
    script.write_text("\n".join(blocks), "utf-8")
    runpy.run_path(str(script))


def test_every_rung_and_every_option_is_explained() -> None:
    for name in (*RUNGS, *(f.name for f in fields(WireSettings))):
        assert f"`{name}`" in PAGE, name
