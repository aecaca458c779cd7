"""Tables in the paper's layout: built once as values, written as text, CSV, Markdown and LaTeX."""

from mosaic_planner.experiments.tables.build import method_table, pivot_table, spread_table
from mosaic_planner.experiments.tables.columns import COLUMNS, PAPER_COLUMNS, Column
from mosaic_planner.experiments.tables.latex import latex
from mosaic_planner.experiments.tables.model import Entry, Line, Table
from mosaic_planner.experiments.tables.plain import markdown, table_csv, text

__all__ = [
    "COLUMNS",
    "PAPER_COLUMNS",
    "Column",
    "Entry",
    "Line",
    "Table",
    "latex",
    "markdown",
    "method_table",
    "pivot_table",
    "spread_table",
    "table_csv",
    "text",
]
