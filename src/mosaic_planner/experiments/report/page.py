"""The page of a sweep: tables, plots to explore, how to repeat it, links to single episodes.

Everything is inside the file; nothing is fetched. Texts are escaped, so that a hostile name in a
suite or an answer shows as text.
"""

from __future__ import annotations

import html
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

from mosaic_planner.experiments.figures import Chart
from mosaic_planner.experiments.figures.draw import PALETTE
from mosaic_planner.experiments.outputs import Outputs, Results, standin_label
from mosaic_planner.experiments.report.notable import notable_episodes
from mosaic_planner.experiments.store import Store
from mosaic_planner.experiments.tables import Table
from mosaic_planner.experiments.tables.plain import change_text, sub_lines

__all__ = ["replay_path", "report_page", "write_report"]

Figures = Mapping[str, Any]


def _escape(value: object) -> str:
    return html.escape(str(value), quote=True)


def _asset(name: str) -> str:
    return (files("mosaic_planner.experiments.report") / name).read_text("utf-8")


def _data(value: object) -> str:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _table(table: Table) -> str:
    heads = "".join(
        f'<th scope="col">{_escape(table.heading(i))}</th>' for i in range(len(table.columns))
    )
    width = len(table.columns) + 2
    out = [
        f'<section class="block"><h3>{_escape(table.title)}</h3>'
        f'<div class="wide" tabindex="0" role="region" aria-label="{_escape(table.title)}"><table>'
        f'<thead><tr><th scope="col">Method</th><th scope="col">n</th>{heads}</tr></thead><tbody>'
    ]
    group = ""
    for line in table.lines:
        if line.group != group:
            group = line.group
            out.append(
                f'<tr class="group"><th scope="rowgroup" colspan="{width}">'
                f"{_escape(group)}</th></tr>"
            )
        cells = []
        for column, entry in zip(table.columns, line.entries, strict=True):
            shown = _escape(column.format(entry.value))
            shown = f"<b>{shown}</b>" if entry.best else shown
            change = change_text(column, entry.change)
            if change:
                good = (entry.change or 0) * column.better
                kind = "good" if good > 0 else "bad" if good < 0 else "even"
                star = "*" if entry.change_clear else ""
                shown += f' <span class="{kind}">{_escape(change)}{star}</span>'
            cells.append(f"<td>{shown}</td>")
        count = f"{line.episodes}" + (f" (+{line.waiting})" if line.waiting else "")
        mark = ' class="ours"' if line.ours else ""
        out.append(
            f'<tr{mark}><th scope="row">{_escape(line.label)}</th><td>{count}</td>'
            f"{''.join(cells)}</tr>"
        )
        for name, extra in sub_lines(line, table.columns):
            rest = "".join(f"<td>{_escape(cell)}</td>" for cell in extra)
            out.append(f'<tr class="sub"><th scope="row">{_escape(name)}</th><td></td>{rest}</tr>')
    notes = "".join(f"<p>{_escape(note)}</p>" for note in table.notes)
    out.append(f'</tbody></table></div><div class="notes">{notes}</div></section>')
    return "".join(out)


def _chart(chart: Chart) -> dict[str, Any]:
    return {
        "name": chart.name,
        "title": chart.title,
        "notes": [note for note in chart.notes if note],
        "panels": [
            {
                "title": panel.title,
                "x": panel.x_title,
                "y": panel.y_title,
                "kind": panel.kind,
                "limits": panel.y_limits,
                "series": [
                    {
                        "label": series.label,
                        "x": series.x,
                        "y": _rounded(series.y),
                        "low": _rounded(series.low),
                        "high": _rounded(series.high),
                        "paper": series.paper,
                        "colour": PALETTE[series.colour % len(PALETTE)],
                        "dash": series.colour >= len(PALETTE),
                    }
                    for series in panel.series
                ],
            }
            for panel in chart.panels
        ],
    }


def _rounded(values: Sequence[float | None]) -> list[float | None]:
    return [None if value is None else round(value, 5) for value in values]


@dataclass(frozen=True, slots=True)
class _Links:
    """Addresses of an episode's files as seen from the page, ready to be put into HTML."""

    results: Results
    folder: Path

    def trace(self, key: str) -> str:
        return self._address(Store(self.results.folder).trace(key))

    def replay(self, key: str) -> str:
        """ "" where the episode has no replay page."""
        page = replay_path(self.results.folder, key)
        return self._address(page) if page.exists() else ""

    def _address(self, path: Path) -> str:
        away = os.path.relpath(path.resolve(), self.folder.resolve())
        return quote(Path(away).as_posix(), safe="/+")


def replay_path(folder: Path, key: str) -> Path:
    """Where the replay page of a sweep's episode lies, if somebody has written it."""
    return folder / "replays" / f"{key}.html"


