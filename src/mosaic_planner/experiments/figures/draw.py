"""Charts as PNG and SVG by matplotlib, without its global state."""

from __future__ import annotations

import io
import itertools
import math
import textwrap
from pathlib import Path
from typing import Any

from mosaic_planner.core.errors import MissingExtraError
from mosaic_planner.experiments.figures.chart import Chart, Panel, Series
from mosaic_planner.experiments.files import write_atomically

__all__ = ["PALETTE", "save_chart"]

PALETTE = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#6F4E9B",
    "#7F7F7F",
    "#8C510A",
    "#222222",
)
"""Okabe and Ito's colours, which colour-blind readers can tell apart, and a few more."""

_MARKERS = "osD^vP*Xh<"
_DASHES = ("-", "--", "-.")  # when the colours are used up
_DENSE = 12  # points from which a curve has no markers
_PAPER = "the paper's (×), in the same colour"


def _positions(panel: Panel) -> dict[float | str, float]:
    """Labels get whole numbers in order of appearance; numbers stay."""
    found: dict[float | str, float] = {}
    for series in panel.series:
        for x in series.x:
            if x not in found:
                found[x] = float(x) if isinstance(x, int | float) else float(len(found))
    return found


def _places(panel: Panel, at: dict[float | str, float]) -> list[tuple[float, float]]:
    """Shift to the side and width of each line, so that equal curves do not hide one another.

    Few points: side by side, with their intervals. Many: each later line is thinner.
    """
    own = [series for series in panel.series if not series.paper]
    count = max(1, len(own) - 1)
    order = {series.colour: i / count for i, series in enumerate(own)}
    if max((len(series.x) for series in own), default=0) > _DENSE:
        return [(0.0, 3.2 - 1.8 * order.get(series.colour, 0.0)) for series in panel.series]
    spots = sorted(at.values())
    gap = min((b - a for a, b in itertools.pairwise(spots)), default=0.0)
    spread = 0.18 * gap if len(own) > 1 else 0.0
    return [(spread * (order.get(series.colour, 0.5) - 0.5), 1.6) for series in panel.series]


