"""Ways to run many episodes: a pool of processes, one process with many waiting, a Ray cluster.

An engine takes cells until none is left and reports each; it decides nothing about a sweep.
Results do not depend on the engine.
"""

from mosaic_planner.experiments.engines.protocol import Done, Engine, Report, Take
from mosaic_planner.experiments.engines.registry import ENGINES, make_engine

__all__ = ["ENGINES", "Done", "Engine", "Report", "Take", "make_engine"]