def _task(line: Figures) -> str:
    return f"{line['task']} {line['variant']}".strip()


def _point(results: Results, line: Figures) -> str:
    return ", ".join(f"{name} {line[name]}" for name in results.suite.vary)


def _episodes(results: Results, links: _Links) -> list[list[Any]]:
    """One row per finished placement: what the list shows, and where the episode can be seen."""
    return [
        [
            line["row"],
            _point(results, line),
            line["world"],
            _task(line),
            line["seed"],
            bool(line["success"]),
            round(line["transport_rate"], 3),
            round(line["failure_rate"], 3),
            line["planning_steps"],
            round(line["runtime_s"], 1),
            line["llm_calls"],
            line["end"],
            links.trace(line["key"]),
            links.replay(line["key"]),
        ]
        for line in results.lines
    ]


_NOTABLE_HEADS = (
    "Row",
    "World",
    "Why",
    "At",
    "Task",
    "Seed",
    "Success",
    "Transport",
    "Runtime, s",
    "Episode",
)


def _notable(results: Results, links: _Links) -> str:
    """The episodes to look at first, as a table with links."""
    rows = []
    for item in notable_episodes(results.lines):
        line, page = item.line, links.replay(item.key)
        shown = (
            line["row"],
            line["world"],
            item.why,
            _point(results, line),
            _task(line),
            line["seed"],
            "yes" if line["success"] else "no",
            f"{line['transport_rate']:.2f}",
            f"{line['runtime_s']:.0f}",
        )
        cells = "".join(f"<td>{_escape(value)}</td>" for value in shown)
        where = f'<a href="{_escape(page)}">replay</a> ' if page else ""
        where += f'<a href="{_escape(links.trace(item.key))}">trace</a>'
        rows.append(f"<tr>{cells}<td>{where}</td></tr>")
    heads = "".join(f'<th scope="col">{name}</th>' for name in _NOTABLE_HEADS)
    return (
        '<div class="wide" tabindex="0" role="region" aria-label="Episodes to look at first">'
        f'<table class="notable"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
    )


def _facts(results: Results) -> str:
    manifest, suite = results.manifest, results.suite
    keys = {place.key for place in manifest.placements}
    done = {line["key"] for line in results.lines}
    facts = [
        ("Suite", f"{suite.name}: {suite.title}"),
        ("Episodes", f"{len(done)} of {len(keys)} finished"),
        ("Versions", ", ".join(f"{n} {v}" for n, v in manifest.versions.items())),
    ]
    if manifest.accepted:
        facts.append(("MIXED VERSIONS", f"{len(manifest.accepted)} other sets of versions"))
    if manifest.missing_worlds:
        facts.append(("Worlds not installed", ", ".join(manifest.missing_worlds)))
    failures = Store(results.folder).failures()
    if failures:
        facts.append(("Crashed", f"{len(failures)} episodes, see the folder failures/"))
    rows = "".join(
        f'<tr><th scope="row">{_escape(name)}</th><td>{_escape(value)}</td></tr>'
        for name, value in facts
    )
    return f'<table class="facts">{rows}</table>'


def _repeat(results: Results, commands: Sequence[str]) -> str:
    settings = results.suite.model_dump(mode="json", exclude_defaults=True)
    shown = _escape(json.dumps(settings, indent=1, ensure_ascii=False))
    lines = _escape("\n".join(commands))
    return (
        f"<pre>{lines}</pre><details><summary>Every setting of the suite</summary>"
        f"<pre>{shown}</pre></details>"
    )


def report_page(
    results: Results,
    outputs: Outputs,
    commands: Sequence[str] = (),
    *,
    folder: Path | None = None,
) -> str:
    """The page as one string. `commands`: how to repeat the sweep. `folder`: where the page will
    lie; None is the sweep's own folder. It links to traces and, where `replay_path` exists, to
    replays, by relative paths.
    """
    links = _Links(results, results.folder if folder is None else folder)
    label = standin_label(results.suite)
    banner = f'<p class="standin" role="note">{_escape(label)}</p>' if label else ""
    values = {
        "title": _escape(results.suite.title or results.suite.name),
        "banner": banner,
        "facts": _facts(results),
        "tables": "".join(_table(table) for table in outputs.tables),
        "repeat": _repeat(results, commands),
        "css": _asset("report.css"),
        "js": _asset("report.js"),
        "charts": _data([_chart(chart) for chart in outputs.charts]),
        "notable": _notable(results, links),
        "episodes": _data(_episodes(results, links)),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], _asset("report.html"))


def write_report(page: str, path: Path) -> None:
    """Write the page, all or nothing."""
    from mosaic_planner.experiments.files import write_atomically

    write_atomically(path, page.encode())
