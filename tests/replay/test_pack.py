"""Packing: the same bytes every time, chunks of bounded size, deltas that give the whole back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mosaic_planner.replay.pack import Chunks, changes, packed

VALUES = st.dictionaries(st.text(max_size=3), st.integers(0, 3), max_size=6)


@given(VALUES, VALUES)
def test_changes_applied_to_the_old_give_the_new(old: dict[str, int], new: dict[str, int]) -> None:
    change = changes(old, new)
    merged = {**old, **change}
    assert {k: v for k, v in merged.items() if v is not None} == new
    assert all(key not in old or old[key] != value for key, value in change.items())


def test_packed_data_is_plain_letters_and_repeatable(unpack: Callable[[str], Any]) -> None:
    value = {"name": "</script><script>alert(1)</script>", "list": [1, 2.5, None, True]}
    data = packed(value)
    assert data == packed(value)
    assert set(data) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=")
    assert unpack(data) == value


def test_half_a_character_does_not_stop_the_page(unpack: Callable[[str], Any]) -> None:
    assert unpack(packed({"text": "broken \ud83d pair"})) == {"text": "broken ? pair"}


def test_chunks_hold_every_moment_once_and_close_when_full(unpack: Callable[[str], Any]) -> None:
    chunks = Chunks(largest=500)
    opened = []
    for i in range(40):
        opened.append(chunks.begin())
        chunks.put({"i": i, "text": chunks.text(f"line {i % 3}"), "long": "x" * 60})
    done = chunks.finish()
    assert len(done) > 3
    assert [c.first for c in done] == [i for i, fresh in enumerate(opened) if fresh]
    found = []
    for chunk in done:
        value = unpack(chunk.data)
        assert len(value["texts"]) == len(set(value["texts"])) <= 3
        found += [(s["i"], value["texts"][s["text"]]) for s in value["steps"]]
    assert found == [(i, f"line {i % 3}") for i in range(40)]
