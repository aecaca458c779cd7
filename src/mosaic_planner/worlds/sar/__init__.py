"""Search and rescue on a grid, `sar-v1`: scenes 1 to 5 of the LLaMAR reference and our own.

Rules are cited by their numbers (A1 to Q4) throughout. In the order of reading::

    scene, scene_file, scenes/, generator   what a mission is: data, files, new ones
    switches                                where we leave the reference's oddities
    grid, fire, explore, state              what is true
    command, actions, simulator             what happens in a joint step
    vocabulary, briefing, observe           what agents are told and perceive
    scoring, record, replay                 what is judged, written down and compared
    belief_map, rules, fallbacks            what the coordinator is taught, from beliefs alone
    world                                   all of it as one `World`
    legal, pettingzoo                       the face for reinforcement learning
    render, truth                           what can be drawn and read from a trace
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mosaic_planner.worlds.sar.rules import SarRules
from mosaic_planner.worlds.sar.scene import Scene, load_scene, scene_from_data
from mosaic_planner.worlds.sar.switches import SarSwitches
from mosaic_planner.worlds.sar.world import SarWorld

__all__ = ["SarRules", "SarSwitches", "SarWorld", "Scene", "load_scene", "make"]


def make(
    scene: int | str | Path | dict[str, Any] = 1,
    agents: int = 3,
    *,
    faithful: bool = False,
    person_load: int | None = None,
    **switches: Any,
) -> SarWorld:
    """A fresh world.

    `scene`: 1 to 5, the path of a scene file, or a scene file's parsed content. `faithful`: every
    switch the reference's way. `switches`: single fields of `SarSwitches`, which win over
    `faithful`. Raises `UsageError` (unknown scene, bad scene file, too many agents, unknown or
    wrong switch) with one clear line.
    """
    loaded = scene_from_data(scene) if isinstance(scene, dict) else load_scene(scene)
    chosen = SarSwitches.of(faithful, **switches)
    return SarWorld(loaded, agents, switches=chosen, person_load=person_load)
