"""Documentation: what it names exists, its commands work as printed, the site builds.

What needs Sphinx or runs many commands is slow and runs in CI.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from mosaic_planner.coordination import DEFAULT

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
LABEL = "STAND-IN, not a language model"

MARKDOWN_LINK = re.compile(r"\]\(([^)\s]+)\)")
FULL_NAME = re.compile(r"\bmosaic_planner(?:\.\w+)+")
TEST_NAME = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def resolves(name: str) -> bool:
    """Whether a dotted name is a module, or something reached from one by attributes."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            if not hasattr(value, part):
                return False
            value = getattr(value, part)
        return True
    return False


def test_resolving_can_fail() -> None:
    assert resolves("mosaic_planner.core.geometry.Offset.steps")
    assert not resolves("mosaic_planner.core.geometry.Offset.leaps")
    assert not resolves("mosaic_planner.core.nowhere")


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_name_and_link_of_a_page_exists(page: Path) -> None:
    text = page.read_text("utf-8")
    prose = re.sub(r"^```(?!\{).*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    names = {name.rstrip(".") for name in FULL_NAME.findall(prose)}
    groups = {"mosaic_planner.worlds", "mosaic_planner.planners", "mosaic_planner.models"}
    assert [n for n in sorted(names - groups) if not resolves(n)] == []
    for target in MARKDOWN_LINK.findall(prose):
        path = target.partition("#")[0]
        if path and "://" not in path:
            assert (page.parent / path).exists(), target


def _rows(section: str) -> list[list[str]]:
    """The cells of every table row below a heading of the equations page."""
    text = (DOCS / "equations.md").read_text("utf-8")
    part = text.partition(f"\n## {section}")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[c.strip() for c in line.strip("|").split("|")] for line in lines[2:]]


EQUATIONS = ("Memory", "Joint choice", "Table 7", "Metrics", "Noise", "Ablations")


@pytest.mark.parametrize("section", EQUATIONS)
def test_every_formula_has_code_and_a_test(section: str) -> None:
    rows = _rows(section)
    assert rows
    for row in rows:
        line = " | ".join(row)
        names = FULL_NAME.findall(line)
        tests = TEST_NAME.findall(line)
        assert names, line
        assert tests, line
        for name in names:
            assert resolves(name), name
        for path, test in tests:
            source = (ROOT / path).read_text("utf-8")
            assert re.search(rf"^def {test}\(", source, re.MULTILINE), f"{path}::{test}"


def test_all_of_the_papers_formulas_are_there() -> None:
    joint = " ".join(row[0] for row in _rows("Joint choice"))
    for item in ("Eq. 1", "Eq. 2", "Eq. 3", "lambda_load = 0.5"):
        assert item in joint
    assert joint.count("Table 1,") == 5
    shown = [tuple(row[:3]) for row in _rows("Table 7")]
    assert shown == [
        ("cyclic", "l n_rep", "2"),
        ("failure", "n_fail", "2"),
        ("oscillation", "n_osc", "1"),
        ("backtracking", "n_back", "1"),
        ("stagnation", "n_idle", "2"),
    ]
    ablations = " ".join(row[0] for row in _rows("Ablations"))
    for part in ("D.5.1", "D.5.2", "D.5.3", "D.5.4", "Table 6", "Table 8", "Table 9", "Table 10"):
        assert part in ablations


def test_the_default_costs_on_the_page_are_those_in_the_code() -> None:
    text = (DOCS / "coordination.md").read_text("utf-8")
    part = text.partition("\n## The default costs\n")[2].partition("\n## ")[0]
    told: dict[str, float] = {}
    for line in part.splitlines()[1:]:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and re.match(r"-?\d", cells[1]):
            names, weights = cells[0].split(", "), cells[1].split(", ")
            told |= {n: abs(float(w)) for n, w in zip(names, weights, strict=True)}
    assert told.pop("right of way") == DEFAULT.right_of_way
    assert told == {w.term.name: w.weight for w in DEFAULT.terms}


