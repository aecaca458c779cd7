"""Tables for the terminal, from values that a trace gives."""

from __future__ import annotations

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from mosaic_planner.config import RunConfig
from mosaic_planner.metrics import Metrics
from mosaic_planner.models.secrets import hide_in_value

__all__ = ["STAND_IN_NOTE", "metrics_table", "settings_table"]

STAND_IN_NOTE = (
    "These figures are of a rule-based stand-in, not of an LLM; its runtime is simulated."
)

# (label, unit or arrow, attribute, format); the paper's nine first
_ROWS: tuple[tuple[str, str, str, str], ...] = (
    ("success", "↑", "success", ""),
    ("transport rate", "↑", "transport_rate", ".2f"),
    ("coverage", "↑", "coverage", ".2f"),
    ("balance", "↑", "balance", ".2f"),
    ("failure rate", "↓", "failure_rate", ".2f"),
    ("agent steps", "↓", "agent_steps", "d"),
    ("runtime, s", "↓", "runtime_s", ".1f"),
    ("model calls", "↓", "llm_calls", "d"),
    ("prompt tokens", "↓", "prompt_tokens", "d"),
    ("planning steps", "↓", "planning_steps", "d"),
    ("actions", "", "actions", "d"),
    ("idle actions", "", "idle_actions", "d"),
    ("coverage by mention (reference)", "", "coverage_mentions", ".2f"),
    ("balance (reference)", "", "balance_reference", ".2f"),
    ("false 'done'", "", "false_done", "d"),
    ("episode ended by", "", "end", ""),
)


def _cell(metrics: Metrics, attribute: str, form: str) -> str:
    value = getattr(metrics, attribute)
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "[bold green]yes[/]" if value else "[bold red]no[/]"
    return format(value, form) if form else escape(str(value) or "(torn trace)")


def metrics_table(metrics: Sequence[Metrics], titles: Sequence[str]) -> Table:
    """One column per episode, `titles` above them."""
    table = Table(title="Metrics (↑ higher is better, ↓ lower)", title_justify="left")
    table.add_column("metric")
    for title in titles:
        table.add_column(escape(title), justify="right")
    for label, arrow, attribute, form in _ROWS:
        cells = [_cell(m, attribute, form) for m in metrics]
        table.add_row(f"{label} {arrow}".rstrip(), *cells)
    return table


def settings_table(config: RunConfig) -> Table:
    """The effective settings; those that differ from the defaults are bold."""
    table = Table(title="Settings", title_justify="left", show_header=False)
    table.add_column("setting", overflow="fold")
    table.add_column("value", overflow="fold")
    for name, field in RunConfig.model_fields.items():
        value = getattr(config, name)
        if value in ({}, None) or (name == "limits" and not value.model_dump(exclude_none=True)):
            continue
        default = field.get_default(call_default_factory=True)
        text = escape(str(hide_in_value(value) if name.startswith("model") else value))
        table.add_row(name, f"[bold]{text}[/]" if value != default else text)
    return table
