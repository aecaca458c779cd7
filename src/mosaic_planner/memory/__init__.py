"""Memory: what a team believes, from observations and outcomes alone; it never reads true state.

An update runs `team` (the agents' own reports), `effects` (what successful actions changed), the
sightings into the `table`, then what was expected in view and not seen. `view` is the immutable
result, `prompt` its lines for one agent, `event` its record in the trace.
"""

from mosaic_planner.memory.asm import AgentCentricMemory
from mosaic_planner.memory.current import CurrentObservationMemory
from mosaic_planner.memory.event import BeliefRow, beliefs_to_event, compare
from mosaic_planner.memory.factory import MEMORY_KINDS, make_memory
from mosaic_planner.memory.protocol import Memory

__all__ = [
    "MEMORY_KINDS",
    "AgentCentricMemory",
    "BeliefRow",
    "CurrentObservationMemory",
    "Memory",
    "beliefs_to_event",
    "compare",
    "make_memory",
]
