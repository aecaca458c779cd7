"""The examples of `docs/household.md` run as they stand, one after another."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[3] / "docs" / "household.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)


def test_there_are_examples():
    assert len(EXAMPLES) >= 3


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_the_example_runs(number: int, capsys: pytest.CaptureFixture[str]):
    if "pettingzoo" in EXAMPLES[number]:
        pytest.importorskip("pettingzoo")
    exec(compile(EXAMPLES[number], f"{PAGE.name}, example {number + 1}", "exec"), {})  # noqa: S102
    assert capsys.readouterr().out