def test_the_robot_fleet_example_says_what_the_page_says(tmp_path: Path) -> None:
    text = (DOCS / "robot-fleet.md").read_text("utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    said = re.search(r"```text\n(.*?)```", text, re.DOTALL)
    assert code is not None
    assert said is not None
    done = subprocess.run([sys.executable, "-c", code[1]], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == said[1]


@pytest.mark.parametrize("name", ["traces", "first-mission"])
def test_examples_of_new_pages_run(name: str, tmp_path: Path) -> None:
    for code in re.findall(r"```python\n(.*?)```", (DOCS / f"{name}.md").read_text(), re.DOTALL):
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip()


def test_the_scene_on_the_page_is_one(tmp_path: Path) -> None:
    text = (DOCS / "own-scenes.md").read_text("utf-8")
    code = re.search(r"```json\n(.*?)```", text, re.DOTALL)
    assert code is not None
    (tmp_path / "yard.json").write_text(code[1])
    done = mosaic("run --scene yard.json --agents 2 --json", tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["success"] is True


def test_the_result_table_says_that_it_is_the_stand_ins() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    table = runpy.run_path(str(DOCS / "readme_table.py"))
    section = text.partition(table["BEGIN"])[2].partition(table["END"])[0]
    assert "| LLaMAR + Mosaic |" in section
    assert LABEL in section
    assert "mosaic sweep sar-effect --out runs/effect" in text


def test_the_result_table_is_made_from_a_sweep(tmp_path: Path) -> None:
    done = mosaic("sweep sar-effect --quick --episodes 1 --out effect", tmp_path)
    assert done.returncode == 0, done.stderr
    table = runpy.run_path(str(DOCS / "readme_table.py"))
    readme = tmp_path / "README.md"
    readme.write_text(f"before\n{table['BEGIN']}\nold\n{table['END']}\nafter\n", "utf-8")
    table["main"](tmp_path / "effect", readme)
    once = readme.read_text("utf-8")
    table["main"](tmp_path / "effect", readme)
    assert readme.read_text("utf-8") == once
    assert once.startswith("before\n")
    assert once.endswith("after\n")
    assert "old" not in once
    assert LABEL in once
    lines = [line for line in once.splitlines() if line.startswith("| 3 |")]
    assert [line.split("|")[2].strip() for line in lines] == ["LLaMAR", "LLaMAR + Mosaic"]


def mosaic(arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """`mosaic ARGUMENTS`, through a shell as a reader would type it."""
    environment = {k: v for k, v in os.environ.items() if not k.endswith("_API_KEY")}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    return subprocess.run(
        ["sh", "-c", f"mosaic {arguments}"],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
    )


def _commands(page: Path) -> Iterator[str]:
    """Every `mosaic` command that a page prints in a block, without its comment."""
    language: str | None = None  # of the block that is open
    for line in page.read_text("utf-8").splitlines():
        if line.startswith("```"):
            language = line.removeprefix("```").strip() if language is None else None
        elif language in ("", "sh", "console") and line.startswith("mosaic "):
            yield line.partition("  #")[0].strip()


PRINTED = {page: list(_commands(page)) for page in PAGES}
NEEDS_A_KEY = re.compile(r"--model (openai|anthropic|google):")
NEEDS_A_SERVER = re.compile(r"--mlflow|--otel|--address|export |thor_scenes")
SHORTER = {
    "sweep sar-effect": " --quick --episodes 1",
    "reproduce table2 --quick": " --limit 3 --world sar",
    "reproduce": " --dry-run",
    "standin calibration": " --seeds 1",
}
"""What is added to commands that would take minutes; the printed part stays as it is."""


def test_commands_are_found() -> None:
    assert len(PRINTED[ROOT / "README.md"]) >= 12
    assert sum(map(len, PRINTED.values())) >= 50


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [p for p in PAGES if PRINTED[p]], ids=lambda p: str(p.relative_to(ROOT))
)
def test_every_command_of_a_page_works_as_printed(page: Path, tmp_path: Path) -> None:
    everything = " ".join(PRINTED[page])
    traces = {}
    for name, planner in (("TRACE", "llamar+mosaic"), ("PLAIN", "llamar"), ("MOSAIC", "react+fc")):
        if name in everything:
            run = f"run --scene 4 --steps 13 --planner {planner} --out {name} --json"
            made = mosaic(run, tmp_path)
            assert made.returncode == 0, made.stderr
            traces[name] = json.loads(made.stdout)["trace"]
    scene = re.search(r"```json\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    if scene is not None:
        (tmp_path / "yard.json").write_text(scene[1])
    for printed in PRINTED[page]:
        command = printed.replace("TRACE...", "TRACE").removeprefix("mosaic ")
        for name, path in traces.items():
            command = re.sub(rf"(?<!\S){name}(?!\S)", path, command)
        for start, more in SHORTER.items():
            if command.startswith(start):
                command += more
                break
        if NEEDS_A_SERVER.search(command):
            continue
        done = mosaic(command, tmp_path)
        shown = f"{printed}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr, shown
        if NEEDS_A_KEY.search(command) and "--dry-run" not in command:
            assert "_API_KEY" in done.stdout + done.stderr, shown
        else:
            assert done.returncode == 0, shown


def test_docstrings_are_shown_as_they_are() -> None:
    plain = runpy.run_path(str(DOCS / "_extensions" / "plain_docstrings.py"))["plain"]
    assert plain(["Takes *args and `a*b`, a|b|, name_, `Row`s:", "", "* one", "", "So::", ""]) == [
        "Takes \\*args and `a*b`, a\\|b\\|, name\\_, `Row`\\ s:",
        "",
        "* one",
        "",
        "So::",
        "",
    ]
    assert plain(["So::", "", "    a * b", "  c_", "back *"]) == [
        "So::",
        "",
        "    a * b",
        "  c_",
        "back \\*",
    ]
    assert plain(["A `long", "name * 2` and *"]) == ["A `long", "name * 2` and \\*"]


class _Links(HTMLParser):
    """What a page defines as anchors, leads to, and loads."""

    def __init__(self) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.leads_to: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if values.get("id"):
            self.anchors.add(str(values["id"]))
        if tag == "a" and values.get("href"):
            self.leads_to.append(str(values["href"]))
        elif tag == "link" and values.get("rel") not in ("canonical",) and values.get("href"):
            self.loads.append(str(values["href"]))
        elif values.get("src"):
            self.loads.append(str(values["src"]))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` builds it."""
    out = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [
            *(sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet"),
            *("-b", "html", "--doctree-dir", out / "doctrees", DOCS, out / "html"),
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    return out / "html"


@pytest.mark.slow
def test_the_site_builds_without_warnings_and_every_link_leads_somewhere(site: Path) -> None:
    pages = {}
    for path in site.rglob("*.html"):
        pages[path] = _Links()
        pages[path].feed(path.read_text("utf-8"))
    assert len(pages) > 25
    for path, links in pages.items():
        for address in links.leads_to:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), f"{path.name}: {address}"
            if parts.fragment and target.suffix == ".html":
                anchor = unquote(parts.fragment)
                assert anchor in pages[target].anchors, f"{path.name}: {address}"


@pytest.mark.slow
def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    for path in site.rglob("*.html"):
        links = _Links()
        links.feed(path.read_text("utf-8"))
        for address in links.loads:
            parts = urlsplit(address)
            assert not parts.netloc, f"{path.name}: {address}"
            assert parts.scheme in ("", "data"), f"{path.name}: {address}"
    for path in site.rglob("*.css"):
        found = re.findall(r"(?:url\(|@import)\s*['\"]?((?:https?:)?//[^'\")]+)", path.read_text())
        assert found == [], path.name


@pytest.mark.slow
def test_every_public_name_is_in_the_reference(site: Path) -> None:
    import mosaic_planner
    from mosaic_planner.core.world import World

    anchors = set()
    for path in (site / "reference").glob("*.html"):
        links = _Links()
        links.feed(path.read_text("utf-8"))
        anchors |= links.anchors
    for name in mosaic_planner.__all__:
        value = getattr(mosaic_planner, name)
        home = getattr(value, "__module__", "")
        if callable(value) and home.startswith("mosaic_planner"):
            assert f"{home}.{value.__qualname__}" in anchors, name
    assert f"{World.__module__}.World.step" in anchors
