"""Figures: charts as values, drawn by matplotlib (PNG, SVG) and by the report's own script."""

from mosaic_planner.experiments.figures.chart import Chart, Panel, Series, chart_csv
from mosaic_planner.experiments.figures.draw import save_chart

__all__ = ["Chart", "Panel", "Series", "chart_csv", "save_chart"]
