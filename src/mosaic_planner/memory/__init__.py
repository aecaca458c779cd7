"""Memory: what a team believes, from observations and outcomes alone; it never reads true state.

An update (`asm`) runs `team` (the agents' own reports), `effects` (what successful actions
changed), the sightings into the `table` (`exact`, or under noise `frame`, `association`, `fusion`
and `belief_filter`), then `evidence`: what was and was not seen. `view` is the immutable result,
`prompt` its lines for one agent, `event` its record in the trace.
"""

from mosaic_planner.memory.asm import AgentCentricMemory
from mosaic_planner.memory.current import CurrentObservationMemory
from mosaic_planner.memory.event import BeliefRow, beliefs_to_event, compare
from mosaic_planner.memory.factory import MEMORY_KINDS, make_memory
from mosaic_planner.memory.overwriting import OverwritingMemory
from mosaic_planner.memory.protocol import Memory
from mosaic_planner.memory.text import TextMemory

__all__ = [
    "MEMORY_KINDS",
    "AgentCentricMemory",
    "BeliefRow",
    "CurrentObservationMemory",
    "Memory",
    "OverwritingMemory",
    "TextMemory",
    "beliefs_to_event",
    "compare",
    "make_memory",
]
