"""Parts of pages that are written from the package while the site is built.

A comment in a page says where each part goes, so that the page can be read without it too.
"""

from __future__ import annotations

import inspect
import re
import subprocess
import sys

from sphinx.application import Sphinx

import mosaic_planner
from mosaic_planner.experiments.paper.experiments import EXPERIMENTS


def commands() -> str:
    """The help of every command as Markdown, one level below the page's title."""
    done = subprocess.run(
        [sys.executable, "-m", "typer", APP, "utils", "docs", "--name", "mosaic"],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith("**Usage**"))
    return "\n".join(_with_examples(line) for line in lines[start:])


def _with_examples(line: str) -> str:
    """A line with examples below a command's options: the commands in it as code."""
    if not re.match(r"(Examples?: |Start here: |  mosaic )", line):
        return line
    parts = re.split(r"\s{2,}|(?<=here:) ", line.strip())
    return "  \n".join(f"`{part}`" if part.startswith("mosaic ") else part for part in parts)


def public_names() -> str:
    """A table of the names of `mosaic_planner.__all__` with their modules and first lines."""
    rows = ["| Name | Module | What it is |", "| --- | --- | --- |"]
    for name in sorted(mosaic_planner.__all__, key=str.lower):
        value = getattr(mosaic_planner, name)
        home = getattr(value, "__module__", None)
        if inspect.isclass(value) or inspect.isfunction(value):
            said = (inspect.getdoc(value) or "").partition("\n\n")[0]
            link = f"{{py:obj}}`{name} <{home}.{name}>`"
        else:
            said, link, home = "", f"`{name}`", None
        said = " ".join(said.split()).replace("|", "\\|")
        rows.append(f"| {link} | {f'`{home}`' if home else ''} | {said} |")
    return "\n".join(rows)


def experiments() -> str:
    """Rows of the paper's tables and figures: command, title, and the suite that is run for it."""
    rows = (f"| `{e.name}` | {e.title} | suite `{e.suite}` |" for e in EXPERIMENTS.values())
    return "\n".join(rows)


APP = "mosaic_planner.cli.app"
PARTS = {
    "<!-- commands -->": commands,
    "<!-- public names -->": public_names,
    "<!-- experiments -->": experiments,
}
NAME = re.compile(r"(?<!`)`mosaic_planner\.([\w.]+)`(?!`)")


def fill(app: Sphinx, page: str, source: list[str]) -> None:
    """Put every generated part in its place, and link full names of the package."""
    text = source[0]
    for mark, write in PARTS.items():
        if mark in text:
            text = text.replace(mark, write())
    source[0] = NAME.sub(r"{py:obj}`\1 <mosaic_planner.\1>`", text)


def setup(app: Sphinx) -> dict[str, bool]:
    """Called by Sphinx."""
    app.connect("source-read", fill)
    return {"parallel_read_safe": True}
