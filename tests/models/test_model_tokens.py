"""The offline counter."""

from __future__ import annotations

import pytest

from mosaic_planner.models.tokens import COUNTER, count_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    # counted with the cl100k_base vocabulary
    [
        ("The team must find LostPersonTimmy and carry the person to the deposit.", 16),
        ('{"reason": "Alice is near the fire", "Alice\'s action": "NavigateTo(ReservoirTaj)"}', 25),
        ("Alice: position (14, 8, 0), inventory Sand 2, Water 0, Person 0\n" * 20, 500),
        ("go " * 1000, 1001),
    ],
)
def test_counts_are_close_to_a_real_vocabulary(text: str, tokens: int) -> None:
    assert count_tokens(text) == pytest.approx(tokens, rel=0.25)


def test_nothing_is_nothing_and_anything_is_something() -> None:
    assert count_tokens("") == 0
    assert count_tokens("a") == 1
    for text in ("\n" * 50, "!" * 50, "7" * 50, "A" * 50, "\U0001f525" * 50, "\ud800"):
        assert count_tokens(text) >= 1


def test_counts_grow_with_the_text() -> None:
    counts = [count_tokens("Alice sees RedFire_Region_1 ahead. " * n) for n in range(1, 40)]
    assert counts == sorted(counts)


def test_a_prompt_is_its_parts_and_the_name_is_fixed() -> None:
    assert COUNTER.name == "approx-bytes-v1"
    assert COUNTER.prompt("abc def", "ghi") == count_tokens("abc def") + count_tokens("ghi") + 8
