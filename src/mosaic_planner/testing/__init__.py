"""Conformance kits for what you add to Mosaic, and models for tests that need no network.

`check_world`, `check_planner` and `check_model` examine an extension; `ScriptedModel` answers what
it is told, `RandomModel` draws legal answers.
"""

from mosaic_planner.testing.check_model import check_model
from mosaic_planner.testing.check_planner import check_planner
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
    "examine_world",
    "make_random_model",
]
