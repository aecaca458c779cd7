"""A planner's own switches, validated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mosaic_planner.core.errors import ConfigError, UnknownNameError

__all__ = ["read_options"]


def read_options(
    planner: str, given: Mapping[str, Any], defaults: Mapping[str, Any]
) -> dict[str, Any]:
    """The defaults overridden by `given`.

    A default that is a tuple lists the allowed words, the first being the default; a whole number
    must stay one and be positive; a bool must stay a bool. Raises `UnknownNameError` for an
    option the planner does not have and `ConfigError` for a value of the wrong kind.
    """
    result = {
        key: value[0] if isinstance(value, tuple) else value for key, value in defaults.items()
    }
    for key, value in given.items():
        if key not in defaults:
            raise UnknownNameError(f"option of planner {planner!r}", key, defaults)
        default = defaults[key]
        if isinstance(default, tuple):
            if value not in default:
                raise ConfigError(
                    f"option {key!r} of {planner} is one of {', '.join(default)}, not {value!r}"
                )
        elif isinstance(default, bool):
            if not isinstance(value, bool):
                raise ConfigError(f"option {key!r} of {planner} is true or false, not {value!r}")
        elif not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise ConfigError(f"option {key!r} of {planner} is a positive number, not {value!r}")
        result[key] = value
    return result
