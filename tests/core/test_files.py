"""Reading and writing at the border: one line for what cannot be, byte order marks, surrogates."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mosaic_planner.core.errors import ConfigError, SceneError, UsageError
from mosaic_planner.core.files import (
    field_name,
    json_bytes,
    read_json,
    read_text,
    read_toml,
    write_file,
)


def test_a_byte_order_mark_is_not_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "marked"
    path.write_bytes(b"\xef\xbb\xbf{}")
    assert read_text(path) == "{}"
    assert read_json(path) == {}
    path.write_bytes(b"\xef\xbb\xbfa = 1")
    assert read_toml(path) == {"a": 1}


@pytest.mark.parametrize(
    ("read", "data", "words"),
    [
        (read_json, b"{", "scene file .* is not JSON: "),
        (read_json, b"[" * 200_000, "scene file .* is nested too deeply"),
        (read_json, b"1" * 10_000, "scene file .* is not JSON: "),
        (read_json, b"\xff\xfe", "scene file .* is not UTF-8 text"),
        (read_toml, b"a = = 1", "scene file .* is not valid TOML: "),
        (read_toml, b"a = " + b"[" * 200_000, "scene file .* (is nested|is not valid TOML)"),
        (read_text, None, "cannot read scene file .*: No such file or directory"),
    ],
)
def test_what_cannot_be_read_is_one_line_of_the_asked_class(
    tmp_path: Path, read: Callable[..., Any], data: bytes | None, words: str
) -> None:
    path = tmp_path / "file"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(SceneError, match=f"^{words}") as caught:
        read(path, "scene file", SceneError)
    assert "\n" not in str(caught.value)


def test_names_no_system_takes_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^cannot read file 'a\\x00b': embedded null"):
        read_text("a\0b", fault=ConfigError)
    with pytest.raises(UsageError, match=r"^cannot write file 'a\\x00b': embedded null"):
        write_file("a\0b", b"")
    with pytest.raises(UsageError, match=r"^cannot write .*: Is a directory$"):
        write_file(tmp_path, b"")


@pytest.mark.parametrize("text", ["plain", "ü \u2028 😀", "\ud800", "ü\udfff\ud800x"])
def test_any_text_goes_through_json_and_back(text: str) -> None:
    data = json_bytes({"b": text, "a": [text, 1.5, None]}, sort_keys=True)
    assert json.loads(data.decode("utf-8")) == {"a": [text, 1.5, None], "b": text}
    assert data.startswith(b'{"a":[')


def test_what_utf_8_holds_is_not_escaped() -> None:
    assert json_bytes("ü😀") == '"ü😀"'.encode()
    assert json_bytes("ü\ud800") == b'"\\u00fc\\ud800"'


def test_no_file_holds_what_is_not_json() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_bytes(float("nan"))


def test_a_field_is_named_as_one_would_write_it() -> None:
    assert field_name(("agents", 2, "at", 0)) == "agents[2].at[0]"
    assert field_name(()) == ""
