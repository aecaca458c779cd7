"""The report: one HTML page that needs no network and no server."""

from mosaic_planner.experiments.report.notable import Notable, notable_episodes
from mosaic_planner.experiments.report.page import replay_path, report_page, write_report

__all__ = ["Notable", "notable_episodes", "replay_path", "report_page", "write_report"]
