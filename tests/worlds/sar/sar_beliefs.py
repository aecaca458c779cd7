"""What agents believe and the rules say of it, for tests of profiles and safe actions."""

from __future__ import annotations

import random
from typing import Any

from mosaic_planner.coordination.profile import ActionProfile
from mosaic_planner.core.action import Action
from mosaic_planner.core.belief import Beliefs
from mosaic_planner.memory.current import CurrentObservationMemory
from mosaic_planner.worlds.sar.command import read_action_text

TIMMY = "LostPersonTimmy"


def beliefs_of(m: Any) -> Beliefs:
    """Beliefs of the current observation only, as without agent-centric memory."""
    w = m.world
    memory = CurrentObservationMemory(w.agents, w.geometry, w.briefing, w.vocabulary)
    memory.update(m.seen, {})
    return memory.beliefs()


def profile(m: Any, agent: str, text: str) -> ActionProfile:
    return m.world.rules.profile(agent, read_action_text(text), beliefs_of(m))


def look(m: Any) -> None:
    """Let the agents see what the test has changed, without a step."""
    m.seen = m.world._observer.observe(m.world.step_count, m.world._acts)


def suggested(m: Any, agent: str) -> list[str]:
    return [str(c.action) for c in m.world.rules.fallbacks(agent, beliefs_of(m))]


def play(m: Any, rng: random.Random, actions: list[Action], beliefs: Beliefs) -> list[str]:
    """A joint action that is half sensible, half anything, so that all kinds of states come up."""
    texts = []
    for name in m.world.agents:
        if rng.random() < 0.6:
            safe = m.world.rules.fallbacks(name, beliefs)
            texts.append(str(safe[0].action if rng.random() < 0.8 else rng.choice(safe).action))
        else:
            texts.append(str(rng.choice(actions)))
    return texts
