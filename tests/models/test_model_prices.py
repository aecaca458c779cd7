"""The dated price table."""

from __future__ import annotations

from datetime import date

import pytest

from mosaic_planner.models.accounts import Account
from mosaic_planner.models.prices import price_of, price_rows, price_table_date
from mosaic_planner.models.protocol import ChatReply, Usage


def test_the_table_is_dated_and_every_price_is_sane() -> None:
    assert date.fromisoformat(price_table_date()) > date(2025, 1, 1)
    for name, price in price_rows():
        assert 0 < price.cached <= price.input < price.output, name


def test_cached_tokens_are_cheaper() -> None:
    price = price_of("openai:gpt-4o")
    assert price is not None
    assert price.of(Usage(1_000_000, 0, 0)) == pytest.approx(2.5)
    assert price.of(Usage(1_000_000, 400_000, 1_000_000)) == pytest.approx(1.5 + 0.5 + 10.0)


def test_dated_versions_have_their_base_price() -> None:
    assert price_of("openai:gpt-4o-2024-11-20") == price_of("openai:gpt-4o")
    assert price_of("anthropic:claude-sonnet-4-5-20250929") == price_of(
        "anthropic:claude-sonnet-4-5"
    )
    assert price_of("google:gemini-3-flash") == price_of("google:gemini-3-flash-preview")
    assert price_of("openai:gpt-4o-mini") != price_of("openai:gpt-4o")


@pytest.mark.parametrize("name", ["openai:gpt-99", "http://localhost:8080/v1#m", "own:thing"])
def test_unknown_models_are_unpriced(name: str) -> None:
    assert price_of(name) is None


@pytest.mark.parametrize("name", ["standin:careful", "local:model.gguf"])
def test_models_on_this_machine_cost_nothing(name: str) -> None:
    price = price_of(name)
    assert price is not None
    assert price.of(Usage(1000, 0, 1000)) == 0.0


def test_one_unpriced_call_makes_a_sum_unpriced() -> None:
    first, second = Account(), Account()
    first.book(ChatReply("x"), 0.5, 10, 5)
    second.book(ChatReply("x"), None, 10, 5)
    assert first.cost == 0.5
    assert (first + second).cost == "unpriced"
    assert (first + second).row()["calls"] == 2