def _line(
    axes: Any, series: Series, at: dict[float | str, float], shift: float, width: float
) -> None:
    points = [(at[x] + shift, y) for x, y in zip(series.x, series.y, strict=True) if y is not None]
    if not points:
        return
    colour = PALETTE[series.colour % len(PALETTE)]
    dense = len(points) > _DENSE
    if series.paper:
        axes.plot(
            *zip(*points, strict=True),
            linestyle=":",
            marker="x",
            color=colour,
            label=_PAPER,
            markersize=6,
            linewidth=1.2,
        )
        return
    axes.plot(
        *zip(*points, strict=True),
        color=colour,
        marker="" if dense else _MARKERS[series.colour % len(_MARKERS)],
        label=series.label,
        linestyle=_DASHES[series.colour // len(PALETTE) % len(_DASHES)],
        linewidth=width,
        markersize=5,
    )
    band = [
        (at[x] + shift, low, high)
        for x, low, high in zip(series.x, series.low, series.high, strict=False)
        if low is not None and high is not None
    ]
    if band and dense:
        xs, lows, highs = zip(*band, strict=True)
        axes.fill_between(xs, lows, highs, color=colour, alpha=0.12, linewidth=0)
    for x, low, high in [] if dense else band:
        axes.plot([x, x], [low, high], color=colour, linewidth=1, alpha=0.55)


def _bars(axes: Any, panel: Panel, at: dict[float | str, float]) -> None:
    ours = [series for series in panel.series if not series.paper]
    width = 0.8 / max(1, len(ours))
    offsets = {s.label: (i - (len(ours) - 1) / 2) * width for i, s in enumerate(ours)}
    for series in panel.series:
        colour = PALETTE[series.colour % len(PALETTE)]
        shift = offsets.get(series.label.removesuffix(" (paper)"), 0.0)
        for i, (x, y) in enumerate(zip(series.x, series.y, strict=True)):
            if y is None:
                continue
            label = series.label if i == 0 else None
            if series.paper:
                axes.plot(
                    [at[x] + shift],
                    [y],
                    marker="X",
                    color=colour,
                    markeredgecolor="black",
                    markersize=7,
                    label=_PAPER,
                    linestyle="",
                )
                continue
            axes.bar(at[x] + shift, y, width * 0.92, color=colour, label=label)
            low = series.low[i] if series.low else None
            high = series.high[i] if series.high else None
            if low is not None and high is not None:
                axes.plot([at[x] + shift] * 2, [low, high], color="black", linewidth=0.9)


def _tick(x: float | str, width: int) -> str:
    """A label in short lines; names of models break after their provider and at hyphens."""
    text = str(x)
    if len(text) <= width:
        return text or "-"
    lines: list[str] = []
    for word in text.replace(":", ": ").split():
        while len(word) > width and "-" in word[1:width]:
            cut = word.rindex("-", 0, width) + 1
            lines.append(word[:cut])
            word = word[cut:]
        joined = f"{lines[-1]} {word}" if lines else ""
        if joined and len(joined) <= width and not lines[-1].endswith((":", "-")):
            lines[-1] = joined
        else:
            lines.append(word)
    return "\n".join(lines)


def _axis(axes: Any, panel: Panel, at: dict[float | str, float]) -> None:
    axes.set_title("\n".join(textwrap.wrap(panel.title, 44)), fontsize=10)
    axes.set_xlabel(panel.x_title)
    axes.set_ylabel(panel.y_title)
    axes.grid(axis="y", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    labelled = any(isinstance(x, str) for x in at)
    if labelled or len(at) <= 10:
        crowded = labelled and len(at) > 4
        longest = max((len(str(x)) for x in at), default=0)
        axes.set_xticks(
            list(at.values()),
            [_tick(x, 11 if crowded else 16) for x in at],
            fontsize=7 if crowded else 8 if longest > 8 else 9,
        )
    if panel.y_limits is not None:
        low, high = panel.y_limits
        pad = 0.03 * (high - low)
        axes.set_ylim(low - (pad if panel.kind == "line" else 0.0), high + pad)
    else:
        values = [y for series in panel.series for y in series.y if y is not None]
        low, high = axes.get_ylim()  # a very long interval must not flatten the curves
        axes.set_ylim(min(0.0, low), min(high, 1.7 * max(values, default=1.0) or 1.0))


def _grey(handle: Any) -> Any:
    """The legend's entry for all of the paper's figures."""
    from matplotlib.lines import Line2D

    return Line2D(
        [], [], color="#555555", marker="x", linestyle=handle.get_linestyle(), markersize=6
    )


def save_chart(chart: Chart, folder: Path) -> tuple[Path, Path]:
    """Write `NAME.png` (150 dots per inch) and `NAME.svg`; equal charts give equal files.

    Raises `MissingExtraError` without matplotlib.
    """
    try:
        import matplotlib
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("figures", "drawing figures") from None
    count = max(1, len(chart.panels))
    columns = min(3, count)
    rows = math.ceil(count / columns)
    names: dict[str, Any] = {}
    notes = "\n".join(line for note in chart.notes for line in textwrap.wrap(note, 46 * columns))
    with matplotlib.rc_context({"svg.hashsalt": "mosaic", "font.size": 9, "svg.fonttype": "path"}):
        figure = Figure(figsize=(4.2 * columns, 3.3 * rows + 1.3), layout="constrained")
        FigureCanvasAgg(figure)
        grid = figure.subplots(rows, columns, squeeze=False)
        for index, axes in enumerate(grid.flat):
            if index >= len(chart.panels):
                axes.set_visible(False)
                continue
            panel = chart.panels[index]
            at = _positions(panel)
            if panel.kind == "bar":
                _bars(axes, panel, at)
            else:
                places = _places(panel, at)
                for series, (shift, width) in zip(panel.series, places, strict=True):
                    _line(axes, series, at, shift, width)
            _axis(axes, panel, at)
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
                names.setdefault(label, handle)
        if _PAPER in names:
            names[_PAPER] = _grey(names.pop(_PAPER))  # last
        if names:  # with the title as its own, so that neither covers the other
            figure.legend(
                list(names.values()),
                list(names),
                loc="outside upper center",
                ncols=min(len(names), 2 if columns == 1 else 2 * columns),
                fontsize=8,
                frameon=False,
                title=chart.title,
                title_fontproperties={"size": 12, "weight": "bold"},
            )
        else:
            figure.suptitle(chart.title, fontsize=12, fontweight="bold")
        figure.supxlabel(notes, x=0.01, ha="left", fontsize=7)
        png, svg = folder / f"{chart.name}.png", folder / f"{chart.name}.svg"
        for path, kind in ((png, "png"), (svg, "svg")):
            data = io.BytesIO()
            metadata = {"Date": None} if kind == "svg" else {"Software": None}
            figure.savefig(data, format=kind, dpi=150, metadata=metadata)
            write_atomically(path, data.getvalue())
    return png, svg
