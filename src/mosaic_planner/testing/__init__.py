"""Conformance kits for what you add to Mosaic, and models for tests that need no network.

`check_world`, `check_planner` and `check_model` examine an extension and raise `ConformanceError`
with one line per problem; `examine_world`, `examine_planner` and `examine_model` only report.
`ScriptedModel` answers what it is told, `RandomModel` draws legal answers.
"""

from mosaic_planner.testing.check_model import check_model, examine_model
from mosaic_planner.testing.check_planner import check_planner, examine_planner
from mosaic_planner.testing.check_world import WorldReport, check_world, examine_world
from mosaic_planner.testing.random_model import RandomModel, make_random_model
from mosaic_planner.testing.scripted import ScriptedModel

__all__ = [
    "RandomModel",
    "ScriptedModel",
    "WorldReport",
    "check_model",
    "check_planner",
    "check_world",
    "examine_model",
    "examine_planner",
    "examine_world",
    "make_random_model",
]
