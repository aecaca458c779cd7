"""Text files at the border: what cannot be read or written is one clear line of an error class.

A byte order mark, which some editors put in front, is not part of the text.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from mosaic_planner.core.errors import MosaicError, UsageError

__all__ = [
    "field_name",
    "json_bytes",
    "read_json",
    "read_text",
    "read_toml",
    "reason",
    "write_file",
]


T = TypeVar("T")


def reason(error: OSError) -> str:
    """What the system says, without numbers and names."""
    return error.strerror or str(error)


def _named(path: str | Path, what: str) -> str:
    return f"{what} {path}".lstrip()


def read_text(path: str | Path, what: str = "", fault: type[MosaicError] = UsageError) -> str:
    """The text of a UTF-8 file; `what` it should be stands before the path in messages.

    Raises `fault` with one line.
    """
    named = _named(path, what)
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise fault(f"cannot read {named}: {reason(error)}") from None
    except UnicodeDecodeError:
        raise fault(f"{named} is not UTF-8 text") from None
    except ValueError as error:  # a NUL in the name
        raise fault(f"cannot read {what or 'file'} {str(path)!r}: {error}") from None


def read_json(path: str | Path, what: str = "", fault: type[MosaicError] = UsageError) -> Any:
    """The value of a JSON file, unchecked. Raises `fault` with one line."""
    return _parsed(path, what, fault, json.loads, "JSON")


def read_toml(
    path: str | Path, what: str = "", fault: type[MosaicError] = UsageError
) -> dict[str, Any]:
    """The table of a TOML file, unchecked. Raises `fault` with one line."""
    return _parsed(path, what, fault, tomllib.loads, "valid TOML")


def _parsed(
    path: str | Path, what: str, fault: type[MosaicError], parse: Callable[[str], T], form: str
) -> T:
    text, named = read_text(path, what, fault), _named(path, what)
    try:
        return parse(text)
    except ValueError as error:
        raise fault(f"{named} is not {form}: {error}") from None
    except RecursionError:
        raise fault(f"{named} is nested too deeply") from None


def json_bytes(value: Any, *, sort_keys: bool = False) -> bytes:
    """Compact JSON as UTF-8; lone surrogates, which no UTF-8 holds, make it ASCII with escapes.

    Raises `ValueError` for NaN and infinities.
    """
    try:
        return _encoder(sort_keys, False).encode(value).encode()
    except UnicodeEncodeError:
        return _encoder(sort_keys, True).encode(value).encode()


@lru_cache(maxsize=4)
def _encoder(sort_keys: bool, ascii_only: bool) -> json.JSONEncoder:
    return json.JSONEncoder(
        ensure_ascii=ascii_only, allow_nan=False, separators=(",", ":"), sort_keys=sort_keys
    )


def write_file(
    path: str | Path, data: bytes, what: str = "", fault: type[MosaicError] = UsageError
) -> None:
    """Write a file, making its folder. Raises `fault` with one line."""
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(data)
    except OSError as error:
        raise fault(f"cannot write {_named(path, what)}: {reason(error)}") from None
    except ValueError as error:  # a NUL in the name
        raise fault(f"cannot write {what or 'file'} {str(path)!r}: {error}") from None


def field_name(place: Sequence[int | str]) -> str:
    """Where in a file a field stands, `agents[2].at`, from a validator's path to it."""
    name = ""
    for part in place:
        name += f"[{part}]" if isinstance(part, int) else f".{part}" if name else part
    return name
