"""Tables as LaTeX in the paper's layout: booktabs, changes coloured, best bold."""

from __future__ import annotations

import re

from mosaic_planner.experiments.tables.columns import Column
from mosaic_planner.experiments.tables.model import Entry, Table
from mosaic_planner.experiments.tables.plain import change_text, sub_lines

__all__ = ["escape", "latex", "latex_document"]

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "×": r"$\times$",
    "−": r"$-$",
    "\N{NO-BREAK SPACE}": "~",
}


def escape(text: str) -> str:
    """Any text as LaTeX; characters that plain LaTeX has no glyph for become question marks."""
    out = []
    for character in text:
        if character in _SPECIAL:
            out.append(_SPECIAL[character])
        elif ord(character) < 128 or character.isalpha():
            out.append(character if ord(character) < 256 else "?")
        else:
            out.append("?")
    return "".join(out)


def _figure(text: str) -> str:
    """A figure with its sign set as a minus."""
    return re.sub(r"(?<![\w.])-(?=\d)", "$-$", escape(text))


def _unnumbered(title: str) -> str:
    """The title without a number in front, since LaTeX counts tables itself."""
    return re.sub(r"^((?:Table|Figure) \d+): (.*)$", r"\2 (\1 of the paper)", title)


def _cell(column: Column, entry: Entry) -> str:
    shown = _figure(column.format(entry.value)) if entry.value is not None else "--"
    if entry.best:
        shown = rf"\textbf{{{shown}}}"
    change = change_text(column, entry.change)
    if not change:
        return shown
    good = (entry.change or 0) * column.better
    colour = "mosaicgood" if good > 0 else "mosaicbad" if good < 0 else "black"
    star = "*" if entry.change_clear else ""
    return rf"{shown}$_{{\textcolor{{{colour}}}{{\text{{({_figure(change)}{star})}}}}}}$"


def latex(table: Table) -> str:
    r"""A `table*` environment.

    The preamble needs booktabs, graphicx, amsmath and xcolor, and the two colours that
    `latex_document` defines (`mosaicgood`, `mosaicbad`).
    """
    heads = ["Method", *(table.heading(i) for i in range(len(table.columns)))]
    out = [
        r"\begin{table*}[t]",
        r"\centering",
        rf"\caption{{{escape(_unnumbered(table.title))}. {escape(' '.join(table.notes))}}}",
        r"\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}",
        r"\toprule",
        " & ".join(escape(head) for head in heads) + r" \\",
    ]
    group = None
    for line in table.lines:
        if line.group != group or group is None:
            out.append(r"\midrule")
            if line.group:
                span = len(heads)
                out.append(rf"\multicolumn{{{span}}}{{l}}{{\textit{{{escape(line.group)}}}}} \\")
            group = line.group
        cells = [_cell(c, e) for c, e in zip(table.columns, line.entries, strict=True)]
        label = escape(line.label)
        if line.base:
            label = r"\quad " + label
        out.append(" & ".join([label, *cells]) + r" \\")
        for name, extra in sub_lines(line, table.columns):
            small = [rf"{{\scriptsize\color{{gray}} {_figure(c)}}}" if c else "" for c in extra]
            name_cell = rf"{{\scriptsize\color{{gray}} \quad\quad {escape(name)}}}"
            out.append(" & ".join([name_cell, *small]) + r" \\")
    out += [r"\bottomrule", r"\end{tabular}}", r"\end{table*}"]
    return "\n".join(out) + "\n"


def latex_document(tables: list[Table]) -> str:
    """A complete document with these tables, to look at or to compile as a check."""
    return "\n".join(
        [
            r"\documentclass{article}",
            r"\usepackage[margin=1.5cm,a4paper]{geometry}",
            r"\usepackage[utf8]{inputenc}",
            r"\usepackage{amsmath,booktabs,graphicx,xcolor}",
            r"\definecolor{mosaicgood}{RGB}{0,120,60}",
            r"\definecolor{mosaicbad}{RGB}{190,30,45}",
            r"\begin{document}",
            *(latex(table) for table in tables),
            r"\end{document}",
            "",
        ]
    )
