"""Suites by name: those that ship with the package, or any TOML file."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

from mosaic_planner.core.errors import UnknownNameError
from mosaic_planner.experiments.suite import Suite, load_suite

__all__ = ["find_suite", "suite_names"]


def suite_names() -> tuple[str, ...]:
    """Names of the suites that ship with the package: the paper's first, in its order."""
    folder = files("mosaic_planner.experiments") / "suites"
    names = [entry.name.removesuffix(".toml") for entry in folder.iterdir()]

    def order(name: str) -> tuple[int, int, str]:
        for kind, prefix in enumerate(("table", "fig")):
            if name.startswith(prefix) and name[len(prefix) :].isdigit():
                return kind, int(name[len(prefix) :]), name
        return 2, 0, name

    return tuple(sorted(names, key=order))


def find_suite(name: str) -> Suite:
    """A suite by name, or from a file if `name` ends in `.toml`.

    Raises `UnknownNameError`, or `ConfigError` if the file is not a valid suite.
    """
    if name.endswith(".toml"):
        return load_suite(Path(name))
    if name not in suite_names():
        raise UnknownNameError("suite", name, suite_names())
    with as_file(files("mosaic_planner.experiments") / "suites" / f"{name}.toml") as path:
        return load_suite(path)
