"""What a call costs, from a dated table; an unknown model is unpriced, never free."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from mosaic_planner.models.protocol import Usage

__all__ = ["Price", "price_of", "price_rows", "price_table_date"]


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens."""

    input: float
    cached: float
    output: float

    def of(self, usage: Usage) -> float:
        """USD of one usage (cached tokens are part of the input tokens)."""
        fresh = usage.input_tokens - usage.cached_tokens
        return (
            fresh * self.input
            + usage.cached_tokens * self.cached
            + usage.output_tokens * self.output
        ) / 1e6


@lru_cache(maxsize=1)
def _table() -> tuple[str, dict[str, Price]]:
    raw = json.loads((files(__package__) / "prices.json").read_text("utf-8"))
    prices = {
        name: Price(row["input"], row.get("cached", row["input"]), row["output"])
        for name, row in raw["usd_per_million_tokens"].items()
    }
    return raw["date"], prices


def price_table_date() -> str:
    """The day (ISO) the table was made."""
    return _table()[0]


def price_rows() -> tuple[tuple[str, Price], ...]:
    """Every priced model, by name."""
    return tuple(sorted(_table()[1].items()))


def price_of(model: str, *, simulated: bool = False) -> Price | None:
    """The price of a model string such as `openai:gpt-4o`, or None if it is unpriced.

    A dated version (`openai:gpt-4o-2024-11-20`) has the price of its base name if the table does
    not list it, and `google:gemini-3-flash` that of its preview. Simulated models and local files
    cost nothing.
    """
    if simulated or model.startswith(("standin:", "local:", "scripted")):
        return Price(0.0, 0.0, 0.0)
    prices = _table()[1]
    for name in (model, f"{model}-preview"):
        if name in prices:
            return prices[name]
    base = model
    while "-" in base:
        base, _, ending = base.rpartition("-")
        if not ending.isdigit():
            return None
        if base in prices:
            return prices[base]
    return None
