"""Errors are one line and survive the way from one process to another."""

from __future__ import annotations

import pickle

import pytest

from mosaic_planner.core import errors


def _one_of_each() -> list[errors.MosaicError]:
    made: list[errors.MosaicError] = [
        errors.UnknownNameError("planner", "ract", ["react", "act"]),
        errors.MissingExtraError("ray", "the Ray engine"),
        errors.StorageError("a/b.gz", OSError(28, "No space left on device")),
    ]
    made += [
        getattr(errors, name)("one line")
        for name in errors.__all__
        if name not in {type(error).__name__ for error in made}
    ]
    return made


@pytest.mark.parametrize("error", _one_of_each(), ids=lambda error: type(error).__name__)
def test_an_error_crosses_processes(error: errors.MosaicError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)
    assert getattr(again, "errno", None) == getattr(error, "errno", None)


def test_every_class_of_the_module_is_in_the_tree_of_its_docstring() -> None:
    assert errors.__doc__ is not None
    for name in errors.__all__:
        assert name in errors.__doc__
        assert issubclass(getattr(errors, name), errors.MosaicError)
