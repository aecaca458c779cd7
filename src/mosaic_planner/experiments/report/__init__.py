"""The report: one HTML page that needs no network and no server."""

from mosaic_planner.experiments.report.page import report_page

__all__ = ["report_page"]
